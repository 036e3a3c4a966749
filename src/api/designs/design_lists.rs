//! Lists of designs: your own, and the gallery.

use actix_web::{HttpRequest, HttpResponse, web};
use serde::Deserialize;
use utoipa::IntoParams;
use uuid::Uuid;

use crate::app::catalogue::codes::Codes;
use crate::app::designs::design_lists::{self, DesignSummaryResponse, Gallery, GalleryKey};
use crate::app::page::{Cursor, Page, PageLimit};
use crate::app::problem::{Problem, both};
use crate::app::state::AppState;
use crate::auth::permission::ReadOwnDesigns;
use crate::domain::code::Code;
use crate::domain::designs::status::DesignStatus;
use crate::domain::ids::DesignId;
use crate::domain::text::{AccountName, NamePart};
use crate::http::extract::{ClientNetwork, LooseParams, May};
use crate::memory::rendered::Freshness;

/// Which designs of the gallery.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct GalleryQuery {
    /// Only designs of this game.
    #[param(value_type = Option<String>, example = "ttcg")]
    game: Option<Code>,
    /// Only designs of this kind of card.
    #[param(value_type = Option<String>, example = "unit")]
    kind: Option<Code>,
    /// Only designs that are so far.
    #[param(inline)]
    status: Option<DesignStatus>,
    /// Only designs of this author, by name.
    #[param(value_type = Option<String>, example = "ada")]
    author: Option<AccountName>,
    /// Only designs that have this in their name, 1 to 32 characters; case, spaces and punctuation do not count.
    #[param(value_type = Option<String>, example = "heron")]
    name: Option<NamePart>,
    /// Items on a page: 1 to 200.
    #[serde(default)]
    #[param(value_type = Option<u16>, minimum = 1, maximum = 200, default = 50)]
    limit: PageLimit,
    /// `next_cursor` of the page before.
    #[param(value_type = Option<String>)]
    cursor: Option<Cursor>,
}

/// Lists the designs that are shared; those that were shared last come first.
#[utoipa::path(
    get, path = "/v1/designs", tag = "designs", params(GalleryQuery),
    responses((status = 200, body = Page<DesignSummaryResponse>), (status = 304, description = "Not changed."))
)]
pub async fn list_shared_designs(
    req: HttpRequest,
    state: web::Data<AppState>,
    network: ClientNetwork,
    query: LooseParams<GalleryQuery>,
) -> Result<HttpResponse, Problem> {
    let check = async |query: &GalleryQuery| {
        let codes = Codes::of_game(query.game.clone());
        both(Cursor::key_of(query.cursor.as_ref()), codes.resolve(&state).await)
    };
    let (query, (before, codes)): (_, (Option<GalleryKey>, _)) = query.checked(check).await?;
    let GalleryQuery { kind, status, author, name, limit, .. } = query;
    let gallery = Gallery { codes, kind, status, author, name };
    let page = design_lists::list_shared(&state, network.0, &gallery, before, limit).await?;
    page.answer(&req, Freshness::Public(0))
}

/// Which of your designs.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct OwnDesignsQuery {
    /// Only designs of this game.
    #[param(value_type = Option<String>, example = "ttcg")]
    game: Option<Code>,
    /// Only designs that are so far.
    #[param(inline)]
    status: Option<DesignStatus>,
    /// Items on a page: 1 to 200.
    #[serde(default)]
    #[param(value_type = Option<u16>, minimum = 1, maximum = 200, default = 50)]
    limit: PageLimit,
    /// `next_cursor` of the page before.
    #[param(value_type = Option<String>)]
    cursor: Option<Cursor>,
}

/// Lists your designs, the newest first.
#[utoipa::path(
    get, path = "/v1/me/designs", tag = "designs", security(("bearer" = [])), params(OwnDesignsQuery),
    responses((status = 200, body = Page<DesignSummaryResponse>), (status = 304, description = "Not changed."))
)]
pub async fn list_own_designs(
    req: HttpRequest,
    state: web::Data<AppState>,
    by: May<ReadOwnDesigns>,
    query: LooseParams<OwnDesignsQuery>,
) -> Result<HttpResponse, Problem> {
    let check = async |query: &OwnDesignsQuery| {
        let codes = Codes::of_game(query.game.clone());
        both(Cursor::key_of(query.cursor.as_ref()), codes.resolve(&state).await)
    };
    let (query, (before, codes)): (_, (Option<Uuid>, _)) = query.checked(check).await?;
    let (status, before) = (query.status, before.map(DesignId));
    let page = design_lists::list_own(&state, &by, &codes, status, before, query.limit).await?;
    page.answer(&req, Freshness::Private)
}
