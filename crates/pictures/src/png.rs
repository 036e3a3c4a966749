//! Drawing pixels.

use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg::{ImageHrefResolver, Options, Tree};
use thiserror::Error;

use crate::artwork;
use crate::fonts::Fonts;

/// A picture that could not be drawn: a fault of this crate or the renderer, not of the card or chart.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("the picture cannot be drawn: {reason}")]
pub struct PngError {
    reason: String,
}

impl PngError {
    fn new(reason: impl ToString) -> Self {
        Self { reason: reason.to_string() }
    }
}

/// Draws one of our own SVGs, on so many pixels (width and height). The renderer finds nothing but the given fonts and the image in the text itself: no file, no address.
pub(crate) fn draw(
    svg: &str,
    (width, height): (u32, u32),
    fonts: &Fonts,
) -> Result<Vec<u8>, PngError> {
    let options = Options {
        resources_dir: None,
        image_href_resolver: ImageHrefResolver {
            resolve_data: Box::new(|_, bytes, _| artwork::admitted(bytes)),
            resolve_string: Box::new(|_, _| None),
        },
        font_resolver: fonts.resolver(),
        fontdb: fonts.database(),
        ..Options::default()
    };
    let tree = Tree::from_str(svg, &options).map_err(PngError::new)?;
    let mut pixels = Pixmap::new(width, height).ok_or(PngError::new("no room"))?;
    resvg::render(&tree, Transform::identity(), &mut pixels.as_mut());
    encode(pixels).map_err(PngError::new)
}

/// Colours lose their two lowest bits (blue, which eyes are worst at, three): nobody sees them, and no compression finds a pattern in them.
/// The files are half as long.
fn encode(pixels: Pixmap) -> Result<Vec<u8>, png::EncodingError> {
    let (width, height) = (pixels.width(), pixels.height());
    let mut bytes = pixels.take_demultiplied();
    for [red, green, blue, _] in bytes.as_chunks_mut::<4>().0 {
        for (colour, lost) in [(red, 2), (green, 2), (blue, 3)] {
            let kept = colour.saturating_add(1 << (lost - 1)) >> lost << lost;
            // The highest bits stand in for the lowest, so that white stays white.
            *colour = kept | kept >> (8 - lost);
        }
    }
    let mut file = Vec::with_capacity(200_000);
    let mut encoder = png::Encoder::new(&mut file, width, height);
    encoder.set_color(png::ColorType::Rgba);
    encoder.set_depth(png::BitDepth::Eight);
    // One level less than usual: half the time for a hundredth more bytes.
    encoder.set_deflate_compression(png::DeflateCompression::Level(5));
    // Rows as they are: flat plates repeat themselves, differences of gradients do not.
    encoder.set_filter(png::Filter::NoFilter);
    let mut writer = encoder.write_header()?;
    writer.write_image_data(&bytes)?;
    writer.finish()?;
    Ok(file)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What an SVG of ours never has, and would not be drawn.
    #[test]
    fn the_renderer_opens_nothing() {
        let file = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/dot.png");
        let inline = "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' width='9' height='9'%3E%3Crect width='9' height='9'/%3E%3C/svg%3E";
        let fonts = Fonts::bundled();
        let svg = |inside: &str| {
            let svg = format!(
                r#"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 500 700">{inside}</svg>"#
            );
            draw(&svg, (500, 700), &fonts)
        };
        let empty = svg("");
        assert!(empty.is_ok());
        for href in [file, &format!("file://{file}"), "https://example.org/dot.png", inline] {
            let image = format!(r#"<image width="500" height="700" href="{href}"/>"#);
            assert_eq!(svg(&image), empty, "{href}");
        }
        assert_ne!(svg(r#"<rect width="9" height="9"/>"#), empty);
        assert!(draw("<svg", (500, 700), &fonts).is_err());
    }
}
