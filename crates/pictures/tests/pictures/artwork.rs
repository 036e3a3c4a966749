//! Pictures of cards with artwork.

use cardscape_pictures::{Artwork, CardFace, Fonts, Picture};

use crate::support::pixels;

/// A PNG of a red square of 4 × 4 pixels.
fn red() -> Vec<u8> {
    let mut file = Vec::new();
    let mut encoder = png::Encoder::new(&mut file, 4, 4);
    encoder.set_color(png::ColorType::Rgb);
    let mut writer = encoder.write_header().unwrap();
    writer.write_image_data(&[255, 0, 0].repeat(16)).unwrap();
    writer.finish().unwrap();
    file
}

#[test]
fn artwork_is_drawn_in_its_box() {
    let file = red();
    let artwork = Artwork::new(&file).unwrap();
    let face =
        CardFace { artwork: Some(artwork), glyph: Some("🙂".into()), ..CardFace::default() };
    let picture = Picture::card(&face);
    let svg = picture.svg();
    assert!(svg.contains("href=\"data:image/png;base64,iVBOR"));
    assert!(!svg.contains("🙂</text>"), "the emoji stands where there is no artwork");
    let drawn = pixels(&picture.png(&Fonts::bundled()).unwrap());
    let [red, green, blue, _] = drawn[300 * 500 + 250];
    assert!(red > 240 && green < 16 && blue < 16, "{red} {green} {blue}");
    let [red, green, ..] = drawn[20 * 500 + 250];
    assert!(!(red > 240 && green < 16), "and nowhere else");
}

#[test]
fn a_broken_image_leaves_the_box_empty() {
    let mut file = red();
    file.truncate(40);
    let face = CardFace { artwork: Artwork::new(&file).ok(), ..CardFace::default() };
    assert!(face.artwork.is_some());
    assert!(Picture::card(&face).png(&Fonts::bundled()).is_ok());
}
