//! Decks in the dialects of other programs: what is written, and what is lost.

use cardscape_engine::{
    CardDefinition, Catalogue, Deck, DeckDialect, DeckEntry, DeckReading, Game, Guess,
    IgnoredReason, LineVerdict, MalformedText, PoolCard, UnknownReason, leaves_out_all,
    parse_deck_text, read_deck, render_deck_text, write_deck, write_named_deck,
};
use serde_json::json;

use super::deck_dialects::{known_sets, outline};
use crate::support::{HARBOUR, card, pool_card, shipped};

fn written(list: &str, dialect: DeckDialect) -> (String, Vec<String>) {
    let written = write_deck(
        &parse_deck_text(list).deck,
        dialect,
        &shipped(HARBOUR),
        Some(&known_sets(HARBOUR)),
    );
    let losses = written.losses.iter().map(|loss| {
        let kind = serde_json::to_value(loss.kind).unwrap();
        let entry = loss.entry.map_or("deck".to_owned(), |entry| entry.to_string());
        format!("{entry} {}", kind.as_str().unwrap())
    });
    (written.text, losses.collect())
}

const LIST: &str = "2 Silk (port) 002 {gilded}\n4 Salt\n\nSideboard\n1 Black Pearl (reef) 001 {plain}\n\nExtra\n1 Brig (port)\n";

/// No name of a deck changes its cards: a name that would be read as a card, a header or a total is not written.
#[test]
fn the_name_of_a_deck_is_read_back() {
    let (catalogue, sets) = (shipped(HARBOUR), known_sets(HARBOUR));
    let deck = parse_deck_text("2 Silk (port) 002\n4 Salt\n").deck;
    let reading = DeckReading::new(&catalogue).with_sets(&sets);
    for (name, in_forge, in_netrunner_db) in [
        (
            "Silk Road, the \"long\" one",
            "Silk Road, the \"long\" one",
            "Silk Road, the \"long\" one",
        ),
        ("two\nlines [Main]", "two lines [Main]", "two lines [Main]"),
        ("Sideboard", "Sideboard", ""),
        ("3 Salt", "3 Salt", ""),
        ("3x Salt", "3x Salt", ""),
        ("3 influence spent", "3 influence spent", ""),
        ("# Silk", "# Silk", ""),
        ("  ", "", ""),
    ] {
        for (dialect, wanted) in
            [(DeckDialect::Forge, in_forge), (DeckDialect::NetrunnerDb, in_netrunner_db)]
        {
            let written = write_named_deck(name, &deck, dialect, &catalogue, Some(&sets));
            let read = read_deck(&written.text, &reading.in_dialect(dialect));
            let recognised = read_deck(&written.text, &reading).dialect;
            assert_eq!(recognised, dialect, "{}", written.text);
            let found = read.notes.get("name").map_or("", String::as_str);
            assert_eq!(found, wanted, "{dialect} {name:?}: {}", written.text);
            let cards = read.deck.entries.iter().map(|entry| (entry.quantity, &*entry.card.name));
            assert_eq!(cards.collect::<Vec<_>>(), [(2, "Silk"), (4, "Salt")], "{dialect} {name:?}");
        }
        for dialect in DeckDialect::ALL {
            let named = write_named_deck(name, &deck, dialect, &catalogue, Some(&sets));
            let unnamed = write_deck(&deck, dialect, &catalogue, Some(&sets));
            assert_eq!(named.losses, unnamed.losses, "{dialect} {name:?}");
        }
    }
}

