//! Our own dialect: it keeps everything of a deck except the ids of copies.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt::Write as _;

use serde::Serialize;
use thiserror::Error;

use super::archidekt::zone_of;
use super::csv::quantity as csv_quantity;
use super::draft::{Content, Draft, DraftEntry, Parts, Source};
use super::line::{common, has_fraction, without_marks};
use super::recognise::{share_code_in, shows_dialect};
use super::resolve::{is_same_spelling, is_sum, is_total, names_with_marks};
use super::several::{LINE_CARDS_MAX, counted_parts};
use super::symbols::symbol_row;
use super::text::tidy;
use super::writing::DeckWriter;
use super::zones::{Place, place, zone_code};
use crate::deck::{CardReference, Deck, DeckEntry, MAIN_ZONE};
use crate::manifest::Game;

/// The result of [`parse_deck_text`].
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct ParsedDeck {
    /// The lines that could be read.
    pub deck: Deck,
    /// Line number, from 1, of each entry of the deck, in their order.
    pub lines: Vec<usize>,
    /// The lines that could not be read; no line is dropped silently.
    pub faults: Vec<LineFault>,
    /// Keys and values of the comments `// key: value` before the first entry, for example `format`.
    pub notes: BTreeMap<String, String>,
}

/// A line that could not be read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct LineFault {
    /// Line number, from 1.
    pub line: usize,
    /// The line.
    pub text: String,
    /// What is wrong with it.
    pub fault: DeckTextFault,
}

/// What can be wrong with a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Error)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum DeckTextFault {
    /// The line does not begin with a number.
    #[error("the line must begin with a quantity, as in \"2 Name\"")]
    QuantityMissing,
    /// The quantity has a sign.
    #[error("the quantity must have no sign, as in \"2 Name\"")]
    QuantityInvalid,
    /// The quantity is not a whole number, or that of a table is missing.
    #[error("the quantity must be a whole number of copies, as in \"2\"")]
    QuantityNotWhole,
    /// The quantity does not fit 32 bits.
    #[error("the quantity is far too large")]
    QuantityTooLarge,
    /// The id of another program does not fit 64 bits.
    #[error("the id is too large: ids of cards are at most {}", u64::MAX)]
    IdTooLarge,
    /// The line has nothing after the quantity, or only a set, number or rarity.
    #[error(
        "a card name is missing after the quantity, as in \"2 Name\"; one in brackets needs quotes"
    )]
    NameMissing,
    /// The line has more cards than are read from one line.
    #[error("a line may have at most {LINE_CARDS_MAX} cards: write each card on a line of its own")]
    TooManyCards,
}

/// Reads a deck list.
///
/// A line is `QTY NAME`, then optionally `(SET)` and the collector number, then optionally the rarity as `{rarity}` or
/// `*rarity*`:
///
/// ```text
/// // format: ttcg/standard      comments begin with // or #
/// 2 Kettle Imp
/// 1x Kettle Imp {primal_rare}
/// 2 Kettle Imp (hearth) 017 {ultra_rare}
///
/// Sideboard                     section headers: Deck, Main, Sideboard, Side, Extra, or [any zone]
/// SB: 1 Kettle Imp              one line of the sideboard
/// ```
///
/// A name is needed: `1 (hearth) 017` has none. A set code has no spaces, so `Fox (in winter)` is a name. A name that would be read differently can
/// stand in straight quotes, where `\"`, `\\` and `\n` are escapes: `2 "Fox (winter)" (hearth)`. The same goes for the other parts. Blank lines, a
/// byte order mark and carriage returns do not matter; a blank line does not begin a sideboard.
///
/// The zones are read without a game: `main` where the list names none, and the words of headers in lower case. [`read_deck`](crate::read_deck) writes the codes of
/// the game's zones.
pub fn parse_deck_text(text: &str) -> ParsedDeck {
    let mut parsed = ParsedDeck::default();
    let mut zone = MAIN_ZONE.to_owned();
    for (at, raw) in text.trim_start_matches('\u{feff}').split('\n').enumerate() {
        let line = raw.trim();
        match read_line(line) {
            OwnLine::Blank => {}
            OwnLine::Comment(comment) => {
                if parsed.deck.entries.is_empty()
                    && let Some((key, value)) = note(comment)
                {
                    parsed.notes.entry(key).or_insert(value);
                }
            }
            OwnLine::Section(header) => zone = header.zone,
            OwnLine::Entry { zone: prefix, quantity, card } => {
                let zone = prefix.unwrap_or(&zone).to_owned();
                parsed.lines.push(at + 1);
                parsed.deck.entries.push(DeckEntry { zone, quantity, card, copies: Vec::new() });
            }
            OwnLine::Fault(fault) => {
                let text = line.to_owned();
                parsed.faults.push(LineFault { line: at + 1, text, fault });
            }
        }
    }
    parsed
}

