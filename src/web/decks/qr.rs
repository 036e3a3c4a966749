//! The address of a deck as a QR code.

use actix_web::{HttpRequest, HttpResponse, web};
use uuid::Uuid;

use super::deck_path;
use super::files::{by_cookie, freshness};
use crate::app::decks::deck_lists;
use crate::app::problem::Problem;
use crate::app::state::AppState;
use crate::auth::permission::ReadOwnDecks;
use crate::domain::ids::DeckId;
use crate::http::picture::picture_answer;
use crate::memory::rendered::Rendered;
use crate::web::headers::stay_apart;
use crate::web::qr_code::QrPicture;
use crate::web::session::Visitor;

/// The public address of a deck. `None`: the deck is private, or the public address of the service is not configured.
pub(super) fn shared_address(app: &AppState, deck: Uuid, visibility: &str) -> Option<String> {
    let public = app.settings.public_url.as_deref().filter(|_| visibility != "private")?;
    Some(format!("{public}{}", deck_path(deck)))
}

/// Draws the address of a deck that the reader may see. A deck without a public address answers 404.
pub(in crate::web) async fn draw_qr_code(
    req: HttpRequest,
    state: web::Data<AppState>,
    visitor: Visitor,
    deck: web::Path<Uuid>,
) -> Result<HttpResponse, Problem> {
    let reads = visitor.must::<ReadOwnDecks>().ok();
    let eyes = (visitor.viewer(), reads.as_ref());
    let found = deck_lists::find(&state, eyes, DeckId(*deck)).await?;
    let address = shared_address(&state, *deck, found.deck.summary.visibility);
    let svg = QrPicture::of(&address.ok_or_else(Problem::not_found)?)?.file();
    let file = Rendered::file(freshness(&visitor), "image/svg+xml", svg);
    let mut answer = picture_answer(&req, &file);
    stay_apart(answer.headers_mut());
    Ok(by_cookie(answer))
}
