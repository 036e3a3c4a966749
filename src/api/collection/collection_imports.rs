//! Files of collections: read and shown first, applied by a commit, and written.

use actix_web::http::header;
use actix_web::{HttpRequest, HttpResponse, web};
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};
use uuid::Uuid;

use super::counts::ChoiceResponse;
use crate::app::catalogue::codes::Codes;
use crate::app::problem::{InputFault, Problem, ProblemCode};
use crate::app::state::AppState;
use crate::auth::permission::{ReadOwnCollection, WriteOwnCollection};
use crate::domain::code::Code;
use crate::domain::collection::ImportMode;
use crate::domain::collection::resolve::{Assumptions, RarityAliases};
use crate::domain::collection::table::{self, Dialect, Line, Table, TableError};
use crate::domain::ids::CollectionImportId;
use crate::http::extract::{Caller, ClientNetwork, May, OptionalBody, Params, TableFile};
use crate::memory::places::NoPlace;
use crate::store::collection::collection_imports::{
    self, COMMIT_TIME, CommitError, Committed, NewImport, Reading, RejectedLine, Verdict,
};
use crate::store::collection::counts::{self, EntryView};
use crate::store::db::deadlines;
use crate::work::WorkError;

/// What lines mean that name no rarity, of cards that have several.
#[derive(Clone, Copy, Default, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum WithoutRarity {
    /// They are a question.
    #[default]
    Ambiguous,
    /// The most common printing.
    MostCommon,
}

/// How to read a file, and what to do with it.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct ImportQuery {
    /// `add` (when absent): the counts of the file are added to yours. `replace`: your collection becomes what the file says; with
    /// `game`, only that part of it.
    #[serde(default)]
    #[param(value_type = Option<String>, example = "add")]
    mode: ImportMode,
    /// The game of lines that name none.
    #[param(value_type = Option<String>, example = "ttcg")]
    game: Option<Code>,
    /// What lines mean that name no rarity: `ambiguous` (when absent) or `most_common`.
    #[serde(default)]
    #[param(value_type = Option<String>, example = "most_common")]
    without_rarity: WithoutRarity,
}

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
    pub detail: Option<String>,
    /// What may be meant, among the cards that you may see.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub suggestions: Vec<ChoiceResponse>,
}

