//! A game that no code knows: zones, a limit list, exemptions, a fixed box and dated rules, as data alone.
//!
//! It is the sample game of `docs/GAMES.md`, in `tests/data/games/harbour`.

use std::sync::{Arc, LazyLock};

use crate::support::{
    self, HARBOUR, card, codes, deck, files, outline, pool, pool_card, sets, shipped,
};
use cardscape_engine::{
    CardDefinition, Catalogue, Deck, DeckEntry, Fix, Game, KnownSet, KnownSets, ManifestFault,
    Report, ReportStatus, check_card, check_set, parse_deck_text, render_deck_text, validate,
};
use serde_json::{Value, json};

static MANIFEST: LazyLock<String> = LazyLock::new(|| support::manifest(HARBOUR));

fn cargo(name: &str, weight: i64) -> CardDefinition {
    let attributes = json!({ "weight": weight, "price": 1 });
    card(json!({ "number": "1", "name": name, "kind": "cargo", "attributes": attributes }))
}

fn harbour() -> Arc<Catalogue> {
    shipped(HARBOUR)
}

fn judge(text: &str) -> Report {
    let parsed = parse_deck_text(text);
    assert_eq!(parsed.faults, []);
    let catalogue = harbour();
    validate(&parsed.deck, &catalogue, catalogue.game().format("trade").unwrap())
}

#[test]
fn the_sets_are_sound_and_the_decks_what_their_names_say() {
    let catalogue = harbour();
    let game = catalogue.game();
    for (file, set) in sets(HARBOUR) {
        assert_eq!(check_set(game, &set), [], "{file}");
        assert_eq!(file, format!("{}.json", set.code));
    }
    let decks = files(HARBOUR, "decks");
    assert!(decks.len() >= 4);
    for (file, text) in decks {
        let parsed = parse_deck_text(&text);
        assert_eq!(parsed.faults, [], "{file}");
        let format = parsed.notes["format"].strip_prefix("harbour/").unwrap();
        let report = validate(&parsed.deck, &catalogue, game.format(format).unwrap());
        assert_eq!(report.is_legal(), file.starts_with("legal-"), "{file}: {report:#?}");
        assert_eq!(parse_deck_text(&render_deck_text(&parsed.deck)).deck, parsed.deck);
    }
}

/// The manifest's rules about cards are checked on cards.
#[test]
fn cards_are_checked_by_the_manifest_alone() {
    let game = support::game(HARBOUR);
    let faults = |value: Value| outline(&check_card(&game, &card(value)));
    let silk = json!({
        "number": "002", "name": "Silk", "kind": "cargo", "attributes": { "weight": 5, "price": 9 },
        "effects": [{ "style": "arrival", "text": "Draw one card." }],
        "printings": [{ "rarity": "plain" }, { "rarity": "gilded", "attributes": { "price": 11 } }],
    });
    assert_eq!(faults(silk.clone()), Vec::<String>::new());
    let changed = |pointer: &str, value: Value| {
        let mut card = silk.clone();
        *card.pointer_mut(pointer).unwrap() = value;
        faults(card)
    };
    assert_eq!(changed("/attributes/weight", json!(101)), ["ATTRIBUTE_OUT_OF_RANGE H-20 100 101"]);
    assert_eq!(changed("/effects/0/style", json!("song")), ["EFFECT_STYLE_UNKNOWN H-20 - -"]);
    assert_eq!(changed("/printings/1/attributes/price", json!(12)), ["GILDED_PRICE H-21 2 3"]);
    assert_eq!(changed("/name", json!(" ")), ["NAME_INVALID H-0 120 -"]);
    let ship = |guns: i64| {
        let attributes = json!({ "class": "sloop", "crew": 6, "guns": guns });
        faults(json!({ "number": "8", "name": "Cutter", "kind": "ship", "attributes": attributes }))
    };
    assert_eq!(ship(4), Vec::<String>::new());
    assert_eq!(ship(5), ["ATTRIBUTE_TOTAL_MISMATCH H-31 10 11"]);
}

