//! Deck construction. Tests are named after the rules.
#![allow(missing_docs, clippy::unwrap_used)]

mod support;

use cardscape_engine::{CardReference, Catalogue, Deck, DeckEntry, Fix, ReportStatus, Severity};
use serde_json::json;
use support::{card, codes, deck, emoji, game, judge, outline, pool, shipped, spell, unit};

/// 40 rank 1 units of fire, named Spark 0 to Spark 39.
fn sparks() -> Catalogue {
    let lore = card(json!({ "number": "1", "name": "The First Spark", "kind": "lore" }));
    let units = (0..40).map(|at| unit(&format!("Spark {at}"), "fire", 1));
    pool(&game("ttcg"), units.chain([lore]))
}

/// Two each of Spark 0, Spark 1, … and one more when the size is odd.
fn spark_deck(size: u32) -> Deck {
    let pairs = (0..size / 2).map(|at| DeckEntry::main(2, format!("Spark {at}")));
    let rest = (size % 2 == 1).then(|| DeckEntry::main(1, format!("Spark {}", size / 2)));
    Deck { entries: pairs.chain(rest).collect() }
}

#[test]
fn t_2_2_1a_t_t7_50_to_70_cards() {
    let catalogue = sparks();
    for (size, expected) in [
        (48, vec!["DECK_SIZE_BELOW_MIN T-2.2.1a 50 48"]),
        (49, vec!["DECK_SIZE_BELOW_MIN T-2.2.1a 50 49"]),
        (50, vec![]),
        (70, vec![]),
        (71, vec!["DECK_SIZE_ABOVE_MAX T-2.2.1a 70 71"]),
    ] {
        let report = judge(&spark_deck(size), &catalogue, "standard");
        assert_eq!(outline(&report.violations), expected, "{size} cards");
        assert_eq!(report.total, u64::from(size));
        assert_eq!(report.counts["main"], u64::from(size));
    }
    let short = judge(&spark_deck(48), &catalogue, "standard");
    assert_eq!(short.status, ReportStatus::Incomplete);
    assert_eq!(short.violations[0].severity, Severity::Incomplete);
    assert_eq!(short.violations[0].section, "2.2.1");
    assert_eq!(
        short.violations[0].fix,
        Some(Fix::AddCards { zone: "main".to_owned(), quantity: 2 })
    );
    assert_eq!(judge(&spark_deck(71), &catalogue, "standard").status, ReportStatus::Illegal);
}

#[test]
fn t_2_2_1b_t_t7_three_copies_over_rarities_are_one_violation() {
    let catalogue = sparks();
    let mut list = spark_deck(50);
    let mut third = DeckEntry::main(1, "Spark 3");
    third.card.rarity = Some("primal_rare".to_owned());
    list.entries.push(third);
    let report = judge(&list, &catalogue, "standard");
    assert_eq!(outline(&report.violations), ["COPY_LIMIT_EXCEEDED T-2.2.1b 2 3"]);
    assert_eq!(report.status, ReportStatus::Illegal);
    assert_eq!(report.violations[0].cards.len(), 1);
    assert_eq!(report.violations[0].cards[0].name, "Spark 3");
    assert_eq!(
        report.violations[0].fix,
        Some(Fix::RemoveCopies { name: "Spark 3".to_owned(), quantity: 1 })
    );
    assert_eq!(report.violations[0].message(), "3 copies of “Spark 3”; at most 2 allowed.");
}

#[test]
fn t_a6_the_same_name_in_two_sets_is_the_same_card() {
    let game = game("ttcg");
    let mut again = unit("Spark 3", "fire", 1);
    again.number = "900".to_owned();
    let base = std::sync::Arc::new(sparks());
    let catalogue = Catalogue::with_extra(base, [support::pool_card("later", again)]);
    assert_eq!(catalogue.game().code(), game.code());
    let mut list = spark_deck(50);
    let mut third = DeckEntry::main(1, "spark-3");
    third.card.set = Some("LATER".to_owned());
    list.entries.push(third);
    let report = judge(&list, &catalogue, "standard");
    assert_eq!(outline(&report.violations), ["COPY_LIMIT_EXCEEDED T-2.2.1b 2 3"]);
    assert_eq!(report.violations[0].cards.len(), 2, "both definitions are named");
}

