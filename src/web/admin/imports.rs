//! Games and sets are brought in: a file is checked, what is wrong with it stands beside its lines, and only then is it stored.

use std::collections::BTreeMap;
use std::sync::Arc;

use actix_web::{HttpRequest, HttpResponse, web};
use askama::Template;
use cardscape_engine::Game;
use serde::Deserialize;

use super::catalogue_words;
use super::import_file::{Described, FaultRow, ImportResult, RefusedImport, TypedImport};
use super::parts::{Area, Nav, faults_of, game_choices};
use super::words as admin_words;
use crate::app::catalogue::import::{ImportResponse, ImportTarget, code_of_set};
use crate::app::catalogue::import_faults::locate;
use crate::app::catalogue::import_places::{self, ImportTurn};
use crate::app::catalogue::{games, sets};
use crate::app::problem::{Problem, ProblemCode};
use crate::app::state::AppState;
use crate::app::versions::{Revision, Versions};
use crate::auth::permission::{Granted, WriteCatalogue};
use crate::domain::catalogue::import::MAX_SET_FILE;
use crate::domain::code::Code;
use crate::domain::network::Network;
use crate::http::extract::{ClientNetwork, Unreceived, Upload};
use crate::web::forms::{Choice, Faults, private};
use crate::web::page::{Frame, Place};
use crate::web::session::Player;
use crate::web::words;

/// Largest form, in bytes: the largest set file, and what is around it.
const MAX_FORM: usize = MAX_SET_FILE + 64 * 1024;
/// Largest text that is sent back in the form, in bytes. A larger file is chosen once more.
const MAX_SHOWN: usize = 512 * 1024;

#[derive(Template)]
#[template(path = "web/admin/imports.html")]
struct ImportsPage {
    frame: Frame,
    nav: Nav,
    faults: Faults,
    kinds: [Choice; 2],
    games: Vec<Choice>,
    typed: TypedImport,
    /// Whether the text is too large to stand in the form.
    is_large: bool,
    result: Option<ImportResult>,
    located: Vec<FaultRow>,
    /// How many further faults there are.
    more: Option<String>,
    /// The manifest that is stored, when it is another one than the form began with.
    saved: Option<String>,
}

/// What is to be brought in, as a link to the form may say.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(in crate::web) struct ImportsQuery {
    of: String,
    game: String,
}

/// What the page says beside the form.
#[derive(Default)]
struct Said {
    faults: Faults,
    result: Option<ImportResult>,
    located: Vec<FaultRow>,
    more: Option<String>,
    saved: Option<String>,
}

impl Said {
    fn faults(faults: Faults) -> Self {
        Self { faults, ..Self::default() }
    }
}

/// Shows the form.
pub(in crate::web) async fn show_imports(
    state: web::Data<AppState>,
    by: Player<WriteCatalogue>,
    query: web::Query<ImportsQuery>,
) -> Result<HttpResponse, Problem> {
    let ImportsQuery { of, game } = query.into_inner();
    let typed = TypedImport::new(Described::read(&of), game, "");
    show(&state, &by, 200, typed, Said::default()).await
}

async fn show(
    app: &AppState,
    by: &Granted<WriteCatalogue>,
    status: u16,
    mut typed: TypedImport,
    said: Said,
) -> Result<HttpResponse, Problem> {
    let games = app.all_games().await?;
    let games: BTreeMap<&str, &Game> =
        games.iter().map(|loaded| (loaded.game.code(), &loaded.game)).collect();
    let is_large = typed.text.len() > MAX_SHOWN;
    if is_large {
        typed.text = Arc::default();
    }
    let kind = |of: Described| {
        Choice::new(of.as_str(), catalogue_words::described(of.as_str()), typed.of.as_str())
    };
    let page = ImportsPage {
        frame: Frame::new(admin_words::IMPORTS).at(Place::Account),
        nav: Nav::new(by.role(), Area::Imports),
        faults: said.faults,
        kinds: Described::ALL.map(kind),
        games: game_choices(&games, &typed.game),
        typed,
        is_large,
        result: said.result,
        located: said.located,
        more: said.more,
        saved: said.saved,
    };
    private(status, &page)
}

/// Checks a file, and tells what it would change. Nothing is stored.
pub(in crate::web) async fn check_import(
    req: HttpRequest,
    state: web::Data<AppState>,
    by: Player<WriteCatalogue>,
    network: ClientNetwork,
    payload: web::Payload,
) -> Result<HttpResponse, Problem> {
    match receive(&state, &by, network.0, &req, payload).await? {
        Ok((typed, _turn)) => check(&state, &by, typed, Faults::none()).await,
        Err(refused) => not_taken(&state, &by, *refused).await,
    }
}