#[test]
fn exemptions_zones_and_requirements() {
    let report = judge("9 Salt\n1 Silk\n\nSideboard\n1 Anchor\n[extra]\n3 Brig\n");
    assert_eq!(report.violations, []);
    assert_eq!(
        report.counts.iter().map(|count| (&*count.zone, count.cards)).collect::<Vec<_>>(),
        [("main", 10), ("side", 1), ("extra", 3)],
        "as the manifest orders its zones"
    );
    assert_eq!((report.cards_in("side"), report.cards_in("attic")), (1, 0));

    let report =
        judge("5 Salt\n2 Brig\nSB: 4 Anchor\n[Attic]\n1 Anchor\n[extra]\n1 Salt\n2 Brig\n");
    assert_eq!(
        outline(&report.violations),
        [
            "ZONE_SIZE_ABOVE_MAX H-2 2 4",
            "COPY_LIMIT_EXCEEDED H-3 3 5",
            "COPY_LIMIT_EXCEEDED H-3 3 4",
            "KIND_NOT_ALLOWED H-4 0 1",
            "KIND_NOT_ALLOWED H-5 0 2",
            "REQUIRED_CARDS_MISSING H-6 1 0",
            "ZONE_UNKNOWN H-10 - -",
        ]
    );
    let ship = report.violations.iter().find(|one| one.rule == "H-6").unwrap();
    assert_eq!(ship.fix, Some(Fix::AddMatchingCards { zone: "main".to_owned(), quantity: 1 }));
    assert_eq!(report.violations[0].zone.as_deref(), Some("side"));
    // The crate has no rule about unknown cards; they are still reported, by the service's own rule.
    let format = harbour().game().format("crate").unwrap().clone();
    let report = validate(&deck([(1, "Slik")]), &harbour(), &format);
    assert!(outline(&report.violations).contains(&"CARD_UNKNOWN deck - 1".to_owned()));
}

#[test]
fn limit_lists_by_day() {
    let deck = parse_deck_text("6 Salt\n2 Silk\n1 Gunpowder").deck;
    let catalogue = harbour();
    let on = |day: &str| {
        let format = catalogue.game().format_on("trade", day.parse().unwrap())?;
        Some(outline(&validate(&deck, &catalogue, &format).violations))
    };
    assert_eq!(on("2019-12-31"), None);
    assert_eq!(on("2024-12-31").unwrap(), ["DECK_SIZE_BELOW_MIN H-1 10 9"]);
    assert!(on("2025-01-01").unwrap().is_empty());
    assert_eq!(on("2025-08-31").unwrap(), ["CARD_BANNED H-7 0 2"]);
    let autumn = ["CARD_BANNED H-7 0 1", "CARD_LIMIT_EXCEEDED H-7 1 2"];
    assert_eq!(on("2025-09-01").unwrap(), autumn);
    let undated = validate(&deck, &catalogue, catalogue.game().format("trade").unwrap());
    assert_eq!(outline(&undated.violations), autumn);
    assert_eq!(&*undated.format_version, "2");
}

#[test]
fn own_codes_and_severities() {
    let report = judge("6 Salt\n1 Silk\n1 Marble\n1 Anchor\n");
    assert_eq!(outline(&report.violations), ["TOO_HEAVY H-8 0 1"]);
    assert_eq!(report.status, ReportStatus::Legal);
    assert_eq!(
        report.violations[0].message(),
        "Nothing too heavy, but anchors. Expected 0, found 1. Concerned: “Marble” (port) 005."
    );
}

#[test]
fn boxes_by_name() {
    let catalogue = harbour();
    let format = catalogue.game().format("crate").unwrap();
    let check =
        |text: &str| outline(&validate(&parse_deck_text(text).deck, &catalogue, format).violations);
    assert!(check("4 Salt\n1 Silk\n1 Anchor").is_empty());
    let total_fix = |text: &str| {
        let report = validate(&parse_deck_text(text).deck, &catalogue, format);
        let total =
            report.violations.into_iter().find(|one| one.code.as_str() == "BOX_TOTAL_MISMATCH");
        total.and_then(|one| one.fix)
    };
    let zone = || "main".to_owned();
    assert_eq!(total_fix("9 Salt"), Some(Fix::RemoveCards { zone: zone(), quantity: 3 }));
    assert_eq!(total_fix("5 Salt"), Some(Fix::AddMatchingCards { zone: zone(), quantity: 1 }));
    let half = format.with_variant("half").unwrap();
    let two = parse_deck_text("2 Salt").deck;
    assert!(validate(&two, &catalogue, &half).is_legal());
    assert!(!validate(&two, &catalogue, format).is_legal());
    assert_eq!(
        check("5 Salt\n2 Brig\n1 Anchor"),
        [
            "BOX_CARD_EXTRA H-9 0 2",
            "BOX_CARD_EXTRA H-9 4 5",
            "BOX_TOTAL_MISMATCH H-9 6 8",
            "BOX_CARD_MISSING H-9 1 0"
        ]
    );
}

