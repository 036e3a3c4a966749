//! The odds of drawing certain cards.

use serde::Serialize;

use super::draw_target::{DrawPopulation, DrawTarget};
use super::hypergeometric::Hypergeometric;
use super::match_count::MatchCount;
use super::mulligan_odds::{MulliganHand, mulligan_hands};
use super::odds_error::OddsError;
use super::probability::Probability;
use super::turn_odds::{Draws, TurnOdds};
use crate::catalogue::Catalogue;
use crate::deck::{Deck, MAIN_ZONE};
use crate::play::PlayRules;

/// A question about draws. What it leaves open is taken from the game's manifest ([`PlayRules`]).
#[derive(Debug, Clone, PartialEq)]
pub struct DrawQuestion {
    /// The zone that is drawn from, by code or alias.
    pub zone: String,
    /// The wanted cards.
    pub target: DrawTarget,
    /// How many of them are wanted.
    pub wanted: MatchCount,
    /// Cards of the opening hand; `None`: as the game says.
    pub hand_size: Option<u32>,
    /// Cards drawn after the opening hand.
    pub further_draws: u32,
    /// Whether the player goes first.
    pub goes_first: bool,
    /// Maximum number of mulligans that the player takes, but never more than the game allows; `None`: as many as the game allows.
    pub mulligans: Option<u32>,
}

/// The answer.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[non_exhaustive]
pub struct DrawOdds {
    /// The cards that are drawn from.
    pub population: DrawPopulation,
    /// What was asked for.
    pub wanted: MatchCount,
    /// The opening hand.
    pub opening_hand: HandOdds,
    /// The opening hand and the further draws.
    pub after_draws: HandOdds,
    /// The hands up to the last mulligan, the first being the opening hand; empty where the game's manifest does not say what a mulligan is.
    pub mulligans: Vec<MulliganHand>,
    /// When the last of the fewest wanted cards comes; absent where the game's manifest does not say how many cards are drawn in a turn, or the
    /// question asks for more than [`TurnOdds::MATCHES_MAX`] cards or for none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub turns: Option<TurnOdds>,
}

/// The matching cards among some that are drawn.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[non_exhaustive]
pub struct HandOdds {
    /// Cards drawn; all cards of the zone when there are no more.
    pub cards: u64,
    /// How likely it is that as many match as are wanted.
    pub wanted: Probability,
    /// How many match on average.
    #[cfg_attr(feature = "openapi", schema(example = 0.4))]
    pub mean: f64,
    /// How likely it is that exactly so many match: from the smallest number that can be, at most [`Self::COUNTS_MAX`] numbers around the mean.
    pub counts: Vec<CountChance>,
}

/// One number of matching cards.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[non_exhaustive]
pub struct CountChance {
    /// Cards that match.
    pub count: u64,
    /// How likely exactly this number is.
    pub chance: Probability,
}

impl HandOdds {
    /// Maximum number of counts that are listed.
    pub const COUNTS_MAX: u64 = 61;

    fn of(drawn: &Hypergeometric, wanted: MatchCount) -> Self {
        let (lowest, highest) = (*drawn.counts().start(), *drawn.counts().end());
        // n K / N, rounded down: the middle of what is listed.
        let product = u128::from(drawn.draws()) * u128::from(drawn.successes());
        let middle = product.checked_div(drawn.population().into()).unwrap_or(0);
        let middle = u64::try_from(middle).unwrap_or(highest);
        let last_start = highest.saturating_sub(Self::COUNTS_MAX - 1).max(lowest);
        let start = middle.saturating_sub(Self::COUNTS_MAX / 2).clamp(lowest, last_start);
        let end = highest.min(start + Self::COUNTS_MAX - 1);
        let chance = |count: u64| CountChance {
            count,
            chance: drawn.probability(MatchCount::exactly(count)),
        };
        Self {
            cards: drawn.draws(),
            wanted: drawn.probability(wanted),
            mean: drawn.mean(),
            counts: (start..=end).map(chance).collect(),
        }
    }
}

