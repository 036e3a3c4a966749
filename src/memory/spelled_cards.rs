//! Open cards by their names, written as the cards have them. Most lines of most lists write a name so: such a card is found with one look-up, in front of the names
//! of all cards and of the cache of prepared cards, and without normalising the name.

use std::sync::{Arc, PoisonError, RwLock, Weak};

use cardscape_engine::{Game, PreparedCard};
use xxhash_rust::xxh3::xxh3_64;

use super::caches::Ticket;
use crate::search::index::Snapshot;

/// There is one slot for so many bytes of the cache of prepared cards: more slots than it has cards, because two names may need the same slot.
const BYTES_PER_SLOT: u64 = 1024;

/// The state in which a card is the only open card with its name: the snapshot of all cards, and the ticket of the cache of prepared cards, which was taken before
/// the name was looked up. In another state the name may mean another card, or the card may have changed or be hidden.
#[derive(Clone, Copy)]
pub(crate) struct NameState<'a> {
    pub(crate) cards: &'a Arc<Snapshot>,
    pub(crate) ticket: Ticket,
}

/// Open cards by their names, in games whose names are unique. It owns no card: those that the cache of prepared cards dropped are not found.
pub(crate) struct SpelledCards {
    now: RwLock<Slots>,
    /// A power of two.
    count: usize,
}

struct Slots {
    /// The state of these cards.
    state: Option<(Weak<Snapshot>, Ticket)>,
    /// Empty until the first card is added.
    places: Vec<Slot>,
}

#[derive(Clone, Default)]
struct Slot {
    /// Hash of the name.
    hash: u64,
    card: Weak<PreparedCard>,
}

impl SpelledCards {
    /// Slots for the cards of a cache of `bytes` bytes.
    pub(crate) fn new(bytes: u64) -> Self {
        let count = usize::try_from(bytes / BYTES_PER_SLOT).unwrap_or_default();
        let now = RwLock::new(Slots { state: None, places: Vec::new() });
        Self { now, count: count.next_power_of_two() }
    }

    /// The cards with these names, and the names of which no card is known in this state.
    pub(crate) fn find<'n>(
        &self,
        state: NameState<'_>,
        game: &Game,
        names: impl IntoIterator<Item = &'n str>,
    ) -> (Vec<Arc<PreparedCard>>, Vec<&'n str>) {
        let slots = self.now.read().unwrap_or_else(PoisonError::into_inner);
        let (mut found, mut others) = (Vec::new(), Vec::new());
        let is_of_state = slots.is_of(state);
        for name in names {
            match is_of_state.then(|| slots.find(game, name)).flatten() {
                Some(card) => found.push(card),
                None => others.push(name),
            }
        }
        (found, others)
    }

    /// Adds cards, each of which is the only open card with its name in this state.
    pub(crate) fn insert(&self, state: NameState<'_>, cards: &[Arc<PreparedCard>]) {
        if cards.is_empty() {
            return;
        }
        let mut slots = self.now.write().unwrap_or_else(PoisonError::into_inner);
        if !slots.is_of(state) {
            slots.state = Some((Arc::downgrade(state.cards), state.ticket));
            // Cleared, because a card that was dropped occupies memory as long as a slot refers to it.
            slots.places.clear();
            slots.places.resize(self.count, Slot::default());
        }
        for card in cards {
            let hash = xxh3_64(card.card().definition.name.as_bytes());
            let at = slots.place(hash);
            slots.places[at] = Slot { hash, card: Arc::downgrade(card) };
        }
    }
}

impl Slots {
    fn is_of(&self, state: NameState<'_>) -> bool {
        self.state.as_ref().is_some_and(|(cards, ticket)| {
            std::ptr::eq(cards.as_ptr(), Arc::as_ptr(state.cards)) && *ticket == state.ticket
        })
    }

    /// The place of a name; there are slots.
    fn place(&self, hash: u64) -> usize {
        let low = usize::try_from(hash & u64::from(u32::MAX)).unwrap_or_default();
        low & (self.places.len() - 1)
    }

    fn find(&self, game: &Game, name: &str) -> Option<Arc<PreparedCard>> {
        let hash = xxh3_64(name.as_bytes());
        let slot = &self.places[self.place(hash)];
        if slot.hash != hash {
            return None;
        }
        let card = slot.card.upgrade()?;
        (card.is_for(game) && card.card().definition.name == name).then_some(card)
    }
}

#[cfg(test)]
mod tests {
    use cardscape_engine::{Attributes, CardDefinition, PoolCard};
    use uuid::Uuid;

    use super::*;
    use crate::domain::ids::CardId;
    use crate::memory::caches::DroppingCache;

    fn game(version: &str) -> Game {
        Game::from_toml(&format!(
            "code = \"pond\"\nname = \"Pond\"\nrules_version = \"{version}\"\n\
             [[kinds]]\ncode = \"fish\"\nname = \"Fish\"\n"
        ))
        .unwrap()
    }

    fn prepared(game: &Game, name: &str) -> Arc<PreparedCard> {
        let definition = CardDefinition {
            number: "1".to_owned(),
            name: name.to_owned(),
            kind: "fish".to_owned(),
            attributes: Attributes::default(),
            effects: Vec::new(),
            lore: None,
            printings: Vec::new(),
        };
        let (key, set) = (name.to_owned(), "s".to_owned());
        PreparedCard::new(game, PoolCard { key, set, released_on: None, definition }).into()
    }

    #[test]
    fn cards_are_found_by_their_spelling_in_the_state_in_which_they_were_added() {
        let (cards, before) = (SpelledCards::new(1 << 20), game("1"));
        let cache: DroppingCache<CardId, u8> = DroppingCache::new(1 << 20, |_, _| 1);
        let (all, later) = (Arc::new(Snapshot::default()), Arc::new(Snapshot::default()));
        let state = NameState { cards: &all, ticket: cache.ticket() };
        let found = |state: NameState<'_>, game: &Game| -> (usize, Vec<&'static str>) {
            let (found, others) = cards.find(state, game, ["Pike", "pike", "Carp"]);
            assert!(found.iter().all(|card| card.card().definition.name == "Pike"));
            (found.len(), others)
        };
        let none = (0, vec!["Pike", "pike", "Carp"]);
        assert_eq!(found(state, &before), none);
        let pike = prepared(&before, "Pike");
        cards.insert(state, std::slice::from_ref(&pike));
        assert_eq!(found(state, &before), (1, vec!["pike", "Carp"]));
        assert_eq!(found(state, &game("2")), none, "it was prepared for another manifest");
        assert_eq!(found(NameState { cards: &later, ..state }, &before), none, "cards changed");
        cache.forget(&[CardId(Uuid::from_u128(1))]);
        let after = NameState { ticket: cache.ticket(), ..state };
        assert_eq!(found(after, &before), none, "a prepared card was dropped");
        cards.insert(after, std::slice::from_ref(&pike));
        assert_eq!(found(after, &before), (1, vec!["pike", "Carp"]));
        assert_eq!(found(state, &before), none, "the state is over");
        drop(pike);
        assert_eq!(found(after, &before), none, "no one has the card any more");
    }
}
