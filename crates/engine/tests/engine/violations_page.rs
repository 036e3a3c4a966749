//! `docs/VIOLATIONS.md`: the table of violation codes, generated from violations that occur in this test.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::path::PathBuf;

use crate::support::page::manifest_with;
use crate::support::{HARBOUR, all_games, card, cards, game};
use cardscape_engine::{
    CardDefinition, Catalogue, Deck, Game, Severity, Violation, ViolationCode, check_set,
    parse_deck_text, validate,
};
use serde_json::{Value, json};

/// A format for violations that those of the sample game cannot have.
const STRICT: &str = r#"
[[formats]]
code = "strict"
name = "Strict"
version = "1"
[[formats.rules]]
rule = "S-1"
text = "A hold has at most three cards."
zone_size = { max = 3 }
[[formats.rules]]
rule = "S-2"
text = "A quay has at least one card."
zone_size = { zone = "side", min = 1 }
[[formats.rules]]
rule = "S-3"
text = "No heavy cargo."
forbidden = { select = { where = { weight = { min = 90 } } } }
[[formats.rules]]
rule = "S-4"
text = "No heavy cargo on the quay."
forbidden = { zones = ["side"], select = { where = { weight = { min = 90 } } } }
[[formats.rules]]
rule = "S-5"
text = "No ships."
forbidden = { select = { kinds = ["ship"] } }
[[formats.rules]]
rule = "S-6"
text = "Some silk."
requires = { select = { names = ["Silk"] } }
[[formats.rules]]
rule = "S-7"
text = "One heavy cargo."
at_most = { select = { where = { weight = { min = 90 } } }, max = 1 }
[[formats.rules]]
rule = "S-8"
text = "No copy twice."
unique_copies = {}
[[formats]]
code = "isles"
name = "Isles"
version = "1"
[[formats.rules]]
rule = "S-9"
text = "A box of the isles."
fixed_box = { total = 1, contents = [{ copies = 1, select = { sets = ["isles"] } }] }
[[formats]]
code = "flagship"
name = "Flagship"
version = "1"
[[formats.rules]]
rule = "S-10"
text = "All ships are of the class of the flagship."
matches_identity = { identity = { zones = ["extra"] }, attribute = "class" }
[[formats.rules]]
rule = "S-11"
text = "The hold weighs at most 100, and at least 10."
budget = { zones = ["main"], attribute = "weight", min = 10, max = 100 }
[[formats.rules]]
rule = "S-12"
text = "Contraband comes to three points at most."
budget = { points = { "Silk" = 2 }, max = 3 }
[[formats.rules]]
rule = "S-13"
text = "The cargo of the quay weighs all the same."
attribute_values = { zones = ["side"], attribute = "weight" }
[[formats.rules]]
rule = "S-14"
text = "No two cards of the hold have one price."
attribute_values = { zones = ["main"], attribute = "price", different = true }
"#;

/// Entries that name physical copies, for which lists have no notation.
fn named_copies() -> Deck {
    let entry = |quantity: u32, copies: &[&str]| json!({ "quantity": quantity, "card": { "name": "Silk" }, "copies": copies });
    let entries = [entry(1, &["copy 1"]), entry(1, &["copy 1", "copy 2"])];
    serde_json::from_value(json!({ "entries": entries })).unwrap()
}

/// Lists by format, which together break every rule that a deck can break.
const LISTS: [(&str, &str); 13] = [
    ("trade", "6 Salt\n1 Silk (prot)"),
    ("trade", "3 Salt"),
    ("trade", "5 Salt\n4 Silk\n1 Gunpowder\n1 Brig\n1 Gunpower"),
    ("trade", "9 Salt\n1 Silk {gilded}\n1 Salt {gilded}\n0 Anchor\n[attic]\n1 Salt"),
    ("trade", "9 Salt\n1 Silk\n[side]\n3 Anchor\n[extra]\n1 Salt"),
    ("strict", "4 Salt"),
    ("strict", "1 Silk\n1 Brig\n1 Anchor\n[side]\n1 Marble"),
    ("crate", "4 Salt\n1 Anchor"),
    ("crate", "5 Salt\n1 Silk\n1 Anchor\n2 Brig"),
    ("trade", "6 Salt\n1 Marble"),
    ("isles", "1 Salt"),
    (
        "flagship",
        "1 Marble\n2 Silk\n1 Brig\n[side]\n1 Salt\n1 Silk\n[extra]\n1 Sloop of the Customs",
    ),
    ("flagship", "1 Silk\n1 Gunpower"),
];

