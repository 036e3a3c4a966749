//! Deck lists as players store them: names, limits, and formats.

use std::fmt;
use std::sync::Arc;

use cardscape_engine::{
    CardMention, CardReference, Date, Deck, DeckEntry, Format, Game, Violation, ViolationCode,
    name_key,
};
use thiserror::Error;

use crate::domain::serials::serial::{SerialCode, SerialError};
use crate::domain::serials::serial_text::{MASKED, contains_serial};
use crate::domain::text::{self, TextError, without_serial};

/// Most entries (lines) of one deck.
pub const MAX_ENTRIES: usize = 500;
/// Most copies in one entry.
pub const MAX_QUANTITY: u32 = 10_000;
/// Most decks of one account.
pub const MAX_DECKS: i64 = 1_000;
/// Most characters of a card name in an entry.
pub const MAX_CARD_NAME: usize = 200;
/// Most copies that one entry names.
pub const MAX_COPIES: usize = 100;
/// Most characters of a zone, set, number or rarity in an entry.
const MAX_CODE: usize = 64;

/// The name of a deck: 1 to 100 characters on one line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeckName(String);

impl DeckName {
    /// Parses what a person typed.
    ///
    /// ```
    /// use cardscape::domain::decks::deck::DeckName;
    /// assert_eq!(DeckName::parse("  Embers and Bones ").unwrap().as_str(), "Embers and Bones");
    /// assert!(DeckName::parse("   ").is_err());
    /// ```
    pub fn parse(raw: &str) -> Result<Self, TextError> {
        without_serial(text::line(raw, 1, 100)?).map(Self)
    }

    /// Parses a name that a list states: a longer one than the name of a deck is cut.
    ///
    /// ```
    /// use cardscape::domain::decks::deck::DeckName;
    /// assert_eq!(DeckName::shortened(&"x".repeat(150)).unwrap().as_str(), "x".repeat(100));
    /// ```
    pub fn shortened(raw: &str) -> Result<Self, TextError> {
        // A part of a code could not be recognised.
        let checked = without_serial(raw.trim().to_owned())?;
        Self::parse(&checked.chars().take(100).collect::<String>())
    }

    /// Parses a name to look for, which an older version may have stored: it refused fewer texts.
    pub fn parse_filter(raw: &str) -> Result<Self, TextError> {
        text::known_line(raw, 1, 100).map(Self)
    }

    /// A name that was checked before it was stored, perhaps by an older version, which refused fewer texts.
    pub fn stored(text: &str) -> Self {
        Self(text.to_owned())
    }

    /// The name.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Who may read a deck.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Visibility {
    /// Its owner.
    #[default]
    Private,
    /// Everybody.
    Public,
}

impl Visibility {
    /// Both values.
    pub const ALL: [Self; 2] = [Self::Private, Self::Public];

    /// The name on the wire and in the database.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Private => "private",
            Self::Public => "public",
        }
    }

    /// The visibility with that name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|visibility| visibility.as_str() == name)
    }
}

/// The name of a format: `game/format`, or `game/format:variant` if the format has variants.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FormatName {
    game: String,
    code: String,
    variant: Option<String>,
}

/// The text is not of the form `game/format` or `game/format:variant`.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
#[error("must be game/format or game/format:variant in lower case, for example ttcg/standard")]
pub struct FormatNameError;

impl FormatName {
    /// Parses `ttcg/standard` or `emojo-dojo/box:half`. Does not check whether the format exists.
    ///
    /// ```
    /// use cardscape::domain::decks::deck::FormatName;
    /// let half = FormatName::parse("emojo-dojo/box:half").unwrap();
    /// assert_eq!((half.game(), half.code(), half.variant()), ("emojo-dojo", "box", Some("half")));
    /// assert_eq!(half.to_string(), "emojo-dojo/box:half");
    /// assert!(FormatName::parse("standard").is_err());
    /// ```
    pub fn parse(raw: &str) -> Result<Self, FormatNameError> {
        let (game, rest) = raw.split_once('/').ok_or(FormatNameError)?;
        Self::of_game(game, rest)
    }

