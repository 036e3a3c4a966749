//! Small files that would keep a decoder busy for very long or fill the memory. A failure shows as a very slow test, or in
//! the test of memory.

use cardscape_artwork::{Artwork, ArtworkError, Limits};
use image::ImageFormat;

use crate::support::{
    Bits, LOSSY, canvas, each_format, file, gigabyte, gradient, jpeg_with, pixels, png_chunk,
    png_header, png_with, read, refusal, segment, webp, webp_chunk,
};

#[test]
fn the_test_data_unpacks_to_zeros() {
    let mut inflated = flate2::read::ZlibDecoder::new(std::io::Cursor::new(gigabyte()));
    let mut some = vec![1; 1 << 20];
    std::io::Read::read_exact(&mut inflated, &mut some).unwrap();
    assert!(some.iter().all(|byte| *byte == 0));
    assert!(inflated.total_in() < 1100, "{}", inflated.total_in());
}

#[test]
fn pixels_that_unpack_to_a_gigabyte_are_read_as_far_as_the_picture_goes() {
    let parts = [png_header(300, 300), png_chunk(*b"IDAT", &gigabyte()), png_chunk(*b"IEND", b"")];
    let artwork = read(&parts.concat()).unwrap();
    assert_eq!(pixels(artwork.full()).get_pixel(150, 150).0, [0, 0, 0, 255]);
}

#[test]
fn a_picture_that_unpacks_to_a_gigabyte_is_refused_by_its_header() {
    let expected = ArtworkError::TooManyPixels { width: 32_768, height: 32_768, max: 16_000_000 };
    let parts = [png_header(32_768, 32_768), png_chunk(*b"IDAT", &gigabyte())];
    let upload = [&parts.concat()[..], &png_chunk(*b"IEND", b"")].concat();
    assert_eq!(Artwork::check_header(&upload, &Limits::default()), Err(expected.clone()));
    assert_eq!(refusal(&upload), expected);
    let profile = png_chunk(*b"iCCP", &[b"bomb\0\0", &gigabyte()[..]].concat());
    for sound in each_format(&gradient(300, 300)) {
        assert_eq!(Artwork::check_header(&sound, &Limits::default()), Ok(()));
    }
    let png = png_with(&file(&gradient(300, 300), ImageFormat::Png), &profile);
    assert_eq!(Artwork::check_header(&png, &Limits::default()), Ok(()));
}

#[test]
fn profiles_and_texts_that_unpack_to_a_gigabyte_are_left_packed() {
    let png = file(&gradient(300, 300), ImageFormat::Png);
    let packed = [b"bomb\0\0", &gigabyte()[..]].concat();
    for kind in [*b"iCCP", *b"zTXt"] {
        let upload = png_with(&png, &png_chunk(kind, &packed));
        assert_eq!(read(&upload), read(&png));
    }
    let international = [b"bomb\0\x01\0\0\0", &gigabyte()[..]].concat();
    let upload = png_with(&png, &png_chunk(*b"iTXt", &international));
    assert_eq!(read(&upload), read(&png));
}

#[test]
fn only_the_first_profile_is_unpacked() {
    let png = file(&gradient(300, 300), ImageFormat::Png);
    let packed = [b"bomb\0\0", &gigabyte()[..1065]].concat();
    let upload = png_with(&png, &png_chunk(*b"iCCP", &packed).repeat(9_000));
    assert_eq!(read(&upload), read(&png));
}

#[test]
fn many_chunks_are_accepted() {
    let [png, jpeg, webp] = each_format(&gradient(300, 300));
    let chunks = png_chunk(*b"tEXt", b"a\0b").repeat(100_000);
    assert_eq!(read(&png_with(&png, &chunks)), read(&png));
    // Parts of one text, each of which claims that more parts follow.
    let mut part = b"http://ns.adobe.com/xmp/extension/\0".to_vec();
    part.extend([b'0'; 32]);
    part.extend([0xFF; 8]);
    let segments = segment(0xE1, &part).repeat(50_000);
    assert_eq!(read(&jpeg_with(&jpeg, &segments)), read(&jpeg));
    let parts = segment(0xE2, b"ICC_PROFILE\0\x01\xFFx").repeat(50_000);
    assert_eq!(read(&jpeg_with(&jpeg, &parts)), read(&jpeg));
    let chunks = [canvas(300, 300), webp_chunk(*b"ABCD", b"").repeat(100_000), webp[12..].to_vec()];
    assert_eq!(read(&crate::support::webp(&chunks.concat())), read(&webp));
}

#[test]
fn ten_thousand_frames_are_refused_at_the_first() {
    let mut chunks = png_chunk(*b"acTL", &[0, 0, 0x27, 0x10, 0, 0, 0, 0]);
    for frame in 0..10_000_u32 {
        let control = [&frame.to_be_bytes()[..], &[0; 22]].concat();
        chunks.extend(png_chunk(*b"fcTL", &control));
        chunks.extend(png_chunk(*b"fdAT", &frame.to_be_bytes()));
    }
    let png = file(&gradient(300, 300), ImageFormat::Png);
    assert_eq!(refusal(&png_with(&png, &chunks)), ArtworkError::Animated);
    let frames = webp_chunk(*b"ANMF", &[0; 24]).repeat(10_000);
    let chunks = [canvas(300, 300), webp_chunk(*b"ANIM", &[0; 6]), frames];
    assert_eq!(refusal(&webp(&chunks.concat())), ArtworkError::Animated);
}

