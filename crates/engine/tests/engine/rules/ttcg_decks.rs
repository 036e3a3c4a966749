//! TTCG: deck construction.

use std::sync::Arc;

use cardscape_engine::{CardReference, Catalogue, Deck, DeckEntry, Fix, ReportStatus, Severity};
use serde_json::json;

use crate::support::{
    RARITIES, card, codes, deck, game, judge, outline, pool, pool_card, shipped, spell, unit,
};

/// 40 rank 1 units of fire, named Spark 0 to Spark 39, and a lore card.
fn sparks() -> Catalogue {
    let lore = card(json!({ "number": "1", "name": "The First Spark", "kind": "lore" }));
    let units = (0..40).map(|at| unit(&format!("Spark {at}"), "fire", 1));
    pool(&game("ttcg"), units.chain([lore]))
}

/// Two copies each of Spark 0, Spark 1, …, and one more card when the size is odd.
fn spark_deck(size: u32) -> Deck {
    let pairs = (0..size / 2).map(|at| DeckEntry::main(2, format!("Spark {at}")));
    let rest = (size % 2 == 1).then(|| DeckEntry::main(1, format!("Spark {}", size / 2)));
    Deck { entries: pairs.chain(rest).collect() }
}

fn faults(deck: &Deck, catalogue: &Catalogue) -> Vec<String> {
    outline(&judge(deck, catalogue, "standard").violations)
}

/// A deck of 50 and one more entry.
fn spark_deck_and(entry: DeckEntry) -> Deck {
    let mut deck = spark_deck(50);
    deck.entries.push(entry);
    deck
}

fn in_rarity(quantity: u32, name: &str, rarity: &str) -> DeckEntry {
    let card = CardReference { rarity: Some(rarity.to_owned()), ..CardReference::named(name) };
    DeckEntry { card, ..DeckEntry::main(quantity, "") }
}

#[test]
fn t_2_2_1a_t_t7_sizes_from_50_to_70() {
    let catalogue = sparks();
    for (size, expected) in [
        (0, vec!["DECK_SIZE_BELOW_MIN T-2.2.1a 50 0", "NO_RANK_1_UNIT T-2.2.6a 1 0"]),
        (48, vec!["DECK_SIZE_BELOW_MIN T-2.2.1a 50 48"]),
        (49, vec!["DECK_SIZE_BELOW_MIN T-2.2.1a 50 49"]),
        (50, vec![]),
        (70, vec![]),
        (71, vec!["DECK_SIZE_ABOVE_MAX T-2.2.1a 70 71"]),
    ] {
        let report = judge(&spark_deck(size), &catalogue, "standard");
        assert_eq!(outline(&report.violations), expected, "{size} cards");
        assert_eq!((report.total, report.cards_in("main")), (u64::from(size), u64::from(size)));
    }
}

#[test]
fn t_2_2_1a_a_short_deck_is_incomplete_and_a_long_one_illegal() {
    let short = judge(&spark_deck(48), &sparks(), "standard");
    assert_eq!(codes(&short.violations), ["DECK_SIZE_BELOW_MIN"]);
    assert_eq!(short.status, ReportStatus::Incomplete);
    assert_eq!(short.violations[0].severity, Severity::Incomplete);
    assert_eq!(short.violations[0].section, "2.2.1");
    let fix = Fix::AddCards { zone: "main".to_owned(), quantity: 2 };
    assert_eq!(short.violations[0].fix, Some(fix));

    let long = judge(&spark_deck(71), &sparks(), "standard");
    assert_eq!(codes(&long.violations), ["DECK_SIZE_ABOVE_MAX"]);
    assert_eq!(long.status, ReportStatus::Illegal);
    let fix = Fix::RemoveCards { zone: "main".to_owned(), quantity: 1 };
    assert_eq!(long.violations[0].fix, Some(fix));
}

