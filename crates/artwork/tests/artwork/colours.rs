//! Colours are converted to sRGB. The expected values were calculated with Little CMS 2 from the same profiles.

use image::{DynamicImage, ImageFormat, LumaA, Rgb, RgbImage, Rgba, RgbaImage};
use moxcms::ColorProfile;

use crate::support::{
    each_format, file, is_near, jpeg_with, pixels, png_chunk, png_with, read, segment, webp_chunk,
    webp_with, zlib,
};

/// A picture of one colour with a transparent pixel in a corner, so that the result is a PNG, which is lossless.
fn picture(colour: [u8; 3]) -> DynamicImage {
    let [red, green, blue] = colour;
    let mut picture = RgbaImage::from_pixel(300, 300, Rgba([red, green, blue, 255]));
    picture.put_pixel(0, 0, Rgba([red, green, blue, 0]));
    picture.into()
}

fn png(picture: &DynamicImage, chunks: &[Vec<u8>]) -> Vec<u8> {
    png_with(&file(picture, ImageFormat::Png), &chunks.concat())
}

fn profile_chunk(profile: &ColorProfile) -> Vec<u8> {
    png_chunk(*b"iCCP", &[b"name\0\0", &zlib(&profile.encode().unwrap())[..]].concat())
}

fn middle(upload: &[u8]) -> [u8; 3] {
    let artwork = read(upload).unwrap();
    let [red, green, blue, _] = pixels(artwork.full()).get_pixel(150, 150).0;
    [red, green, blue]
}

fn assert_within_one(found: [u8; 3], expected: [u8; 3]) {
    let is_near = found.iter().zip(expected).all(|(one, other)| one.abs_diff(other) <= 1);
    assert!(is_near, "{found:?}, not {expected:?}");
}

#[test]
fn embedded_profiles_are_applied() {
    let (p3, adobe) = (ColorProfile::new_display_p3(), ColorProfile::new_adobe_rgb());
    let cases = [
        (&p3, [200, 100, 100], [215, 93, 97]),
        (&p3, [100, 100, 200], [100, 100, 207]),
        (&p3, [128, 128, 128], [128, 128, 128]),
        (&adobe, [200, 100, 100], [227, 100, 100]),
        (&adobe, [60, 160, 90], [0, 161, 85]),
        (&adobe, [128, 128, 128], [129, 129, 129]),
        (&ColorProfile::new_pro_photo_rgb(), [100, 100, 200], [59, 119, 221]),
        (&ColorProfile::new_srgb(), [200, 100, 100], [200, 100, 100]),
    ];
    for (profile, colour, expected) in cases {
        let upload = png(&picture(colour), &[profile_chunk(profile)]);
        assert_within_one(middle(&upload), expected);
    }
}

#[test]
fn each_format_has_profiles() {
    let profile = ColorProfile::new_display_p3().encode().unwrap();
    let picture = RgbImage::from_pixel(300, 300, Rgb([200, 100, 100])).into();
    let [png, jpeg, webp] = each_format(&picture);
    // In two parts, in the wrong order.
    let (one, two) = profile.split_at(100);
    let parts =
        [[b"ICC_PROFILE\0\x02\x02", two].concat(), [b"ICC_PROFILE\0\x01\x02", one].concat()];
    let parts = parts.map(|part| segment(0xE2, &part)).concat();
    let packed = [b"name\0\0", &zlib(&profile)[..]].concat();
    let uploads = [
        png_with(&png, &png_chunk(*b"iCCP", &packed)),
        jpeg_with(&jpeg, &parts),
        webp_with(&webp, (300, 300), &webp_chunk(*b"ICCP", &profile)),
    ];
    for upload in uploads {
        let [red, green, blue] = middle(&upload);
        assert!(is_near([red, green, blue, 255], [215, 93, 97, 255]), "{red} {green} {blue}");
    }
}

#[test]
fn profiles_for_greys_are_applied_to_greys() {
    let chunk = profile_chunk(&ColorProfile::new_gray_with_gamma(1.8));
    for (grey, expected) in [(60, 77), (128, 146), (200, 210)] {
        let mut with_alpha = image::GrayAlphaImage::from_pixel(300, 300, LumaA([grey, 255]));
        with_alpha.put_pixel(0, 0, LumaA([0, 0]));
        let upload = png(&with_alpha.into(), std::slice::from_ref(&chunk));
        assert_within_one(middle(&upload), [expected; 3]);
        let plain = DynamicImage::from(image::GrayImage::from_pixel(300, 300, image::Luma([grey])));
        let upload = png(&plain, std::slice::from_ref(&chunk));
        let [red, green, blue] = middle(&upload);
        assert!(is_near([red, green, blue, 255], [expected, expected, expected, 255]));
    }
    // A profile for greyscale is ignored for a picture with colours.
    let upload = png(&picture([200, 100, 100]), &[chunk]);
    assert_eq!(middle(&upload), [200, 100, 100]);
}

#[test]
fn profiles_that_cannot_be_read_count_as_srgb() {
    let mut cut = ColorProfile::new_display_p3().encode().unwrap();
    cut.truncate(150);
    let large = vec![7; (1 << 20) + 1];
    for profile in [&b""[..], b"no profile", &cut, &large] {
        let chunk = png_chunk(*b"iCCP", &[b"name\0\0", &zlib(profile)[..]].concat());
        assert_eq!(middle(&png(&picture([200, 100, 100]), &[chunk])), [200, 100, 100]);
    }
    let chunk = png_chunk(*b"iCCP", b"name\0\0not packed");
    assert_eq!(middle(&png(&picture([200, 100, 100]), &[chunk])), [200, 100, 100]);
}

#[test]
fn the_chunks_of_png_are_applied_in_their_order() {
    let colour = [200, 100, 100];
    let gamma = |number: u32| png_chunk(*b"gAMA", &number.to_be_bytes());
    let points = |numbers: [u32; 8]| png_chunk(*b"cHRM", &numbers.map(u32::to_be_bytes).concat());
    let srgb_points = points([31270, 32900, 64000, 33000, 30000, 60000, 15000, 6000]);
    let adobe_points = points([31270, 32900, 64000, 33000, 21000, 71000, 15000, 6000]);
    let p3_code_points = png_chunk(*b"cICP", &[12, 13, 0, 1]);
    let is_srgb = png_chunk(*b"sRGB", &[0]);
    let adobe = profile_chunk(&ColorProfile::new_adobe_rgb());
    let at_1_8 = [210, 119, 119];
    let cases: [(&[Vec<u8>], [u8; 3]); 10] = [
        (&[p3_code_points.clone(), adobe.clone()], [215, 93, 97]),
        (&[adobe.clone(), is_srgb.clone(), gamma(55_556)], [227, 100, 100]),
        (&[is_srgb, gamma(55_556)], colour),
        (&[gamma(55_556)], at_1_8),
        (&[gamma(55_556), srgb_points.clone()], at_1_8),
        (&[gamma(45_455), srgb_points.clone()], colour),
        (&[gamma(45_470), adobe_points], [227, 100, 100]),
        (&[srgb_points], colour),
        // Values that no screen has are ignored.
        (&[gamma(1)], colour),
        (&[gamma(55_556), points([0; 8])], colour),
    ];
    for (chunks, expected) in cases {
        assert_within_one(middle(&png(&picture(colour), chunks)), expected);
    }
}
