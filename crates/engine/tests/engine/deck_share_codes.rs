//! Share codes: their length, their content, and errors in damaged ones.

use std::collections::BTreeSet;

use cardscape_engine::{
    CardReference, Catalogue, Deck, DeckDialect, DeckEntry, DeckReading, LineVerdict, LossKind,
    Resolution, SHARE_CODE_MAX, ShareCodeError, decode_share_code, encode_share_code,
    parse_deck_text, read_deck, write_deck,
};
use proptest::prelude::*;
use serde_json::json;

use crate::support::{HARBOUR, card, game, pool_card, shipped};

const DIGITS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

fn entry(zone: &str, quantity: u32, set: &str, number: &str) -> DeckEntry {
    let card = CardReference {
        set: Some(set.to_owned()),
        number: Some(number.to_owned()),
        ..CardReference::default()
    };
    DeckEntry { zone: zone.to_owned(), card, ..DeckEntry::main(quantity, "") }
}

fn sorted(mut deck: Deck) -> Vec<(String, CardReference, u32)> {
    deck.entries.sort_by(|left, right| (&left.zone, &left.card).cmp(&(&right.zone, &right.card)));
    deck.entries.into_iter().map(|entry| (entry.zone, entry.card, entry.quantity)).collect()
}

/// Maximum length of a code: 30 characters, two for each different card, and the codes of its sets with two more each. Cards of more than four copies
/// need two more.
fn longest(deck: &Deck) -> usize {
    let mut sets: Vec<(&str, &str)> = deck
        .entries
        .iter()
        .map(|entry| (&*entry.zone, entry.card.set.as_deref().unwrap()))
        .collect();
    sets.sort_unstable();
    sets.dedup();
    let many = deck.entries.iter().filter(|entry| entry.quantity > 4).count();
    30 + 2 * (deck.entries.len() + many) + sets.iter().map(|(_, set)| set.len() + 2).sum::<usize>()
}

/// Cards of one set: up to three copies of each, at least 40 cards of at most 20 different ones.
fn forty_cards() -> impl Strategy<Value = Deck> {
    let numbers = proptest::collection::btree_set(1_u32..=999, 14..=20);
    (numbers, any::<u64>()).prop_map(|(numbers, mut chance)| {
        let mut left = 40 - u32::try_from(numbers.len()).unwrap();
        let mut entries: Vec<DeckEntry> = Vec::new();
        for number in numbers {
            let more = u32::try_from(chance % 4).unwrap().min(left);
            chance /= 3;
            left -= more;
            entries.push(entry("main", 1 + more, "hearth", &number.to_string()));
        }
        entries[0].quantity += left;
        Deck { entries }
    })
}

/// At most how many characters the rarities of a deck add to its code, for at most six different ones: two, the letters of each different one and one more,
/// and one for each entry.
fn longest_of_rarities(deck: &Deck) -> usize {
    let rarities: BTreeSet<&str> =
        deck.entries.iter().filter_map(|entry| entry.card.rarity.as_deref()).collect();
    2 + deck.entries.len() + rarities.iter().map(|rarity| rarity.len() + 1).sum::<usize>()
}

/// Decks of two zones and up to six sets.
fn decks() -> impl Strategy<Value = Deck> {
    let card = (0_usize..6, 1_u32..=999);
    let zone = || {
        proptest::collection::btree_map(
            card.clone(),
            prop_oneof![9 => 1_u32..=4, 1 => 5_u32..=60],
            1..60,
        )
    };
    (zone(), proptest::option::of(zone())).prop_map(|(main, side)| {
        let sets = ["hearth", "veil", "x", "promo-2026", "a1", "feed"];
        let of = |zone: &'static str, cards: std::collections::BTreeMap<(usize, u32), u32>| {
            cards.into_iter().map(move |((set, number), copies)| {
                entry(zone, copies, sets[set], &number.to_string())
            })
        };
        Deck { entries: of("main", main).chain(of("side", side.unwrap_or_default())).collect() }
    })
}

