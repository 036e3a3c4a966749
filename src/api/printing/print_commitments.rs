//! Announcements of print runs: a hash before anything is printed, and what opens it afterwards.

use actix_web::{HttpRequest, HttpResponse, web};
use chrono::{DateTime, Utc};
use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;

use super::print_plans::{PrintPlanRequest, plan};
use crate::app::page::{Page, paged};
use crate::app::problem::{Problem, ProblemCode};
use crate::app::state::AppState;
use crate::auth::permission::{AnnouncePrintRuns, Planner};
use crate::domain::code::Code;
use crate::domain::ids::CommitmentId;
use crate::http::extract::{Body, IdempotencyKey, May, PageQuery, Params, cacheable};
use crate::memory::rendered::Freshness;
use crate::store::catalogue::sets;
use crate::store::operations::idempotency;
use crate::store::printing::print_commitments::{self, CommitmentRow, NewCommitment, Revealed};

/// The same for everybody; an announcement changes a few times in its life.
const FRESH: Freshness = Freshness::Public(60);

/// An announcement of a print run.
#[derive(Serialize, ToSchema)]
pub struct CommitmentResponse {
    /// Its id.
    pub id: Uuid,
    /// Code of the set's game.
    #[schema(example = "ttcg")]
    pub game: String,
    /// Code of the set.
    #[schema(example = "veil")]
    pub set: String,
    /// SHA-256 of the opening, in hexadecimal digits. It binds the plan and its seed, and tells nothing of them.
    #[schema(example = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08")]
    pub commitment: String,
    /// `announced`; `broken_off` when its print run was, until it is printed again; `printed` once its codes count; `revealed` once
    /// everybody can check it.
    #[schema(example = "revealed")]
    pub status: &'static str,
    /// When it was announced.
    pub announced_at: DateTime<Utc>,
    /// When the codes of its print run began to count.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub printed_at: Option<DateTime<Utc>>,
    /// When it was noted, the last time, that a print run of it was broken off. Nobody can register codes of that run; the announcement can
    /// be printed again.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub broken_off_at: Option<DateTime<Utc>>,
    /// SHA-256 of the packing list, for a run with packs that is printed: the list follows from the opening.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae")]
    pub packing_sha256: Option<String>,
    /// When it was revealed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub revealed_at: Option<DateTime<Utc>>,
}

impl From<CommitmentRow> for CommitmentResponse {
    fn from(row: CommitmentRow) -> Self {
        Self {
            id: row.id.0,
            commitment: row.digest(),
            status: match (row.revealed_at, row.printed_at, row.broken_off_at) {
                (Some(_), ..) => "revealed",
                (None, Some(_), _) => "printed",
                (None, None, Some(_)) => "broken_off",
                (None, None, None) => "announced",
            },
            announced_at: row.announced_at,
            printed_at: row.printed_at,
            broken_off_at: row.broken_off_at,
            packing_sha256: row.packing_sha256(),
            revealed_at: row.revealed_at,
            game: row.game_code,
            set: row.set_code,
        }
    }
}

/// An announcement with what opens it.
#[derive(Serialize, ToSchema)]
pub struct OpenedCommitmentResponse {
    /// The announcement.
    #[serde(flatten)]
    pub announcement: CommitmentResponse,
    /// Once it is revealed, the text whose SHA-256 is the commitment: three lines with a tag, the seed in hexadecimal digits and
    /// the plan as JSON, without a line end after the last.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(
        example = "cardscape-print-commitment-v1\n3c5b…\n{\"algorithm\":\"largest-remainder-v1\",…}"
    )]
    pub opening: Option<String>,
}

impl From<CommitmentRow> for OpenedCommitmentResponse {
    fn from(row: CommitmentRow) -> Self {
        Self { opening: row.opening(), announcement: row.into() }
    }
}

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
    let before = query.after()?;
    let mut conn = state.store.connection().await?;
    sets::find(&mut conn, game.as_str(), set.as_str()).await?.ok_or_else(Problem::not_found)?;
    let (game, set, limit) = (game.as_str(), set.as_str(), query.limit.rows());
    let rows = print_commitments::list(&mut conn, game, set, before, limit).await?;
    let page = paged(rows, query.limit, |row| row.id, CommitmentResponse::from);
    page.answer(&req, FRESH)
}

