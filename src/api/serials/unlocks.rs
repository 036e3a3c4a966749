//! Unlocks: how far hidden cards are, and which were unlocked lately.

use actix_web::{HttpRequest, HttpResponse, web};
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use uuid::Uuid;

use crate::api::catalogue::card_migrations::redirected;
use crate::api::copies::copy_moderation::reason;
use crate::app::catalogue::cards::CardUnlock;
use crate::app::page::{CursorTime, Page, paged};
use crate::app::problem::Problem;
use crate::app::state::AppState;
use crate::auth::permission::UnlockCards;
use crate::domain::code::Code;
use crate::domain::ids::CardId;
use crate::http::extract::{Body, May, PageQuery, Params, cacheable};
use crate::memory::rendered::Freshness;
use crate::store::catalogue::sets;
use crate::store::db::deadlines;
use crate::store::serials::unlock_policies;
use crate::store::serials::unlocks::{self, ProgressRow, SetProgressRow};

/// Progress changes with every submission: caches keep it for seconds only.
const FRESH: Freshness = Freshness::Public(5);

impl From<ProgressRow> for CardUnlock {
    fn from(row: ProgressRow) -> Self {
        Self {
            submissions: row.submissions,
            threshold: row.threshold,
            unlocked_at: row.unlocked_at,
        }
    }
}

/// A card that the community unlocked.
#[derive(Serialize, ToSchema)]
pub struct UnlockedCard {
    /// Id of the card.
    pub card: Uuid,
    /// Code of its game.
    #[schema(example = "ttcg")]
    pub game: String,
    /// Code of its set.
    #[schema(example = "veil")]
    pub set: String,
    /// Its number in the set.
    #[schema(example = "001")]
    pub number: String,
    /// When.
    pub unlocked_at: DateTime<Utc>,
}

/// Lists unlocked cards, the newest first.
#[utoipa::path(
    get, path = "/v1/unlocks", tag = "serials", params(PageQuery),
    responses((status = 200, body = Page<UnlockedCard>), (status = 304, description = "Not changed."))
)]
pub async fn list_unlocks(
    req: HttpRequest,
    state: web::Data<AppState>,
    query: Params<PageQuery>,
) -> Result<HttpResponse, Problem> {
    let before = query.after::<(CursorTime, Uuid)>()?;
    let before = before.map(|(CursorTime(at), id)| (at, id));
    let mut conn = state.store.connection().await?;
    let rows = unlocks::list(&mut conn, before, query.limit.rows()).await?;
    let page = paged(
        rows,
        query.limit,
        |row| (CursorTime(row.unlocked_at), row.card_id),
        |row| UnlockedCard {
            card: row.card_id.0,
            game: row.game_code,
            set: row.set_code,
            number: row.number,
            unlocked_at: row.unlocked_at,
        },
    );
    page.answer(&req, FRESH)
}

/// Shows how many submissions a card has, and how many unlock it.
///
/// Everybody may know. Cards that never were hidden have no progress: 404.
#[utoipa::path(
    get, path = "/v1/cards/{card}/unlock", tag = "serials",
    params(("card" = Uuid, Path, description = "Id of the card")),
    responses(
        (status = 200, body = CardUnlock),
        (status = 304, description = "Not changed."),
        (status = 308, description = "The card became one with another: its place is in `Location`."),
    )
)]
pub async fn find_unlock(
    req: HttpRequest,
    state: web::Data<AppState>,
    card: web::Path<Uuid>,
) -> Result<HttpResponse, Problem> {
    let mut conn = state.store.connection().await?;
    let Some(row) = unlocks::progress(&mut conn, CardId(*card)).await? else {
        return redirected(&req, &mut conn, CardId(*card)).await;
    };
    cacheable(&req, FRESH, None, &CardUnlock::from(row))
}

/// A card of a set that started hidden.
#[derive(Serialize, ToSchema)]
pub struct CardProgress {
    /// Id of the card.
    pub card: Uuid,
    /// Its number in the set.
    #[schema(example = "001")]
    pub number: String,
    /// How far it is.
    #[serde(flatten)]
    pub progress: CardUnlock,
}

impl From<SetProgressRow> for CardProgress {
    fn from(row: SetProgressRow) -> Self {
        Self { card: row.card_id.0, number: row.number, progress: row.progress.into() }
    }
}