    /// Parses the text of [`FormatName::local`].
    pub fn of_game(game: &str, local: &str) -> Result<Self, FormatNameError> {
        let (code, variant) =
            local.split_once(':').map_or((local, None), |(code, variant)| (code, Some(variant)));
        if [Some(game), Some(code), variant].into_iter().flatten().all(is_code) {
            Ok(Self {
                game: game.to_owned(),
                code: code.to_owned(),
                variant: variant.map(str::to_owned),
            })
        } else {
            Err(FormatNameError)
        }
    }

    pub fn game(&self) -> &str {
        &self.game
    }

    /// Code of the format.
    pub fn code(&self) -> &str {
        &self.code
    }

    /// Code of the variant; `None`: the format's default.
    pub fn variant(&self) -> Option<&str> {
        self.variant.as_deref()
    }

    /// The name within its game: `standard`, `box:half`.
    pub fn local(&self) -> String {
        self.variant
            .as_ref()
            .map_or_else(|| self.code.clone(), |variant| format!("{}:{variant}", self.code))
    }
}

/// Why a format does not exist. `Display` lists the formats or variants that exist.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum UnknownFormat {
    /// The game has no format of this code.
    #[error("There is no format {name}; there is {}.", known.join(", "))]
    Code {
        /// The requested name.
        name: FormatName,
        /// The formats of the game.
        known: Vec<String>,
    },
    /// The format has no such variant.
    #[error("There is no format {name}; there is {}.", known.join(", "))]
    Variant {
        /// The requested name.
        name: FormatName,
        /// The format and its variants.
        known: Vec<String>,
    },
    /// The format begins after the requested day.
    #[error("There is no format {name} on {day}; its first version begins on {begins_on}.")]
    NotYet {
        /// The requested name.
        name: FormatName,
        /// The requested day.
        day: Date,
        /// First day of the format's first version.
        begins_on: Date,
    },
}

impl UnknownFormat {
    /// The formats or variants that exist.
    pub fn known(&self) -> &[String] {
        match self {
            Self::Code { known, .. } | Self::Variant { known, .. } => known,
            Self::NotYet { .. } => &[],
        }
    }
}

impl FormatName {
    /// The format with that name, in the version and with the rules of a day.
    ///
    /// # Errors
    /// When the game has no such format, or not on that day.
    pub fn find_in(&self, game: &Game, day: Date) -> Result<Arc<Format>, UnknownFormat> {
        let name = || self.clone();
        let Some(format) = game.format_on(&self.code, day) else {
            return Err(match game.format_begins_on(&self.code) {
                Some(begins_on) => UnknownFormat::NotYet { name: name(), day, begins_on },
                None => UnknownFormat::Code { name: name(), known: known_formats(game) },
            });
        };
        match &self.variant {
            None => Ok(format),
            Some(variant) => format.with_variant(variant).map(Arc::new).ok_or_else(|| {
                UnknownFormat::Variant { name: name(), known: known_variants(&format) }
            }),
        }
    }

    /// The names of the same format within its game: [`FormatName::local`], and for a default variant also the name without a variant. A format that begins
    /// after `day` has the variants of its first version.
    pub fn local_names(&self, game: &Game, day: Date) -> [String; 2] {
        let first = game.format_begins_on(&self.code).map_or(day, |begins_on| begins_on.max(day));
        let format = game.format_on(&self.code, first);
        let default = format.and_then(|format| format.variant.clone());
        match default {
            Some(default) if self.variant().is_none_or(|variant| *variant == *default) => {
                [self.code.clone(), format!("{}:{default}", self.code)]
            }
            _ => [self.local(), self.local()],
        }
    }
}

