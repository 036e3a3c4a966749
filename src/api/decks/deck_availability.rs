//! Which cards of a deck you have.

use actix_web::{HttpRequest, HttpResponse, web};
use uuid::Uuid;

use crate::app::decks::deck_availability::{self, DeckAvailabilityResponse};
use crate::app::problem::Problem;
use crate::app::state::AppState;
use crate::auth::permission::ReadOwnCollection;
use crate::domain::ids::DeckId;
use crate::http::extract::{Caller, ClientNetwork, May, cacheable};
use crate::memory::rendered::Freshness;

/// Tells which cards of a deck you have, in the printing that it names or in another one, and which are missing: of a public or unlisted deck, or one
/// of yours.
///
/// Your other decks that hold the same cards are told as well, if your credentials let you read decks.
#[utoipa::path(
    get, path = "/v1/decks/{deck}/availability", tag = "decks", security(("bearer" = [])),
    params(("deck" = Uuid, Path, description = "Id of the deck")),
    responses(
        (status = 200, body = DeckAvailabilityResponse),
        (status = 304, description = "It is still what `If-None-Match` names."),
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
    let (reads, asker) = (caller.may(), (caller.viewer(), network.0));
    let id = DeckId(*deck);
    let found = deck_availability::find(&state, &by, reads.as_ref(), asker, id).await?;
    cacheable(&req, Freshness::Private, None, &found)
}
