//! Caches of the data with which decks are judged: open cards, prepared for the engine, and the sets of each game.
//! Values are shared, not copied, and dropped when the change feed names them.

use std::sync::Arc;

use cardscape_engine::{Attributes, Game, KnownSets, PreparedCard};
use metrics::Counter;
use serde_json::Value;

use super::caches::DroppingCache;
pub(crate) use super::spelled_cards::NameState;
use super::spelled_cards::SpelledCards;
use crate::domain::ids::CardId;
use crate::store::catalogue::changes::ChangeBatch;

/// Size of a card without its texts, printings and attributes, in bytes: the structures, its short codes and keys, and its entry in the cache.
const CARD: usize = 800;
/// Size of a printing without its attributes, in bytes, with the code of its rarity.
const PRINTING: usize = 96;
/// Size of an attribute, in bytes; the game has its code.
const ATTRIBUTE: usize = size_of::<(Arc<str>, Value)>();
/// Most that an allocation takes in addition, in bytes.
const ALLOCATION: usize = 16;
/// Size of a game's sets without their codes and names, in bytes.
const SETS: usize = 300;
/// The sets of games may take this part of the memory for cards, in addition: one sixteenth of the memory for answers about cards.
const SETS_SHARE: u64 = 24;

/// Memory for these cards beside a cache of answers about cards of `answers` bytes. With the default, 20,000 cards of six printings have space.
pub const fn memory_beside(answers: u64) -> u64 {
    answers / 2 * 3
}

/// Open cards that are prepared for judging decks, and the sets of each game.
pub struct DeckCards {
    pub(crate) cards: DroppingCache<CardId, Arc<PreparedCard>>,
    /// Some of these cards, by name.
    pub(crate) spelled: SpelledCards,
    /// By code of the game.
    pub(crate) sets: DroppingCache<String, Arc<KnownSets>>,
    pub(crate) hits: Counter,
    pub(crate) misses: Counter,
}

impl DeckCards {
    /// A cache of `bytes` bytes for cards.
    pub fn new(bytes: u64) -> Self {
        let weigh_sets = |_: &String, sets: &Arc<KnownSets>| sets.weight() + SETS;
        Self {
            sets: DroppingCache::new(bytes / SETS_SHARE, weigh_sets),
            spelled: SpelledCards::new(bytes),
            cards: DroppingCache::new(bytes, |_, card: &Arc<PreparedCard>| weight_of(card)),
            hits: metrics::counter!("deck_card_hits_total"),
            misses: metrics::counter!("deck_card_misses_total"),
        }
    }

    /// The card, if it is cached and was prepared for this game's manifest.
    pub(crate) fn find(&self, game: &Game, card: CardId) -> Option<Arc<PreparedCard>> {
        self.cards.find(&card).filter(|card| card.is_for(game))
    }

    /// Drops the cards that a batch of changes names, and the sets if they may have changed.
    pub(crate) fn apply(&self, batch: &ChangeBatch) {
        if batch.is_broken || batch.sets_may_differ {
            self.forget_sets();
        }
        // A prepared card contains the release day of its set.
        self.cards.apply(batch, !batch.sets.is_empty());
    }

    /// Drops everything.
    pub fn forget(&self) {
        self.cards.forget_all();
        self.forget_sets();
    }

    /// Drops the sets; called after a change of sets or of their cards.
    pub(crate) fn forget_sets(&self) {
        self.sets.forget_all();
    }

    /// Updates the metric of the size of the cards.
    pub fn measure(&self) {
        let bytes = self.cards.bytes();
        metrics::gauge!("deck_card_bytes").set(f64::from(u32::try_from(bytes).unwrap_or(u32::MAX)));
    }
}

fn weight_of(card: &PreparedCard) -> usize {
    let definition = &card.card().definition;
    let printings = definition.printings.iter();
    let own: usize = printings.map(|own| PRINTING + weight_of_all(&own.attributes)).sum();
    // The name is stored three times: as written, and in two keys.
    CARD + 3 * definition.name.len() + weight_of_all(&definition.attributes) + own
}

fn weight_of_all(attributes: &Attributes) -> usize {
    attributes.values().map(|value| ATTRIBUTE + weight_beyond(value)).sum()
}

/// What a value takes outside its own structure.
fn weight_beyond(value: &Value) -> usize {
    match value {
        Value::Null | Value::Bool(_) | Value::Number(_) => 0,
        Value::String(text) => ALLOCATION + text.len(),
        Value::Array(values) => {
            let each = values.iter().map(|value| size_of::<Value>() + weight_beyond(value));
            ALLOCATION + each.sum::<usize>()
        }
        Value::Object(members) => members
            .iter()
            .map(|(name, value)| 2 * (ATTRIBUTE + ALLOCATION + name.len()) + weight_beyond(value))
            .sum(),
    }
}

#[cfg(test)]
mod tests {
    use cardscape_engine::{CardDefinition, PoolCard, PrintingDefinition};

    use uuid::Uuid;

    use super::*;

