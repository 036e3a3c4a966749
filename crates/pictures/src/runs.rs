//! Splits lines into parts with one font each.
//!
//! Browsers find a font for each letter themselves. The renderer's own search loses letters if an emoji sequence is
//! between words, so it gets parts that need no search.

use std::borrow::Cow;
use std::fmt;

use crate::fonts::{Coverage, Fonts, Slot};
use crate::metrics::{cluster_extent, clusters, is_emoji};
use crate::shapes::{Anchor, Block, Placed};

/// A number with at most two decimal places.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Rounded(pub(crate) f32);

impl fmt::Display for Rounded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Adding 0 converts −0 to 0.
        write!(f, "{}", (f64::from(self.0) * 100.0).round() / 100.0 + 0.0)
    }
}

/// The content of one `<text>` element.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Run<'a> {
    pub(crate) x: Rounded,
    pub(crate) y: Rounded,
    pub(crate) anchor: Anchor,
    pub(crate) length: Option<Rounded>,
    pub(crate) text: Cow<'a, str>,
}

impl Run<'_> {
    /// Whether it contains only emoji.
    pub(crate) fn is_emoji(&self) -> bool {
        !self.text.is_empty() && clusters(&self.text).all(is_emoji)
    }
}

/// The parts of a block's lines; without `fonts`, each line is one part.
pub(crate) fn runs<'a>(block: &'a Block, fonts: Option<&Fonts>) -> Vec<Run<'a>> {
    let Some(fonts) = fonts else { return block.lines.iter().map(as_one_run).collect() };
    let coverage = fonts.coverage();
    let mut runs = Vec::new();
    for line in &block.lines {
        if line.text.is_ascii() {
            runs.push(as_one_run(line));
        } else {
            split(line, block, &coverage, &mut runs);
        }
    }
    runs
}

/// A line as one part. With a fixed length, the position of its start is given, because some renderers align a text before
/// they fix its length, and others after that.
fn as_one_run(line: &Placed) -> Run<'_> {
    let (x, anchor) = match line.length {
        Some(length) => (start(line, length), Anchor::Start),
        None => (line.x, line.anchor),
    };
    Run {
        x: Rounded(x),
        y: Rounded(line.y),
        anchor,
        length: line.length.map(Rounded),
        text: Cow::Borrowed(&line.text),
    }
}

/// x of the start of a line with this width.
fn start(line: &Placed, width: f32) -> f32 {
    match line.anchor {
        Anchor::Start => line.x,
        Anchor::Middle => line.x - width / 2.0,
        Anchor::End => line.x - width,
    }
}

fn split<'a>(line: &'a Placed, block: &Block, coverage: &Coverage<'_>, runs: &mut Vec<Run<'a>>) {
    let mut parts: Vec<(Slot, String, f32)> = Vec::new();
    for cluster in clusters(&line.text) {
        let before = parts.last().map(|(slot, _, _)| *slot);
        let slot = coverage.slot(cluster, block.style, before);
        let width = cluster_extent(cluster, block.style).width * block.size;
        let drawn = slot.drawn(cluster);
        match parts.last_mut() {
            Some((last, text, so_far)) if *last == slot => {
                text.push_str(&drawn);
                *so_far += width;
            }
            _ => parts.push((slot, drawn.into_owned(), width)),
        }
    }
    if let [(Slot::Text, _, _)] = parts[..] {
        runs.push(as_one_run(line));
        return;
    }
    let whole_width = line.length.unwrap_or(line.width);
    let scale = if line.width > 0.0 { whole_width / line.width } else { 1.0 };
    let mut x = start(line, whole_width);
    let space = cluster_extent(" ", block.style).width * block.size * scale;
    for (slot, text, width) in parts {
        let width = width * scale;
        // Spaces at the ends are not drawn.
        let (before, after) = (text.starts_with(' '), text.ends_with(' ') && text.len() > 1);
        let spaces = |is: bool| if is { space } else { 0.0 };
        let inner = width - spaces(before) - spaces(after);
        // Fonts that are not bundled may have other widths.
        let has_fixed_length = scale < 0.999 || !matches!(slot, Slot::Text | Slot::Symbols);
        if inner > 0.0 && text != " " {
            runs.push(Run {
                x: Rounded(x + spaces(before)),
                y: Rounded(line.y),
                anchor: Anchor::Start,
                length: has_fixed_length.then_some(Rounded(inner)),
                text: text.trim().to_owned().into(),
            });
        }
        x += width;
    }
}
