//! Perks of designers whose designs became cards.

use actix_web::{HttpRequest, HttpResponse, web};
use chrono::{DateTime, Utc};
use serde::Deserialize;
use utoipa::{IntoParams, ToSchema};
use uuid::Uuid;

use super::identifier;
use crate::api::serials::submissions::read_serial;
use crate::app::designs::designer_perks::{self, DesignerPerkResponse};
use crate::app::page::{Cursor, Page, PageLimit};
use crate::app::problem::Problem;
use crate::app::state::AppState;
use crate::auth::permission::{GrantPerks, ReadOwnDesigns, ReadPerks};
use crate::domain::ids::DesignId;
use crate::http::extract::{Caller, ClientNetwork, Judge, JudgedBody, LooseParams, May, cacheable};
use crate::memory::rendered::Freshness;

/// Which perks.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct DesignerPerksQuery {
    /// Those that were granted, instead of those that are due.
    #[serde(default)]
    #[param(value_type = Option<bool>, default = false)]
    granted: bool,
    /// Items on a page: 1 to 200.
    #[serde(default)]
    #[param(value_type = Option<u16>, minimum = 1, maximum = 200, default = 50)]
    limit: PageLimit,
    /// `next_cursor` of the page before.
    #[param(value_type = Option<String>)]
    cursor: Option<Cursor>,
}

/// Lists what designers of cards have earned and not got yet, for admins; what was earned first comes first.
///
/// A perk is earned in the moment in which everybody sees the card, when the unlock policy of the set names one (`designer_perk`).
#[utoipa::path(
    get, path = "/v1/designer-perks", tag = "designs", security(("bearer" = [])), params(DesignerPerksQuery),
    responses((status = 200, body = Page<DesignerPerkResponse>), (status = 304, description = "Not changed."))
)]
pub async fn list_designer_perks(
    req: HttpRequest,
    state: web::Data<AppState>,
    by: May<ReadPerks>,
    query: LooseParams<DesignerPerksQuery>,
) -> Result<HttpResponse, Problem> {
    let check = async |query: &DesignerPerksQuery| Cursor::key_of(query.cursor.as_ref());
    let (query, after): (_, Option<(DateTime<Utc>, Uuid)>) = query.checked(check).await?;
    let after = after.map(|(earned_at, design)| (earned_at, DesignId(design)));
    let page = designer_perks::list(&state, &by, query.granted, after, query.limit).await?;
    page.answer(&req, Freshness::Private)
}

/// Shows what the author of a design has earned by it: to the author, and to admins.
///
/// 404 when that is nothing, and as long as the card is hidden.
#[utoipa::path(
    get, path = "/v1/designs/{design}/perk", tag = "designs", security(("bearer" = [])),
    params(("design" = String, Path, description = "Identifier of the design")),
    responses((status = 200, body = DesignerPerkResponse), (status = 304, description = "Not changed."))
)]
pub async fn find_designer_perk(
    req: HttpRequest,
    state: web::Data<AppState>,
    by: May<ReadOwnDesigns>,
    caller: Caller,
    design: web::Path<String>,
) -> Result<HttpResponse, Problem> {
    let overseer = caller.may();
    let perk = designer_perks::find(&state, &by, overseer.as_ref(), identifier(&design)?).await?;
    cacheable(&req, Freshness::Private, None, &perk)
}

/// The copy that is given away.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct GrantCopyRequest {
    /// Serial code of a copy of the card that nobody has registered: 16 symbols; case, spaces and hyphens do not matter.
    #[schema(example = "7KQ2-X0FM-93TD-AW5G")]
    pub serial: String,
}

impl Judge for GrantCopyRequest {
    fn judge(&self) -> Result<(), Problem> {
        read_serial(&self.serial).map(drop)
    }
}

/// Gives the designer of a card the copy that was reserved: it is registered to the designer, who is told by `copy.received`.
///
/// For admins, after the perk was earned: see `GET /v1/designer-perks`. Send the designer the card itself as well. A code that fits no free copy of this card uses up
/// an attempt, as in a submission. The same request again is answered as before.
#[utoipa::path(
    post, path = "/v1/designs/{design}/perk", tag = "designs", security(("bearer" = [])), request_body = GrantCopyRequest,
    params(("design" = String, Path, description = "Identifier of the design")),
    responses(
        (status = 200, body = DesignerPerkResponse),
        (status = 404, description = "`not_found`: the design earned no perk, or its card is hidden."),
        (status = 409, description = "`perk_refused`"),
        (status = 422, description = "`serial_malformed`, `serial_mistyped`, `submission_rejected`, `invalid_body`"),
        (status = 429, description = "`serial_attempts_used_up`, `rate_limited`"),
    )
)]
pub async fn grant_reserved_copy(
    state: web::Data<AppState>,
    by: May<GrantPerks>,
    network: ClientNetwork,
    design: web::Path<String>,
    JudgedBody(body): JudgedBody<GrantCopyRequest>,
) -> Result<HttpResponse, Problem> {
    let (design, code) = (identifier(&design)?, read_serial(&body.value.serial)?);
    let perk = designer_perks::grant_copy(&state, &by, network.0, design, &code).await?;
    Ok(HttpResponse::Ok().insert_header(("cache-control", "no-store")).json(perk))
}
