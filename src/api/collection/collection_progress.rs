//! How complete a collection is, and its duplicates.

use actix_web::{HttpRequest, HttpResponse, web};
use serde::Deserialize;
use utoipa::IntoParams;

use crate::app::catalogue::codes::Codes;
use crate::app::collection::collection_progress::{self, CompletionResponse, DuplicateResponse};
use crate::app::page::{Cursor, Page, PageLimit};
use crate::app::problem::{InputFault, Problem, both};
use crate::app::state::AppState;
use crate::auth::permission::ReadOwnCollection;
use crate::domain::code::Code;
use crate::http::extract::{Caller, LooseParams, May, cacheable};
use crate::memory::rendered::Freshness;
use crate::store::collection::counts::DuplicatePosition;

/// Which sets.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct CompletionQuery {
    /// Code of the game.
    #[param(value_type = String, example = "ttcg")]
    game: Code,
    /// Code of the set. If absent: all sets of which you own something.
    #[param(value_type = Option<String>, example = "hearth")]
    set: Option<Code>,
}

/// Shows how complete the sets of a game are: by cards, printings, rarity and kind.
///
/// You own a printing if you counted it or have a registered copy of it. `cards` counts all cards of the set, hidden cards included; the other
/// numbers only count cards that you may see.
#[utoipa::path(
    get, path = "/v1/collection/completion", tag = "collection", security(("bearer" = [])), params(CompletionQuery),
    responses((status = 200, body = CompletionResponse), (status = 304, description = "Not changed."))
)]
pub async fn find_completion(
    req: HttpRequest,
    state: web::Data<AppState>,
    caller: Caller,
    by: May<ReadOwnCollection>,
    query: Result<LooseParams<CompletionQuery>, Problem>,
) -> Result<HttpResponse, Problem> {
    let check = async |query: &CompletionQuery| {
        Codes::of_set(Some(query.game.clone()), query.set.clone()).resolve(&state).await
    };
    let (_, codes) = query?.checked(check).await?;
    let viewer = caller.viewer();
    let completion = collection_progress::find_completion(&state, &by, viewer, &codes).await?;
    cacheable(&req, Freshness::Private, None, &completion)
}

/// Which printings, and which part of the list.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct DuplicatesQuery {
    /// How many of a printing you keep: 1 to 9999. Printings of which you have more are listed.
    #[serde(default = "one")]
    #[param(value_type = Option<i64>, minimum = 1, maximum = 9999, default = 1)]
    over: i64,
    /// Only cards of this game.
    #[param(value_type = Option<String>, example = "ttcg")]
    game: Option<Code>,
    /// Items on a page: 1 to 200.
    #[serde(default)]
    #[param(value_type = Option<u16>, minimum = 1, maximum = 200, default = 50)]
    limit: PageLimit,
    /// `next_cursor` of the previous page.
    #[param(value_type = Option<String>)]
    cursor: Option<Cursor>,
}

fn one() -> i64 {
    1
}

/// Lists printings of which you have more than `over`, counted and registered together, by game, set and number.
#[utoipa::path(
    get, path = "/v1/collection/duplicates", tag = "collection", security(("bearer" = [])), params(DuplicatesQuery),
    responses((status = 200, body = Page<DuplicateResponse>), (status = 304, description = "Not changed."))
)]
pub async fn list_duplicates(
    req: HttpRequest,
    state: web::Data<AppState>,
    caller: Caller,
    by: May<ReadOwnCollection>,
    query: LooseParams<DuplicatesQuery>,
) -> Result<HttpResponse, Problem> {
    let check = async |query: &DuplicatesQuery| {
        let fault = || Problem::of_query(vec![InputFault::at("?over", "must be 1 to 9999")]);
        let over = Some(query.over).filter(|over| (1..=9999).contains(over)).ok_or_else(fault);
        let codes = Codes::of_game(query.game.clone()).resolve(&state).await;
        both(both(over, Cursor::key_of(query.cursor.as_ref())), codes)
    };
    let (query, ((over, after), codes)) = query.checked(check).await?;
    let after: Option<DuplicatePosition> = after;
    let (viewer, limit) = (caller.viewer(), query.limit);
    let page =
        collection_progress::list_duplicates(&state, &by, viewer, &codes, over, after, limit)
            .await?;
    page.answer(&req, Freshness::Private)
}