/// A catalogue also works with formats from another parse of the manifest, but without its precomputed results.
#[test]
fn a_format_of_another_manifest_gives_the_same_report() {
    let catalogue = harbour();
    let other = Game::from_toml(&format!("# the same, with a comment\n{}", *MANIFEST)).unwrap();
    let deck = parse_deck_text("5 Salt\n2 Brig\nSB: 4 Anchor\n1 Marble").deck;
    for code in ["trade", "crate"] {
        let own = validate(&deck, &catalogue, catalogue.game().format(code).unwrap());
        assert_eq!(validate(&deck, &catalogue, other.format(code).unwrap()), own);
    }
}

#[test]
fn a_layer_of_extra_cards_equals_one_pool() {
    let base = harbour();
    let again = CardDefinition { number: "001".to_owned(), ..cargo("Again", 1) };
    let extra = [pool_card("gift", cargo("Spice", 1)), pool_card("port", again)];
    let layered = Catalogue::with_extra(Arc::clone(&base), extra.clone());
    let known = base.len();
    assert_eq!(layered.len(), known + 1, "a card of a known set and number is left out");
    assert_eq!(layered.iter().count(), known + 1);
    let whole = Catalogue::builder(base.game()).extend(base.iter().cloned()).extend(extra).build();
    let deck = parse_deck_text("6 Salt\n4 spice\n1 Spice (gift) 1\n1 Again").deck;
    let format = base.game().format("trade").unwrap();
    let report = validate(&deck, &layered, format);
    assert_eq!(report, validate(&deck, &whole, format));
    assert_eq!(codes(&report.violations), ["COPY_LIMIT_EXCEEDED", "CARD_UNKNOWN"]);
    assert_eq!(
        codes(&validate(&deck, &base, format).violations),
        ["SET_WITHOUT_CARDS", "REQUIRED_CARDS_MISSING", "CARD_UNKNOWN", "CARD_UNKNOWN"]
    );
}

#[test]
fn a_game_without_cards_is_reported_first_and_once() {
    let game = harbour().game().clone();
    let none = Catalogue::builder(&game).build();
    let deck = parse_deck_text("6 Salt\n4 Spice (gift)\n9 Anchor").deck;
    for format in game.formats() {
        let report = validate(&deck, &none, format);
        let codes = codes(&report.violations);
        assert_eq!(codes[0], "GAME_WITHOUT_CARDS", "{}", format.code);
        assert_eq!(codes.iter().filter(|code| code.ends_with("_WITHOUT_CARDS")).count(), 1);
        // Nothing else is reported that could only be known with the cards.
        for code in ["CARD_UNKNOWN", "REQUIRED_CARDS_MISSING", "IDENTITY_MISSING"] {
            assert!(!codes.contains(&code), "{}: {codes:?}", format.code);
        }
        assert_ne!(report.status, ReportStatus::Legal, "{}", format.code);
    }
    let enough = validate(&deck, &none, game.format("trade").unwrap());
    assert_eq!(codes(&enough.violations), ["GAME_WITHOUT_CARDS"]);
    assert_eq!(enough.status, ReportStatus::Incomplete);
    let empty = validate(&Deck::default(), &none, game.format("trade").unwrap());
    assert_eq!(codes(&empty.violations)[0], "GAME_WITHOUT_CARDS");
    // A part of a pool that has cards reports nothing like that.
    let known =
        |code: &str, has_cards| KnownSet { code: code.into(), name: code.into(), has_cards };
    let known = KnownSets::new([known("port", true), known("gift", true), known("isle", false)]);
    let part = Catalogue::builder(&game).part_of(known.into()).build();
    let report = validate(&deck, &part, game.format("trade").unwrap());
    assert_eq!(codes(&report.violations)[0], "REQUIRED_CARDS_MISSING");
    let named = parse_deck_text("1 Salt (PORT)\n1 Salt (isle)").deck;
    let report = validate(&named, &part, game.format("trade").unwrap());
    let gaps: Vec<_> = report.violations.iter().filter_map(|gap| gap.set.as_deref()).collect();
    assert_eq!(gaps, ["isle"], "a set without cards is a gap, though it is known");
}

