//! The input of charts.

use std::borrow::Cow;

/// Most bars of a curve; larger values are counted in `more`.
pub const CURVE_BARS_MAX: usize = 50;
/// Most bars of shares; the values with the fewest copies are added up.
pub const SHARES_MAX: usize = 12;

/// Options of a chart.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct ChartOptions {
    /// The width.
    pub width: ChartWidth,
    /// The theme of the page.
    pub theme: ChartTheme,
}

/// The theme of the page that contains the chart. The chart has its own background, so it is readable in the other
/// theme, too.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum ChartTheme {
    /// Dark letters on a light background.
    #[default]
    Light,
    /// Light letters on a dark background.
    Dark,
}

/// Width of a chart in pixels, from 320 to 1,200. Default: 640.
///
/// ```
/// use cardscape_pictures::ChartWidth;
///
/// assert_eq!(ChartWidth::new(800).map(ChartWidth::pixels), Some(800));
/// assert_eq!(ChartWidth::new(ChartWidth::MAX + 1), None);
/// assert_eq!(ChartWidth::default().pixels(), 640);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ChartWidth(u16);

impl ChartWidth {
    /// The smallest width in pixels.
    pub const MIN: u32 = 320;
    /// The largest width in pixels.
    pub const MAX: u32 = 1_200;

    /// A width in pixels; `None` below [`Self::MIN`] and above [`Self::MAX`].
    pub fn new(pixels: u32) -> Option<Self> {
        let is_possible = (Self::MIN..=Self::MAX).contains(&pixels);
        u16::try_from(pixels).ok().filter(|_| is_possible).map(Self)
    }

    /// The width in pixels.
    pub fn pixels(self) -> u32 {
        self.0.into()
    }

    pub(super) fn units(self) -> f32 {
        self.0.into()
    }
}

impl Default for ChartWidth {
    fn default() -> Self {
        Self(640)
    }
}

/// Numbers of copies for consecutive whole numbers, for example for each rank.
///
/// [`CurveChart::from_distribution`] creates one from a deck's statistics. Texts may contain anything that players
/// write: they are cleaned and escaped when they are drawn.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CurveChart<'a> {
    /// The title of the chart.
    pub title: Cow<'a, str>,
    /// The label of the number axis, for example `Rank`.
    pub axis: Cow<'a, str>,
    /// The number of the first bar.
    pub first: i64,
    /// Copies with the number `first`, with the next number and so on; 0 where there are none. At most
    /// [`CURVE_BARS_MAX`] numbers have a bar; the copies of the others are added to `more`.
    pub counts: Vec<u64>,
    /// Copies with a smaller number than those of the bars.
    pub fewer: u64,
    /// Copies with a larger number than those of the bars.
    pub more: u64,
    /// Copies without a number.
    pub without: u64,
    /// Copies whose value is not known.
    pub unclear: u64,
}

/// Numbers of copies for each value, for example for each type.
///
/// [`SharesChart::from_distribution`] creates one from a deck's statistics. Texts may contain anything that players
/// write: they are cleaned and escaped when they are drawn.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SharesChart<'a> {
    /// The title of the chart.
    pub title: Cow<'a, str>,
    /// The values, in drawing order. Only the [`SHARES_MAX`] values with the most copies have a bar (among equal values, the
    /// first); the others are added to `other`.
    pub bars: Vec<ShareBar<'a>>,
    /// The values that are not in `bars`, added up.
    pub other: OtherShares,
    /// Number of all copies, which is 100%. If it is 0, no percentages are drawn.
    pub total: u64,
    /// Copies without a value.
    pub without: u64,
    /// Copies whose value is not known.
    pub unclear: u64,
}

/// A value with its number of copies.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ShareBar<'a> {
    /// Its name; cut with `…` if it is too long.
    pub label: Cow<'a, str>,
    /// Copies with this value.
    pub copies: u64,
    /// A text that determines the colour, as for cards: the first word in it for a colour or element (`fire`, `blue`).
    /// Without such a word, the bar has the next colour of a fixed series.
    pub theme: Cow<'a, str>,
}

/// Values that have no bar of their own.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct OtherShares {
    /// Number of different values. If it is not 0, a bar is drawn for all of them together.
    pub values: u64,
    /// Copies with one of these values.
    pub copies: u64,
}
