use std::iter;

use proptest::prelude::*;

use super::*;
use crate::domain::serials::serial::RunPrefix;
use crate::domain::text::{TextError, without_serial};

const UUID: &str = "01998d5e-7a35-7c54-b0a0-1f6f4f5f2b11";

fn is_refused(text: &str) -> bool {
    without_serial(text.to_owned()) == Err(TextError::Serial)
}

/// The text, with its last symbol replaced by the check symbol of the others, so that nothing but its form decides whether it is a code.
fn with_check_symbol(text: &str) -> String {
    let before = &text[..text.len() - 1];
    let is_valid = |text: &String| {
        let symbols = text.replace(|symbol: char| !symbol.is_ascii_alphanumeric(), "");
        SerialCode::parse(&symbols).is_ok()
    };
    let symbols = "0123456789abcdefghjkmnpqrstvwxyz".chars();
    symbols.map(|symbol| format!("{before}{symbol}")).find(is_valid).unwrap()
}

fn drawn_codes() -> impl Strategy<Value = String> {
    let parts = (any::<[u8; 2]>(), any::<[u8; 13]>());
    let code = parts.prop_map(|(prefix, random)| {
        SerialCode::assemble(RunPrefix::from_random(prefix), &random).reveal()
    });
    // One code in ten million has no letter.
    code.prop_filter("a code of digits", |code| {
        code.contains(|symbol: char| symbol.is_ascii_alphabetic())
    })
}

#[test]
fn ordinary_texts_may_be_published() {
    for text in [
        "standard-2026-meta",
        "deck-tech-2026-open",
        "20261128-20261129",
        "2019-2020-2021-2022",
        "2020-2021-2022-2023-2024",
        "4444 5555 6666 7777",
        "midrange-control1",
        "winteropen2026berlin",
        "I won with 2500 life left.",
        "They deal 2000 life here",
        "Play 2 of 40 cards, 3 of 60",
        "2019-2020 2021-2022",
        "Top 8 deck",
        "Cups: 2019, 2020, 2021",
        "seen 2019, 2020, 2021, 2022",
        "BEST DECK 2026 EVER",
        "Deck: Wolf, 2026, Lake, Moon",
        "fe80:2001:0db8:85a3:0000:8a2e:0370:7334",
        "3AA5 C343 71AC 0D11 9F82",
        "OP01-001, ST02-003, EB01-006",
        "Legal: EB01, EB02, OP01, OP02",
        "BT06, BT07, BT08, EX02",
        "MP14 | MP15 | MP16 | LED4",
        "EB01/EB02/OP01/OP02",
        "EB01 EB02 OP01 OP02",
        "12:30:45, 13:45:00",
        "https://x.com/someone/status/1234567890123456",
        "https://x.com/someone/status/1861234567890123456",
        "https://discord.com/channels/123456789012345678/1234567890123456/987654321098765432",
        "507f1f77bcf86cd799439011",
        "507f1f77bcf86cd7",
        "01998d5e7a357c54b0a01f6f4f5f2b11",
        UUID,
        &format!("https://decks.example/deck-{UUID}"),
        &format!("https://decks.example/{UUID}/{UUID}?of={UUID}"),
    ] {
        assert!(!is_refused(text), "{text}");
        // In lists, a digit is enough in four groups with spaces.
        assert!(text.contains(" life ") || !contains_serial(text), "{text}");
        let code = SerialCode::assemble(RunPrefix::parse("7K").unwrap(), &[3; 13]).reveal();
        assert!(is_refused(&format!("{text} {code}")), "{text}");
    }
    // The check symbol fits by chance in one of 32 of these.
    for number in 1_000..3_000 {
        for text in [
            format!("I won with {number} life left."),
            format!("They deal {number} life here"),
            format!("standard-{number}-meta"),
            format!("{number}1128-{number}1129"),
            format!("2019-2020-2021-{number}"),
            format!("{number} 2020 2021 2022"),
            format!("midrange-contro{number}"),
            format!("win{number}open2026berlin"),
            format!("507f1f77bcf8{number}"),
            format!("seen 2019, 2020, 2021, {number}"),
            format!("EB{:02}, OP01, OP02, BT{:02}", number % 100, number / 100),
            format!("EB{:02}/OP01/OP02/BT{:02}", number % 100, number / 100),
            format!("BEST DECK {number} EVER"),
            format!("fe80:2001:0db8:85a3:{number}"),
            format!("3AA5 C343 71AC {number}"),
        ] {
            assert!(!is_refused(&text), "{text}");
        }
        for text in [
            format!("standard-{number}-meta"),
            format!("{number}1128-{number}1129"),
            format!("EB{:02} OP01 OP02 BT{:02}", number % 100, number / 100),
            format!("2019-2020-2021-{number}"),
            format!("2 midrange {number} open"),
            format!("7c54-b0a0{number}-1f6f"),
        ] {
            assert!(!contains_serial(&text), "{text}");
        }
    }
    for id in ["5e-7a35-7c54-b0a0-1f6f4f5f2b11", "5e-7a35-7c54-b0a0-1f6f4f5f2b1a"] {
        for last in "0123456789abcdef".chars() {
            let id = format!("01998d{}{last}", &id[..id.len() - 1]);
            for text in [id.clone(), format!("https://decks.example/deck-{id}"), format!("1 {id}")]
            {
                assert!(!is_refused(&text) && !contains_serial(&text), "{text}");
            }
        }
    }
}