#[test]
fn t_2_2_1c_t_t7_all_spells_are_legal_with_a_warning() {
    let spells = (0..30).map(|at| spell(&format!("Hush {at}"), 1, 20, 0));
    let catalogue = pool(&game("ttcg"), spells);
    let names: Vec<String> = (0..30).map(|at| format!("Hush {at}")).collect();
    let report = judge(&deck(names.iter().map(|name| (2, name.as_str()))), &catalogue, "standard");
    assert_eq!(codes(&report.violations), ["NO_RANK_1_UNIT"]);
    assert_eq!(report.violations[0].severity, Severity::Warning);
    assert_eq!(report.status, ReportStatus::Legal);
    assert!(
        judge(&spark_deck(60), &sparks(), "standard").violations.is_empty(),
        "all units are legal, too"
    );
}

#[test]
fn t_2_2_1d_no_lore_cards() {
    let mut list = spark_deck(50);
    list.entries.push(DeckEntry::main(1, "The First Spark"));
    assert_eq!(
        outline(&judge(&list, &sparks(), "standard").violations),
        ["KIND_NOT_ALLOWED T-2.2.1d 0 1"]
    );
}

#[test]
fn t_2_2_1e_unknown_cards_and_printings() {
    let catalogue = sparks();
    let mut list = spark_deck(48);
    list.entries.push(DeckEntry::main(2, "Sprak 30"));
    let mut report = judge(&list, &catalogue, "standard");
    report.suggest(&catalogue);
    assert_eq!(
        outline(&report.violations),
        ["CARD_UNKNOWN T-2.2.1e - 2"],
        "unknown cards count for the size"
    );
    assert_eq!(report.violations[0].suggestions[0], "Spark 30");
    assert_eq!(
        report.violations[0].fix,
        Some(Fix::Rename { from: "Sprak 30".to_owned(), to: "Spark 30".to_owned() })
    );

    let references = [
        CardReference { rarity: Some("gold".to_owned()), ..CardReference::named("Spark 30") },
        CardReference { set: Some("nowhere".to_owned()), ..CardReference::named("Spark 30") },
        CardReference {
            set: Some("test".to_owned()),
            number: Some("032".to_owned()),
            ..CardReference::named("Spark 30")
        },
    ];
    for card in references {
        let mut list = spark_deck(50);
        list.entries.push(DeckEntry { card, ..DeckEntry::main(1, "") });
        let report = judge(&list, &catalogue, "standard");
        assert_eq!(codes(&report.violations), ["PRINTING_UNKNOWN"]);
        assert_eq!(report.violations[0].rule, "T-2.2.1e");
    }
    let right = [
        CardReference {
            rarity: Some("Primal Rare".to_owned()),
            ..CardReference::named("SPARK 30")
        },
        CardReference {
            set: Some("Test".to_owned()),
            number: Some("31".to_owned()),
            ..CardReference::default()
        },
    ];
    for card in right {
        let mut list = spark_deck(50);
        list.entries.push(DeckEntry { card, ..DeckEntry::main(1, "") });
        assert_eq!(judge(&list, &catalogue, "standard").violations, []);
    }
}

#[test]
fn t_2_2_1e_empty_entries_and_unknown_zones() {
    let mut list = spark_deck(50);
    list.entries.push(DeckEntry::main(0, "Spark 30"));
    list.entries.push(DeckEntry { zone: "side".to_owned(), ..DeckEntry::main(1, "Spark 31") });
    let report = judge(&list, &sparks(), "standard");
    assert_eq!(codes(&report.violations), ["ZONE_UNKNOWN", "ENTRY_COUNT_INVALID"]);
    assert_eq!(report.counts["main"], 50);
    assert_eq!(report.total, 51);
}

#[test]
fn t_2_2_6a_advice_about_unreachable_ranks() {
    let cards = [
        unit("Ember", "fire", 1),
        unit("Blaze", "fire", 2),
        unit("Inferno", "fire", 4),
        unit("Tide", "water", 2),
        spell("Whisper", 2, 20, 0),
    ];
    let catalogue = pool(&game("ttcg"), cards);
    let report = judge(
        &deck([(1, "Ember"), (1, "Blaze"), (1, "Inferno"), (1, "Tide"), (1, "Whisper")]),
        &catalogue,
        "standard",
    );
    let unreachable: Vec<&str> = report
        .violations
        .iter()
        .filter(|violation| violation.code.as_str() == "UNREACHABLE_RANK")
        .map(|violation| violation.cards[0].name.as_str())
        .collect();
    assert_eq!(unreachable, ["Inferno", "Tide", "Whisper"]);
}

/// Numbers as large as they can be, and every violation at once.
#[test]
fn quantities_do_not_overflow() {
    let entry = DeckEntry::main(u32::MAX, "Spark 1");
    let report = judge(&Deck { entries: vec![entry; 3] }, &sparks(), "standard");
    assert_eq!(report.total, 3 * u64::from(u32::MAX));
    assert_eq!(codes(&report.violations), ["DECK_SIZE_ABOVE_MAX", "COPY_LIMIT_EXCEEDED"]);
}

