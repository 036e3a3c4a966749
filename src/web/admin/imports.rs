//! Games and sets are brought in: a file is checked, what is wrong with it stands beside its lines, and only then is it stored.

use std::collections::BTreeMap;

use actix_web::{HttpRequest, HttpResponse, web};
use askama::Template;
use cardscape_engine::Game;
use serde::Deserialize;

use super::catalogue_words;
use super::import_file::{Described, FaultRow, ImportResult, TypedImport};
use super::parts::{Area, Choice, Nav, faults_of, game_choices};
use super::words as admin_words;
use crate::app::catalogue::import::{ImportResponse, ImportTarget, code_of_set};
use crate::app::catalogue::import_faults::locate;
use crate::app::catalogue::{games, sets};
use crate::app::problem::{Problem, ProblemCode};
use crate::app::state::AppState;
use crate::app::versions::{Revision, Versions};
use crate::auth::permission::{Granted, WriteCatalogue};
use crate::domain::code::Code;
use crate::http::extract::Upload;
use crate::web::forms::{Faults, private};
use crate::web::page::{Frame, Place};
use crate::web::session::Player;
use crate::web::words;

/// Largest form, in bytes: the largest set file, and what is around it.
const MAX_FORM: usize = 8 * 1024 * 1024 + 64 * 1024;
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
    let typed = TypedImport { of: Described::read(&of), game, ..TypedImport::default() };
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
        typed.text.clear();
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
    };
    private(status, &page)
}

/// Checks a file, and tells what it would change. Nothing is stored.
pub(in crate::web) async fn check_import(
    req: HttpRequest,
    state: web::Data<AppState>,
    by: Player<WriteCatalogue>,
    payload: web::Payload,
) -> Result<HttpResponse, Problem> {
    match receive(&req, payload).await? {
        Ok(typed) => check(&state, &by, typed, Faults::none()).await,
        Err(faults) => show(&state, &by, 422, TypedImport::default(), Said::faults(faults)).await,
    }
}

/// Stores a file that was checked before. One that was changed since is checked once more, instead.
pub(in crate::web) async fn run_import(
    req: HttpRequest,
    state: web::Data<AppState>,
    by: Player<WriteCatalogue>,
    payload: web::Payload,
) -> Result<HttpResponse, Problem> {
    let typed = match receive(&req, payload).await? {
        Ok(typed) => typed,
        Err(faults) => {
            return show(&state, &by, 422, TypedImport::default(), Said::faults(faults)).await;
        }
    };
    if !typed.is_checked() {
        return check(&state, &by, typed, Faults::one("", catalogue_words::NOT_CHECKED)).await;
    }
    let revision = typed.revision.parse().ok().map(Revision);
    match import(&state, &by, &typed, revision, false).await {
        Ok(import) => {
            let result = Some(ImportResult::new(import));
            let emptied = TypedImport { of: typed.of, game: typed.game, ..TypedImport::default() };
            show(&state, &by, 200, emptied, Said { result, ..Said::default() }).await
        }
        Err(problem)
            if matches!(
                problem.code(),
                ProblemCode::PreconditionFailed | ProblemCode::EditConflict
            ) =>
        {
            check(&state, &by, typed, Faults::one("", catalogue_words::CHANGED_MEANWHILE)).await
        }
        Err(problem) => refused(&state, &by, typed, problem).await,
    }
}

async fn receive(
    req: &HttpRequest,
    payload: web::Payload,
) -> Result<Result<TypedImport, Faults>, Problem> {
    let upload = Upload::receive(req, payload, MAX_FORM).await?;
    Ok(TypedImport::read(&upload))
}

/// Checks a file, after what is said above the result.
async fn check(
    app: &AppState,
    by: &Granted<WriteCatalogue>,
    mut typed: TypedImport,
    faults: Faults,
) -> Result<HttpResponse, Problem> {
    typed.checked.clear();
    typed.revision.clear();
    if typed.text.trim().is_empty() {
        let said = Said::faults(Faults::one("text", catalogue_words::NO_TEXT));
        return show(app, by, 422, typed, said).await;
    }
    let Ok(game) = Code::try_from(typed.game.as_str()) else {
        let said = Said::faults(Faults::one("game", catalogue_words::NO_GAME));
        return show(app, by, 422, typed, said).await;
    };
    let revision = match typed.of {
        Described::Set => None,
        Described::Game => match games::find_manifest(app, &game).await {
            Ok(stored) => Some(Revision(stored.revision)),
            Err(problem) if problem.code() == ProblemCode::NotFound => None,
            Err(problem) => return Err(problem),
        },
    };
    match import(app, by, &typed, revision, true).await {
        Ok(import) => {
            typed.checked = typed.mark();
            typed.revision = revision.map(|Revision(at)| at.to_string()).unwrap_or_default();
            let status = if faults.is_empty() { 200 } else { ProblemCode::EditConflict.status() };
            let result = Some(ImportResult::new(import));
            show(app, by, status, typed, Said { faults, result, ..Said::default() }).await
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
            let located = locate(app, typed.text.clone(), faults, is_json).await?;
            let located = located.into_iter().map(FaultRow::from).collect();
            Said { faults: Faults::one("faults-in-file", told), located, more, result: None }
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
    let file = Ok(typed.text.clone());
    match typed.of {
        Described::Game => {
            let (target, versions) =
                (ImportTarget { game, set: None }, Versions::replacing(revision));
            games::replace_manifest(app, by, &target, &versions, file, dry_run).await
        }
        Described::Set => {
            // A file that does not say which set it is is refused for that, whatever it is taken for here.
            let nameless = || Code::try_from("set").map_err(Problem::internal);
            let set = match code_of_set(app, typed.text.clone()).await? {
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
    let typed = TypedImport {
        of: Described::Game,
        game: game.as_str().to_owned(),
        text: stored.text,
        ..TypedImport::default()
    };
    show(&state, &by, 200, typed, Said::default()).await
}
