//! Pictures of designs.

use actix_web::{HttpRequest, HttpResponse, web};

use super::identifier;
use crate::api::catalogue::card_pictures::PictureQuery;
use crate::app::designs::design_pictures;
use crate::app::problem::Problem;
use crate::app::state::AppState;
use crate::http::extract::{Caller, Params};
use crate::http::picture::picture_answer;
use crate::store::designs::DesignReviewer;

/// Draws a design that was shared, or one of yours, in the template for cards.
///
/// You see the newest revision of your own designs, and the public revision of others. Moderators also see designs that were submitted or taken down,
/// and shared designs of authors who are banned.
#[utoipa::path(
    get, path = "/v1/designs/{design}/picture", tag = "designs", security((), ("bearer" = [])),
    params(("design" = String, Path, description = "Identifier of the design"), PictureQuery),
    responses(
        (status = 200, content(
            (String = "image/svg+xml", example = "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 500 700\">…</svg>"),
            (String = "image/png", example = "(PNG)"),
        )),
        (status = 304, description = "Not changed."),
    )
)]
pub async fn draw_design_picture(
    req: HttpRequest,
    state: web::Data<AppState>,
    caller: Caller,
    design: web::Path<String>,
    query: Params<PictureQuery>,
) -> Result<HttpResponse, Problem> {
    let reader = caller.may();
    let reviewer = caller.may().map(|by| DesignReviewer::new(&by, caller.viewer()));
    let (reader, code, rarity) = (reader.as_ref(), identifier(&design)?, query.rarity.as_ref());
    let picture =
        design_pictures::draw(&state, reader, reviewer, code, rarity, query.format).await?;
    Ok(picture_answer(&req, &picture))
}
