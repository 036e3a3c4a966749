//! Decks that you watch.

use actix_web::{HttpRequest, HttpResponse, web};
use uuid::Uuid;

use super::shared_decks::PeopleDecksQuery;
use crate::app::decks::deck_watches::{self, WatchedDeckResponse, WatchedKey};
use crate::app::page::{Cursor, Page};
use crate::app::problem::Problem;
use crate::app::state::AppState;
use crate::auth::permission::{GiveDeckFeedback, ReadOwnDecks};
use crate::domain::ids::DeckId;
use crate::http::extract::{LooseParams, May, cacheable};
use crate::memory::rendered::Freshness;

/// Watches a deck: one of yours, or a public or unlisted deck of another account.
///
/// When the deck is no longer legal in its format (illegal or incomplete: see `outcome`), was incomplete and is illegal, or is legal again, you get an
/// event: `deck.became_illegal` or `deck.became_legal` in `GET /v1/me/events`. Possible causes are a changed card, changed rules or limit lists, a new day, an unlock, and, for decks of
/// others, changes by their owners. Your own changes create no event for you, unless something else may be the cause, too: the day, the manifest or a card of the deck has changed
/// since the last report. Nobody can see who watches a deck. Repeating the request changes nothing.
#[utoipa::path(
    put, path = "/v1/decks/{deck}/watch", tag = "decks", security(("bearer" = [])),
    params(("deck" = Uuid, Path, description = "Id of the deck")),
    responses(
        (status = 200, body = WatchedDeckResponse),
        (status = 409, description = "`too_many_watched`"),
    )
)]
pub async fn watch_deck(
    state: web::Data<AppState>,
    by: May<GiveDeckFeedback>,
    deck: web::Path<Uuid>,
) -> Result<HttpResponse, Problem> {
    let watched = deck_watches::watch(&state, &by, DeckId(*deck)).await?;
    Ok(HttpResponse::Ok().insert_header(("cache-control", "no-store")).json(watched))
}

/// Stops watching a deck, even if you can no longer read the deck.
///
/// Repeating the request changes nothing; if you can no longer read the deck, a repeated request is a 404.
#[utoipa::path(
    delete, path = "/v1/decks/{deck}/watch", tag = "decks", security(("bearer" = [])),
    params(("deck" = Uuid, Path, description = "Id of the deck")),
    responses((status = 204, description = "The deck is no longer watched."))
)]
pub async fn unwatch_deck(
    state: web::Data<AppState>,
    by: May<GiveDeckFeedback>,
    deck: web::Path<Uuid>,
) -> Result<HttpResponse, Problem> {
    deck_watches::unwatch(&state, &by, DeckId(*deck)).await?;
    Ok(HttpResponse::NoContent().finish())
}

/// Shows a deck that you watch, with its report.
///
/// The stored report is first made again if the deck, its cards, the rules or the day have changed; `made_from` has the versions from which it was
/// made. All decks, your own as well, are judged as everybody sees them: a hidden card is an unknown card until it is unlocked.
#[utoipa::path(
    get, path = "/v1/decks/{deck}/watch", tag = "decks", security(("bearer" = [])),
    params(("deck" = Uuid, Path, description = "Id of the deck")),
    responses(
        (status = 200, body = WatchedDeckResponse),
        (status = 304, description = "Not changed."),
    )
)]
pub async fn find_deck_watch(
    req: HttpRequest,
    state: web::Data<AppState>,
    by: May<ReadOwnDecks>,
    deck: web::Path<Uuid>,
) -> Result<HttpResponse, Problem> {
    let watched = deck_watches::find(&state, &by, DeckId(*deck)).await?;
    cacheable(&req, Freshness::Private, None, &watched)
}

/// Lists the decks that you watch with their stored reports, the last watched first.
///
/// Decks that you can no longer read and decks of banned accounts are left out.
#[utoipa::path(
    get, path = "/v1/me/watched-decks", tag = "decks", security(("bearer" = [])), params(PeopleDecksQuery),
    responses((status = 200, body = Page<WatchedDeckResponse>), (status = 304, description = "Not changed."))
)]
pub async fn list_watched_decks(
    req: HttpRequest,
    state: web::Data<AppState>,
    by: May<ReadOwnDecks>,
    query: LooseParams<PeopleDecksQuery>,
) -> Result<HttpResponse, Problem> {
    let check = async |query: &PeopleDecksQuery| Cursor::key_of(query.cursor.as_ref());
    let (query, before): (_, Option<WatchedKey>) = query.checked(check).await?;
    let page = deck_watches::list(&state, &by, before, query.limit).await?;
    page.answer(&req, Freshness::Private)
}