/// The first two indices with the same variant of one format.
///
/// `box` and `box:full` are the same if `full` is the default.
pub fn same_format(formats: &[Arc<Format>]) -> Option<(usize, usize)> {
    formats.iter().enumerate().find_map(|(second, format)| {
        let alike =
            |other: &Arc<Format>| other.code == format.code && other.variant == format.variant;
        formats[..second].iter().position(alike).map(|first| (first, second))
    })
}

fn known_formats(game: &Game) -> Vec<String> {
    game.formats().iter().map(|format| format!("{}/{}", game.code(), format.code)).collect()
}

fn known_variants(format: &Format) -> Vec<String> {
    let name = format!("{}/{}", format.game, format.code);
    let variants = format.variants.iter().map(|variant| format!("{name}:{}", variant.code));
    std::iter::once(name.clone()).chain(variants).collect()
}

impl fmt::Display for FormatName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.game, self.local())
    }
}

/// Whether a text may be the code of a game, format or variant. New manifests have no longer codes of these.
fn is_code(text: &str) -> bool {
    (1..=32).contains(&text.len())
        && text.bytes().all(|byte| {
            byte.is_ascii_lowercase() || byte.is_ascii_digit() || matches!(byte, b'-' | b'_')
        })
}

/// What is wrong with one field of an entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EntryFault {
    /// The name of the field on the wire.
    pub field: &'static str,
    pub reason: EntryReason,
}

/// What is wrong with a field of an entry.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum EntryReason {
    /// The text cannot be stored.
    #[error(transparent)]
    Text(#[from] TextError),
    /// The entry names more copies than its quantity, or more than allowed.
    #[error("must be at most {MAX_COPIES}, and no more than the quantity")]
    TooManyCopies,
    /// A copy is named by its serial code.
    #[error("must not be serial codes: name a copy by its id, or as you like")]
    SerialOfCopy,
    /// A field contains a serial code.
    #[error("must not be a serial code: submit it, and name the card here")]
    Serial,
    /// The quantity is not allowed.
    #[error("must be 1 to {MAX_QUANTITY}")]
    Quantity,
}

/// Checks an entry and trims its texts, or returns its faults: of each kind, at most one for each field.
///
/// Only values that cannot be stored or written as a line of text are refused here. Unknown cards, zones and printings are
/// violations in the report.
pub fn check_entry(entry: DeckEntry) -> Result<DeckEntry, Vec<EntryFault>> {
    if is_plain(&entry) { Ok(entry) } else { check_parts(entry) }
}

fn check_parts(entry: DeckEntry) -> Result<DeckEntry, Vec<EntryFault>> {
    let mut faults = Vec::new();
    let mut line = |field, raw: &str, max, min| {
        text::line(raw, min, max)
            .map_err(|error| faults.push(EntryFault { field, reason: error.into() }))
            .ok()
    };
    let zone = line("zone", &entry.zone, MAX_CODE, 1);
    // An entry whose card is hidden from its reader has a place and no name.
    let has_place = entry.card.set.is_some() && entry.card.number.is_some();
    let name = line("name", &entry.card.name, MAX_CARD_NAME, usize::from(!has_place));
    let set = entry.card.set.as_deref().map(|set| line("set", set, MAX_CODE, 1));
    let number = entry.card.number.as_deref().map(|number| line("number", number, MAX_CODE, 1));
    let rarity = entry.card.rarity.as_deref().map(|rarity| line("rarity", rarity, MAX_CODE, 1));
    // All copies are at one place, so only the first fault of their texts is reported: there may be tens of thousands.
    let copies: Option<Vec<String>> = entry
        .copies
        .iter()
        .take(MAX_COPIES)
        .map(|copy| line("copies", copy, MAX_CODE, 1))
        .collect();
    let copies = copies.unwrap_or_default();
    if entry.copies.len() > MAX_COPIES.min(entry.quantity as usize) {
        faults.push(EntryFault { field: "copies", reason: EntryReason::TooManyCopies });
    }
    if copies.iter().any(|copy| is_serial(copy) || contains_serial(copy)) {
        faults.push(EntryFault { field: "copies", reason: EntryReason::SerialOfCopy });
    }
    let written = [
        ("zone", Some(entry.zone.as_str())),
        ("name", Some(entry.card.name.as_str())),
        ("set", entry.card.set.as_deref()),
        ("number", entry.card.number.as_deref()),
        ("rarity", entry.card.rarity.as_deref()),
    ];
    for (field, text) in written {
        if text.is_some_and(contains_serial) {
            faults.push(EntryFault { field, reason: EntryReason::Serial });
        }
    }
    if !(1..=MAX_QUANTITY).contains(&entry.quantity) {
        faults.push(EntryFault { field: "quantity", reason: EntryReason::Quantity });
    }
    match (zone, name) {
        (Some(zone), Some(name)) if faults.is_empty() => Ok(DeckEntry {
            zone,
            quantity: entry.quantity,
            card: CardReference {
                name,
                set: set.flatten(),
                number: number.flatten(),
                rarity: rarity.flatten(),
            },
            copies,
        }),
        _ => Err(faults),
    }
}

