//! Reads collection files: CSV of several programs, and the service's own CSV and JSON. Every line becomes either a wanted printing or a reason why the line
//! is invalid; no line is dropped.
//!
//! Files are untrusted, so they are read as a stream and every limit is checked while reading: work and memory are proportional to the size of the
//! file, whatever its content.

mod columns;
mod csv_file;
mod encoding;
mod json_file;
mod line_fault;

use cardscape_engine::{Position, word_key};
use thiserror::Error;

use super::{Condition, MAX_ENTRIES};
use crate::domain::catalogue::card_name::TypedName;
use crate::domain::catalogue::import::without_mark;
use crate::domain::ids::PrintingId;

pub(super) use columns::strip_brackets;
pub use line_fault::LineFault;

/// Most lines of one file, without the headings: an export of the largest collection can be imported as one file.
pub const MAX_LINES: usize = MAX_ENTRIES;
/// Most headings of a file, and most fields of a line.
pub const MAX_FIELDS: usize = 1_000;
/// Longest line of a CSV file that is read, in bytes, without the quotation marks around its fields.
pub const MAX_RECORD: usize = 64 * 1024;
/// Longest field that is repeated in a response, in characters.
const MAX_SHOWN: usize = 120;
/// Longest name or code of a game, a set or a rarity, in characters.
const MAX_FIELD: usize = 120;

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
    /// Code of the set; another column may have the name.
    SetCode,
    /// Name of the set; another column has the code.
    SetName,
    /// Collector number.
    Number,
    Rarity,
    Condition,
    /// The finish, such as foil; the game defines which rarity a finish means.
    Finish,
    /// Id of the printing. Other programs write their own ids or the finish into such a column.
    Printing,
}

impl Column {
    const ALL: [Self; 11] = [
        Self::Quantity,
        Self::Name,
        Self::Game,
        Self::Set,
        Self::SetCode,
        Self::SetName,
        Self::Number,
        Self::Rarity,
        Self::Condition,
        Self::Finish,
        Self::Printing,
    ];

    /// The code on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Quantity => "quantity",
            Self::Name => "name",
            Self::Game => "game",
            Self::Set => "set",
            Self::SetCode => "set_code",
            Self::SetName => "set_name",
            Self::Number => "number",
            Self::Rarity => "rarity",
            Self::Condition => "condition",
            Self::Finish => "finish",
            Self::Printing => "printing",
        }
    }

    /// The column of a heading; only letters and digits count, and case is ignored.
    fn of(heading: &str) -> Option<Self> {
        if heading.trim() == "#" {
            return Some(Self::Number);
        }
        Some(match word_key(heading).as_str() {
            "count" | "quantity" | "qty" | "amount" | "copies" | "numberofcopies"
            | "totalquantity" | "anzahl" | "menge" | "stück" | "stückzahl" => Self::Quantity,
            "name" | "cardname" | "card" | "productname" | "title" | "karte" | "kartenname" => {
                Self::Name
            }
            "game" | "gamecode" | "productline" | "spiel" => Self::Game,
            "set" | "edition" | "expansion" | "erweiterung" | "ausgabe" => Self::Set,
            "setcode" | "editioncode" | "expansioncode" => Self::SetCode,
            "setname" | "editionname" | "expansionname" => Self::SetName,
            "collectornumber" | "cardnumber" | "number" | "collectornum" | "cn" | "no"
            | "kartennummer" | "sammlernummer" | "nummer" | "nr" => Self::Number,
            "rarity" | "seltenheit" | "rarität" => Self::Rarity,
            "condition" | "cond" | "cardcondition" | "zustand" => Self::Condition,
            "foil" | "finish" => Self::Finish,
            "printing" | "printingid" => Self::Printing,
            _ => return None,
        })
    }
}

/// The form of a file, as far as it was recognised.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dialect {
    /// The delimiter of the fields; `None`: the file is JSON.
    pub delimiter: Option<char>,
    /// The WHATWG name of the encoding.
    pub encoding: &'static str,
    /// Whether the file began with a byte order mark.
    pub byte_order_mark: bool,
    /// The program that writes such headings.
    pub program: Option<&'static str>,
    /// The headings that were read, with their columns; in JSON, several may have one column.
    pub columns: Vec<(String, Column)>,
    /// Headings that were not read.
    pub ignored: Vec<String>,
}

