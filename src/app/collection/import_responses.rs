//! Responses about collection files.

use chrono::{DateTime, Utc};
use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;

use super::counts::ChoiceResponse;
use crate::app::problem::{InputFault, Problem, ProblemCode};
use crate::domain::collection::table::{self, Dialect, Line, LineFault, Table, TableError};
use crate::store::collection::collection_imports::{
    CommitError, Committed, Reading, RejectedLine, Verdict,
};

/// A heading and what it means.
#[derive(Serialize, ToSchema)]
pub struct ColumnResponse {
    /// As it stands in the file.
    #[schema(example = "Collector Number")]
    pub heading: String,
    /// `quantity`, `name`, `game`, `set`, `set_code`, `set_name`, `number`, `rarity`, `condition`, `finish` or `printing`.
    #[schema(example = "number")]
    pub meaning: &'static str,
}

/// How a file is written, as far as it was recognised.
#[derive(Serialize, ToSchema)]
pub struct DialectResponse {
    /// `csv` or `json`.
    #[schema(example = "csv")]
    pub format: &'static str,
    /// What separates the fields of a CSV file.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>, example = ",")]
    pub delimiter: Option<char>,
    /// The encoding of its text: `utf-8`, `utf-16le`, `utf-16be` or `windows-1252`.
    #[schema(example = "utf-8")]
    pub encoding: &'static str,
    /// Whether the file began with a byte order mark.
    pub byte_order_mark: bool,
    /// The program that writes such headings: `cardscape`, `moxfield`, `archidekt`, `deckbox`, `manabox`,
    /// `dragonshield`, `tcgplayer`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "moxfield")]
    pub program: Option<&'static str>,
    /// The columns that were read.
    pub columns: Vec<ColumnResponse>,
    /// Headings of columns that were not read.
    #[schema(example = json!(["Tradelist Count", "Foil"]))]
    pub ignored: Vec<String>,
}

impl From<Dialect> for DialectResponse {
    fn from(dialect: Dialect) -> Self {
        let column = |(heading, column): (String, table::Column)| ColumnResponse {
            heading,
            meaning: column.as_str(),
        };
        Self {
            format: if dialect.delimiter.is_some() { "csv" } else { "json" },
            delimiter: dialect.delimiter,
            encoding: dialect.encoding,
            byte_order_mark: dialect.byte_order_mark,
            program: dialect.program,
            columns: dialect.columns.into_iter().map(column).collect(),
            ignored: dialect.ignored,
        }
    }
}

/// How many lines have which verdict.
#[derive(Default, Serialize, ToSchema)]
pub struct ImportTotals {
    /// Lines, without the heading and blank ones.
    #[schema(example = 3)]
    pub lines: usize,
    /// Lines with nothing in them.
    pub blank: usize,
    /// Lines that are ok.
    #[schema(example = 2)]
    pub ok: usize,
    /// Lines that may mean several printings.
    pub ambiguous: usize,
    /// Lines that mean nothing that you may see.
    #[schema(example = 1)]
    pub unknown: usize,
    /// Lines that cannot be read.
    pub invalid: usize,
    /// Cards that the lines which are ok count together.
    #[schema(example = 6)]
    pub cards: i64,
    /// Entries that they make: printings in one condition.
    #[schema(example = 2)]
    pub entries: usize,
}

/// What a line was found to be.
#[derive(Serialize, ToSchema)]
pub struct ImportLine {
    /// Its place: the line of a CSV file, the place in the list of a JSON file; from 1.
    #[schema(example = 2)]
    pub line: u64,
    /// What it calls its card, in the words of the file.
    #[schema(example = "Kettle Imp")]
    pub text: String,
    /// `ok`, `ambiguous`, `unknown` or `invalid`.
    #[schema(example = "ok")]
    pub verdict: &'static str,
    /// How many, of a line that is ok.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = 4)]
    pub quantity: Option<i32>,
    /// In which condition, of a line that is ok.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "near_mint")]
    pub condition: Option<&'static str>,
    /// What it means, when it is ok.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub card: Option<ChoiceResponse>,
    /// Why it is not ok.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    pub detail: Option<LineFault>,
    /// What may be meant, among the cards that you may see.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub suggestions: Vec<ChoiceResponse>,
}

impl ImportLine {
    pub(super) fn new(line: Line, verdict: Verdict) -> Self {
        let mut answer = Self {
            line: line.number,
            text: line.shown,
            verdict: verdict.as_str(),
            quantity: None,
            condition: None,
            card: None,
            detail: verdict.reason().cloned(),
            suggestions: Vec::new(),
        };
        match verdict {
            Verdict::Ok(choice, (_, condition), quantity) => {
                answer.quantity = Some(quantity);
                answer.condition = Some(condition.as_str());
                answer.card = Some((*choice).into());
            }
            Verdict::Ambiguous(_, choices) | Verdict::Unknown(_, choices) => {
                answer.suggestions = choices.into_iter().map(Into::into).collect();
            }
            Verdict::Invalid(_) => {}
        }
        answer
    }
}