#[test]
fn each_dialect_holds_what_it_can() {
    for (dialect, text, losses) in [
        (DeckDialect::Own, LIST, vec![]),
        (
            DeckDialect::Plain,
            "2 Silk\n4 Salt\n\n[Quay]\n1 Black Pearl\n\n[Fleet]\n1 Brig\n",
            vec!["0 set", "0 number", "0 rarity", "2 set", "2 number", "2 rarity", "3 set"],
        ),
        (
            DeckDialect::Arena,
            "Deck\n2 Silk (PORT) 002\n4 Salt\n\nSideboard\n1 Black Pearl (REEF) 001\n",
            vec!["0 rarity", "2 rarity", "3 zone"],
        ),
        (
            DeckDialect::Mtgo,
            "2 Silk\n4 Salt\nSB: 1 Black Pearl\n",
            vec!["0 set", "0 number", "0 rarity", "2 set", "2 number", "2 rarity", "3 zone"],
        ),
        (
            DeckDialect::Moxfield,
            "2 Silk (PORT) 002 *F*\n4 Salt\n\nSIDEBOARD:\n1 Black Pearl (REEF) 001\n",
            vec!["2 rarity", "3 zone"],
        ),
        (
            DeckDialect::Archidekt,
            "2x Silk (port) 002 *F*\n4x Salt\n1x Black Pearl (reef) 001 [Sideboard]\n1x Brig (port) [Fleet{top}]\n",
            vec!["2 rarity"],
        ),
        (
            DeckDialect::PtcgLive,
            "2 Silk PORT 002\n4 Salt\n\nTotal Cards: 6\n",
            vec!["0 rarity", "2 zone", "3 zone"],
        ),
        (
            DeckDialect::PtcgOnline,
            "****** Deck List ******\n\n* 2 Silk PORT 002\n* 4 Salt\n\nTotal Cards - 6\n",
            vec!["0 rarity", "2 zone", "3 zone"],
        ),
        (
            DeckDialect::NetrunnerDb,
            "Deck\n\n2x Silk (The Old Port)\n4x Salt\n\n6 cards (min 0)\n",
            vec!["0 number", "0 rarity", "2 zone", "3 zone"],
        ),
        (
            DeckDialect::Forge,
            "[metadata]\nName=Deck\n[Main]\n2 Silk+|PORT\n4 Salt\n[Sideboard]\n1 Black Pearl|REEF\n",
            vec!["0 number", "2 number", "2 rarity", "3 zone"],
        ),
        (
            DeckDialect::Csv,
            "Quantity,Name,Set,Number,Rarity,Zone\n2,Silk,port,002,gilded,main\n4,Salt,,,,main\n\
             1,Black Pearl,reef,001,plain,side\n1,Brig,port,,,extra\n",
            vec![],
        ),
        (DeckDialect::Ydk, "#main\n#extra\n!side\n", vec!["0 card", "1 card", "2 card", "3 card"]),
        (DeckDialect::Ydke, "ydke://!!!", vec!["0 card", "1 card", "2 card", "3 card"]),
    ] {
        let found = written(LIST, dialect);
        assert_eq!(found.0, text, "{dialect}");
        assert_eq!(found.1, losses, "{dialect}");
        assert_eq!(dialect.code().parse(), Ok(dialect));
    }
    assert!("arean".parse::<DeckDialect>().unwrap_err().to_string().contains("arena"));
}

#[test]
fn entries_that_cannot_be_written_are_reported() {
    let (text, losses) = written(
        "[odd zone]\n1 Salt\n[main]\n1 \"\" (port) 2\n1 \"\" (port) 99\n",
        DeckDialect::Plain,
    );
    assert_eq!(text, "1 Silk\n");
    assert_eq!(losses, ["0 zone", "1 set", "1 number", "1 spelling", "2 card"]);
    // A name that is read as another card, and a name of two lines.
    let (text, losses) = written("1 \"Salt // Silk\"\n2 \"Sa\\nlt\"", DeckDialect::Arena);
    assert_eq!(text, "Deck\n1 Salt // Silk\n2 Sa lt\n");
    assert_eq!(losses, ["0 name", "1 spelling"]);
    let (_, losses) = written("1 Brig (port)\nSB: 1 Anchor\n1 Salt", DeckDialect::Arena);
    assert_eq!(losses, ["deck order"]);
}

/// A card without a name, such as one that its reader may not see, is lost in no export without a word.
#[test]
fn places_without_names_are_written_or_told() {
    let list = "2 \"\" (veil) \"3\" {rare}\n4 Salt\n1 \"\"\n";
    let deck = parse_deck_text(list).deck;
    let (catalogue, sets) = (shipped(HARBOUR), known_sets(HARBOUR));
    for dialect in DeckDialect::ALL {
        let (text, losses) = written(list, dialect);
        let reading = DeckReading::new(&catalogue).with_sets(&sets).in_dialect(dialect);
        let read = read_deck(&text, &reading).deck;
        let is_lost = |at: usize| losses.contains(&format!("{at} card"));
        assert_eq!(read.entries.contains(&deck.entries[0]), !is_lost(0), "{dialect}: {text}");
        let keeps_all = matches!(dialect, DeckDialect::Own | DeckDialect::Json);
        assert_eq!(read == deck, keeps_all, "{dialect}: {text}");
        assert_eq!(losses.is_empty(), keeps_all, "{dialect}: {losses:?}");
    }
    let (text, losses) = written(list, DeckDialect::Csv);
    assert!(text.contains("\n2,,veil,3,rare,main\n4,Salt,"), "{text}");
    assert_eq!(losses, ["2 card"]);
}

/// Other programs find a card only by its own set and number, however the deck writes them.
#[test]
fn places_and_rarities_are_written_in_the_cards_own_spelling() {
    let list = "2 Silk (PORT) 2 {Gilded}\n";
    let (text, losses) = written(list, DeckDialect::Csv);
    assert!(text.ends_with("\n2,Silk,port,002,gilded,main\n"), "{text}");
    assert_eq!(losses, Vec::<String>::new());
    let (text, _) = written(list, DeckDialect::Moxfield);
    assert_eq!(text, "2 Silk (PORT) 002 *F*\n");
    // Our own text stays as it was written.
    assert_eq!(written(list, DeckDialect::Own).0, list);
}