/// The content of one line.
#[derive(Debug)]
pub(super) enum OwnLine<'a> {
    Blank,
    /// The text after `//` or `#`.
    Comment(&'a str),
    /// The zone of the lines below.
    Section(Header),
    Entry {
        /// The zone, if the line itself states one.
        zone: Option<&'static str>,
        quantity: u32,
        card: CardReference,
    },
    Fault(DeckTextFault),
}

/// A line that begins a zone.
#[derive(Debug)]
pub(super) struct Header {
    /// The zone, as far as it can be read without the game.
    zone: String,
    /// The word as the line has it.
    word: String,
    /// Whether it is in quotes: then it is no other name of a zone.
    is_quoted: bool,
}

impl Header {
    /// The code of the zone in a game; a word that means none of its zones stays. `Sideboard` is a word of all games, but a zone of the game may have it as its own
    /// word: then it means this zone, as in lists of other programs.
    fn code(self, game: &Game) -> String {
        match place(game, &self.word) {
            Place::Zone { code, known: true } if !self.is_quoted => code,
            _ => self.zone,
        }
    }
}

/// Reads a trimmed line.
pub(super) fn read_line(line: &str) -> OwnLine<'_> {
    if line.is_empty() {
        return OwnLine::Blank;
    }
    if let Some(comment) = comment(line) {
        return OwnLine::Comment(comment);
    }
    if let Some(zone) = section(line) {
        return OwnLine::Section(zone);
    }
    let (zone, entry) = match prefix(line) {
        Some(rest) => (Some("side"), rest),
        None => (None, line),
    };
    match parse_entry(entry) {
        Ok((quantity, card)) => OwnLine::Entry { zone, quantity, card },
        Err(fault) => OwnLine::Fault(fault),
    }
}

/// The text of a comment. The keycap of the number sign is an emoji.
pub(super) fn comment(line: &str) -> Option<&str> {
    let after_hash = || {
        let rest = line.strip_prefix('#')?;
        (!rest.starts_with(['\u{fe0f}', '\u{20e3}'])).then_some(rest)
    };
    line.strip_prefix("//").or_else(after_hash)
}

/// Key and value of a comment of the form `key: value`.
pub(super) fn note(comment: &str) -> Option<(String, String)> {
    let (key, value) = comment.split_once(':')?;
    Some((key.trim().to_lowercase(), value.trim().to_owned()))
}

/// Writes a deck list that [`parse_deck_text`] reads back as the same deck, except for the ids of copies ([`DeckEntry::copies`]), for which the text
/// has no notation. [`write_deck`](crate::write_deck) knows the cards of the game, and also puts names in quotes that a reader would take for the beginning of
/// another card's name.
pub fn render_deck_text(deck: &Deck) -> String {
    render(deck, |_, _| true, |_| false, |_| false)
}

