//! Processes artwork that players upload: it is checked, cleaned and encoded again in two sizes, or refused with a message
//! for the player.
//!
//! The crate is pure: it reads no files and uses no clock and no random numbers, so equal uploads give equal artwork. The
//! README describes accepted files, the results, and the limits of time and memory.
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
