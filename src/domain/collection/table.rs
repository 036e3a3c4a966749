//! Files of collections, as people have them: CSV of several programs, our own CSV and JSON. Every line becomes either what it asks
//! for or a reason why it cannot be read; none is dropped.

use std::collections::BTreeMap;

use serde_json::{Map, Value};
use thiserror::Error;
use uuid::Uuid;

use super::{Condition, MAX_ENTRIES, MAX_QUANTITY};
use crate::domain::card_name::TypedName;
use crate::domain::ids::PrintingId;
use crate::domain::import::without_mark;

/// Most lines of one file, without the heading: the largest collection comes back in one piece.
pub const MAX_LINES: usize = MAX_ENTRIES;
/// Longest field that is repeated in an answer, in characters.
const MAX_SHOWN: usize = 120;

/// What a column means.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Column {
    /// How many.
    Quantity,
    /// Name of the card.
    Name,
    /// Code of the game, or its name.
    Game,
    /// Code of the set, or its name.
    Set,
    /// Name of the set, where another column has its code.
    SetName,
    /// Collector number.
    Number,
    /// Rarity.
    Rarity,
    /// Condition.
    Condition,
    /// Id of the printing.
    Printing,
}

impl Column {
    const ALL: [Self; 9] = [
        Self::Quantity,
        Self::Name,
        Self::Game,
        Self::Set,
        Self::SetName,
        Self::Number,
        Self::Rarity,
        Self::Condition,
        Self::Printing,
    ];

    /// The code on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Quantity => "quantity",
            Self::Name => "name",
            Self::Game => "game",
            Self::Set => "set",
            Self::SetName => "set_name",
            Self::Number => "number",
            Self::Rarity => "rarity",
            Self::Condition => "condition",
            Self::Printing => "printing",
        }
    }

    /// What a heading means; letters and digits count, case does not.
    fn of(heading: &str) -> Option<Self> {
        if heading.trim() == "#" {
            return Some(Self::Number);
        }
        Some(match plain(heading).as_str() {
            "count" | "quantity" | "qty" | "amount" | "copies" | "numberofcopies" | "anzahl" => {
                Self::Quantity
            }
            "name" | "cardname" | "card" | "title" => Self::Name,
            "game" | "gamecode" => Self::Game,
            "set" | "setcode" | "edition" | "editioncode" | "expansion" | "expansioncode" => {
                Self::Set
            }
            "setname" | "editionname" | "expansionname" => Self::SetName,
            "collectornumber" | "cardnumber" | "number" | "collectornum" | "cn" | "no" => {
                Self::Number
            }
            "rarity" => Self::Rarity,
            "condition" | "cond" | "cardcondition" => Self::Condition,
            "printing" | "printingid" => Self::Printing,
            _ => return None,
        })
    }
}

/// Letters and digits, in small letters.
fn plain(text: &str) -> String {
    text.chars().filter(|letter| letter.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// How a file is written, as far as it was recognised.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dialect {
    /// What separates the fields; `None`: the file is JSON.
    pub delimiter: Option<char>,
    /// Whether it began with a byte order mark.
    pub byte_order_mark: bool,
    /// The program that writes such headings.
    pub program: Option<&'static str>,
    /// Headings as they stand there, and what they mean.
    pub columns: Vec<(String, Column)>,
    /// Headings that mean nothing here.
    pub ignored: Vec<String>,
}

/// What a line asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wanted {
    /// How many: 1 to [`MAX_QUANTITY`].
    pub quantity: i32,
    /// In which condition.
    pub condition: Condition,
    /// The printing.
    pub card: WantedPrinting,
}

/// What a printing is named by.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WantedPrinting {
    /// Its id.
    pub printing: Option<PrintingId>,
    /// Code or name of its game.
    pub game: Option<String>,
    /// Codes or names of its set: what fits any of them.
    pub sets: Vec<String>,
    /// Collector number of its card: at most 16 letters, digits and hyphens.
    pub number: Option<String>,
    /// Name of its card.
    pub name: Option<TypedName>,
    /// Its rarity.
    pub rarity: Option<String>,
}

/// A line of the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// Its place: the line of a CSV file, from 1, or the place in the list of a JSON file, from 1.
    pub number: u64,
    /// What it names its card by, for people to recognise it.
    pub shown: String,
    /// What it asks for, or why it cannot be read.
    pub wanted: Result<Wanted, String>,
}

