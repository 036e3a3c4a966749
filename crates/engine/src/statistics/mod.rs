//! Statistics of decks: counts and curves, chains that lack their beginning, odds of draws, sample hands.
//!
//! Pure, like the whole engine: all randomness comes from a seed. `docs/DECK_STATISTICS.md` has the formulas and an example.

mod chain;
mod curve;
mod deck_statistics;
mod distribution;
mod draw_odds;
mod draw_target;
mod hypergeometric;
mod match_count;
mod meaning;
mod mulligan_odds;
mod odds_error;
mod probability;
mod sample_hand;
mod turn_odds;

pub use chain::{UnreachableCards, UnreachableReason, unreachable_cards};
pub use curve::{CurveBar, NumberSummary};
pub use deck_statistics::{DeckStatistics, ZoneStatistics, deck_statistics};
pub use distribution::{Distribution, OtherValues, Share, ValueShare};
pub use draw_odds::{CountChance, DrawOdds, DrawQuestion, HandOdds, draw_odds};
pub use draw_target::{DrawPopulation, DrawTarget};
pub use hypergeometric::Hypergeometric;
pub use match_count::MatchCount;
pub use mulligan_odds::MulliganHand;
pub use odds_error::OddsError;
pub use probability::{Fraction, Probability};
pub use sample_hand::{SampleCard, SampleHand, sample_hand};
pub use turn_odds::{TurnChance, TurnOdds};
