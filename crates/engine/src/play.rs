//! What a manifest says about hands and draws, as far as statistics of decks need it.

use serde::Serialize;

/// How many cards a player draws, and when. What the rulebook does not say is absent: nothing is assumed for it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct PlayRules {
    /// Cards of the opening hand, from 1 to [`HAND_SIZE_MAX`](Self::HAND_SIZE_MAX).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hand_size: Option<u32>,
    /// Cards that a player draws by rule in each turn (or round), from 1 to [`DRAWS_PER_TURN_MAX`](Self::DRAWS_PER_TURN_MAX). Absent also
    /// where the number depends on what happens in play.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub draws_per_turn: Option<u32>,
    /// Whether the player who goes first draws in the first turn, too.
    pub first_player_draws: bool,
    /// How a player may change the opening hand.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mulligan: Option<Mulligan>,
}

/// How a player may change an opening hand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Mulligan {
    /// There is no mulligan.
    None,
    /// The whole hand is shuffled into the deck, and another is drawn.
    Redraw {
        /// How many times, from 1 to [`PlayRules::MULLIGANS_MAX`].
        times: u32,
        /// How many cards fewer are drawn for each new hand than for the one before, down to 0.
        fewer: u32,
        /// How many cards of the new hand the player chooses and puts at the bottom of the deck, multiplied by the number of mulligans so far; at
        /// most the whole hand.
        put_back: u32,
    },
}

impl PlayRules {
    /// Maximum number of cards of an opening hand in a manifest.
    pub const HAND_SIZE_MAX: u32 = 100;
    /// Maximum number of draws per turn in a manifest.
    pub const DRAWS_PER_TURN_MAX: u32 = 100;
    /// Maximum number of mulligans in a manifest.
    pub const MULLIGANS_MAX: u32 = 20;
}

impl Mulligan {
    /// How many times a player may change the hand; 0 if there is no mulligan.
    pub fn times(self) -> u32 {
        match self {
            Self::None => 0,
            Self::Redraw { times, .. } => times,
        }
    }

    /// The number of cards drawn for the hand after these mulligans, and how many of them are put back.
    pub(crate) fn hand_after(self, mulligans: u32, hand_size: u32) -> (u32, u32) {
        match self {
            Self::None => (hand_size, 0),
            Self::Redraw { fewer, put_back, .. } => {
                let drawn = hand_size.saturating_sub(fewer.saturating_mul(mulligans));
                (drawn, put_back.saturating_mul(mulligans))
            }
        }
    }
}