/// A file that was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Table {
    /// How it is written.
    pub dialect: Dialect,
    /// Its lines in their order, blank ones left out.
    pub lines: Vec<Line>,
    /// How many lines had nothing in them but separators.
    pub blank: usize,
}

/// The file is no table of cards.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum TableError {
    /// No heading says how cards are named.
    #[error(
        "the first line must have headings, and one of them must be Name, Printing ID or Number; found: {0}"
    )]
    NoCards(String),
    /// There is nothing in it.
    #[error("the file is empty")]
    Empty,
    /// A JSON file of another form.
    #[error("must be a list of objects, or an object whose \"entries\" is one")]
    NotAList,
    /// More than [`MAX_LINES`].
    #[error("has more than {MAX_LINES} lines: cut it into several files")]
    TooLong,
    /// NUL, which nobody can store.
    #[error("contains the NUL character")]
    Nul,
}

/// Reads a CSV file: separated by commas, semicolons or tabs, whichever makes most sense of the first line.
pub fn read_csv(text: &str) -> Result<Table, TableError> {
    let byte_order_mark = text.starts_with('\u{feff}');
    if text.contains('\0') {
        return Err(TableError::Nul);
    }
    let text = without_mark(text).replace("\r\n", "\n").replace('\r', "\n");
    // Spreadsheets put a line before the headings that says what separates fields.
    let (told, body) = match text.strip_prefix("sep=").or_else(|| text.strip_prefix("SEP=")) {
        Some(rest) => {
            let (line, body) = rest.split_once('\n').unwrap_or((rest, ""));
            (line.chars().next(), body)
        }
        None => (None, text.as_str()),
    };
    let first_line = if told.is_some() { 2 } else { 1 };
    let known = |delimiter: char| {
        let headings = records(body, delimiter).next().map(|(_, fields)| fields);
        let known = headings.iter().flatten().filter(|heading| Column::of(heading).is_some());
        (known.count(), headings.map_or(0, |fields| fields.len()))
    };
    let likeliest = [',', ';', '\t'].into_iter().rev().max_by_key(|delimiter| known(*delimiter));
    let delimiter = told.or(likeliest).filter(char::is_ascii).unwrap_or(',');
    let mut records = records(body, delimiter);
    let (_, headings) = records.next().ok_or(TableError::Empty)?;
    let columns = Columns::of(&headings)?;
    let mut table = Table {
        dialect: columns.dialect(Some(delimiter), byte_order_mark),
        lines: Vec::new(),
        blank: 0,
    };
    for (at, fields) in records {
        if fields.iter().all(|field| field.trim().is_empty()) {
            table.blank += 1;
            continue;
        }
        if table.lines.len() == MAX_LINES {
            return Err(TableError::TooLong);
        }
        table.lines.push(columns.line(at + first_line - 1, &fields));
    }
    Ok(table)
}

/// The records of a CSV text, whose lines end with line feeds, with the lines at which they begin.
fn records(text: &str, delimiter: char) -> impl Iterator<Item = (u64, Vec<String>)> + '_ {
    let reader = csv::ReaderBuilder::new()
        .has_headers(false)
        .flexible(true)
        .delimiter(u8::try_from(delimiter).unwrap_or(b','))
        .from_reader(text.as_bytes());
    let (mut line, mut at) = (1, 0);
    // The text is UTF-8, records may have any length, and it is in memory: nothing can fail.
    reader.into_records().map_while(Result::ok).map(move |record| {
        // Where the reader was before it passed over empty lines.
        let start = record.position().map_or(0, csv::Position::byte);
        let start = usize::try_from(start).unwrap_or(usize::MAX).clamp(at, text.len());
        let empty = text.as_bytes()[start..].iter().take_while(|byte| **byte == b'\n').count();
        let passed = &text.as_bytes()[at..start + empty];
        line += passed.iter().map(|byte| u64::from(*byte == b'\n')).sum::<u64>();
        at = start + empty;
        (line, record.iter().map(str::to_owned).collect())
    })
}

