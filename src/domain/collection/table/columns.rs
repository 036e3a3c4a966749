//! The meanings of columns, and the parsing of lines.

use std::collections::BTreeSet;

use cardscape_engine::word_key;
use uuid::Uuid;

use super::{
    Column, Dialect, Line, LineContent, LineFault, MAX_FIELD, MAX_SHOWN, TableError, WantedPrinting,
};
use crate::domain::catalogue::card_name::TypedName;
use crate::domain::collection::{Condition, MAX_QUANTITY};
use crate::domain::ids::PrintingId;
use crate::domain::serials::serial_text::{MASKED, contains_serial};

/// The headings of a file.
#[derive(Debug, Default)]
pub(super) struct Columns {
    headings: Vec<String>,
    /// The column as which each heading is read.
    read: Vec<Option<Column>>,
    /// The place of the first heading that is read as each column.
    places: [Option<usize>; Column::ALL.len()],
}

impl Columns {
    pub(super) fn new<'h>(headings: impl Iterator<Item = &'h str>) -> Self {
        let mut columns = Self::default();
        for heading in headings {
            columns.add(heading);
        }
        columns
    }

    /// Adds a heading of all lines, which is read unless an earlier heading has the same meaning.
    fn add(&mut self, heading: &str) {
        let (place, meaning) = self.add_unread(heading);
        if let Some(column) = meaning
            && self.place_of(column).is_none()
        {
            self.mark_read(place, column);
        }
    }

    /// Adds a heading that only some lines have, so that they decide whether it is read. Returns its place and its meaning.
    pub(super) fn add_unread(&mut self, heading: &str) -> (usize, Option<Column>) {
        let heading = excerpt(heading.trim());
        let meaning = Column::of(&heading);
        self.headings.push(heading);
        self.read.push(None);
        (self.headings.len() - 1, meaning)
    }

    /// Records that a line reads the heading at this place as a column.
    pub(super) fn mark_read(&mut self, place: usize, column: Column) {
        self.read[place] = Some(column);
        self.places[column as usize].get_or_insert(place);
    }

    /// How many headings there are.
    pub(super) fn len(&self) -> usize {
        self.headings.len()
    }

    /// How many headings are known.
    pub(super) fn count_known(&self) -> usize {
        self.headings.iter().filter(|heading| Column::of(heading).is_some()).count()
    }

    /// The place of the first heading that is read as this column.
    pub(super) fn place_of(&self, column: Column) -> Option<usize> {
        self.places[column as usize]
    }

    /// Checks that some column names the cards.
    pub(super) fn check(&self) -> Result<(), TableError> {
        let names_cards = [Column::Name, Column::Printing, Column::Number];
        if names_cards.into_iter().any(|column| self.place_of(column).is_some()) {
            return Ok(());
        }
        // The message shows at most `MAX_SHOWN` characters, so it cannot show more headings than that.
        let found: Vec<&str> = self.headings.iter().take(MAX_SHOWN).map(String::as_str).collect();
        Err(TableError::NoCards(excerpt(&found.join(", "))))
    }

    pub(super) fn dialect(&self, delimiter: Option<char>, byte_order_mark: bool) -> Dialect {
        let read_as = |column: Option<Column>| {
            let headings = self.headings.iter().zip(&self.read);
            headings.filter(move |(_, read)| **read == column).map(|(heading, _)| heading.clone())
        };
        let columns = Column::ALL
            .into_iter()
            .flat_map(|column| read_as(Some(column)).map(move |heading| (heading, column)));
        let ignored = read_as(None);
        Dialect {
            delimiter,
            encoding: "utf-8",
            byte_order_mark,
            program: self.detect_program(),
            columns: columns.collect(),
            ignored: ignored.filter(|heading| !heading.is_empty()).collect(),
        }
    }

    /// The program whose headings these are.
    fn detect_program(&self) -> Option<&'static str> {
        let headings: BTreeSet<String> =
            self.headings.iter().map(|heading| word_key(heading)).collect();
        let has = |wanted: &str| headings.contains(wanted);
        let known: [(&str, &[&str]); 8] = [
            ("manabox", &["setcode", "setname", "collectornumber", "quantity", "manaboxid"]),
            ("moxfield", &["count", "tradelistcount", "edition", "collectornumber"]),
            ("deckbox", &["count", "tradelistcount", "edition", "cardnumber"]),
            ("dragonshield", &["foldername", "quantity", "cardname", "setcode", "printing"]),
            ("tcgplayer", &["productline", "productname", "setname", "number"]),
            ("tcgplayer", &["quantity", "simplename", "set", "cardnumber", "printing"]),
            ("archidekt", &["quantity", "setcode", "setname", "collectornumber"]),
            ("cardscape", &["printing", "condition", "quantity"]),
        ];
        if has("printingid") && has("count") && has("game") {
            return Some("cardscape");
        }
        let known = known.iter().find(|(_, headings)| headings.iter().all(|one| has(one)));
        known.map(|(program, _)| *program)
    }
}