impl ImportLine {
    fn new(line: Line, verdict: Verdict) -> Self {
        let mut answer = Self {
            line: line.number,
            text: line.shown,
            verdict: verdict.as_str(),
            quantity: None,
            condition: None,
            card: None,
            detail: verdict.reason().map(str::to_owned),
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

/// Seconds after which another try to have a file read is worth it.
const RETRY_AFTER: u32 = 2;

/// What is said to who gets no place to have a file read: 429 when account or network have as many as they may, 503 when all together have.
fn no_place(full: NoPlace) -> Problem {
    match full {
        NoPlace::Holder => Problem::new(ProblemCode::TooManyImports).retry_after(RETRY_AFTER),
        NoPlace::InAll => WorkError::Busy.into(),
    }
}

fn totals(table: &Table, reading: &Reading) -> ImportTotals {
    let count =
        |code: &str| reading.verdicts.iter().filter(|verdict| verdict.as_str() == code).count();
    ImportTotals {
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

fn rejected(table: &Table, reading: &Reading) -> Vec<RejectedLine> {
    let lines = table.lines.iter().zip(&reading.verdicts);
    let rejected = lines.filter_map(|(line, verdict)| {
        Some(RejectedLine {
            line: line.number,
            text: line.shown.clone(),
            verdict: verdict.as_str().to_owned(),
            detail: verdict.reason()?.to_owned(),
        })
    });
    rejected.collect()
}

/// Reads a file of cards that you own, and shows what each line means. Nothing is counted yet.
///
/// CSV with headings in the first line, as Moxfield, Archidekt, Deckbox, ManaBox, Dragon Shield, TCGplayer and this service write it, separated by
/// commas, semicolons or tabs, in UTF-8, UTF-16 or Windows-1252; or JSON, a list of objects. At most 16 MiB, 50,000 lines and 1,000 headings. `POST /v1/collection/imports/{import}/commit` then applies
/// exactly what was shown.
#[utoipa::path(
    post, path = "/v1/collection/imports", tag = "collection", security(("bearer" = [])), params(ImportQuery),
    request_body(content(
        (String = "text/csv", example = "Count,Name,Edition,Rarity,Condition\n4,Kettle Imp,hearth,common,NM\n"),
        (Object = "application/json", example = json!({ "entries": [{ "quantity": 4, "name": "Kettle Imp", "rarity": "common" }] })),
    )),
    responses(
        (status = 200, body = CollectionImportResponse),
        (status = 400, description = "`not_utf8`, `malformed_json`, `invalid_query`"),
        (status = 422, description = "`unreadable_collection`"),
        (status = 429, description = "`too_many_imports`: two files of an account, or of a network, are read at once"),
        (status = 503, description = "`unavailable`: as many files are read as fit into memory"),
    )
)]
pub async fn read_import(
    state: web::Data<AppState>,
    caller: Caller,
    by: May<WriteOwnCollection>,
    network: ClientNetwork,
    query: Params<ImportQuery>,
    req: HttpRequest,
    body: web::Payload,
) -> Result<HttpResponse, Problem> {
    let codes = Codes { game: query.game.clone(), ..Codes::default() }.known(&state).await?;
    let place = state.import_desk.enter(by.account(), network.0).map_err(no_place)?;
    let TableFile { format, raw } = TableFile::receive(&req, body).await?;
    let (turn, table) = place.read(format, raw).await?;
    let table = table?;
    let mut conn = state.store.with_deadline(deadlines::LARGE).connection().await?;
    let games = state.games.list(&mut conn).await?;
    let assumed = Assumptions {
        game: codes.game.map(Code::into_string),
        most_common: matches!(query.without_rarity, WithoutRarity::MostCommon),
        aliases: RarityAliases::of(games.iter().map(|loaded| &loaded.game)),
    };
    let viewer = caller.viewer();
    let time_limit = state.settings.suggestion_time;
    let lines = &table.lines;
    let mut reading = collection_imports::read(&mut conn, &by, viewer, lines, &assumed).await?;
    drop(conn);
    let lane = (&state.searches, network.0);
    let left_out = collection_imports::suggest(lane, viewer, &mut reading, time_limit).await;

    let (id, at) = (CollectionImportId::unordered(), state.clock.now());
    let new = NewImport {
        id,
        mode: query.mode,
        game: assumed.game.as_deref(),
        counts: &reading.counts,
        rejected: &rejected(&table, &reading),
        at,
    };
    state
        .write_within(deadlines::LARGE, &by, async |conn, by| {
            collection_imports::keep(conn, by, &new).await
        })
        .await?;
    let totals = totals(&table, &reading);
    tracing::info!(account = %by.account(), import = %id, lines = totals.lines, ok = totals.ok, "collection file read");
    let lines = table.lines.into_iter().zip(reading.verdicts);
    let told = |count: usize| (count > 0).then_some(count);
    let body = CollectionImportResponse {
        import: id.0,
        expires_at: at + COMMIT_TIME,
        mode: query.mode.as_str(),
        dialect: table.dialect.into(),
        totals,
        suggestions_left_out: told(left_out),
        choices_left_out: told(reading.choices_left_out),
        lines: lines.map(|(line, verdict)| ImportLine::new(line, verdict)).collect(),
    };
    let body = turn.run(move || serde_json::to_vec(&body)).await?.map_err(Problem::internal)?;
    let mut answer = HttpResponse::Ok();
    answer.content_type("application/json").insert_header((header::CACHE_CONTROL, "no-store"));
    Ok(answer.body(body))
}

/// How to commit.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct CommitRequest {
    /// Whether to leave out lines that are not `ok`. If `false`, one such line keeps the whole file from being imported.
    #[serde(default)]
    pub only_ok: bool,
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
    fn new(import: Uuid, committed: Committed) -> Self {
        let Committed { added, changed, removed, cards, rejected } = committed;
        let rejected = rejected.into_iter().map(Into::into).collect();
        Self { import, added, changed, removed, cards, rejected }
    }
}

/// Applies a file as it was shown: all at once or not at all.
///
/// The same commit again has the same answer and changes nothing. An import is gone after 15 minutes, or when five later ones wait; it belongs
/// to the account that sent the file.
#[utoipa::path(
    post, path = "/v1/collection/imports/{import}/commit", tag = "collection", security(("bearer" = [])),
    request_body = Option<CommitRequest>, params(("import" = Uuid, Path, description = "The token of the import")),
    responses(
        (status = 200, body = CommitResponse),
        (status = 409, description = "`count_out_of_range`, `collection_full`; `edit_conflict`: the catalogue changed since, send the file again"),
        (status = 422, description = "`import_has_faults`: `rejected` has the lines; `invalid_body`"),
    )
)]
pub async fn commit_import(
    state: web::Data<AppState>,
    by: May<WriteOwnCollection>,
    import: web::Path<Uuid>,
    OptionalBody(body): OptionalBody<CommitRequest>,
) -> Result<HttpResponse, Problem> {
    let (id, only_ok, at) = (CollectionImportId(*import), body.value.only_ok, state.clock.now());
    let committed = state
        .write_within(deadlines::LARGE, &by, async |conn, by| {
            collection_imports::commit(conn, by, id, only_ok, at).await
        })
        .await?;
    tracing::info!(
        account = %by.account(), import = %id, added = committed.added, changed = committed.changed, removed = committed.removed,
        "collection file taken"
    );
    let body = CommitResponse::new(*import, committed);
    Ok(HttpResponse::Ok().insert_header((header::CACHE_CONTROL, "no-store")).json(body))
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

/// In which form.
#[derive(Clone, Copy, Default, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ExportFormat {
    /// For spreadsheets and other programs.
    #[default]
    Csv,
    /// For programs.
    Json,
}

