//! Responses about collection files.

use chrono::{DateTime, Utc};
use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;

use super::counts::{ChoiceResponse, CollectionEntryResponse};
use crate::app::problem::{InputFault, Problem, ProblemCode};
use crate::app::problem_cause::{CountedPrinting, ProblemCause};
use crate::app::problem_member::ProblemMember;
use crate::domain::collection::MAX_QUANTITY;
use crate::domain::collection::table::{self, Dialect, Line, LineFault, Table, TableError};
use crate::store::collection::collection_imports::{
    ChangedEntry, CommitError, Committed, ImportAgain, Reading, RejectedLine, Verdict,
};
use crate::store::collection::counts::{CardLine, EntryView};

/// A heading of a file, and its meaning.
#[derive(Serialize, ToSchema)]
pub struct ColumnResponse {
    /// The heading, as it is written in the file.
    #[schema(example = "Collector Number")]
    pub heading: String,
    /// `quantity`, `name`, `game`, `set`, `set_code`, `set_name`, `number`, `rarity`, `condition`, `finish` or `printing`.
    #[schema(example = "number")]
    pub meaning: &'static str,
}

/// The form of a file, as far as it was recognised.
#[derive(Serialize, ToSchema)]
pub struct DialectResponse {
    /// `csv` or `json`.
    #[schema(example = "csv")]
    pub format: &'static str,
    /// The character that separates the fields of a CSV file. Absent for JSON.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>, example = ",")]
    pub delimiter: Option<char>,
    /// The encoding of its text: `utf-8`, `utf-16le`, `utf-16be` or `windows-1252`.
    #[schema(example = "utf-8")]
    pub encoding: &'static str,
    /// Whether the file began with a byte order mark.
    pub byte_order_mark: bool,
    /// The program that writes such headings: `cardscape`, `moxfield`, `archidekt`, `deckbox`, `manabox`, `dragonshield` or `tcgplayer`. Absent if
    /// none was recognised.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "moxfield")]
    pub program: Option<&'static str>,
    /// The columns that were read.
    pub columns: Vec<ColumnResponse>,
    /// Headings of columns that were ignored.
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

/// How many lines have each verdict.
#[derive(Default, Serialize, ToSchema)]
pub struct ImportTotals {
    /// Number of lines, without the headings and blank lines.
    #[schema(example = 3)]
    pub lines: usize,
    /// Number of blank lines.
    pub blank: usize,
    /// Number of lines that are `ok`.
    #[schema(example = 2)]
    pub ok: usize,
    /// Number of lines that may mean several printings.
    pub ambiguous: usize,
    /// Number of lines that mean nothing that you may see.
    #[schema(example = 1)]
    pub unknown: usize,
    /// Number of lines that cannot be read, or cannot be counted by this import.
    pub invalid: usize,
    /// Sum of the quantities of the lines that are `ok`.
    #[schema(example = 6)]
    pub cards: i64,
    /// Number of entries that these lines result in. An entry is a printing in one condition.
    #[schema(example = 2)]
    pub entries: usize,
    /// Number of entries that the commit removes: those that are replaced and that no line names which is `ok`. If counts that are replaced change
    /// before the commit, the commit is refused (409 `collection_changed`). Absent unless `mode` is `replace`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub removes: Option<usize>,
}

/// The result of reading a line.
#[derive(Serialize, ToSchema)]
pub struct ImportLine {
    /// Its place, from 1: the line of a CSV file, or the place in the list of a JSON file.
    #[schema(example = 2)]
    pub line: u64,
    /// The card, as the line names it.
    #[schema(example = "Kettle Imp")]
    pub text: String,
    /// `ok`, `ambiguous`, `unknown` or `invalid`.
    #[schema(example = "ok")]
    pub verdict: &'static str,
    /// Number of cards. Absent unless the line is `ok`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = 4)]
    pub quantity: Option<i32>,
    /// Condition of the cards. Absent unless the line is `ok`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "near_mint")]
    pub condition: Option<&'static str>,
    /// The printing that the line means. Absent unless the line is `ok`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub card: Option<ChoiceResponse>,
    /// Why the line is not `ok`, for people. Absent if it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    pub detail: Option<LineFault>,
    /// Cards or printings that may be meant, among those that you may see. Absent if there are none.
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

/// The result of reading a file. Your collection has not changed yet.
#[derive(Serialize, ToSchema)]
pub struct CollectionImportResponse {
    /// Id of the import, with which your account can commit exactly this result.
    pub import: Uuid,
    /// Until when the import can be committed.
    pub expires_at: DateTime<Utc>,
    /// `add` or `replace`.
    #[schema(example = "add")]
    pub mode: &'static str,
    /// The game whose counts are replaced; lines of other games are `invalid`. Absent unless `mode` is `replace`, and if the counts of all games are
    /// replaced.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub replaced_game: Option<String>,
    /// The form of the file.
    pub dialect: DialectResponse,
    /// How many lines have each verdict.
    pub totals: ImportTotals,
    /// Number of unknown names for which no similar names were searched, because there are too many or the search took too long. Absent if there are
    /// none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub suggestions_left_out: Option<usize>,
    /// Number of lines whose `suggestions` are left out, because an answer has at most 10,000 of all lines together. Absent if there are none.
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
            removes: reading.removes,
        }
    }
}

