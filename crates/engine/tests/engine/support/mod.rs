//! What the engine's tests share: the shipped games and builders for cards and decks.

pub mod page;
pub mod schema;

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use cardscape_engine::{
    CardDefinition, Catalogue, Deck, DeckEntry, Effect, Format, Game, PoolCard, Report,
    SetDefinition, Violation, check_card, validate,
};
use serde_json::{Value, json};

pub const GAMES: [&str; 5] = ["emoji-tcg", "emojito", "emojo-dojo", "ttcg", "uno-emoji"];

/// The invented game: it is test data and not shipped.
pub const HARBOUR: &str = "harbour";

/// Games whose construction rules are shipped without cards.
pub const RULES_ONLY: [&str; 3] = ["magic", "pokemon", "yu-gi-oh"];

pub fn games_dir() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../seed-data/games")
}

/// Codes of all games that are shipped, with or without cards, sorted.
pub fn all_games() -> Vec<String> {
    let folders = fs::read_dir(games_dir()).unwrap();
    let mut codes: Vec<String> =
        folders.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    codes.sort();
    codes
}

pub fn game_dir(code: &str) -> PathBuf {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..");
    if code == HARBOUR { root.join("tests/data/games/harbour") } else { games_dir().join(code) }
}

/// The text of a game's manifest.
pub fn manifest(code: &str) -> String {
    fs::read_to_string(game_dir(code).join("game.toml")).unwrap()
}

/// Reads data that does not change only once for each game, because property tests need it again and again.
struct ReadOnce<T>(Mutex<BTreeMap<String, T>>);

impl<T: Clone> ReadOnce<T> {
    const fn new() -> Self {
        Self(Mutex::new(BTreeMap::new()))
    }

    fn get(&self, code: &str, read: impl FnOnce() -> T) -> T {
        let known = self.0.lock().unwrap().get(code).cloned();
        // Read outside the lock: one unreadable game must not fail the tests of the others.
        known.unwrap_or_else(|| {
            let new = read();
            self.0.lock().unwrap().insert(code.to_owned(), new.clone());
            new
        })
    }
}

pub fn game(code: &str) -> Game {
    static READ: ReadOnce<Game> = ReadOnce::new();
    READ.get(code, || {
        Game::from_toml(&manifest(code)).unwrap_or_else(|error| panic!("{code}: {error}"))
    })
}

/// The files of a game's folder, sorted by name, with their text.
pub fn files(code: &str, folder: &str) -> Vec<(String, String)> {
    let Ok(folder) = fs::read_dir(game_dir(code).join(folder)) else { return Vec::new() };
    let mut files: Vec<(String, String)> = folder
        .map(|entry| entry.unwrap().path())
        .map(|path| {
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            (name, fs::read_to_string(&path).unwrap())
        })
        .collect();
    files.sort();
    files
}

pub fn sets(code: &str) -> Vec<(String, SetDefinition)> {
    files(code, "sets")
        .into_iter()
        .map(|(name, text)| {
            let set = SetDefinition::from_json(&text)
                .unwrap_or_else(|error| panic!("{code}/{name}: {error}"));
            (name, set)
        })
        .collect()
}

/// The cards of all sets of a game.
pub fn cards(code: &str) -> impl Iterator<Item = PoolCard> {
    sets(code).into_iter().flat_map(|(_, set)| {
        let released_on = set.released_on.map(|day| day.parse().unwrap());
        let code = set.code;
        set.cards.into_iter().map(move |card| PoolCard { released_on, ..pool_card(&code, card) })
    })
}

/// The pool of all shipped sets of a game.
pub fn shipped(code: &str) -> Arc<Catalogue> {
    static READ: ReadOnce<Arc<Catalogue>> = ReadOnce::new();
    READ.get(code, || Arc::new(Catalogue::builder(&game(code)).extend(cards(code)).build()))
}

pub fn pool_card(set: &str, definition: CardDefinition) -> PoolCard {
    PoolCard {
        key: format!("{set}/{}", definition.number),
        set: set.to_owned(),
        released_on: None,
        definition,
    }
}

pub fn card(value: Value) -> CardDefinition {
    serde_json::from_value(value).unwrap()
}

/// The card with another value of an attribute.
pub fn with(mut card: CardDefinition, attribute: &str, value: Value) -> CardDefinition {
    card.attributes.insert(attribute.to_owned(), value);
    card
}

/// The card without an attribute.
pub fn without(mut card: CardDefinition, attribute: &str) -> CardDefinition {
    card.attributes.remove(attribute).unwrap();
    card
}

/// [`outline`] of the violations of a card.
pub fn faults(game_code: &str, card: &CardDefinition) -> Vec<String> {
    outline(&check_card(&game(game_code), card))
}

pub const RARITIES: [&str; 6] =
    ["common", "uncommon", "rare", "ultra_rare", "mythic_rare", "primal_rare"];

/// A TTCG unit whose six printings are right: every bonus goes to attack.
pub fn unit(name: &str, kind_type: &str, rank: i64) -> CardDefinition {
    let attack = 250 * rank;
    let defense = 500 * rank - attack;
    let printings: Vec<Value> = (0_i64..)
        .zip(RARITIES)
        .map(|(tier, rarity)| {
            json!({ "rarity": rarity, "attributes": { "attack": attack + 10 * tier, "defense": defense } })
        })
        .collect();
    card(json!({
        "number": "001", "name": name, "kind": "unit",
        "attributes": { "type": kind_type, "subtypes": ["warrior"], "rank": rank, "attack": attack, "defense": defense },
        "effects": two_effects(), "printings": printings,
    }))
}