/// Writes a deck. `is_meant`: whether a reader with the game at hand takes a header for this zone. `is_card`: whether a card has this name. `is_guessed`: whether a
/// reader may take the name, which no card has, for a card and something else.
fn render(
    deck: &Deck,
    is_meant: impl Fn(&str, Header) -> bool,
    is_card: impl Fn(&str) -> bool,
    is_guessed: impl Fn(&str) -> bool,
) -> String {
    let mut text = String::new();
    let mut zone = MAIN_ZONE;
    for entry in &deck.entries {
        if entry.zone != zone {
            if !text.is_empty() {
                text.push('\n');
            }
            text.push_str(&render_section(&entry.zone, &is_meant));
            text.push('\n');
            zone = &entry.zone;
        }
        text.push_str(&render_entry(entry, &is_card, &is_guessed));
        text.push('\n');
    }
    text
}

pub(super) fn prefix(line: &str) -> Option<&str> {
    let head = line.get(..3)?;
    head.eq_ignore_ascii_case("sb:").then(|| line[3..].trim_start())
}

/// The zone that a header line begins.
fn section(line: &str) -> Option<Header> {
    let bare =
        |zone: String, word: &str| Header { zone, word: word.trim().to_owned(), is_quoted: false };
    if let Some(inner) = line.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
        if let Some((zone, "")) = quoted(inner) {
            return Some(Header { word: zone.clone(), zone, is_quoted: true });
        }
        let known = known_section(inner);
        return Some(bare(known.map_or_else(|| inner.trim().to_lowercase(), str::to_owned), inner));
    }
    let word = line.strip_suffix(':').unwrap_or(line);
    known_section(word).map(|zone| bare(zone.to_owned(), word))
}

fn known_section(name: &str) -> Option<&'static str> {
    let name = name.trim();
    let is = |names: &[&str]| names.iter().any(|known| name.eq_ignore_ascii_case(known));
    if is(&["deck", "main", "mainboard", "main board", "main deck", "maindeck"]) {
        Some(MAIN_ZONE)
    } else if is(&["side", "sideboard", "side board", "side deck"]) {
        Some("side")
    } else if is(&["extra", "extra deck"]) {
        Some("extra")
    } else if is(&["commander"]) {
        Some("commander")
    } else if is(&["companion"]) {
        Some("companion")
    } else {
        None
    }
}

fn parse_entry(line: &str) -> Result<(u32, CardReference), DeckTextFault> {
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    if digits == 0 {
        let negative = line.strip_prefix(['-', '−', '+']);
        return Err(match negative {
            Some(rest) if rest.starts_with(|first: char| first.is_ascii_digit()) => {
                DeckTextFault::QuantityInvalid
            }
            _ => DeckTextFault::QuantityMissing,
        });
    }
    let (number, rest) = line.split_at(digits);
    let rest = match rest.strip_prefix(['x', 'X', '×']) {
        Some(after) if after.is_empty() || after.starts_with(char::is_whitespace) => after,
        _ => rest,
    };
    if has_fraction(line) {
        return Err(DeckTextFault::QuantityNotWhole);
    }
    if !rest.is_empty() && !rest.starts_with(char::is_whitespace) {
        // "3rd Wish": the number belongs to the name, so the quantity is what is missing.
        return Err(DeckTextFault::QuantityMissing);
    }
    let quantity = number.parse().map_err(|_| DeckTextFault::QuantityTooLarge)?;
    let rest = rest.trim();
    if lacks_name(rest) {
        return Err(DeckTextFault::NameMissing);
    }
    Ok((quantity, quoted_card(rest).unwrap_or_else(|| bare_card(rest))))
}

/// Whether the text is empty, or has only a set (with or without a number) and a rarity.
fn lacks_name(text: &str) -> bool {
    let mut rest = text;
    let set = bracketed(rest, '(', ')').or_else(|| bracketed(rest, '[', ']'));
    if let Some((code, after)) = set
        && !code.contains(char::is_whitespace)
        && (after.is_empty() || after.starts_with(char::is_whitespace))
    {
        rest = after.trim_start();
        // "(Half) Fox" is a name; "(hearth) 017" is not.
        let (word, after) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
        if word.contains(|character: char| character.is_ascii_digit()) && !word.starts_with('{') {
            rest = after.trim_start();
        }
    }
    rest.is_empty() || bracketed(rest, '{', '}').is_some_and(|(_, after)| after.is_empty())
}

