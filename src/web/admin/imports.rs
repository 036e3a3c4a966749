//! Imports games and sets: a file is checked first, and its faults are shown beside their lines. The file is stored in a second step.

use actix_web::{HttpRequest, HttpResponse, web};
use serde::Deserialize;

use super::catalogue_words;
use super::import_check::{check, import, stored_manifest};
use super::import_file::{Described, RefusedImport, TypedImport};
use super::import_page::{FormMessages, done, not_taken, refused, show, stale};
use crate::app::catalogue::games;
use crate::app::catalogue::import::ImportResponse;
use crate::app::catalogue::import_places::{self, ImportTurn};
use crate::app::problem::{Problem, ProblemCode};
use crate::app::state::AppState;
use crate::app::versions::Revision;
use crate::auth::permission::{Granted, WriteCatalogue};
use crate::domain::catalogue::import::MAX_SET_FILE;
use crate::domain::code::Code;
use crate::domain::network::Network;
use crate::http::extract::{ClientNetwork, LostPart, UnreceivedForm, Upload};
use crate::web::forms::Faults;
use crate::web::page_status::PageStatus;
use crate::web::session::Player;
use crate::web::words;

/// Largest form, in bytes: the largest set file, and the rest of the form.
const MAX_FORM: usize = MAX_SET_FILE + 64 * 1024;

/// What to import, as a link to the form may state it.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(in crate::web) struct ImportsQuery {
    of: String,
    game: String,
}

/// Shows the form.
pub(in crate::web) async fn show_imports(
    state: web::Data<AppState>,
    by: Player<WriteCatalogue>,
    query: web::Query<ImportsQuery>,
) -> Result<HttpResponse, Problem> {
    let ImportsQuery { of, game } = query.into_inner();
    let typed = TypedImport::new(Described::read(&of), game, "");
    show(&state, &by, PageStatus::OK, typed, FormMessages::default()).await
}

/// Checks a file, and shows what it would change. Nothing is stored.
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

/// Stores a file that was checked before. A file that was changed since its check is checked again instead.
pub(in crate::web) async fn run_import(
    req: HttpRequest,
    state: web::Data<AppState>,
    by: Player<WriteCatalogue>,
    network: ClientNetwork,
    payload: web::Payload,
) -> Result<HttpResponse, Problem> {
    let (mut typed, _turn) = match receive(&state, &by, network.0, &req, payload).await? {
        Ok(received) => received,
        Err(refused) => return not_taken(&state, &by, *refused).await,
    };
    if !typed.is_checked() {
        return check(&state, &by, typed, Faults::one("", catalogue_words::NOT_CHECKED)).await;
    }
    let imported = import(&state, &by, &mut typed, false).await;
    match imported {
        Ok(import) => done(&state, &by, &typed, import).await,
        Err(problem) => match problem.code() {
            ProblemCode::PreconditionFailed => {
                let game = Code::try_from(typed.game.as_str()).map_err(Problem::internal)?;
                match stored_manifest(&state, &game).await? {
                    // The form was sent twice: the same text is stored already.
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

/// Receives the form. The request takes its place before the body is read, and holds it until the answer is ready.
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
            Err(problem) => {
                UnreceivedForm { problem, sent: Upload::default(), lost: LostPart::File }
            }
        },
        Err(refused) => *refused,
    };
    let UnreceivedForm { problem, sent, lost } = refused;
    let Some(message) = catalogue_words::not_received(problem.code()) else { return Err(problem) };
    let mut faults = Faults::one("file", message);
    faults.add_lost(lost);
    if let Some(seconds) = problem.seconds_to_wait() {
        faults.add("", words::try_again_in(seconds));
    }
    let (typed, status) = (TypedImport::sent(&sent), PageStatus::of(&problem));
    Ok(Err(Box::new(RefusedImport { typed, status, faults })))
}

/// Shows the form with the stored manifest of a game.
pub(in crate::web) async fn show_manifest(
    state: web::Data<AppState>,
    by: Player<WriteCatalogue>,
    game: web::Path<Code>,
) -> Result<HttpResponse, Problem> {
    let stored = games::find_manifest(&state, &game).await?;
    let mut typed =
        TypedImport::new(Described::Game, game.into_inner().into_string(), &stored.text);
    typed.set_base_revision(Some(Revision(stored.revision)));
    show(&state, &by, PageStatus::OK, typed, FormMessages::default()).await
}
