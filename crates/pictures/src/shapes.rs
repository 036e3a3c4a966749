//! Positions, text lines and areas of a layout. All lengths are in units of the card or pixels of the chart.

use std::fmt;

use crate::metrics::Style;
use crate::runs::Rounded;
use crate::wrap::Line;

/// The point of a line to which its x refers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Anchor {
    Start,
    Middle,
    End,
}

/// The colour of letters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ink {
    /// Dark, on light plates. In charts: the colour with the most contrast to the background.
    Dark,
    /// For labels: the card's colour, on light plates. In charts: a colour with less contrast.
    Label,
    /// Light, on dark plates.
    Light,
    /// Dark on light plates for matte cards, metallic on dark ones for all others.
    Shiny,
}

/// A line of text with its position.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Placed {
    pub(crate) x: f32,
    /// The base line.
    pub(crate) y: f32,
    pub(crate) text: String,
    /// Width in the bundled font.
    pub(crate) width: f32,
    /// The fixed width that it must have in every font; `None`: it fits even in a wide font.
    pub(crate) length: Option<f32>,
    pub(crate) anchor: Anchor,
}

/// Lines with the same size, style and colour.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Block {
    pub(crate) size: f32,
    pub(crate) style: Style,
    pub(crate) ink: Ink,
    pub(crate) lines: Vec<Placed>,
}

/// A rectangle.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Area {
    pub(crate) x: f32,
    pub(crate) y: f32,
    pub(crate) width: f32,
    pub(crate) height: f32,
}

impl Area {
    /// The area without a border of this width.
    pub(crate) fn inset(self, by: f32) -> Self {
        let Self { x, y, width, height } = self;
        Self { x: x + by, y: y + by, width: width - 2.0 * by, height: height - 2.0 * by }
    }

    /// y of its middle.
    pub(crate) fn middle(self) -> Rounded {
        Rounded(self.y + self.height / 2.0)
    }
}

impl fmt::Display for Area {
    /// Writes it as attributes of an element. They contain only numbers, so that no escaping is needed.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [x, y, width, height] = [self.x, self.y, self.width, self.height].map(Rounded);
        write!(f, r#"x="{x}" y="{y}" width="{width}" height="{height}""#)
    }
}

impl Block {
    /// Lines below each other, vertically centred at `middle`.
    pub(crate) fn around(
        (size, lines, style): (f32, Vec<Line>, Style),
        ink: Ink,
        (x, anchor): (f32, Anchor),
        middle: f32,
        room: f32,
    ) -> Self {
        let leading = size * 1.16;
        #[allow(clippy::cast_precision_loss, reason = "a few lines")]
        let first = middle - leading * (lines.len() as f32 - 1.0) / 2.0 + size * 0.36;
        let mut y = first - leading;
        let lines = lines.into_iter().map(|line| {
            y += leading;
            Placed::new(line, size, (x, y), anchor, room)
        });
        Self::new(size, style, ink, lines.collect())
    }

    /// Lines of one text. If one line needs a fixed length, all get one: otherwise their letters would have different widths.
    pub(crate) fn new(size: f32, style: Style, ink: Ink, mut lines: Vec<Placed>) -> Self {
        if lines.iter().any(|line| line.length.is_some()) {
            for line in lines.iter_mut().filter(|line| line.width > 0.0) {
                line.length.get_or_insert(line.width);
            }
        }
        Self { size, style, ink, lines }
    }
}

impl Placed {
    /// A line at a position, with this room for its width.
    pub(crate) fn new(
        line: Line,
        size: f32,
        (x, y): (f32, f32),
        anchor: Anchor,
        room: f32,
    ) -> Self {
        let (width, bound) = (line.extent.width * size, line.extent.bound * size);
        let length = (bound > room && width > 0.0).then_some(width.min(room));
        Self { x, y, text: line.text, width, length, anchor }
    }
}
