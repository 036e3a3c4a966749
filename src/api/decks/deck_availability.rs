//! Which cards of a deck you own.

use actix_web::{HttpRequest, HttpResponse, web};
use uuid::Uuid;

use crate::app::decks::deck_availability::{self, DeckAvailabilityResponse};
use crate::app::problem::Problem;
use crate::app::state::AppState;
use crate::auth::permission::ReadOwnCollection;
use crate::domain::ids::DeckId;
use crate::http::extract::{Caller, ClientNetwork, May, cacheable};
use crate::memory::rendered::Freshness;

/// Shows which cards of a deck you own, in the named printing or in another one, and which are missing.
///
/// The deck must be public, unlisted or yours. For a private deck of yours, your credentials must also let you read decks (`decks:read`), otherwise the answer is
/// 404. Your other decks with the same cards, and your reservations, are only included with `decks:read`, too.
#[utoipa::path(
    get, path = "/v1/decks/{deck}/availability", tag = "decks", security(("bearer" = [])),
    params(("deck" = Uuid, Path, description = "Id of the deck")),
    responses(
        (status = 200, body = DeckAvailabilityResponse),
        (status = 304, description = "Not changed."),
    )
)]
pub async fn find_deck_availability(
    req: HttpRequest,
    state: web::Data<AppState>,
    by: May<ReadOwnCollection>,
    caller: Caller,
    network: ClientNetwork,
    deck: web::Path<Uuid>,
) -> Result<HttpResponse, Problem> {
    let (reads, requester) = (caller.may(), (caller.viewer(), network.0));
    let id = DeckId(*deck);
    let found = deck_availability::find(&state, &by, reads.as_ref(), requester, id).await?;
    cacheable(&req, Freshness::Private, None, &found)
}