#[test]
fn similar_codes_are_looked_up_for_few_unknown_sets() {
    let catalogue = harbour();
    let list: String = (0..50).map(|n| format!("1 Salt (port{n:02})\n")).collect();
    let report = validate(
        &parse_deck_text(&list).deck,
        &catalogue,
        catalogue.game().format("trade").unwrap(),
    );
    let gaps: Vec<bool> = report
        .violations
        .iter()
        .filter(|gap| gap.code.as_str() == "SET_WITHOUT_CARDS")
        .map(|gap| gap.suggestions == ["port"])
        .collect();
    assert_eq!((gaps.len(), gaps.iter().filter(|near| **near).count()), (50, 20));
    assert!(gaps[..20].iter().all(|near| *near));
}

#[test]
fn sets_without_cards_are_reported_first_each_once_with_the_entries_that_name_them() {
    let catalogue = harbour();
    let list = "2 Salt (Prot)\n1 Salt\n3 Spice (gift)\n1 Nutmeg (GIFT) 7\n1 Nutmeg\n2 Silk (port)";
    let deck = parse_deck_text(list).deck;
    let report = validate(&deck, &catalogue, catalogue.game().format("trade").unwrap());
    let gaps: Vec<_> = report
        .violations
        .iter()
        .take_while(|one| one.code.as_str() == "SET_WITHOUT_CARDS")
        .collect();
    let reported: Vec<_> = gaps
        .iter()
        .map(|gap| {
            let cards: Vec<_> = gap.cards.iter().map(|card| (&*card.name, card.quantity)).collect();
            (gap.set.as_deref().unwrap(), cards, gap.message())
        })
        .collect();
    let expected = [
        (
            "gift",
            vec![("Nutmeg", Some(1)), ("Spice", Some(3))],
            "No cards of the set “gift” are loaded.".to_owned(),
        ),
        (
            "prot",
            vec![("Salt", Some(2))],
            "No cards of the set “prot” are loaded. Did you mean port?".to_owned(),
        ),
    ];
    assert_eq!(reported, expected);
    assert!(!codes(&report.violations[2..]).contains(&"SET_WITHOUT_CARDS"));
    // A layer adds its sets to those of the pool below it.
    let layered =
        Catalogue::with_extra(Arc::clone(&catalogue), [pool_card("gift", cargo("Clove", 1))]);
    let report = validate(&deck, &layered, catalogue.game().format("trade").unwrap());
    assert_eq!(report.violations[0].set.as_deref(), Some("prot"));
}

#[test]
fn a_box_says_of_which_set_no_cards_are_loaded() {
    let of_isles =
        MANIFEST.replace("{ names = [\"Salt\"] }", "{ names = [\"Salt\"], sets = [\"isles\"] }");
    assert_ne!(of_isles, *MANIFEST);
    let game = Game::from_toml(&of_isles).unwrap();
    let catalogue = Catalogue::builder(&game).extend(harbour().iter().cloned()).build();
    let report = validate(&Deck::default(), &catalogue, game.format("crate").unwrap());
    let gap = &report.violations[0];
    assert_eq!(gap.message(), "No cards of the set “isles” are loaded.");
    assert_eq!((gap.code.as_str(), &gap.cards[..]), ("SET_WITHOUT_CARDS", &[][..]));
}

