//! Pseudo-random choices that are the same on every machine and in every version.

use cardscape_engine::rng::{RandomNumbers as _, SplitMix64};

/// The start of every stream. It must never change, because the catalogue of a seed must never change.
const START: u64 = 0x9E37_79B9_7F4A_7C15;

/// A stream of choices. Not for secrets.
pub(super) struct Dice(SplitMix64);

impl Dice {
    /// The stream for these numbers. Different lists of numbers have different streams.
    pub(super) fn of(numbers: &[u64]) -> Self {
        let start = SplitMix64::new(START);
        let fold =
            |mut before: SplitMix64, number: &u64| SplitMix64::new(before.next_number() ^ number);
        Self(numbers.iter().fold(start, fold))
    }

    /// A number from 0 to below `bound`; 0 if `bound` is 0.
    pub(super) fn below(&mut self, bound: u64) -> u64 {
        self.0.below_by_product(bound)
    }

    /// A number from `low` to `high`, both inclusive; `low` if the range is empty.
    pub(super) fn between(&mut self, low: i64, high: i64) -> i64 {
        let more = self.below(high.abs_diff(low.min(high)).saturating_add(1));
        low.saturating_add_unsigned(more)
    }

    /// `true` one time in `times`.
    pub(super) fn one_in(&mut self, times: u64) -> bool {
        self.below(times) == 0
    }

    /// A random index into a list of this length.
    pub(super) fn place(&mut self, length: usize) -> usize {
        usize::try_from(self.below(length as u64)).unwrap_or_default()
    }

    /// A random item of a list, which must not be empty.
    pub(super) fn one_of<'a, T>(&mut self, list: &'a [T]) -> &'a T {
        &list[self.place(list.len())]
    }

    /// A random index into a list of this length. Low indices are much more frequent than high ones, like the frequencies of words in a language.
    pub(super) fn frequent_index(&mut self, length: usize) -> usize {
        let end = self.place(length) + 1;
        let end = self.place(end) + 1;
        self.place(end)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The choices must never change, because the catalogue of a seed must never change.
    #[test]
    fn the_stream_of_a_list_of_numbers_does_not_change() {
        let mut dice = Dice::of(&[1, 2]);
        let whole = u64::MAX;
        assert_eq!(
            [0; 3].map(|_| dice.below(whole)),
            [15_724_360_586_833_778_553, 9_743_647_518_091_382_963, 1_226_645_624_539_852_274]
        );
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