/// A card whose name stands in quotation marks. Its other parts may be quoted, too.
fn quoted_card(text: &str) -> Option<CardReference> {
    let (name, mut rest) = quoted(text)?;
    let mut card = CardReference::named(name);
    rest = rest.trim_start();
    if let Some((set, after)) = bracketed(rest, '(', ')') {
        card.set = Some(set);
        rest = after.trim_start();
    }
    if !rest.is_empty() && !rest.starts_with(['{', '*']) {
        let (number, after) = quoted(rest).unwrap_or_else(|| {
            let end = rest.find(char::is_whitespace).unwrap_or(rest.len());
            (rest[..end].to_owned(), &rest[end..])
        });
        card.number = Some(number);
        rest = after.trim_start();
    }
    if let Some((rarity, after)) = bracketed(rest, '{', '}').or_else(|| bracketed(rest, '*', '*')) {
        card.rarity = Some(rarity);
        rest = after.trim_start();
    }
    rest.is_empty().then_some(card)
}

/// A text in straight quotation marks at the start, and the rest.
fn quoted(text: &str) -> Option<(String, &str)> {
    let mut letters = text.strip_prefix('"')?.chars();
    let mut inner = String::new();
    loop {
        match letters.next()? {
            '"' => return Some((inner, letters.as_str())),
            '\\' => inner.push(match letters.next()? {
                'n' => '\n',
                'r' => '\r',
                other => other,
            }),
            other => inner.push(other),
        }
    }
}

fn bracketed(text: &str, open: char, close: char) -> Option<(String, &str)> {
    let inner = text.strip_prefix(open)?;
    if let Some((value, rest)) = quoted(inner)
        && let Some(rest) = rest.strip_prefix(close)
    {
        return Some((value, rest));
    }
    let (value, rest) = inner.split_once(close)?;
    let value = value.trim();
    (!value.is_empty()).then(|| (value.to_owned(), rest))
}

/// A card whose name is not quoted: the other parts are taken off the end.
fn bare_card(text: &str) -> CardReference {
    let mut card = CardReference::default();
    let mut name = text;
    for (open, close) in [('{', '}'), ('*', '*')] {
        if let Some((before, value)) = suffix(name, open, close) {
            card.rarity = Some(value.to_owned());
            name = before;
            break;
        }
    }
    let set = |text| {
        let found = suffix(text, '(', ')').or_else(|| suffix(text, '[', ']'));
        found.filter(|(_, value)| !value.contains(char::is_whitespace))
    };
    if let Some((before, code)) = set(name) {
        card.set = Some(code.to_owned());
        name = before;
    } else if let Some((front, number)) = name.rsplit_once(char::is_whitespace)
        && let Some((before, code)) = set(front.trim_end())
    {
        card.set = Some(code.to_owned());
        card.number = Some(number.to_owned());
        name = before;
    }
    name.clone_into(&mut card.name);
    card
}

/// Splits a bracketed value off the end: the text before it, and the value. There must be white space before the bracket.
fn suffix(text: &str, open: char, close: char) -> Option<(&str, &str)> {
    let inner = text.strip_suffix(close)?;
    let (before, value) = inner.rsplit_once(open)?;
    let (name, value) = (before.trim_end(), value.trim());
    (before.ends_with(char::is_whitespace) && !name.is_empty() && !value.is_empty())
        .then_some((name, value))
}

/// The header of a zone: its usual word or its code, whichever is read back as this zone, otherwise the code in quotes.
fn render_section(zone: &str, is_meant: impl Fn(&str, Header) -> bool) -> String {
    let word = match zone {
        MAIN_ZONE => Some("Deck"),
        "side" => Some("Sideboard"),
        "extra" => Some("Extra"),
        _ => None,
    };
    let is_read_back = |plain: &String| {
        !plain.contains('\n')
            && plain.trim() == plain
            && section(plain).is_some_and(|header| header.zone == zone && is_meant(zone, header))
    };
    let mut headers = word.map(str::to_owned).into_iter().chain([format!("[{zone}]")]);
    headers.find(is_read_back).unwrap_or_else(|| format!("[{}]", quote(zone)))
}