/// Whether an entry has only a quantity, a zone and a name, which stay as they are: most entries do. [`check_parts`] compares every part with every rule.
fn is_plain(entry: &DeckEntry) -> bool {
    let is_line = |line: &str, max: usize| {
        (1..=max).contains(&line.len())
            && text::is_printable_ascii(line)
            && !line.starts_with(' ')
            && !line.ends_with(' ')
            && !contains_serial(line)
    };
    let DeckEntry { zone, quantity, card, copies } = entry;
    let CardReference { name, set, number, rarity } = card;
    (1..=MAX_QUANTITY).contains(quantity)
        && copies.is_empty()
        && [set, number, rarity].into_iter().all(Option::is_none)
        && is_line(zone, MAX_CODE)
        && is_line(name, MAX_CARD_NAME)
}

/// Whether a text is a serial code, perhaps with a typing error. Serial codes are secrets and are never stored.
fn is_serial(text: &str) -> bool {
    matches!(SerialCode::parse(text), Ok(_) | Err(SerialError::Check))
}

/// Most characters of a line of a list that are shown and stored.
pub const MAX_SHOWN: usize = 200;

/// A line of a list in a form that may be shown and stored: a line with a serial code is replaced, control characters are removed, and a long line is cut. It must
/// be given as a whole: a part of a code cannot be recognised.
pub fn shown_line(line: &str) -> String {
    if contains_serial(line) {
        return MASKED.to_owned();
    }
    let end = line.char_indices().nth(MAX_SHOWN).map_or(line.len(), |(end, _)| end);
    let line = &line[..end];
    // Most lines are copied as they are.
    if text::is_printable_ascii(line) || !line.contains(text::is_control) {
        return line.to_owned();
    }
    line.chars().map(|letter| if text::is_control(letter) { ' ' } else { letter }).collect()
}

/// Like [`shown_line`], without a copy of a line that may be shown as it is.
pub fn into_shown_line(line: String) -> String {
    let may_stay =
        line.len() <= MAX_SHOWN && text::is_printable_ascii(&line) && !contains_serial(&line);
    if may_stay { line } else { shown_line(&line) }
}

/// The lines of a list, by the cards that they name.
#[derive(Clone, Debug, Default)]
pub struct CardLines<'a> {
    /// With the keys of their names, sorted by these; the lines of one card are in their order.
    places: Vec<(String, Place<'a>)>,
}

#[derive(Clone, Debug)]
struct Place<'a> {
    line: usize,
    zone: &'a str,
    card: &'a CardReference,
}