/// A progressive picture of one component: a first scan with the first coefficient of all blocks, then the given scans.
fn progressive(width: u16, height: u16, scans: &[u8]) -> Vec<u8> {
    let (w, h) = (width.to_be_bytes(), height.to_be_bytes());
    let blocks = usize::from(width.div_ceil(8)) * usize::from(height.div_ceil(8));
    // Huffman tables with one code of one bit: for the first coefficient, no difference to the previous block; for the others,
    // a run of at least 16,384 blocks without further coefficients.
    let code = |class: u8, symbol: u8| {
        let mut table = [0; 18];
        (table[0], table[1], table[17]) = (class, 1, symbol);
        segment(0xC4, &table)
    };
    [
        b"\xFF\xD8".to_vec(),
        segment(0xDB, &[[0].as_slice(), &[1; 64]].concat()),
        segment(0xC2, &[8, h[0], h[1], w[0], w[1], 1, 1, 17, 0]),
        code(0, 0),
        code(0x10, 0xE0),
        segment(0xDA, &[1, 1, 0, 0, 0, 0]),
        vec![0; blocks.div_ceil(8)],
        scans.to_vec(),
        b"\xFF\xD9".to_vec(),
    ]
    .concat()
}

/// A scan of some coefficients, all of which are zero.
fn empty_scan(first: u8, last: u8) -> Vec<u8> {
    [segment(0xDA, &[1, 1, 0, first, last, 0]), vec![0; 4]].concat()
}

#[test]
fn progressive_pictures_may_have_scans() {
    let scans: Vec<u8> = (1..=60).flat_map(|place| empty_scan(place, place)).collect();
    let artwork = read(&progressive(400, 400, &scans)).unwrap();
    assert_eq!(pixels(artwork.full()).get_pixel(200, 200).0, [128, 128, 128, 255]);
}

#[test]
fn thousands_of_scans_are_refused() {
    let expected = ArtworkError::TooComplex { reason: "too many scans" };
    for scan in [empty_scan(1, 63), empty_scan(1, 1)] {
        assert_eq!(refusal(&progressive(4000, 4000, &scan.repeat(5000))), expected);
    }
    assert_eq!(refusal(&progressive(4000, 4000, &empty_scan(1, 63).repeat(6))), expected);
    // A picture that is not progressive, with its scan repeated many times.
    let jpeg = file(&gradient(300, 300), ImageFormat::Jpeg);
    let at = jpeg.windows(2).position(|window| window == b"\xFF\xDA").unwrap();
    let (head, scan) = jpeg[..jpeg.len() - 2].split_at(at);
    let upload = [head, &scan.repeat(1000), b"\xFF\xD9"].concat();
    assert_eq!(refusal(&upload), expected);
}

#[test]
fn megabytes_of_tables_are_refused() {
    let mut table = [0; 18];
    table[1] = 1;
    let tables = segment(0xC4, &table).repeat(10_000);
    let jpeg = file(&gradient(300, 300), ImageFormat::Jpeg);
    let expected = ArtworkError::TooComplex { reason: "too many tables" };
    assert_eq!(refusal(&jpeg_with(&jpeg, &tables)), expected);
}

/// The decoder allocates memory for the frame before it compares its size with that of the canvas.
#[test]
fn a_frame_larger_than_its_canvas_is_refused() {
    let mut lossy = LOSSY[20..].to_vec();
    (lossy[6], lossy[7]) = (0xA0, 0x0F);
    (lossy[8], lossy[9]) = (0xA0, 0x0F);
    let upload = webp(&[canvas(200, 200), webp_chunk(*b"VP8 ", &lossy)].concat());
    assert!(matches!(refusal(&upload), ArtworkError::Broken { .. }));
}

/// A lossless picture of 400 × 400 pixels in which each tile uses the group of codes with the number `last_group`. The
/// groups themselves follow only if `has_groups` is set.
fn lossless(last_group: u32, has_groups: bool) -> Vec<u8> {
    let mut bits = Bits::default();
    bits.put(0x2F, 8).put(399, 14).put(399, 14).put(0, 1).put(0, 3);
    // No transform, no colour cache, and groups for tiles of 4 × 4 pixels.
    bits.put(0, 1).put(0, 1).put(1, 1).put(0, 3);
    // Each code has only one symbol: for green, red, blue, alpha and distance.
    let only = |bits: &mut Bits, symbol: u32| {
        bits.put(0b101, 3).put(symbol, 8);
    };
    bits.put(0, 1);
    for symbol in [last_group & 0xFF, last_group >> 8, 0, 0, 0] {
        only(&mut bits, symbol);
    }
    if has_groups {
        for _ in 0..=last_group {
            for symbol in [200, 100, 50, 255, 0] {
                only(&mut bits, symbol);
            }
        }
    }
    webp(&webp_chunk(*b"VP8L", &bits.bytes()))
}

#[test]
fn sixty_thousand_groups_of_codes_are_refused() {
    let artwork = read(&lossless(999, true)).unwrap();
    let found = pixels(artwork.full()).get_pixel(200, 200).0;
    assert!(crate::support::is_near(found, [100, 200, 50, 255]), "{found:?}");
    let expected = ArtworkError::TooComplex { reason: "too many code tables" };
    assert_eq!(refusal(&lossless(1000, true)), expected);
    assert_eq!(refusal(&lossless(0xFFFF, false)), expected);
    assert!(matches!(refusal(&lossless(999, false)), ArtworkError::Broken { .. }));
}