#[test]
fn sections_that_few_games_have_are_read_where_the_game_has_them() {
    let game = |zone: &str| {
        let manifest = format!(
            "code = \"pond\"\nname = \"Pond\"\nrules_version = \"1\"\n[[zones]]\ncode = \"main\"\nname = \"Shoal\"\n\
             [[zones]]\ncode = \"{zone}\"\nname = \"Net\"\n[[kinds]]\ncode = \"fish\"\nname = \"Fish\"\n"
        );
        Catalogue::builder(&Game::from_toml(&manifest).unwrap()).build()
    };
    let list = "[metadata]\nName=Pond\n[Main]\n2 Carp\n[Planes]\n1 Reeds\n[Schemes]\n1 Bait\n[Sideboard]\n1 Pike\n";
    for (zone, wanted) in [
        ("planes", &["main Carp", "planes Reeds", "side Pike"][..]),
        ("net", &["main Carp", "side Pike"]),
    ] {
        let catalogue = game(zone);
        let read = read_deck(list, &DeckReading::new(&catalogue));
        let entries = read.deck.entries.iter();
        let entries: Vec<_> =
            entries.map(|entry| format!("{} {}", entry.zone, entry.card.name)).collect();
        assert_eq!(entries, wanted, "{zone}");
        let reported = &read.lines[7].verdict;
        assert_eq!(*reported, LineVerdict::Ignored(IgnoredReason::OutsideTheDeck), "{read:?}");
    }
}

/// Units with external ids; two of them are reprints of one card.
fn with_ids() -> Catalogue {
    let game = Game::from_toml(
        r#"
        code = "ids"
        name = "Ids"
        rules_version = "1"
        [cards]
        unique_names = false
        external_id = "passcode"
        [[zones]]
        code = "main"
        name = "Main"
        [[zones]]
        code = "extra"
        name = "Extra"
        [[zones]]
        code = "side"
        name = "Side"
        [[kinds]]
        code = "unit"
        name = "Unit"
        attributes.passcode = { type = "integer", min = 1, optional = true }
        attributes.power = { type = "integer", optional = true }
        attributes.face = { type = "text", optional = true }
        "#,
    )
    .unwrap();
    assert_eq!(game.external_id(), Some("passcode"));
    let card = |set: &str, number: &str, name: &str, attributes: serde_json::Value| PoolCard {
        key: format!("{set}/{number}"),
        set: set.to_owned(),
        released_on: None,
        definition: serde_json::from_value::<CardDefinition>(
            json!({ "number": number, "name": name, "kind": "unit", "attributes": attributes }),
        )
        .unwrap(),
    };
    Catalogue::builder(&game)
        .add(card("one", "1", "Stone Owl", json!({ "passcode": 70_001, "power": 1 })))
        .add(card("one", "2", "Reed Heron", json!({ "passcode": 4_000_000_000_u32, "face": "🪶" })))
        .add(card("two", "1", "Stone Owl", json!({ "passcode": 70_001, "power": 1 })))
        .add(card("one", "3", "Marsh Toad", json!({ "power": 1, "face": "🐸" })))
        .add(card("two", "3", "Marsh Toad", json!({ "power": 2, "face": "🐸" })))
        .add(card("two", "4", "7 of Reeds", json!({ "power": 1 })))
        .add(card("two", "5", "Café (Noir)", json!({ "power": 1 })))
        .add(card("two", "6", "Agent #7", json!({ "power": 1 })))
        .add(card("two", "7", "Ice // Fire", json!({ "power": 1, "face": "❄\u{fe0f}" })))
        .add(card("two", "8", "Companion", json!({ "power": 1 })))
        .build()
}

#[test]
fn an_attribute_of_ids_must_be_there_and_hold_some() {
    let manifest = |attribute: &str| {
        format!(
            "code = \"ids\"\nname = \"Ids\"\nrules_version = \"1\"\n[cards]\nexternal_id = \"passcode\"\n\
             [[kinds]]\ncode = \"unit\"\nname = \"Unit\"\nattributes.{attribute}\n"
        )
    };
    assert!(Game::from_toml(&manifest("passcode = { type = \"text\" }")).is_ok());
    for attribute in ["power = { type = \"integer\" }", "passcode = { type = \"boolean\" }"] {
        let faults = Game::from_toml(&manifest(attribute)).unwrap_err().faults;
        assert_eq!(faults.len(), 1, "{faults:?}");
        assert_eq!(faults[0].place, "cards.external_id");
        assert!(faults[0].problem.contains("no kind has an attribute \"passcode\""));
    }
}

fn lines(catalogue: &Catalogue, list: &str) -> String {
    outline(&read_deck(list, &DeckReading::new(catalogue)))
}

