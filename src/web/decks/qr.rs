//! The address of a deck as a QR code.

use std::fmt::Write as _;

use actix_web::{HttpRequest, HttpResponse, web};
use qrcode::{Color, EcLevel, QrCode};
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
use crate::web::session::Visitor;

/// Width of the light border around a code, in modules; readers need it (ISO/IEC 18004, 6.3.8).
const QUIET_ZONE: usize = 4;

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
    let svg = qr_code(&address.ok_or_else(Problem::not_found)?)?;
    let file = Rendered::file(freshness(&visitor), "image/svg+xml", svg);
    let mut answer = picture_answer(&req, &file);
    stay_apart(answer.headers_mut());
    Ok(by_cookie(answer))
}

/// A QR code that is readable with 15 % of it missing. It is drawn with dark modules on a light ground, so that it works on dark pages, too; each horizontal
/// run is one rectangle.
fn qr_code(text: &str) -> Result<String, Problem> {
    let code = QrCode::with_error_correction_level(text, EcLevel::M).map_err(Problem::internal)?;
    let width = code.width();
    let mut dark = String::new();
    for (row, modules) in code.to_colors().chunks(width).enumerate() {
        let mut column = 0;
        for run in modules.chunk_by(|one, next| one == next) {
            if run[0] == Color::Dark {
                let (x, y, length) = (column + QUIET_ZONE, row + QUIET_ZONE, run.len());
                write!(dark, "M{x} {y}h{length}v1h-{length}z").map_err(Problem::internal)?;
            }
            column += run.len();
        }
    }
    let side = width + 2 * QUIET_ZONE;
    Ok(format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {side} {side}\" shape-rendering=\"crispEdges\">\
         <path fill=\"#fff\" d=\"M0 0h{side}v{side}h-{side}z\"/><path d=\"{dark}\"/></svg>"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    const ADDRESS: &str = "https://cards.example/decks/0199a2d4-0000-7000-8000-000000000000";
    /// Pixels of a module.
    const DOTS: usize = 5;

    /// The rectangles of a path: left, top and width, each one module high.
    fn rectangles(path: &str) -> Vec<(usize, usize, usize)> {
        let parts = path.split('z').filter(|part| !part.is_empty());
        let read = |part: &str| {
            let part = part.strip_prefix('M')?;
            let (place, rest) = part.split_once('h')?;
            let (left, top) = place.split_once(' ')?;
            let (width, _) = rest.split_once('v')?;
            Some((left.parse().ok()?, top.parse().ok()?, width.parse().ok()?))
        };
        parts.map(|part| read(part).unwrap()).collect()
    }

    #[test]
    fn a_qr_reader_decodes_the_address() {
        let svg = qr_code(ADDRESS).unwrap();
        let side = svg.split("viewBox=\"0 0 ").nth(1).unwrap();
        let side: usize = side.split(' ').next().unwrap().parse().unwrap();
        let (_, dark) = svg.rsplit_once("d=\"").unwrap();
        let dark = rectangles(dark.split('"').next().unwrap());
        let is_dark = |x: usize, y: usize| {
            dark.iter().any(|(left, top, width)| y == *top && (*left..left + width).contains(&x))
        };
        let free = |at: usize| at < QUIET_ZONE || at >= side - QUIET_ZONE;
        for (at, across) in (0..side).flat_map(|at| (0..side).map(move |across| (at, across))) {
            assert!(!(free(at) && (is_dark(at, across) || is_dark(across, at))), "{at} {across}");
        }
        let mut picture =
            rqrr::PreparedImage::prepare_from_greyscale(side * DOTS, side * DOTS, |x, y| {
                if is_dark(x / DOTS, y / DOTS) { 0 } else { 255 }
            });
        let grids = picture.detect_grids();
        assert_eq!(grids[0].decode().unwrap().1, ADDRESS);
    }
}
