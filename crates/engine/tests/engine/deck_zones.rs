//! Zones of lists: games whose first zone is not `main`, and the words that mean a zone.

use cardscape_engine::{
    Catalogue, Deck, DeckDialect, DeckEntry, DeckReading, DrawQuestion, DrawTarget, Game,
    ManifestError, deck_statistics, draw_odds, read_deck, render_deck_text, sample_hand, validate,
    write_deck,
};
use serde_json::json;

use crate::support::{HARBOUR, card, game, pool};

/// Three zones, none of which is `main`.
const DEPOT: &str = r#"
code = "depot"
name = "Depot"
rules_version = "1"
[play]
hand_size = 2
[[zones]]
code = "hold"
name = "Cargo hold"
[[zones]]
code = "second"
name = "Second"
aliases = ["2nd", "👑"]
[[zones]]
code = "reserve"
name = "Reserve"
aliases = ["sideboard"]
[[kinds]]
code = "cargo"
name = "Cargo"
[[formats]]
code = "open"
name = "Open"
version = "1"
[[formats.rules]]
rule = "D-1"
text = "A hold has at least three cards."
zone_size = { zone = "hold", min = 3 }
"#;

fn depot() -> Catalogue {
    let one = |number: usize, name: &str| {
        card(json!({ "number": number.to_string(), "name": name, "kind": "cargo" }))
    };
    pool(&Game::from_new_toml(DEPOT).unwrap(), vec![one(1, "Salt"), one(2, "Silk")])
}

/// The deck of a list, read with the game at hand.
fn read(catalogue: &Catalogue, list: &str) -> Deck {
    read_deck(list, &DeckReading::new(catalogue)).deck
}

fn zones(deck: &Deck) -> Vec<&str> {
    deck.entries.iter().map(|entry| entry.zone.as_str()).collect()
}