proptest! {
    #[test]
    fn forty_cards_of_one_set_need_at_most_60_characters(deck in forty_cards()) {
        for (game, set) in [("emojo-dojo", "hearth"), ("ttcg", "hearthstones"), ("x", "hearth")] {
            let mut deck = deck.clone();
            deck.entries.iter_mut().for_each(|entry| entry.card.set = Some(set.to_owned()));
            let code = encode_share_code(game, &deck).unwrap();
            prop_assert!(code.len() <= 60, "{} characters: {code}", code.len());
            prop_assert!(code.bytes().all(|byte| DIGITS.contains(&byte)));
            prop_assert_eq!(sorted(decode_share_code(&code).unwrap().deck), sorted(deck));
        }
    }

    #[test]
    fn other_decks_need_at_most_two_characters_a_card_and_their_sets(deck in decks()) {
        let code = encode_share_code("emoji-tcg", &deck).unwrap();
        prop_assert!(code.len() <= longest(&deck), "{} > {}", code.len(), longest(&deck));
        prop_assert_eq!(sorted(decode_share_code(&code).unwrap().deck), sorted(deck));
    }

    #[test]
    fn rarities_need_at_most_their_codes_and_one_character_an_entry(
        deck in decks(),
        rarities in proptest::collection::vec(0_usize..7, 120),
    ) {
        let codes = ["common", "uncommon", "rare", "ultra_rare", "mythic_rare", "primal_rare"];
        let mut rare = deck.clone();
        for (entry, rarity) in rare.entries.iter_mut().zip(rarities) {
            entry.card.rarity = codes.get(rarity).map(|code| (*code).to_owned());
        }
        let code = encode_share_code("ttcg", &rare).unwrap();
        let bound = longest(&deck) + longest_of_rarities(&rare);
        prop_assert!(code.len() <= bound, "{} > {bound}", code.len());
        prop_assert_eq!(sorted(decode_share_code(&code).unwrap().deck), sorted(rare));
    }

    /// Any deck, as far as a code can contain it.
    #[test]
    fn any_deck_with_copies_survives(
        cards in proptest::collection::vec(
            (any::<String>(), any::<Option<String>>(), any::<Option<String>>(), any::<Option<String>>(), any::<String>(), 1..=u32::MAX),
            0..8,
        ),
    ) {
        let tidy = |text: String| text.trim().to_lowercase();
        let entries: Vec<DeckEntry> = cards
            .into_iter()
            .map(|(name, set, number, rarity, zone, quantity)| {
                let (set, number) = (set.map(tidy), number.map(tidy));
                let name = if set.is_some() && number.is_some() { String::new() } else { name };
                let number = number.map(|number| {
                    let is_number = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
                    if is_number { number.trim_start_matches('0').to_owned() + "1" } else { number }
                });
                let card = CardReference { name, set, number, rarity };
                DeckEntry { zone, card, ..DeckEntry::main(quantity, "") }
            })
            .collect();
        let deck = Deck { entries };
        let code = encode_share_code("any game", &deck).unwrap();
        let shared = decode_share_code(&code).unwrap();
        prop_assert_eq!(shared.game, "any game");
        prop_assert_eq!(sorted(shared.deck), sorted(deck));
    }

    #[test]
    fn no_text_panics(text in any::<String>(), digits in "1[A-Za-z0-9_-]{0,60}") {
        let _ = decode_share_code(&text);
        let _ = decode_share_code(&digits);
    }

    /// Even a text with the right check digits may have any content.
    #[test]
    fn no_forged_code_panics(digits in "1[A-Za-z0-9_-]{0,60}") {
        let code = with_check_digits(&digits);
        match decode_share_code(&code) {
            Ok(shared) => {
                let again = encode_share_code(&shared.game, &shared.deck).unwrap();
                prop_assert_eq!(decode_share_code(&again).unwrap().game, shared.game);
            }
            Err(error) => prop_assert!(matches!(error, ShareCodeError::Malformed), "{error}"),
        }
    }
}