#[test]
fn ids_of_other_programs_are_cards_where_the_game_declares_them() {
    let catalogue = with_ids();
    let list = "#created by somebody\n#main\n70001\n70001\n4000000000\n12\n#extra\n70001\n!side\n4000000000\nStone Owl\n";
    let expected = "ydk, utf8: a line is \"#main\", \"#extra\" or \"!side\"\n\
        \x20 1 `#created by somebody` | ignored {\"reason\":\"decoration\"}\n\
        \x20 2 `#main` | ignored {\"reason\":\"zone_header\",\"zone\":\"main\"}\n\
        \x20 3 main: 2 Stone Owl (one) 1 | accepted\n\
        \x20 4 main: 2 Stone Owl (one) 1 | accepted\n\
        \x20 5 main: 1 Reed Heron (one) 2 | accepted\n\
        \x20 6 main: 1 12 | unknown, near {\"near\":[],\"reason\":\"external_id_unknown\"}\n\
        \x20 7 `#extra` | ignored {\"reason\":\"zone_header\",\"zone\":\"extra\"}\n\
        \x20 8 extra: 1 Stone Owl (one) 1 | accepted\n\
        \x20 9 `!side` | ignored {\"reason\":\"zone_header\",\"zone\":\"side\"}\n\
        \x2010 side: 1 Reed Heron (one) 2 | accepted\n\
        \x2011 side: 1 Stone Owl | guessed [{\"guess\":\"one_copy\"}]\n";
    assert_eq!(lines(&catalogue, list), expected);
    // Lines of one card that follow each other have the same entry.
    let read = read_deck(list, &DeckReading::new(&catalogue));
    let positions: Vec<_> = read.lines.iter().map(|line| (line.line, line.entry)).collect();
    assert_eq!(positions[2..5], [(3, Some(0)), (4, Some(0)), (5, Some(1))]);
    assert_eq!(read.lines.len(), list.lines().count(), "each line has a result");

    let deck =
        parse_deck_text("2 Stone Owl (two)\n1 Reed Heron\n1 Marsh Toad (one)\nExtra\n1 Stone Owl")
            .deck;
    let ydk = write_deck(&deck, DeckDialect::Ydk, &catalogue, None);
    assert_eq!(ydk.text, "#main\n70001\n70001\n4000000000\n#extra\n70001\n!side\n");
    let losses: Vec<_> = ydk.losses.iter().map(|loss| (loss.entry.unwrap(), loss.kind)).collect();
    let kinds = serde_json::to_value(losses).unwrap();
    assert_eq!(kinds, json!([[0, "set"], [0, "number"], [2, "card"]]));

    let ydke = write_deck(&deck, DeckDialect::Ydke, &catalogue, None);
    assert_eq!(ydke.text, "ydke://cREBAHERAQAAKGvu!cREBAA==!!");
    let read =
        read_deck(&format!(" {} ", ydke.text.replace('=', "")), &DeckReading::new(&catalogue));
    assert_eq!(read.dialect, DeckDialect::Ydke);
    let entries =
        parse_deck_text("2 Stone Owl (one) 1\n1 Reed Heron (one) 2\nExtra\n1 Stone Owl (one) 1")
            .deck;
    assert_eq!(read.deck, entries);

    let undeclared = read_deck("#main\n70001", &DeckReading::new(&shipped(HARBOUR)));
    let LineVerdict::Unknown { reason, .. } = &undeclared.lines[1].verdict else { panic!() };
    assert_eq!(*reason, Some(UnknownReason::ExternalIdsNotDeclared));
}

/// The kind of each loss, with the entry.
fn losses(catalogue: &Catalogue, list: &str, dialect: DeckDialect) -> serde_json::Value {
    let written = write_deck(&parse_deck_text(list).deck, dialect, catalogue, None);
    let losses: Vec<_> = written.losses.iter().map(|loss| (loss.entry, loss.kind)).collect();
    serde_json::to_value(losses).unwrap()
}

/// Cards with external ids, by set, number and name.
fn units(cards: &[(&str, &str, &str, u64)]) -> Catalogue {
    let game = with_ids().game().clone();
    let card = |(set, number, name, id): &(&str, &str, &str, u64)| PoolCard {
        key: format!("{set}/{number}"),
        set: (*set).to_owned(),
        released_on: None,
        definition: serde_json::from_value::<CardDefinition>(json!({
            "number": number, "name": name, "kind": "unit", "attributes": { "passcode": id },
        }))
        .unwrap(),
    };
    Catalogue::builder(&game).extend(cards.iter().map(card)).build()
}

