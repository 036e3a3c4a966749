//! Perks of designers whose designs became cards.

use actix_web::{HttpRequest, HttpResponse, web};
use serde::Deserialize;
use utoipa::{IntoParams, ToSchema};

use super::identifier;
use crate::api::serials::submissions::read_serial;
use crate::app::designs::designer_perks::{self, DesignerPerkResponse, PerkKey};
use crate::app::page::{Cursor, Page, PageLimit};
use crate::app::problem::Problem;
use crate::app::state::AppState;
use crate::auth::permission::{GrantPerks, ReadOwnDesigns, ReadPerks};
use crate::http::extract::{Caller, ClientNetwork, Judge, JudgedBody, LooseParams, May, cacheable};
use crate::memory::rendered::Freshness;

/// Which perks.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct DesignerPerksQuery {
    /// `true`: perks that were granted; `false`: perks that are due.
    #[serde(default)]
    #[param(value_type = Option<bool>, default = false)]
    granted: bool,
    /// Items on a page: 1 to 200.
    #[serde(default)]
    #[param(value_type = Option<u16>, minimum = 1, maximum = 200, default = 50)]
    limit: PageLimit,
    /// `next_cursor` of the previous page.
    #[param(value_type = Option<String>)]
    cursor: Option<Cursor>,
}

/// Lists the perks of designers for admins: those that are due, or those that were granted; the first earned first.
///
/// A perk is earned when the card becomes visible to everybody, if the unlock policy of the set names one at that moment (`designer_perk`).
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
    let (query, after): (_, Option<PerkKey>) = query.checked(check).await?;
    let page = designer_perks::list(&state, &by, query.granted, after, query.limit).await?;
    page.answer(&req, Freshness::Private)
}

/// Shows the perk that the author of a design has earned, to the author and to admins.
///
/// 404 if there is no perk, and as long as the card is hidden.
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

/// The copy to give to the designer.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct GrantCopyRequest {
    /// Serial code of an unregistered copy of the card: 16 symbols; case, spaces and hyphens do not matter.
    #[schema(example = "7KQ2-X0FM-93TD-AW5G")]
    pub serial: String,
}

impl Judge for GrantCopyRequest {
    fn judge(&self) -> Result<(), Problem> {
        read_serial(&self.serial).map(drop)
    }
}

/// Gives the designer of a card the reserved copy: registers it to the designer.
///
/// For admins, after the perk was earned: see `GET /v1/designer-perks`. The designer receives the event `copy.received`. Also send the designer the printed card. A
/// code that does not belong to a free copy of this card uses up an attempt, as in a submission. Repeating the request has the same answer and changes nothing.
#[utoipa::path(
    post, path = "/v1/designs/{design}/perk", tag = "designs", security(("bearer" = [])), request_body = GrantCopyRequest,
    params(("design" = String, Path, description = "Identifier of the design")),
    responses(
        (status = 200, body = DesignerPerkResponse),
        (status = 404, description = "`not_found`: the design has earned no perk, or its card is hidden."),
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