    fn game(version: &str) -> Game {
        Game::from_toml(&format!(
            "code = \"pond\"\nname = \"Pond\"\nrules_version = \"{version}\"\n\
             [[kinds]]\ncode = \"fish\"\nname = \"Fish\"\n"
        ))
        .unwrap()
    }

    fn definition(name: &str) -> CardDefinition {
        CardDefinition {
            number: "1".to_owned(),
            name: name.to_owned(),
            kind: "fish".to_owned(),
            attributes: Attributes::default(),
            effects: Vec::new(),
            lore: None,
            printings: Vec::new(),
        }
    }

    fn prepared_from(game: &Game, definition: CardDefinition) -> Arc<PreparedCard> {
        let (key, set) = (definition.name.clone(), "s".to_owned());
        PreparedCard::new(game, PoolCard { key, set, released_on: None, definition }).into()
    }

    fn prepared(game: &Game, name: &str) -> Arc<PreparedCard> {
        prepared_from(game, definition(name))
    }

    #[test]
    fn changed_cards_are_dropped_and_earlier_reads_are_not_cached() {
        let (cards, game) = (DeckCards::new(1 << 20), game("1"));
        let (one, other) = (CardId(Uuid::from_u128(1)), CardId(Uuid::from_u128(2)));
        let early = cards.cards.ticket();
        cards.cards.insert(early, one, prepared(&game, "Pike"));
        cards.cards.insert(early, other, prepared(&game, "Carp"));
        assert_eq!(cards.find(&game, one).unwrap().card().key, "Pike");
        cards.apply(&ChangeBatch { cards: vec![one], ..ChangeBatch::default() });
        assert!(cards.find(&game, one).is_none());
        assert!(cards.find(&game, other).is_some());
        cards.cards.insert(early, one, prepared(&game, "Pike"));
        assert!(cards.find(&game, one).is_none(), "the card was read before the change");
        cards.apply(&ChangeBatch::default());
        cards.cards.insert(cards.cards.ticket(), one, prepared(&game, "Pike"));
        assert!(cards.find(&game, one).is_some());
        let set = ("pond".to_owned(), "s".to_owned());
        cards.apply(&ChangeBatch { sets: vec![set], ..ChangeBatch::default() });
        assert!(cards.find(&game, one).is_none() && cards.find(&game, other).is_none());
    }

    #[test]
    fn sets_are_dropped_when_they_may_differ_and_not_by_unlocks() {
        let cards = DeckCards::new(1 << 20);
        let keep = || {
            cards.sets.insert(
                cards.sets.ticket(),
                "pond".to_owned(),
                Arc::new(KnownSets::default()),
            );
        };
        let is_kept = || cards.sets.find("pond").is_some();
        keep();
        let unlocked = vec![CardId(Uuid::from_u128(1))];
        cards.apply(&ChangeBatch { cards: unlocked, ..ChangeBatch::default() });
        assert!(is_kept());
        cards.apply(&ChangeBatch { sets_may_differ: true, ..ChangeBatch::default() });
        assert!(!is_kept());
        keep();
        cards.apply(&ChangeBatch { is_broken: true, ..ChangeBatch::default() });
        assert!(!is_kept());
    }

    #[test]
    fn cards_prepared_for_another_manifest_are_not_found() {
        let (cards, before, after) = (DeckCards::new(1 << 20), game("1"), game("2"));
        let one = CardId(Uuid::from_u128(1));
        cards.cards.insert(cards.cards.ticket(), one, prepared(&before, "Pike"));
        assert!(cards.find(&after, one).is_none());
        assert!(cards.find(&before, one).is_some());
    }

    #[test]
    fn default_memory_has_space_for_twenty_thousand_cards_of_six_printings() {
        let game = game("1");
        let own = |rarity: &str| PrintingDefinition {
            rarity: rarity.to_owned(),
            attributes: [("attack", 1_940.into()), ("defense", 2_310.into())].into_iter().collect(),
        };
        let rarities = ["common", "uncommon", "rare", "ultra_rare", "mythic_rare", "primal_rare"];
        let mut definition = definition("The Hollow Stone of Patisava");
        definition.attributes.insert("type", "earth".into());
        definition.attributes.insert("subtypes", vec!["ghost", "warrior"].into());
        for code in ["rank", "attack", "defense"] {
            definition.attributes.insert(code, 70.into());
        }
        definition.printings = rarities.map(own).into();
        let weight = u64::try_from(weight_of(&prepared_from(&game, definition))).unwrap();
        assert!(weight * 20_000 <= memory_beside(32 << 20), "{weight} bytes each");
    }

    #[test]
    fn memory_is_bounded() {
        let (cards, game) = (DeckCards::new(50_000), game("1"));
        for id in 0..1_000 {
            cards.cards.insert(
                cards.cards.ticket(),
                CardId(Uuid::from_u128(id)),
                prepared(&game, "Pike"),
            );
        }
        assert!((1..=50_000).contains(&cards.cards.bytes()));
    }
}
