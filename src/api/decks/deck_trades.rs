//! The effect of a trade on your decks.

use actix_web::{HttpRequest, HttpResponse, web};
use uuid::Uuid;

use crate::app::decks::deck_trades::{self, TradeDecksResponse};
use crate::app::problem::Problem;
use crate::app::state::AppState;
use crate::auth::permission::ReadTrades;
use crate::domain::ids::TradeId;
use crate::http::extract::{Caller, ClientNetwork, May, cacheable};
use crate::memory::rendered::Freshness;

/// Shows which gaps in your decks a trade would close, and which it would open.
///
/// Each of the two sides of the trade sees this for its own decks. Your credentials must also let you read decks and the collection (`decks:read`,
/// `collection:read`). Copies of cards that are hidden from you do not count. If a card was renamed, moved or merged since a deck was saved, the deck needs the present card.
#[utoipa::path(
    get, path = "/v1/trades/{trade}/decks", tag = "decks", security(("bearer" = [])),
    params(("trade" = Uuid, Path, description = "Id of the trade")),
    responses((status = 200, body = TradeDecksResponse), (status = 304, description = "Not changed."))
)]
pub async fn find_trade_decks(
    req: HttpRequest,
    state: web::Data<AppState>,
    by: May<ReadTrades>,
    caller: Caller,
    network: ClientNetwork,
    trade: web::Path<Uuid>,
) -> Result<HttpResponse, Problem> {
    let (reads, requester) = ((caller.must(), caller.must()), (caller.viewer(), network.0));
    let found = deck_trades::find(&state, &by, reads, requester, TradeId(*trade)).await?;
    cacheable(&req, Freshness::Private, None, &found)
}
