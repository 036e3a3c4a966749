//! Any decks and texts, in all dialects.

use std::collections::BTreeMap;

use cardscape_engine::{
    CardReference, Catalogue, Deck, DeckDialect, DeckEntry, DeckReading, LineVerdict, LossKind,
    Resolution, name_key, read_deck, read_deck_bytes, recognise_deck_text, write_deck,
};
use proptest::prelude::*;
use proptest::sample::select;

use super::generators::{judged, legal, words};
use crate::support::{HARBOUR, shipped};

/// Cards by zone and name, in any spelling.
fn quantities<'a>(
    catalogue: &Catalogue,
    entries: impl IntoIterator<Item = &'a DeckEntry>,
) -> BTreeMap<(String, String), u64> {
    let mut quantities = BTreeMap::new();
    for entry in entries {
        let name = match catalogue.find(&entry.card) {
            Resolution::Card(card) | Resolution::OtherPrinting(card) => &card.definition.name,
            _ => &entry.card.name,
        };
        *quantities.entry((zone(catalogue, &entry.zone), name_key(name))).or_default() +=
            u64::from(entry.quantity);
    }
    quantities
}

fn zone(catalogue: &Catalogue, written: &str) -> String {
    let key = name_key(written);
    let zones = catalogue.game().zones();
    let named = zones.iter().find(|zone| {
        let names =
            [&*zone.code, &zone.name].into_iter().chain(zone.aliases.iter().map(|alias| &**alias));
        names.into_iter().any(|name| name_key(name) == key)
    });
    let is_main = ["main", "deck", "maindeck", "mainboard"].contains(&key.as_str());
    named
        .or(zones.first().filter(|_| is_main))
        .map_or(written.to_owned(), |zone| zone.code.to_string())
}

fn read_back(deck: &Deck, dialect: DeckDialect, catalogue: &Catalogue) -> Deck {
    let written = write_deck(deck, dialect, catalogue, None);
    read_deck(&written.text, &DeckReading::new(catalogue).in_dialect(dialect)).deck
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn our_own_dialects_lose_nothing((game, _, deck) in judged()) {
        let catalogue = shipped(game);
        prop_assert_eq!(&read_back(&deck, DeckDialect::Json, &catalogue), &deck);
        let mut without_copies = deck.clone();
        without_copies.entries.iter_mut().for_each(|entry| entry.copies.clear());
        prop_assert_eq!(&read_back(&deck, DeckDialect::Own, &catalogue), &without_copies);
    }

    /// A number that no card has is not shortened, whatever stands in it.
    #[test]
    fn unknown_numbers_with_slashes_stay(number in "[a-z:({]{1,4}/[0-9]{1,3}") {
        let catalogue = shipped("ttcg");
        let card = CardReference { number: Some(number), ..CardReference::named("Pebblebrow Tortoise") };
        let entry = DeckEntry { zone: "main".into(), quantity: 1, card, copies: Vec::new() };
        let deck = Deck { entries: vec![entry] };
        for dialect in [DeckDialect::Json, DeckDialect::Own] {
            prop_assert_eq!(&read_back(&deck, dialect, &catalogue), &deck);
        }
    }

    /// Cards of the game in its zones, in any spelling: all that is not reported as lost reads back.
    #[test]
    fn what_is_lost_is_reported(legal in legal()) {
        let catalogue = legal.pool();
        let deck = legal.deck();
        for dialect in DeckDialect::ALL {
            let written = write_deck(&deck, dialect, &catalogue, None);
            prop_assert!(written.losses.iter().all(|loss| loss.kind != LossKind::Name), "{} {:?}", dialect, written);
            let left_out: Vec<usize> = written.losses.iter().filter(|loss| loss.kind.leaves_out()).filter_map(|loss| loss.entry).collect();
            if ![DeckDialect::Ydk, DeckDialect::Ydke].contains(&dialect) {
                prop_assert_eq!(&left_out, &Vec::<usize>::new());
            }
            let kept = deck.entries.iter().enumerate().filter(|(at, _)| !left_out.contains(at)).map(|(_, entry)| entry);
            let reading = DeckReading::new(&catalogue).in_dialect(dialect);
            let read = read_deck(&written.text, &reading);
            prop_assert_eq!(quantities(&catalogue, &read.deck.entries), quantities(&catalogue, kept), "{}: {}", dialect, written.text);
            let fault = read.lines.iter().find(|line| matches!(line.verdict, LineVerdict::Unknown { .. }));
            prop_assert_eq!(fault, None, "{}", dialect);
        }
    }

    /// The marks of each dialect are found in what is written in it.
    #[test]
    fn what_is_written_is_recognised(legal in legal()) {
        let catalogue = legal.pool();
        let deck = legal.deck();
        for dialect in [
            DeckDialect::Json, DeckDialect::ShareCode, DeckDialect::PtcgOnline, DeckDialect::Forge, DeckDialect::Csv,
            DeckDialect::Ydk, DeckDialect::Ydke,
        ] {
            let text = write_deck(&deck, dialect, &catalogue, None).text;
            prop_assert_eq!(recognise_deck_text(&text), dialect, "{}", text);
        }
    }

    /// Any deck in any dialect: entries that lose at most their spelling read back.
    #[test]
    fn no_deck_panics((game, _, deck) in judged(), dialect in select(DeckDialect::ALL.to_vec())) {
        let catalogue = shipped(game);
        let written = write_deck(&deck, dialect, &catalogue, None);
        let lost = |at: usize| {
            written.losses.iter().any(|loss| loss.entry == Some(at) && (loss.kind.leaves_out() || loss.kind == LossKind::Name))
        };
        prop_assert!(written.losses.iter().all(|loss| loss.entry.is_none_or(|at| at < deck.entries.len())));
        let kept: Vec<DeckEntry> = deck.entries.iter().enumerate().filter(|(at, _)| !lost(*at)).map(|(_, entry)| entry.clone()).collect();
        let reading = DeckReading::new(&catalogue).in_dialect(dialect);
        let read = quantities(&catalogue, &read_deck(&written.text, &reading).deck.entries);
        for (card, copies) in quantities(&catalogue, &kept) {
            prop_assert!(read.get(&card).is_some_and(|read| *read >= copies), "{}: {:?} of {:?} in {}", dialect, card, read, written.text);
        }
    }

    #[test]
    fn no_text_panics_in_any_dialect(text in words(), more in proptest::collection::vec(words(), 0..8), dialect in select(DeckDialect::ALL.to_vec())) {
        let text = format!("{text}\n{}", more.join("\n"));
        let catalogue = shipped(HARBOUR);
        for reading in [DeckReading::new(&catalogue), DeckReading::new(&catalogue).in_dialect(dialect)] {
            let read = read_deck(&text, &reading);
            let mut entries: Vec<usize> = read.lines.iter().filter_map(|line| line.entry).collect();
            // In files with a line for each copy, several lines in a row are one entry.
            if read.dialect == DeckDialect::Ydk {
                entries.dedup();
            }
            prop_assert_eq!(entries, (0..read.deck.entries.len()).collect::<Vec<_>>());
            prop_assert!(read.lines.iter().all(|line| line.line >= 1 && line.line <= text.split(['\n', '\r']).count()));
        }
    }

    #[test]
    fn no_bytes_panic(bytes in proptest::collection::vec(any::<u8>(), 0..200), dialect in select(DeckDialect::ALL.to_vec())) {
        let catalogue = shipped(HARBOUR);
        let _ = read_deck_bytes(&bytes, &DeckReading::new(&catalogue));
        let _ = read_deck_bytes(&bytes, &DeckReading::new(&catalogue).in_dialect(dialect));
    }

    /// In dialects of lines, every line that is not blank has a verdict.
    #[test]
    fn nothing_is_dropped_silently(lines in proptest::collection::vec("[0-9x]{0,2}[ ]?[-a-zA-Z()#/*:\\[\\]|^\" ]{0,20}", 0..12)) {
        let catalogue = shipped(HARBOUR);
        let text = lines.join("\n");
        for dialect in [DeckDialect::Own, DeckDialect::Plain, DeckDialect::Arena, DeckDialect::Mtgo, DeckDialect::Moxfield, DeckDialect::Archidekt, DeckDialect::PtcgLive, DeckDialect::PtcgOnline, DeckDialect::NetrunnerDb, DeckDialect::Forge] {
            let read = read_deck(&text, &DeckReading::new(&catalogue).in_dialect(dialect));
            let reported: Vec<usize> = read.lines.iter().filter(|line| !line.text.is_empty()).map(|line| line.line).collect();
            let written: Vec<usize> = (1..).zip(text.split('\n')).filter(|(_, line)| !line.trim().is_empty()).map(|(at, _)| at).collect();
            prop_assert_eq!(reported, written, "{}: {}", dialect, text);
        }
    }
}