fn silk() -> Value {
    json!({
        "number": "102", "name": "Silken Sails", "kind": "cargo", "attributes": { "weight": 5, "price": 9 },
        "effects": [{ "style": "arrival", "text": "Draw one card." }],
        "printings": [{ "rarity": "plain" }, { "rarity": "gilded", "attributes": { "price": 11 } }],
    })
}

/// Cards that together break every rule that a card can break.
fn broken_cards() -> Vec<Value> {
    let silk_with = |pointer: &str, value: Value| {
        let mut card = silk();
        let (parent, key) = pointer.rsplit_once('/').unwrap();
        card.pointer_mut(parent).unwrap()[key] = value;
        card
    };
    let gang = |key: &str, value: Value| {
        let mut card = json!({
            "number": "103", "name": "Dock Gang", "kind": "gang",
            "attributes": { "trades": ["rope", "tar"], "motto": "Heave!", "size": 3 },
            "effects": [{ "slot": "day", "text": "Draw one card." }],
            "printings": [{ "rarity": "plain" }, { "rarity": "gilded", "attributes": { "size": 5 } }],
        });
        match card["attributes"].get_mut(key) {
            Some(attribute) => *attribute = value,
            None => card[key] = value,
        }
        card
    };
    let ship = json!({
        "number": "104", "name": "Cutter", "kind": "ship", "attributes": { "class": "sloop", "crew": 6, "guns": 5 }
    });
    vec![
        silk_with("/name", json!(" ")),
        silk_with("/number", json!("1/2")),
        silk_with("/kind", json!("shipp")),
        silk_with("/attributes", json!({ "price": 9 })),
        silk_with("/attributes/colour", json!("red")),
        silk_with(
            "/printings",
            json!([{ "rarity": "gilded", "attributes": { "price": 11, "weight": 6 } }]),
        ),
        silk_with("/attributes/weight", json!("heavy")),
        silk_with("/attributes/weight", json!(101)),
        silk_with(
            "/effects",
            json!([{ "style": "arrival", "text": "A." }, { "style": "arrival", "text": "B." }]),
        ),
        silk_with("/effects", json!([{ "style": "song", "text": "A." }])),
        silk_with("/lore", json!("")),
        silk_with("/printings", json!([{ "rarity": "golden" }])),
        silk_with("/printings", json!([{ "rarity": "plain" }, { "rarity": "plain" }])),
        silk_with("/printings", json!([{ "rarity": "plain", "attributes": { "price": 8 } }])),
        ship,
        gang("trades", json!(["rope", "rope"])),
        gang("trades", json!(["rope", "gold"])),
        gang("trades", json!([])),
        gang("motto", json!("x".repeat(21))),
        gang("effects", json!([{ "slot": "dusk", "text": "A." }])),
        gang("effects", json!([])),
        gang("printings", json!([{ "rarity": "plain" }])),
        gang(
            "printings",
            json!([{ "rarity": "plain" }, { "rarity": "gilded", "attributes": { "size": 4 } }]),
        ),
    ]
}

/// A kind with checks that the sample game's kinds lack.
const GANG: &str = r#"
[[kinds]]
code = "gang"
name = "Gang"
rule = "H-50"
section = "Gangs"
text = "A gang has trades."
attributes.trades = { type = "choices", values = ["rope", "tar", "sail"], min_items = 1 }
attributes.motto = { type = "text", max_length = 20 }
attributes.size = { type = "integer", per_printing = true }
effects = [{ slots = [{ slot = "day", min = 1, max = 1 }, { slot = "night" }] }]
printings = { every_rarity = true }
checks = [{ rule = "H-51", text = "A gilded gang is two stronger.", gain = { of = ["size"], rarity_bonus = { gilded = 2 } } }]
"#;