impl<'a> CardLines<'a> {
    /// From a deck and the line of each of its entries; `lines` is empty for a deck that was not read from text.
    pub fn new(deck: &'a Deck, lines: &[usize]) -> Self {
        let place = |(entry, line): (&'a DeckEntry, &usize)| {
            let place = Place { line: *line, zone: &entry.zone, card: &entry.card };
            (name_key(&entry.card.name), place)
        };
        let mut places: Vec<_> = deck.entries.iter().zip(lines).map(place).collect();
        places.sort_by(|(one, _), (other, _)| one.cmp(other));
        Self { places }
    }

    /// The lines of cards with this key.
    fn of_key(&self, key: &str) -> &[(String, Place<'a>)] {
        let from = &self.places[self.places.partition_point(|(own, _)| own.as_str() < key)..];
        &from[..from.partition_point(|(own, _)| own == key)]
    }

    /// The lines that name the cards of a violation, by name or by set and number, in ascending order; empty if the violation is about no card.
    pub fn of(&self, violation: &Violation) -> Vec<usize> {
        let named = violation.cards.iter().flat_map(|card| {
            let key = name_key(&card.name);
            let is_named = !key.is_empty();
            let nameless = self.of_key("").iter();
            let nameless = nameless.filter(move |(_, place)| is_named && place.is_at(card));
            self.of_key(&key)
                .iter()
                .chain(nameless)
                .filter(|(_, place)| place.is_meant(card, violation))
                .map(|(_, place)| place.line)
        });
        let mut lines: Vec<usize> = named.collect();
        lines.sort_unstable();
        lines.dedup();
        lines
    }
}

impl Place<'_> {
    /// Whether the line and the card name the same set and number.
    fn is_at(&self, card: &CardMention) -> bool {
        let CardReference { set, number, .. } = self.card;
        let parts = [set, number, &card.set, &card.number];
        parts.iter().all(|part| part.is_some())
            && agree_in_place((set, number), (&card.set, &card.number))
    }

    fn is_meant(&self, card: &CardMention, violation: &Violation) -> bool {
        let CardReference { set, number, rarity, .. } = self.card;
        match violation.code {
            // Of the lines without a name, those are meant that write set and number like the mentioned card: other lines are other entries.
            ViolationCode::ZoneUnknown if card.name.is_empty() => {
                violation.zone.as_deref() == Some(self.zone)
                    && (set, number) == (&card.set, &card.number)
            }
            _ if card.name.is_empty() => {
                (set, number, rarity) == (&card.set, &card.number, &card.rarity)
            }
            // The violation mentions the card exactly as the line writes it.
            ViolationCode::PrintingUnknown => {
                (set, number, rarity) == (&card.set, &card.number, &card.rarity)
            }
            ViolationCode::ZoneUnknown => violation.zone.as_deref() == Some(self.zone),
            _ => agree_in_place((set, number), (&card.set, &card.number)),
        }
    }
}

/// Set and number of a card, as far as they are stated.
type PlaceParts<'a> = (&'a Option<String>, &'a Option<String>);

/// Whether a line may mean a place. A line without a set or number may mean any set or number.
fn agree_in_place(written: PlaceParts<'_>, meant: PlaceParts<'_>) -> bool {
    agree(written.0.as_deref(), meant.0.as_deref())
        && agree(plain(written.1.as_deref()), plain(meant.1.as_deref()))
}

/// A number without the zeros at its beginning.
fn plain(number: Option<&str>) -> Option<&str> {
    number.map(|number| number.trim_start_matches('0'))
}