/// The printing that a line means, with condition and quantity.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LineContent {
    /// How many: 1 to [`MAX_QUANTITY`].
    pub quantity: i32,
    pub condition: Condition,
    /// The printing.
    pub card: WantedPrinting,
}

/// The values that identify a printing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WantedPrinting {
    pub printing: Option<PrintingId>,
    /// Code or name of its game.
    pub game: Option<String>,
    /// Codes or names of its set; a set that matches any of them is meant.
    pub sets: Vec<String>,
    /// Collector number of its card: at most 16 letters, digits and hyphens.
    pub number: Option<String>,
    /// Name of its card.
    pub name: Option<TypedName>,
    pub rarity: Option<String>,
    /// Its finish, in the words of another program: `foil`; `None` for an ordinary printing.
    pub finish: Option<String>,
}

/// A line of the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// Its place: the line of a CSV file, from 1, or the place in the list of a JSON file, from 1.
    pub number: u64,
    /// The text by which the line names its card, so that people recognise the line.
    pub shown: String,
    /// The wanted printing, or why the line cannot be read.
    pub wanted: Result<LineContent, LineFault>,
}

/// A file that was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Table {
    /// The form of the file.
    pub dialect: Dialect,
    /// The lines in order, without blank lines.
    pub lines: Vec<Line>,
    /// Number of lines that contain only delimiters.
    pub blank: usize,
}

/// Why a file cannot be read as a table of cards.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum TableError {
    /// No heading is a column that names cards.
    #[error(
        "the first line must have headings, and one of them must be Name, Printing ID or Number; found: {0}"
    )]
    NoCards(String),
    /// The file is empty.
    #[error("the file is empty")]
    Empty,
    /// A JSON file of another form.
    #[error("must be a list of objects, or an object whose \"entries\" is one")]
    NotAList,
    /// More than [`MAX_LINES`].
    #[error("has more than {MAX_LINES} lines: cut it into several files")]
    TooManyLines,
    /// More than [`MAX_FIELDS`], or headings of more than [`MAX_RECORD`] bytes.
    #[error("has more than {MAX_FIELDS} headings, or headings of more than {MAX_RECORD} bytes")]
    TooWide,
    /// JSON that is not UTF-8; the position of the first invalid byte, from 0.
    #[error("byte {0}, from 0, is not UTF-8, and JSON has no other encoding")]
    NotUtf8(usize),
    /// CSV that mixes letters in UTF-8 with bytes of another encoding.
    #[error(
        "the file mixes two encodings: there are letters in UTF-8, but line {line} has a byte (0x{byte:02X}) that is not UTF-8. Save the \
         table once more as \"CSV UTF-8\", which spreadsheet programs offer where one chooses the type of the file"
    )]
    MixedEncodings {
        /// The line, from 1.
        line: usize,
        /// The first byte that is not UTF-8.
        byte: u8,
    },
    /// CSV in UTF-32.
    #[error(
        "the file is UTF-32, which is not read here: save the table once more as \"CSV UTF-8\", which spreadsheet programs offer where one \
         chooses the type of the file"
    )]
    Utf32,
    /// CSV in an unknown encoding.
    #[error(
        "line {line} has a byte (0x{byte:02X}) that fits neither UTF-8 nor Windows-1252: save the table once more as \"CSV UTF-8\", which \
         spreadsheet programs offer where one chooses the type of the file"
    )]
    UnknownEncoding {
        /// The line, from 1.
        line: usize,
        /// The first byte that fits no known encoding.
        byte: u8,
    },
    /// UTF-16 that ends within a character, or contains half a character.
    #[error(
        "the file is UTF-16, but broken: save the table once more as \"CSV UTF-8\", which spreadsheet programs offer where one chooses the type \
         of the file"
    )]
    BrokenUtf16,
    /// The file is not JSON, or nested deeper than 128 levels.
    #[error("{reason}")]
    MalformedJson {
        reason: String,
        /// Where the file stops being JSON.
        position: Position,
    },
    /// NUL, which the database cannot store.
    #[error("contains the NUL character")]
    Nul,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileFormat {
    /// Values separated by commas or another delimiter.
    Csv,
    Json,
}

