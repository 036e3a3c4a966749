//! Pseudo-random choices that are the same on every machine, for ever.

/// A stream of choices (SplitMix64). Not for secrets.
pub(super) struct Dice(u64);

/// The golden ratio, as SplitMix64 counts.
const STEP: u64 = 0x9e37_79b9_7f4a_7c15;

impl Dice {
    /// The stream of these numbers. Every other list of numbers has another stream.
    pub(super) fn of(numbers: &[u64]) -> Self {
        numbers.iter().fold(Self(STEP), |mut dice, number| Self(dice.next() ^ number))
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(STEP);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number from 0 up to `bound`, which it never is; 0 when there is none.
    pub(super) fn below(&mut self, bound: u64) -> u64 {
        let scaled = (u128::from(self.next()) * u128::from(bound)) >> 64;
        u64::try_from(scaled).unwrap_or_default()
    }

    /// A number from `low` to `high`, both included; `low` when there is none.
    pub(super) fn between(&mut self, low: i64, high: i64) -> i64 {
        let more = self.below(high.abs_diff(low.min(high)).saturating_add(1));
        low.saturating_add_unsigned(more)
    }

    /// `true` one time in `times`.
    pub(super) fn one_in(&mut self, times: u64) -> bool {
        self.below(times) == 0
    }

    /// A place in a list of that length.
    pub(super) fn place(&mut self, length: usize) -> usize {
        usize::try_from(self.below(length as u64)).unwrap_or_default()
    }

    /// One of a list that is not empty.
    pub(super) fn one_of<'a, T>(&mut self, list: &'a [T]) -> &'a T {
        &list[self.place(list.len())]
    }

    /// A place in a list of that length, the first ones far more often than the last, as words are in a language.
    pub(super) fn early_place(&mut self, length: usize) -> usize {
        let end = self.place(length) + 1;
        let end = self.place(end) + 1;
        self.place(end)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What SplitMix64's authors publish for the state 1234567, and no machine may change.
    #[test]
    fn the_stream_is_the_published_one() {
        let mut dice = Dice(1_234_567);
        assert_eq!(dice.next(), 6_457_827_717_110_365_317);
        assert_eq!(dice.next(), 3_203_168_211_198_807_973);
    }

    #[test]
    fn numbers_stay_in_their_range() {
        let mut dice = Dice::of(&[1, 2]);
        let mut seen = [false; 5];
        for _ in 0..200 {
            let drawn = dice.between(-2, 2);
            seen[usize::try_from(drawn + 2).unwrap_or(usize::MAX)] = true;
            assert!(dice.below(7) < 7);
        }
        assert_eq!(seen, [true; 5]);
        assert_eq!((dice.below(0), dice.between(3, 3), dice.between(5, 1)), (0, 3, 5));
        let extremes = dice.between(i64::MIN, i64::MAX);
        assert_ne!(extremes, dice.between(i64::MIN, i64::MAX));
    }
}
