//! Pictures of cards: every card, printing and design of every game, in a template of our own. And charts of what is in a deck.
//!
//! The crate is pure. It reads no files, has no clock and no randomness, and equal cards give equal pictures. See the README for examples.
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