fn agree(written: Option<&str>, meant: Option<&str>) -> bool {
    match (written, meant) {
        (Some(written), Some(meant)) => written.eq_ignore_ascii_case(meant),
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use cardscape_engine::{KnownSet, KnownSets};
    use proptest::prelude::*;

    use super::*;
    use crate::domain::decks::details::{DeckDescription, DeckFolder, DeckTag};
    use crate::domain::serials::serial::RunPrefix;

    fn entry(zone: &str, quantity: u32, name: &str, set: Option<&str>) -> DeckEntry {
        let card = CardReference {
            name: name.to_owned(),
            set: set.map(str::to_owned),
            number: None,
            rarity: None,
        };
        DeckEntry { zone: zone.to_owned(), quantity, card, copies: Vec::new() }
    }

    #[test]
    fn all_faults_of_an_entry_are_reported() {
        let faults = check_entry(entry("", 0, "a\nb", Some(&"x".repeat(65)))).unwrap_err();
        let fields: Vec<_> = faults.iter().map(|fault| fault.field).collect();
        assert_eq!(fields, ["zone", "name", "set", "quantity"]);
        assert!(check_entry(entry("main", 10_001, "Ping", None)).is_err());
        assert_eq!(check_entry(entry("main", 10_000, " Ping ", None)).unwrap().card.name, "Ping");
    }

    #[test]
    fn a_copy_is_named_but_never_by_its_serial_code() {
        let named = |quantity, copies: &[&str]| {
            let copies = copies.iter().map(|copy| (*copy).to_owned()).collect();
            check_entry(DeckEntry { copies, ..entry("main", quantity, "Ping", None) })
        };
        let id = "01998d5e-7a35-7c54-b0a0-1f6f4f5f2b11";
        assert_eq!(named(2, &[id, " the bent one "]).unwrap().copies, [id, "the bent one"]);
        assert!(named(1, &["a", "b"]).is_err(), "more copies than cards");
        assert!(named(1, &[""]).is_err());
        let reasons = |faults: Vec<EntryFault>| -> Vec<EntryReason> {
            faults.into_iter().map(|fault| fault.reason).collect()
        };
        let blank = TextError::Length { min: 1, max: MAX_CODE, actual: 0 };
        assert_eq!(
            reasons(named(400, &[""; 300]).unwrap_err()),
            [EntryReason::Text(blank), EntryReason::TooManyCopies]
        );
        assert_eq!(reasons(named(400, &["a"; 101]).unwrap_err()), [EntryReason::TooManyCopies]);
        let code = SerialCode::assemble(RunPrefix::parse("7K").unwrap(), &[3; 13]).reveal();
        for code in [code.as_str(), &code.to_lowercase().replace('-', " "), "7KQ2-0000-0000-0000"] {
            let faults = named(1, &[code]).unwrap_err();
            let text = faults[0].reason.to_string();
            assert!(text.contains("serial"), "{faults:?}");
            assert!(!text.contains(code));
        }
    }

    #[test]
    fn a_serial_code_is_refused_as_a_name_and_not_shown() {
        let code = SerialCode::assemble(RunPrefix::parse("7K").unwrap(), &[3; 13]).reveal();
        let named = |name: &str| check_entry(entry("main", 1, name, None));
        let (spaced, bare) = (code.to_lowercase().replace('-', " "), code.replace('-', ""));
        let dashes = code.replace('-', "\u{2013}");
        let pairs: Vec<&str> = (0..8).map(|at| &bare[2 * at..2 * at + 2]).collect();
        let pairs = pairs.join(" ");
        for code in [code.as_str(), &spaced, &bare, &dashes, &pairs] {
            assert_eq!(named(code).unwrap_err()[0].field, "name");
            assert_eq!(
                check_entry(entry("main", 1, "Ping", Some(code))).unwrap_err()[0].field,
                "set"
            );
            for line in [
                code.to_owned(),
                format!("2x {code}"),
                format!("SB: 1 {code}"),
                format!("- 1 {code}"),
                format!("1 \"{code}\""),
                format!("1,{code}"),
                format!("{code} x1"),
                format!("1 {code} (hearth) 017 {{rare}}"),
                format!("1 Kettle Imp ({code})"),
            ] {
                assert_eq!(shown_line(&line), "(a serial code)", "{line}");
            }
            let behind_a_name = format!("Kettle Imp, {code}");
            assert!(named(&behind_a_name).is_err(), "{behind_a_name}");
        }
        // Directly after a quantity, a code is recognised by its dashes.
        for code in [code.as_str(), &dashes] {
            for line in [format!("2{code}"), format!("12x{code}"), format!("x2{code} (hearth)")] {
                assert_eq!(shown_line(&line), "(a serial code)", "{line}");
                assert!(named(&line).is_err(), "{line}");
            }
        }
        // Inside a longer word, a code is recognised by its check symbol.
        for code in [code.as_str(), &bare, &dashes, &bare.to_lowercase()] {
            for line in [format!("foo{code}"), format!("1 {code}bar"), format!("é{code}_1")] {
                assert_eq!(shown_line(&line), "(a serial code)", "{line}");
                assert!(named(&line).is_err(), "{line}");
            }
        }
        for word in ["01998d5e-7a35-7c54-b0a0-1f6f4f5f2b11", &bare.repeat(3)] {
            assert_eq!(shown_line(word), word);
        }
        let mistyped = "7KQ2-0000-0000-0000";
        assert!(named(mistyped).is_err() && shown_line(mistyped) == "(a serial code)");
        for name in
            ["Amethyst Dragons", "Unit 47", "2 fast 4 them", "Everyone’s Crying 2026 (again)"]
        {
            assert!(named(name).is_ok(), "{name}");
            assert_eq!(shown_line(name), name);
        }
        for line in [
            "2 Washing-Line Wyrm",
            "-2 Washing-Line Wyrm",
            "2 Washing-Line Wyrm (hearth) 097 {rare}",
            "2 Storm of Feelings",
            "x2 Storm of Feeling",
            "x4 Storm of Feelings",
            "1 Hedge Wolf - Hearth and Hollow",
        ] {
            assert_eq!(shown_line(line), line);
        }
        assert_eq!(shown_line("1 a\0b\n2 c\u{202e}"), "1 a b 2 c ");
        // A code is recognised before its line is cut.
        for before in [100, 190, 199, 200, 300] {
            let line = format!("{} {code}", "ä".repeat(before));
            assert_eq!(shown_line(&line), "(a serial code)", "{before}");
        }
        assert_eq!(shown_line(&"ä".repeat(201)), "ä".repeat(MAX_SHOWN));
    }

    #[test]
    fn names_and_details_of_decks_have_no_serial_code() {
        let code = SerialCode::assemble(RunPrefix::parse("7K").unwrap(), &[3; 13]).reveal();
        for text in [&code, &code.to_lowercase(), &code.replace('-', "")] {
            assert_eq!(DeckName::parse(text), Err(TextError::Serial), "{text}");
            assert_eq!(DeckTag::parse(text), Err(TextError::Serial), "{text}");
            assert_eq!(DeckFolder::parse(text), Err(TextError::Serial), "{text}");
            let description = DeckDescription::parse(&format!("Mine:\n{text}!"));
            assert_eq!(description, Err(TextError::Serial), "{text}");
            // Decks that an older version stored are found by such names.
            assert_eq!(DeckName::parse_filter(&format!(" {text} ")).unwrap().as_str(), text);
        }
        assert!(DeckName::parse("standard-2026-meta").is_ok());
    }

    /// Texts that look like codes, quantities and names, in any order.
    fn texts() -> impl Strategy<Value = String> {
        let code = SerialCode::assemble(RunPrefix::parse("7K").unwrap(), &[3; 13]).reveal();
        let bare = code.replace('-', "");
        let pairs: Vec<&str> = (0..8).map(|at| &bare[2 * at..2 * at + 2]).collect();
        let parts = [
            code,
            bare.clone(),
            pairs.join(" "),
            bare[1..].to_owned(),
            "7KQ2-0000-0000-0000".to_owned(),
            "Washing-Line Wyrm".to_owned(),
            "Amethyst Dragons".to_owned(),
        ];
        let part = prop_oneof![
            proptest::sample::select(parts.to_vec()),
            "[0-9]{1,2}",
            "[A-Za-z0-9é\\u{7f}-]{0,8}",
        ];
        proptest::collection::vec(part, 0..4).prop_map(|parts| parts.join(" "))
    }

    proptest! {
        #[test]
        fn plain_entries_are_checked_in_one_way(zone in texts(), name in texts(), quantity in 0_u32..3) {
            let entry = entry(&zone, quantity, &name, None);
            if is_plain(&entry) {
                prop_assert_eq!(check_parts(entry.clone()), Ok(entry));
            }
        }

        #[test]
        fn lines_are_shown_in_one_way(line in texts()) {
            prop_assert_eq!(into_shown_line(line.clone()), shown_line(&line));
        }
    }

    #[test]
    fn violations_of_entries_without_a_name_have_lines_of_their_own() {
        let at = |number: &str| CardMention {
            set: Some("veil".to_owned()),
            number: Some(number.to_owned()),
            ..CardMention::default()
        };
        let mut deck = Deck::default();
        for number in ["003", "004", "3"] {
            let mut unnamed = entry("main", 1, "", Some("veil"));
            unnamed.card.number = Some(number.to_owned());
            deck.entries.push(unnamed);
        }
        deck.entries.push(entry("main", 1, "Ping", None));
        let lines = CardLines::new(&deck, &[1, 2, 3, 4]);
        let report = validate(&deck);
        let found: Vec<Vec<usize>> = report.iter().map(|violation| lines.of(violation)).collect();
        let cards = report.iter().map(|violation| violation.cards[0].clone());
        let cards: Vec<CardMention> =
            cards.map(|card| CardMention { quantity: None, ..card }).collect();
        assert_eq!(cards, [at("003"), at("004"), at("3"), CardMention::named("Ping")]);
        assert_eq!(found, [[1], [2], [3], [4]]);
    }

    /// The violations of unknown cards in a deck of a game whose cards are none of those in the deck.
    fn validate(deck: &Deck) -> Vec<Violation> {
        let game = "code = \"pond\"\nname = \"Pond\"\nrules_version = \"1\"\n[[kinds]]\ncode = \"fish\"\nname = \"Fish\"\n\
            [[zones]]\ncode = \"main\"\nname = \"Main\"\n[[formats]]\ncode = \"any\"\nname = \"Any\"\nversion = \"1\"\n\
            [[formats.rules]]\nrule = \"1\"\ntext = \"Known.\"\nknown_cards = {}\n";
        let game = cardscape_engine::Game::from_toml(game).unwrap();
        let format = game.formats().first().unwrap();
        let known = KnownSet { code: "lake".into(), name: "Lake".into(), has_cards: true };
        let known = KnownSets::new([known]).into();
        let catalogue = cardscape_engine::Catalogue::builder(&game).part_of(known).build();
        let report = cardscape_engine::validate(deck, &catalogue, format);
        let unknown = report.violations.into_iter();
        unknown.filter(|violation| violation.code == ViolationCode::CardUnknown).collect()
    }

    #[test]
    fn an_entry_without_a_name_has_a_place() {
        let mut unnamed = entry("main", 1, "", Some("hearth"));
        assert!(check_entry(unnamed.clone()).is_err());
        unnamed.card.number = Some("017".to_owned());
        assert!(check_entry(unnamed).is_ok());
    }

    #[test]
    fn a_format_name_has_a_game() {
        assert!(FormatName::parse("ttcg/standard").unwrap().variant().is_none());
        for bad in [
            "",
            "/",
            "ttcg/",
            "/standard",
            "ttcg/standard:",
            "ttcg/a/b",
            "TTCG/standard",
            "ttcg/a:b:c",
            "ttcg/\u{0}",
        ] {
            assert!(FormatName::parse(bad).is_err(), "{bad:?}");
        }
    }
}
