//! Combinations drawn at random, the same from the same seed on every machine and in every version.
//!
//! The random numbers come from [`SplitMix64`]. With repeats each draw is [`below`](RandomNumbers::below) the number of combinations; without repeats
//! all draws are [`distinct_below`](RandomNumbers::distinct_below).

use super::effects::{Effects, Expansion};
use crate::rng::{RandomNumbers, SplitMix64};

/// Whether a combination may be drawn twice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Repeats {
    /// Each draw is from all combinations.
    Allowed,
    /// No combination comes twice; when more are asked for than there are, all come.
    Refused,
}

impl Effects {
    /// Draws combinations at random. All combinations of all templates are equally likely, so that a template with many comes more often. The numbers
    /// are those of [`Effects::nth`]. `None` when there are too many combinations to be counted; empty when there are none.
    ///
    /// Different combinations may be the same sentence, and phrase rules may remove some: neither is considered here.
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
        let mut stream = SplitMix64::new(seed);
        let numbers: Vec<u128> = match repeats {
            _ if count == 0 => Vec::new(),
            Repeats::Allowed => (0..draws).map(|_| stream.below(count)).collect(),
            Repeats::Refused => stream.distinct_below(count, draws),
        };
        Some(numbers.into_iter().filter_map(|index| Some((index, self.nth(index)?))).collect())
    }
}