#[test]
fn entries_without_a_zone_are_in_the_first_zone_of_the_game() {
    let catalogue = depot();
    let in_hold = "// format: depot/open\n3 Salt";
    for (list, expected) in [
        (in_hold, &["hold"][..]),
        ("// format: depot/open\nDeck\n3 Salt\nSideboard\n1 Silk", &["hold", "reserve"]),
        ("// format: depot/open\n3 Salt\n[main]\n1 Silk\nSB: 1 Silk", &["hold", "hold", "reserve"]),
        ("3 Salt\nSideboard\n1 Silk", &["hold", "reserve"]),
        (r#"{"entries": [{"quantity": 3, "card": {"name": "Salt"}}]}"#, &["hold"]),
        (r#"[{"quantity": 3, "card": "Salt"}]"#, &["hold"]),
    ] {
        assert_eq!(zones(&read(&catalogue, list)), expected, "{list}");
    }
    let deck = read(&catalogue, in_hold);
    for dialect in [DeckDialect::Own, DeckDialect::Json, DeckDialect::ShareCode] {
        let written = write_deck(&deck, dialect, &catalogue, None).text;
        assert_eq!(zones(&read(&catalogue, &written)), ["hold"], "{dialect}: {written}");
    }
}

/// Decks of older versions have the zone `main` in their entries.
#[test]
fn main_is_the_first_zone_of_a_game_without_such_a_zone() {
    let catalogue = depot();
    let deck = Deck { entries: vec![DeckEntry::main(3, "Salt")] };
    let format = catalogue.game().format("open").unwrap();
    let report = validate(&deck, &catalogue, format);
    assert_eq!((report.violations.len(), report.cards_in("hold")), (0, 3));
    assert_eq!(deck_statistics(&deck, &catalogue).zones[0].cards, 3);
    let odds = draw_odds(&deck, &catalogue, &DrawQuestion::new(DrawTarget::named("Salt")));
    assert_eq!(odds.unwrap().population.cards, 3);
    assert_eq!(sample_hand(&deck, &catalogue, "hold", 7, None, 0).unwrap().cards, 3);
    assert_eq!(zones(&read(&catalogue, &render_deck_text(&deck))), ["hold"]);
    let called = |word: &str| catalogue.game().zone_called(word).map(|zone| zone.code.to_string());
    assert_eq!(called("Deck").as_deref(), Some("hold"));
    assert_eq!(called("cargo-hold").as_deref(), Some("hold"));
    assert_eq!(called("attic"), None);
}

#[test]
fn headers_in_brackets_name_a_zone_by_code_name_or_alias() {
    let harbour = Catalogue::builder(&game(HARBOUR)).build();
    let list = "// format: harbour/trade\n6 Salt\n[Fleet]\n1 Brig\n[quay]\n1 Silk\n[Hold]\n1 Salt\n[Attic]\n1 Silk\n[\"Fleet\"]\n1 Brig";
    // What means no zone stays, and so does what is in quotes.
    let expected = ["main", "extra", "side", "main", "attic", "Fleet"];
    assert_eq!(zones(&read(&harbour, list)), expected);
    let crowned = "// format: depot/open\n[👑]\n1 Salt\n[2ND]\n1 Silk";
    assert_eq!(zones(&read(&depot(), crowned)), ["second", "second"]);
}

#[test]
fn entries_count_in_the_zone_that_their_word_means() {
    let harbour = Catalogue::builder(&game(HARBOUR)).build();
    let written = ["Fleet", "fleet", "QUAY", "Sideboard", "attic"];
    let entry = |zone: &str| DeckEntry { zone: zone.to_owned(), ..DeckEntry::main(1, "Salt") };
    let deck = Deck { entries: written.into_iter().map(entry).collect() };
    let report = validate(&deck, &harbour, harbour.game().format("trade").unwrap());
    assert_eq!((report.cards_in("extra"), report.cards_in("side")), (2, 2));
    let unknown = report.violations.iter().filter(|one| one.code.as_str() == "ZONE_UNKNOWN");
    assert_eq!(unknown.map(|one| one.zone.as_deref()).collect::<Vec<_>>(), [Some("attic")]);
    // Our own text keeps each word, also those that have become known as words for a zone.
    let text = write_deck(&deck, DeckDialect::Own, &harbour, None).text;
    let own = DeckReading::new(&harbour).in_dialect(DeckDialect::Own);
    assert_eq!(zones(&read_deck(&text, &own).deck), written, "{text}");
}

/// The places and messages of the faults of a manifest with these zones.
fn faults(zones: &str) -> Vec<(String, String)> {
    let text = format!(
        "code = \"pond\"\nname = \"Pond\"\nrules_version = \"1\"\n{zones}[[kinds]]\ncode = \"fish\"\nname = \"Fish\"\n"
    );
    assert!(Game::from_toml(&text).is_ok(), "stored manifests are read: {zones}");
    let faults = Game::from_new_toml(&text).err().map(|ManifestError { faults }| faults);
    let faults = faults.into_iter().flatten();
    faults.map(|fault| (fault.place, fault.problem)).collect()
}

#[test]
fn a_word_means_one_zone_in_new_manifests() {
    let zone = |code: &str, name: &str, aliases: &str| {
        format!("[[zones]]\ncode = \"{code}\"\nname = \"{name}\"\naliases = [{aliases}]\n")
    };
    let two = |first: String, second: String| faults(&(first + &second));
    let taken = |place: &str, word: &str, code: &str| {
        let problem = format!(
            "{word:?} already means another zone, {code:?}: give one of the two another word"
        );
        vec![(place.to_owned(), problem)]
    };
    let captain = || zone("main", "Crew", "") + &zone("captain", "Captain", "\"Extra\", \"👑\"");
    assert_eq!(
        two(captain(), zone("extra", "Extra", "")),
        taken("zones[2].code", "extra", "captain")
    );
    assert_eq!(two(captain(), zone("dock", "CREW", "")), taken("zones[2].name", "CREW", "main"));
    assert_eq!(
        two(captain(), zone("dock", "Dock", "\"pier\", \"👑\"")),
        taken("zones[2].aliases", "👑", "captain")
    );
    assert_eq!(two(captain(), zone("dock", "Dock", "\"dock\", \"Dock\"")), []);
    let first = two(zone("leader", "Leader", ""), zone("main", "Crew", "\"deck\""));
    let problem = "\"main\" means the first zone in all lists, here \"leader\": put this zone first, or give it another word";
    assert_eq!(first[0], ("zones[1].code".to_owned(), problem.to_owned()));
    assert_eq!(first[1].0, "zones[1].aliases");
    // Words are compared as in lists, which ignore hyphens and underscores.
    for (code, alias) in [("main_deck", ""), ("crew", "\"Main-Board\"")] {
        let one = two(zone("leader", "Leader", ""), zone(code, "Crew", alias));
        assert!(one.len() == 1 && one[0].1.contains("means the first zone"), "{code}: {one:?}");
    }
}

/// If each word were compared with all others, this would end as well, after thousands of times as many steps.
#[test]
fn zones_may_have_thousands_of_aliases() {
    let zone = |at: usize| {
        let aliases: Vec<String> = (0..2_000).map(|word| format!("\"z{at} w{word}\"")).collect();
        let aliases = aliases.join(", ");
        format!("[[zones]]\ncode = \"zone{at}\"\nname = \"Z{at}\"\naliases = [{aliases}]\n")
    };
    let zones: String = (0..6).map(zone).collect();
    assert_eq!(faults(&zones), []);
    let found = faults(&zones.replace("\"z5 w7\"", "\"Z4 W1999\""));
    let problem =
        "\"Z4 W1999\" already means another zone, \"zone4\": give one of the two another word";
    assert_eq!(found, [("zones[5].aliases".to_owned(), problem.to_owned())]);
}

#[test]
fn words_for_the_same_part_of_a_deck_are_not_of_two_zones_in_new_manifests() {
    let with_side = |zones: &str| {
        faults(&format!(
            "[[zones]]\ncode = \"main\"\nname = \"Deck\"\n[[zones]]\ncode = \"side\"\nname = \"Side\"\n{zones}"
        ))
    };
    let problem = "\"sideboard\" and \"side\", a word of the zone \"side\", mean one zone in lists: give one of the two zones another word";
    assert_eq!(
        with_side("[[zones]]\ncode = \"reserve\"\nname = \"Reserve\"\naliases = [\"sideboard\"]\n"),
        [("zones[2].aliases".to_owned(), problem.to_owned())]
    );
    // Lists have no zone for these words.
    let outside = "[[zones]]\ncode = \"tokens\"\nname = \"Tokens\"\n[[zones]]\ncode = \"maybe\"\nname = \"Maybe\"\n";
    assert_eq!(with_side(outside), []);
}

/// Games of older versions may have a zone `side` and another one with the alias `sideboard`.
#[test]
fn an_own_word_of_a_zone_counts_before_the_word_of_all_games() {
    let old_words = "name = \"Second\"\naliases = [\"2nd\", \"👑\"]";
    let second = DEPOT.replace("code = \"second\"", "code = \"side\"");
    let manifest = second
        .replace(old_words, "name = \"Side\"\n[[zones]]\ncode = \"extra\"\nname = \"Extra\"")
        .replace("\"sideboard\"", "\"sideboard\", \"extra deck\"");
    let catalogue = Catalogue::builder(&Game::from_toml(&manifest).unwrap()).build();
    for first in ["", "// format: depot/open\n"] {
        for header in ["Sideboard", "[Sideboard]", "Extra deck", "[Extra Deck]"] {
            let list = format!("{first}3 Salt\n{header}\n1 Silk");
            assert_eq!(zones(&read(&catalogue, &list)), ["hold", "reserve"], "{list}");
        }
        let list = format!("{first}3 Salt\n[Side]\n1 Silk\n[Extra]\n1 Silk");
        assert_eq!(zones(&read(&catalogue, &list)), ["hold", "side", "extra"], "{list}");
    }
    let entry = |zone: &str| DeckEntry { zone: zone.to_owned(), ..DeckEntry::main(1, "Salt") };
    let deck = Deck { entries: ["hold", "side", "extra", "reserve"].map(entry).into() };
    let text = write_deck(&deck, DeckDialect::Own, &catalogue, None).text;
    for list in [text.clone(), format!("// format: depot/open\n{text}")] {
        assert_eq!(zones(&read(&catalogue, &list)), ["hold", "side", "extra", "reserve"], "{list}");
    }
}