/// Lists the progress of those cards of a set that started hidden, by number.
#[utoipa::path(
    get, path = "/v1/games/{game}/sets/{set}/unlocks", tag = "serials",
    params(
        ("game" = String, Path, description = "Code of the game", example = "ttcg"),
        ("set" = String, Path, description = "Code of the set", example = "veil"),
        PageQuery,
    ),
    responses((status = 200, body = Page<CardProgress>), (status = 304, description = "Not changed."))
)]
pub async fn list_set_unlocks(
    req: HttpRequest,
    state: web::Data<AppState>,
    path: web::Path<(Code, Code)>,
    query: Params<PageQuery>,
) -> Result<HttpResponse, Problem> {
    let (game, set) = path.into_inner();
    let after: Option<Code> = query.after()?;
    let (after, limit) = (after.as_ref().map(Code::as_str), query.limit.rows());
    let mut conn = state.store.connection().await?;
    sets::find(&mut conn, game.as_str(), set.as_str()).await?.ok_or_else(Problem::not_found)?;
    let rows = unlocks::of_set(&mut conn, game.as_str(), set.as_str(), after, limit).await?;
    paged(rows, query.limit, |row| row.number.clone(), CardProgress::from).answer(&req, FRESH)
}

/// Why something is unlocked by hand.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct UnlockRequest {
    /// For the audit log: 1 to 500 characters.
    #[schema(example = "Shown on stage at the release.", min_length = 1, max_length = 500)]
    pub reason: String,
}

/// Unlocks a card by hand. One that is unlocked already stays as it is.
#[utoipa::path(
    post, path = "/v1/cards/{card}/unlock", tag = "serials", security(("bearer" = [])),
    params(("card" = Uuid, Path, description = "Id of the card")), request_body = UnlockRequest,
    responses((status = 200, body = CardUnlock))
)]
pub async fn unlock_card(
    state: web::Data<AppState>,
    by: May<UnlockCards>,
    card: web::Path<Uuid>,
    body: Body<UnlockRequest>,
) -> Result<HttpResponse, Problem> {
    let (card, reason, at) = (CardId(*card), reason(&body.value.reason)?, state.clock.now());
    let unlocked = state
        .write(&by, async |conn, by| {
            unlock_policies::unlock_card(conn, by, card, &reason, at).await
        })
        .await?
        .ok_or_else(Problem::not_found)?;
    state.kept_answers.forget();
    tracing::info!(by = %by.account(), %card, unlocked, "card unlocked by hand");
    let mut conn = state.store.connection().await?;
    let row = unlocks::progress(&mut conn, card).await?.ok_or_else(Problem::not_found)?;
    Ok(HttpResponse::Ok().json(CardUnlock::from(row)))
}

/// What was unlocked by hand.
#[derive(Serialize, ToSchema)]
pub struct SetUnlockedResponse {
    /// How many cards were hidden until now.
    #[schema(example = 14)]
    pub unlocked: usize,
}

/// Unlocks all cards of a set by hand.
#[utoipa::path(
    post, path = "/v1/games/{game}/sets/{set}/unlocks", tag = "serials", security(("bearer" = [])),
    params(
        ("game" = String, Path, description = "Code of the game", example = "ttcg"),
        ("set" = String, Path, description = "Code of the set", example = "veil"),
    ),
    request_body = UnlockRequest, responses((status = 200, body = SetUnlockedResponse))
)]
pub async fn unlock_set(
    state: web::Data<AppState>,
    by: May<UnlockCards>,
    path: web::Path<(Code, Code)>,
    body: Body<UnlockRequest>,
) -> Result<HttpResponse, Problem> {
    let (game, set) = path.into_inner();
    let (reason, at) = (reason(&body.value.reason)?, state.clock.now());
    let unlocked = state
        .write_within(deadlines::BATCH, &by, async |conn, by| {
            unlock_policies::unlock_set(conn, by, game.as_str(), set.as_str(), &reason, at).await
        })
        .await?
        .ok_or_else(Problem::not_found)?;
    state.kept_answers.forget();
    tracing::info!(by = %by.account(), %game, %set, unlocked, "set unlocked by hand");
    Ok(HttpResponse::Ok().json(SetUnlockedResponse { unlocked }))
}