/// Applying a fix removes the violation and causes no other.
#[test]
fn a_card_in_a_wrong_zone_is_named_with_its_zone_and_can_be_moved() {
    const ZONES: &str = r#"
code = "harbour"
name = "Harbour"
rules_version = "1"
[[zones]]
code = "hold"
name = "Hold"
[[zones]]
code = "attic"
name = "Attic"
[[zones]]
code = "fleet"
name = "Fleet"
[[zones]]
code = "dock"
name = "Dock"
[[zones]]
code = "reef"
name = "Reef"
[[kinds]]
code = "cargo"
name = "Cargo"
[[kinds]]
code = "ship"
name = "Ship"
[[kinds]]
code = "ghost"
name = "Ghost"
[[formats]]
code = "open"
name = "Open"
version = "1"
[[formats.rules]]
rule = "Z-1"
text = "No ships in the hold or on the dock."
forbidden = { zones = ["hold", "dock"], select = { kinds = ["ship"] } }
[[formats.rules]]
rule = "Z-2"
text = "A fleet is made of ships."
allowed = { zones = ["fleet"], select = { kinds = ["ship"] } }
[[formats.rules]]
rule = "Z-3"
text = "A fleet has at most three ships."
zone_size = { zone = "fleet", max = 3 }
[[formats.rules]]
rule = "Z-4"
text = "No ghosts."
forbidden = { select = { kinds = ["ghost"] } }
[[formats.rules]]
rule = "Z-5"
text = "No ship on the reef."
at_most = { max = 0, zones = ["reef"], select = { kinds = ["ship"] } }
"#;
    let game = Game::from_toml(ZONES).unwrap();
    let one = |number: usize, name: &str, kind: &str| {
        card(json!({ "number": number.to_string(), "name": name, "kind": kind }))
    };
    let catalogue = pool(
        &game,
        vec![one(1, "Salt", "cargo"), one(2, "Brig", "ship"), one(3, "Wraith", "ghost")],
    );
    let judge = |list: &str| {
        validate(&parse_deck_text(list).deck, &catalogue, game.format("open").unwrap()).violations
    };
    let reported = |list: &str| -> Vec<(Option<String>, i64, Vec<String>, Value)> {
        judge(list)
            .into_iter()
            .map(|one| {
                assert_eq!(one.code.as_str(), "KIND_NOT_ALLOWED");
                let fix = serde_json::to_value(one.fix).unwrap();
                (one.zone, one.actual.unwrap(), one.suggestions, fix)
            })
            .collect()
    };
    let zone = |code: &str| Some(code.to_owned());
    let moved = |from: &str, to: &str, quantity: u32| json!({ "action": "move_copies", "name": "Brig", "quantity": quantity, "from": from, "to": to });
    let zones = |codes: &[&str]| codes.iter().map(|code| (*code).to_owned()).collect::<Vec<_>>();

    // A rule of the fleet names ships, so it comes before the attic, which takes everything.
    let list = "[hold]\n2 Brig\n[dock]\n1 Brig\n[attic]\n1 Brig";
    assert_eq!(
        reported(list),
        [
            (zone("dock"), 1, zones(&["fleet", "attic"]), moved("dock", "fleet", 1)),
            (zone("hold"), 2, zones(&["fleet", "attic"]), moved("hold", "fleet", 2)),
        ]
    );
    assert_eq!(
        judge(list)[1].message(),
        "Cards of this kind are not allowed in the hold zone: “Brig”. Allowed in: fleet, attic."
    );
    // Its cards are those of the zone.
    let copies = judge(list).iter().map(|one| one.cards[0].quantity).collect::<Vec<_>>();
    assert_eq!(copies, [Some(1), Some(2)]);
    // What does not fit into the fleet goes elsewhere.
    assert_eq!(
        reported("[hold]\n4 Brig"),
        [(zone("hold"), 4, zones(&["attic"]), moved("hold", "attic", 4))]
    );
    assert_eq!(reported("[attic]\n4 Brig\n[fleet]\n3 Brig"), []);
    // Cards that are allowed nowhere can only be removed, and each zone is reported.
    let removed = |quantity: u32| json!({ "action": "remove_copies", "name": "Wraith", "quantity": quantity });
    assert_eq!(
        reported("[hold]\n1 Wraith\n[attic]\n2 Wraith"),
        [(zone("attic"), 2, vec![], removed(2)), (zone("hold"), 1, vec![], removed(1))]
    );

    // A program can apply the edit.
    let mut deck = parse_deck_text("[hold]\n3 Salt\n2 Brig\n[dock]\n1 Brig").deck;
    let format = game.format("open").unwrap();
    for violation in validate(&deck, &catalogue, format).violations {
        let Some(Fix::MoveCopies { name, quantity, from, to }) = violation.fix else {
            panic!("{violation:?}")
        };
        let quantity = u32::try_from(quantity).unwrap();
        let entry = deck
            .entries
            .iter_mut()
            .find(|entry| entry.card.name == name && entry.zone == from)
            .unwrap();
        entry.quantity -= quantity;
        deck.entries.push(DeckEntry { zone: to, ..DeckEntry::main(quantity, name) });
        deck.entries.retain(|entry| entry.quantity > 0);
    }
    assert_eq!(validate(&deck, &catalogue, format).violations, []);
}

