//! The page of imports: the form, and the messages about a file above it.

use std::collections::BTreeMap;
use std::sync::Arc;

use actix_web::HttpResponse;
use askama::Template;
use cardscape_engine::Game;

use super::catalogue_words;
use super::import_file::{Described, FaultRow, ImportResult, RefusedImport, TypedImport};
use super::parts::{Area, Nav, faults_of, game_choices};
use super::words as admin_words;
use crate::app::catalogue::import::ImportResponse;
use crate::app::catalogue::import_faults::locate;
use crate::app::problem::{Problem, ProblemCode};
use crate::app::state::AppState;
use crate::app::versions::Revision;
use crate::auth::permission::{Granted, WriteCatalogue};
use crate::web::fault_words;
use crate::web::forms::{Choice, Faults, private};
use crate::web::page::{Frame, Place};
use crate::web::page_status::PageStatus;
use crate::web::words;
use crate::web::words::Sentence;

/// Largest text that is sent back in the form, in bytes. A larger file must be chosen again.
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
    /// Whether the text is too large for the form.
    is_large: bool,
    result: Option<ImportResult>,
    located: Vec<FaultRow>,
    /// How many further faults there are.
    more: Option<Sentence>,
    /// The stored manifest, if it differs from the version that the form was loaded with.
    saved: Option<String>,
}

/// The messages beside the form.
#[derive(Default)]
pub(super) struct FormMessages {
    pub(super) faults: Faults,
    pub(super) result: Option<ImportResult>,
    pub(super) located: Vec<FaultRow>,
    pub(super) more: Option<Sentence>,
    pub(super) saved: Option<String>,
}

impl FormMessages {
    pub(super) fn faults(faults: Faults) -> Self {
        Self { faults, ..Self::default() }
    }
}

/// Shows the form, with the messages above it.
pub(super) async fn show(
    app: &AppState,
    by: &Granted<WriteCatalogue>,
    status: PageStatus,
    mut typed: TypedImport,
    messages: FormMessages,
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
    let frame = Frame::new(admin_words::IMPORTS).at(Place::Account);
    let script = (!messages.located.is_empty()).then_some(&*frame.assets.fault_script);
    let page = ImportsPage {
        frame: Frame { script, ..frame },
        nav: Nav::new(by.role(), Area::Imports),
        faults: messages.faults,
        kinds: Described::ALL.map(kind),
        games: game_choices(&games, &typed.game),
        typed,
        is_large,
        result: messages.result,
        located: messages.located,
        more: messages.more,
        saved: messages.saved,
    };
    private(status, &page)
}

/// The result of an import, above an empty form.
pub(super) async fn done(
    app: &AppState,
    by: &Granted<WriteCatalogue>,
    typed: &TypedImport,
    import: ImportResponse,
) -> Result<HttpResponse, Problem> {
    let result = Some(ImportResult::new(import));
    let emptied = TypedImport::new(typed.of, typed.game.clone(), "");
    show(app, by, PageStatus::OK, emptied, FormMessages { result, ..FormMessages::default() }).await
}

/// The form again, without the file that was refused.
pub(super) async fn not_taken(
    app: &AppState,
    by: &Granted<WriteCatalogue>,
    refused: RefusedImport,
) -> Result<HttpResponse, Problem> {
    let RefusedImport { typed, status, faults } = refused;
    show(app, by, status, typed, FormMessages::faults(faults)).await
}

/// The form beside the stored manifest, which differs from the version that the form was loaded with. The admin sees both versions and may check their own one
/// again.
pub(super) async fn stale(
    app: &AppState,
    by: &Granted<WriteCatalogue>,
    mut typed: TypedImport,
    stored: Option<(Revision, String)>,
) -> Result<HttpResponse, Problem> {
    let (revision, saved) = stored.unzip();
    typed.checked.clear();
    typed.set_base_revision(revision);
    let faults = Faults::one("", catalogue_words::MANIFEST_CHANGED_MEANWHILE);
    let status = PageStatus::PRECONDITION_FAILED;
    show(app, by, status, typed, FormMessages { faults, saved, ..FormMessages::default() }).await
}

/// The form with the faults of the file.
pub(super) async fn refused(
    app: &AppState,
    by: &Granted<WriteCatalogue>,
    mut typed: TypedImport,
    problem: Problem,
) -> Result<HttpResponse, Problem> {
    typed.checked.clear();
    let status = PageStatus::of(&problem);
    let messages = match problem.code() {
        ProblemCode::NotFound => {
            FormMessages::faults(Faults::one("game", catalogue_words::NO_SUCH_GAME))
        }
        ProblemCode::InvalidImport => {
            let more = problem.cause().map(fault_words::cause);
            let faults = problem.into_faults();
            let message = catalogue_words::faults_in_file(faults.len());
            let is_json = typed.of == Described::Set;
            let located = locate(app, Arc::clone(&typed.text), faults, is_json).await?;
            let located = located.into_iter().map(FaultRow::from).collect();
            FormMessages {
                faults: Faults::one("faults-in-file", message),
                located,
                more,
                ..FormMessages::default()
            }
        }
        _ => match faults_of(&problem, &["game"]) {
            Some(faults) => FormMessages::faults(faults),
            None => return Err(problem),
        },
    };
    show(app, by, status, typed, messages).await
}