fn render_entry(
    entry: &DeckEntry,
    is_card: impl Fn(&str) -> bool,
    is_guessed: impl Fn(&str) -> bool,
) -> String {
    let card = &entry.card;
    let is_read_as_card = |line: &str| parse_entry(line).is_ok_and(|(_, read)| read == *card);
    let plain = render_card(entry.quantity, card, str::to_owned);
    let reads_back = !plain.contains('\n')
        && plain.trim() == plain
        && section(&plain).is_none()
        && is_read_as_card(&plain)
        && reads_alike_elsewhere(&plain, entry);
    if !reads_back || is_guessed(&card.name) {
        return render_card(entry.quantity, card, quote);
    }
    if !longer_names(&plain).iter().any(|name| is_card(name)) {
        return plain;
    }
    let with_quotes = CardReference { name: quote(&card.name), ..card.clone() };
    let quoted = render_card(entry.quantity, &with_quotes, str::to_owned);
    if is_read_as_card(&quoted) { quoted } else { render_card(entry.quantity, card, quote) }
}

/// Names of cards that a line would mean instead of its own, if there are such cards: names that end with marks after this name, a rarity, for example, as in
/// `Foo {u}`.
fn longer_names(line: &str) -> Vec<String> {
    // Lines without a set, a number and a rarity have no such marks.
    if !line.contains(['#', '[', '{', '^']) {
        return Vec::new();
    }
    let tidied = tidy(line);
    let Content::Entry(read) = common(&tidied) else { return Vec::new() };
    names_with_marks(&read).map(str::to_owned).collect()
}

/// Whether a reader that knows no card of this name may take a part of it for the name of another card, and the rest for a remark, a symbol, a set or a number.
fn may_be_guessed(name: &str) -> bool {
    name.contains("//") || !name.is_ascii() || name.bytes().any(|byte| byte.is_ascii_digit())
}

/// The names that must be known to write a deck as our own text: those of entries only if a reader may guess them.
pub(super) fn names_to_tell_apart(deck: &Deck) -> impl Iterator<Item = String> {
    deck.entries.iter().flat_map(|entry| {
        let line = render_card(entry.quantity, &entry.card, str::to_owned);
        let name = Some(entry.card.name.clone()).filter(|name| may_be_guessed(name));
        longer_names(&line).into_iter().chain(name)
    })
}

/// Whether a line means the same entry where only some lines of a list are taken for our own text, or none: a name with `#` or brackets would lose them there,
/// and one that looks like several cards, or like a share code with words before it, would become other entries. A bar would make the whole text one of Forge.
fn reads_alike_elsewhere(line: &str, entry: &DeckEntry) -> bool {
    let (tidied, card) = (tidy(line), &entry.card);
    let Content::Entry(read) = common(&tidied) else { return false };
    let DraftEntry { quantity, card: parts, zone, marks_dropped, .. } = &*read;
    let is_literal = *quantity == Some(entry.quantity)
        && zone.is_none()
        && !marks_dropped
        && parts.tags.is_empty()
        && parts.name == card.name
        && parts.set.as_deref() == card.set.as_deref()
        && parts.number.as_deref() == card.number.as_deref()
        && parts.rarity.as_deref() == card.rarity.as_deref();
    is_literal
        && !is_only_marks(&card.name)
        && without_marks(&card.name).len() == card.name.len()
        && !line.contains('|')
        && !is_row_of_table(line)
        && !shows_dialect(line)
        && counted_parts(line).is_none()
        && symbol_row(line).is_none()
        && share_code_in(line).is_none()
        && !is_total(&read)
        && !is_sum(&read, line)
}

/// Whether a line may be a row of a table without a header: one of several fields is a quantity.
fn is_row_of_table(line: &str) -> bool {
    let mut fields = line.split([',', ';', '\t']);
    line.contains([',', ';', '\t']) && fields.any(|field| csv_quantity(field).is_ok())
}

