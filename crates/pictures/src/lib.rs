//! Draws pictures of cards, printings and designs of any game, and charts of the content of decks.
//!
//! The crate is pure: it reads no files and uses no clock and no random numbers, so equal cards give equal pictures. See
//! the README for examples.
#![warn(missing_docs)]

mod artwork;
mod body;
mod chart;
mod clean;
mod description;
mod emblem;
mod face;
mod finish;
mod fonts;
mod from_game;
mod metrics;
mod palette;
mod picture;
mod png;
mod runs;
mod shapes;
mod sheet;
mod text;
mod wrap;

pub use artwork::{ARTWORK_BYTES_MAX, ARTWORK_SIDE_MAX, Artwork, ArtworkError};
pub use chart::{
    CURVE_BARS_MAX, Chart, ChartOptions, ChartTheme, ChartWidth, CurveChart, OtherShares,
    SHARES_MAX, ShareBar, SharesChart,
};
pub use face::{CardFace, EFFECTS_MAX, EffectText, FACTS_MAX, Fact, Figure, STATS_MAX};
pub use finish::Finish;
pub use fonts::{FontError, Fonts};
pub use picture::{Picture, card_back};
pub use png::PngError;
pub use sheet::{CARD_HEIGHT, CARD_WIDTH};

/// The examples of the README.
#[doc = include_str!("../README.md")]
#[cfg(doctest)]
struct Readme;
