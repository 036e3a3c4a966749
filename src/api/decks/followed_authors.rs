//! The authors that you follow.

use actix_web::{HttpRequest, HttpResponse, web};

use super::shared_decks::PeopleDecksQuery;
use crate::app::decks::followed_authors::{self, FollowedAuthorResponse, FollowedKey};
use crate::app::page::{Cursor, Page};
use crate::app::problem::Problem;
use crate::app::state::AppState;
use crate::auth::permission::{GiveDeckFeedback, ReadOwnDecks};
use crate::http::extract::{LooseParams, May};
use crate::memory::rendered::Freshness;

/// Follows an author: `GET /v1/me/followed-decks` lists their public decks.
///
/// Nobody can see who follows whom; the page of the author only has the number of followers. Repeating the request changes nothing.
#[utoipa::path(
    put, path = "/v1/authors/{author}/follow", tag = "decks", security(("bearer" = [])),
    params(("author" = String, Path, description = "Name of the author", example = "ben")),
    responses(
        (status = 204, description = "The author is followed."),
        (status = 409, description = "`own_account`, `too_many_followed`"),
        (status = 429, description = "`daily_limit_reached`"),
    )
)]
pub async fn follow_author(
    state: web::Data<AppState>,
    by: May<GiveDeckFeedback>,
    author: web::Path<String>,
) -> Result<HttpResponse, Problem> {
    followed_authors::follow(&state, &by, &author).await?;
    Ok(HttpResponse::NoContent().finish())
}

/// Stops following an author, even one who has nothing public any more.
///
/// Repeating the request changes nothing; if the author has nothing public any more, a repeated request is a 404.
#[utoipa::path(
    delete, path = "/v1/authors/{author}/follow", tag = "decks", security(("bearer" = [])),
    params(("author" = String, Path, description = "Name of the author", example = "ben")),
    responses((status = 204, description = "The author is no longer followed."))
)]
pub async fn unfollow_author(
    state: web::Data<AppState>,
    by: May<GiveDeckFeedback>,
    author: web::Path<String>,
) -> Result<HttpResponse, Problem> {
    followed_authors::unfollow(&state, &by, &author).await?;
    Ok(HttpResponse::NoContent().finish())
}

/// Lists the authors that you follow, the last followed first.
///
/// Banned authors are left out.
#[utoipa::path(
    get, path = "/v1/me/followed-authors", tag = "decks", security(("bearer" = [])), params(PeopleDecksQuery),
    responses((status = 200, body = Page<FollowedAuthorResponse>), (status = 304, description = "Not changed."))
)]
pub async fn list_followed_authors(
    req: HttpRequest,
    state: web::Data<AppState>,
    by: May<ReadOwnDecks>,
    query: LooseParams<PeopleDecksQuery>,
) -> Result<HttpResponse, Problem> {
    let check = async |query: &PeopleDecksQuery| Cursor::key_of(query.cursor.as_ref());
    let (query, before): (_, Option<FollowedKey>) = query.checked(check).await?;
    let page = followed_authors::list(&state, &by, before, query.limit).await?;
    page.answer(&req, Freshness::Private)
}