#[test]
fn ids_that_a_link_has_no_room_for_are_losses() {
    let catalogue =
        units(&[("one", "1", "Big", 5_000_000_000), ("one", "2", "Largest", 4_294_967_295)]);
    let list = "1 Big\n2 Largest";
    let link = write_deck(&parse_deck_text(list).deck, DeckDialect::Ydke, &catalogue, None);
    assert_eq!(link.text, "ydke:////////////8=!!!");
    assert_eq!(losses(&catalogue, list, DeckDialect::Ydke), json!([[0, "id_too_large"]]));
    let loss = link.losses[0].kind;
    assert!(loss.leaves_out() && loss.to_string().contains("too large"), "{loss}");
    let file = write_deck(&parse_deck_text(list).deck, DeckDialect::Ydk, &catalogue, None);
    assert_eq!(
        (&*file.text, file.losses),
        ("#main\n5000000000\n4294967295\n4294967295\n#extra\n!side\n", vec![])
    );
}

/// The losses of the written deck say the same.
#[test]
fn dialects_that_can_write_no_entry_are_known() {
    let catalogue = units(&[("one", "1", "Ada", 1_001)]);
    let lists = [
        "",
        "2 Nobody\n1 Ada",
        "2 Nobody\n1 \"\" (two) 6",
        "1 \"\" (two) 6",
        "1 Ada\n0 Nobody",
        "Side\n1 Ada",
    ];
    let mut left_out = Vec::new();
    for (at, list) in lists.into_iter().enumerate() {
        let deck = parse_deck_text(list).deck;
        for dialect in DeckDialect::ALL {
            let written = write_deck(&deck, dialect, &catalogue, None);
            let lost = written.losses.iter().filter(|loss| loss.kind.leaves_out()).count();
            let is_left_out = leaves_out_all(&deck, dialect, &catalogue);
            let is_all_lost = lost > 0 && lost == deck.entries.len();
            assert_eq!(is_left_out, is_all_lost, "{dialect}: {list}");
            if is_left_out {
                left_out.push((at, dialect));
            }
        }
    }
    let expected = [(2, DeckDialect::Ydk), (3, DeckDialect::Plain), (5, DeckDialect::PtcgLive)];
    assert!(expected.iter().all(|one| left_out.contains(one)), "{left_out:?}");
    assert!(left_out.iter().all(|(at, _)| [2, 3, 5].contains(at)), "{left_out:?}");
}

/// Before, the id was taken for a quantity. Equal lines are one entry, as without a remark.
#[test]
fn a_remark_may_stand_after_an_id() {
    let catalogue = units(&[("one", "1", "Ada", 1_001), ("one", "3", "Reed Heron", 1_002)]);
    let expected = "ydk, utf8: a line is \"#main\", \"#extra\" or \"!side\"\n\
        \x20 1 `#main` | ignored {\"reason\":\"zone_header\",\"zone\":\"main\"}\n\
        \x20 2 main: 2 Ada (one) 1 | guessed [{\"guess\":\"remark_dropped\",\"remark\":\"Ada\"}]\n\
        \x20 3 main: 2 Ada (one) 1 | guessed [{\"guess\":\"remark_dropped\",\"remark\":\"Ada\"}]\n\
        \x20 4 main: 1 Ada (one) 1 | guessed [{\"guess\":\"remark_dropped\",\"remark\":\"the third\"}]\n\
        \x20 5 main: 1 Reed Heron (one) 3 | guessed [{\"guess\":\"remark_dropped\",\"remark\":\"tall\"}]\n";
    let list = "#main\n1001 // Ada\n1001 //Ada\n1001 # the third\n1002 -- tall";
    assert_eq!(lines(&catalogue, list), expected);
}

/// An id of cards with different names means none of them for sure. Reprints of a card share its id.
#[test]
fn an_id_of_cards_with_different_names_is_ambiguous() {
    let catalogue = units(&[
        ("one", "1", "Ada", 1_001),
        ("one", "2", "Beta One", 1_001),
        ("one", "3", "Reed Heron", 1_002),
        ("two", "3", "Reed Heron", 1_002),
    ]);
    let expected = "ydk, utf8: a line is \"#main\", \"#extra\" or \"!side\"\n\
        \x20 1 `#main` | ignored {\"reason\":\"zone_header\",\"zone\":\"main\"}\n\
        \x20 2 main: 1 1001 | ambiguous Ada (one) 1, Beta One (one) 2\n\
        \x20 3 main: 1 Reed Heron (one) 3 | accepted\n";
    assert_eq!(lines(&catalogue, "#main\n1001\n1002"), expected);
    let extra = PoolCard {
        key: "three/1".to_owned(),
        set: "three".to_owned(),
        ..catalogue.iter().nth(1).unwrap().clone()
    };
    let base = std::sync::Arc::new(units(&[("one", "1", "Ada", 1_001)]));
    let layered = Catalogue::with_extra(base, [extra]);
    let read = lines(&layered, "#main\n1001");
    assert!(read.contains("ambiguous Ada (one) 1, Beta One (three) 2"), "{read}");
    for dialect in [DeckDialect::Ydk, DeckDialect::Ydke] {
        let list = "1 Beta One\n1 Reed Heron\n1 Ada (one) 1\n1 Reed Heron (two) 3";
        let expected = json!([[0, "name"], [2, "name"], [3, "set"], [3, "number"]]);
        assert_eq!(losses(&catalogue, list, dialect), expected, "{dialect}");
    }
}

