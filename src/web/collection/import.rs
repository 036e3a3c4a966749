//! Imports a file in two steps: each line is read and shown with its meaning, and then the visitor confirms the import.

use actix_web::{HttpRequest, HttpResponse, web};
use askama::Template;
use bytes::Bytes;
use serde::Deserialize;
use uuid::Uuid;

use super::counted::{entry_label, printing_label};
use super::verdicts::Reading;
use super::words as collection_words;
use crate::app::collection::collection_imports::{self, ImportOptions};
use crate::app::collection::import_responses::{
    ChangedEntryResponse, CommitResponse, ImportAgainResponse, RejectedLineResponse,
};
use crate::app::problem::{Problem, ProblemCode};
use crate::app::problem_cause::{CountedPrinting, ProblemCause};
use crate::app::state::AppState;
use crate::auth::permission::WriteOwnCollection;
use crate::domain::collection::table::FileFormat;
use crate::domain::collection::{ImportMode, MAX_PASTED};
use crate::domain::ids::CollectionImportId;
use crate::http::extract::{ClientNetwork, Form, LostPart, MAX_TABLE, UnreceivedForm, Upload};
use crate::web::copies::{Games, Narrowing, Section};
use crate::web::fault_words;
use crate::web::forms::{Choice, Faults, private};
use crate::web::page::{Frame, Place};
use crate::web::page_status::PageStatus;
use crate::web::session::Player;
use crate::web::words;

/// Largest file, in bytes, plus the other fields of the form.
const MOST: usize = MAX_TABLE + 512 * 1024;

#[derive(Template)]
#[template(path = "web/collection/import.html")]
struct ImportPage {
    frame: Frame,
    section: Section,
    faults: Faults,
    pasted: String,
    modes: Vec<Choice>,
    rarities: Vec<Choice>,
    games: Vec<Choice>,
}

/// The other fields of the form.
#[derive(Default)]
struct Typed {
    pasted: String,
    mode: String,
    rarity: String,
    game: String,
}

impl Typed {
    fn take(upload: &mut Upload) -> Self {
        let mut field = |name| upload.take_field(name);
        Self {
            pasted: field("pasted"),
            mode: field("mode"),
            rarity: field("without_rarity"),
            game: field("game"),
        }
    }

    /// What the form of the confirmation contains, so that the lines can be corrected. `is_pasted`: the lines are the pasted
    /// ones, not those of a file.
    fn carried(mut self, is_pasted: bool) -> Self {
        if !is_pasted {
            self.pasted = String::new();
        }
        self
    }
}

/// The page that shows how a file was read.
#[derive(Template)]
#[template(path = "web/collection/verdicts.html")]
struct VerdictsPage {
    frame: Frame,
    section: Section,
    reading: Reading,
    typed: Typed,
}

/// The page of an import that was not committed, because counts that it replaces have changed.
#[derive(Template)]
#[template(path = "web/collection/import_again.html")]
struct ImportAgainPage {
    frame: Frame,
    section: Section,
    faults: Faults,
    /// The path that the confirmation is sent to.
    action: String,
    /// What the import replaces.
    replaces: String,
    rows: Vec<ChangedRow>,
    /// How many more entries have changed.
    left: Option<String>,
    only_ok: bool,
    typed: Typed,
}

/// An entry whose count has changed.
struct ChangedRow {
    entry: String,
    shown: String,
    now: String,
    after: String,
}

impl ChangedRow {
    fn new(games: &Games, changed: &ChangedEntryResponse) -> Self {
        let ChangedEntryResponse { entry, shown, after } = changed;
        let count = |count: i32| words::grouped(count.into());
        Self {
            entry: entry_label(games, entry),
            shown: count(*shown),
            now: count(entry.quantity),
            after: count(*after),
        }
    }
}

/// The page after the import.
#[derive(Template)]
#[template(path = "web/collection/imported.html")]
struct ImportedPage {
    frame: Frame,
    section: Section,
    added: String,
    changed: String,
    removed: String,
    cards: String,
    rejected: Vec<RejectedRow>,
    /// How many more lines were left out.
    left: Option<String>,
}

/// A line that was left out.
struct RejectedRow {
    line: u64,
    text: String,
    verdict: &'static str,
}

impl From<RejectedLineResponse> for RejectedRow {
    /// The reason is not shown: it was shown beside the line on the page before, and is stored as text for programs.
    fn from(RejectedLineResponse { line, text, verdict, .. }: RejectedLineResponse) -> Self {
        Self { line, text, verdict: collection_words::verdict(&verdict) }
    }
}

/// Number of rejected lines that are listed after an import.
const SHOWN: usize = 500;

/// Shows the form.
pub(in crate::web) async fn show_import(
    state: web::Data<AppState>,
    _by: Player<WriteOwnCollection>,
) -> Result<HttpResponse, Problem> {
    show(&state, PageStatus::OK, Typed::default(), Faults::none()).await
}

