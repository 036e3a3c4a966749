//! Accepted uploads, and the resulting artwork.

use cardscape_artwork::{FULL_SIDE_MAX, Limits, MediaType, SMALL_SIDE_MAX};
use image::codecs::png::PngEncoder;
use image::{DynamicImage, ExtendedColorType, ImageEncoder, Rgba, RgbaImage};

use crate::support::{
    LOSSLESS, LOSSY, LOSSY_ALPHA, PROGRESSIVE, each_format, fading, file, gradient, is_near,
    pixels, read,
};

#[test]
fn opaque_pictures_become_jpegs_in_two_sizes() {
    for upload in each_format(&gradient(1800, 900)) {
        let artwork = read(&upload).unwrap();
        let (full, small) = (artwork.full(), artwork.small());
        assert_eq!((full.width(), full.height()), (FULL_SIDE_MAX, 768));
        assert_eq!((small.width(), small.height()), (SMALL_SIDE_MAX, 250));
        for rendition in [full, small] {
            assert_eq!(rendition.media_type(), MediaType::Jpeg);
            assert_eq!(rendition.media_type().as_str(), "image/jpeg");
            let pixels = pixels(rendition);
            let size = (rendition.width(), rendition.height());
            assert_eq!(pixels.dimensions(), size);
            let middle = pixels.get_pixel(size.0 / 2, size.1 / 2).0;
            assert!(is_near(middle, [127, 127, 127, 255]), "{middle:?}");
        }
    }
}

#[test]
fn transparent_pictures_become_pngs() {
    let picture = fading(700, 700);
    for format in [image::ImageFormat::Png, image::ImageFormat::WebP] {
        let artwork = read(&file(&picture, format)).unwrap();
        for rendition in [artwork.full(), artwork.small()] {
            assert_eq!(rendition.media_type(), MediaType::Png);
            let side = rendition.width();
            let middle = pixels(rendition).get_pixel(side / 2, side / 2).0;
            assert!(is_near(middle, [127, 127, 90, 127]), "{middle:?}");
        }
        assert_eq!((artwork.full().width(), artwork.small().width()), (700, 500));
        // A picture that is not scaled keeps its pixels.
        let full = pixels(artwork.full());
        assert_eq!(full.get_pixel(100, 600), picture.as_rgba8().unwrap().get_pixel(100, 600));
    }
}

#[test]
fn an_opaque_alpha_channel_is_removed() {
    let opaque = DynamicImage::from(gradient(300, 300).into_rgba8());
    let artwork = read(&file(&opaque, image::ImageFormat::Png)).unwrap();
    assert_eq!(artwork.full().media_type(), MediaType::Jpeg);
}

#[test]
fn colours_of_transparent_pixels_are_removed_and_do_not_bleed() {
    // Fully transparent green pixels next to opaque red ones.
    let picture = RgbaImage::from_fn(600, 600, |x, _| {
        if x < 300 { Rgba([0, 255, 0, 0]) } else { Rgba([255, 0, 0, 255]) }
    });
    let artwork = read(&file(&picture.into(), image::ImageFormat::Png)).unwrap();
    for rendition in [artwork.full(), artwork.small()] {
        for pixel in pixels(rendition).pixels() {
            assert_eq!(pixel.0[1], 0, "{pixel:?}");
        }
    }
}

#[test]
fn files_of_the_reference_libraries_are_read() {
    for (name, upload) in [("jpeg", PROGRESSIVE), ("lossy", LOSSY), ("lossless", LOSSLESS)] {
        let artwork = read(upload).unwrap();
        assert_eq!(artwork.full().media_type(), MediaType::Jpeg, "{name}");
        let pixels = pixels(artwork.full());
        for (x, y) in [(20, 20), (100, 100), (50, 150), (180, 90)] {
            let expected = gradient(200, 200).into_rgba8().get_pixel(x, y).0;
            let found = pixels.get_pixel(x, y).0;
            assert!(is_near(found, expected), "{name}: {found:?} for {expected:?}");
        }
    }
    let artwork = read(LOSSY_ALPHA).unwrap();
    assert_eq!(artwork.full().media_type(), MediaType::Png);
    let middle = pixels(artwork.full()).get_pixel(100, 100).0;
    assert!(middle[3].abs_diff(127) < 6, "{middle:?}");
}