#[test]
fn codes_in_prose_are_refused() {
    let code = SerialCode::assemble(RunPrefix::parse("7K").unwrap(), &[3; 13]).reveal();
    let (spaced, bare) = (code.to_lowercase().replace('-', " "), code.replace('-', ""));
    let texts = [
        code.clone(),
        spaced,
        bare.clone(),
        format!("Mine: {code}!"),
        format!("Mine:\n{bare}\n"),
        format!("https://decks.example/{code}?{UUID}"),
        format!("{UUID}/{bare}"),
        format!("mine-{code}-yours"),
        format!("2026_{}", code.replace('-', "_")),
        format!("コードは{code}です"),
        format!("我的卡{code}，谢谢"),
        format!("코드는 {bare}입니다"),
        format!("รหัส{code}ครับ"),
        format!("код{code}"),
        code.replace('-', "ー"),
        code.replace('-', "\u{3164}"),
        code.replace('-', "\u{2800}"),
    ];
    for text in &texts {
        assert!(is_refused(text) && contains_serial(text), "{text}");
    }
    assert!(!TextError::Serial.to_string().contains(&code));
    // Few codes have a digit in one group only; in capitals they are recognised.
    let few = with_check_symbol("gqvv wmjf 9wwx mmqq").to_uppercase();
    assert!(is_refused(&format!("My {few}")) && contains_serial(&few), "{few}");
    let glued = format!("2x{}", code.replace('-', " "));
    assert!(contains_serial(&glued), "{glued}");
    // With any spaces between its symbols, every text with numbers would have such a code. A part of a longer word is one only in lists.
    let spread: Vec<String> = bare.chars().map(String::from).collect();
    assert!(!is_refused(&spread.join(" ")));
    for text in [format!("foo{bare}"), format!("{bare}foo"), format!("2x{code}")] {
        assert!(!is_refused(&text) && contains_serial(&text), "{text}");
    }
}

#[test]
fn mistyped_codes_are_masked_in_lists() {
    for text in ["7KQ2-0000-0000-0000", "7kq2 – 0000 – 0000 – 0000", "2x7KQ2-0000-0000-0000"]
    {
        assert!(contains_serial(text) && !is_refused(text), "{text}");
    }
    for text in [
        "7KQ2 0000 0000 0000",
        "7KQ2000000000000",
        "foo7KQ2-0000-0000-0000",
        "deck-tech-2026-open",
        "DECK-TECH-2026-OPEN",
        "2019-2020-2021-2022",
    ] {
        assert!(!contains_serial(text), "{text}");
    }
}

#[test]
fn characters_that_nobody_sees_hide_no_code() {
    for unseen in ['\u{AD}', '\u{200B}', '\u{200D}', '\u{FE0F}', '\u{34F}'] {
        for code in ["7K3_33333333_33333", "7K33-3_333-3333-3333"] {
            let text = code.replace('_', &unseen.to_string());
            assert!(is_refused(&text) && contains_serial(&format!("2 {text}")), "{text:?}");
        }
    }
}

#[test]
fn codes_of_lists_may_be_in_other_parts_and_beside_letters() {
    let code = SerialCode::assemble(RunPrefix::parse("7K").unwrap(), &[3; 13]).reveal();
    let (bare, spaced) = (code.replace('-', ""), code.replace('-', " "));
    let parts = |length: usize| {
        let parts = bare.as_bytes().chunks(length).map(String::from_utf8_lossy);
        parts.collect::<Vec<_>>().join(" ")
    };
    for text in [
        parts(1),
        parts(2),
        parts(8),
        format!("{} – {}", &bare[..4], &bare[4..]),
        format!("x{spaced}"),
        format!("2 Kettle Imp{spaced}"),
        format!("{}x", spaced.to_lowercase()),
        format!("2x{}", spaced.to_lowercase()),
    ] {
        assert!(contains_serial(&text) && !is_refused(&text), "{text}");
    }
}