/// A line that was not imported.
#[derive(Serialize, ToSchema)]
pub struct RejectedLineResponse {
    /// Its place, from 1: the line of a CSV file, or the place in the list of a JSON file.
    #[schema(example = 3)]
    pub line: u64,
    /// The card, as the line names it.
    #[schema(example = "Ketle Imp")]
    pub text: String,
    /// `ambiguous`, `unknown` or `invalid`.
    #[schema(example = "unknown")]
    pub verdict: String,
    /// Why it was not imported, for people.
    #[schema(example = "there is no card of that name")]
    pub detail: String,
}

impl From<RejectedLine> for RejectedLineResponse {
    fn from(RejectedLine { line, text, verdict, detail }: RejectedLine) -> Self {
        Self { line, text, verdict, detail }
    }
}

/// The result of a commit.
#[derive(Serialize, ToSchema)]
pub struct CommitResponse {
    /// Id of the import.
    pub import: Uuid,
    /// Number of entries that are new.
    #[schema(example = 2)]
    pub added: usize,
    /// Number of entries whose count changed.
    pub changed: usize,
    /// Number of entries that were removed, which only `replace` does.
    pub removed: usize,
    /// Sum of the quantities of the lines that are `ok`.
    #[schema(example = 6)]
    pub cards: i64,
    /// All lines that were not imported.
    pub rejected: Vec<RejectedLineResponse>,
}

impl CommitResponse {
    pub(super) fn new(import: Uuid, committed: Committed) -> Self {
        let Committed { added, changed, removed, cards, rejected } = committed;
        let rejected = rejected.into_iter().map(Into::into).collect();
        Self { import, added, changed, removed, cards, rejected }
    }
}

/// An entry whose count has changed since the file was shown.
pub struct ChangedEntryResponse {
    /// The entry, with its present count.
    pub entry: CollectionEntryResponse,
    /// The count when the file was shown; 0: there was no such entry.
    pub shown: i32,
    /// The count that the commit results in; 0: it removes the entry.
    pub after: i32,
}

impl From<ChangedEntry> for ChangedEntryResponse {
    fn from(ChangedEntry { entry, shown, after }: ChangedEntry) -> Self {
        Self { entry: entry.into(), shown, after }
    }
}

/// An import that is shown again, because counts that it replaces have changed. It has a new id, and is as good as a
/// file that was sent again.
pub struct ImportAgainResponse {
    /// Id of the import, with which your account can commit exactly this result.
    pub import: Uuid,
    /// The only game whose counts are replaced; `None`: all games.
    pub replaced_game: Option<String>,
    /// Number of entries that a commit would remove now.
    pub removes: usize,
    /// Number of entries whose counts have changed.
    pub changed: usize,
    /// The first of them, as far as the collection still has them.
    pub named: Vec<ChangedEntryResponse>,
}

