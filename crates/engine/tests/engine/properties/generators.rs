//! Decks of every shipped game: legal ones, in all ways to write lists, and random ones.

use std::sync::{Arc, LazyLock};

use cardscape_engine::{
    CardDefinition, CardReference, Catalogue, Deck, DeckEntry, Format, validate,
};
use proptest::prelude::*;
use proptest::sample::Index;

use crate::support::{GAMES, shipped};

/// Every format of every game, once for each variant.
pub static FORMATS: LazyLock<Vec<(&'static str, Format)>> = LazyLock::new(|| {
    let mut found = Vec::new();
    for game in GAMES {
        for format in shipped(game).game().formats() {
            found.push((game, format.clone()));
            for variant in format.variants.iter().filter(|variant| !variant.default) {
                found.push((game, format.with_variant(&variant.code).unwrap()));
            }
        }
    }
    found
});

/// Text that looks a little like what the engine reads.
pub fn words() -> impl Strategy<Value = String> {
    prop_oneof![any::<String>(), "[ -~]{0,24}", "[0-9x({*\\[\"\\\\ \n\r#:/a-c]{0,16}"]
}

/// A legal deck: cards of the shipped pool with their copies, and random numbers for the way that the list is written.
#[derive(Debug, Clone)]
pub struct Legal {
    pub game: &'static str,
    pub format: Format,
    /// Position in the pool, and copies.
    pub cards: Vec<(usize, u32)>,
    chance: Vec<u32>,
}

impl Legal {
    pub fn pool(&self) -> Arc<Catalogue> {
        shipped(self.game)
    }

    pub fn total(&self) -> u32 {
        self.cards.iter().map(|(_, copies)| copies).sum()
    }

    /// The deck, as somebody may have written it: spellings, printings, zones and split lines vary.
    pub fn deck(&self) -> Deck {
        self.written(&self.cards)
    }

    /// Other cards, written in the same way as this deck.
    pub fn written(&self, cards: &[(usize, u32)]) -> Deck {
        let pool = self.pool();
        let mut chance = self.chance.iter().copied().cycle();
        let mut entries = Vec::new();
        for (at, copies) in cards.iter().filter(|(_, copies)| *copies > 0) {
            let card = pool.iter().nth(*at).unwrap();
            let mut rest = *copies;
            while rest > 0 {
                let quantity = 1 + chance.next().unwrap() % rest;
                rest -= quantity;
                let zone = ["main", "main", "MAIN", "deck", "Deck"];
                let zone = zone[chance.next().unwrap() as usize % zone.len()].to_owned();
                let card = spelled(&card.set, &card.definition, chance.next().unwrap());
                entries.push(DeckEntry { zone, card, ..DeckEntry::main(quantity, "") });
            }
        }
        let turn = chance.next().unwrap() as usize % entries.len().max(1);
        entries.rotate_left(turn);
        Deck { entries }
    }
}

/// One of the ways to name a card.
pub fn spelled(set: &str, card: &CardDefinition, chance: u32) -> CardReference {
    let named = CardReference::named(&card.name);
    let (set, number) = (Some(set.to_owned()), Some(card.number.clone()));
    match chance % 8 {
        0 => CardReference::named(card.name.to_uppercase()),
        1 => CardReference::named(format!(" {}! ", card.name.replace(' ', "  "))),
        2 => CardReference { set, ..named },
        3 => CardReference { set: set.map(|set| set.to_uppercase()), number, ..named },
        4 => CardReference { name: String::new(), set, number, rarity: None },
        5 | 6 if !card.printings.is_empty() => {
            let at = chance as usize / 8 % card.printings.len();
            CardReference { rarity: Some(card.printings[at].rarity.clone()), ..named }
        }
        _ => named,
    }
}

/// Maximum number of copies of a card in a constructed deck, by the rulebooks.
pub fn copies_allowed(game: &str, card: &CardDefinition) -> u32 {
    match (game, card.attributes.get("stage").and_then(|stage| stage.as_str())) {
        ("ttcg", _) => 2,
        (_, Some("basicmoji")) => 4,
        (_, Some("supermoji")) => 3,
        (_, Some("ultramoji")) => 2,
        _ => 1,
    }
}

/// The sizes of constructed decks, by the rulebooks; `None`: a box.
pub fn sizes(game: &str) -> Option<(u32, u32)> {
    match game {
        "ttcg" => Some((50, 70)),
        "emoji-tcg" => Some((40, 40)),
        _ => None,
    }
}

