//! Likes of decks.

use actix_web::{HttpRequest, HttpResponse, web};
use uuid::Uuid;

use super::shared_decks::PeopleDecksQuery;
use crate::app::decks::deck_likes::{self, DeckLikeResponse, LikedDeckResponse, LikedKey};
use crate::app::page::{Cursor, Page};
use crate::app::problem::Problem;
use crate::app::state::AppState;
use crate::auth::permission::{GiveDeckFeedback, ReadOwnDecks};
use crate::domain::ids::DeckId;
use crate::http::extract::{LooseParams, May};
use crate::memory::rendered::Freshness;

/// Likes a public or unlisted deck of another account.
///
/// Nobody can see who likes a deck. Repeating the request changes nothing.
#[utoipa::path(
    put, path = "/v1/decks/{deck}/like", tag = "decks", security(("bearer" = [])),
    params(("deck" = Uuid, Path, description = "Id of the deck")),
    responses(
        (status = 200, body = DeckLikeResponse),
        (status = 409, description = "`own_deck`"),
        (status = 429, description = "`daily_limit_reached`"),
    )
)]
pub async fn like_deck(
    state: web::Data<AppState>,
    by: May<GiveDeckFeedback>,
    deck: web::Path<Uuid>,
) -> Result<HttpResponse, Problem> {
    let liked = deck_likes::like(&state, &by, DeckId(*deck)).await?;
    Ok(HttpResponse::Ok().insert_header(("cache-control", "no-store")).json(liked))
}

/// Removes your like from a deck, even if you can no longer read the deck.
///
/// Repeating the request changes nothing; if you can no longer read the deck, a repeated request is a 404.
#[utoipa::path(
    delete, path = "/v1/decks/{deck}/like", tag = "decks", security(("bearer" = [])),
    params(("deck" = Uuid, Path, description = "Id of the deck")),
    responses((status = 204, description = "The like was removed."))
)]
pub async fn unlike_deck(
    state: web::Data<AppState>,
    by: May<GiveDeckFeedback>,
    deck: web::Path<Uuid>,
) -> Result<HttpResponse, Problem> {
    deck_likes::unlike(&state, &by, DeckId(*deck)).await?;
    Ok(HttpResponse::NoContent().finish())
}

/// Lists the decks that you like, the latest like first.
///
/// Decks that you can no longer read and decks of banned accounts are left out.
#[utoipa::path(
    get, path = "/v1/me/liked-decks", tag = "decks", security(("bearer" = [])), params(PeopleDecksQuery),
    responses((status = 200, body = Page<LikedDeckResponse>), (status = 304, description = "Not changed."))
)]
pub async fn list_liked_decks(
    req: HttpRequest,
    state: web::Data<AppState>,
    by: May<ReadOwnDecks>,
    query: LooseParams<PeopleDecksQuery>,
) -> Result<HttpResponse, Problem> {
    let check = async |query: &PeopleDecksQuery| Cursor::key_of(query.cursor.as_ref());
    let (query, before): (_, Option<LikedKey>) = query.checked(check).await?;
    let page = deck_likes::list_liked(&state, &by, before, query.limit).await?;
    page.answer(&req, Freshness::Private)
}