/// Announces a print run.
///
/// The service plans the run, draws a seed, stores both and publishes a hash of them. `cardscape mint --commitment` prints exactly
/// what was announced, and nothing else can be printed from it. Codes have nothing to do with the seed.
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
    body: Body<PrintPlanRequest>,
) -> Result<HttpResponse, Problem> {
    let (game, set) = path.into_inner();
    let body = body.sent_to(&format!("{game}/{set}"));
    let key = key.claim(&state, by.account(), "create_print_commitment", &body);
    if let Some(key) = &key {
        // Answered again whatever became of the set.
        let earlier = idempotency::answered(&mut *state.store.connection().await?, key).await?;
        if let Some(earlier) = earlier {
            return announced(&state, CommitmentId(earlier)).await;
        }
    }
    let planned = plan(&state, &Planner::from(&*by), game, set, &body.value).await?;
    let new = NewCommitment {
        id: CommitmentId::fresh(),
        set: planned.set.id,
        opening: &planned.opening,
        at: state.clock.now(),
    };
    let id = state
        .write(&by, async |conn, by| {
            print_commitments::announce(conn, by, &new, key.as_ref()).await
        })
        .await?;
    if id == new.id {
        tracing::info!(account = %by.account(), commitment = %id, "print run announced");
    }
    announced(&state, id).await
}

async fn announced(state: &AppState, id: CommitmentId) -> Result<HttpResponse, Problem> {
    let row = print_commitments::find(&mut *state.store.connection().await?, id).await?;
    let row = row.ok_or_else(Problem::not_found)?;
    Ok(HttpResponse::Created()
        .insert_header(("location", format!("/v1/print-commitments/{id}")))
        .insert_header(("cache-control", "no-store"))
        .json(OpenedCommitmentResponse::from(row)))
}

/// Shows an announcement and, once it is revealed, the opening.
///
/// With the status `broken_off`, an admin destroys the print file of the run that was broken off and mints again with
/// `cardscape mint --commitment`. To check it, hash the opening: `jq -j .opening | sha256sum`. `cardscape verify-run` also checks plan, print file and packing list.
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
    let mut conn = state.store.connection().await?;
    let row = print_commitments::find(&mut conn, CommitmentId(*commitment)).await?;
    let row = row.ok_or_else(Problem::not_found)?;
    cacheable(&req, FRESH, None, &OpenedCommitmentResponse::from(row))
}

/// Reveals seed and plan of a printed run to everybody.
///
/// There is no way back. Whoever knows the seed knows what is in which pack: reveal a run once its packs are sold. Refused while a
/// card of the set is hidden, because the plan tells in which rarities each card exists. Sent again, it changes nothing.
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
    let (id, now) = (CommitmentId(*commitment), state.clock.now());
    let revealed = state
        .write(&by, async |conn, by| print_commitments::reveal(conn, by, id, now).await)
        .await?;
    match revealed {
        Revealed::Now => {
            tracing::info!(account = %by.account(), commitment = %id, "print run revealed");
        }
        Revealed::Before => {}
        Revealed::Missing => return Err(Problem::not_found()),
        Revealed::NotPrinted => {
            return Err(Problem::new(ProblemCode::CommitmentNotPrinted).detail(format!(
                "Print it with `cardscape mint --commitment {id}`, again if its print run was broken off."
            )));
        }
        Revealed::CardsHidden => return Err(Problem::new(ProblemCode::CardsStillHidden)),
    }
    let row = print_commitments::find(&mut *state.store.connection().await?, id).await?;
    let row = row.ok_or_else(Problem::not_found)?;
    Ok(HttpResponse::Ok()
        .insert_header(("cache-control", "no-store"))
        .json(OpenedCommitmentResponse::from(row)))
}
