//! Lists of the caller's designs.

use actix_web::{HttpRequest, HttpResponse, web};
use serde::Deserialize;
use utoipa::IntoParams;
use uuid::Uuid;

use crate::app::catalogue::codes::Codes;
use crate::app::designs::design_lists::{self, DesignSummaryResponse};
use crate::app::page::{Cursor, Page, PageLimit};
use crate::app::problem::{Problem, both};
use crate::app::state::AppState;
use crate::auth::permission::ReadOwnDesigns;
use crate::domain::code::Code;
use crate::domain::designs::status::DesignStatus;
use crate::domain::ids::DesignId;
use crate::http::extract::{LooseParams, May};
use crate::memory::rendered::Freshness;

/// Which of your designs.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct OwnDesignsQuery {
    /// Only designs of this game.
    #[param(value_type = Option<String>, example = "ttcg")]
    game: Option<Code>,
    /// Only designs with this status.
    #[param(inline)]
    status: Option<DesignStatus>,
    /// Items on a page: 1 to 200.
    #[serde(default)]
    #[param(value_type = Option<u16>, minimum = 1, maximum = 200, default = 50)]
    limit: PageLimit,
    /// `next_cursor` of the previous page.
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
