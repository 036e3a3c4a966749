//! QR codes as paths of SVG.

use std::fmt::Write as _;

use qrcode::{Color, EcLevel, QrCode};

use crate::app::problem::Problem;

/// Width of the light border around a code, in modules; readers need it (ISO/IEC 18004, 6.3.8).
const QUIET_ZONE: usize = 4;

/// A QR code that is readable with 15 % of it missing. It is drawn with dark modules on a light ground, so that it works on dark pages, too.
pub(super) struct QrPicture {
    /// Width and height, in modules.
    pub(super) side: usize,
    /// The path of the dark modules: each horizontal run is one rectangle.
    pub(super) dark: String,
}

impl QrPicture {
    /// Encodes a text.
    pub(super) fn of(text: &str) -> Result<Self, Problem> {
        let code =
            QrCode::with_error_correction_level(text, EcLevel::M).map_err(Problem::internal)?;
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
        Ok(Self { side: width + 2 * QUIET_ZONE, dark })
    }

    /// The picture as a file.
    pub(super) fn file(&self) -> String {
        let Self { side, dark } = self;
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {side} {side}\" shape-rendering=\"crispEdges\">\
             <path fill=\"#fff\" d=\"M0 0h{side}v{side}h-{side}z\"/><path d=\"{dark}\"/></svg>"
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ADDRESS: &str = "https://cards.example/decks/0199a2d4-0000-7000-8000-000000000000";
    const SECRET: &str =
        "otpauth://totp/Cardscape:ada?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=Cardscape";
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

    /// What a reader finds in the picture, which must have its light border.
    fn decoded(text: &str) -> String {
        let QrPicture { side, dark } = QrPicture::of(text).unwrap();
        let dark = rectangles(&dark);
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
        picture.detect_grids()[0].decode().unwrap().1
    }

    #[test]
    fn a_qr_reader_decodes_the_text() {
        for text in [ADDRESS, SECRET] {
            assert_eq!(decoded(text), text);
        }
    }

    #[test]
    fn the_file_shows_the_modules_on_a_light_ground() {
        let picture = QrPicture::of(ADDRESS).unwrap();
        let file = picture.file();
        assert!(file.contains(&format!("viewBox=\"0 0 {0} {0}\"", picture.side)), "{file}");
        assert!(file.ends_with(&format!("<path d=\"{}\"/></svg>", picture.dark)), "{file}");
    }
}
