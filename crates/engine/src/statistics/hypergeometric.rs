//! Draws without replacement.

use super::odds_error::OddsError;
use super::probability::{Fraction, Probability, float, greatest_common_divisor};

/// The number of matching cards among those drawn from a shuffled pile: the hypergeometric distribution.
///
/// Of *N* cards, *K* match; *n* are drawn. The probability that exactly *j* of them match is C(*K*, *j*) · C(*N*−*K*, *n*−*j*) / C(*N*, *n*).
///
/// **Exactness.** Where C(*N*, *n*) fits into 128 bits (always for up to 131 cards), probabilities are exact fractions. Otherwise each is computed
/// from the ratios of neighbouring counts, which are quotients of whole numbers below 2⁵³: the most likely count has weight 1, each step to a
/// neighbour is one division and one multiplication, and the weights are divided by their sum. Nothing is subtracted. So a probability has at most
/// 5*n* + 1 roundings, and a sum of them 6*n* + 1; its relative error is below (6*n* + 2) · 2⁻⁵³ (10⁻¹³ for 100 draws, 7 · 10⁻¹² for the most draws
/// that are computed). Counts that are less than 10⁻²⁹⁰ times as likely as the most likely one may get too small a probability.
///
/// The cost grows with the draws, not with the pile.
#[derive(Debug, Clone, PartialEq)]
pub struct Hypergeometric {
    population: u64,
    successes: u64,
    draws: u64,
    /// The smallest possible count.
    lowest: u64,
    /// Probabilities of the counts from the lowest on.
    values: Vec<f64>,
    /// The number of ways to draw each count, if their sum fits into 128 bits.
    ways: Option<Ways>,
}

#[derive(Debug, Clone, PartialEq)]
struct Ways {
    counts: Vec<u128>,
    total: u128,
}

impl Hypergeometric {
    /// Maximum number of cards of a pile.
    pub const POPULATION_MAX: u64 = 100_000_000_000;
    /// Maximum number of cards drawn.
    pub const DRAWS_MAX: u64 = 10_000;

    /// The distribution of `draws` cards from `population` cards of which `successes` match.
    ///
    /// ```
    /// use cardscape_engine::{Hypergeometric, MatchCount};
    ///
    /// // 4 copies among 40 cards, a hand of 7.
    /// let hand = Hypergeometric::new(40, 4, 7)?;
    /// let one = hand.probability(MatchCount::at_least(1));
    /// let fraction = one.fraction.unwrap();
    /// assert_eq!((fraction.numerator, fraction.denominator), (5_047, 9_139));
    /// assert_eq!(format!("{:.4}", one.value), "0.5522");
    /// # Ok::<(), cardscape_engine::OddsError>(())
    /// ```
    ///
    /// # Errors
    /// When more cards match or are drawn than there are, or the numbers are above [`Self::POPULATION_MAX`] or [`Self::DRAWS_MAX`].
    pub fn new(population: u64, successes: u64, draws: u64) -> Result<Self, OddsError> {
        for (what, max, actual) in
            [("population", Self::POPULATION_MAX, population), ("draws", Self::DRAWS_MAX, draws)]
        {
            if actual > max {
                return Err(OddsError::TooLarge { what, max, actual });
            }
        }
        if successes > population {
            return Err(OddsError::TooManySuccesses { successes, population });
        }
        if draws > population {
            return Err(OddsError::TooManyDraws { draws, population });
        }
        let failures = population - successes;
        let lowest = draws.saturating_sub(failures);
        let highest = draws.min(successes);
        let values = shares(successes, failures, draws, lowest, highest);
        let ways = ways(successes, failures, draws, lowest, highest);
        Ok(Self { population, successes, draws, lowest, values, ways })
    }

    /// All cards.
    pub fn population(&self) -> u64 {
        self.population
    }

    /// Cards that match.
    pub fn successes(&self) -> u64 {
        self.successes
    }