async fn show(
    app: &AppState,
    status: PageStatus,
    typed: Typed,
    faults: Faults,
) -> Result<HttpResponse, Problem> {
    let games = Games::read(app).await?;
    let choices = |all: [(&str, &str); 2], chosen: &str| {
        all.into_iter().map(|(value, name)| Choice::new(value, name, chosen)).collect()
    };
    let page = ImportPage {
        frame: Frame::new(collection_words::IMPORT).at(Place::Collection),
        section: Section::Counts,
        faults,
        modes: choices(collection_words::MODES, &typed.mode),
        rarities: choices(collection_words::RARITIES, &typed.rarity),
        games: games.choices(&typed.game),
        pasted: typed.pasted,
    };
    private(status, &page)
}

/// Reads a file or pasted text, and shows the meaning of each line. Nothing is counted yet.
pub(in crate::web) async fn read_file(
    state: web::Data<AppState>,
    by: Player<WriteOwnCollection>,
    network: ClientNetwork,
    req: HttpRequest,
    payload: web::Payload,
) -> Result<HttpResponse, Problem> {
    // The memory for the file is reserved before the body arrives; the other fields of the form state how to read it.
    let expect = || collection_imports::expect_later(&state, &by, network.0);
    let (place, mut upload) = match Upload::receive_at(&req, payload, MOST, expect).await {
        Ok(received) => received,
        Err(unreceived) => {
            let UnreceivedForm { problem, mut sent, lost } = *unreceived;
            return not_received(&state, Typed::take(&mut sent), problem, lost).await;
        }
    };
    let (file, mut typed) = (upload.take_file("file"), Typed::take(&mut upload));
    drop(upload);
    // Longer text is not shown again: the form would hold it in memory two more times.
    let is_long = typed.pasted.len() > MAX_PASTED;
    if is_long {
        typed.pasted = String::new();
    }
    let is_pasted = file.is_none();
    let raw = match file {
        Some(file) if file.content.len() > MAX_TABLE => {
            return refused(&state, typed, Problem::new(ProblemCode::BodyTooLarge)).await;
        }
        Some(file) => file.content,
        None if is_long => {
            let faults = Faults::one("pasted", collection_words::PASTED_TOO_LONG);
            return show(&state, PageStatus::TOO_LARGE, typed, faults).await;
        }
        None => Bytes::copy_from_slice(typed.pasted.as_bytes()),
    };
    if raw.trim_ascii().is_empty() {
        return show(
            &state,
            PageStatus::INVALID_FORM,
            typed,
            Faults::one("file", collection_words::NO_FILE),
        )
        .await;
    }
    let narrowing = Narrowing { game: typed.game.clone(), ..Narrowing::default() };
    let codes = match narrowing.codes(&state).await? {
        Ok(codes) => codes,
        Err(faults) => return show(&state, PageStatus::INVALID_FORM, typed, faults).await,
    };
    let options = ImportOptions {
        mode: ImportMode::parse(&typed.mode).unwrap_or_default(),
        game: codes.game,
        most_common: typed.rarity == "most_common",
    };
    let format = format_of(&raw);
    let read = place.with(options).read(&state, &by, by.visitor.viewer(), format, raw).await;
    let read = match read {
        Ok(read) => read,
        Err(problem) => return refused(&state, typed, problem).await,
    };
    let games = Games::read(&state).await?;
    let reading = read.converted(move |response| Reading::new(&games, response)).await?;
    let page = VerdictsPage {
        frame: Frame::new(collection_words::VERDICTS).at(Place::Collection),
        section: Section::Counts,
        reading,
        typed: typed.carried(is_pasted),
    };
    private(PageStatus::OK, &page)
}

/// The format of the file: JSON begins with a bracket.
fn format_of(raw: &[u8]) -> FileFormat {
    let text = raw.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(raw).trim_ascii_start();
    if text.starts_with(b"{") || text.starts_with(b"[") {
        FileFormat::Json
    } else {
        FileFormat::Csv
    }
}

/// The faults of the file. `None`: the problem is shown on a page of its own.
fn faults_of(problem: &Problem) -> Option<Faults> {
    Faults::of_problem(problem, &[("", "file")], collection_words::import_fault)
}

/// The form again, with the faults of the file.
async fn refused(app: &AppState, typed: Typed, problem: Problem) -> Result<HttpResponse, Problem> {
    let Some(faults) = faults_of(&problem) else { return Err(problem) };
    show(app, PageStatus::of(&problem), typed, faults).await
}

/// The form again, with the fields that were received before the file was lost.
async fn not_received(
    app: &AppState,
    typed: Typed,
    problem: Problem,
    lost: LostPart,
) -> Result<HttpResponse, Problem> {
    let Some(mut faults) = faults_of(&problem) else { return Err(problem) };
    faults.add_lost(lost);
    show(app, PageStatus::of(&problem), typed, faults).await
}

/// The options of the commit, and the fields of the form before it.
#[derive(Default, Deserialize)]
#[serde(default)]
pub(in crate::web) struct CommitForm {
    only_ok: String,
    pasted: String,
    mode: String,
    without_rarity: String,
    game: String,
}

impl CommitForm {
    fn into_typed(self) -> Typed {
        let Self { pasted, mode, without_rarity, game, .. } = self;
        Typed { pasted, mode, rarity: without_rarity, game }
    }
}