/// Stores a file that was checked before. One that was changed since is checked once more, instead.
pub(in crate::web) async fn run_import(
    req: HttpRequest,
    state: web::Data<AppState>,
    by: Player<WriteCatalogue>,
    network: ClientNetwork,
    payload: web::Payload,
) -> Result<HttpResponse, Problem> {
    let (typed, _turn) = match receive(&state, &by, network.0, &req, payload).await? {
        Ok(received) => received,
        Err(refused) => return not_taken(&state, &by, *refused).await,
    };
    if !typed.is_checked() {
        return check(&state, &by, typed, Faults::one("", catalogue_words::NOT_CHECKED)).await;
    }
    match import(&state, &by, &typed, typed.seen(), false).await {
        Ok(import) => done(&state, &by, &typed, import).await,
        Err(problem) => match problem.code() {
            ProblemCode::PreconditionFailed => {
                let game = Code::try_from(typed.game.as_str()).map_err(Problem::internal)?;
                match stored_manifest(&state, &game).await? {
                    // The same form came twice: what it says is stored.
                    Some((_, stored)) if typed.is_stored_as(&stored) => {
                        let import = ImportResponse {
                            dry_run: false,
                            game: game.into_string(),
                            game_added: false,
                            manifest_changed: false,
                            sets: Vec::new(),
                        };
                        done(&state, &by, &typed, import).await
                    }
                    stored => stale(&state, &by, typed, stored).await,
                }
            }
            ProblemCode::EditConflict => {
                check(&state, &by, typed, Faults::one("", catalogue_words::CHANGED_MEANWHILE)).await
            }
            _ => refused(&state, &by, typed, problem).await,
        },
    }
}

/// What an import has done, above an empty form.
async fn done(
    app: &AppState,
    by: &Granted<WriteCatalogue>,
    typed: &TypedImport,
    import: ImportResponse,
) -> Result<HttpResponse, Problem> {
    let result = Some(ImportResult::new(import));
    let emptied = TypedImport::new(typed.of, typed.game.clone(), "");
    show(app, by, 200, emptied, Said { result, ..Said::default() }).await
}

/// Receives the form. It has a place at the desk before it arrives, and keeps it until it is answered.
async fn receive(
    app: &AppState,
    by: &Granted<WriteCatalogue>,
    network: Network,
    req: &HttpRequest,
    payload: web::Payload,
) -> Result<Result<(TypedImport, ImportTurn), Box<RefusedImport>>, Problem> {
    let expect = || import_places::expect(app, by, network);
    let refused = match Upload::receive_at(req, payload, MAX_FORM, expect).await {
        Ok((place, upload)) => match place.read(move || TypedImport::read(&upload)).await {
            Ok((turn, read)) => return Ok(read.map(|typed| (typed, turn))),
            Err(problem) => Unreceived { problem, sent: Upload::default(), is_whole: false },
        },
        Err(refused) => *refused,
    };
    let Unreceived { problem, sent, is_whole } = refused;
    let Some(told) = catalogue_words::not_received(problem.code()) else { return Err(problem) };
    let mut faults = Faults::one("file", told);
    if !is_whole {
        faults.add("file", words::FILE_NOT_KEPT);
    }
    if let Some(seconds) = problem.seconds_to_wait() {
        faults.add("", words::try_again_in(seconds));
    }
    let (typed, status) = (TypedImport::sent(&sent), problem.code().status());
    Ok(Err(Box::new(RefusedImport { typed, status, faults })))
}

/// The form again, without the file that cannot be taken.
async fn not_taken(
    app: &AppState,
    by: &Granted<WriteCatalogue>,
    refused: RefusedImport,
) -> Result<HttpResponse, Problem> {
    let RefusedImport { typed, status, faults } = refused;
    show(app, by, status, typed, Said::faults(faults)).await
}

/// The manifest of a game and its version; `None`: there is no such game.
async fn stored_manifest(
    app: &AppState,
    game: &Code,
) -> Result<Option<(Revision, String)>, Problem> {
    match games::find_manifest(app, game).await {
        Ok(stored) => Ok(Some((Revision(stored.revision), stored.text))),
        Err(problem) if problem.code() == ProblemCode::NotFound => Ok(None),
        Err(problem) => Err(problem),
    }
}

/// The form beside the manifest that is stored, which is another one than the form began with. Whoever has seen both may check the own one again.
async fn stale(
    app: &AppState,
    by: &Granted<WriteCatalogue>,
    mut typed: TypedImport,
    stored: Option<(Revision, String)>,
) -> Result<HttpResponse, Problem> {
    let (revision, saved) = stored.unzip();
    typed.checked.clear();
    typed.set_seen(revision);
    let faults = Faults::one("", catalogue_words::MANIFEST_CHANGED_MEANWHILE);
    let status = ProblemCode::PreconditionFailed.status();
    show(app, by, status, typed, Said { faults, saved, ..Said::default() }).await
}

