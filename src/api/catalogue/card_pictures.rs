//! Pictures of cards.

use actix_web::http::header::{self, HeaderValue};
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
use crate::memory::rendered::Rendered;

/// Content-Security-Policy of a picture that is opened as a document: it must not load or run anything as part of this
/// site.
const POLICY: &str = "default-src 'none'; img-src data:; sandbox";

/// Which picture of a card.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct PictureQuery {
    /// Code of a rarity, which decides the numbers and the finish; absent: the lowest in which the card exists.
    #[param(value_type = Option<String>, example = "rare")]
    pub(crate) rarity: Option<Code>,
    /// `svg` or `png`.
    #[serde(default)]
    #[param(inline, default = "svg")]
    pub(crate) format: PictureForm,
}

/// Draws a card, in a template that is the same for all games.
///
/// All texts of the card are in it, also for screen readers. A card that is hidden from the caller has the same picture as every other hidden card. 404 when
/// the card does not exist in that rarity.
#[utoipa::path(
    get, path = "/v1/cards/{card}/picture", tag = "catalogue", security((), ("bearer" = [])),
    params(("card" = Uuid, Path, description = "Id of the card"), PictureQuery),
    responses(
        (status = 200, content(
            (String = "image/svg+xml", example = "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 500 700\">…</svg>"),
            (String = "image/png", example = "(PNG)"),
        )),
        (status = 304, description = "Not changed."),
        (status = 308, description = "The card became one with another: its place is in `Location`."),
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

/// A picture as a response, with [`POLICY`].
pub(crate) fn picture_answer(req: &HttpRequest, picture: &Rendered) -> HttpResponse {
    let mut answer = picture.answer(req);
    answer.headers_mut().insert(header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(POLICY));
    answer
}
