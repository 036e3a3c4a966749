//! The effect of a trade on the decks of one of its players.

/// Most decks in a response.
pub const MAX_DECKS_LISTED: usize = 100;

/// Most entries of all decks in a response together.
pub const MAX_ENTRIES_LISTED: usize = 10_000;

/// Copies of a card, before a trade and after it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BeforeAndAfter {
    /// Copies before the trade.
    pub before: u64,
    /// Copies after the trade.
    pub after: u64,
}

/// The effect of a trade on a card of a deck.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CardEffect {
    /// Copies that are missing now and will not be missing after the trade.
    pub closes: u64,
    /// Copies that are not missing now and will be missing after the trade.
    pub opens: u64,
    /// Copies that are reserved for the deck now and would be given away.
    pub unreserves: u64,
}

impl CardEffect {
    /// The effect on a deck that needs `needed` copies of a card, from the owned copies and the copies that are reserved for the deck.
    ///
    /// ```
    /// use cardscape::domain::decks::trade_effect::{BeforeAndAfter, CardEffect};
    /// let effect = CardEffect::of(3, BeforeAndAfter { before: 1, after: 4 }, BeforeAndAfter::default());
    /// assert_eq!(effect, CardEffect { closes: 2, opens: 0, unreserves: 0 });
    /// let effect = CardEffect::of(1, BeforeAndAfter { before: 2, after: 1 }, BeforeAndAfter { before: 2, after: 1 });
    /// assert_eq!(effect, CardEffect { closes: 0, opens: 0, unreserves: 1 });
    /// ```
    pub fn of(needed: u64, owned: BeforeAndAfter, reserved: BeforeAndAfter) -> Self {
        let missing_now = needed.saturating_sub(owned.before);
        let missing_after = needed.saturating_sub(owned.after);
        Self {
            closes: missing_now.saturating_sub(missing_after),
            opens: missing_after.saturating_sub(missing_now),
            unreserves: reserved.before.saturating_sub(reserved.after),
        }
    }

    /// Whether the trade has no effect on the card.
    pub fn is_none(self) -> bool {
        self == Self::default()
    }

    /// The size of the effect: copies that are no longer missing, newly missing, or no longer reserved. A copy that is both newly missing and no longer
    /// reserved counts once.
    pub fn weight(self) -> u64 {
        self.closes + self.opens.max(self.unreserves)
    }
}