/// Reads a line from its values. With a `fault`, the line is invalid.
pub(super) fn read_line<'f>(
    number: u64,
    fault: Option<LineFault>,
    value: impl Fn(Column) -> Option<&'f str>,
) -> Line {
    let field = |column: Column| value(column).map(str::trim).filter(|text| !text.is_empty());
    let named = [Column::Name, Column::Number, Column::Printing].into_iter().find_map(&field);
    let shown = excerpt(named.unwrap_or_default());
    Line { number, shown, wanted: fault.map_or_else(|| parse_line(field), Err) }
}

/// The beginning of a text without control characters, for responses and for what is stored until the import is committed. Players who note the serial codes of their
/// cards may import that file: such a text is not quoted.
fn excerpt(text: &str) -> String {
    if contains_serial(text) {
        return MASKED.to_owned();
    }
    text.chars().filter(|character| !character.is_control()).take(MAX_SHOWN).collect()
}

fn parse_line<'a>(field: impl Fn(Column) -> Option<&'a str>) -> Result<LineContent, LineFault> {
    let quantity = field(Column::Quantity).map_or(Ok(1), parse_quantity)?;
    let (condition, finish_of_condition) = match field(Column::Condition) {
        None => (Condition::default(), None),
        Some(text) => parse_condition(text).ok_or_else(|| LineFault::Condition(excerpt(text)))?,
    };
    let (printing, finish_of_printing) = match field(Column::Printing).map(PrintingField::parse) {
        Some(PrintingField::Id(id)) => (Some(id), None),
        Some(PrintingField::Finish(text)) => (None, Some(text)),
        Some(PrintingField::ForeignId) | None => (None, None),
        Some(PrintingField::Damaged) => {
            return Err(LineFault::DamagedId);
        }
    };
    let finish = field(Column::Finish).or(finish_of_printing).or(finish_of_condition);
    let finish = finish.filter(|text| !is_ordinary(text)).map(name_finish);
    let name = field(Column::Name).map(TypedName::parse).transpose();
    let name = name.map_err(LineFault::Name)?;
    let number = field(Column::Number).map(parse_number).transpose()?;
    let short = |column: Column| field(column).map(|text| check_length(column, text)).transpose();
    let sets = [Column::SetCode, Column::Set, Column::SetName].map(short);
    let sets = sets.into_iter().collect::<Result<Vec<_>, _>>()?.into_iter().flatten();
    let sets: Vec<String> = sets.map(|set| strip_brackets(set).to_owned()).collect();
    if printing.is_none() && name.is_none() && (number.is_none() || sets.is_empty()) {
        return Err(LineFault::NoCard);
    }
    let card = WantedPrinting {
        printing: printing.map(PrintingId),
        game: short(Column::Game)?.map(str::to_owned),
        sets,
        number,
        name,
        rarity: short(Column::Rarity)?.map(str::to_owned),
        finish: finish.map(excerpt),
    };
    Ok(LineContent { quantity, condition, card })
}