#[test]
fn t_2_2_1b_t_t7_three_copies_over_rarities_are_one_violation() {
    let mut list = spark_deck(48);
    list.entries.push(in_rarity(2, "Spark 30", "common"));
    assert_eq!(faults(&list, &sparks()), [""; 0]);
    list.entries.push(in_rarity(1, "Spark 30", "primal_rare"));
    let report = judge(&list, &sparks(), "standard");
    assert_eq!(outline(&report.violations), ["COPY_LIMIT_EXCEEDED T-2.2.1b 2 3"]);
    assert_eq!(report.status, ReportStatus::Illegal);
    assert_eq!(report.violations[0].cards.len(), 1);
    assert_eq!(report.violations[0].cards[0].name, "Spark 30");
    let fix = Fix::RemoveCopies { name: "Spark 30".to_owned(), quantity: 1 };
    assert_eq!(report.violations[0].fix, Some(fix));
    assert_eq!(report.violations[0].message(), "3 copies of “Spark 30”; at most 2 allowed.");
}

#[test]
fn t_2_2_1b_one_of_each_rarity_is_four_too_many() {
    let mut list = spark_deck(50);
    list.entries.extend(RARITIES.map(|rarity| in_rarity(1, "Spark 30", rarity)));
    assert_eq!(faults(&list, &sparks()), ["COPY_LIMIT_EXCEEDED T-2.2.1b 2 6"]);
    let mut two = spark_deck(50);
    two.entries.extend(RARITIES[4..].iter().map(|rarity| in_rarity(1, "Spark 30", rarity)));
    assert_eq!(faults(&two, &sparks()), [""; 0]);
}

#[test]
fn t_2_2_1b_every_card_beyond_the_limit_is_named() {
    let mut list = spark_deck(50);
    for at in [0, 4, 9] {
        list.entries[at].quantity = 3 + u32::try_from(at).unwrap();
    }
    let expected = [3, 7, 12].map(|actual| format!("COPY_LIMIT_EXCEEDED T-2.2.1b 2 {actual}"));
    assert_eq!(faults(&list, &sparks()), expected);
}

#[test]
fn t_a6_the_same_name_in_two_sets_is_the_same_card() {
    let mut again = unit("Spark 3", "fire", 1);
    again.number = "900".to_owned();
    let catalogue = Catalogue::with_extra(Arc::new(sparks()), [pool_card("later", again)]);
    let mut third = DeckEntry::main(1, "spark-3");
    third.card.set = Some("LATER".to_owned());
    let report = judge(&spark_deck_and(third), &catalogue, "standard");
    assert_eq!(outline(&report.violations), ["COPY_LIMIT_EXCEEDED T-2.2.1b 2 3"]);
    assert_eq!(report.violations[0].cards.len(), 2, "both definitions are named");
}

#[test]
fn t_2_2_1c_any_ratio_of_units_and_spells_is_legal() {
    let units = (0..35).map(|at| unit(&format!("Spark {at}"), "fire", 1));
    let spells = (0..35).map(|at| spell(&format!("Hush {at}"), 1, 20, 0));
    let catalogue = pool(&game("ttcg"), units.chain(spells));
    for size in [50, 70] {
        for spells in (0..=size).step_by(2) {
            let lines = (0..size / 2).map(|at| match at {
                at if at < spells / 2 => DeckEntry::main(2, format!("Hush {at}")),
                at => DeckEntry::main(2, format!("Spark {at}")),
            });
            let report = judge(&Deck { entries: lines.collect() }, &catalogue, "standard");
            assert!(report.is_legal(), "{spells} spells of {size}");
            assert_eq!(report.violations.is_empty(), spells < size, "advice at most");
        }
    }
}