#[test]
fn lines_of_ids_have_their_own_texts_and_messages() {
    let catalogue = units(&[("one", "1", "Ada", 1_002)]);
    let list = "#main\n01002\n1002\n99999999999999999999\n18446744073709551615";
    let read = read_deck(list, &DeckReading::new(&catalogue));
    let shown: Vec<(&str, String)> =
        read.lines[1..].iter().map(|line| (&*line.text, line.verdict.to_string())).collect();
    let too_large = "ignored: the id is too large: ids of cards are at most 18446744073709551615";
    let unknown = "unknown: no card has this id of another program";
    assert_eq!(
        shown,
        [
            ("01002", "accepted".to_owned()),
            ("1002", "accepted".to_owned()),
            ("99999999999999999999", too_large.to_owned()),
            ("18446744073709551615", unknown.to_owned()),
        ]
    );
}

/// A set, number or rarity that a card does not have is left out by readers, who find the right card.
#[test]
fn parts_that_a_card_does_not_have_are_losses_of_their_kinds() {
    let catalogue = shipped(HARBOUR);
    for (list, dialect, expected) in [
        ("1 Salt {gilded}", DeckDialect::Csv, json!([[0, "rarity"]])),
        ("1 Salt {gilded}", DeckDialect::Moxfield, json!([[0, "rarity"]])),
        ("1 Salt {gilded}", DeckDialect::ShareCode, json!([[0, "rarity"]])),
        ("1 Salt (port) 001 {gilded}", DeckDialect::ShareCode, json!([[0, "rarity"]])),
        ("1 Salt (reef)", DeckDialect::Csv, json!([[0, "set"]])),
        ("1 Salt (reef)", DeckDialect::ShareCode, json!([[0, "set"]])),
        ("1 Salt (port) 002", DeckDialect::Csv, json!([[0, "number"]])),
        // The code has only the set and the number, which are those of another card.
        ("1 Salt (port) 002", DeckDialect::ShareCode, json!([[0, "name"]])),
        ("1 Nobody {gilded}", DeckDialect::Csv, json!([])),
        ("1 Nobody {gilded}", DeckDialect::ShareCode, json!([])),
    ] {
        assert_eq!(losses(&catalogue, list, dialect), expected, "{dialect}: {list}");
        let written = write_deck(&parse_deck_text(list).deck, dialect, &catalogue, None);
        let read = read_deck(&written.text, &DeckReading::new(&catalogue).in_dialect(dialect));
        let is_kept =
            read.deck.entries[0].card.name == parse_deck_text(list).deck.entries[0].card.name;
        assert_eq!(is_kept, expected != json!([[0, "name"]]), "{dialect}: {list}: {read:?}");
    }
    // Marks in a name do not change this.
    let catalogue = units(&[("two", "6", "Agent #7", 1)]);
    let kinds = losses(&catalogue, "1 Agent #7 (one)", DeckDialect::Csv);
    assert_eq!(kinds, json!([[0, "set"]]));
}

/// Tables of other programs write `Normal` where a card has no particular rarity.
#[test]
fn a_rarity_with_the_name_normal_is_a_rarity_of_a_table() {
    let game = "code='pond'\nname='Pond'\nrules_version='1'\n[[kinds]]\ncode='fish'\nname='Fish'\n\
        [[rarities]]\ncode='normal'\nname='Normal'\n[[rarities]]\ncode='rare'\nname='Rare'";
    let carp = json!({
        "number": "1", "name": "Carp", "kind": "fish",
        "printings": [{ "rarity": "normal" }, { "rarity": "rare" }],
    });
    let game = Game::from_toml(game).unwrap();
    let pond = Catalogue::builder(&game).add(pool_card("shore", card(carp))).build();
    assert_eq!(losses(&pond, "2 Carp {normal}", DeckDialect::Csv), json!([]));
    let rarity = |catalogue: &Catalogue, list: &str| {
        let read = read_deck(list, &DeckReading::new(catalogue));
        read.deck.entries.into_iter().next_back().unwrap().card.rarity
    };
    let table = "1 Carp\n\n| Quantity | Name | Rarity |\n|---|---|---|\n| 2 | Carp | Normal |";
    assert_eq!(rarity(&pond, table).as_deref(), Some("normal"));
    let table = "Quantity,Name,Rarity\n2,Salt,Normal";
    assert_eq!(rarity(&shipped(HARBOUR), table), None);
}