/// Reads a JSON file: a list of objects, or an object that has such a list as `entries`. Members are called like columns.
pub fn read_json(file: &Value) -> Result<Table, TableError> {
    let list = match file {
        Value::Object(object) => object.get("entries"),
        other => Some(other),
    };
    let list = list.and_then(Value::as_array).ok_or(TableError::NotAList)?;
    if list.len() > MAX_LINES {
        return Err(TableError::TooLong);
    }
    let objects: Option<Vec<&Map<String, Value>>> = list.iter().map(Value::as_object).collect();
    let objects = objects.ok_or(TableError::NotAList)?;
    let mut places = BTreeMap::new();
    let mut headings: Vec<String> = Vec::new();
    for name in objects.iter().flat_map(|object| object.keys()) {
        places.entry(name.as_str()).or_insert_with(|| {
            headings.push(name.clone());
            headings.len() - 1
        });
    }
    if objects.is_empty() {
        // An empty collection.
        let dialect = Dialect {
            delimiter: None,
            byte_order_mark: false,
            program: None,
            columns: Vec::new(),
            ignored: Vec::new(),
        };
        return Ok(Table { dialect, lines: Vec::new(), blank: 0 });
    }
    let columns = Columns::of(&headings)?;
    let mut lines = Vec::with_capacity(objects.len());
    for (object, number) in objects.into_iter().zip(1..) {
        let mut fields = vec![String::new(); headings.len()];
        for (name, value) in object {
            if let Some(place) = places.get(name.as_str()) {
                fields[*place] = match value {
                    Value::Null => String::new(),
                    Value::String(text) => text.clone(),
                    other => other.to_string(),
                };
            }
        }
        if fields.iter().any(|field| field.contains('\0')) {
            return Err(TableError::Nul);
        }
        lines.push(columns.line(number, &fields));
    }
    Ok(Table { dialect: columns.dialect(None, false), lines, blank: 0 })
}

/// Which column means what.
struct Columns {
    headings: Vec<String>,
    /// Places by meaning; the first heading of a meaning counts.
    places: BTreeMap<Column, usize>,
}

impl Columns {
    fn of(headings: &[String]) -> Result<Self, TableError> {
        let headings: Vec<String> = headings.iter().map(|heading| shown(heading.trim())).collect();
        let mut places = BTreeMap::new();
        for (place, heading) in headings.iter().enumerate() {
            if let Some(column) = Column::of(heading) {
                places.entry(column).or_insert(place);
            }
        }
        let names_cards = [Column::Name, Column::Printing, Column::Number];
        if !names_cards.iter().any(|column| places.contains_key(column)) {
            return Err(TableError::NoCards(shown(&headings.join(", "))));
        }
        Ok(Self { headings, places })
    }

    fn dialect(&self, delimiter: Option<char>, byte_order_mark: bool) -> Dialect {
        let named = |place: usize| self.headings[place].clone();
        let columns: Vec<(String, Column)> = Column::ALL
            .into_iter()
            .filter_map(|column| Some((named(*self.places.get(&column)?), column)))
            .collect();
        let used = |place: &usize| self.places.values().any(|used| used == place);
        let ignored = (0..self.headings.len()).filter(|place| !used(place)).map(named);
        Dialect {
            delimiter,
            byte_order_mark,
            program: self.program(),
            columns,
            ignored: ignored.filter(|heading| !heading.is_empty()).collect(),
        }
    }

    /// The program whose headings these are.
    fn program(&self) -> Option<&'static str> {
        let has = |wanted: &str| self.headings.iter().any(|heading| plain(heading) == wanted);
        let known: [(&str, &[&str]); 5] = [
            ("cardscape", &["printing", "condition", "quantity"]),
            ("manabox", &["setcode", "setname", "collectornumber", "quantity", "manaboxid"]),
            ("moxfield", &["count", "tradelistcount", "edition", "collectornumber"]),
            ("deckbox", &["count", "tradelistcount", "edition", "cardnumber"]),
            ("archidekt", &["quantity", "setcode", "setname", "collectornumber"]),
        ];
        if has("printingid") && has("count") && has("game") {
            return Some("cardscape");
        }
        let known = known.iter().find(|(_, headings)| headings.iter().all(|one| has(one)));
        known.map(|(program, _)| *program)
    }

    fn line(&self, number: u64, fields: &[String]) -> Line {
        let field = |column: Column| {
            let text = fields.get(*self.places.get(&column)?)?.trim();
            (!text.is_empty()).then_some(text)
        };
        let named = [Column::Name, Column::Number, Column::Printing].into_iter().find_map(&field);
        let shown = shown(named.unwrap_or_default());
        let wanted = if fields.iter().any(|field| field.contains('\n')) {
            let lines = fields.iter().map(|field| field.matches('\n').count()).sum::<usize>();
            Err(format!("goes on over {} lines: is a quotation mark not closed?", lines + 1))
        } else if fields.len() > self.headings.len()
            && fields[self.headings.len()..].iter().any(|field| !field.trim().is_empty())
        {
            Err(format!(
                "has {} fields, but there are {} headings",
                fields.len(),
                self.headings.len()
            ))
        } else {
            wanted(field)
        };
        Line { number, shown, wanted }
    }
}

