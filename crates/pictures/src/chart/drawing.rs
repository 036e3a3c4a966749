//! The layout of a chart, which the template writes. In pixels.

use std::fmt;

use crate::palette::Palette;
use crate::runs::Rounded;
use crate::shapes::{Area, Block};

/// A chart without its colours.
#[derive(Debug, Default)]
pub(super) struct Drawing {
    pub(super) width: u32,
    pub(super) height: u32,
    /// The name for screen readers; never empty.
    pub(super) title: String,
    pub(super) description: String,
    /// Lines behind the bars.
    pub(super) grid: Vec<Stroke>,
    pub(super) bars: Vec<Bar>,
    /// The base line of the bars.
    pub(super) base: Vec<Stroke>,
    pub(super) blocks: Vec<Block>,
    /// Whether a text was cut.
    pub(super) is_cut: bool,
}

/// A bar; there is none for zero copies.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Bar {
    pub(super) area: Area,
    pub(super) look: Look,
}

/// How a bar is filled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Look {
    Coloured(Palette),
    /// For several values together.
    Hatched,
}

/// A horizontal or vertical line.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Stroke {
    Across { x: f32, y: f32, to: f32 },
    Upright { x: f32, y: f32, to: f32 },
}

impl fmt::Display for Stroke {
    /// Writes it as a part of a path, which contains only numbers and letters, so that no escaping is needed. At half
    /// pixels, so that the line is sharp.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sharp = |at: f32| Rounded(at.floor() + 0.5);
        match *self {
            Self::Across { x, y, to } => write!(f, "M{} {}H{}", Rounded(x), sharp(y), Rounded(to)),
            Self::Upright { x, y, to } => write!(f, "M{} {}V{}", sharp(x), Rounded(y), Rounded(to)),
        }
    }
}