/// The check digits by the polynomial of RFC 9580: a second implementation.
fn with_check_digits(digits: &str) -> String {
    let bits = digits.bytes().flat_map(|byte| (0..8).rev().map(move |bit| (byte >> bit) & 1 == 1));
    let mut crc = 0xb7_04ce_u32;
    for bit in bits {
        let carry = (crc >> 23) & 1 == 1;
        crc = (crc << 1) & 0xff_ffff;
        if carry != bit {
            crc ^= 0x86_4cfb;
        }
    }
    let check = [18, 12, 6, 0].map(|low| char::from(DIGITS[((crc >> low) & 63) as usize]));
    format!("{digits}{}", check.iter().collect::<String>())
}

#[test]
fn every_slip_of_one_character_is_found() {
    let deck = parse_deck_text(
        "4 Salt (port) 001\n2 Silk (port) 002 {gilded}\nSB: 1 Black Pearl (reef) 001",
    )
    .deck;
    let code = encode_share_code(HARBOUR, &deck).unwrap();
    assert!(decode_share_code(&code).is_ok());
    assert_eq!(with_check_digits(&code[..code.len() - 4]), code);
    for at in 1..code.len() {
        for digit in DIGITS {
            let mut slip = code.clone().into_bytes();
            if slip[at] == *digit {
                continue;
            }
            slip[at] = *digit;
            let slip = String::from_utf8(slip).unwrap();
            assert_eq!(decode_share_code(&slip), Err(ShareCodeError::CheckDigits), "{slip}");
        }
        let mut swapped = code.clone().into_bytes();
        swapped.swap(at, at.max(2) - 1);
        let swapped = String::from_utf8(swapped).unwrap();
        if swapped != code {
            assert!(decode_share_code(&swapped).is_err(), "{swapped}");
        }
        assert!(decode_share_code(&code[..at]).is_err(), "cut after {at}");
    }
}

#[test]
fn what_is_no_code_is_distinguished() {
    for (code, error) in [
        ("", ShareCodeError::Version),
        ("2ABCDEF", ShareCodeError::Version),
        ("1", ShareCodeError::CheckDigits),
        ("1ABC", ShareCodeError::CheckDigits),
        ("1ABCDEFG", ShareCodeError::CheckDigits),
        ("1💾💾💾", ShareCodeError::CheckDigits),
    ] {
        assert_eq!(decode_share_code(code), Err(error), "{code}");
        assert!(!error.to_string().is_empty());
    }
    let long = format!("1{}", "A".repeat(SHARE_CODE_MAX));
    assert_eq!(decode_share_code(&long), Err(ShareCodeError::TooLarge));
}

/// A few characters may claim a very large content.
#[test]
fn a_code_cannot_make_much_of_little() {
    // "a", no rarities, and counts of some thousand millions.
    let zeros = "A".repeat(5);
    let code = with_check_digits(&format!("1Am{zeros}____"));
    assert_eq!(decode_share_code(&code), Err(ShareCodeError::Malformed));
    let copies = Deck { entries: vec![entry("main", 1, "a", "1"); 10_001] };
    assert_eq!(encode_share_code("a", &copies), Err(ShareCodeError::TooLarge));
    // "a", no rarities, one zone, one set "a" with 16,384 cards, two in each "J". The code ends before the last of them: whether it was read until its end
    // is seen by the error.
    let cut_after =
        |cards: usize| with_check_digits(&format!("1AmAiAmAAIAA{}", "J".repeat(cards / 2)));
    assert_eq!(decode_share_code(&cut_after(10_000)), Err(ShareCodeError::Malformed));
    assert_eq!(decode_share_code(&cut_after(10_002)), Err(ShareCodeError::TooLarge));
    // One long word for many entries.
    let long = |letter: &str, length| {
        let card =
            CardReference { rarity: Some(letter.repeat(length)), ..CardReference::named("y") };
        Deck { entries: vec![DeckEntry { card, ..DeckEntry::main(1, "") }; 9_999] }
    };
    for letter in ["x", "X"] {
        assert!(decode_share_code(&encode_share_code("a", &long(letter, 1_000)).unwrap()).is_ok());
        assert_eq!(encode_share_code("a", &long(letter, 1_001)), Err(ShareCodeError::TooLarge));
    }
    let forged = with_check_digits(&format!("1{}", "A".repeat(1_001) + "mA"));
    assert_eq!(decode_share_code(&forged), Err(ShareCodeError::Malformed));
    let longest = CardReference::named("x".repeat(SHARE_CODE_MAX));
    let deck = Deck { entries: vec![DeckEntry { card: longest, ..DeckEntry::main(1, "") }] };
    assert_eq!(encode_share_code("a", &deck), Err(ShareCodeError::TooLarge));
    let written = write_deck(&deck, DeckDialect::ShareCode, &shipped(HARBOUR), None);
    assert_eq!((written.text.as_str(), written.losses[0].kind), ("", LossKind::Size));
    assert!(written.losses[0].kind.leaves_out());
}