/// The beginning of a text, without control characters: for answers.
fn shown(text: &str) -> String {
    text.chars().filter(|letter| !letter.is_control()).take(MAX_SHOWN).collect()
}

fn wanted<'a>(field: impl Fn(Column) -> Option<&'a str>) -> Result<Wanted, String> {
    let quantity = field(Column::Quantity).map_or(Ok(1), quantity)?;
    let condition = match field(Column::Condition) {
        None => Condition::default(),
        Some(text) => Condition::understand(text)
            .ok_or_else(|| format!("the condition {:?} is not known", shown(text)))?,
    };
    let printing = field(Column::Printing).map(str::parse::<Uuid>).transpose();
    let printing = printing.map_err(|_| "the printing id is not a UUID".to_owned())?;
    let name = field(Column::Name).map(TypedName::parse).transpose();
    let name = name.map_err(|error| format!("the name {error}"))?;
    let number = field(Column::Number).map(number).transpose()?;
    let sets = [Column::Set, Column::SetName].into_iter().filter_map(&field);
    let sets: Vec<String> = sets.map(|set| unbracketed(set).to_owned()).collect();
    if printing.is_none() && name.is_none() && (number.is_none() || sets.is_empty()) {
        return Err("names no card: it needs a name, a printing id, or set and number".to_owned());
    }
    let card = WantedPrinting {
        printing: printing.map(PrintingId),
        game: field(Column::Game).map(str::to_owned),
        sets,
        number,
        name,
        rarity: field(Column::Rarity).map(str::to_owned),
    };
    Ok(Wanted { quantity, condition, card })
}

/// `4`, `4x`, `x4`; spreadsheets write `4.0`.
fn quantity(text: &str) -> Result<i32, String> {
    let digits =
        text.trim_matches(|letter: char| matches!(letter, 'x' | 'X' | '×') || letter == ' ');
    let digits = digits.strip_suffix(".0").unwrap_or(digits);
    let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    let quantity = is_number.then(|| digits.parse().unwrap_or(i32::MAX));
    quantity
        .filter(|quantity| (1..=MAX_QUANTITY).contains(quantity))
        .ok_or_else(|| format!("the quantity must be 1 to {MAX_QUANTITY}, not {:?}", shown(text)))
}

/// A collector number: `042`, `#42`, `42/120`.
fn number(text: &str) -> Result<String, String> {
    let number = text.trim_start_matches('#');
    let number = number.split_once('/').map_or(number, |(number, _)| number).trim();
    let allowed = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-';
    let fits = (1..=16).contains(&number.len()) && number.bytes().all(allowed);
    if fits {
        Ok(number.to_owned())
    } else {
        Err(format!("the number {:?} is none that a card can have", shown(text)))
    }
}