#[test]
fn grey_palette_and_16_bit_pictures_become_8_bit_rgb() {
    let grey = gradient(256, 256).into_luma8();
    let uploads = [
        DynamicImage::from(grey.clone()),
        DynamicImage::from(grey.clone()).into_luma_alpha8().into(),
        DynamicImage::from(grey.clone()).into_luma16().into(),
        DynamicImage::from(grey.clone()).into_rgb16().into(),
        DynamicImage::from(grey.clone()).into_rgba16().into(),
    ];
    for upload in uploads {
        let artwork = read(&file(&upload, image::ImageFormat::Png)).unwrap();
        let pixels = pixels(artwork.full());
        for (x, y) in [(10, 10), (128, 50), (240, 250)] {
            let [grey] = grey.get_pixel(x, y).0;
            let found = pixels.get_pixel(x, y).0;
            assert!(is_near(found, [grey, grey, grey, 255]), "{found:?} for {grey}");
        }
    }
    let mut palette = Vec::new();
    let mut encoder = png::Encoder::new(&mut palette, 256, 256);
    encoder.set_color(png::ColorType::Indexed);
    encoder.set_palette([0, 0, 0, 250, 100, 20].as_slice());
    let mut writer = encoder.write_header().unwrap();
    writer.write_image_data(&vec![1; 256 * 256]).unwrap();
    writer.finish().unwrap();
    let artwork = read(&palette).unwrap();
    let found = pixels(artwork.full()).get_pixel(9, 9).0;
    assert!(is_near(found, [250, 100, 20, 255]), "{found:?}");
}

#[test]
fn equal_uploads_have_equal_addresses() {
    let uploads = each_format(&fading(600, 400));
    for upload in &uploads {
        let (one, other) = (read(upload).unwrap(), read(upload).unwrap());
        assert_eq!(one, other);
        assert_eq!(one.full().hash(), other.full().hash());
        assert_ne!(one.full().hash(), one.small().hash());
    }
    // Equal pixels in files of different lossless formats have equal addresses, too.
    let [png, _, webp] = uploads.map(|upload| read(&upload).unwrap());
    assert_eq!(png.full().hash(), webp.full().hash());
    // For small pictures, both renditions are equal.
    let [full, small] = read(&each_format(&gradient(300, 200))[0]).unwrap().into_renditions();
    assert_eq!(full, small);
    let hash = full.hash().to_string();
    assert_eq!(hash.len(), 64);
    assert_eq!(hash[..2], format!("{:02x}", full.hash().as_bytes()[0]));
}

/// `cardscape-pictures` accepts at most one mebibyte.
#[test]
fn small_renditions_have_less_than_a_mebibyte() {
    let mut noise = 1_u32;
    let mut random = || {
        noise = noise.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (noise >> 24).to_be_bytes()[3]
    };
    let bytes: Vec<u8> = (0..500 * 500 * 4).map(|_| random()).collect();
    let mut upload = Vec::new();
    let encoder = PngEncoder::new(&mut upload);
    encoder.write_image(&bytes, 500, 500, ExtendedColorType::Rgba8).unwrap();
    let artwork = read(&upload).unwrap();
    let length = artwork.small().bytes().len();
    assert!((900_000..1 << 20).contains(&length), "{length}");
}

#[test]
fn callers_can_set_limits() {
    let upload = file(&gradient(100, 50), image::ImageFormat::Png);
    let limits = Limits { side_min: 50, ..Limits::default() };
    assert!(cardscape_artwork::Artwork::read(&upload, &limits).is_ok());
}
