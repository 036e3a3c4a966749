//! Measures the memory for the uploads that need the most.
#![allow(missing_docs, clippy::unwrap_used, unsafe_code, reason = "a test that counts memory")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::io::Cursor;
use std::sync::atomic::{AtomicUsize, Ordering};

use cardscape_artwork::{Artwork, Limits};
use image::codecs::png::PngEncoder;
use image::{DynamicImage, ImageEncoder as _, ImageFormat, Rgba, RgbaImage};
use moxcms::ColorProfile;

struct Counting;

static NOW: AtomicUsize = AtomicUsize::new(0);
static MOST: AtomicUsize = AtomicUsize::new(0);

/// # Safety
/// All calls are passed to the system's allocator with the same arguments.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let now = NOW.fetch_add(layout.size(), Ordering::SeqCst) + layout.size();
        MOST.fetch_max(now, Ordering::SeqCst);
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        NOW.fetch_sub(layout.size(), Ordering::SeqCst);
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

const SIDE: u32 = 1000;

fn file(picture: &DynamicImage, format: ImageFormat) -> Vec<u8> {
    let mut file = Cursor::new(Vec::new());
    picture.write_to(&mut file, format).unwrap();
    file.into_inner()
}

/// A progressive JPEG of three components with a scan for each: the decoder must keep all coefficients until the end.
fn progressive() -> Vec<u8> {
    let segment = |kind: u8, body: &[u8]| {
        let length = u16::try_from(body.len() + 2).unwrap().to_be_bytes();
        [&[0xFF, kind], &length[..], body].concat()
    };
    let side = u16::try_from(SIDE).unwrap().to_be_bytes();
    let frame = [&[8][..], &side, &side, &[3, 1, 17, 0, 2, 17, 0, 3, 17, 0]].concat();
    let blocks = vec![0; (SIDE as usize / 8).pow(2).div_ceil(8)];
    let scan = |component| [segment(0xDA, &[1, component, 0, 0, 0, 0]), blocks.clone()].concat();
    [
        b"\xFF\xD8".to_vec(),
        segment(0xDB, &[&[0][..], &[1; 64]].concat()),
        segment(0xC2, &frame),
        segment(0xC4, &[&[0, 1][..], &[0; 16]].concat()),
        scan(1),
        scan(2),
        scan(3),
        b"\xFF\xD9".to_vec(),
    ]
    .concat()
}

/// A PNG whose header states 16,384 × 16,384 pixels of 32 bits, and a megabyte of data.
fn too_large() -> Vec<u8> {
    let mut file =
        b"\x89PNG\r\n\x1A\n\0\0\0\x0DIHDR\0\0\x40\0\0\0\x40\0\x08\x06\0\0\0\0\0\0\0".to_vec();
    file.extend(b"\0\x10\0\0IDAT");
    file.resize(file.len() + (1 << 20), 0);
    file
}

/// A profile whose texts, 2,000 entries of one tag that refer to the same 40,000 bytes, take 120 MB when each is copied.
fn profile_of_many_texts() -> Vec<u8> {
    const ENTRIES: u32 = 2_000;
    const LENGTH: u32 = 40_000;
    let begin = 16 + ENTRIES * 12;
    let mut texts = [&b"mluc\0\0\0\0"[..], &ENTRIES.to_be_bytes(), &12_u32.to_be_bytes()].concat();
    for _ in 0..ENTRIES {
        texts.extend(b"enUS");
        texts.extend(LENGTH.to_be_bytes());
        texts.extend(begin.to_be_bytes());
    }
    texts.extend([0x4E, 0x00].repeat(LENGTH as usize / 2));
    let mut profile = ColorProfile::new_srgb().encode().unwrap()[..128].to_vec();
    let length = u32::try_from(texts.len()).unwrap();
    let table = [1_u32.to_be_bytes(), *b"cprt", 144_u32.to_be_bytes(), length.to_be_bytes()];
    profile.extend(table.concat());
    profile.extend(texts);
    let length = u32::try_from(profile.len()).unwrap();
    profile[..4].copy_from_slice(&length.to_be_bytes());
    profile
}

fn with_profile(picture: &DynamicImage, profile: Vec<u8>) -> Vec<u8> {
    let mut file = Vec::new();
    let mut encoder = PngEncoder::new(&mut file);
    encoder.set_icc_profile(profile).unwrap();
    picture.write_with_encoder(encoder).unwrap();
    file
}

/// The only test in this binary, so that no other test allocates memory at the same time.
#[test]
fn memory_is_bounded_by_the_pixels() {
    let picture = RgbaImage::from_fn(SIDE, SIDE, |x, y| {
        let byte = |number: u32| u8::try_from(number % 256).unwrap();
        Rgba([byte(x), byte(y), byte(x ^ y), byte(x / 8)])
    });
    let picture = DynamicImage::from(picture);
    let opaque = DynamicImage::from(picture.to_rgb8());
    let uploads = [
        ("deep PNG", file(&picture.to_rgba16().into(), ImageFormat::Png)),
        ("PNG", file(&picture, ImageFormat::Png)),
        ("JPEG", file(&opaque, ImageFormat::Jpeg)),
        ("progressive JPEG", progressive()),
        ("WebP", file(&opaque, ImageFormat::WebP)),
        ("WebP with alpha", file(&picture, ImageFormat::WebP)),
        ("PNG with a profile of many texts", with_profile(&opaque, profile_of_many_texts())),
    ];
    let upload = too_large();
    let before = NOW.load(Ordering::SeqCst);
    MOST.store(before, Ordering::SeqCst);
    let artwork = Artwork::read(&upload, &Limits::default());
    let most = MOST.load(Ordering::SeqCst) - before;
    artwork.unwrap_err();
    assert!(most < 1024, "a picture that is refused by its header takes {most} bytes");
    for (name, upload) in uploads {
        let before = NOW.load(Ordering::SeqCst);
        MOST.store(before, Ordering::SeqCst);
        let artwork = Artwork::read(&upload, &Limits { bytes: usize::MAX, ..Limits::default() });
        let most = MOST.load(Ordering::SeqCst) - before;
        artwork.unwrap();
        let bound = (SIDE * SIDE * 12) as usize + 2 * upload.len() + (4 << 20);
        println!("{name}: {most} of {bound} bytes");
        assert!(most < bound, "{name}: {most} of {bound} bytes");
    }
}