/// Large and hostile texts are read quickly: most of each is only counted, not kept.
#[test]
fn hostile_texts_are_bounded() {
    let catalogue = shipped(HARBOUR);
    let mega = 100 << 10;
    let texts = [
        "4 a\n".repeat(10 << 18),
        format!("ydke://{}", "cREB".repeat(10 << 18)),
        "x".repeat(mega),
        "4 ".repeat(mega / 2),
        "\0".repeat(mega),
        "(".repeat(mega),
        "\"".repeat(mega),
        "\"\n".repeat(mega / 2),
        "1 Salt [[[[[[[[\n".repeat(mega / 16),
        "[".repeat(mega),
        format!("{{\"entries\":{}", "[".repeat(mega)),
        format!("{{\"entries\":{}", "{\"a\":".repeat(mega / 5)),
        format!("ydke://{}", "A".repeat(mega)),
        format!("ydke://{}", "!".repeat(mega)),
        format!("Name,Set\n{}", "\"a,\n".repeat(mega / 4)),
        format!("Name,Set\n{}", ",".repeat(mega)),
        format!("1{}", "A".repeat(mega)),
        "#main\n1\n2\n".repeat(mega / 10),
        "1 ^a^ ^a^ ^a^ ^a^\n".repeat(mega / 18),
        "\u{feff}\r\n".repeat(mega / 5),
        "1 ﬃ\u{301}\u{301}\u{301}\n".repeat(mega / 12),
    ];
    for text in &texts {
        let read = read_deck(text, &DeckReading::new(&catalogue));
        assert!(read.lines.len() <= cardscape_engine::DECK_LINES_MAX);
        let json = serde_json::to_string(&read).unwrap();
        assert!(json.len() < 20 << 20, "{} of {}", json.len(), &text[..20]);
    }
    let deck = Deck { entries: vec![DeckEntry::main(u32::MAX, "Salt"); 3] };
    for dialect in DeckDialect::ALL {
        assert!(write_deck(&deck, dialect, &catalogue, None).text.len() < 1_000, "{dialect}");
    }
}