/// Cards by stage: enough for legal decks.
fn feed() -> Catalogue {
    let stages = [("basicmoji", 12), ("supermoji", 6), ("ultramoji", 4), ("megamoji", 3)];
    let cards = stages.into_iter().flat_map(|(stage, count)| {
        (0..count).map(move |at| emoji(&format!("{stage} {at}"), stage))
    });
    pool(&game("emoji-tcg"), cards)
}

const LEGAL_FEED: [(u32, &str); 12] = [
    (4, "basicmoji 0"),
    (4, "basicmoji 1"),
    (4, "basicmoji 2"),
    (4, "basicmoji 3"),
    (4, "basicmoji 4"),
    (4, "basicmoji 5"),
    (3, "supermoji 0"),
    (3, "supermoji 1"),
    (3, "supermoji 2"),
    (2, "ultramoji 0"),
    (2, "ultramoji 1"),
    (1, "megamoji 0"),
];

#[test]
fn e_6_1_e_t5_exactly_40_cards() {
    let catalogue = feed();
    let mut list = deck(LEGAL_FEED);
    assert_eq!(
        outline(&judge(&list, &catalogue, "playtest").violations),
        ["DECK_SIZE_BELOW_MIN E-6.1 40 38"]
    );
    list.entries.push(DeckEntry::main(1, "basicmoji 7"));
    assert_eq!(
        outline(&judge(&list, &catalogue, "playtest").violations),
        ["DECK_SIZE_BELOW_MIN E-6.1 40 39"]
    );
    list.entries.push(DeckEntry::main(1, "basicmoji 8"));
    assert_eq!(judge(&list, &catalogue, "playtest").violations, []);
    list.entries.push(DeckEntry::main(1, "basicmoji 9"));
    assert_eq!(
        outline(&judge(&list, &catalogue, "playtest").violations),
        ["DECK_SIZE_ABOVE_MAX E-6.1 40 41"]
    );
}

#[test]
fn e_6_2_e_6_3_e_6_4_e_6_5_e_t5_copies_by_stage() {
    let mut list = deck(LEGAL_FEED);
    for entry in [0, 6, 9, 11] {
        list.entries[entry].quantity += 1;
    }
    list.entries[1].quantity -= 2;
    let report = judge(&list, &feed(), "playtest");
    assert_eq!(
        outline(&report.violations),
        [
            "COPY_LIMIT_EXCEEDED E-6.2 4 5",
            "COPY_LIMIT_EXCEEDED E-6.3 3 4",
            "COPY_LIMIT_EXCEEDED E-6.4 2 3",
            "COPY_LIMIT_EXCEEDED E-6.5 1 2",
        ]
    );
}

#[test]
fn e_6_6_e_6_7_unknown_cards_and_empty_lines() {
    let mut list = deck(LEGAL_FEED);
    list.entries.push(DeckEntry::main(2, "gigamoji 0"));
    list.entries.push(DeckEntry::main(0, "basicmoji 0"));
    assert_eq!(
        outline(&judge(&list, &feed(), "playtest").violations),
        ["CARD_UNKNOWN E-6.6 - 2", "ENTRY_COUNT_INVALID E-6.7 1 0"]
    );
    // The same card on two lines is added up.
    list.entries.truncate(12);
    list.entries.push(DeckEntry::main(2, "basicmoji 0"));
    assert_eq!(
        outline(&judge(&list, &feed(), "playtest").violations),
        ["COPY_LIMIT_EXCEEDED E-6.2 4 6"]
    );
}

#[test]
fn e_8_6_e_9_1_advice_about_stages() {
    let report = judge(&deck([(3, "supermoji 0"), (1, "megamoji 0")]), &feed(), "playtest");
    let advice: Vec<&str> = report
        .violations
        .iter()
        .filter(|violation| violation.severity == Severity::Warning)
        .map(|violation| violation.code.as_str())
        .collect();
    assert_eq!(advice, ["NO_BASICMOJI", "UNREACHABLE_STAGE", "UNREACHABLE_STAGE"]);
}

/// The complete box of a game, card by card.
fn full_box(
    code: &str,
    copies: impl Fn(&str, &serde_json::Map<String, serde_json::Value>) -> u32,
) -> Deck {
    let entries = shipped(code)
        .iter()
        .map(|card| {
            let definition = &card.definition;
            DeckEntry::main(copies(&definition.kind, &definition.attributes), &definition.name)
        })
        .collect();
    Deck { entries }
}

