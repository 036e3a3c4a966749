//! The history of a card: what changed, and when.

use actix_web::{HttpRequest, HttpResponse, web};
use uuid::Uuid;

use crate::app::catalogue::cards::freshness;
use crate::app::catalogue::history::{self, HistoryResponse};
use crate::app::problem::Problem;
use crate::app::state::AppState;
use crate::domain::ids::CardId;
use crate::http::extract::{Caller, PageQuery, Params, cacheable};

/// Lists the changes of a card, the newest first.
///
/// The list is empty while the card is hidden from the caller. Changes from before the unlock were never public: only moderators and admins see them.
#[utoipa::path(
    get, path = "/v1/cards/{card}/history", tag = "catalogue", security((), ("bearer" = [])),
    params(("card" = Uuid, Path, description = "Id of the card"), PageQuery),
    responses(
        (status = 200, body = HistoryResponse),
        (status = 304, description = "Not changed."),
        (status = 308, description = "The card was merged into another card: its address is in `Location`."),
    )
)]
pub async fn list_history(
    req: HttpRequest,
    state: web::Data<AppState>,
    caller: Caller,
    card: web::Path<Uuid>,
    query: Params<PageQuery>,
) -> Result<HttpResponse, Problem> {
    let (viewer, card) = (caller.viewer(), CardId(*card));
    let found = history::list(&state, viewer, card, query.after()?, query.limit).await?;
    found.answer(&req, |body| {
        let answer = cacheable(&req, freshness(viewer, true), None, &body)?;
        Ok(body.page.linked(&req, answer))
    })
}