/// A condition, and the finish that some programs append to it: `Near Mint Foil`.
fn parse_condition(text: &str) -> Option<(Condition, Option<&str>)> {
    if let Some(condition) = Condition::parse_lenient(text) {
        return Some((condition, None));
    }
    // Only the last two words are tested: a finish has at most two words (`Reverse Holo`), and a field may be as long as a line.
    text.rmatch_indices(' ')
        .take(2)
        .find_map(|(at, _)| Some((Condition::parse_lenient(&text[..at])?, Some(text[at..].trim()))))
}

/// The value of a column with a heading like `Printing`.
enum PrintingField<'f> {
    /// An id of this service.
    Id(Uuid),
    /// An id of another program, which is ignored.
    ForeignId,
    /// A part of an id of this service.
    Damaged,
    /// The finish, in words.
    Finish(&'f str),
}

impl<'f> PrintingField<'f> {
    fn parse(text: &'f str) -> Self {
        match text.parse() {
            Ok(id) => Self::Id(id),
            Err(_)
                if text.contains('-')
                    // A hyphen alone is no finish.
                    && text.bytes().any(|byte| byte.is_ascii_hexdigit())
                    && text.bytes().all(|byte| byte == b'-' || byte.is_ascii_hexdigit()) =>
            {
                Self::Damaged
            }
            Err(_) if text.bytes().any(|byte| byte.is_ascii_digit()) => Self::ForeignId,
            Err(_) => Self::Finish(text),
        }
    }
}

/// The name of a special finish. Some programs only tick a column `Foil`, even with a sign that is not a letter.
fn name_finish(finish: &str) -> &str {
    if matches!(word_key(finish).as_str(), "yes" | "true" | "1" | "x" | "") {
        "foil"
    } else {
        finish
    }
}

/// Whether a finish means an ordinary printing.
fn is_ordinary(finish: &str) -> bool {
    matches!(finish, "-" | "–" | "—")
        || matches!(
            word_key(finish).as_str(),
            "normal" | "nonfoil" | "regular" | "no" | "false" | "0"
        )
}

/// Refuses a text that is longer than the name of a game, a set or a rarity can be.
fn check_length(column: Column, text: &str) -> Result<&str, LineFault> {
    if text.chars().nth(MAX_FIELD).is_none() { Ok(text) } else { Err(LineFault::TooLong(column)) }
}

/// `4`, `4x`, `x4`; spreadsheets write `4.0`.
fn parse_quantity(text: &str) -> Result<i32, LineFault> {
    let digits = text
        .trim_matches(|character: char| matches!(character, 'x' | 'X' | '×') || character == ' ');
    let digits = digits.strip_suffix(".0").unwrap_or(digits);
    let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    let quantity = is_number.then(|| digits.parse().unwrap_or(i32::MAX));
    quantity
        .filter(|quantity| (1..=MAX_QUANTITY).contains(quantity))
        .ok_or_else(|| LineFault::Quantity(excerpt(text)))
}

/// A collector number: `042`, `#42`, `42/120`.
fn parse_number(text: &str) -> Result<String, LineFault> {
    let number = text.trim_start_matches('#');
    let number = number.split_once('/').map_or(number, |(number, _)| number).trim();
    let allowed = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-';
    let fits = (1..=16).contains(&number.len()) && number.bytes().all(allowed);
    if fits { Ok(number.to_owned()) } else { Err(LineFault::Number(excerpt(text))) }
}

/// A set without the brackets that some programs put around it: `[SET]`, `(SET)`.
pub(in crate::domain::collection) fn strip_brackets(text: &str) -> &str {
    let inside = |open, close| text.strip_prefix(open)?.strip_suffix(close).map(str::trim);
    inside('[', ']').or_else(|| inside('(', ')')).unwrap_or(text)
}
