//! `docs/DECK_TEXT.md`: one deck in each dialect, and a share code bit by bit.

use std::fmt::Write as _;
use std::fs;
use std::path::PathBuf;

use cardscape_engine::{
    DeckDialect, DeckReading, LineVerdict, decode_share_code, parse_deck_text, read_deck,
    write_deck,
};

use super::deck_dialects::known_sets;
use crate::support::{HARBOUR, shipped};

const LIST: &str = "2 Silk (port) 002 {gilded}\n4 Salt\n1 Anchor (port) 4 {plain}\n\nSideboard\n1 Black Pearl (reef) 001\n\nExtra\n1 Brig (port)\n";
const SHARED: &str = "4 Salt (port) 001\n2 Silk (port) 002 {gilded}\n1 Memo\n\nSideboard\n1 Black Pearl (reef) 001\n";

/// The bits of the code of [`SHARED`], with their meaning.
const BITS: [(&str, &str); 32] = [
    (
        "000111 000000 010001 000001 001110 010100 010001 100110",
        "`harbour`, and the end of the word",
    ),
    ("1", "it has rarities"),
    ("010", "one"),
    ("000110 001000 001011 000011 000100 000011 100110", "`gilded`"),
    ("0000", "*low* is 0"),
    ("011", "two zones"),
    ("0", "the first is `main`"),
    ("010", "one set"),
    ("001111 001110 010001 010011 100110", "`port`"),
    ("010", "two cards of it"),
    ("0", "all with whole numbers"),
    ("10", "number 1"),
    ("001", "4 copies"),
    ("1", "no rarity"),
    ("10", "number 2, one further"),
    ("10", "2 copies"),
    ("010", "the first rarity"),
    ("010", "one card without set or number"),
    ("100111 00101 01001101 01100101 01101101 01101111", "`Memo`: its capital makes it four bytes"),
    ("0", "no set"),
    ("0", "no number"),
    ("01", "1 copy"),
    ("1", "no rarity"),
    ("1", "the second zone has a name"),
    ("010010 001000 000011 000100 100110", "`side`"),
    ("010", "one set"),
    ("010001 000100 000100 000101 100110", "`reef`"),
    ("1", "one card of it"),
    ("0", "with a whole number"),
    ("10", "number 1"),
    ("01 1", "1 copy, no rarity"),
    ("1", "no card without set or number"),
];

fn path() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../docs/DECK_TEXT.md")
}

fn word(value: &impl serde::Serialize) -> String {
    serde_json::to_value(value).unwrap().as_str().unwrap().to_owned()
}

/// The deck in each dialect, with what is lost.
fn written() -> String {
    let (catalogue, sets) = (shipped(HARBOUR), known_sets(HARBOUR));
    let deck = parse_deck_text(LIST).deck;
    let mut text = String::new();
    for dialect in DeckDialect::ALL {
        let written = write_deck(&deck, dialect, &catalogue, Some(&sets));
        let _ = write!(text, "\n### `{dialect}`\n\n```text\n{}\n```\n\n", written.text.trim_end());
        let mut losses: Vec<String> = Vec::new();
        for loss in &written.losses {
            let of =
                loss.entry.map_or("the deck".to_owned(), |at| deck.entries[at].card.name.clone());
            losses.push(format!("`{}` of {of}", word(&loss.kind)));
        }
        let losses = if losses.is_empty() { "nothing".to_owned() } else { losses.join(", ") };
        let _ = writeln!(text, "Lost: {losses}.");
    }
    text.push('\n');
    text
}

fn code() -> String {
    let deck = parse_deck_text(SHARED).deck;
    cardscape_engine::encode_share_code(HARBOUR, &deck).unwrap()
}

fn code_example() -> String {
    let mut text = format!(
        "\n```text\n{SHARED}```\n\nhas the code\n\n```text\n{}\n```\n\nAfter the version `1` it says:\n\n",
        code()
    );
    text.push_str("| Bits | Meaning |\n|---|---|\n");
    for (bits, meaning) in BITS {
        let _ = writeln!(text, "| `{bits}` | {meaning} |");
    }
    let check = &code()[code().len() - 4..];
    let _ = writeln!(text, "\nand zeros to the next character; `{check}` are the check digits.\n");
    text
}

fn replaced(page: &str, mark: &str, part: &str) -> String {
    let (open, close) = (format!("<!-- {mark} -->\n"), format!("<!-- /{mark} -->"));
    let (before, rest) = page.split_once(&open).unwrap();
    let (_, after) = rest.split_once(&close).unwrap();
    format!("{before}{open}{part}{close}{after}")
}

#[test]
fn the_page_is_what_is_written() {
    let page = fs::read_to_string(path()).unwrap();
    let updated = replaced(&replaced(&page, "written", &written()), "code", &code_example());
    if std::env::var_os("CARDSCAPE_UPDATE").is_some() {
        fs::write(path(), &updated).unwrap();
    }
    let page = fs::read_to_string(path()).unwrap();
    assert_eq!(page, updated, "CARDSCAPE_UPDATE=1 writes the page");
}

#[test]
fn the_bits_of_the_example_are_those_of_its_code() {
    const DIGITS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    let mut bits: String = BITS.iter().map(|(bits, _)| bits.replace(' ', "")).collect();
    while !bits.len().is_multiple_of(6) {
        bits.push('0');
    }
    let digits: String = bits
        .as_bytes()
        .chunks(6)
        .map(|six| {
            let value = usize::from_str_radix(std::str::from_utf8(six).unwrap(), 2).unwrap();
            char::from(DIGITS[value])
        })
        .collect();
    let code = code();
    assert_eq!(digits, code[1..code.len() - 4]);
    assert_eq!(decode_share_code(&code).unwrap().game, HARBOUR);
}

/// The page has exactly the words for statuses, guesses and reasons that answers have.
#[test]
fn the_words_of_answers_are_on_the_page() {
    let page = fs::read_to_string(path()).unwrap();
    let catalogue = shipped(HARBOUR);
    let lists = [
        "Salt\n2 Silk (reef) 9 {x} // y\n1 Mehr (port) 1\nCommander\n1 Salt\nMaybeboard\n1 Salt\nabout\n-1 Salt",
        "// format: x\n# y\n[Main]\n1 Salt {plain}\n1 Silk (reef)\n1 Slat\n",
        "2 Salt\n\n1 Silk",
        "{\"entries\"",
        "#main\n1\n!side",
        "Total Cards: 1\n1 Salt\nEnergy: 1",
    ];
    let mut words = Vec::new();
    for list in lists {
        for line in read_deck(list, &DeckReading::new(&catalogue)).lines {
            let verdict = serde_json::to_value(&line.verdict).unwrap();
            words.extend(
                ["status", "reason"]
                    .map(|key| verdict[key].as_str().unwrap_or("status").to_owned()),
            );
            if let LineVerdict::Guessed { how } = &line.verdict {
                words.extend(
                    how.iter().map(|guess| word(&serde_json::to_value(guess).unwrap()["guess"])),
                );
            }
        }
    }
    assert!(words.len() > 40, "{words:?}");
    for known in words {
        assert!(page.contains(&format!("`{known}`")), "the page lacks `{known}`");
    }
    for dialect in DeckDialect::ALL {
        assert!(page.contains(&format!("| `{dialect}` |")), "the page lacks {dialect}");
    }
}