fn broken_sets() -> Vec<Value> {
    let set = |key: &str, value: Value| {
        let mut set = json!({ "code": "isles", "name": "The Isles", "cards": [silk()] });
        set[key] = value;
        set
    };
    let twice = |key: &str, value: Value| {
        let mut other = silk();
        other[key] = value;
        set("cards", json!([silk(), other]))
    };
    let of_cards = broken_cards().into_iter().map(|card| set("cards", json!([card])));
    [
        set("code", json!("The Isles")),
        set("name", json!("")),
        set("cards", json!([])),
        set("released_on", json!("2026-02-30")),
        set("unlock_threshold", json!(0)),
        twice("number", json!("103")),
        twice("name", json!("Silken Oars")),
    ]
    .into_iter()
    .chain(of_cards)
    .collect()
}

/// Violations of decks and of files, in the order of the scenarios.
fn occurrences() -> (Vec<Violation>, Vec<Violation>) {
    let game = Game::from_toml(&manifest_with(&format!("{GANG}{STRICT}"))).unwrap();
    let catalogue = Catalogue::builder(&game).extend(cards(HARBOUR)).build();
    let of_lists = LISTS.iter().map(|(format, list)| {
        let parsed = parse_deck_text(list);
        assert_eq!(parsed.faults, []);
        (*format, parsed.deck)
    });
    let of_decks = of_lists.chain([("strict", named_copies())]).flat_map(|(format, deck)| {
        let mut report = validate(&deck, &catalogue, game.format(format).unwrap());
        report.suggest(&catalogue);
        report.violations
    });
    let of_files = broken_sets().into_iter().flat_map(|set| {
        let cards: Vec<CardDefinition> =
            set["cards"].as_array().unwrap().iter().cloned().map(card).collect();
        let mut set = set;
        set["cards"] = json!(cards);
        let faults = check_set(&game, &serde_json::from_value(set.clone()).unwrap());
        assert!(!faults.is_empty(), "nothing is wrong with {set}");
        faults.into_iter().map(|fault| fault.violation)
    });
    let none = Catalogue::builder(&game).build();
    let without_cards = validate(&Deck::default(), &none, game.format("trade").unwrap()).violations;
    (without_cards.into_iter().chain(of_decks).collect(), of_files.collect())
}

#[test]
fn the_page_is_what_occurs() {
    let file = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../docs/VIOLATIONS.md");
    let page = page();
    if std::env::var_os("CARDSCAPE_UPDATE").is_some() {
        fs::write(&file, &page).unwrap();
    }
    let committed = fs::read_to_string(&file).unwrap_or_default();
    for (at, (here, there)) in committed.lines().zip(page.lines()).enumerate() {
        assert_eq!(here, there, "line {}; CARDSCAPE_UPDATE=1 writes the page", at + 1);
    }
    assert_eq!(committed, page, "CARDSCAPE_UPDATE=1 writes the page");
}

fn page() -> String {
    let (of_decks, of_files) = occurrences();
    let mut text = String::from(INTRODUCTION);
    text.push_str("## Decks\n\n");
    let mut rest = table(&mut text, ViolationCode::TABLE, &of_decks);
    text.push_str(
        "\n## Cards and sets\n\nWhat is wrong with a set file; nothing of it is loaded then. Over HTTP the codes stand as `code` in the `errors` of the problem \
         `invalid_import`, on the command line in the lines of `cardscape seed --check`.\n\n",
    );
    rest = table(&mut text, &rest, &of_files);
    assert_eq!(rest, [], "no scenario has these codes");
    text.push_str(OWN_CODES);
    for code in all_games() {
        own_codes(&mut text, &game(&code));
    }
    text
}

