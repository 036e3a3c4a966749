//! Draws SVGs as PNG.

use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg::{ImageHrefResolver, Options, Tree};
use thiserror::Error;

use crate::artwork;
use crate::fonts::Fonts;

/// A picture could not be drawn: an error in this crate or in the renderer, not in the card or chart.
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

/// Draws an SVG of this crate with the given width and height in pixels. The renderer can use only the given fonts and
/// images inside the SVG: no files and no addresses.
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

/// Encodes pixels after dropping the two lowest bits of red and green, and three of blue, to which eyes are less sensitive.
/// These bits are invisible and hardly compressible: without them, files have half the size.
fn encode(pixels: Pixmap) -> Result<Vec<u8>, png::EncodingError> {
    let (width, height) = (pixels.width(), pixels.height());
    let mut bytes = pixels.take_demultiplied();
    for [red, green, blue, _] in bytes.as_chunks_mut::<4>().0 {
        for (colour, lost) in [(red, 2), (green, 2), (blue, 3)] {
            let kept = colour.saturating_add(1 << (lost - 1)) >> lost << lost;
            // The lowest bits are replaced by the highest, so that white stays white.
            *colour = kept | kept >> (8 - lost);
        }
    }
    let mut file = Vec::with_capacity(200_000);
    let mut encoder = png::Encoder::new(&mut file, width, height);
    encoder.set_color(png::ColorType::Rgba);
    encoder.set_depth(png::BitDepth::Eight);
    // One level below the default takes half the time, for one percent more bytes.
    encoder.set_deflate_compression(png::DeflateCompression::Level(5));
    // Unfiltered rows compress better here: those of plain plates are equal, but differences of gradients vary.
    encoder.set_filter(png::Filter::NoFilter);
    let mut writer = encoder.write_header()?;
    writer.write_image_data(&bytes)?;
    writer.finish()?;
    Ok(file)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// SVGs of this crate never contain references to files or addresses; here the renderer gets some and must ignore them.
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
