//! Unlocks: how far hidden cards are, and which were unlocked lately.

use actix_web::{HttpRequest, HttpResponse, web};
use chrono::{DateTime, Utc};
use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;

use super::card_migrations::redirected;
use super::cards::CardUnlock;
use super::extract::{CursorTime, Freshness, Page, PageQuery, Params, cacheable, paged};
use super::problem::Problem;
use super::state::AppState;
use crate::domain::ids::CardId;
use crate::store::unlocks::{self, ProgressRow};

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
            card: row.card_id,
            game: row.game_code,
            set: row.set_code,
            number: row.number,
            unlocked_at: row.unlocked_at,
        },
    );
    page.answer(&req, FRESH)
}

/// How far a card is on its way out of hiding.
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
