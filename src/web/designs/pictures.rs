//! Pictures of designs for a logged-in visitor: of stored designs, and of the draft in the designer.

use actix_web::http::header::{self, HeaderValue};
use actix_web::{HttpRequest, HttpResponse, web};
use serde::Deserialize;

use super::draft::Draft;
use super::identifier;
use crate::app::catalogue::card_pictures::PictureForm;
use crate::app::designs::design_pictures;
use crate::app::problem::Problem;
use crate::app::state::AppState;
use crate::auth::permission::ReadOwnDesigns;
use crate::domain::code::Code;
use crate::http::picture::picture_answer;
use crate::memory::rendered::Rendered;
use crate::store::designs::DesignReviewer;
use crate::web::headers::stay_apart;
use crate::web::session::{Player, Visitor};

/// The rarity of the picture.
#[derive(Deserialize)]
pub(in crate::web) struct PictureQuery {
    rarity: Option<Code>,
}

/// Draws a design that the reader may see. Caches must not store a picture that a stranger may not see.
pub(in crate::web) async fn draw_picture(
    req: HttpRequest,
    state: web::Data<AppState>,
    visitor: Visitor,
    design: web::Path<String>,
    query: web::Query<PictureQuery>,
) -> Result<HttpResponse, Problem> {
    let (code, rarity) = (identifier(&design)?, query.rarity.as_ref());
    let reader = visitor.must().ok();
    let reviewer = visitor.must().ok().map(|by| DesignReviewer::new(&by, visitor.viewer()));
    let (reader, form) = (reader.as_ref(), PictureForm::Svg);
    let picture = design_pictures::draw(&state, reader, reviewer, code, rarity, form).await?;
    Ok(answered(&req, &visitor, &picture))
}

/// Draws the draft of the designer.
pub(in crate::web) async fn sketch(
    req: HttpRequest,
    state: web::Data<AppState>,
    by: Player<ReadOwnDesigns>,
    draft: web::Query<Draft>,
) -> Result<HttpResponse, Problem> {
    let draft = draft.into_inner();
    let game = state.named_game(draft.one("game")).await?;
    let game = game.map_err(|_| Problem::of_query(Vec::new()))?;
    let request = draft.request(&game.game);
    let picture = design_pictures::sketch(&state, &by, request, None).await?;
    Ok(answered(&req, &by.visitor, &picture))
}

fn answered(req: &HttpRequest, visitor: &Visitor, picture: &Rendered) -> HttpResponse {
    let mut answer = picture_answer(req, picture);
    // Otherwise another site could distinguish the author from a stranger by loading the picture.
    stay_apart(answer.headers_mut());
    if !visitor.is_stranger() {
        let cache_control = HeaderValue::from_static("private, no-store");
        answer.headers_mut().insert(header::CACHE_CONTROL, cache_control);
    }
    answer.headers_mut().append(header::VARY, HeaderValue::from_static("Cookie"));
    answer
}