/// Whether a name has only characters that are marks in lists.
fn is_only_marks(name: &str) -> bool {
    name.chars().all(|character| character.is_ascii_punctuation() || character == ' ')
}

fn render_card(quantity: u32, card: &CardReference, write: impl Fn(&str) -> String) -> String {
    let mut text = format!("{quantity} {}", write(&card.name));
    if let Some(set) = &card.set {
        let _ = write!(text, " ({})", write(set));
    }
    if let Some(number) = &card.number {
        let _ = write!(text, " {}", write(number));
    }
    if let Some(rarity) = &card.rarity {
        let _ = write!(text, " {{{}}}", write(rarity));
    }
    text
}

fn quote(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push('"');
    for character in text.chars() {
        match character {
            '"' | '\\' => quoted.extend(['\\', character]),
            '\n' => quoted.push_str("\\n"),
            '\r' => quoted.push_str("\\r"),
            other => quoted.push(other),
        }
    }
    quoted.push('"');
    quoted
}

/// An entry as other programs mean it, unless something in it is quoted.
fn otherwise(line: &str) -> Option<Box<DraftEntry<'_>>> {
    match Draft::line(line, common) {
        Content::Entry(mut entry) if !line.contains('"') => {
            // A text in square brackets may be the set.
            let is_set = |text: &&str| entry.card.set.as_deref() == Some(*text);
            let category = entry.card.category.filter(|text| !is_set(text));
            entry.zone = entry.zone.or(category.and_then(zone_of).map(Cow::Borrowed));
            Some(entry)
        }
        _ => None,
    }
}

/// Reads our own text for [`read_deck`](super::read_deck). Lines that are invalid in this dialect are read like lists of other programs.
pub(super) fn draft<'a>(source: Source<'a>, game: &Game) -> Draft<'a> {
    let mut draft = Draft::default();
    let lines = source.raw.split('\n').zip(source.tidy.split('\n')).enumerate();
    for (at, (raw, tidy)) in lines {
        let raw = raw.trim();
        let content = match read_line(raw) {
            OwnLine::Blank => Content::Blank,
            OwnLine::Comment(comment) => Content::Comment(comment.trim()),
            OwnLine::Section(header) => Content::Zone(header.code(game)),
            OwnLine::Entry { zone, quantity, card } => Content::Entry(Box::new(DraftEntry {
                quantity: Some(quantity),
                card: card.into(),
                zone: zone.map(|zone| Cow::Owned(zone_code(game, zone))),
                exact: true,
                otherwise: otherwise(tidy.trim()),
                ..DraftEntry::default()
            })),
            OwnLine::Fault(_) => Draft::line(tidy.trim(), common),
        };
        draft.push(at + 1, Cow::Borrowed(raw), content);
    }
    draft
}

impl From<CardReference> for Parts<'_> {
    fn from(card: CardReference) -> Self {
        Self {
            name: card.name.into(),
            set: card.set.map(Cow::Owned),
            number: card.number.map(Cow::Owned),
            rarity: card.rarity.map(Cow::Owned),
            ..Self::default()
        }
    }
}

/// Writes our own text. In a list of which only some lines have marks of our own text, a zone that the game does not have is a heading, unless it is in quotes.
pub(super) fn write(writer: &mut DeckWriter<'_>) {
    let (game, catalogue) = (writer.game(), writer.catalogue);
    let is_meant = |zone: &str, header: Header| match place(game, zone) {
        Place::Category => false,
        // In quotes, another name of a zone stays as it is written. Entries that name no zone need not.
        Place::Zone { code, .. } if zone == MAIN_ZONE => header.code(game) == code,
        _ => header.code(game) == zone,
    };
    let is_card = |name: &str| {
        let is_spelled =
            |card: &u32| is_same_spelling(&catalogue.card(*card).definition.name, name);
        catalogue.named(name).iter().any(is_spelled)
    };
    let is_guessed = |name: &str| may_be_guessed(name) && !is_card(name);
    writer.text = render(writer.deck, is_meant, is_card, is_guessed);
}