/// Shows the form with the lines that were pasted before, so that they can be corrected after the check.
pub(in crate::web) async fn edit_again(
    state: web::Data<AppState>,
    _by: Player<WriteOwnCollection>,
    Form(form): Form<CommitForm>,
) -> Result<HttpResponse, Problem> {
    show(&state, PageStatus::OK, form.into_typed(), Faults::none()).await
}

/// Counts the lines of an import. A second commit of the same import changes nothing.
pub(in crate::web) async fn commit(
    state: web::Data<AppState>,
    by: Player<WriteOwnCollection>,
    import: web::Path<Uuid>,
    Form(form): Form<CommitForm>,
) -> Result<HttpResponse, Problem> {
    let id = CollectionImportId(*import);
    let (viewer, only_ok) = (by.visitor.viewer(), form.only_ok == "yes");
    let typed = form.into_typed();
    let done = collection_imports::commit(&state, &by, viewer, id, only_ok).await;
    let CommitResponse { added, changed, removed, cards, rejected, .. } = match done {
        Ok(done) => done,
        Err(problem) if problem.code() == ProblemCode::CollectionChanged => {
            return show_again(&state, &by, id, (only_ok, typed), &problem).await;
        }
        Err(problem) => return not_committed(&state, typed, problem).await,
    };
    let count = |count: usize| words::grouped(i64::try_from(count).unwrap_or(i64::MAX));
    let left = rejected.len().saturating_sub(SHOWN);
    let page = ImportedPage {
        frame: Frame::new(collection_words::IMPORTED).at(Place::Collection),
        section: Section::Counts,
        added: count(added),
        changed: count(changed),
        removed: count(removed),
        cards: words::cards(cards),
        rejected: rejected.into_iter().take(SHOWN).map(RejectedRow::from).collect(),
        left: collection_words::not_shown(left),
    };
    private(PageStatus::OK, &page)
}

/// The form for a file, with the reason why the import was not committed.
async fn not_committed(
    app: &AppState,
    typed: Typed,
    problem: Problem,
) -> Result<HttpResponse, Problem> {
    let faults = match problem.cause() {
        Some(cause @ ProblemCause::TooManyCards { entries, named }) => {
            let mut faults = Faults::one("", fault_words::cause(cause));
            add_too_many(&mut faults, &Games::read(app).await?, *entries, named);
            Some(faults)
        }
        _ => collection_words::import_fault(problem.code()).map(|text| Faults::one("", text)),
    };
    let Some(faults) = faults else { return Err(problem) };
    show(app, PageStatus::of(&problem), typed, faults).await
}

/// Names the counts that would be too large.
fn add_too_many(faults: &mut Faults, games: &Games, entries: usize, named: &[CountedPrinting]) {
    for printing in named {
        faults.add("", collection_words::too_many(&printing_label(games, printing)));
    }
    if let Some(text) = collection_words::too_many_not_shown(entries.saturating_sub(named.len())) {
        faults.add("", text);
    }
}

/// What the import does to the counts as they are now, to be confirmed: the visitor need not send the file again.
async fn show_again(
    app: &AppState,
    by: &Player<WriteOwnCollection>,
    import: CollectionImportId,
    (only_ok, typed): (bool, Typed),
    problem: &Problem,
) -> Result<HttpResponse, Problem> {
    let again = collection_imports::show_again(app, by, by.visitor.viewer(), import).await;
    let ImportAgainResponse { import, replaced_game, removes, changed, named } = match again {
        Ok(again) => again,
        Err(problem) => return not_committed(app, typed, problem).await,
    };
    let games = Games::read(app).await?;
    let replaced_game = replaced_game.map(|game| games.name(&game));
    let page = ImportAgainPage {
        frame: Frame::new(collection_words::IMPORT).at(Place::Collection),
        section: Section::Counts,
        faults: Faults::one("", collection_words::CHANGED_SINCE),
        action: format!("/my/collection/import/{import}"),
        replaces: collection_words::replaces(replaced_game.as_deref(), removes),
        left: collection_words::changes_not_shown(changed.saturating_sub(named.len())),
        rows: named.iter().map(|changed| ChangedRow::new(&games, changed)).collect(),
        only_ok,
        typed,
    };
    private(PageStatus::of(problem), &page)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pasted_lines_are_carried_completely() {
        let typed = |length| Typed { pasted: "a".repeat(length), ..Typed::default() };
        assert_eq!(typed(MAX_PASTED).carried(true).pasted.len(), MAX_PASTED);
        assert!(typed(1).carried(false).pasted.is_empty());
    }

    #[test]
    fn json_begins_with_a_bracket() {
        for raw in [&b"[{}]"[..], b" \n{}", b"\xEF\xBB\xBF[]"] {
            assert!(matches!(format_of(raw), FileFormat::Json), "{raw:?}");
        }
        for raw in [&b"Count,Name"[..], b"", b"\xFF\xFEC\0"] {
            assert!(matches!(format_of(raw), FileFormat::Csv), "{raw:?}");
        }
    }
}
