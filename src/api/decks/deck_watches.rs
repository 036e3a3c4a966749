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

/// Watches a deck: one of yours, or one of somebody else that is public or unlisted.
///
/// You are told when it becomes illegal in its format, or legal again: `deck.became_illegal` and `deck.became_legal` in `GET /v1/me/events`. Reasons are a change of
/// its cards, of limit lists and rules, a new day, an unlock, and of decks of others what their owners change. Nobody sees who watches. To watch again changes
/// nothing.
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

/// Watches a deck no more, also one that you can read no more.
///
/// To do it again changes nothing.
#[utoipa::path(
    delete, path = "/v1/decks/{deck}/watch", tag = "decks", security(("bearer" = [])),
    params(("deck" = Uuid, Path, description = "Id of the deck")),
    responses((status = 204, description = "Watched no more."))
)]
pub async fn unwatch_deck(
    state: web::Data<AppState>,
    by: May<GiveDeckFeedback>,
    deck: web::Path<Uuid>,
) -> Result<HttpResponse, Problem> {
    deck_watches::unwatch(&state, &by, DeckId(*deck)).await?;
    Ok(HttpResponse::NoContent().finish())
}

/// Finds the report on a deck that you watch. It is kept, and made anew first if the deck, its cards, the rules or the day are others since; `made_from` says what
/// it was made from.
///
/// All decks, your own as well, are judged as everybody sees them: a hidden card is an unknown one until it is unlocked.
#[utoipa::path(
    get, path = "/v1/decks/{deck}/watch", tag = "decks", security(("bearer" = [])),
    params(("deck" = Uuid, Path, description = "Id of the deck")),
    responses(
        (status = 200, body = WatchedDeckResponse),
        (status = 304, description = "It is still what `If-None-Match` names."),
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

/// Lists the decks that you watch with the reports on them as they are kept, what you watch since last first; those that you can read no more are left out.
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
