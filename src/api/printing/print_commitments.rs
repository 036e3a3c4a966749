//! Announcements of print runs.

use actix_web::{HttpRequest, HttpResponse, web};
use uuid::Uuid;

use super::print_plans::PrintPlanRequest;
use crate::app::page::Page;
use crate::app::printing::print_commitments::{self, CommitmentResponse, OpenedCommitmentResponse};
use crate::app::problem::Problem;
use crate::app::state::AppState;
use crate::auth::permission::AnnouncePrintRuns;
use crate::domain::code::Code;
use crate::domain::ids::CommitmentId;
use crate::http::extract::{IdempotencyKey, JudgedBody, May, PageQuery, Params, cacheable};
use crate::memory::rendered::Freshness;

/// The same for everybody; an announcement changes only a few times.
const FRESHNESS: Freshness = Freshness::Public(60);

/// Lists the announced print runs of a set, the newest first.
#[utoipa::path(
    get, path = "/v1/games/{game}/sets/{set}/print-commitments", tag = "serials",
    params(
        ("game" = String, Path, description = "Code of the game", example = "ttcg"),
        ("set" = String, Path, description = "Code of the set", example = "veil"),
        PageQuery,
    ),
    responses((status = 200, body = Page<CommitmentResponse>), (status = 304, description = "Not changed."))
)]
pub async fn list_print_commitments(
    req: HttpRequest,
    state: web::Data<AppState>,
    path: web::Path<(Code, Code)>,
    query: Params<PageQuery>,
) -> Result<HttpResponse, Problem> {
    let (game, set) = path.into_inner();
    let page = print_commitments::list(&state, &game, &set, query.after()?, query.limit).await?;
    page.answer(&req, FRESHNESS)
}

/// Announces a print run.
///
/// The service plans the run, draws a random seed, stores both and publishes a hash of them. `cardscape mint --commitment` prints exactly the
/// announced run and nothing else. Codes do not depend on the seed.
#[utoipa::path(
    post, path = "/v1/games/{game}/sets/{set}/print-commitments", tag = "serials", security(("bearer" = [])),
    request_body = PrintPlanRequest,
    params(
        ("game" = String, Path, description = "Code of the game", example = "ttcg"),
        ("set" = String, Path, description = "Code of the set", example = "hearth"),
        ("Idempotency-Key" = Option<String>, Header, description = "Makes a repeated request safe"),
    ),
    responses(
        (status = 201, body = OpenedCommitmentResponse, headers(("Location" = String, description = "The announcement"))),
        (status = 409, description = "`idempotency_in_progress`"),
        (status = 422, description = "`print_plan_refused`, `invalid_body`, `idempotency_key_reused`"),
    )
)]
pub async fn create_print_commitment(
    state: web::Data<AppState>,
    by: May<AnnouncePrintRuns>,
    path: web::Path<(Code, Code)>,
    key: IdempotencyKey,
    JudgedBody(body): JudgedBody<PrintPlanRequest>,
) -> Result<HttpResponse, Problem> {
    let (game, set) = path.into_inner();
    let body = body.sent_to(&format!("{game}/{set}"));
    let key = key.claim(&state, by.account(), "create_print_commitment", &body);
    let request = body.value.of(game, set);
    let answer = print_commitments::announce(&state, &by, &request, key.as_ref()).await?;
    let place = format!("/v1/print-commitments/{}", answer.announcement.id);
    Ok(HttpResponse::Created()
        .insert_header(("location", place))
        .insert_header(("cache-control", "no-store"))
        .json(answer))
}

/// Shows an announcement and, after it is revealed, its opening.
///
/// To check a revealed announcement, compare the SHA-256 of the opening (`jq -j .opening | sha256sum`) with `commitment`. `cardscape verify-run` also
/// checks the plan, the print file and the packing list. If the status is `broken_off`, an admin destroys the print file of the run that was broken
/// off, and prints again with `cardscape mint --commitment`.
#[utoipa::path(
    get, path = "/v1/print-commitments/{commitment}", tag = "serials",
    params(("commitment" = Uuid, Path, description = "Id of the announcement")),
    responses((status = 200, body = OpenedCommitmentResponse), (status = 304, description = "Not changed."))
)]
pub async fn find_print_commitment(
    req: HttpRequest,
    state: web::Data<AppState>,
    commitment: web::Path<Uuid>,
) -> Result<HttpResponse, Problem> {
    let found = print_commitments::find(&state, CommitmentId(*commitment)).await?;
    cacheable(&req, FRESHNESS, None, &found)
}

/// Reveals the seed and plan of a printed run to everybody, permanently.
///
/// A person who knows the seed knows what is in which pack, so reveal a run only when its packs are sold. The request is refused while a card of the
/// set is hidden, because the plan shows in which rarities each card exists. Repeating the request changes nothing.
#[utoipa::path(
    put, path = "/v1/print-commitments/{commitment}/reveal", tag = "serials", security(("bearer" = [])),
    params(("commitment" = Uuid, Path, description = "Id of the announcement")),
    responses(
        (status = 200, body = OpenedCommitmentResponse),
        (status = 409, description = "`commitment_not_printed`, `cards_still_hidden`"),
    )
)]
pub async fn reveal_print_commitment(
    state: web::Data<AppState>,
    by: May<AnnouncePrintRuns>,
    commitment: web::Path<Uuid>,
) -> Result<HttpResponse, Problem> {
    let answer = print_commitments::reveal(&state, &by, CommitmentId(*commitment)).await?;
    Ok(HttpResponse::Ok().insert_header(("cache-control", "no-store")).json(answer))
}
