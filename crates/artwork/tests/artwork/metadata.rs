//! The resulting files contain pixels and no metadata.

use cardscape_artwork::{MediaType, Rendition};
use image::ImageFormat;

use crate::support::{
    each_format, each_with_exif, fading, file, gradient, jpeg_with, png_chunk, png_with, read,
    segment, webp_chunk, webp_with, zlib,
};

/// Texts that are somewhere in the uploads, and must not be in the results.
const SECRETS: [&[u8]; 7] =
    [b"GPS", b"48.137", b"2026:11:25", b"<script", b"secret", b"PK\x03\x04", b"Exif"];

/// Checks that a file has only parts that are needed to draw it.
fn assert_clean(rendition: &Rendition) {
    let bytes = rendition.bytes();
    for secret in SECRETS {
        assert!(!bytes.windows(secret.len()).any(|window| window == secret), "{secret:?}");
    }
    match rendition.media_type() {
        MediaType::Png => {
            let mut rest = &bytes[8..];
            let mut kinds = Vec::new();
            while let Some((length, _)) = rest.split_first_chunk::<4>() {
                kinds.push(rest[4..8].to_vec());
                rest = &rest[12 + u32::from_be_bytes(*length) as usize..];
            }
            kinds.dedup();
            assert_eq!(kinds, [b"IHDR", b"IDAT", b"IEND"]);
        }
        MediaType::Jpeg => {
            let mut at = 2;
            while bytes[at + 1] != 0xDA {
                // Tables, the frame header, and the JFIF marker, which contains no data of the upload.
                let kind = bytes[at + 1];
                assert!(matches!(kind, 0xC0 | 0xC4 | 0xDB | 0xE0), "{kind:x}");
                at += 2 + usize::from(bytes[at + 2]) * 256 + usize::from(bytes[at + 3]);
            }
            assert!(bytes.ends_with(b"\xFF\xD9"));
            let ends = bytes.windows(2).filter(|window| window == b"\xFF\xD9").count();
            assert_eq!(ends, 1, "nothing is behind the end");
        }
    }
}

fn assert_same_and_clean(upload: &[u8], plain: &[u8]) {
    let (artwork, plain) = (read(upload).unwrap(), read(plain).unwrap());
    assert_eq!(artwork, plain, "what draws nothing changes nothing");
    assert_clean(artwork.full());
    assert_clean(artwork.small());
}

#[test]
fn gps_positions_are_removed() {
    for picture in [gradient(300, 300), fading(300, 300)] {
        for (upload, plain) in each_with_exif(&picture, 1).iter().zip(each_format(&picture)) {
            assert!(upload.windows(6).any(|window| window == b"48.137"));
            assert_same_and_clean(upload, &plain);
        }
    }
}

#[test]
fn texts_and_comments_are_removed() {
    let [png, jpeg, webp] = each_format(&gradient(300, 300));
    let text = b"Comment\0<script>alert('secret')</script>";
    let packed = [b"secret\0\0", &zlib(b"secret")[..]].concat();
    let chunks = [
        png_chunk(*b"tEXt", text),
        png_chunk(*b"zTXt", &packed),
        png_chunk(*b"iTXt", b"XML:com.adobe.xmp\0\0\0\0\0secret"),
        png_chunk(*b"tIME", b"secret!"),
        png_chunk(*b"prVt", b"secret"),
    ];
    assert_same_and_clean(&png_with(&png, &chunks.concat()), &png);
    let segments = [
        segment(0xFE, text),
        segment(0xE1, b"http://ns.adobe.com/xap/1.0/\0secret"),
        segment(0xED, b"Photoshop 3.0\x008BIM secret"),
        segment(0xE5, b"secret"),
    ];
    assert_same_and_clean(&jpeg_with(&jpeg, &segments.concat()), &jpeg);
    let chunks = [webp_chunk(*b"XMP ", b"secret"), webp_chunk(*b"ABCD", text)];
    assert_same_and_clean(&webp_with(&webp, (300, 300), &chunks.concat()), &webp);
}

/// Files that are also valid in another format, because of data after the end or inside a comment.
#[test]
fn polyglots_come_out_as_pictures() {
    let tails: [&[u8]; 3] =
        [b"<html><script>alert('secret')</script>", b"PK\x03\x04 secret", b"%PDF-1.7 secret"];
    for plain in each_format(&gradient(300, 300)) {
        for tail in tails {
            assert_same_and_clean(&[&plain[..], tail].concat(), &plain);
        }
    }
    // More pictures after the first, as some phones append them.
    let [_, jpeg, _] = each_format(&gradient(300, 300));
    assert_same_and_clean(&jpeg.repeat(3), &jpeg);
    // A JPEG with a web page in a comment, whose script hides the rest with `/*`.
    let comment = segment(0xFE, b"*/=1;alert('secret')/*<html><script>");
    assert_same_and_clean(&jpeg_with(&jpeg, &comment), &jpeg);
    let png = file(&fading(300, 300), ImageFormat::Png);
    assert_same_and_clean(&[&png[..], b"<script>secret"].concat(), &png);
}
