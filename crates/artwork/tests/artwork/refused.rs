//! Refused uploads, and the errors for them.

use cardscape_artwork::{Artwork, ArtworkError, Limits};
use image::ImageFormat;

use crate::support::{
    ANIMATED, CMYK, canvas, each_format, file, gradient, jpeg_with, png_chunk, png_header,
    png_with, read, refusal, segment, webp, webp_chunk,
};

#[test]
fn other_formats_are_named() {
    let icon = b"\0\0\x01\0\x01\0";
    let cases: [(&[u8], &str); 14] = [
        (b"<svg xmlns='http://www.w3.org/2000/svg'/>", "an SVG"),
        (b"<?xml version='1.0'?>\n<!-- hi --><svg onload='alert(1)'/>", "an SVG"),
        (b"<!DOCTYPE html><title>x</title>", "a web page"),
        (b"\xEF\xBB\xBF <HTML>", "a web page"),
        (b"<script>alert(1)</script>", "a web page"),
        (b"GIF89a\x01\0\x01\0", "a GIF"),
        (b"BM\x46\0\0\0", "a BMP"),
        (b"%PDF-1.7", "a PDF"),
        (b"PK\x03\x04\x14\0", "a ZIP archive"),
        (b"\x1F\x8B\x08\0", "a compressed file"),
        (b"\0\0\0\x1Cftypheic\0\0\0\0", "an HEIC"),
        (b"\0\0\0\x1Cftypavif\0\0\0\0", "an AVIF"),
        (b"II*\0\x08\0\0\0", "a TIFF"),
        (icon, "an icon"),
    ];
    for (upload, name) in cases {
        let error = refusal(upload);
        assert_eq!(error, ArtworkError::UnknownFormat { looks_like: Some(name) });
        let text = format!("the file looks like {name}; send a PNG, JPEG or WebP picture");
        assert_eq!(error.to_string(), text);
    }
    for upload in [&b"x"[..], b"\xFF", b"\x89PNG", b"RIFF\0\0\0\0WAVE", &[0; 4096]] {
        assert_eq!(refusal(upload), ArtworkError::UnknownFormat { looks_like: None });
    }
    assert_eq!(refusal(b""), ArtworkError::Empty);
}

/// The format is detected only from the bytes; names and declared types are not passed to the crate.
#[test]
fn a_format_follows_from_the_bytes() {
    for mut upload in each_format(&gradient(300, 300)) {
        assert!(read(&upload).is_ok());
        upload.insert(0, b' ');
        assert!(matches!(refusal(&upload), ArtworkError::UnknownFormat { .. }));
    }
}

#[test]
fn the_size_of_the_file_is_checked_first() {
    let limits = Limits { bytes: 1000, ..Limits::default() };
    let error = Artwork::read(&[0; 1001], &limits).unwrap_err();
    assert_eq!(error, ArtworkError::TooManyBytes { bytes: 1001, max: 1000 });
}

/// These files end after the header. They are refused for their size, before the missing data is noticed.
#[test]
fn picture_sizes_are_checked_in_the_header() {
    for (width, height) in [(50_000, 50_000), (4000, 4001), (u32::MAX, u32::MAX), (1, u32::MAX)] {
        let expected = ArtworkError::TooManyPixels { width, height, max: 16_000_000 };
        assert_eq!(refusal(&png_header(width, height)), expected);
    }
    let frame = segment(0xC0, &[8, 0xC3, 0x50, 0xC3, 0x50, 3, 1, 17, 0, 2, 17, 0, 3, 17, 0]);
    let expected = ArtworkError::TooManyPixels { width: 50_000, height: 50_000, max: 16_000_000 };
    assert_eq!(refusal(&[b"\xFF\xD8", &frame[..]].concat()), expected);
    let upload = webp(&canvas(50_000, 50_000));
    assert_eq!(refusal(&upload), expected);
    let lossy = [0x10, 0, 0, 0x9D, 0x01, 0x2A, 0xFF, 0x3F, 0xFF, 0x3F];
    let expected = ArtworkError::TooManyPixels { width: 16_383, height: 16_383, max: 16_000_000 };
    assert_eq!(refusal(&webp(&webp_chunk(*b"VP8 ", &lossy))), expected);
    // Such files need no turn of a service that reads one picture at a time.
    for upload in [&png_header(4000, 4001), &upload] {
        let error = Artwork::check_header(upload, &Limits::default()).unwrap_err();
        assert!(matches!(error, ArtworkError::TooManyPixels { .. }), "{error}");
    }
    let lossless = [0x2F, 0xFF, 0xFF, 0xFF, 0x0F];
    let expected = ArtworkError::TooManyPixels { width: 16_384, height: 16_384, max: 16_000_000 };
    assert_eq!(refusal(&webp(&webp_chunk(*b"VP8L", &lossless))), expected);
}

#[test]
fn small_and_narrow_pictures_are_refused() {
    for (width, height) in [(199, 400), (400, 199), (1, 1)] {
        for upload in each_format(&gradient(width, height)) {
            assert_eq!(refusal(&upload), ArtworkError::TooSmall { width, height, min: 200 });
        }
    }
    assert_eq!(
        refusal(&png_header(0, 0)),
        ArtworkError::TooSmall { width: 0, height: 0, min: 200 }
    );
    let narrow = ArtworkError::TooNarrow { width: 200, height: 801, max: 4 };
    assert_eq!(refusal(&png_header(200, 801)), narrow);
    assert!(read(&file(&gradient(200, 800), ImageFormat::Png)).is_ok());
}

#[test]
fn animations_are_refused() {
    assert_eq!(refusal(ANIMATED), ArtworkError::Animated);
    let control = png_chunk(*b"acTL", &[0, 0, 0, 1, 0, 0, 0, 0]);
    let png = file(&gradient(300, 300), ImageFormat::Png);
    assert_eq!(refusal(&png_with(&png, &control)), ArtworkError::Animated);
}

#[test]
fn rare_kinds_of_jpeg_are_refused_in_words() {
    assert_eq!(refusal(CMYK), ArtworkError::Cmyk);
    let jpeg = file(&gradient(300, 300), ImageFormat::Jpeg);
    let at = jpeg.windows(2).position(|window| window == b"\xFF\xC0").unwrap();
    // Lossless and arithmetic JPEG.
    for kind in [0xC3, 0xC9, 0xCA] {
        let mut upload = jpeg.clone();
        upload[at + 1] = kind;
        assert!(matches!(refusal(&upload), ArtworkError::Unsupported { .. }), "{kind:x}");
    }
    let mut deep = jpeg.clone();
    deep[at + 4] = 12;
    assert!(matches!(refusal(&deep), ArtworkError::Unsupported { .. }));
    let frame = segment(0xC0, &[8, 1, 44, 1, 44, 1, 1, 17, 0]);
    assert!(matches!(refusal(&jpeg_with(&jpeg, &frame)), ArtworkError::Broken { .. }));
}

#[test]
fn hdr_pictures_are_refused() {
    let png = file(&gradient(300, 300), ImageFormat::Png);
    for transfer in [16, 18] {
        let upload = png_with(&png, &png_chunk(*b"cICP", &[9, transfer, 0, 1]));
        assert!(matches!(refusal(&upload), ArtworkError::Unsupported { .. }));
    }
}