fn uno_box() -> Deck {
    full_box("uno-emoji", |kind, attributes| match kind {
        "number" if attributes["number"] == 0 => 1,
        "wild" | "wild_draw_four" => 4,
        "wild_customizable" => 3,
        "wild_emoji" => 1,
        _ => 2,
    })
}

fn change(deck: &mut Deck, name: &str, by: i64) {
    let entry = deck.entries.iter_mut().find(|entry| entry.card.name == name).unwrap();
    entry.quantity = u32::try_from(i64::from(entry.quantity) + by).unwrap();
    deck.entries.retain(|entry| entry.quantity > 0);
}

#[test]
fn u_1_1_u_2_1_u_t13_the_default_box_is_valid() {
    let report = judge(&uno_box(), &shipped("uno-emoji"), "box");
    assert_eq!((report.total, report.status), (112, ReportStatus::Legal));
    assert_eq!(report.variant.as_deref(), Some("three_and_one"));
    assert_eq!(report.violations, []);
}

#[test]
fn u_2_1_u_t13_missing_and_extra_cards_all_at_once() {
    let catalogue = shipped("uno-emoji");
    let mut list = uno_box();
    change(&mut list, "Red 0", -1);
    let report = judge(&list, &catalogue, "box");
    assert_eq!(report.status, ReportStatus::Incomplete);
    assert_eq!(
        outline(&report.violations),
        ["BOX_CARD_MISSING U-2.1 1 0", "BOX_TOTAL_MISMATCH U-2.1 112 111"]
    );
    change(&mut list, "Wild", 1);
    let report = judge(&list, &catalogue, "box");
    assert_eq!(report.status, ReportStatus::Illegal);
    assert_eq!(
        outline(&report.violations),
        ["BOX_CARD_EXTRA U-2.1 4 5", "BOX_CARD_MISSING U-2.1 1 0"]
    );
    assert_eq!(report.violations[1].cards[0].name, "Red 0");
    let empty = judge(&Deck::default(), &catalogue, "box");
    assert_eq!(empty.violations.len(), 56 + 1, "every card of the box, and the total");
    assert_eq!(empty.status, ReportStatus::Incomplete);
}

#[test]
fn u_2_2_the_split_of_the_last_four_cards_is_a_variant() {
    let catalogue = shipped("uno-emoji");
    let format = catalogue.game().format("box").unwrap();
    let mut list = uno_box();
    change(&mut list, "Wild Customizable", -1);
    change(&mut list, "Wild Emoji", 1);
    assert!(!cardscape_engine::validate(&list, &catalogue, format).is_legal());
    let other = format.with_variant("two_and_two").unwrap();
    assert!(cardscape_engine::validate(&list, &catalogue, &other).is_legal());
    assert!(format.with_variant("four_and_none").is_none());
}

fn dojo_box() -> Deck {
    full_box("emojo-dojo", |kind, _| if kind == "face_off" { 4 } else { 8 })
}

#[test]
fn d_2_3_d_2_5_d_t14_the_full_box_and_one_sensei_short() {
    let catalogue = shipped("emojo-dojo");
    let mut list = dojo_box();
    let report = judge(&list, &catalogue, "box");
    assert_eq!((report.total, report.violations), (100, vec![]));
    change(&mut list, "Sensei", -1);
    assert_eq!(
        outline(&judge(&list, &catalogue, "box").violations),
        ["BOX_CARD_MISSING D-2.5 8 7", "BOX_TOTAL_MISMATCH D-2.5 100 99"]
    );
}

#[test]
fn d_14_1_half_the_box_is_a_variant() {
    let catalogue = shipped("emojo-dojo");
    let half = catalogue.game().format("box").unwrap().with_variant("half").unwrap();
    let mut list = dojo_box();
    list.entries.iter_mut().for_each(|entry| entry.quantity /= 2);
    let report = cardscape_engine::validate(&list, &catalogue, &half);
    assert_eq!((report.total, report.violations), (50, vec![]));
    assert!(!judge(&list, &catalogue, "box").is_legal());
}

#[test]
fn m_2_1_each_of_the_100_cards_once() {
    let catalogue = shipped("emojito");
    let mut list = full_box("emojito", |_, _| 1);
    assert_eq!(list.entries.len(), 100);
    assert_eq!(judge(&list, &catalogue, "box").violations, []);
    list.entries[7].quantity = 2;
    list.entries.remove(8);
    let report = judge(&list, &catalogue, "box");
    assert_eq!(
        outline(&report.violations),
        ["BOX_CARD_EXTRA M-2.1 1 2", "BOX_CARD_MISSING M-2.1 1 0"]
    );
    assert_eq!(report.total, 100, "the total alone would not tell");
}
