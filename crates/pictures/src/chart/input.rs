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
    /// Dark letters on a light ground.
    #[default]
    Light,
    /// Light letters on a dark ground.
    Dark,
}

/// Width of a chart in pixels, from 320 to 1,200; 640 where nothing is said.
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

/// How many copies have each whole number of a span.
///
/// [`CurveChart::from_distribution`] makes one of a deck's statistics. Texts may hold anything that players write: they are made harmless when
/// they are drawn.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CurveChart<'a> {
    /// What the chart is called.
    pub title: Cow<'a, str>,
    /// What the numbers are, for example `Rank`.
    pub axis: Cow<'a, str>,
    /// The number of the first bar.
    pub first: i64,
    /// Copies of `first`, of the number after it and so on, also where there are none. At most [`CURVE_BARS_MAX`] have a bar, the rest is
    /// added to `more`.
    pub counts: Vec<u64>,
    /// Copies with a smaller number than those of the bars.
    pub fewer: u64,
    /// Copies with a larger number.
    pub more: u64,
    /// Copies without a number.
    pub without: u64,
    /// Copies of which it is not known.
    pub unclear: u64,
}

/// How copies are spread over values.
///
/// [`SharesChart::from_distribution`] makes one of a deck's statistics. Texts may hold anything that players write: they are made harmless when
/// they are drawn.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SharesChart<'a> {
    /// What the chart is called.
    pub title: Cow<'a, str>,
    /// The values, in the order in which they are drawn. At most [`SHARES_MAX`] have a bar, those with the most copies (of equal ones the
    /// first); the rest is added to `other`.
    pub bars: Vec<ShareBar<'a>>,
    /// Values that are not listed.
    pub other: OtherShares,
    /// All copies, of which the percents are. Where it is 0 there are no percents.
    pub total: u64,
    /// Copies without a value.
    pub without: u64,
    /// Copies of which it is not known.
    pub unclear: u64,
}

/// One value.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ShareBar<'a> {
    /// What it is called; cut with `…` where it is too long.
    pub label: Cow<'a, str>,
    /// Copies that have it.
    pub copies: u64,
    /// What its colour follows from: the first word for a colour or element in it, as for cards (`fire`, `blue`). Without one it has the next
    /// colour of a fixed series.
    pub theme: Cow<'a, str>,
}

/// Values that have no bar of their own.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct OtherShares {
    /// How many different ones; the bar is drawn where there is at least one.
    pub values: u64,
    /// Copies that have one of them.
    pub copies: u64,
}
