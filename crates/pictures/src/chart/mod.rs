//! Charts of the contents of a deck: curves of numbers and shares of values.

mod axis;
mod curve;
mod drawing;
mod from_statistics;
mod inks;
mod input;
mod numbers;
mod page;
mod shares;

use askama::Template;
use cardscape_engine::rng::text_number;

use crate::fonts::Fonts;
use crate::png::{self, PngError};
use crate::runs::runs;
use crate::shapes::{Block, Ink};
use crate::text::{FAMILIES, TextTemplate};
use drawing::{Bar, Drawing, Look};
use inks::Inks;

pub use input::{
    CURVE_BARS_MAX, ChartOptions, ChartTheme, ChartWidth, CurveChart, OtherShares, SHARES_MAX,
    ShareBar, SharesChart,
};

/// The layout of a chart.
///
/// Every input gives a chart: no cards, arbitrarily large numbers, texts of any length. Equal inputs give equal charts
/// on every machine. Everything that a bar shows is also written beside it, and in the description for screen readers:
/// no information depends on colour alone.
#[derive(Debug)]
pub struct Chart {
    drawing: Drawing,
    theme: ChartTheme,
    /// Prefix of ids, so that several charts can be in one page.
    id: String,
}

impl Chart {
    /// A chart with a vertical bar for each whole number, for example the copies of each rank.
    ///
    /// ```
    /// use cardscape_pictures::{Chart, ChartOptions, CurveChart};
    ///
    /// let curve = CurveChart {
    ///     title: "Ranks of <b>Otters</b>".into(),
    ///     axis: "Rank".into(),
    ///     first: 1,
    ///     counts: vec![12, 8, 0, 4],
    ///     without: 6,
    ///     ..CurveChart::default()
    /// };
    /// let svg = Chart::curve(&curve, ChartOptions::default()).svg();
    /// assert!(svg.contains("Ranks of &#60;b&#62;Otters"));
    /// assert!(svg.contains("1: 12; 2: 8; 3: 0; 4: 4. Without a value: 6."));
    /// ```
    pub fn curve(chart: &CurveChart<'_>, options: ChartOptions) -> Self {
        Self::new(curve::curve(chart, options), options)
    }

    /// A chart with a horizontal bar for each value, for example the copies of each type, with copies and percentage.
    ///
    /// ```
    /// use cardscape_pictures::{Chart, ChartOptions, ShareBar, SharesChart};
    ///
    /// let bar = |label: &'static str, copies| ShareBar { label: label.into(), copies, theme: label.into() };
    /// let shares = SharesChart {
    ///     title: "Types".into(),
    ///     bars: vec![bar("Fire", 10), bar("Water", 20)],
    ///     total: 40,
    ///     without: 10,
    ///     ..SharesChart::default()
    /// };
    /// let chart = Chart::shares(&shares, ChartOptions::default());
    /// assert!(chart.svg().contains(">10 · 25%</text>"));
    /// assert!(!chart.is_cut());
    /// ```
    pub fn shares(chart: &SharesChart<'_>, options: ChartOptions) -> Self {
        Self::new(shares::shares(chart, options), options)
    }

    fn new(drawing: Drawing, options: ChartOptions) -> Self {
        let seed = format!("{}\n{}\n{options:?}", drawing.title, drawing.description);
        let id = format!("g{:08x}", text_number(&seed) >> 32);
        Self { drawing, theme: options.theme, id }
    }

    /// Width in pixels.
    pub fn width(&self) -> u32 {
        self.drawing.width
    }

    /// Height in pixels: it follows from the content.
    pub fn height(&self) -> u32 {
        self.drawing.height
    }

    /// Whether a text did not fit and ends with `…`. (The description for screen readers contains it completely.)
    pub fn is_cut(&self) -> bool {
        self.drawing.is_cut
    }

    /// The chart as SVG: for browsers, which use the fonts of their reader. It contains no scripts, styles or external
    /// addresses, so it can be used in a page as `<img>` or inline, also under a `Content-Security-Policy` without
    /// `unsafe-inline`.
    pub fn svg(&self) -> String {
        self.drawn(None)
    }

    /// The chart as PNG with the size [`Chart::width`] × [`Chart::height`], drawn with the bundled fonts and the
    /// additional ones in `fonts`. Characters that no font has are drawn as a rounded outline.
    ///
    /// # Errors
    /// Failures of the renderer ([`PngError`]); none are known.
    pub fn png(&self, fonts: &Fonts) -> Result<Vec<u8>, PngError> {
        png::draw(&self.drawn(Some(fonts)), (self.width(), self.height()), fonts)
    }

    fn drawn(&self, fonts: Option<&Fonts>) -> String {
        let template = ChartTemplate {
            drawing: &self.drawing,
            inks: self.theme.inks(),
            theme: self.theme,
            id: &self.id,
            fonts,
        };
        // Writing to a string cannot fail.
        template.render().unwrap_or_default()
    }
}

#[derive(Template)]
#[template(path = "chart/chart.svg")]
struct ChartTemplate<'a> {
    drawing: &'a Drawing,
    inks: Inks,
    theme: ChartTheme,
    id: &'a str,
    fonts: Option<&'a Fonts>,
}

impl ChartTemplate<'_> {
    /// Consecutive bars with the same look are grouped.
    fn groups(&self) -> impl Iterator<Item = &[Bar]> {
        self.drawing.bars.chunk_by(|left, right| left.look == right.look)
    }

    fn fill(&self, bars: &[Bar]) -> String {
        match bars.first().map(|bar| bar.look) {
            Some(Look::Coloured(palette)) => self.theme.bar(palette).to_string(),
            Some(Look::Hatched) | None => format!("url(#{}h)", self.id),
        }
    }

    fn has_hatched(&self) -> bool {
        self.drawing.bars.iter().any(|bar| bar.look == Look::Hatched)
    }

    fn text<'a>(&'a self, block: &'a Block) -> TextTemplate<'a> {
        let fill = if block.ink == Ink::Label { self.inks.label } else { self.inks.text };
        let runs = runs(block, self.fonts);
        // A chart has a hundred numbers: common attributes are written once.
        let anchor = runs.first().map(|run| run.anchor);
        let anchor = anchor.filter(|anchor| runs.iter().all(|run| run.anchor == *anchor));
        TextTemplate { block, fill: fill.to_owned(), outline: false, anchor, runs }
    }
}
