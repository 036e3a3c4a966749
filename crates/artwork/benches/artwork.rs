//! Measures the largest uploads. Goal: at most one second on one core, for any upload.
#![allow(missing_docs, clippy::unwrap_used, reason = "a benchmark")]

use cardscape_artwork::{Artwork, Limits};
use divan::Bencher;
use image::codecs::jpeg::JpegEncoder;
use image::{DynamicImage, ImageFormat, Rgba, RgbaImage};

fn main() {
    divan::main();
}

/// A picture with the maximum number of pixels: gradients with some noise, and a soft transparent edge unless `is_opaque`.
fn picture(is_opaque: bool) -> DynamicImage {
    let mut noise = 1u32;
    let pixels = RgbaImage::from_fn(4000, 4000, |x, y| {
        noise = noise.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        let [grain, ..] = (noise >> 28).to_be_bytes().map(|byte| byte % 8);
        let wave = |n: u32| u8::try_from(n / 16 % 240).unwrap() + grain + (noise >> 29) as u8;
        let alpha = if is_opaque { 255 } else { u8::try_from((x / 8).min(255)).unwrap() };
        Rgba([wave(x), wave(y), wave(x + y), alpha])
    });
    let picture = DynamicImage::from(pixels);
    if is_opaque { picture.into_rgb8().into() } else { picture }
}

fn measure(bencher: Bencher<'_, '_>, file: Vec<u8>) {
    let limits = Limits { bytes: usize::MAX, ..Limits::default() };
    bencher.bench(|| Artwork::read(&file, &limits).unwrap());
}

#[divan::bench(sample_count = 10)]
fn jpeg(bencher: Bencher<'_, '_>) {
    let mut file = Vec::new();
    let encoder = JpegEncoder::new_with_quality(&mut file, 90);
    picture(true).write_with_encoder(encoder).unwrap();
    measure(bencher, file);
}

#[divan::bench(args = [ImageFormat::Png, ImageFormat::WebP], sample_count = 5)]
fn opaque(bencher: Bencher<'_, '_>, format: ImageFormat) {
    let mut file = std::io::Cursor::new(Vec::new());
    picture(true).write_to(&mut file, format).unwrap();
    measure(bencher, file.into_inner());
}

#[divan::bench(args = [ImageFormat::Png, ImageFormat::WebP], sample_count = 5)]
fn transparent(bencher: Bencher<'_, '_>, format: ImageFormat) {
    let mut file = std::io::Cursor::new(Vec::new());
    picture(false).write_to(&mut file, format).unwrap();
    measure(bencher, file.into_inner());
}