/// Checks a file, after what is said above the result.
async fn check(
    app: &AppState,
    by: &Granted<WriteCatalogue>,
    mut typed: TypedImport,
    faults: Faults,
) -> Result<HttpResponse, Problem> {
    typed.checked.clear();
    if typed.text.trim().is_empty() {
        let said = Said::faults(Faults::one("text", catalogue_words::NO_TEXT));
        return show(app, by, 422, typed, said).await;
    }
    let Ok(game) = Code::try_from(typed.game.as_str()) else {
        let said = Said::faults(Faults::one("game", catalogue_words::NO_GAME));
        return show(app, by, 422, typed, said).await;
    };
    let stored = match typed.of {
        Described::Set => None,
        Described::Game => stored_manifest(app, &game).await?,
    };
    let revision = stored.as_ref().map(|(revision, _)| *revision);
    // A file that nobody took from here replaces what is there, as its check tells.
    let is_stale = typed.seen().is_some_and(|seen| Some(seen) != revision);
    if typed.of == Described::Game && is_stale {
        return stale(app, by, typed, stored).await;
    }
    typed.set_seen(revision);
    match import(app, by, &typed, revision, true).await {
        Ok(import) => {
            typed.set_checked();
            let status = if faults.is_empty() { 200 } else { ProblemCode::EditConflict.status() };
            let result = Some(ImportResult::new(import));
            show(app, by, status, typed, Said { faults, result, ..Said::default() }).await
        }
        // Somebody was faster between the two looks at what is stored.
        Err(problem) if problem.code() == ProblemCode::PreconditionFailed => {
            let stored = stored_manifest(app, &game).await?;
            stale(app, by, typed, stored).await
        }
        Err(problem) => refused(app, by, typed, problem).await,
    }
}

/// The form with what is wrong with the file.
async fn refused(
    app: &AppState,
    by: &Granted<WriteCatalogue>,
    mut typed: TypedImport,
    problem: Problem,
) -> Result<HttpResponse, Problem> {
    typed.checked.clear();
    let status = problem.code().status();
    let said = match problem.code() {
        ProblemCode::NotFound => Said::faults(Faults::one("game", catalogue_words::NO_SUCH_GAME)),
        ProblemCode::InvalidImport => {
            let more = problem.detail.as_deref().map(words::sentence);
            let faults = problem.into_faults();
            let told = catalogue_words::faults_in_file(faults.len());
            let is_json = typed.of == Described::Set;
            let located = locate(app, Arc::clone(&typed.text), faults, is_json).await?;
            let located = located.into_iter().map(FaultRow::from).collect();
            Said { faults: Faults::one("faults-in-file", told), located, more, ..Said::default() }
        }
        _ => match faults_of(&problem, &["game"]) {
            Some(faults) => Said::faults(faults),
            None => return Err(problem),
        },
    };
    show(app, by, status, typed, said).await
}

/// Imports a file, or tries to. `revision`: of the manifest that is replaced, if the file is one.
async fn import(
    app: &AppState,
    by: &Granted<WriteCatalogue>,
    typed: &TypedImport,
    revision: Option<Revision>,
    dry_run: bool,
) -> Result<ImportResponse, Problem> {
    let game = Code::try_from(typed.game.as_str()).map_err(|_| Problem::not_found())?;
    let file = Ok(Arc::clone(&typed.text));
    match typed.of {
        Described::Game => {
            let (target, versions) =
                (ImportTarget { game, set: None }, Versions::replacing(revision));
            games::replace_manifest(app, by, &target, &versions, file, dry_run).await
        }
        Described::Set => {
            // A file that does not say which set it is is refused for that, whatever it is taken for here.
            let nameless = || Code::try_from("set").map_err(Problem::internal);
            let set = match code_of_set(app, Arc::clone(&typed.text)).await? {
                Some(code) => code,
                None => nameless()?,
            };
            let target = ImportTarget { game, set: Some(set) };
            sets::replace(app, by, &target, file, dry_run).await
        }
    }
}

/// The form that begins with the manifest of a game that is there.
pub(in crate::web) async fn show_manifest(
    state: web::Data<AppState>,
    by: Player<WriteCatalogue>,
    game: web::Path<Code>,
) -> Result<HttpResponse, Problem> {
    let stored = games::find_manifest(&state, &game).await?;
    let mut typed =
        TypedImport::new(Described::Game, game.into_inner().into_string(), &stored.text);
    typed.set_seen(Some(Revision(stored.revision)));
    show(&state, &by, 200, typed, Said::default()).await
}
