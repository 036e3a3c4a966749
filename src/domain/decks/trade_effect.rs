//! What a trade does to the decks of a player who agrees to it.

/// Most decks that are told.
pub const MAX_DECKS_TOLD: usize = 100;

/// Most entries of all decks that are told together.
pub const MAX_ENTRIES_TOLD: usize = 10_000;

/// Copies of a card, before a trade and after it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BeforeAndAfter {
    /// Before.
    pub now: u64,
    /// After.
    pub after: u64,
}

/// What a trade does to a card of a deck.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CardEffect {
    /// Copies that are missing now, and not after it.
    pub closes: u64,
    /// Copies that are missing after it, and not now.
    pub opens: u64,
    /// Copies that are set aside for the deck now, and given away.
    pub unreserves: u64,
}

impl CardEffect {
    /// The effect on a deck that needs so many of a card: by what is owned, and what is reserved for the deck.
    ///
    /// ```
    /// use cardscape::domain::decks::trade_effect::{BeforeAndAfter, CardEffect};
    /// let effect = CardEffect::of(3, BeforeAndAfter { now: 1, after: 4 }, BeforeAndAfter::default());
    /// assert_eq!(effect, CardEffect { closes: 2, opens: 0, unreserves: 0 });
    /// let effect = CardEffect::of(1, BeforeAndAfter { now: 2, after: 1 }, BeforeAndAfter { now: 2, after: 1 });
    /// assert_eq!(effect, CardEffect { closes: 0, opens: 0, unreserves: 1 });
    /// ```
    pub fn of(needed: u64, owned: BeforeAndAfter, reserved: BeforeAndAfter) -> Self {
        let missing_now = needed.saturating_sub(owned.now);
        let missing_after = needed.saturating_sub(owned.after);
        Self {
            closes: missing_now.saturating_sub(missing_after),
            opens: missing_after.saturating_sub(missing_now),
            unreserves: reserved.now.saturating_sub(reserved.after),
        }
    }

    /// Whether it does nothing.
    pub fn is_none(self) -> bool {
        self == Self::default()
    }

    /// How much it does: copies that it closes, opens or takes from what is reserved. A copy that is both missed and no longer reserved counts once.
    pub fn weight(self) -> u64 {
        self.closes + self.opens.max(self.unreserves)
    }
}
