//! Copies that you set aside for your decks.

use actix_web::{HttpRequest, HttpResponse, web};
use uuid::Uuid;

use crate::app::decks::deck_reservations::{self, DeckReservationResponse};
use crate::app::problem::Problem;
use crate::app::state::AppState;
use crate::auth::permission::{ReadOwnCollection, WriteOwnDecks};
use crate::domain::ids::DeckId;
use crate::http::extract::{Caller, ClientNetwork, May, cacheable};
use crate::memory::rendered::Freshness;

/// Tells which copies are reserved for one of your decks, what is missing, and what could be moved out of the reservations of your other decks.
///
/// Your credentials must also let you read decks (`decks:read`): to others there is no such deck.
#[utoipa::path(
    get, path = "/v1/decks/{deck}/reservation", tag = "decks", security(("bearer" = [])),
    params(("deck" = Uuid, Path, description = "Id of the deck")),
    responses(
        (status = 200, body = DeckReservationResponse),
        (status = 304, description = "It is still what `If-None-Match` names."),
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
    let (reads, asker) = (caller.may(), (caller.viewer(), network.0));
    let id = DeckId(*deck);
    let found = deck_reservations::find(&state, &by, reads.as_ref(), asker, id).await?;
    cacheable(&req, Freshness::Private, None, &found)
}

/// Reserves for one of your decks what you have of its cards, counted and registered, as far as no other deck of yours has reserved it.
///
/// The printings that the deck names come before others. To reserve again brings the reservation up to date with deck and collection; what is reserved for
/// other decks stays theirs. The answer tells the reservation if your credentials let you read decks and the collection; if not, it is a 204.
#[utoipa::path(
    put, path = "/v1/decks/{deck}/reservation", tag = "decks", security(("bearer" = [])),
    params(("deck" = Uuid, Path, description = "Id of the deck")),
    responses(
        (status = 200, body = DeckReservationResponse),
        (status = 204, description = "Reserved; your credentials do not let you read what."),
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
    let (reads, asker) = ((collection.as_ref(), decks.as_ref()), (caller.viewer(), network.0));
    let reserved = deck_reservations::reserve(&state, &by, reads, asker, DeckId(*deck)).await?;
    Ok(match reserved {
        Some(told) => HttpResponse::Ok().insert_header(("cache-control", "no-store")).json(told),
        None => HttpResponse::NoContent().finish(),
    })
}

/// Frees what is reserved for one of your decks.
///
/// To free it again changes nothing. A deck that is deleted has nothing reserved any more, also when it comes back.
#[utoipa::path(
    delete, path = "/v1/decks/{deck}/reservation", tag = "decks", security(("bearer" = [])),
    params(("deck" = Uuid, Path, description = "Id of the deck")),
    responses((status = 204, description = "Freed."))
)]
pub async fn release_deck(
    state: web::Data<AppState>,
    by: May<WriteOwnDecks>,
    deck: web::Path<Uuid>,
) -> Result<HttpResponse, Problem> {
    deck_reservations::release(&state, &by, DeckId(*deck)).await?;
    Ok(HttpResponse::NoContent().finish())
}