impl Table {
    /// Reads a file, whose text may begin with a byte order mark.
    pub fn read(format: FileFormat, file: &[u8]) -> Result<Self, TableError> {
        match format {
            FileFormat::Csv => {
                let (text, encoding) = encoding::decode(file)?;
                let mut table = csv_file::read(&text)?;
                table.dialect.encoding = encoding;
                Ok(table)
            }
            FileFormat::Json => {
                let text = std::str::from_utf8(file);
                let text = text.map_err(|error| TableError::NotUtf8(error.valid_up_to()))?;
                let mut table = json_file::read(without_mark(text))?;
                table.dialect.byte_order_mark = text.starts_with('\u{feff}');
                Ok(table)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn read_csv(text: &str) -> Result<Table, TableError> {
        Table::read(FileFormat::Csv, text.as_bytes())
    }

    fn read_json(file: &Value) -> Result<Table, TableError> {
        Table::read(FileFormat::Json, file.to_string().as_bytes())
    }

    fn meanings(table: &Table) -> Vec<&str> {
        table.dialect.columns.iter().map(|(_, column)| column.as_str()).collect()
    }

    #[test]
    fn headings_of_other_programs_are_recognised() {
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
            (
                "Count,Tradelist Count,Name,Edition,Edition Code,Card Number,Condition,Language,Foil,Signed,Artist Proof,Altered Art,Misprint,Promo,Textless,Printing Id,Printing Note,Tags,My Price",
                Some("deckbox"),
                ',',
            ),
            (
                "Folder Name,Quantity,Trade Quantity,Card Name,Set Code,Set Name,Card Number,Condition,Printing,Language,Price Bought,Date Bought,LOW,MID,MARKET",
                Some("dragonshield"),
                ',',
            ),
            (
                "TCGplayer Id,Product Line,Set Name,Product Name,Title,Number,Rarity,Condition,TCG Market Price,Total Quantity,Add to Quantity",
                Some("tcgplayer"),
                ',',
            ),
            (
                "Quantity,Name,Simple Name,Set,Card Number,Set Code,Printing,Condition,Language,Rarity,Product ID,SKU",
                Some("tcgplayer"),
                ',',
            ),
            ("Anzahl;Karte;Erweiterung;Kartennummer;Zustand", None, ';'),
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
                for wanted in ["quantity", "name", "number", "condition"] {
                    assert!(meanings.contains(&wanted), "{heading}: {meanings:?} has no {wanted}");
                }
                let tells_set =
                    ["set", "set_code", "set_name"].iter().any(|one| meanings.contains(one));
                assert!(tells_set, "{heading}: {meanings:?} has no set");
                let all = table.dialect.columns.len() + table.dialect.ignored.len();
                assert_eq!(all, heading.split(delimiter).count(), "every heading is reported");
            }
        }
    }

    #[test]
    fn every_line_is_reported() {
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
            assert!(wanted(at).unwrap_err().to_string().contains(reason), "{at}: {:?}", wanted(at));
        }
    }

    #[test]
    fn a_column_of_printings_has_ids_or_finishes() {
        let table = read_csv(
            "Name,Printing\nOx,-\nOx,Foil\nOx,12-Foil\nOx,0198-ab\nOx,01998d5e-7a35-7c54-b0a0-1f6f4f5f2b11\n",
        );
        let table = table.unwrap();
        let card = |at: usize| {
            let wanted = table.lines[at].wanted.as_ref().unwrap();
            (wanted.card.printing.is_some(), wanted.card.finish.as_deref())
        };
        assert_eq!(
            [card(0), card(1), card(2), card(4)],
            [(false, None), (false, Some("Foil")), (false, None), (true, None)]
        );
        assert_eq!(table.lines[3].wanted, Err(LineFault::DamagedId));
    }

    #[test]
    fn a_file_that_is_no_table_is_refused() {
        assert_eq!(read_csv(""), Err(TableError::Empty));
        assert_eq!(read_csv("Name\0\n"), Err(TableError::Nul));
        assert!(matches!(read_csv("4 Kettle Imp\n2 Barrow Ox\n"), Err(TableError::NoCards(_))));
        let long = "Name\n".to_owned() + &"a\n".repeat(MAX_LINES + 1);
        assert_eq!(read_csv(&long), Err(TableError::TooManyLines));
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
        assert!(!json.dialect.byte_order_mark);
        let marked =
            Table::read(FileFormat::Json, "\u{feff}[{\"name\":\"Ox\"}]".as_bytes()).unwrap();
        assert!(marked.dialect.byte_order_mark && marked.lines[0].wanted.is_ok());
        let wanted =
            |table: &Table| table.lines.iter().map(|line| line.wanted.clone()).collect::<Vec<_>>();
        assert_eq!(wanted(&csv), wanted(&json));
        assert_eq!(csv.lines[0].number, 3);
    }

