//! Imports of collection files: an import is read and shown first, and applied by a commit.

use bytes::Bytes;

use super::import_responses::{
    CollectionImportResponse, CommitResponse, ImportAgainResponse, ImportLine, ImportTotals,
};
use crate::app::problem::Problem;
use crate::app::state::AppState;
use crate::app::words::words;
use crate::auth::permission::{Granted, Viewer, WriteOwnCollection};
use crate::domain::code::Code;
use crate::domain::collection::ImportMode;
use crate::domain::collection::resolve::{Assumptions, RarityWords};
use crate::domain::collection::table::{FileFormat, Table};
use crate::domain::ids::CollectionImportId;
use crate::domain::network::Network;
use crate::memory::file_limiter::{FilePlace, FileTurn};
use crate::store::collection::collection_imports::{
    self, COMMIT_TIME, NewImport, Reading, RejectedLine,
};
use crate::store::db::deadlines;

words! {
    ImportMode: "Whether the counts of a file are added to the collection, or replace those in it.";
}

/// How to read a file, and how to apply it.
pub struct ImportOptions {
    /// Whether the counts of the file are added to the collection, or replace those in it.
    pub mode: ImportMode,
    /// The game of lines that name none; it must exist. With mode `replace`, only the entries of this game are
    /// replaced, and lines of other games are invalid.
    pub game: Option<Code>,
    /// Whether a line without a rarity means the most common printing; otherwise the line is ambiguous.
    pub most_common: bool,
}

/// A file that the client may send. It occupies a place until it is read and answered.
pub struct ExpectedFile {
    place: FilePlace,
    network: Network,
    options: ImportOptions,
}

/// A file that was read. It keeps its turn until the response is written.
pub struct ReadFile {
    response: CollectionImportResponse,
    turn: FileTurn,
}

/// A place for a file that is sent in the same form as its options.
pub struct ReservedPlace {
    place: FilePlace,
    network: Network,
}

impl ReservedPlace {
    /// Adds the options, after the service has read them from the form.
    pub fn with(self, options: ImportOptions) -> ExpectedFile {
        let Self { place, network } = self;
        ExpectedFile { place, network, options }
    }
}

/// Reserves a place for a file that is about to be sent. Places are limited, because files and their responses have to
/// fit into memory.
pub fn expect(
    app: &AppState,
    by: &Granted<WriteOwnCollection>,
    network: Network,
    options: ImportOptions,
) -> Result<ExpectedFile, Problem> {
    Ok(expect_later(app, by, network)?.with(options))
}

/// Like [`expect()`], for a file that is sent in the same form as its options.
pub fn expect_later(
    app: &AppState,
    by: &Granted<WriteOwnCollection>,
    network: Network,
) -> Result<ReservedPlace, Problem> {
    let place = app.import_limiter.enter(by.account(), network).map_err(Problem::no_file_place)?;
    Ok(ReservedPlace { place, network })
}

