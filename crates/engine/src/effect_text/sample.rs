//! Combinations drawn at random, the same from the same seed on every machine.
//!
//! The draws are specified, not left to a library, so that a seed means the same for ever:
//!
//! - The generator is SplitMix64 (Steele, Lea and Flood, 2014), whose state begins as the seed.
//! - A number below *n* has as many bits as *n* − 1; they are the low bits of a first output (bits 0 to 63) and, when there are more than 64, of
//!   a second one (bits 64 to 127). Numbers that are not below *n* are passed over. Every result is equally likely.
//! - Draws with repeats are such numbers, one after the other.
//! - Draws without repeats are Floyd's: for *j* from *n* − *k* to *n* − 1 a number below *j* + 1 is drawn, and *j* is taken instead of a number that has
//!   been taken before. Every set of *k* is equally likely; they are told in the order in which they were taken.

use std::collections::BTreeSet;

use super::effects::{Effects, Expansion};
use crate::split_mix::SplitMix64;

/// Whether a combination may be drawn twice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Repeats {
    /// Each draw is from all combinations.
    Allowed,
    /// No combination comes twice; when more are asked for than there are, all come.
    Refused,
}

impl Effects {
    /// Draws so many combinations, each of all templates' combinations being equally likely: a template with many comes more often. The
    /// numbers are those of [`Effects::nth`]. `None` when there are too many combinations to be counted; nothing when there are none.
    ///
    /// Different combinations may be the same sentence, and phrase rules may remove some: neither is looked at here.
    ///
    /// ```
    /// use cardscape_engine::effect_text::{Effects, Placeholders, Repeats, Template};
    ///
    /// let placeholders = Placeholders::new([("n", "1\n2\n3\n4\n5\n6\n")]);
    /// let effects = Effects::new(vec![Template::parse("Draw <n>")?], &placeholders)?;
    /// let drawn = effects.sample(7, 4, Repeats::Refused).unwrap();
    /// let texts: Vec<&str> = drawn.iter().map(|(_, effect)| effect.text.as_str()).collect();
    /// assert_eq!(texts, ["Draw 1", "Draw 3", "Draw 4", "Draw 6"]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn sample(
        &self,
        seed: u64,
        draws: usize,
        repeats: Repeats,
    ) -> Option<Vec<(u128, Expansion)>> {
        let count = self.count()?;
        let numbers = Draws::new(seed).numbers(count, draws, repeats);
        Some(numbers.into_iter().filter_map(|index| Some((index, self.nth(index)?))).collect())
    }
}

/// A stream of draws: see the module.
#[derive(Clone, Debug)]
pub struct Draws {
    outputs: SplitMix64,
}

impl Draws {
    /// The stream of a seed.
    pub fn new(seed: u64) -> Self {
        Self { outputs: SplitMix64::new(seed) }
    }

    /// A number below `count`, which must not be 0.
    pub fn below(&mut self, count: u128) -> u128 {
        let bits = u128::BITS - count.saturating_sub(1).leading_zeros();
        let mask = 1_u128.checked_shl(bits).map_or(u128::MAX, |power| power - 1);
        loop {
            let mut number = u128::from(self.outputs.next_number());
            if bits > 64 {
                number |= u128::from(self.outputs.next_number()) << 64;
            }
            if number & mask < count {
                return number & mask;
            }
        }
    }

    /// So many numbers below `count`; none when that is 0.
    pub fn numbers(&mut self, count: u128, draws: usize, repeats: Repeats) -> Vec<u128> {
        match repeats {
            _ if count == 0 => Vec::new(),
            Repeats::Allowed => (0..draws).map(|_| self.below(count)).collect(),
            Repeats::Refused => {
                let mut taken = BTreeSet::new();
                let first = count.saturating_sub(draws as u128);
                let mut take = |upto: u128| {
                    let drawn = self.below(upto.saturating_add(1));
                    let number = if taken.contains(&drawn) { upto } else { drawn };
                    taken.insert(number);
                    number
                };
                (first..count).map(&mut take).collect()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A draw of all 64-bit numbers is the generator's own number: its first outputs for the seed 1234567.
    #[test]
    fn the_generator_is_the_published_one() {
        let mut draws = Draws::new(1_234_567);
        let outputs: Vec<u128> = (0..3).map(|_| draws.below(1 << 64)).collect();
        assert_eq!(
            outputs,
            [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423]
        );
    }

    #[test]
    fn numbers_stay_below() {
        let mut draws = Draws::new(1);
        for count in [1, 2, 3, 1 << 64, (1 << 64) + 1, u128::MAX] {
            for _ in 0..100 {
                assert!(draws.below(count) < count);
            }
        }
        assert_eq!(draws.numbers(0, 5, Repeats::Refused), [] as [u128; 0]);
        let all = draws.numbers(5, 50, Repeats::Refused);
        assert_eq!(all.iter().collect::<BTreeSet<_>>().len(), 5);
        assert_eq!(all.len(), 5);
    }

    /// Chi square over 30 kinds: beyond 58.3 is one in a thousand; the seed is fixed.
    #[test]
    fn every_number_is_equally_likely() {
        for repeats in [Repeats::Allowed, Repeats::Refused] {
            let mut draws = Draws::new(20_261_121);
            let mut seen = [0_u32; 30];
            for _ in 0..6_000 {
                for number in draws.numbers(30, 10, repeats) {
                    seen[usize::try_from(number).unwrap()] += 1;
                }
            }
            let expected = 2_000.0;
            let squares = seen.iter().map(|&seen| (f64::from(seen) - expected).powi(2) / expected);
            let chi_square: f64 = squares.sum();
            assert!(chi_square < 58.3, "{chi_square}");
        }
    }
}
