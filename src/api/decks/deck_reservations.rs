//! Copies that you reserve for your decks.

use actix_web::{HttpRequest, HttpResponse, web};
use uuid::Uuid;

use crate::app::decks::deck_reservations::{self, DeckReservationResponse};
use crate::app::problem::Problem;
use crate::app::state::AppState;
use crate::auth::permission::{ReadOwnCollection, WriteOwnDecks};
use crate::domain::ids::DeckId;
use crate::http::extract::{Caller, ClientNetwork, May, cacheable};
use crate::memory::rendered::Freshness;

/// Shows which copies are reserved for one of your decks, which are missing, and which could be moved from your other decks.
///
/// Your credentials must also let you read decks (`decks:read`), otherwise the answer is 404.
#[utoipa::path(
    get, path = "/v1/decks/{deck}/reservation", tag = "decks", security(("bearer" = [])),
    params(("deck" = Uuid, Path, description = "Id of the deck")),
    responses(
        (status = 200, body = DeckReservationResponse),
        (status = 304, description = "Not changed."),
    )
)]
pub async fn find_deck_reservation(
    req: HttpRequest,
    state: web::Data<AppState>,
    by: May<ReadOwnCollection>,
    caller: Caller,
    network: ClientNetwork,
    deck: web::Path<Uuid>,
) -> Result<HttpResponse, Problem> {
    let (reads, requester) = (caller.may(), (caller.viewer(), network.0));
    let id = DeckId(*deck);
    let found = deck_reservations::find(&state, &by, reads.as_ref(), requester, id).await?;
    cacheable(&req, Freshness::Private, None, &found)
}

/// Reserves your copies of the cards of one of your decks, as far as no other deck of yours has reserved them.
///
/// Counted and registered copies are reserved, those of the named printings first. Repeating the request updates the reservation to the deck and your
/// collection; it takes no copies from other decks. The answer has the reservation if your credentials let you read decks and the collection;
/// otherwise it is a 204.
#[utoipa::path(
    put, path = "/v1/decks/{deck}/reservation", tag = "decks", security(("bearer" = [])),
    params(("deck" = Uuid, Path, description = "Id of the deck")),
    responses(
        (status = 200, body = DeckReservationResponse),
        (status = 204, description = "Reserved. Your credentials do not let you read the reservation."),
    )
)]
pub async fn reserve_deck(
    state: web::Data<AppState>,
    by: May<WriteOwnDecks>,
    caller: Caller,
    network: ClientNetwork,
    deck: web::Path<Uuid>,
) -> Result<HttpResponse, Problem> {
    let (collection, decks) = (caller.may(), caller.may());
    let (reads, requester) = ((collection.as_ref(), decks.as_ref()), (caller.viewer(), network.0));
    let reserved = deck_reservations::reserve(&state, &by, reads, requester, DeckId(*deck)).await?;
    Ok(match reserved {
        Some(reserved) => {
            HttpResponse::Ok().insert_header(("cache-control", "no-store")).json(reserved)
        }
        None => HttpResponse::NoContent().finish(),
    })
}

/// Releases the copies that are reserved for one of your decks.
///
/// Repeating the request changes nothing. Deleting a deck also releases its copies; restoring the deck does not reserve them again.
#[utoipa::path(
    delete, path = "/v1/decks/{deck}/reservation", tag = "decks", security(("bearer" = [])),
    params(("deck" = Uuid, Path, description = "Id of the deck")),
    responses((status = 204, description = "Released."))
)]
pub async fn release_deck(
    state: web::Data<AppState>,
    by: May<WriteOwnDecks>,
    deck: web::Path<Uuid>,
) -> Result<HttpResponse, Problem> {
    deck_reservations::release(&state, &by, DeckId(*deck)).await?;
    Ok(HttpResponse::NoContent().finish())
}
