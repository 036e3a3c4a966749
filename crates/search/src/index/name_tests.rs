//! Compares searches for similar names with a scan of all cards. The names are random, but many are similar to each
//! other, and many to the same degree.

use std::collections::BTreeMap;

use cardscape_engine::rng::{RandomNumbers as _, SplitMix64};
use cardscape_engine::search_key;
use proptest::prelude::*;
use serde_json::Map;

use super::names::{self, MAX_ALIKE, is_shared_enough};
use super::*;
use crate::{Words, words};

/// A random generator that returns the same numbers for the same seed.
struct Random(SplitMix64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        usize::try_from(self.0.below_by_product(end as u64)).unwrap()
    }

    fn one_in(&mut self, many: usize) -> bool {
        self.below(many) == 0
    }

    fn of<T: Copy>(&mut self, list: &[T]) -> T {
        list[self.below(list.len())]
    }
}

/// Parts of names in several scripts. Some are the beginning of others, are contained in others, or look like others.
const PARTS: &[&str] = &[
    "a",
    "ab",
    "abc",
    "ox",
    "fox",
    "foxes",
    "foxfire",
    "ember",
    "Ernber",
    "éclair",
    "Eclair",
    "Ångström",
    "ящик",
    "狐",
    "きつね",
    "狐火",
    "ﬁre",
    "fire",
    "🔥",
    "x-ray",
    "x ray",
    "12",
    "+1",
    "nobody’s",
    "lantern",
    "lanterns",
    "tern",
    "antenna",
    "aaaa",
    "aaaaaaaa",
    "lan",
    "ﷺ",
];
/// Names from so few parts often have the same key, or are similar to the same degree.
const FEW_PARTS: usize = 7;
const GAMES: &[&str] = &["aa", "ab", "b"];
const SETS: &[&str] = &["one", "two", "x"];

/// A random name from the first `parts` of [`PARTS`].
fn name(random: &mut Random, parts: usize) -> String {
    let many = 1 + random.below(3);
    let between = random.of(&[" ", " ", " ", "", ", "]);
    let chosen: Vec<&str> = (0..many).map(|_| random.of(&PARTS[..parts])).collect();
    let mut name = chosen.join(between);
    if parts > FEW_PARTS && random.one_in(5) {
        let letters = name.chars().count();
        let at = random.below(letters);
        name = name.chars().enumerate().filter(|(own, _)| *own != at).map(|(_, one)| one).collect();
    }
    if name.is_empty() { "???".to_owned() } else { name }
}

fn card(id: u128, random: &mut Random, parts: usize) -> CardRecord {
    let name = name(random, parts);
    let is_hidden = random.one_in(9);
    let content = CardContent {
        kind: "unit".to_owned(),
        attributes: Map::new(),
        effects: Vec::new(),
        has_lore: false,
        words: Words::of(&name, &[], None, &Map::new()),
        printings: Vec::new(),
        name,
    };
    CardRecord {
        id,
        game: random.of(GAMES).to_owned(),
        set: random.of(SETS).to_owned(),
        // Sometimes two cards have the same place.
        number: format!("{:02}", random.below(60)),
        unlock: if is_hidden { Unlock::Hidden } else { Unlock::Never },
        content: (!is_hidden).then_some(content),
    }
}

fn query(random: &mut Random, cards: &BTreeMap<u128, CardRecord>, parts: usize) -> NameQuery {
    let known: Vec<&CardRecord> = cards.values().filter(|card| card.content.is_some()).collect();
    let mut typed = match known.len() {
        many if many > 0 && random.one_in(2) => {
            known[random.below(many)].content.as_ref().unwrap().name.clone()
        }
        _ => name(random, parts),
    };
    if random.one_in(4) {
        let letters = 1 + random.below(3);
        typed = typed.chars().take(letters).collect();
    }
    let typed_words = if random.one_in(4) { Vec::new() } else { words(&typed) };
    NameQuery { search_key: search_key(&typed), words: typed_words, near: !random.one_in(6) }
}

/// Runs random queries on an index with these cards.
fn check(index: &Index, cards: &BTreeMap<u128, CardRecord>, random: &mut Random, parts: usize) {
    let now = index.snapshot();
    for _ in 0..12 {
        let query = query(random, cards, parts);
        let (mut seen, mut view) = (cards.clone(), Vec::new());
        if random.one_in(2) {
            for card in seen.values_mut().filter(|card| card.unlock == Unlock::Hidden) {
                if random.one_in(2) {
                    let of = |random: &mut Random| self::card(card.id, random, parts).content;
                    card.content = std::iter::repeat_with(|| of(random)).flatten().next();
                    view.push(card.clone());
                }
            }
        }
        for (game, set) in [(false, false), (true, false), (true, true), (false, true)] {
            let game = game.then(|| random.of(GAMES));
            let place = NamePlace { game, set: set.then(|| random.of(SETS)) };
            let found = now.named(place, &query, &view);
            assert_eq!(found, naive::named(seen.values(), place, &query), "{place:?} {query:?}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn similar_names_equal_those_of_a_scan(seed in any::<u64>()) {
        let random = &mut Random(SplitMix64::new(seed));
        let many = random.of(&[3, 30, 3 * MAX_ALIKE, 5 * MAX_ALIKE]);
        let parts = random.of(&[1, 3, FEW_PARTS, PARTS.len()]);
        let (mut cards, mut builder) = (BTreeMap::new(), Builder::new());
        for _ in 0..many {
            let card = card(random.below(10_000) as u128, random, parts);
            cards.insert(card.id, card.clone());
            builder.push(card);
        }
        let mut index = builder.finish();
        check(&index, &cards, random, parts);
        for _ in 0..3 {
            let mut changes = Vec::new();
            for _ in 0..random.below(30) {
                let known: Vec<u128> = cards.keys().copied().collect();
                let id = if random.one_in(2) { random.below(10_000) as u128 } else { random.of(&known) };
                if random.one_in(3) && cards.len() > 1 {
                    cards.remove(&id);
                    changes.push(Change::Remove(id));
                } else {
                    let card = card(id, random, parts);
                    cards.insert(id, card.clone());
                    changes.push(Change::Put(Box::new(card)));
                }
            }
            index.apply(changes);
            check(&index, &cards, random, parts);
        }
    }
}

#[test]
fn is_shared_enough_equals_is_alike() {
    for typed in 0..300 {
        for own in 0..300 {
            for shared in 0..=typed.min(own) {
                let is_alike = names::is_alike(names::likeness(shared, typed, own));
                // Two empty names are not similar, although they share all of their trigrams.
                let is_enough = is_shared_enough(shared, typed, own) && typed + own > 0;
                assert_eq!(is_alike, is_enough, "{shared} of {typed} and {own}");
            }
        }
    }
}
