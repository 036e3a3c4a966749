//! The orientation from EXIF data is applied.

use image::{DynamicImage, Rgb, RgbImage};

use crate::support::{each_with_exif, is_near, pixels, read};

const CORNERS: [Rgb<u8>; 4] =
    [Rgb([220, 20, 20]), Rgb([20, 200, 20]), Rgb([20, 20, 220]), Rgb([240, 240, 240])];

/// For each orientation of EXIF 2.32 (tag 0x0112), the corners of the stored picture that are displayed at the top left, top
/// right, bottom left and bottom right.
const SEEN: [[usize; 4]; 8] = [
    [0, 1, 2, 3],
    [1, 0, 3, 2],
    [3, 2, 1, 0],
    [2, 3, 0, 1],
    [0, 2, 1, 3],
    [2, 0, 3, 1],
    [3, 1, 2, 0],
    [1, 3, 0, 2],
];

fn picture() -> DynamicImage {
    RgbImage::from_fn(240, 320, |x, y| CORNERS[(x / 120 + y / 160 * 2) as usize]).into()
}

#[test]
fn each_orientation_is_applied_in_each_format() {
    for (orientation, corners) in (1..).zip(SEEN) {
        for (upload, format) in
            each_with_exif(&picture(), orientation).iter().zip(["PNG", "JPEG", "WebP"])
        {
            let artwork = read(upload).unwrap();
            let seen = pixels(artwork.full());
            let (width, height) = if orientation < 5 { (240, 320) } else { (320, 240) };
            assert_eq!(seen.dimensions(), (width, height), "{format}, {orientation}");
            let places = [
                (width / 4, height / 4),
                (width * 3 / 4, height / 4),
                (width / 4, height * 3 / 4),
                (width * 3 / 4, height * 3 / 4),
            ];
            for ((x, y), corner) in places.into_iter().zip(corners) {
                let [red, green, blue] = CORNERS[corner].0;
                let found = seen.get_pixel(x, y).0;
                let is_there = is_near(found, [red, green, blue, 255]);
                assert!(is_there, "{format}, {orientation}: {found:?} at {x}, {y}");
            }
        }
    }
}

#[test]
fn invalid_orientations_are_ignored() {
    for orientation in [0, 9, 255] {
        for upload in each_with_exif(&picture(), orientation) {
            let artwork = read(&upload).unwrap();
            assert_eq!(pixels(artwork.full()).dimensions(), (240, 320));
        }
    }
}