impl ExpectedFile {
    /// Reads the file, resolves each of its lines, and stores the result for a commit. The collection does not change
    /// yet.
    pub async fn read(
        self,
        app: &AppState,
        by: &Granted<WriteOwnCollection>,
        viewer: Viewer,
        format: FileFormat,
        raw: Bytes,
    ) -> Result<ReadFile, Problem> {
        let Self { place, network, options } = self;
        let (turn, table) = place.turn().await?.work(move || Table::read(format, &raw)).await?;
        let table = table?;
        let mut conn = app.store.with_deadline(deadlines::LARGE).connection().await?;
        let games = app.games.list(&mut conn).await?;
        let assumed = Assumptions {
            game: options.game.map(Code::into_string),
            most_common: options.most_common,
            rarities: RarityWords::from_games(games.iter().map(|loaded| &loaded.game)),
        };
        let lines = &table.lines;
        let mode = options.mode;
        let mut reading =
            collection_imports::read(&mut conn, by, viewer, lines, &assumed, mode).await?;
        drop(conn);
        let (searches, time_limit) = ((&app.searches, network), app.settings.suggestion_time);
        let left_out =
            collection_imports::suggest(searches, viewer, &mut reading, time_limit).await;

        let (id, at) = (CollectionImportId::unordered(), app.clock.now());
        let new = NewImport {
            id,
            mode,
            game: assumed.game.as_deref(),
            counts: &reading.counts,
            replaced: reading.replaced.as_ref(),
            rejected: &rejected(&table, &reading),
            at,
        };
        app.write_within(deadlines::LARGE, by, async |conn, by| {
            collection_imports::store(conn, by, &new).await
        })
        .await?;
        let totals = ImportTotals::of(&table, &reading);
        tracing::info!(account = %by.account(), import = %id, lines = totals.lines, ok = totals.ok, "collection file read");
        let lines = table.lines.into_iter().zip(reading.verdicts);
        let unless_zero = |count: usize| (count > 0).then_some(count);
        let response = CollectionImportResponse {
            import: id.0,
            expires_at: at + COMMIT_TIME,
            mode: mode.as_str(),
            replaced_game: assumed.game.filter(|_| mode == ImportMode::Replace),
            dialect: table.dialect.into(),
            totals,
            suggestions_left_out: unless_zero(left_out),
            choices_left_out: unless_zero(reading.choices_left_out),
            lines: lines.map(|(line, verdict)| ImportLine::new(line, verdict)).collect(),
        };
        Ok(ReadFile { response, turn })
    }
}

impl ReadFile {
    /// Serialises the response on a thread that handles no requests, because it may be long.
    pub async fn into_json(self) -> Result<Vec<u8>, Problem> {
        self.converted(|response| serde_json::to_vec(&response)).await?.map_err(Problem::internal)
    }

    /// Converts the response with `convert` on a thread that handles no requests, for callers that do not write JSON.
    pub async fn converted<T: Send + 'static>(
        self,
        convert: impl FnOnce(CollectionImportResponse) -> T + Send + 'static,
    ) -> Result<T, Problem> {
        let Self { response, turn } = self;
        Ok(turn.run(move || convert(response)).await?)
    }
}

fn rejected(table: &Table, reading: &Reading) -> Vec<RejectedLine> {
    let lines = table.lines.iter().zip(&reading.verdicts);
    let rejected = lines.filter_map(|(line, verdict)| {
        Some(RejectedLine {
            line: line.number,
            text: line.shown.clone(),
            verdict: verdict.as_str().to_owned(),
            detail: verdict.reason()?.to_string(),
        })
    });
    rejected.collect()
}

/// Applies an import as it was shown, in one transaction. Unless `only_ok` is set, a single line that is not ok
/// prevents the whole import. So does a change of the counts that it would replace: a player confirms only what was
/// shown.
pub async fn commit(
    app: &AppState,
    by: &Granted<WriteOwnCollection>,
    viewer: Viewer,
    id: CollectionImportId,
    only_ok: bool,
) -> Result<CommitResponse, Problem> {
    let at = app.clock.now();
    let committed = app
        .write_within(deadlines::LARGE, by, async |conn, by| {
            collection_imports::commit(conn, by, viewer, id, only_ok, at).await
        })
        .await?;
    tracing::info!(
        account = %by.account(), import = %id, added = committed.added, changed = committed.changed, removed = committed.removed,
        "collection file imported"
    );
    Ok(CommitResponse::new(id.0, committed))
}

/// Shows an import again whose commit was refused because counts that it would replace have changed: a new import of the
/// same lines, with what has changed. The collection does not change.
pub async fn show_again(
    app: &AppState,
    by: &Granted<WriteOwnCollection>,
    viewer: Viewer,
    earlier: CollectionImportId,
) -> Result<ImportAgainResponse, Problem> {
    let (id, at) = (CollectionImportId::unordered(), app.clock.now());
    let again = app
        .write_within(deadlines::LARGE, by, async |conn, by| {
            collection_imports::show_again(conn, by, viewer, (earlier, id), at).await
        })
        .await?;
    Ok(ImportAgainResponse::new(id.0, again))
}