    #[test]
    fn limits_hold_for_lines_and_for_files() {
        let invalid = |table: &Table, at: usize, reason: &str| {
            let Err(fault) = &table.lines[at].wanted else { panic!("{:?}", table.lines[at]) };
            assert!(fault.to_string().contains(reason), "{fault}");
        };
        // A line that is too wide or too long is reported, and the lines after it are read.
        let wide = format!("Name,Set\nOx\n{}\nImp,a\n", ",x".repeat(MAX_FIELDS));
        let long = format!("Name,Set\nOx\n{},\nImp,a\n", "x".repeat(MAX_RECORD));
        for text in [wide, long] {
            let table = read_csv(&text).unwrap();
            let numbers: Vec<u64> = table.lines.iter().map(|line| line.number).collect();
            assert_eq!(numbers, [2, 3, 4]);
            invalid(&table, 1, "more than 1000 fields, or is longer");
            assert!(table.lines[2].wanted.is_ok());
        }
        let open = format!("Name\nOx\n\"Imp{}", "\r\nx".repeat(MAX_RECORD));
        let table = read_csv(&open).unwrap();
        assert_eq!(table.lines.len(), 2);
        invalid(&table, 1, &format!("spans {} lines", MAX_RECORD + 1));
        // Exactly as wide as allowed.
        let just =
            format!("Name{}\nOx{}\n", ",x".repeat(MAX_FIELDS - 1), ",".repeat(MAX_FIELDS - 1));
        assert!(read_csv(&just).unwrap().lines[0].wanted.is_ok());
        for headings in [",x".repeat(MAX_FIELDS), "x".repeat(MAX_RECORD + 1)] {
            assert_eq!(read_csv(&format!("Name{headings}\nOx\n")), Err(TableError::TooWide));
        }
        // Texts that are longer than any code or name.
        for column in ["Game", "Set", "Edition Name", "Rarity"] {
            let table = read_csv(&format!("Name,{column}\nOx,{}\n", "é".repeat(MAX_FIELD + 1)));
            invalid(&table.unwrap(), 0, "longer than 120 characters");
        }
        let key = |at: usize| format!("\"k{at}\":0");
        let keys = |count| (0..count).map(key).collect::<Vec<_>>().join(",");
        let wide = format!("[{{{}}}]", keys(MAX_FIELDS + 1));
        assert_eq!(Table::read(FileFormat::Json, wide.as_bytes()), Err(TableError::TooWide));
        let just = format!("[{{\"name\":\"Ox\",{}}},{{}}]", keys(MAX_FIELDS - 1));
        let table = Table::read(FileFormat::Json, just.as_bytes()).unwrap();
        assert_eq!((table.lines.len(), table.dialect.ignored.len()), (2, MAX_FIELDS - 1));
        let many = format!("[{{\"name\":\"Ox\"}}{}", ",{}".repeat(MAX_LINES));
        // The limit is reported before the end of the file, which is not valid JSON, is reached.
        assert_eq!(Table::read(FileFormat::Json, many.as_bytes()), Err(TableError::TooManyLines));
    }

