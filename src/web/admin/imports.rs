//! Games and sets are brought in: a file is checked, what is wrong with it stands beside its lines, and only then is it stored.

use std::collections::BTreeMap;

use actix_web::{HttpRequest, HttpResponse, web};
use askama::Template;
use cardscape_engine::Game;
use serde::Deserialize;
use sha2::{Digest as _, Sha256};

use super::catalogue_words;
use super::parts::{Area, Choice, Nav, faults_of, game_choices};
use super::words as admin_words;
use crate::app::catalogue::import::{ImportResponse, ImportTarget, SetImportResponse, code_of_set};
use crate::app::catalogue::import_faults::{LocatedFault, locate};
use crate::app::catalogue::{games, sets};
use crate::app::problem::{Problem, ProblemCode};
use crate::app::state::AppState;
use crate::app::versions::{Revision, Versions};
use crate::auth::permission::{Granted, WriteCatalogue};
use crate::domain::catalogue::import::without_mark;
use crate::domain::code::Code;
use crate::domain::hex::hex;
use crate::http::extract::Upload;
use crate::web::catalogue::{game_path, set_path};
use crate::web::forms::{Faults, private};
use crate::web::page::{Frame, Place};
use crate::web::session::Player;
use crate::web::words;

/// Largest form, in bytes: the largest set file, and what is around it.
const MAX_FORM: usize = 8 * 1024 * 1024 + 64 * 1024;
/// Largest text that is sent back in the form, in bytes. A larger file is chosen once more.
const MAX_SHOWN: usize = 512 * 1024;

/// What a file describes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Described {
    #[default]
    Set,
    Game,
}

impl Described {
    const ALL: [Self; 2] = [Self::Set, Self::Game];

    fn as_str(self) -> &'static str {
        match self {
            Self::Set => "set",
            Self::Game => "game",
        }
    }

    fn read(word: &str) -> Self {
        if word == Self::Game.as_str() { Self::Game } else { Self::Set }
    }
}

/// A file as it was sent, and what was sent beside it.
#[derive(Debug, Default)]
struct TypedImport {
    of: Described,
    game: String,
    text: String,
    /// What was checked before, as [`TypedImport::mark`]; empty: nothing was.
    checked: String,
    /// The version of the manifest that is replaced; empty: the game is new.
    revision: String,
}

impl TypedImport {
    /// Reads the form: a file that was chosen comes before what stands in the field.
    fn read(upload: &Upload) -> Result<Self, Faults> {
        let text = match upload.file("file") {
            Some(file) => String::from_utf8(file.content.to_vec())
                .map_err(|_| Faults::one("file", catalogue_words::NOT_TEXT))?,
            None => upload.field("text").to_owned(),
        };
        Ok(Self {
            of: Described::read(upload.field("of")),
            game: upload.field("game").trim().to_owned(),
            // Browsers end the lines of a field with two characters.
            text: without_mark(&text).replace("\r\n", "\n"),
            checked: upload.field("checked").to_owned(),
            revision: upload.field("revision").to_owned(),
        })
    }

    /// Tells whether a file was changed after it was checked.
    fn mark(&self) -> String {
        let parts = [self.of.as_str(), &self.game, self.text.trim_end()];
        hex(&Sha256::digest(parts.join("\n")))
    }

    fn is_checked(&self) -> bool {
        !self.checked.is_empty() && self.checked == self.mark()
    }
}

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

/// What an import would do, or has done.
struct ImportResult {
    is_done: bool,
    title: String,
    changes: Vec<&'static str>,
    sets: Vec<SetRow>,
    game_path: String,
    game: String,
}

/// What becomes of a set.
struct SetRow {
    code: String,
    path: String,
    state: &'static str,
    added: String,
    changed: String,
    unlocked: String,
}

/// A fault at its line.
pub(super) struct FaultRow {
    pub(super) place: Option<String>,
    pub(super) line: String,
    pub(super) text: String,
    pub(super) card: Option<String>,
    pub(super) pointer: String,
}

impl From<LocatedFault> for FaultRow {
    fn from(LocatedFault { fault, place, line }: LocatedFault) -> Self {
        let card = fault.card.map(|card| {
            let parts = [card.set, card.number, card.name];
            parts.into_iter().flatten().collect::<Vec<String>>().join(" ")
        });
        Self {
            place: place.map(|place| catalogue_words::line_and_column(place.line, place.column)),
            line: line.trim_start().to_owned(),
            text: words::sentence(&fault.detail),
            card: card.filter(|card| !card.is_empty()),
            pointer: fault.pointer,
        }
    }
}

impl ImportResult {
    fn new(import: ImportResponse) -> Self {
        let is_done = !import.dry_run;
        let row = |set: &SetImportResponse| SetRow {
            path: set_path(&import.game, &set.set),
            state: catalogue_words::set_state(set.set_added, set.set_changed),
            added: set.cards_added.to_string(),
            changed: set.cards_changed.to_string(),
            unlocked: set.cards_unlocked.to_string(),
            code: set.set.clone(),
        };
        let sets: Vec<SetRow> = import.sets.iter().map(row).collect();
        let mut changes = Vec::new();
        if import.game_added {
            changes.push(catalogue_words::GAME_ADDED);
        } else if import.manifest_changed {
            changes.push(catalogue_words::MANIFEST_CHANGED);
        }
        if changes.is_empty() && sets.is_empty() {
            changes.push(catalogue_words::NOTHING_CHANGES);
        }
        let title = catalogue_words::import_title(is_done);
        let path = game_path(&import.game);
        Self { is_done, title, changes, sets, game_path: path, game: import.game }
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_changed_after_its_check_is_not_checked() {
        let mut typed = TypedImport {
            game: "ttcg".to_owned(),
            text: "{}\n".to_owned(),
            ..TypedImport::default()
        };
        assert!(!typed.is_checked());
        typed.checked = typed.mark();
        assert!(typed.is_checked());
        // A browser may leave out the last line end.
        typed.text = "{}".to_owned();
        assert!(typed.is_checked());
        typed.of = Described::Game;
        assert!(!typed.is_checked());
        typed.of = Described::Set;
        typed.text = "{ }".to_owned();
        assert!(!typed.is_checked());
    }
}