impl DrawQuestion {
    /// A question about at least one of the cards, in the main zone, by the game's own rules, without further draws; the player does not go first.
    pub fn new(target: DrawTarget) -> Self {
        Self {
            zone: MAIN_ZONE.to_owned(),
            target,
            wanted: MatchCount::at_least(1),
            hand_size: None,
            further_draws: 0,
            goes_first: false,
            mulligans: None,
        }
    }
}

/// The odds of a draw from a deck: in the opening hand, after further draws, after mulligans, and by turn.
///
/// As exact as [`Hypergeometric`]. Unknown cards are drawn, too, and match only by their name. A hand is never larger than the zone.
///
/// ```
/// use cardscape_engine::*;
///
/// let game = Game::from_toml(r#"
///     code = "pond"
///     name = "Pond"
///     rules_version = "pond/1"
///     [[kinds]]
///     code = "fish"
///     name = "Fish"
///     [play]
///     hand_size = 7
///     draws_per_turn = 1
///     mulligan = { type = "redraw", times = 1 }
/// "#)?;
/// let catalogue = Catalogue::builder(&game).build();
/// let deck = parse_deck_text("4 Carp\n36 Pike\n").deck;
/// let odds = draw_odds(&deck, &catalogue, &DrawQuestion::new(DrawTarget::named("Carp")))?;
/// assert_eq!(format!("{:.4}", odds.opening_hand.wanted.value), "0.5522");
/// assert_eq!(format!("{:.4}", odds.mulligans[1].by_now.value), "0.7995");
/// let turns = odds.turns.unwrap();
/// assert_eq!(format!("{:.4}", turns.expected_turn.unwrap()), "3.0447");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// When the game has no such zone, when neither the question nor the manifest says how large the opening hand is, or when the numbers are
/// above the bounds of [`Hypergeometric`].
pub fn draw_odds(
    deck: &Deck,
    catalogue: &Catalogue,
    question: &DrawQuestion,
) -> Result<DrawOdds, OddsError> {
    let population = question.target.count(deck, catalogue, &question.zone)?;
    let play = catalogue.game().play();
    let hand_size = hand_size(question.hand_size, play)?;
    let (cards, matching) = (population.cards, population.matching);
    let in_hand = u64::from(hand_size).min(cards);
    let after = in_hand.saturating_add(question.further_draws.into()).min(cards);
    let opening_hand = Hypergeometric::new(cards, matching, in_hand)?;
    let after_draws = Hypergeometric::new(cards, matching, after)?;
    let mulligans = match play.and_then(|play| play.mulligan) {
        None => Vec::new(),
        Some(mulligan) => {
            let times = question.mulligans.unwrap_or(u32::MAX);
            let pile = (cards, matching);
            mulligan_hands(mulligan, times, hand_size, question.wanted, pile)?
        }
    };
    let matches = question.wanted.min;
    let per_turn = play.and_then(|play| play.draws_per_turn);
    let turns = match (play, per_turn) {
        (Some(play), Some(per_turn)) if (1..=TurnOdds::MATCHES_MAX).contains(&matches) => {
            let on_first_turn = play.first_player_draws || !question.goes_first;
            let draws = Draws {
                population: cards,
                successes: matching,
                hand_size: in_hand,
                per_turn,
                on_first_turn,
            };
            Some(draws.odds(matches)?)
        }
        _ => None,
    };
    Ok(DrawOdds {
        population,
        wanted: question.wanted,
        opening_hand: HandOdds::of(&opening_hand, question.wanted),
        after_draws: HandOdds::of(&after_draws, question.wanted),
        mulligans,
        turns,
    })
}

/// The size of the opening hand that the question or the manifest names.
pub(super) fn hand_size(asked: Option<u32>, play: Option<&PlayRules>) -> Result<u32, OddsError> {
    asked
        .or_else(|| play.and_then(|play| play.hand_size))
        .ok_or(OddsError::NotSaid { key: "hand_size" })
}