#[test]
fn t_t7_sixty_spells_are_legal_with_a_warning() {
    let names: Vec<String> = (0..30).map(|at| format!("Hush {at}")).collect();
    let catalogue = pool(&game("ttcg"), names.iter().map(|name| spell(name, 1, 20, 0)));
    let report = judge(&deck(names.iter().map(|name| (2, name.as_str()))), &catalogue, "standard");
    assert_eq!(codes(&report.violations), ["NO_RANK_1_UNIT"]);
    assert_eq!(report.violations[0].severity, Severity::Warning);
    assert_eq!((report.total, report.status), (60, ReportStatus::Legal));
}

#[test]
fn t_2_2_1d_no_lore_cards() {
    let list = spark_deck_and(DeckEntry::main(1, "The First Spark"));
    let report = judge(&list, &sparks(), "standard");
    assert_eq!(outline(&report.violations), ["KIND_NOT_ALLOWED T-2.2.1d 0 1"]);
    assert_eq!(report.status, ReportStatus::Illegal);
    let fix = Fix::RemoveCopies { name: "The First Spark".to_owned(), quantity: 1 };
    assert_eq!(report.violations[0].fix, Some(fix));
}

#[test]
fn t_2_2_1e_every_card_is_known() {
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
    let fix = Fix::Rename { from: "Sprak 30".to_owned(), to: "Spark 30".to_owned() };
    assert_eq!(report.violations[0].fix, Some(fix));
}

#[test]
fn t_2_2_1e_every_printing_exists() {
    let reference = |set: Option<&str>, number: Option<&str>, rarity: Option<&str>| CardReference {
        name: "Spark 30".to_owned(),
        set: set.map(str::to_owned),
        number: number.map(str::to_owned),
        rarity: rarity.map(str::to_owned),
    };
    for wrong in [
        reference(None, None, Some("gold")),
        reference(Some("test"), Some("032"), None),
        reference(Some("test"), Some("031"), Some("gold")),
    ] {
        let list = spark_deck_and(DeckEntry { card: wrong, ..DeckEntry::main(1, "") });
        assert_eq!(faults(&list, &sparks()), ["PRINTING_UNKNOWN T-2.2.1e - -"]);
    }
    let elsewhere =
        DeckEntry { card: reference(Some("nowhere"), None, None), ..DeckEntry::main(1, "") };
    let expected = ["SET_WITHOUT_CARDS T-2.2.1e - -", "PRINTING_UNKNOWN T-2.2.1e - -"];
    assert_eq!(faults(&spark_deck_and(elsewhere), &sparks()), expected);
    for right in [
        reference(None, None, Some("Primal Rare")),
        reference(Some("Test"), Some("31"), Some("rare")),
        CardReference { name: String::new(), ..reference(Some("TEST"), Some("0031"), None) },
        CardReference::named("SPARK-30!"),
    ] {
        let list = spark_deck_and(DeckEntry { card: right, ..DeckEntry::main(1, "") });
        assert_eq!(faults(&list, &sparks()), [""; 0]);
    }
}

#[test]
fn t_2_2_1e_empty_entries_and_unknown_zones() {
    let mut list = spark_deck_and(DeckEntry::main(0, "Spark 30"));
    list.entries.push(DeckEntry { zone: "side".to_owned(), ..DeckEntry::main(1, "Spark 31") });
    let report = judge(&list, &sparks(), "standard");
    assert_eq!(
        outline(&report.violations),
        ["ZONE_UNKNOWN T-2.2.1e - -", "ENTRY_COUNT_INVALID T-2.2.1e 1 0"]
    );
    assert_eq!(report.cards_in("main"), 50);
    assert_eq!(report.total, 51);
}

#[test]
fn t_2_2_1e_a_deck_list_has_no_serials() {
    let entry =
        json!({ "quantity": 1, "card": { "name": "Spark 1", "serial": "7KQ2-0000-0000-0000" } });
    let error = serde_json::from_value::<Deck>(json!({ "entries": [entry] })).unwrap_err();
    assert!(error.to_string().contains("unknown field `serial`"), "{error}");
}