/// What a file was read as. Nothing is counted yet.
#[derive(Serialize, ToSchema)]
pub struct CollectionImportResponse {
    /// The token that commits exactly this, for this account.
    pub import: Uuid,
    /// Until when it can be committed.
    pub expires_at: DateTime<Utc>,
    /// `add` or `replace`.
    #[schema(example = "add")]
    pub mode: &'static str,
    /// How the file is written.
    pub dialect: DialectResponse,
    /// How many lines have which verdict.
    pub totals: ImportTotals,
    /// Unknown names for which no near names were looked for, because there are too many.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub suggestions_left_out: Option<usize>,
    /// Lines whose `suggestions` are left out, because the lines before them have thousands.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub choices_left_out: Option<usize>,
    /// Every line, in the order of the file.
    pub lines: Vec<ImportLine>,
}

impl ImportTotals {
    pub(super) fn of(table: &Table, reading: &Reading) -> Self {
        let count =
            |code: &str| reading.verdicts.iter().filter(|verdict| verdict.as_str() == code).count();
        Self {
            lines: table.lines.len(),
            blank: table.blank,
            ok: count("ok"),
            ambiguous: count("ambiguous"),
            unknown: count("unknown"),
            invalid: count("invalid"),
            cards: reading.counts.values().map(|count| i64::from(*count)).sum(),
            entries: reading.counts.len(),
        }
    }
}

/// A line that was not taken.
#[derive(Serialize, ToSchema)]
pub struct RejectedLineResponse {
    /// Its place in the file, from 1.
    #[schema(example = 3)]
    pub line: u64,
    /// What it calls its card, in the words of the file.
    #[schema(example = "Ketle Imp")]
    pub text: String,
    /// `ambiguous`, `unknown` or `invalid`.
    #[schema(example = "unknown")]
    pub verdict: String,
    /// Why.
    #[schema(example = "there is no card of that name")]
    pub detail: String,
}

impl From<RejectedLine> for RejectedLineResponse {
    fn from(RejectedLine { line, text, verdict, detail }: RejectedLine) -> Self {
        Self { line, text, verdict, detail }
    }
}

/// What a commit did.
#[derive(Serialize, ToSchema)]
pub struct CommitResponse {
    /// The import.
    pub import: Uuid,
    /// Entries that were not there before.
    #[schema(example = 2)]
    pub added: usize,
    /// Entries whose count is another now.
    pub changed: usize,
    /// Entries that are gone: with `replace` only.
    pub removed: usize,
    /// Cards that the lines which are ok count together.
    #[schema(example = 6)]
    pub cards: i64,
    /// Lines that were not taken, all of them.
    pub rejected: Vec<RejectedLineResponse>,
}

impl CommitResponse {
    pub(super) fn new(import: Uuid, committed: Committed) -> Self {
        let Committed { added, changed, removed, cards, rejected } = committed;
        let rejected = rejected.into_iter().map(Into::into).collect();
        Self { import, added, changed, removed, cards, rejected }
    }
}

impl From<TableError> for Problem {
    fn from(error: TableError) -> Self {
        let code = match error {
            TableError::NotUtf8(_)
            | TableError::UnknownEncoding { .. }
            | TableError::MixedEncodings { .. }
            | TableError::Utf32
            | TableError::BrokenUtf16 => ProblemCode::NotUtf8,
            TableError::MalformedJson(_) => ProblemCode::MalformedJson,
            _ => {
                let faults = vec![InputFault::at("", error)];
                return Self::new(ProblemCode::UnreadableCollection).errors(faults);
            }
        };
        Self::new(code).detail(error.to_string())
    }
}

impl From<CommitError> for Problem {
    fn from(error: CommitError) -> Self {
        match error {
            CommitError::Missing => {
                Self::not_found().detail("There is no such import of yours, or its time is over.")
            }
            CommitError::Rejected(lines) => {
                let lines: Vec<RejectedLineResponse> = lines.into_iter().map(Into::into).collect();
                match serde_json::to_value(lines) {
                    Ok(lines) => Self::new(ProblemCode::ImportHasFaults).with("rejected", lines),
                    Err(error) => Self::internal(error),
                }
            }
            CommitError::Stale => Self::new(ProblemCode::EditConflict)
                .detail("Printings of the file are there no more: send it again."),
            CommitError::TooMany(entries) => Self::new(ProblemCode::CountOutOfRange)
                .detail(format!("{entries} entries would be more than 9999 cards."))
                .with("entries", entries),
            CommitError::Collection(error) => error.into(),
        }
    }
}
