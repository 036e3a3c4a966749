//! The effects of open cards, for comparison with other cards. An entry is dropped when the change feed names its card.

use std::sync::Arc;

use super::caches::DroppingCache;
use crate::domain::ids::CardId;
use crate::store::catalogue::changes::ChangeBatch;

/// Size of a card without its texts, in bytes.
const CARD: usize = 220;

/// The values of an open card that a response about equivalent effects contains.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct KnownEffects {
    /// Hash of kind and effects without their numbers; `None`: it has no effects.
    pub(crate) key: Option<[u8; 16]>,
    /// Code of its set.
    pub(crate) set: String,
    pub(crate) number: String,
    pub(crate) name: String,
}

/// A cache of the effects of open cards.
pub struct CardEffects {
    pub(crate) cards: DroppingCache<CardId, Arc<KnownEffects>>,
}

impl CardEffects {
    /// A cache of `bytes` bytes.
    pub fn new(bytes: u64) -> Self {
        let weigh = |_: &CardId, card: &Arc<KnownEffects>| {
            CARD + card.set.len() + card.number.len() + card.name.len()
        };
        Self { cards: DroppingCache::new(bytes, weigh) }
    }

    /// Drops the cards that a batch of changes names.
    pub(crate) fn apply(&self, batch: &ChangeBatch) {
        self.cards.apply(batch, false);
    }

    /// Drops everything.
    pub fn forget(&self) {
        self.cards.forget_all();
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    #[test]
    fn changed_cards_are_dropped_and_all_cards_when_one_was_moved() {
        let effects = CardEffects::new(1 << 20);
        let known = |name: &str| {
            let (set, number) = ("s".to_owned(), "1".to_owned());
            Arc::new(KnownEffects { key: None, set, number, name: name.to_owned() })
        };
        let (one, other) = (CardId(Uuid::from_u128(1)), CardId(Uuid::from_u128(2)));
        effects.cards.insert(effects.cards.ticket(), one, known("Pike"));
        effects.cards.insert(effects.cards.ticket(), other, known("Carp"));
        effects.apply(&ChangeBatch { cards: vec![one], ..ChangeBatch::default() });
        assert!(effects.cards.find(&one).is_none());
        assert_eq!(effects.cards.find(&other).unwrap().name, "Carp");
        effects.apply(&ChangeBatch { some_went: true, ..ChangeBatch::default() });
        assert!(effects.cards.find(&other).is_none());
    }
}