    #[test]
    fn members_of_json_are_texts_numbers_or_nothing() {
        let read = |text: &str| Table::read(FileFormat::Json, text.as_bytes());
        let table = read(
            r#"{ "x": [[{}]], "entries": [
                { "name": ["Ox"], "deck": {"a": [1, {"b": null}]} },
                { "name": "O\u0078", "quantity": 2.0, "card": "Imp", "foil": true },
                { "card": "Imp" },
                { "name": "Imp", "name": "Ox", "quantity": "3x" }
            ] }"#,
        );
        let table = table.unwrap();
        let wanted = |at: usize| table.lines[at].wanted.as_ref();
        assert_eq!(wanted(0).unwrap_err(), &LineFault::Nested(Column::Name));
        let name = |at: usize| wanted(at).unwrap().card.name.as_ref().unwrap().as_str();
        assert_eq!((name(1), wanted(1).unwrap().quantity), ("Ox", 2));
        // An object with another name for the column, which the object before has in addition.
        assert_eq!(name(2), "Imp");
        assert_eq!((name(3), wanted(3).unwrap().quantity), ("Ox", 3));
        assert_eq!(table.dialect.ignored, ["deck"]);
        assert_eq!(wanted(1).unwrap().card.finish.as_deref(), Some("foil"));
        let deep = |levels: usize| {
            read(&format!(
                "[{{\"name\":\"Ox\",\"x\":{}{}}}]",
                "[".repeat(levels),
                "]".repeat(levels)
            ))
        };
        assert!(deep(100).is_ok());
        assert!(matches!(deep(200), Err(TableError::MalformedJson { .. })));
        // An entry that is not an object is a fault of its line only.
        let mixed =
            read_json(&json!([{ "name": "Kettle Imp" }, 5, [{}], { "name": "Ox" }])).unwrap();
        let fault = |line: &Line| line.wanted.as_ref().err().map(ToString::to_string);
        let faults: Vec<Option<String>> = mixed.lines.iter().map(fault).collect();
        let expected = [
            None,
            Some("must be an object, not a number".to_owned()),
            Some("must be an object, not a list".to_owned()),
            None,
        ];
        assert_eq!(faults, expected);
        for (text, error) in [
            (r#"{"entries":[],"entries":[]}"#, TableError::NotAList),
            (r#"{"entries":{}}"#, TableError::NotAList),
            ("[null]", TableError::NotAList),
            ("7", TableError::NotAList),
            (r#"[{"name":"a\u0000"}]"#, TableError::Nul),
            (r#"[{"name":"a","x":["\u0000"]}]"#, TableError::Nul),
        ] {
            assert_eq!(read(text), Err(error), "{text}");
        }
        for text in ["", "[", "[{}] x", r#"[{"name":1e999}]"#, "[{]"] {
            assert!(matches!(read(text), Err(TableError::MalformedJson { .. })), "{text}");
        }
        assert_eq!(Table::read(FileFormat::Json, b"[\xff"), Err(TableError::NotUtf8(1)));
    }

    #[test]
    fn each_object_names_its_columns_by_itself() {
        let text = r#"[
            { "count": 2, "name": "Ox" },
            { "quantity": 3, "name": "Imp" },
            { "Qty": 4, "card_name": "Owl" },
            { "count": null, "quantity": 5, "amount": 6, "name": "Elk", "title": "Eel" }
        ]"#;
        let table = Table::read(FileFormat::Json, text.as_bytes()).unwrap();
        let line = |line: &Line| {
            let wanted = line.wanted.as_ref().unwrap();
            (wanted.quantity, wanted.card.name.as_ref().unwrap().as_str().to_owned())
        };
        let lines: Vec<(i32, String)> = table.lines.iter().map(line).collect();
        let expected = [(2, "Ox"), (3, "Imp"), (4, "Owl"), (5, "Elk")];
        assert_eq!(lines, expected.map(|(quantity, name)| (quantity, name.to_owned())));
        let columns = [
            ("count", Column::Quantity),
            ("quantity", Column::Quantity),
            ("Qty", Column::Quantity),
            ("name", Column::Name),
            ("card_name", Column::Name),
        ];
        assert_eq!(table.dialect.columns, columns.map(|(name, column)| (name.to_owned(), column)));
        // Names that no object needs.
        assert_eq!(table.dialect.ignored, ["amount", "title"]);
    }

    #[test]
    fn lines_are_counted_however_they_end() {
        for end in ["\n", "\r\n", "\r"] {
            let text =
                ["sep=;", "", "Name;Set", "", "Ox;a", ";", "\"Two", "lines\";b", "Imp;c"].join(end);
            for text in [text.clone(), text + end] {
                let table = read_csv(&text).unwrap();
                let found: Vec<(u64, bool)> =
                    table.lines.iter().map(|line| (line.number, line.wanted.is_ok())).collect();
                assert_eq!(
                    (found, table.blank),
                    (vec![(5, true), (7, false), (9, true)], 1),
                    "{text:?}"
                );
            }
        }
    }
}