    /// Cards drawn.
    pub fn draws(&self) -> u64 {
        self.draws
    }

    /// The possible counts, from the smallest to the largest.
    pub fn counts(&self) -> std::ops::RangeInclusive<u64> {
        self.lowest..=self.draws.min(self.successes)
    }

    /// How many matching cards there are on average: *n* · *K* / *N*; 0 without cards.
    pub fn mean(&self) -> f64 {
        if self.population == 0 {
            return 0.0;
        }
        float(self.draws) * float(self.successes) / float(self.population)
    }

    /// How likely it is that the number of matching cards is one of these.
    pub fn probability(&self, wanted: super::MatchCount) -> Probability {
        let counts = self.counts();
        let from = wanted.min.max(*counts.start());
        let to = wanted.max.unwrap_or(u64::MAX).min(*counts.end());
        if from > to {
            return Probability::NEVER;
        }
        let at = |count: u64| usize::try_from(count - self.lowest).unwrap_or(usize::MAX);
        if let Some(ways) = &self.ways {
            let sum = ways.counts.iter().skip(at(from)).take(at(to) - at(from) + 1).sum();
            if let Some(fraction) = Fraction::new(sum, ways.total) {
                return Probability::exact(fraction);
            }
        }
        if (from, to) == (*counts.start(), *counts.end()) {
            return Probability::exact(Fraction { numerator: 1, denominator: 1 });
        }
        Probability::rounded(self.values.iter().skip(at(from)).take(at(to) - at(from) + 1).sum())
    }

    /// The probability of exactly this count, rounded.
    pub(super) fn value_of(&self, count: u64) -> f64 {
        self.probability(super::MatchCount::exactly(count)).value
    }
}

/// The probabilities of the counts, by the ratios of neighbours.
fn shares(successes: u64, failures: u64, draws: u64, lowest: u64, highest: u64) -> Vec<f64> {
    // The most likely count, or one next to it. Any other count would work, too, with more roundings.
    let peak =
        u128::from(draws + 1) * u128::from(successes + 1) / u128::from(successes + failures + 2);
    let peak = u64::try_from(peak).unwrap_or(highest).clamp(lowest, highest);
    // The ratio of the next count to `count` is `up / down`.
    let up = |count: u64| float((successes - count) * (draws - count));
    let down = |count: u64| float((count + 1) * (failures + count + 1 - draws));
    let mut weight = 1.0;
    let mut below: Vec<f64> = Vec::new();
    for count in (lowest..peak).rev() {
        weight *= down(count) / up(count);
        below.push(weight);
    }
    below.reverse();
    let mut weights = below;
    weights.push(1.0);
    weight = 1.0;
    for count in peak..highest {
        weight *= up(count) / down(count);
        weights.push(weight);
    }
    let sum: f64 = weights.iter().sum();
    weights.iter().map(|weight| weight / sum).collect()
}

fn ways(successes: u64, failures: u64, draws: u64, lowest: u64, highest: u64) -> Option<Ways> {
    let total = binomial(successes + failures, draws)?;
    let ways = |count| binomial(successes, count)?.checked_mul(binomial(failures, draws - count)?);
    let counts = (lowest..=highest).map(ways).collect::<Option<_>>()?;
    Some(Ways { counts, total })
}

/// The number of ways to take `taken` of `population`; `None` when it is 2¹²⁸ or more.
fn binomial(population: u64, taken: u64) -> Option<u128> {
    let taken = taken.min(population.checked_sub(taken)?);
    let mut ways: u128 = 1;
    for step in 0..taken {
        // Reduced before multiplying, so that a result that fits never overflows: the rest of the divisor divides the factor.
        let divisor = u128::from(step + 1);
        let shared = greatest_common_divisor(ways, divisor);
        let factor = u128::from(population - step) / (divisor / shared);
        ways = (ways / shared).checked_mul(factor)?;
    }
    Some(ways)
}