#[test]
fn every_fault_of_a_manifest_at_once_with_its_place() {
    let text = MANIFEST
        .replace("min = 10 }", "min = \"ten\" }")
        .replace("max = 2 }", "max = 2, mox = 3 }")
        .replace("zones = [\"extra\"], select", "zones = [\"attic\"], select")
        .replace("kinds = [\"cargo\"], where", "kinds = [\"crate\"], where")
        .replace("weight = { max = 10 }", "wait = { max = 10 }")
        .replace("effective_until = \"2025-09-01\"", "effective_until = \"2025-02-30\"")
        .replace("code = \"TOO_HEAVY\"", "code = \"too heavy\"")
        .replace("total = 6, ", "");
    let error = Game::from_toml(&text).unwrap_err();
    let places: Vec<String> = error.faults.iter().map(|fault| fault.place.clone()).collect();
    for place in [
        "formats[0].rules[0].zone_size.min",
        "formats[1].rules[1].zone_size.mox",
        "formats[1].rules[3].allowed.zones",
        "formats[1].rules[5].requires.select.kinds",
        "formats[1].rules[5].requires.select",
        "formats[1].rules[6].effective_until",
        "formats[1].rules[8].code",
        "formats[2].variants[0].rules[0].fixed_box.total",
    ] {
        assert!(places.iter().any(|known| known == place), "{place} is not among\n{error}");
    }
    assert!(error.faults.iter().all(|fault| fault.position.is_some()), "{error}");
}

#[test]
fn faults_have_their_line_and_column() {
    let at = |text: &str| -> Vec<(usize, usize)> {
        let position = |fault: &ManifestFault| {
            fault.position.map_or((0, 0), |position| (position.line, position.column))
        };
        Game::from_toml(text).unwrap_err().faults.iter().map(position).collect()
    };
    assert_eq!(at("code = \"a\"\nname = \"b\"\nzones = ["), [(3, 10)]);
    assert_eq!(at("a = \nname = \"é\" x\nb = tru"), [(1, 5), (2, 12), (3, 5)]);
    let text = "x = 1\ncode = \"a\"\nname = \"b\"\nrules_version = \"1\"\n\n[[kinds]]\ncode = \"k\"\nname = 5\n  colour = \"red\"\n\
        [[kinds]]\nname = \"L\"\n";
    // An unknown key, a number for a text, an unknown key again, and a table without its code.
    assert_eq!(at(text), [(1, 1), (8, 1), (9, 3), (10, 1)]);
    assert!(!Game::from_toml("").unwrap_err().faults.is_empty());
}

#[test]
fn decks_read_and_write_json() {
    let deck: Deck = serde_json::from_value(
        json!({ "entries": [{ "quantity": 2, "card": { "name": "Salt" } }] }),
    )
    .unwrap();
    assert_eq!(deck.entries, [DeckEntry::main(2, "Salt")]);
    let bad = json!({ "entries": [{ "quantity": -2, "card": { "name": "Salt" } }] });
    assert!(serde_json::from_value::<Deck>(bad).is_err());
    let report = serde_json::to_value(judge("2 Silk")).unwrap();
    assert_eq!(report["status"], "illegal");
    assert_eq!(report["violations"][0]["code"], "CARD_LIMIT_EXCEEDED");
    assert_eq!(report["violations"][0]["severity"], "error");
    assert_eq!(
        report["violations"][0]["fix"],
        json!({ "action": "remove_copies", "name": "Silk", "quantity": 1 })
    );
    assert!(report["violations"][0]["message"].as_str().unwrap().contains("Silk"));
}
