//! Common parts of all charts: title, description, and notes about copies without a bar.

use super::drawing::Drawing;
use super::input::ChartOptions;
use super::numbers::grouped;
use crate::clean::clean;
use crate::metrics::{Extent, Style, measure};
use crate::shapes::{Anchor, Block, Ink, Placed};
use crate::wrap::{Line, Text, fit};

/// Margin on all sides.
pub(super) const MARGIN: f32 = 16.0;
/// Font size of axes.
pub(super) const SMALL: f32 = 11.0;
/// Most characters of a title, an axis or a label.
pub(super) const NAME_MAX: usize = 200;
/// Most characters of a description: fifty of the largest numbers take 3,000.
const DESCRIPTION_MAX: usize = 4_000;

/// A chart during its layout, from top to bottom.
pub(super) struct Page {
    pub(super) drawing: Drawing,
    /// Top of the free space.
    pub(super) y: f32,
    pub(super) width: f32,
    /// Sentences of the description.
    sentences: Vec<String>,
}

impl Page {
    /// Adds the title. If it is empty, screen readers get `unnamed`.
    pub(super) fn new(title: &str, unnamed: &str, options: ChartOptions) -> Self {
        let title = clean(title, NAME_MAX);
        let width = options.width.units();
        let drawing = Drawing {
            width: options.width.pixels(),
            title: if title.is_empty() { unnamed.to_owned() } else { title.clone() },
            ..Drawing::default()
        };
        let mut page = Self { drawing, y: MARGIN, width, sentences: Vec::new() };
        let sizes = [(18.0, 1), (16.0, 1), (15.0, 2)];
        page.paragraph(&title, (Style::Bold, Ink::Dark), &sizes);
        page
    }

    /// Width between the margins.
    pub(super) fn room(&self) -> f32 {
        self.width - 2.0 * MARGIN
    }

    /// A text across the full width, in the largest size that fits.
    pub(super) fn paragraph(
        &mut self,
        text: &str,
        (style, ink): (Style, Ink),
        sizes: &[(f32, usize)],
    ) {
        let room = self.room();
        let (size, lines, is_cut) = fit(&Text::new(text, style), room, sizes);
        self.drawing.is_cut |= is_cut;
        if lines.is_empty() {
            return;
        }
        #[allow(clippy::cast_precision_loss, reason = "a few lines")]
        let height = (lines.len() as f32 * size * 1.16 + 4.0).ceil();
        let at = (MARGIN, Anchor::Start);
        let middle = self.y + height / 2.0;
        self.drawing.blocks.push(Block::around((size, lines, style), ink, at, middle, room));
        self.y += height;
    }

    /// A single line in small letters, cut to a width, and aligned at a position.
    pub(super) fn label(&mut self, text: &str, (x, anchor): (f32, Anchor), y: f32, room: f32) {
        let text = Text::new(text, Style::Regular);
        let (size, lines, is_cut) = fit(&text, room, &[(SMALL, 1)]);
        self.drawing.is_cut |= is_cut;
        let lines = lines.into_iter().map(|line| Placed::new(line, size, (x, y), anchor, room));
        self.add(Block::new(size, Style::Regular, Ink::Label, lines.collect()));
    }

    pub(super) fn add(&mut self, block: Block) {
        if !block.lines.is_empty() {
            self.drawing.blocks.push(block);
        }
    }

    /// Adds a sentence to the description.
    pub(super) fn describe(&mut self, sentence: impl Into<String>) {
        self.sentences.push(sentence.into());
    }

    /// Notes below the chart about copies without a bar: those without a value, and those whose value is not known.
    pub(super) fn notes(&mut self, without: u64, unclear: u64) {
        let mut notes = Vec::new();
        for (label, copies) in [("Without a value", without), ("Unclear", unclear)] {
            if copies > 0 {
                notes.push(format!("{label}: {}", grouped(copies.into())));
            }
        }
        self.paragraph(&notes.join(" · "), (Style::Regular, Ink::Label), &[(12.0, 1), (12.0, 3)]);
        self.sentences.extend(notes);
    }

    /// The finished chart, as high as its content.
    pub(super) fn finish(mut self) -> Drawing {
        self.drawing.description =
            clean(&format!("{}.", self.sentences.join(". ")), DESCRIPTION_MAX);
        #[allow(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a few hundred pixels"
        )]
        let height = (self.y + MARGIN).ceil() as u32;
        self.drawing.height = height;
        self.drawing
    }
}

/// A text that is short enough for one line.
pub(super) fn short_line(text: String) -> Line {
    Line { extent: measure(&text, Style::Regular), text }
}

/// The largest width of a line in a reader's font.
pub(super) fn bound(text: &str, size: f32) -> f32 {
    let Extent { bound, .. } = measure(text, Style::Regular);
    bound * size
}
