//! Lists of decks for readers other than their owners.

use actix_web::{HttpRequest, HttpResponse, web};
use serde::Deserialize;
use utoipa::IntoParams;

use crate::app::decks::shared_decks::{self, PublishedKey, SharedDeckResponse};
use crate::app::page::{Cursor, Page, PageLimit};
use crate::app::problem::Problem;
use crate::app::state::AppState;
use crate::auth::permission::ReadOwnDecks;
use crate::http::extract::{LooseParams, May};
use crate::memory::rendered::Freshness;

/// Which part of the list.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct PeopleDecksQuery {
    /// Items on a page: 1 to 200.
    #[serde(default)]
    #[param(value_type = Option<u16>, minimum = 1, maximum = 200, default = 50)]
    pub(super) limit: PageLimit,
    /// `next_cursor` of the previous page.
    #[param(value_type = Option<String>)]
    pub(super) cursor: Option<Cursor>,
}

/// Lists the public decks of an author, the last published first.
///
/// The answer is 404 for banned accounts, and for accounts that have neither a public deck nor a design in the gallery nor a badge.
#[utoipa::path(
    get, path = "/v1/authors/{author}/decks", tag = "decks",
    params(("author" = String, Path, description = "Name of the author", example = "ada"), PeopleDecksQuery),
    responses((status = 200, body = Page<SharedDeckResponse>), (status = 304, description = "Not changed."))
)]
pub async fn list_author_decks(
    req: HttpRequest,
    state: web::Data<AppState>,
    author: web::Path<String>,
    query: LooseParams<PeopleDecksQuery>,
) -> Result<HttpResponse, Problem> {
    let check = async |query: &PeopleDecksQuery| Cursor::key_of(query.cursor.as_ref());
    let (query, before): (_, Option<PublishedKey>) = query.checked(check).await?;
    let page = shared_decks::list_of_author(&state, &author, before, query.limit).await?;
    page.answer(&req, Freshness::Public(0))
}

/// Lists the public decks of the authors that you follow, the last published first.
///
/// A deck counts as published at the time when it was first public; later changes do not change that time. Authors who are banned or whom you have
/// blocked are left out.
#[utoipa::path(
    get, path = "/v1/me/followed-decks", tag = "decks", security(("bearer" = [])), params(PeopleDecksQuery),
    responses((status = 200, body = Page<SharedDeckResponse>), (status = 304, description = "Not changed."))
)]
pub async fn list_followed_decks(
    req: HttpRequest,
    state: web::Data<AppState>,
    by: May<ReadOwnDecks>,
    query: LooseParams<PeopleDecksQuery>,
) -> Result<HttpResponse, Problem> {
    let check = async |query: &PeopleDecksQuery| Cursor::key_of(query.cursor.as_ref());
    let (query, before): (_, Option<PublishedKey>) = query.checked(check).await?;
    let page = shared_decks::list_followed(&state, &by, before, query.limit).await?;
    page.answer(&req, Freshness::Private)
}