#[test]
fn only_the_code_is_masked() {
    let code = SerialCode::assemble(RunPrefix::parse("7K").unwrap(), &[3; 13]).reveal();
    let (small, bare) = (code.to_lowercase(), code.replace('-', ""));
    for (text, masked) in [
        (code.clone(), "(a serial code)"),
        (format!("There is no game {small}."), "There is no game (a serial code)."),
        (format!("no set \"{bare}\" (character 0)"), "no set \"(a serial code)\" (character 0)"),
        (format!("/{code}"), "/(a serial code)"),
        (format!("/cards/3/{bare}/name"), "/cards/3/(a serial code)/name"),
        (format!("?{code}"), "?(a serial code)"),
        (format!("game:{code}"), "game:(a serial code)"),
        (format!("\"{code}:1\""), "\"(a serial code):1\""),
        (format!("{code} or {bare}"), "(a serial code) or (a serial code)"),
        (format!("コードは{code}です"), "コードは(a serial code)です"),
        // Words with a code in them are masked as a whole.
        (format!("2x{code} and foo{bare}"), "(a serial code) and (a serial code)"),
        (format!("of {} {}!", &bare[..4], &bare[4..]), "of (a serial code)!"),
        ("no game 7KQ2-0000-0000-0000".to_owned(), "no game (a serial code)"),
        (full_width(&format!("No {code}!")), "No (a serial code)!"),
        (format!("No {}!", code.replacen("33", "3\u{200b}3", 1)), "No (a serial code)!"),
    ] {
        assert_eq!(mask_serials(&text), masked, "{text}");
    }
    let of_copy = format!("{UUID} has {code}, not {UUID}");
    assert_eq!(mask_serials(&of_copy), format!("{UUID} has (a serial code), not {UUID}"));
}

#[test]
fn what_is_no_code_is_not_masked() {
    for text in [
        UUID,
        "urn:uuid:01998d5e-7a35-7c54-b0a0-1f6f4f5f2b11",
        "There is no design D-7KQ2X0FM9F.",
        "D-7KQ2X0FM9F, D-0000000000",
        "the set \"hearth\" has no card 016a",
        "OP01-001, ST02-003",
        "must be a day, YYYY-MM-DD, not 2026-11-31",
        "must be a time, 2026-01-31T12:00:00Z (RFC 3339)",
        "2026-11-30T14:36:45.802839Z",
        "must be a whole number from 0 to 4294967295, not 18446744073709551615",
        "1HARBOURmoYgsMQOYGR5yKcyR0lOVNZW1vHSIDEmSIggs1Ozf5I",
        "da39a3ee5e6b4b0d3255bfef95601890afd80709",
        "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
        "is not known here; known are cursor, fields, game, hidden, include, kind, limit",
        "must have the form ^[0-9A-Z]{4}(-[0-9A-Z]{4}){3}$",
    ] {
        assert!(matches!(mask_serials(text), Cow::Borrowed(same) if same == text), "{text}");
    }
}

/// Each of these texts would take minutes if a part of it were read again from each of its places.
#[test]
fn long_texts_are_judged_in_one_pass() {
    let code = SerialCode::assemble(RunPrefix::parse("7K").unwrap(), &[3; 13]).reveal();
    for part in [
        "a",
        "7",
        "-",
        " ",
        "a-",
        "7KQ2-",
        "7kq2 ",
        "\u{ad}",
        "é",
        "7.",
        "01998d5e-",
        UUID,
        "a \u{200b}",
    ] {
        let text: String = iter::repeat_n(part, 150_000 / part.len()).collect();
        let _ = (is_refused(&text), mask_serials(&text));
        assert!(is_refused(&format!("{text}!{code}")), "{part}");
        assert!(contains_serial(&format!("{text}!{code}")), "{part}");
    }
}

/// The text in full-width letters, digits and marks.
fn full_width(text: &str) -> String {
    let wide = |letter: char| match letter {
        ' ' => '\u{3000}',
        '!'..='~' => char::from_u32(u32::from(letter) + 0xFEE0).unwrap(),
        _ => letter,
    };
    text.chars().map(wide).collect()
}

/// The text with every second letter small.
fn in_both_cases(text: &str) -> String {
    let letters = text.chars().enumerate();
    letters
        .map(|(at, letter)| if at % 2 == 0 { letter } else { letter.to_ascii_lowercase() })
        .collect()
}