/// A TTCG spell whose six printings are right: every bonus goes to attack.
pub fn spell(name: &str, rank: i64, attack: i64, defense: i64) -> CardDefinition {
    let printings: Vec<Value> = (0_i64..)
        .zip(RARITIES)
        .map(|(tier, rarity)| {
            json!({ "rarity": rarity,
                    "attributes": { "boost_attack": attack + 5 * tier, "boost_defense": defense } })
        })
        .collect();
    card(json!({
        "number": "001", "name": name, "kind": "spell",
        "attributes": { "type": "spell", "rank": rank, "boost_attack": attack, "boost_defense": defense },
        "effects": two_effects(), "printings": printings,
    }))
}

fn two_effects() -> Value {
    json!([{ "style": "normal", "text": "Draw one card." }, { "style": "passive", "text": "This card gains 50 attack." }])
}

/// An effect of the games in boxes: without style and slot.
pub fn reminder() -> Effect {
    Effect { style: None, slot: None, text: "See the rules page.".to_owned() }
}

/// Sets the numbers of one printing.
pub fn set_printing(card: &mut CardDefinition, rarity: &str, values: &[(&str, i64)]) {
    let printing = card.printings.iter_mut().find(|printing| printing.rarity == rarity).unwrap();
    for (name, value) in values {
        printing.attributes.insert((*name).to_owned(), json!(value));
    }
    if rarity == "common" {
        for (name, value) in values {
            card.attributes.insert((*name).to_owned(), json!(value));
        }
    }
}

/// An Emoji TCG card with the effects of its stage.
pub fn emoji(name: &str, stage: &str) -> CardDefinition {
    let effects = if stage == "basicmoji" {
        json!([{ "slot": "post", "text": "Draw 1 card." }])
    } else {
        json!([{ "slot": "upgrade", "text": "Draw 1 card." }, { "slot": "glitch", "text": "Trash 1 card." }])
    };
    card(json!({
        "number": "001", "name": name, "kind": "emoji",
        "attributes": { "emoji": "🙂", "type": "faces", "stage": stage, "power": 1, "keywords": [] },
        "effects": effects,
    }))
}

/// A catalogue of one set `test`, numbered from 1.
pub fn pool(game: &Game, cards: impl IntoIterator<Item = CardDefinition>) -> Catalogue {
    let cards = cards.into_iter().zip(1..).map(|(mut card, number)| {
        card.number = format!("{number:03}");
        pool_card("test", card)
    });
    Catalogue::builder(game).extend(cards).build()
}

pub fn deck<'a>(entries: impl IntoIterator<Item = (u32, &'a str)>) -> Deck {
    Deck {
        entries: entries
            .into_iter()
            .map(|(quantity, name)| DeckEntry::main(quantity, name))
            .collect(),
    }
}

/// A deck of every shipped card of a boxed game, in the copies that the test says.
pub fn boxed(code: &str, copies: impl Fn(&CardDefinition) -> u32) -> Deck {
    let cards = shipped(code);
    let entries = cards
        .iter()
        .map(|card| DeckEntry::main(copies(&card.definition), &card.definition.name))
        .collect();
    Deck { entries }
}

/// How many copies of cards of these kinds belong in the box of a format: the report on an empty box lists all that it lacks.
pub fn copies_in_box(code: &str, format: &Format, kinds: &[&str]) -> Vec<u32> {
    let pool = shipped(code);
    validate(&Deck::default(), &pool, format)
        .violations
        .iter()
        .filter_map(|violation| {
            let name = &violation.cards.first()?.name;
            let card = pool.iter().find(|card| card.definition.name == *name).unwrap();
            let wanted = kinds.contains(&card.definition.kind.as_str());
            wanted.then(|| u32::try_from(violation.limit.unwrap()).unwrap())
        })
        .collect()
}

/// Adds or removes copies of a card that is in the deck.
pub fn change(deck: &mut Deck, name: &str, by: i64) {
    let entry = deck.entries.iter_mut().find(|entry| entry.card.name == name).unwrap();
    entry.quantity = u32::try_from(i64::from(entry.quantity) + by).unwrap();
    deck.entries.retain(|entry| entry.quantity > 0);
}

pub fn judge(deck: &Deck, catalogue: &Catalogue, format: &str) -> Report {
    validate(deck, catalogue, catalogue.game().format(format).unwrap())
}

/// `CODE rule limit actual` of every violation, in the report's order.
pub fn outline(violations: &[Violation]) -> Vec<String> {
    let number =
        |value: Option<i64>| value.map_or_else(|| "-".to_owned(), |value| value.to_string());
    violations
        .iter()
        .map(|one| {
            format!("{} {} {} {}", one.code, one.rule, number(one.limit), number(one.actual))
        })
        .collect()
}

pub fn codes(violations: &[Violation]) -> Vec<&str> {
    violations.iter().map(|violation| violation.code.as_str()).collect()
}