/// Writes the codes that occurred; the others remain.
fn table(
    text: &mut String,
    codes: &[(&'static str, &'static str)],
    occurred: &[Violation],
) -> Vec<(&'static str, &'static str)> {
    text.push_str(
        "| Code | Severity | Meaning | Fields | Fix | Example |\n|---|---|---|---|---|---|\n",
    );
    let mut left = Vec::new();
    for (code, meaning) in codes {
        let found: Vec<&Violation> =
            occurred.iter().filter(|one| one.code.as_str() == *code).collect();
        let Some(first) = found.first() else {
            left.push((*code, *meaning));
            continue;
        };
        let severities: BTreeSet<Severity> = found.iter().map(|one| one.severity).collect();
        let severities: Vec<String> = severities.iter().map(as_json).collect();
        let mut times: BTreeMap<usize, (&str, usize)> = BTreeMap::new();
        let mut fixes = BTreeSet::new();
        for one in &found {
            for (place, name) in fields(one) {
                times.entry(place).or_insert((name, 0)).1 += 1;
            }
            fixes.extend(one.fix.iter().map(|fix| {
                format!("`{}`", serde_json::to_value(fix).unwrap()["action"].as_str().unwrap())
            }));
        }
        let fields: Vec<String> =
            times
                .values()
                .map(|(name, times)| {
                    if *times == found.len() { format!("`{name}`") } else { format!("(`{name}`)") }
                })
                .collect();
        let fixes: Vec<String> = fixes.into_iter().collect();
        let _ = writeln!(
            text,
            "| `{code}` | {} | {} | {} | {} | {} |",
            severities.join(", "),
            meaning.trim(),
            fields.join(", "),
            fixes.join(", "),
            first.message().replace('|', "\\|")
        );
    }
    left
}

fn as_json(value: impl serde::Serialize) -> String {
    serde_json::to_value(value).unwrap().as_str().unwrap().to_owned()
}

/// The optional fields that are filled.
fn fields(violation: &Violation) -> Vec<(usize, &'static str)> {
    let filled = [
        ("limit", violation.limit.is_some()),
        ("actual", violation.actual.is_some()),
        ("zone", violation.zone.is_some()),
        ("set", violation.set.is_some()),
        ("attribute", violation.attribute.is_some()),
        ("cards", !violation.cards.is_empty()),
        ("suggestions", !violation.suggestions.is_empty()),
    ];
    filled
        .into_iter()
        .enumerate()
        .filter(|(_, (_, filled))| *filled)
        .map(|(at, (name, _))| (at, name))
        .collect()
}

fn own_codes(text: &mut String, game: &Game) {
    let mut lines: Vec<(String, String, String)> = Vec::new();
    let mut add = |code: &Option<ViolationCode>, rule: &cardscape_engine::RuleReference| {
        if let Some(code) = code {
            lines.push((code.to_string(), rule.rule.clone(), rule.text.clone()));
        }
    };
    for kind in game.kinds() {
        for attribute in kind.attributes.values() {
            add(&attribute.code, &attribute.reference);
        }
        for check in &kind.checks {
            add(&check.code, &check.reference);
        }
    }
    for format in game.formats() {
        let of_variants = format.variants.iter().flat_map(|variant| &variant.rules);
        for rule in format.rules.iter().chain(of_variants) {
            add(&rule.code, &rule.reference);
        }
    }
    lines.sort();
    lines.dedup();
    for (code, rule, wording) in lines {
        let _ = writeln!(text, "| `{code}` | `{}` | {rule} | {wording} |", game.code());
    }
}

const INTRODUCTION: &str = "\
# Violation codes

What can be wrong with a deck, a card or a set. This page is made by a test, from violations that occurred in it;
`CARDSCAPE_UPDATE=1 cargo test -p cardscape-engine --test engine violations_page` writes it again.

Codes are stable: write programs against them, not against messages. Every violation has `code`, `severity`, `message`, `rule` (its
number), `section` (of the rulebook) and `rule_text` (the rule in the manifest's words); the column *Fields* names what is filled beside
them, in parentheses what is filled sometimes. `limit` is what the rule asks for and `actual` what was found. A *fix* is an edit
that corrects the violation. A report lists errors first, then what is missing, then warnings, each by the rules' numbers: `H-3` before `H-10`.
Before all of them it says of which game or sets no cards are loaded, because everything else may follow from that.

An `error` makes a deck illegal, `incomplete` says that cards are missing, and a `warning` is advice. A game can give a rule
another code or severity ([GAMES.md](GAMES.md#rules)); the table has those of the engine.

";

const OWN_CODES: &str = "
## Codes of the shipped games

A game can name its rules. Such a violation has the fields of the check behind it, and its message is the rule's wording.

| Code | Game | Rule | Meaning |
|---|---|---|---|
";
