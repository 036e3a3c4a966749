//! Helpers of the tests: pictures, and parts of files.

use std::io::{Cursor, Write};

use cardscape_artwork::{Artwork, ArtworkError, Limits, Rendition};
use flate2::{Compression, Crc, write::ZlibEncoder};
use image::{DynamicImage, ImageFormat, Rgb, RgbImage, Rgba, RgbaImage};

/// Made with Pillow 13 (libjpeg-turbo, libwebp) from a gradient of 200 × 200 pixels.
pub(crate) const PROGRESSIVE: &[u8] = include_bytes!("../fixtures/progressive.jpg");
pub(crate) const CMYK: &[u8] = include_bytes!("../fixtures/cmyk.jpg");
pub(crate) const LOSSY: &[u8] = include_bytes!("../fixtures/lossy.webp");
pub(crate) const LOSSY_ALPHA: &[u8] = include_bytes!("../fixtures/lossy-alpha.webp");
pub(crate) const LOSSLESS: &[u8] = include_bytes!("../fixtures/lossless.webp");
pub(crate) const ANIMATED: &[u8] = include_bytes!("../fixtures/animated.webp");

pub(crate) fn read(bytes: &[u8]) -> Result<Artwork, ArtworkError> {
    Artwork::read(bytes, &Limits::default())
}

pub(crate) fn refusal(bytes: &[u8]) -> ArtworkError {
    read(bytes).unwrap_err()
}

pub(crate) fn pixels(rendition: &Rendition) -> RgbaImage {
    image::load_from_memory(rendition.bytes()).unwrap().into_rgba8()
}

/// Whether two colours are equal within the tolerance of JPEG compression.
pub(crate) fn is_near(one: [u8; 4], other: [u8; 4]) -> bool {
    one.iter().zip(other).all(|(one, other)| one.abs_diff(other) <= 6)
}

fn byte(number: u32) -> u8 {
    u8::try_from(number % 256).unwrap()
}

pub(crate) fn gradient(width: u32, height: u32) -> DynamicImage {
    let colour = |x: u32, y: u32| {
        Rgb([byte(x * 255 / width), byte(y * 255 / height), byte((x + y) * 255 / (width + height))])
    };
    RgbImage::from_fn(width, height, colour).into()
}

/// A gradient whose opacity falls to 0 towards the right.
pub(crate) fn fading(width: u32, height: u32) -> DynamicImage {
    let colour = |x: u32, y: u32| {
        Rgba([byte(x * 255 / width), byte(y * 255 / height), 90, 255 - byte(x * 256 / width)])
    };
    RgbaImage::from_fn(width, height, colour).into()
}

pub(crate) fn file(picture: &DynamicImage, format: ImageFormat) -> Vec<u8> {
    let mut file = Cursor::new(Vec::new());
    picture.write_to(&mut file, format).unwrap();
    file.into_inner()
}

/// A file of each format.
pub(crate) fn each_format(picture: &DynamicImage) -> [Vec<u8>; 3] {
    [ImageFormat::Png, ImageFormat::Jpeg, ImageFormat::WebP].map(|format| file(picture, format))
}

pub(crate) fn png_chunk(kind: [u8; 4], data: &[u8]) -> Vec<u8> {
    let mut crc = Crc::new();
    crc.update(&kind);
    crc.update(data);
    let length = u32::try_from(data.len()).unwrap().to_be_bytes();
    [&length[..], &kind, data, &crc.sum().to_be_bytes()].concat()
}

/// A PNG with additional chunks between the header and the pixels.
pub(crate) fn png_with(png: &[u8], chunks: &[u8]) -> Vec<u8> {
    let (header, rest) = png.split_at(8 + 25);
    [header, chunks, rest].concat()
}

pub(crate) fn png_header(width: u32, height: u32) -> Vec<u8> {
    let size = [width.to_be_bytes(), height.to_be_bytes()].concat();
    let header = png_chunk(*b"IHDR", &[&size[..], &[8, 0, 0, 0, 0]].concat());
    [b"\x89PNG\r\n\x1A\n", &header[..]].concat()
}

