//! Damaged and random files give a result or an error, and never a panic.

use std::sync::LazyLock;

use cardscape_artwork::{ArtworkError, FULL_SIDE_MAX};
use image::DynamicImage;
use proptest::prelude::*;

use crate::support::{
    LOSSLESS, LOSSY, LOSSY_ALPHA, PROGRESSIVE, each_format, each_with_exif, fading, gradient,
    png_chunk, png_with, read, zlib,
};

/// Valid files of all formats, with the smallest accepted size.
static SEEDS: LazyLock<Vec<Vec<u8>>> = LazyLock::new(seeds);

fn seeds() -> Vec<Vec<u8>> {
    let mut seeds: Vec<Vec<u8>> =
        [PROGRESSIVE, LOSSY, LOSSY_ALPHA, LOSSLESS].map(<[u8]>::to_vec).into();
    seeds.extend(each_format(&gradient(200, 200)));
    seeds.extend(each_format(&fading(200, 200)));
    seeds.extend(each_with_exif(&gradient(200, 200), 6));
    let grey: DynamicImage = gradient(200, 200).into_luma16().into();
    let grey = crate::support::file(&grey, image::ImageFormat::Png);
    let profile = moxcms::ColorProfile::new_adobe_rgb().encode().unwrap();
    let profile = [b"a\0\0", &zlib(&profile)[..]].concat();
    seeds.push(png_with(&grey, &png_chunk(*b"iCCP", &profile)));
    seeds
}

#[test]
fn files_that_end_early_are_refused() {
    for seed in SEEDS.iter() {
        assert!(read(seed).is_ok());
        for length in (0..seed.len()).step_by(37).chain([seed.len() - 1]) {
            let error = read(&seed[..length]).unwrap_err();
            let is_reported = matches!(
                error,
                ArtworkError::Truncated | ArtworkError::Empty | ArtworkError::UnknownFormat { .. }
            );
            assert!(is_reported, "{length} of {}: {error:?}", seed.len());
        }
    }
}

fn assert_answered(upload: &[u8]) {
    if let Ok(artwork) = read(upload) {
        for rendition in artwork.into_renditions() {
            assert!(rendition.width().max(rendition.height()) <= FULL_SIDE_MAX);
            assert!(image::load_from_memory(rendition.bytes()).is_ok());
        }
    }
}

/// Bytes to change: the position, as a fraction of the length, and the new value.
fn changes() -> impl Strategy<Value = Vec<(f64, u8)>> {
    let anywhere = (0.0..1.0_f64, any::<u8>());
    // Headers are short, but contain most of the fields that can be wrong.
    let at_the_start = (0.0..0.02_f64, any::<u8>());
    prop::collection::vec(prop_oneof![anywhere, at_the_start], 1..6)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn changed_bytes_are_answered(seed in 0..14_usize, changes in changes()) {
        let mut upload = SEEDS[seed].clone();
        for (place, value) in changes {
            #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, clippy::cast_precision_loss, reason = "a share of a short file")]
            let place = (place * upload.len() as f64) as usize;
            upload[place] = value;
        }
        assert_answered(&upload);
    }

    #[test]
    fn missing_and_repeated_bytes_are_answered(seed in 0..14_usize, from in 0.0..1.0_f64, length in 1..200_usize, is_twice: bool) {
        let mut upload = SEEDS[seed].clone();
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, clippy::cast_precision_loss, reason = "a share of a short file")]
        let from = (from * upload.len() as f64) as usize;
        let to = (from + length).min(upload.len());
        let part = if is_twice { upload[from..to].repeat(2) } else { Vec::new() };
        upload.splice(from..to, part);
        assert_answered(&upload);
    }

    #[test]
    fn anything_behind_a_beginning_is_answered(start in 0..3_usize, rest in prop::collection::vec(any::<u8>(), 0..400)) {
        let start = [&b"\x89PNG\r\n\x1A\n"[..], b"\xFF\xD8\xFF", b"RIFF\0\x01\0\0WEBPVP8L"][start];
        assert_answered(&[start, &rest[..]].concat());
    }
}

/// A separate library reads the profiles. Damaged ones must not make an upload fail.
mod profiles {
    use super::*;
    use crate::support::file;

    proptest! {
        #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn changed_profiles_are_answered(is_grey: bool, changes in prop::collection::vec((0.0..1.0_f64, any::<u8>()), 0..8)) {
            let mut profile = if is_grey {
                moxcms::ColorProfile::new_gray_with_gamma(1.8)
            } else {
                moxcms::ColorProfile::new_display_p3()
            }.encode().unwrap();
            for (place, value) in changes {
                #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, clippy::cast_precision_loss, reason = "a share of a short file")]
                let place = (place * profile.len() as f64) as usize;
                profile[place] = value;
            }
            let picture = if is_grey { gradient(200, 200).into_luma8().into() } else { gradient(200, 200) };
            let chunk = png_chunk(*b"iCCP", &[b"a\0\0", &zlib(&profile)[..]].concat());
            let upload = png_with(&file(&picture, image::ImageFormat::Png), &chunk);
            prop_assert!(read(&upload).is_ok());
        }
    }
}