/// What to export.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct ExportQuery {
    /// `csv` (when absent) or `json`.
    #[serde(default)]
    #[param(value_type = Option<String>, example = "csv")]
    format: ExportFormat,
    /// Only cards of this game.
    #[param(value_type = Option<String>, example = "ttcg")]
    game: Option<Code>,
}

/// An entry of an exported file.
#[derive(Serialize, ToSchema)]
pub struct ExportedEntry {
    /// How many.
    #[schema(example = 4)]
    pub quantity: i32,
    /// Name; absent when the card is hidden from you.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "Kettle Imp")]
    pub name: Option<String>,
    /// Code of the game.
    #[schema(example = "ttcg")]
    pub game: String,
    /// Code of the set.
    #[schema(example = "hearth")]
    pub set: String,
    /// Number in the set.
    #[schema(example = "016")]
    pub number: String,
    /// Rarity; absent when the card is hidden from you.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "common")]
    pub rarity: Option<String>,
    /// Condition.
    #[schema(example = "near_mint")]
    pub condition: &'static str,
    /// Id of the printing.
    pub printing: Uuid,
}

impl From<EntryView> for ExportedEntry {
    fn from(entry: EntryView) -> Self {
        Self {
            quantity: entry.quantity,
            condition: entry.condition.as_str(),
            printing: entry.printing_id,
            rarity: entry.rarity,
            name: entry.card.name,
            game: entry.card.game_code,
            set: entry.card.set_code,
            number: entry.card.number,
        }
    }
}

/// An exported collection.
#[derive(Serialize, ToSchema)]
pub struct ExportedCollection {
    /// Every entry, by game, set and number.
    pub entries: Vec<ExportedEntry>,
}

const HEADINGS: [&str; 8] =
    ["Count", "Name", "Game", "Set", "Collector Number", "Rarity", "Condition", "Printing ID"];

/// The file, RFC 4180. Values stay what they are, also those that a spreadsheet would take for a formula (docs/decisions/0047-csv-values-unchanged.md).
fn csv_file(entries: &[ExportedEntry]) -> Result<Vec<u8>, csv::Error> {
    let mut file =
        csv::WriterBuilder::new().terminator(csv::Terminator::CRLF).from_writer(Vec::new());
    file.write_record(HEADINGS)?;
    for entry in entries {
        let (quantity, printing) = (entry.quantity.to_string(), entry.printing.to_string());
        file.write_record([
            &quantity,
            entry.name.as_deref().unwrap_or_default(),
            &entry.game,
            &entry.set,
            &entry.number,
            entry.rarity.as_deref().unwrap_or_default(),
            entry.condition,
            &printing,
        ])?;
    }
    file.into_inner().map_err(|error| error.into_error().into())
}

/// Exports your whole collection as a file, which `POST /v1/collection/imports` takes back exactly.
///
/// Cards that are hidden from you have only game, set and number. Registered copies are not in it.
#[utoipa::path(
    get, path = "/v1/collection/export", tag = "collection", security(("bearer" = [])), params(ExportQuery),
    responses((status = 200, content(
        (String = "text/csv", example = "Count,Name,Game,Set,Collector Number,Rarity,Condition,Printing ID\r\n\
            4,Kettle Imp,ttcg,hearth,016,common,near_mint,01998d5e-7a35-7c54-b0a0-1f6f4f5f2b11\r\n"),
        (ExportedCollection = "application/json"),
    )))
)]
pub async fn export_collection(
    state: web::Data<AppState>,
    caller: Caller,
    by: May<ReadOwnCollection>,
    query: Params<ExportQuery>,
) -> Result<HttpResponse, Problem> {
    let game = query.game.as_ref().map(Code::as_str);
    let mut conn = state.store.connection().await?;
    let entries = counts::all(&mut conn, &by, caller.viewer(), game).await?;
    let entries: Vec<ExportedEntry> = entries.into_iter().map(Into::into).collect();
    tracing::info!(account = %by.account(), entries = entries.len(), "collection exported");
    let (name, media_type, body) = match query.format {
        ExportFormat::Csv => {
            let file = csv_file(&entries).map_err(Problem::internal)?;
            ("collection.csv", "text/csv; charset=utf-8", file)
        }
        ExportFormat::Json => {
            let file = serde_json::to_vec(&ExportedCollection { entries });
            ("collection.json", "application/json", file.map_err(Problem::internal)?)
        }
    };
    let disposition = format!("attachment; filename=\"{name}\"");
    Ok(HttpResponse::Ok()
        .content_type(media_type)
        .insert_header((header::CONTENT_DISPOSITION, disposition))
        .insert_header((header::CACHE_CONTROL, "no-store"))
        .body(body))
}