/// Chats change the signs of a text, unless there are such marks around it.
#[test]
fn links_may_have_marks_around_them() {
    let catalogue = with_ids();
    let deck = parse_deck_text("2 Reed Heron").deck;
    let link = write_deck(&deck, DeckDialect::Ydke, &catalogue, None).text;
    for (text, numbers) in [
        (format!("`{link}`"), vec![1]),
        (format!("<{link}>"), vec![1]),
        (format!("\"{link}\""), vec![1]),
        (format!("> `{link}`"), vec![1]),
        (format!("```{link}```"), vec![1]),
        (format!("\n{link}"), vec![2]),
        (format!("Check my deck: {link}"), vec![1, 1]),
        (format!("> Deck: `{link}`"), vec![1, 1]),
        (format!("```text\n{link}\n```\n"), vec![1, 2, 3]),
    ] {
        let read = read_deck(&text, &DeckReading::new(&catalogue));
        let entries = read.deck.entries.iter().map(|entry| (entry.quantity, &*entry.card.name));
        assert_eq!(entries.collect::<Vec<_>>(), [(2, "Reed Heron")], "{text}");
        let lines: Vec<usize> = read.lines.iter().map(|line| line.line).collect();
        assert_eq!(lines, numbers, "{text}");
    }
    // Faults have the number of the line of the link.
    let read = read_deck("```\nydke://?!!!\n```", &DeckReading::new(&catalogue));
    let fence = LineVerdict::Ignored(IgnoredReason::Decoration);
    let detail = MalformedText::PartNotBase64;
    let damaged = LineVerdict::Ignored(IgnoredReason::Malformed { detail });
    let verdicts: Vec<_> = read.lines.iter().map(|line| (line.line, &line.verdict)).collect();
    assert_eq!(verdicts, [(1, &fence), (2, &damaged), (3, &fence)]);
}

#[test]
fn broken_links_are_reported() {
    let catalogue = with_ids();
    for (link, detail, words) in [
        ("ydke://?!!!", MalformedText::PartNotBase64, "a part is no base64"),
        (
            "ydke://cREB!!!",
            MalformedText::PartWithoutIds,
            "a part is no row of numbers of four bytes",
        ),
        ("ydke://!!!!cREBAA==", MalformedText::TooManyParts, "the link has more than three parts"),
    ] {
        let read = read_deck(link, &DeckReading::new(&catalogue));
        let reported: Vec<&LineVerdict> = read.lines.iter().map(|line| &line.verdict).collect();
        let reason = IgnoredReason::Malformed { detail };
        let told_in_words = json!({ "reason": "malformed", "detail": words });
        assert_eq!(serde_json::to_value(&reason).unwrap(), told_in_words, "{link}");
        assert!(reported.contains(&&LineVerdict::Ignored(reason)), "{link}: {reported:?}");
    }
    let many: Vec<u8> = (0..1_000_000_u32).flat_map(u32::to_le_bytes).collect();
    let link = format!("ydke://{}!!!", base64(&many));
    let read = read_deck(&link, &DeckReading::new(&catalogue));
    assert_eq!(read.lines.len() + read.lines_left_out, 1_000_000);
    assert_eq!(read.lines.len(), 10_000);
}

fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::new();
    for group in bytes.chunks(3) {
        let number = group.iter().fold(0_u32, |number, byte| (number << 8) | u32::from(*byte))
            << (8 * (3 - group.len()));
        for at in 0..=group.len() {
            text.push(char::from(DIGITS[((number >> (18 - 6 * at)) & 63) as usize]));
        }
        text.extend(std::iter::repeat_n('=', 3 - group.len()));
    }
    text
}