#[test]
fn a_code_is_read_with_the_names_of_its_cards() {
    let catalogue = shipped(HARBOUR);
    let deck = parse_deck_text("2 silk {gilded}\n4 Salt\n1 Memo\nSB: 1 Black Pearl (REEF) 1").deck;
    let written = write_deck(&deck, DeckDialect::ShareCode, &catalogue, None);
    let kinds: Vec<(Option<usize>, LossKind)> =
        written.losses.iter().map(|loss| (loss.entry, loss.kind)).collect();
    let any_printing = |entry| (Some(entry), LossKind::AnyPrinting);
    let spelling = (Some(0), LossKind::Spelling);
    assert_eq!(kinds, [(None, LossKind::Order), spelling, any_printing(0), any_printing(1)]);
    let read = read_deck(&written.text, &DeckReading::new(&catalogue));
    assert_eq!((read.dialect, read.game.as_deref()), (DeckDialect::ShareCode, Some(HARBOUR)));
    let expected = parse_deck_text(
        "4 Salt (port) 001\n2 Silk (port) 002 {gilded}\n1 Memo\nSB: 1 Black Pearl (reef) 001",
    );
    assert_eq!(read.deck, expected.deck);
}

/// Numbers of a set may differ only in leading zeros or case.
#[test]
fn cards_whose_numbers_differ_only_in_zeros_or_case_come_back_from_a_code() {
    let numbers = ["1", "01", "00A", "00a", "2"];
    let names = ["Anchor", "Barrel", "Crate", "Drum", "Eel"];
    let cards = numbers.into_iter().zip(names).map(|(number, name)| {
        let definition = json!({
            "number": number, "name": name, "kind": "cargo",
            "attributes": { "weight": 1, "price": 1 }, "effects": [{ "text": number }],
        });
        pool_card("odd", card(definition))
    });
    let catalogue = Catalogue::builder(&game(HARBOUR)).extend(cards).build();
    assert_eq!(catalogue.len(), 5);
    let named: Vec<DeckEntry> =
        (1..).zip(names).map(|(quantity, name)| DeckEntry::main(quantity, name)).collect();
    let written =
        write_deck(&Deck { entries: named.clone() }, DeckDialect::ShareCode, &catalogue, None);
    let read = read_deck(&written.text, &DeckReading::new(&catalogue));
    let mut found: Vec<(u32, &str)> =
        read.deck.entries.iter().map(|entry| (entry.quantity, &*entry.card.name)).collect();
    found.sort_unstable();
    let expected: Vec<(u32, &str)> =
        named.iter().map(|entry| (entry.quantity, &*entry.card.name)).collect();
    assert_eq!(found, expected);
    for number in numbers {
        let exact = entry("main", 1, "odd", number);
        assert_eq!(catalogue.find(&exact.card), {
            let meant = catalogue.iter().find(|card| card.definition.number == number).unwrap();
            Resolution::Card(meant)
        });
    }
    // No card has this number exactly, and two have it but for the zeros.
    let unclear = read_deck("1 (odd) 001", &DeckReading::new(&catalogue));
    let LineVerdict::Ambiguous { candidates } = &unclear.lines[0].verdict else {
        panic!("{:?}", unclear.lines)
    };
    let candidates: Vec<&str> =
        candidates.iter().filter_map(|card| card.number.as_deref()).collect();
    assert_eq!(candidates, ["1", "01"]);
    let only = read_deck("1 (odd) 002", &DeckReading::new(&catalogue));
    assert_eq!(only.deck.entries[0].card.name, "Eel");
}