impl ImportAgainResponse {
    pub(super) fn new(import: Uuid, again: ImportAgain) -> Self {
        let ImportAgain { game, removes, changed, named } = again;
        let named = named.into_iter().map(Into::into).collect();
        Self { import, replaced_game: game, removes, changed, named }
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
            TableError::MalformedJson { ref reason, position } => {
                let refusal = Self::malformed_json(position, reason);
                // Pages have their own words about this error.
                return refusal.errors(vec![InputFault::at("", error).at_position(position)]);
            }
            _ => {
                let faults = vec![InputFault::at("", error)];
                return Self::new(ProblemCode::UnreadableCollection).errors(faults);
            }
        };
        Self::new(code).detail(error.to_string())
    }
}

/// A number of entries with what is true of them, and the first of them by set and number.
fn entries_text(entries: usize, what: &str, first: &[EntryView]) -> String {
    let place = |entry: &EntryView| {
        let CardLine { set_code, number, .. } = &entry.card;
        let rarity = entry.rarity.as_ref().map(|rarity| format!(" {rarity}"));
        let condition = entry.condition.as_str().replace('_', " ");
        format!("{set_code} {number}{} ({condition})", rarity.unwrap_or_default())
    };
    let mut named: Vec<String> = first.iter().map(place).collect();
    let left = entries.saturating_sub(named.len());
    if left > 0 && !named.is_empty() {
        named.push(format!("and {left} more"));
    }
    let entries = if entries == 1 { "1 entry".to_owned() } else { format!("{entries} entries") };
    let colon = if named.is_empty() { "" } else { ": " };
    format!("{entries} {what}{colon}{}.", named.join(", "))
}

/// Which entries would be too large, and what to do.
fn too_many_text(entries: usize, first: &[EntryView]) -> String {
    let what = format!("would have more than {MAX_QUANTITY} cards");
    let entries = entries_text(entries, &what, first);
    format!("{entries} Correct their quantities and send the file again.")
}

fn counted_printing(entry: EntryView) -> CountedPrinting {
    let CardLine { game_code, set_code, number, name, .. } = entry.card;
    let (rarity, condition) = (entry.rarity, entry.condition);
    CountedPrinting { game: game_code, set: set_code, number, name, rarity, condition }
}

/// Which entries have changed since the file was shown, and what to do.
fn changed_text(entries: usize, first: &[EntryView]) -> String {
    let what = if entries == 1 {
        "that the import would replace has changed since the file was shown"
    } else {
        "that the import would replace have changed since the file was shown"
    };
    let entries = entries_text(entries, what, first);
    format!(
        "{entries} Nothing was imported. Send the file again, and check what the import would replace now."
    )
}

impl From<CommitError> for Problem {
    fn from(error: CommitError) -> Self {
        match error {
            CommitError::Missing => {
                Self::not_found().detail("You have no such import, or it has expired.")
            }
            CommitError::Rejected(lines) => {
                let lines: Vec<RejectedLineResponse> = lines.into_iter().map(Into::into).collect();
                match serde_json::to_value(lines) {
                    Ok(lines) => {
                        Self::new(ProblemCode::ImportHasFaults).with(ProblemMember::Rejected, lines)
                    }
                    Err(error) => Self::internal(error),
                }
            }
            CommitError::Stale => Self::new(ProblemCode::EditConflict)
                .detail("Some printings of the file no longer exist: send it again."),
            CommitError::Changed(entries, first) => Self::new(ProblemCode::CollectionChanged)
                .detail(changed_text(entries, &first))
                .with(ProblemMember::Entries, entries),
            CommitError::TooMany(entries, first) => {
                let text = too_many_text(entries, &first);
                let named = first.into_iter().map(counted_printing).collect();
                // Pages name the entries with their own words, programs read the detail.
                Self::new(ProblemCode::CountOutOfRange)
                    .because(ProblemCause::TooManyCards { entries, named })
                    .detail(text)
                    .with(ProblemMember::Entries, entries)
            }
            CommitError::Collection(error) => error.into(),
        }
    }
}
