//! Pictures of cards.

use actix_web::{HttpRequest, HttpResponse, web};
use serde::Deserialize;
use utoipa::IntoParams;
use uuid::Uuid;

use crate::app::catalogue::card_pictures::{self, PictureForm};
use crate::app::problem::Problem;
use crate::app::state::AppState;
use crate::domain::code::Code;
use crate::domain::ids::CardId;
use crate::http::extract::{Caller, Params};
use crate::http::picture::picture_answer;

/// Which picture of a card.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct PictureQuery {
    /// Code of a rarity, which determines the numbers and the finish; if it is absent, the lowest rarity in which the card exists.
    #[param(value_type = Option<String>, example = "rare")]
    pub(crate) rarity: Option<Code>,
    /// `svg` or `png`; absent: `svg`.
    #[serde(default)]
    #[param(inline)]
    pub(crate) format: PictureForm,
}

/// Draws a card, in a template that is the same for all games.
///
/// Texts that do not fit end with `…` or are left out; the SVG also has all texts for screen readers, up to 4,000 characters of them. All cards that
/// are hidden from the caller have the same picture. If the card does not exist in that rarity, the answer is 404.
#[utoipa::path(
    get, path = "/v1/cards/{card}/picture", tag = "catalogue", security((), ("bearer" = [])),
    params(("card" = Uuid, Path, description = "Id of the card"), PictureQuery),
    responses(
        (status = 200, content(
            (String = "image/svg+xml", example = "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 500 700\">…</svg>"),
            (String = "image/png", example = "(PNG)"),
        )),
        (status = 304, description = "Not changed."),
        (status = 308, description = "The card was merged into another card: its address is in `Location`."),
    )
)]
pub async fn draw_card_picture(
    req: HttpRequest,
    state: web::Data<AppState>,
    caller: Caller,
    card: web::Path<Uuid>,
    query: Params<PictureQuery>,
) -> Result<HttpResponse, Problem> {
    let (viewer, rarity) = (caller.viewer(), query.rarity.as_ref());
    let found = card_pictures::draw(&state, viewer, CardId(*card), rarity, query.format).await?;
    found.answer(&req, |picture| Ok(picture_answer(&req, &picture)))
}
