//! The turn by which a player has drawn the wanted cards.

use serde::Serialize;

use super::hypergeometric::Hypergeometric;
use super::match_count::MatchCount;
use super::odds_error::OddsError;
use super::probability::{Probability, float};

/// On which turn the *j*-th matching card is drawn. Turn 0 is the opening hand, turn 1 the player's first turn.
///
/// Only draws by rule count; effects, and mulligans before, do not.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[non_exhaustive]
pub struct TurnOdds {
    /// The *j*: how many matching cards there must be.
    pub matches: u64,
    /// Cards drawn in each turn.
    pub draws_per_turn: u32,
    /// Whether the player draws in the first turn.
    pub draws_on_first_turn: bool,
    /// The turn on average; absent when there are fewer than *j* matching cards, so that it never comes. Its relative error is that of a sum of
    /// probabilities and six roundings more; with several draws a turn, three roundings for each card of the zone more (2 · 10⁻⁹ for 5,000,000).
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(example = 3.5))]
    pub expected_turn: Option<f64>,
    /// The turns from 0 to [`Self::TURNS`], fewer when the cards are all drawn before, or are more than are computed.
    pub turns: Vec<TurnChance>,
}

/// One turn.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[non_exhaustive]
pub struct TurnChance {
    /// The turn; 0 is the opening hand.
    pub turn: u32,
    /// Cards drawn up to and in this turn, the opening hand included.
    pub cards: u64,
    /// How likely it is that the *j*-th matching card comes in this turn; its relative error is below (6 *n* + 4) · 2⁻⁵³, *n* being the cards drawn.
    #[cfg_attr(feature = "openapi", schema(example = 0.1))]
    pub on: f64,
    /// How likely it is that it has come by this turn.
    pub by: Probability,
}

impl TurnOdds {
    /// The last turn that is listed.
    pub const TURNS: u32 = 20;
    /// Maximum number of matching cards in a question.
    pub const MATCHES_MAX: u64 = 20;
}

/// A pile, and how a player draws from it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Draws {
    pub(super) population: u64,
    pub(super) successes: u64,
    pub(super) hand_size: u64,
    pub(super) per_turn: u32,
    pub(super) on_first_turn: bool,
}

impl Draws {
    /// Cards drawn by the end of a turn.
    fn cards_by(self, turn: u32) -> u64 {
        let turns = if self.on_first_turn { turn } else { turn.saturating_sub(1) };
        let drawn = u64::from(turns).saturating_mul(u64::from(self.per_turn));
        self.hand_size.saturating_add(drawn).min(self.population)
    }

    /// `matches` is at most [`TurnOdds::MATCHES_MAX`], the opening hand at most [`Hypergeometric::DRAWS_MAX`].
    pub(super) fn odds(self, matches: u64) -> Result<TurnOdds, OddsError> {
        let mut turns = Vec::new();
        let mut before: Option<u64> = None;
        for turn in 0..=TurnOdds::TURNS {
            let cards = self.cards_by(turn);
            if cards > Hypergeometric::DRAWS_MAX {
                break;
            }
            let drawn = Hypergeometric::new(self.population, self.successes, cards)?;
            turns.push(TurnChance {
                turn,
                cards,
                on: self.chance_between(before, cards, matches)?,
                by: drawn.probability(MatchCount::at_least(matches)),
            });
            before = Some(cards);
            if cards == self.population {
                break;
            }
        }
        Ok(TurnOdds {
            matches,
            draws_per_turn: self.per_turn,
            draws_on_first_turn: self.on_first_turn,
            expected_turn: self.expected_turn(matches)?,
            turns,
        })
    }

    /// The probability that the `matches`-th matching card comes after the first `before` cards and within the first `cards`. It is a sum over the
    /// numbers of matches within the first `before` cards: each times the probability that the others come in the next draws. There is no
    /// subtraction, which would lose precision.
    fn chance_between(
        self,
        before: Option<u64>,
        cards: u64,
        matches: u64,
    ) -> Result<f64, OddsError> {
        let Some(before) = before else {
            let hand = Hypergeometric::new(self.population, self.successes, cards)?;
            return Ok(hand.probability(MatchCount::at_least(matches)).value);
        };
        let earlier = Hypergeometric::new(self.population, self.successes, before)?;
        let mut sum = 0.0;
        for count in earlier.counts().take_while(|count| *count < matches) {
            let left = self.successes - count;
            let next = Hypergeometric::new(self.population - before, left, cards - before)?;
            let rest = next.probability(MatchCount::at_least(matches - count));
            sum += earlier.value_of(count) * rest.value;
        }
        Ok(sum)
    }

    /// The expected turn; `None` when there are too few matching cards.
    ///
    /// With *x* matching cards in the opening hand of *h*, the (*j*−*x*)-th matching card of the rest has the place
    /// (*j*−*x*)(*N*−*h*+1)/(*K*−*x*+1) on average (negative hypergeometric distribution), which is its turn when one card is drawn in each.
    fn expected_turn(self, matches: u64) -> Result<Option<f64>, OddsError> {
        if matches > self.successes {
            return Ok(None);
        }
        let hand = Hypergeometric::new(self.population, self.successes, self.hand_size)?;
        let few = hand.counts().take_while(|count| *count < matches);
        let few: Vec<(u64, f64)> = few.map(|count| (count, hand.value_of(count))).collect();
        let late =
            if self.on_first_turn { 0.0 } else { few.iter().map(|(_, chance)| chance).sum() };
        if self.per_turn > 1 {
            return Ok(Some(late + self.turns_by_sum(&few, matches)));
        }
        let rest = float(self.population - self.hand_size + 1);
        let place = |(count, chance): &(u64, f64)| {
            chance * float(matches - count) * rest / float(self.successes - count + 1)
        };
        Ok(Some(late + few.iter().map(place).sum::<f64>()))
    }

    /// The expected number of turns after the opening hand, when each has several draws: the sum over all turns of the chance that it has not come
    /// by then. The cost grows with the pile: one step of `matches` numbers for each card.
    fn turns_by_sum(self, few: &[(u64, f64)], matches: u64) -> f64 {
        // The chances of 0, 1, … matches so far, below `matches`.
        let length = usize::try_from(matches).unwrap_or(usize::MAX);
        let mut chances = vec![0.0; length];
        for (count, chance) in few {
            if let Some(place) = usize::try_from(*count).ok().and_then(|at| chances.get_mut(at)) {
                *place = *chance;
            }
        }
        let mut sum = 0.0;
        let mut drawn = self.hand_size;
        loop {
            let open: f64 = chances.iter().sum();
            // The remaining cards add at most `open` each. The loop ends when that is less than a rounding.
            if open * float(self.population - drawn) <= sum * 2_f64.powi(-60) {
                return sum;
            }
            sum += open;
            for _ in 0..self.per_turn {
                if drawn == self.population {
                    return sum;
                }
                let left = float(self.population - drawn);
                let mut from_below = 0.0;
                for (count, chance) in (0_u64..).zip(&mut chances) {
                    let hit = self.successes - count;
                    let miss = (self.population - drawn).saturating_sub(hit);
                    let up = *chance * (float(hit) / left);
                    *chance = *chance * (float(miss) / left) + from_below;
                    from_below = up;
                }
                drawn += 1;
            }
        }
    }
}