#[test]
fn names_are_read_in_all_the_ways_that_they_may_be_meant() {
    let catalogue = with_ids();
    let list = "2 Marsh Toad\n1 Marsh Toad (two)\n7 of Reeds\n2 7 of Reeds\n1 Café (Noir)\n1 cafe (noir)\n\
        1 Agent #7\n1 Agent #7 (two) 6 #tag\n1 🪶\n1 🐸\n2 Ice // Fire\n1 ❄\n1 Ice // Fire // my own\n3 Stone Owl\n1 (two) 6\nCompanion\nCompanion:\n";
    let expected = "moxfield, utf8: a finish between asterisks or a tag after \"#\"\n\
        \x20 1 main: 2 Marsh Toad | ambiguous Marsh Toad (one) 3, Marsh Toad (two) 3\n\
        \x20 2 main: 1 Marsh Toad (two) | accepted\n\
        \x20 3 main: 1 7 of Reeds | guessed [{\"guess\":\"quantity_is_part_of_name\"}]\n\
        \x20 4 main: 2 7 of Reeds | accepted\n\
        \x20 5 main: 1 Café (Noir) | guessed [{\"guess\":\"marks_are_part_of_name\"}]\n";
    let found = lines(&catalogue, list);
    assert!(found.starts_with(expected), "{found}");
    let rest: Vec<&str> = found[expected.len()..].lines().collect();
    assert_eq!(
        rest,
        [
            "  6 main: 1 Café (Noir) | guessed [{\"guess\":\"name_spelled\",\"name\":\"Café (Noir)\"}]",
            "  7 main: 1 Agent #7 | guessed [{\"guess\":\"marks_are_part_of_name\"}]",
            "  8 main: 1 Agent #7 (two) 6 | guessed [{\"guess\":\"marks_are_part_of_name\"}] | tags tag",
            "  9 main: 1 Reed Heron (one) 2 | guessed [{\"guess\":\"by_symbol\",\"name\":\"Reed Heron\"}]",
            " 10 main: 1 🐸 | ambiguous Marsh Toad (one) 3, Marsh Toad (two) 3",
            " 11 main: 2 Ice // Fire | accepted",
            " 12 main: 1 Ice // Fire (two) 7 | guessed [{\"guess\":\"by_symbol\",\"name\":\"Ice // Fire\"}]",
            " 13 main: 1 Ice // Fire | guessed [{\"guess\":\"remark_dropped\",\"remark\":\"my own\"}]",
            " 14 main: 3 Stone Owl | accepted",
            " 15 main: 1 Agent #7 (two) 6 | accepted",
            " 16 main: 1 Companion | guessed [{\"guess\":\"one_copy\"}]",
            " 17 `Companion:` | ignored {\"reason\":\"zone_header\",\"zone\":\"companion\"}",
        ]
    );
}

#[test]
fn json_keeps_copies_and_nothing_else_does() {
    let catalogue = shipped(HARBOUR);
    let copies = vec!["a".to_owned()];
    let deck = Deck { entries: vec![DeckEntry { copies, ..DeckEntry::main(1, "Salt") }] };
    for dialect in DeckDialect::ALL {
        let written = write_deck(&deck, dialect, &catalogue, None);
        let kinds: Vec<_> = written.losses.iter().map(|loss| loss.kind).collect();
        let keeps = dialect == DeckDialect::Json;
        assert_eq!(kinds.contains(&cardscape_engine::LossKind::Copies), !keeps, "{dialect}");
        let read = read_deck(&written.text, &DeckReading::new(&catalogue).in_dialect(dialect));
        assert_eq!(read.deck == deck, keeps, "{dialect}");
    }
    let broken = read_deck("{\"entries\": [", &DeckReading::new(&catalogue));
    assert!(matches!(
        &broken.lines[0].verdict,
        LineVerdict::Ignored(IgnoredReason::Malformed { detail })
            if detail.to_string().starts_with("the JSON is no deck: ")
    ));
}

/// One line with marks of our own text does not make the others ours, so names that other programs would split are in quotes.
#[test]
fn our_own_text_without_a_comment_keeps_names_of_unknown_cards() {
    let catalogue = shipped(HARBOUR);
    let mut deck = parse_deck_text("1 Silk {gilded}").deck;
    for name in ["Nobody #4", "Nobody (of the sea)", "Nobody [of the sea]", "Nobody ^a^", "Ｎｏ！"]
    {
        deck.entries.push(DeckEntry::main(2, name));
    }
    let text = render_deck_text(&deck);
    assert_eq!(parse_deck_text(&text).deck, deck, "{text}");
    let read = read_deck(&text, &DeckReading::new(&catalogue));
    assert_eq!((read.dialect, read.deck), (DeckDialect::Own, deck), "{text}");
}

#[test]
fn a_zone_that_the_game_lacks_is_reported() {
    // An alias of a zone is read as its code.
    let read = read_deck("[Quay]\n1 Salt {plain}", &DeckReading::new(&shipped(HARBOUR)));
    assert_eq!(read.dialect, DeckDialect::Own);
    assert_eq!(read.deck.entries[0].zone, "side");
    assert_eq!(read.lines[1].verdict, LineVerdict::Accepted);
    let read =
        read_deck("1 Tiny Smile\n\nSideboard\n1 🙂", &DeckReading::new(&shipped("emoji-tcg")));
    let LineVerdict::Guessed { how } = &read.lines[2].verdict else { panic!("{read:?}") };
    assert_eq!(
        *how,
        [
            Guess::BySymbol { name: "Tiny Smile".to_owned() },
            Guess::ZoneNotInGame { zone: "side".to_owned() },
        ]
    );
    // Without such a zone, a blank line is only a blank line.
    let read = read_deck("1 Tiny Smile\n\n1 Happy Tears", &DeckReading::new(&shipped("emoji-tcg")));
    assert_eq!(
        read.deck.entries.iter().map(|entry| &*entry.zone).collect::<Vec<_>>(),
        ["main", "main"]
    );
}