/// What belongs in a box: each card of the pool, with its copies. The report on an empty box lists all that it lacks.
pub fn box_contents(game: &str, format: &Format) -> Vec<(usize, u32)> {
    let pool = shipped(game);
    let lacking = validate(&Deck::default(), &pool, format).violations;
    lacking
        .iter()
        .filter_map(|violation| {
            let card = violation.cards.first()?;
            let at = pool.iter().position(|known| known.definition.name == card.name).unwrap();
            Some((at, u32::try_from(violation.limit?).unwrap()))
        })
        .collect()
}

/// The cards of the pool that may be in decks.
pub fn playable(game: &str) -> Vec<usize> {
    let pool = shipped(game);
    let playable = pool.iter().enumerate().filter(|(_, card)| card.definition.kind != "lore");
    playable.map(|(at, _)| at).collect()
}

/// Legal decks of one format.
fn legal_in(game: &'static str, format: Format) -> BoxedStrategy<Legal> {
    let handwriting = proptest::collection::vec(any::<u32>(), 40..90);
    let Some((min, max)) = sizes(game) else {
        let cards = Just(box_contents(game, &format)).prop_shuffle();
        return (cards, handwriting)
            .prop_map(move |(cards, chance)| Legal { game, format: format.clone(), cards, chance })
            .boxed();
    };
    let order = Just(playable(game)).prop_shuffle();
    (order, min..=max, handwriting)
        .prop_map(move |(order, size, chance)| {
            let pool = shipped(game);
            let mut left = size;
            let mut cards = Vec::new();
            for (at, chance) in order.into_iter().zip(chance.iter().cycle()) {
                let card = &pool.iter().nth(at).unwrap().definition;
                let copies = (1 + chance % copies_allowed(game, card)).min(left);
                left -= copies;
                if copies > 0 {
                    cards.push((at, copies));
                }
            }
            assert_eq!(left, 0, "the pool of {game} is large enough");
            Legal { game, format: format.clone(), cards, chance }
        })
        .boxed()
}

/// Legal decks of all games, formats and variants.
pub fn legal() -> impl Strategy<Value = Legal> {
    let all = FORMATS.iter().map(|(game, format)| legal_in(game, format.clone()));
    proptest::strategy::Union::new(all)
}

/// References to real cards, near misses and noise.
fn references(game: &'static str) -> impl Strategy<Value = CardReference> {
    let pool = shipped(game);
    let sets: Vec<String> = pool.iter().map(|card| card.set.clone()).collect();
    let numbers: Vec<String> = pool.iter().map(|card| card.definition.number.clone()).collect();
    let rarities: Vec<String> =
        pool.game().rarities().iter().map(|rarity| rarity.code.clone()).collect();
    let some = |known: Vec<String>| {
        proptest::option::weighted(0.2, prop_oneof![words(), proptest::sample::select(known)])
    };
    let real = (any::<Index>(), any::<u32>()).prop_map(move |(at, chance)| {
        let card = at.get(&pool.iter().collect::<Vec<_>>()).to_owned().clone();
        spelled(&card.set, &card.definition, chance)
    });
    let wild = (words(), some(sets), some(numbers), some(rarities))
        .prop_map(|(name, set, number, rarity)| CardReference { name, set, number, rarity })
        .boxed();
    let mixed = (real.clone(), wild.clone()).prop_map(|(real, wild)| CardReference {
        set: wild.set.or(real.set),
        number: wild.number.or(real.number),
        rarity: wild.rarity.or(real.rarity),
        ..real
    });
    prop_oneof![6 => real, 2 => mixed, 1 => wild]
}

/// Any deck.
fn wild_decks(game: &'static str) -> impl Strategy<Value = Deck> {
    let zones = prop_oneof![6 => Just("main".to_owned()), 1 => words()];
    let quantities = prop_oneof![8 => 0_u32..5, 1 => any::<u32>()];
    let entry = (zones, quantities, references(game)).prop_map(|(zone, quantity, card)| {
        DeckEntry { zone, card, ..DeckEntry::main(quantity, "") }
    });
    proptest::collection::vec(entry, 0..40).prop_map(|entries| Deck { entries })
}

/// A format and any deck for it.
pub fn judged() -> impl Strategy<Value = (&'static str, Format, Deck)> {
    let all = FORMATS.iter().map(|(game, format)| {
        let format = format.clone();
        wild_decks(game).prop_map(move |deck| (*game, format.clone(), deck)).boxed()
    });
    proptest::strategy::Union::new(all)
}