#[test]
fn t_2_2_6a_advice_about_unreachable_ranks() {
    let cards = [
        unit("Ember", "fire", 1),
        unit("Blaze", "fire", 2),
        unit("Inferno", "fire", 4),
        unit("Tide", "water", 2),
        unit("Flood", "water", 3),
    ];
    let catalogue = pool(&game("ttcg"), cards);
    let names = ["Ember", "Blaze", "Inferno", "Tide", "Flood"];
    let report = judge(&deck(names.map(|name| (1, name))), &catalogue, "standard");
    let unreachable: Vec<(&str, Severity)> = report
        .violations
        .iter()
        .filter(|violation| violation.code.as_str() == "UNREACHABLE_RANK")
        .map(|violation| (violation.cards[0].name.as_str(), violation.severity))
        .collect();
    assert_eq!(
        unreachable,
        [("Inferno", Severity::Warning), ("Tide", Severity::Warning)],
        "Blaze stands on Ember, and Flood on Tide"
    );
}

#[test]
fn t_2_2_6a_advice_without_a_unit_of_rank_1() {
    let catalogue = pool(&game("ttcg"), [unit("Blaze", "fire", 2), spell("Whisper", 1, 20, 0)]);
    let report = judge(&deck([(2, "Blaze"), (2, "Whisper")]), &catalogue, "standard");
    assert_eq!(
        outline(&report.violations),
        [
            "DECK_SIZE_BELOW_MIN T-2.2.1a 50 4",
            "NO_RANK_1_UNIT T-2.2.6a 1 0",
            "UNREACHABLE_RANK T-2.2.6a - -",
        ]
    );
    assert_eq!(report.status, ReportStatus::Incomplete, "advice makes no deck illegal");
}

#[test]
fn t_2_2_6b_spells_rank_up_on_spells_only() {
    let cards = [unit("Ember", "fire", 1), spell("Whisper", 1, 20, 0), spell("Shout", 2, 30, 0)];
    let catalogue = pool(&game("ttcg"), cards);
    let advice = |names: &[&str]| {
        let list = deck(names.iter().map(|name| (1, *name)));
        let found = faults(&list, &catalogue);
        found.iter().any(|fault| fault.starts_with("UNREACHABLE_RANK"))
    };
    assert!(advice(&["Ember", "Shout"]));
    assert!(!advice(&["Ember", "Whisper", "Shout"]));
}

#[test]
fn t_4_2a_t_2_2_1d_a_lore_card_is_the_only_fault_of_an_otherwise_legal_shipped_deck() {
    let lore = card(json!({ "number": "1", "name": "Where It Began", "kind": "lore" }));
    let catalogue = Catalogue::with_extra(shipped("ttcg"), [pool_card("lore", lore)]);
    let units = shipped("ttcg");
    let mut entries: Vec<DeckEntry> = units
        .iter()
        .filter(|card| card.definition.kind == "unit")
        .take(25)
        .map(|card| DeckEntry::main(2, &card.definition.name))
        .collect();
    assert!(judge(&Deck { entries: entries.clone() }, &catalogue, "standard").is_legal());
    entries.push(DeckEntry::main(2, "Where It Began"));
    let report = judge(&Deck { entries }, &catalogue, "standard");
    let errors = report.violations.iter().filter(|one| one.severity == Severity::Error);
    assert_eq!(outline(&errors.cloned().collect::<Vec<_>>()), ["KIND_NOT_ALLOWED T-2.2.1d 0 2"]);
}

/// Numbers as large as they can be.
#[test]
fn quantities_do_not_overflow() {
    let entry = DeckEntry::main(u32::MAX, "Spark 1");
    let report = judge(&Deck { entries: vec![entry; 3] }, &sparks(), "standard");
    assert_eq!(report.total, 3 * u64::from(u32::MAX));
    assert_eq!(codes(&report.violations), ["DECK_SIZE_ABOVE_MAX", "COPY_LIMIT_EXCEEDED"]);
}