pub(crate) fn zlib(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

pub(crate) fn segment(kind: u8, body: &[u8]) -> Vec<u8> {
    let length = u16::try_from(body.len() + 2).unwrap().to_be_bytes();
    [&[0xFF, kind], &length[..], body].concat()
}

/// A JPEG with additional segments before all others.
pub(crate) fn jpeg_with(jpeg: &[u8], segments: &[u8]) -> Vec<u8> {
    let (start, rest) = jpeg.split_at(2);
    [start, segments, rest].concat()
}

pub(crate) fn webp_chunk(kind: [u8; 4], data: &[u8]) -> Vec<u8> {
    let length = u32::try_from(data.len()).unwrap().to_le_bytes();
    [&kind, &length[..], data, &[0][..data.len() % 2]].concat()
}

pub(crate) fn webp(chunks: &[u8]) -> Vec<u8> {
    let length = u32::try_from(chunks.len() + 4).unwrap().to_le_bytes();
    [b"RIFF", &length[..], b"WEBP", chunks].concat()
}

pub(crate) fn canvas(width: u32, height: u32) -> Vec<u8> {
    let side = |side: u32| (side - 1).to_le_bytes()[..3].to_vec();
    webp_chunk(*b"VP8X", &[&[0x3C, 0, 0, 0], &side(width)[..], &side(height)].concat())
}

/// Converts a simple WebP (one chunk) to an extended one with additional chunks.
pub(crate) fn webp_with(simple: &[u8], size: (u32, u32), chunks: &[u8]) -> Vec<u8> {
    webp(&[&canvas(size.0, size.1)[..], &simple[12..], chunks].concat())
}

/// EXIF data (a TIFF structure) with an orientation and a GPS position.
pub(crate) fn exif(orientation: u8) -> Vec<u8> {
    let mut tiff = b"II*\0\x08\0\0\0\x02\0".to_vec();
    tiff.extend([0x12, 0x01, 3, 0, 1, 0, 0, 0, orientation, 0, 0, 0]);
    // The table of the GPS position begins after this table of two entries.
    tiff.extend([0x25, 0x88, 4, 0, 1, 0, 0, 0, 38, 0, 0, 0]);
    tiff.extend([0, 0, 0, 0]);
    tiff.extend([1, 0, 0x1D, 0, 2, 0, 11, 0, 0, 0, 56, 0, 0, 0, 0, 0, 0, 0]);
    tiff.extend(b"2026:11:25\0 GPS 48.137154 N 11.576124 E");
    tiff
}

/// An upload of each format with EXIF data.
pub(crate) fn each_with_exif(picture: &DynamicImage, orientation: u8) -> [Vec<u8>; 3] {
    let [png, jpeg, webp] = each_format(picture);
    let exif = exif(orientation);
    let size = (picture.width(), picture.height());
    [
        png_with(&png, &png_chunk(*b"eXIf", &exif)),
        jpeg_with(&jpeg, &segment(0xE1, &[b"Exif\0\0", &exif[..]].concat())),
        webp_with(&webp, size, &webp_chunk(*b"EXIF", &exif)),
    ]
}

/// A bit writer, lowest bit of a byte first.
#[derive(Default)]
pub(crate) struct Bits {
    bytes: Vec<u8>,
    free: u32,
}

impl Bits {
    pub(crate) fn put(&mut self, number: u32, count: u32) -> &mut Self {
        for bit in 0..count {
            if self.free == 0 {
                self.bytes.push(0);
                self.free = 8;
            }
            *self.bytes.last_mut().unwrap() |= byte(number >> bit & 1) << (8 - self.free);
            self.free -= 1;
        }
        self
    }

    /// Writes a Huffman code, whose highest bit comes first.
    pub(crate) fn code(&mut self, code: &str) -> &mut Self {
        code.bytes().for_each(|bit| {
            self.put(u32::from(bit - b'0'), 1);
        });
        self
    }

    pub(crate) fn bytes(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.bytes)
    }
}

/// A zlib stream (RFC 1950, 1951) of a megabyte that unpacks to a gigabyte of zeros.
pub(crate) fn gigabyte() -> Vec<u8> {
    let mut bits = Bits::default();
    bits.put(0x0178, 16);
    // The final block, with its own codes (dynamic Huffman): 286 literals and lengths, one distance, 18 code lengths.
    bits.put(1, 1).put(2, 2).put(29, 5).put(0, 5).put(14, 4);
    // The code for code lengths: symbol 18 (many zeros) has one bit, symbols 1 and 2 have two.
    let lengths = [0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0, 2];
    for length in lengths {
        bits.put(length, 3);
    }
    // Codes only for: the literal 0, the end of the block, the longest length (258), and the distance 1.
    bits.code("11").code("0").put(138 - 11, 7).code("0").put(117 - 11, 7).code("11");
    bits.code("0").put(28 - 11, 7).code("10").code("10");
    // The literal 0; from now on, every two bits repeat it 258 times.
    bits.code("10");
    let mut stream = bits.bytes();
    stream.extend(vec![0; 1 << 20]);
    stream
}