/// A set without the brackets that some programs put around it: `[SET]`, `(SET)`.
pub(super) fn unbracketed(text: &str) -> &str {
    let inside = |open, close| text.strip_prefix(open)?.strip_suffix(close).map(str::trim);
    inside('[', ']').or_else(|| inside('(', ')')).unwrap_or(text)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn meanings(table: &Table) -> Vec<&str> {
        table.dialect.columns.iter().map(|(_, column)| column.as_str()).collect()
    }

    #[test]
    fn headings_of_other_programs_are_understood() {
        for (heading, program, delimiter) in [
            (
                "\"Count\",\"Tradelist Count\",\"Name\",\"Edition\",\"Condition\",\"Language\",\"Foil\",\"Tags\",\"Last Modified\",\"Collector Number\",\"Alter\",\"Proxy\",\"Purchase Price\"",
                Some("moxfield"),
                ',',
            ),
            (
                "Quantity,Name,Finish,Condition,Date Added,Language,Purchase Price,Tags,Edition Name,Edition Code,Set Code,Set Name,Collector Number",
                Some("archidekt"),
                ',',
            ),
            (
                "Count,Tradelist Count,Name,Edition,Card Number,Condition,Language,Foil,Signed,Artist Proof,Altered Art,Misprint,Promo,Textless,My Price",
                Some("deckbox"),
                ',',
            ),
            (
                "Name,Set code,Set name,Collector number,Foil,Rarity,Quantity,ManaBox ID,Scryfall ID,Purchase price,Misprint,Altered,Condition,Language,Purchase price currency",
                Some("manabox"),
                ',',
            ),
            ("Anzahl;Card Name;Set;#;Condition", None, ';'),
            ("qty\tCARD NAME\tEdition\tNumber\tCond", None, '\t'),
            (
                "Count,Name,Game,Set,Collector Number,Rarity,Condition,Printing ID",
                Some("cardscape"),
                ',',
            ),
        ] {
            for text in [heading.to_owned(), format!("\u{feff}{heading}\r\n")] {
                let table = read_csv(&text).unwrap();
                assert_eq!(table.dialect.program, program, "{heading}");
                assert_eq!(table.dialect.delimiter, Some(delimiter), "{heading}");
                assert_eq!(table.dialect.byte_order_mark, text.starts_with('\u{feff}'));
                let meanings = meanings(&table);
                for wanted in ["quantity", "name", "set", "number", "condition"] {
                    assert!(meanings.contains(&wanted), "{heading}: {meanings:?} has no {wanted}");
                }
                let all = table.dialect.columns.len() + table.dialect.ignored.len();
                assert_eq!(all, heading.split(delimiter).count(), "every heading is told");
            }
        }
    }

    #[test]
    fn every_line_is_told() {
        let text = "Count,Name,Edition,Condition\r\n4x,Kettle Imp,[hearth],NM\r\n,,,\r\n0,Barrow Ox,,\r\n1,Barrow Ox,,new\r\n\
                    2,\"Say \"\"Hi\"\", Imp\",(hearth),\r\n1,a,b,,surplus\r\n1,,hearth,\r\n3,\"not closed,,\r\n1,lost,,\r\n";
        let table = read_csv(text).unwrap();
        let numbers: Vec<u64> = table.lines.iter().map(|line| line.number).collect();
        assert_eq!((numbers, table.blank), (vec![2, 4, 5, 6, 7, 8, 9], 1));
        let wanted = |at: usize| table.lines[at].wanted.as_ref();
        let first = wanted(0).unwrap();
        assert_eq!((first.quantity, first.condition), (4, Condition::NearMint));
        assert_eq!(first.card.sets, ["hearth"]);
        let quoted = wanted(3).unwrap();
        assert_eq!(quoted.card.name.as_ref().unwrap().as_str(), "Say \"Hi\", Imp");
        assert_eq!(quoted.card.sets, ["hearth"]);
        for (at, reason) in [
            (1, "quantity"),
            (2, "condition"),
            (4, "5 fields"),
            (5, "names no card"),
            (6, "quotation mark"),
        ] {
            assert!(wanted(at).unwrap_err().contains(reason), "{at}: {:?}", wanted(at));
        }
    }

    #[test]
    fn what_is_no_table_is_refused() {
        assert_eq!(read_csv(""), Err(TableError::Empty));
        assert_eq!(read_csv("Name\0\n"), Err(TableError::Nul));
        assert!(matches!(read_csv("4 Kettle Imp\n2 Barrow Ox\n"), Err(TableError::NoCards(_))));
        let long = "Name\n".to_owned() + &"a\n".repeat(MAX_LINES + 1);
        assert_eq!(read_csv(&long), Err(TableError::TooLong));
        assert_eq!(read_csv(&long[..long.len() - 2]).unwrap().lines.len(), MAX_LINES);
        assert_eq!(read_json(&json!({ "cards": [] })), Err(TableError::NotAList));
        assert_eq!(read_json(&json!([1])), Err(TableError::NotAList));
        assert!(matches!(read_json(&json!([{}])), Err(TableError::NoCards(_))));
        assert_eq!(read_json(&json!({ "entries": [] })).unwrap().lines, []);
    }

    #[test]
    fn json_means_the_same_as_csv() {
        let csv =
            read_csv("sep=;\nQuantity;Card Name;Number\n2.0;Kettle Imp;#016/120\n;Ox;\n").unwrap();
        let json = json!({ "entries": [
            { "quantity": 2, "card_name": "Kettle Imp", "number": "016" },
            { "card_name": "Ox", "number": null },
        ] });
        let json = read_json(&json).unwrap();
        assert_eq!(csv.dialect.delimiter, Some(';'));
        let wanted =
            |table: &Table| table.lines.iter().map(|line| line.wanted.clone()).collect::<Vec<_>>();
        assert_eq!(wanted(&csv), wanted(&json));
        assert_eq!(csv.lines[0].number, 3);
    }
}
