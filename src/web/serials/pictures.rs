//! Pictures of cards for a logged-in visitor. They include hidden cards of which the reader has a copy.

use actix_web::http::header::{self, HeaderValue};
use actix_web::{HttpRequest, HttpResponse, web};
use serde::Deserialize;
use uuid::Uuid;

use crate::app::catalogue::card_migrations::{Located, NewPlace};
use crate::app::catalogue::card_pictures::{self, PictureForm};
use crate::app::problem::Problem;
use crate::app::state::AppState;
use crate::domain::code::Code;
use crate::domain::ids::CardId;
use crate::http::picture::picture_answer;
use crate::web::headers::stay_apart;
use crate::web::session::{Visitor, see_other};

/// The rarity of the picture.
#[derive(Deserialize)]
pub(in crate::web) struct PictureQuery {
    rarity: Option<Code>,
}

/// The path of the picture of a card, as the reader may see it.
pub(in crate::web) fn picture_path(card: Uuid, rarity: &str) -> String {
    if rarity.is_empty() {
        format!("/pictures/{card}")
    } else {
        format!("/pictures/{card}?rarity={rarity}")
    }
}

/// Draws a card that the reader may see. Caches must not store a picture that a stranger may not see.
pub(in crate::web) async fn draw_picture(
    req: HttpRequest,
    state: web::Data<AppState>,
    visitor: Visitor,
    card: web::Path<Uuid>,
    query: web::Query<PictureQuery>,
) -> Result<HttpResponse, Problem> {
    let (viewer, card, rarity) = (visitor.viewer(), CardId(*card), query.rarity.as_ref());
    let found = card_pictures::draw(&state, viewer, card, rarity, PictureForm::Svg).await?;
    match found {
        Located::Here(picture) => {
            let mut answer = picture_answer(&req, &picture);
            // Otherwise another site could distinguish an owner from a stranger by loading the picture.
            stay_apart(answer.headers_mut());
            if !viewer.is_stranger() {
                let cache_control = HeaderValue::from_static("private, no-store");
                answer.headers_mut().insert(header::CACHE_CONTROL, cache_control);
            }
            answer.headers_mut().append(header::VARY, HeaderValue::from_static("Cookie"));
            Ok(answer)
        }
        Located::Moved(NewPlace::Id(card)) => {
            let rarity = query.rarity.as_ref().map(Code::as_str).unwrap_or_default();
            Ok(see_other(&picture_path(card.0, rarity)))
        }
        Located::Moved(NewPlace::Number(_)) => Err(Problem::internal("an id leads to a number")),
    }
}