/// Texts that look like codes, quantities and names, in any order.
fn texts() -> impl Strategy<Value = String> {
    let code = SerialCode::assemble(RunPrefix::parse("7K").unwrap(), &[3; 13]).reveal();
    let bare = code.replace('-', "");
    let parts = [
        code.replace('-', "_"),
        code,
        bare[1..].to_owned(),
        bare,
        full_width("7K33-3333-3333-3333"),
        "7K33 | 3333, 3333:3333".to_owned(),
        "7 K 3 3 3 3 3 3 3 3 3 3 3 3 3 3".to_owned(),
        with_check_symbol("7-k-f-g-h-j-k-m-n-p-q-r-s-t-v-0").replace('-', " "),
        with_check_symbol("deck-tech-open-meta"),
        "7KQ2-0000-0000-0000".to_owned(),
        "Washing-Line Wyrm".to_owned(),
        "Amethyst Dragons".to_owned(),
        UUID.to_owned(),
    ];
    let part = prop_oneof![
        proptest::sample::select(parts.to_vec()),
        "[0-9]{1,2}",
        "[A-Za-z0-9é\\u{7f}_.,:/\\u{ad}-]{0,8}",
    ];
    (proptest::collection::vec(part, 0..4), "[ _-]?")
        .prop_map(|(parts, between)| parts.join(&between))
}

proptest! {
    #[test]
    fn every_code_is_found_in_every_spelling(
        code in drawn_codes(),
        joint in "[-_./\u{ad}\u{2013}\u{2212}\u{200b}\u{2060}]",
        mark in proptest::sample::select(vec![":", ", ", ",", "|", " | ", " · ", "**-**", "** **", "*_", "` `", " _"]),
    ) {
        let joined = code.replace('-', &joint);
        let (bare, spaced, marked) = (code.replace('-', ""), code.replace('-', " "), code.replace('-', mark));
        let digit_groups = code.split('-').filter(|group| has_digit(group)).count();
        let mixed_groups = code.split('-').filter(|group| has_digit(group) && has_letter(group)).count();
        let groups: Vec<&str> = code.split('-').collect();
        let is_of_sets = are_of_sets(&[groups[0], groups[1], groups[2], groups[3]]);
        let is_hex = bare.bytes().all(|symbol| symbol.is_ascii_hexdigit());
        // Letters with a number after them are rather a name: one code in ten thousand, beside those of sets.
        let is_bare_published = has_digit(&bare) && !is_hex && !is_like_set_code(&bare);
        for capitals in [&joined, &spaced, &marked, &bare] {
            for code in [capitals.clone(), capitals.to_lowercase()] {
                // In capitals, a digit in one of the groups is enough.
                let is_like_code = !is_hex && !is_of_sets && mixed_groups >= 1 && (mixed_groups >= 2 || code == *capitals || digit_groups >= 2);
                let is_published = match capitals {
                    // Without characters that nobody sees, it is one word.
                    form if *form == joined => !is_of_sets || joint.chars().all(is_dash) || (joint.chars().all(is_unseen) && is_bare_published),
                    form if *form == bare => is_bare_published,
                    _ => is_like_code,
                };
                for text in [code.clone(), format!("Mine is {code}, see"), format!("{UUID} {code}"), format!("é\n{code}.")] {
                    prop_assert_eq!(is_refused(&text), is_published, "{}", text);
                    prop_assert!(!is_published || contains_serial(&text), "{}", text);
                }
                let wide = full_width(&code);
                prop_assert_eq!(is_refused(&wide), is_published, "{}", wide);
                let in_list = [format!("2 {code}"), format!("1 {code} (hearth) 017"), format!("1 Salt, {code}")];
                for text in in_list {
                    prop_assert!(contains_serial(&text) || *capitals == marked || is_of_sets || !is_bare_published, "{}", text);
                    prop_assert_eq!(contains_serial(&full_width(&text)), contains_serial(&text), "{}", text);
                }
                if is_published && is_bare_published {
                    for text in [format!("2 foo{code}"), format!("1 {code}bar"), format!("é{code}_1")] {
                        prop_assert!(contains_serial(&text), "{}", text);
                    }
                }
            }
            if mixed_groups >= 2 && !is_hex && !is_of_sets {
                let both = in_both_cases(capitals);
                prop_assert!(is_refused(&format!("My {both}")) && contains_serial(&both), "{}", both);
            }
        }
    }

    #[test]
    fn the_quick_test_changes_no_verdict(text in texts()) {
        prop_assert_eq!(contains_serial(&text), is_found(&text, |text| has_code(text, Place::List)), "{}", text);
    }

    #[test]
    fn what_prose_must_not_contain_is_masked_in_lists(text in texts()) {
        prop_assert!(!is_refused(&text) || contains_serial(&text), "{}", text);
    }

    #[test]
    fn no_code_is_left_after_masking(text in texts()) {
        let masked = mask_serials(&text);
        prop_assert!(!contains_serial(&masked), "{} is {}", text, masked);
        prop_assert_eq!(masked == text, !contains_serial(&text), "{}", text);
    }
}
