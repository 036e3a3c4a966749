//! Unlocks: the progress of hidden cards, and recently unlocked cards.

use actix_web::{HttpRequest, HttpResponse, web};
use serde::Deserialize;
use utoipa::ToSchema;
use uuid::Uuid;

use crate::app::catalogue::cards::CardUnlock;
use crate::app::copies::copy_moderation::reason;
use crate::app::page::Page;
use crate::app::problem::Problem;
use crate::app::serials::unlocks::{self, CardProgress, SetUnlockedResponse, UnlockedCard};
use crate::app::state::AppState;
use crate::auth::permission::UnlockCards;
use crate::domain::code::Code;
use crate::domain::ids::CardId;
use crate::http::extract::{Judge, JudgedBody, May, PageQuery, Params, cacheable};
use crate::memory::rendered::Freshness;

/// Progress changes with every submission: caches store it for seconds only.
const FRESHNESS: Freshness = Freshness::Public(5);

/// Lists unlocked cards, the last unlocked first.
#[utoipa::path(
    get, path = "/v1/unlocks", tag = "serials", params(PageQuery),
    responses((status = 200, body = Page<UnlockedCard>), (status = 304, description = "Not changed."))
)]
pub async fn list_unlocks(
    req: HttpRequest,
    state: web::Data<AppState>,
    query: Params<PageQuery>,
) -> Result<HttpResponse, Problem> {
    unlocks::list(&state, query.after()?, query.limit).await?.answer(&req, FRESHNESS)
}

/// Shows how many submissions a card has, and how many unlock it.
///
/// Everybody may read this. A card that was never hidden has no progress: 404.
#[utoipa::path(
    get, path = "/v1/cards/{card}/unlock", tag = "serials",
    params(("card" = Uuid, Path, description = "Id of the card")),
    responses(
        (status = 200, body = CardUnlock),
        (status = 304, description = "Not changed."),
        (status = 308, description = "The card was merged into another card, whose address is in `Location`."),
    )
)]
pub async fn find_unlock(
    req: HttpRequest,
    state: web::Data<AppState>,
    card: web::Path<Uuid>,
) -> Result<HttpResponse, Problem> {
    let found = unlocks::find(&state, CardId(*card)).await?;
    found.answer(&req, |unlock| cacheable(&req, FRESHNESS, None, &unlock))
}

/// Lists the unlock progress of the cards of a set that started hidden, by number.
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
    let (after, limit) = (query.after()?, query.limit);
    let page = unlocks::list_of_set(&state, &game, &set, after.as_ref(), limit).await?;
    page.answer(&req, FRESHNESS)
}

/// The reason for an unlock by hand.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct UnlockRequest {
    /// The reason, for the audit log: 1 to 500 characters.
    #[schema(example = "Shown on stage at the release.", min_length = 1, max_length = 500)]
    pub reason: String,
}

/// Unlocks a card by hand. A card that is already unlocked does not change.
#[utoipa::path(
    post, path = "/v1/cards/{card}/unlock", tag = "serials", security(("bearer" = [])),
    params(("card" = Uuid, Path, description = "Id of the card")), request_body = UnlockRequest,
    responses((status = 200, body = CardUnlock))
)]
pub async fn unlock_card(
    state: web::Data<AppState>,
    by: May<UnlockCards>,
    card: web::Path<Uuid>,
    JudgedBody(body): JudgedBody<UnlockRequest>,
) -> Result<HttpResponse, Problem> {
    let reason = reason(&body.value.reason)?;
    let answer = unlocks::unlock_card(&state, &by, CardId(*card), &reason).await?;
    Ok(HttpResponse::Ok().json(answer))
}

/// Unlocks all hidden cards of a set by hand.
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
    JudgedBody(body): JudgedBody<UnlockRequest>,
) -> Result<HttpResponse, Problem> {
    let (game, set) = path.into_inner();
    let reason = reason(&body.value.reason)?;
    let answer = unlocks::unlock_set(&state, &by, &game, &set, &reason).await?;
    Ok(HttpResponse::Ok().json(answer))
}

impl Judge for UnlockRequest {
    fn judge(&self) -> Result<(), Problem> {
        reason(&self.reason).map(drop)
    }
}
