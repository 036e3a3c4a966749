//! Artwork that people upload: checked, cleaned and encoded again in two sizes, or refused in plain words.
//!
//! The crate is pure. It reads no files, has no clock and no randomness, and equal uploads give equal artwork. See the README for what is
//! accepted, what comes out, and what bounds time and memory.
#![warn(missing_docs)]

mod artwork;
mod colours;
mod decode;
mod error;
mod format;
mod limits;
mod rendition;
mod scale;
mod source;

pub use artwork::{Artwork, FULL_SIDE_MAX, SMALL_SIDE_MAX};
pub use error::ArtworkError;
pub use limits::Limits;
pub use rendition::{ContentHash, MediaType, Rendition};

/// The examples of the README.
#[doc = include_str!("../README.md")]
#[cfg(doctest)]
struct Readme;
