//! Near names against a scan of every card: on names by chance that are often alike, and as often equally so.

use std::collections::BTreeMap;

use cardscape_engine::rng::{RandomNumbers as _, SplitMix64};
use cardscape_engine::search_key;
use proptest::prelude::*;
use serde_json::Map;

use super::names::{self, MAX_ALIKE, is_shared_enough};
use super::*;
use crate::{Words, words};

/// Numbers by chance, the same for one seed.
struct Chance(SplitMix64);

impl Chance {
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

/// Of one to three letters, of several scripts, that begin or contain each other, or look like each other.
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
/// Of so few there are many names of one key, and many that are equally alike.
const FEW_PARTS: usize = 7;
const GAMES: &[&str] = &["aa", "ab", "b"];
const SETS: &[&str] = &["one", "two", "x"];

/// Of the first so many parts.
fn name(chance: &mut Chance, parts: usize) -> String {
    let many = 1 + chance.below(3);
    let between = chance.of(&[" ", " ", " ", "", ", "]);
    let chosen: Vec<&str> = (0..many).map(|_| chance.of(&PARTS[..parts])).collect();
    let mut name = chosen.join(between);
    if parts > FEW_PARTS && chance.one_in(5) {
        let letters = name.chars().count();
        let at = chance.below(letters);
        name = name.chars().enumerate().filter(|(own, _)| *own != at).map(|(_, one)| one).collect();
    }
    if name.is_empty() { "???".to_owned() } else { name }
}

fn card(id: u128, chance: &mut Chance, parts: usize) -> CardRecord {
    let name = name(chance, parts);
    let is_hidden = chance.one_in(9);
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
        game: chance.of(GAMES).to_owned(),
        set: chance.of(SETS).to_owned(),
        // Now and then two cards have one place.
        number: format!("{:02}", chance.below(60)),
        unlock: if is_hidden { Unlock::Hidden } else { Unlock::Never },
        content: (!is_hidden).then_some(content),
    }
}

fn query(chance: &mut Chance, cards: &BTreeMap<u128, CardRecord>, parts: usize) -> NameQuery {
    let known: Vec<&CardRecord> = cards.values().filter(|card| card.content.is_some()).collect();
    let mut typed = match known.len() {
        many if many > 0 && chance.one_in(2) => {
            known[chance.below(many)].content.as_ref().unwrap().name.clone()
        }
        _ => name(chance, parts),
    };
    if chance.one_in(4) {
        let letters = 1 + chance.below(3);
        typed = typed.chars().take(letters).collect();
    }
    let typed_words = if chance.one_in(4) { Vec::new() } else { words(&typed) };
    NameQuery { search_key: search_key(&typed), words: typed_words, near: !chance.one_in(6) }
}

/// Everything that is asked of an index that has these cards.
fn check(index: &Index, cards: &BTreeMap<u128, CardRecord>, chance: &mut Chance, parts: usize) {
    let now = index.snapshot();
    for _ in 0..12 {
        let query = query(chance, cards, parts);
        let (mut seen, mut view) = (cards.clone(), Vec::new());
        if chance.one_in(2) {
            for card in seen.values_mut().filter(|card| card.unlock == Unlock::Hidden) {
                if chance.one_in(2) {
                    let of = |chance: &mut Chance| self::card(card.id, chance, parts).content;
                    card.content = std::iter::repeat_with(|| of(chance)).flatten().next();
                    view.push(card.clone());
                }
            }
        }
        for (game, set) in [(false, false), (true, false), (true, true), (false, true)] {
            let game = game.then(|| chance.of(GAMES));
            let place = NamePlace { game, set: set.then(|| chance.of(SETS)) };
            let found = now.named(place, &query, &view);
            assert_eq!(found, naive::named(seen.values(), place, &query), "{place:?} {query:?}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn near_names_are_those_of_a_scan(seed in any::<u64>()) {
        let chance = &mut Chance(SplitMix64::new(seed));
        let many = chance.of(&[3, 30, 3 * MAX_ALIKE, 5 * MAX_ALIKE]);
        let parts = chance.of(&[1, 3, FEW_PARTS, PARTS.len()]);
        let (mut cards, mut builder) = (BTreeMap::new(), Builder::new());
        for _ in 0..many {
            let card = card(chance.below(10_000) as u128, chance, parts);
            cards.insert(card.id, card.clone());
            builder.push(card);
        }
        let mut index = builder.finish();
        check(&index, &cards, chance, parts);
        for _ in 0..3 {
            let mut changes = Vec::new();
            for _ in 0..chance.below(30) {
                let known: Vec<u128> = cards.keys().copied().collect();
                let id = if chance.one_in(2) { chance.below(10_000) as u128 } else { chance.of(&known) };
                if chance.one_in(3) && cards.len() > 1 {
                    cards.remove(&id);
                    changes.push(Change::Remove(id));
                } else {
                    let card = card(id, chance, parts);
                    cards.insert(id, card.clone());
                    changes.push(Change::Put(Box::new(card)));
                }
            }
            index.apply(changes);
            check(&index, &cards, chance, parts);
        }
    }
}

#[test]
fn names_that_share_less_are_not_alike() {
    for typed in 0..300 {
        for own in 0..300 {
            for shared in 0..=typed.min(own) {
                let is_alike = names::is_alike(names::likeness(shared, typed, own));
                // Nothing shares all of nothing.
                let is_enough = is_shared_enough(shared, typed, own) && typed + own > 0;
                assert_eq!(is_alike, is_enough, "{shared} of {typed} and {own}");
            }
        }
    }
}
