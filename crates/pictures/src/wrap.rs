//! Breaks texts into lines.

use std::ops::Range;

use crate::metrics::{Extent, Style, cluster_extent, clusters, measure};

/// A text with measured words, so that it can be broken into lines of any width without measuring again.
#[derive(Debug)]
pub(crate) struct Text {
    content: String,
    style: Style,
    words: Vec<Word>,
    space: Extent,
}

/// A measured word.
#[derive(Debug)]
struct Word {
    range: Range<usize>,
    extent: Extent,
    /// Whether a line break comes before it.
    begins_line: bool,
}

/// A line of a text.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Line {
    pub(crate) text: String,
    pub(crate) extent: Extent,
}

/// Lines as ranges of the text, with their extents.
type Breaks = Vec<(Range<usize>, Extent)>;

impl Text {
    /// Measures a text that has been cleaned. Its line breaks stay.
    pub(crate) fn new(text: impl Into<String>, style: Style) -> Self {
        let text = text.into();
        let mut words = Vec::new();
        let mut start = 0;
        for line in text.split('\n') {
            let mut begins_line = !words.is_empty();
            for word in line.split(' ') {
                let range = start..start + word.len();
                start = range.end + 1;
                if !word.is_empty() {
                    words.push(Word { range, extent: measure(word, style), begins_line });
                    begins_line = false;
                }
            }
        }
        Self { content: text, style, words, space: measure(" ", style) }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// Width of the whole text on one line.
    pub(crate) fn width(&self) -> f32 {
        let mut width = 0.0;
        for (place, word) in self.words.iter().enumerate() {
            width += word.extent.width + if place > 0 { self.space.width } else { 0.0 };
        }
        width
    }

    /// Number of lines that it needs at this width (in em).
    pub(crate) fn count(&self, width: f32) -> usize {
        self.breaks(width).len()
    }

    /// Its lines, each at most `width` (in em) wide in the bundled font, at most `most` of them. If more are needed, the last
    /// ends with `…`, and the second value is true.
    pub(crate) fn lines(&self, width: f32, most: usize) -> (Vec<Line>, bool) {
        let breaks = self.breaks(width);
        let is_cut = breaks.len() > most;
        let mut lines: Vec<Line> = breaks
            .into_iter()
            .take(most)
            .map(|(range, extent)| Line { text: self.content[range].to_owned(), extent })
            .collect();
        if let Some(last) = lines.last_mut().filter(|_| is_cut) {
            *last = shortened(&last.text, self.style, width);
        }
        (lines, is_cut)
    }

    fn breaks(&self, width: f32) -> Breaks {
        let mut lines = Breaks::new();
        let mut line: Option<(Range<usize>, Extent)> = None;
        for Word { range, extent, begins_line } in &self.words {
            if let Some((range_so_far, so_far)) = &mut line {
                if !begins_line && so_far.width + self.space.width + extent.width <= width {
                    *so_far += self.space;
                    *so_far += *extent;
                    range_so_far.end = range.end;
                    continue;
                }
                lines.extend(line.take());
            }
            if extent.width <= width {
                line = Some((range.clone(), *extent));
            } else {
                line = Some(self.broken(range, width, &mut lines));
            }
        }
        lines.extend(line);
        lines
    }

    /// Breaks a word that is wider than a line: adds full lines to `lines`, and returns the rest.
    fn broken(
        &self,
        word: &Range<usize>,
        width: f32,
        lines: &mut Breaks,
    ) -> (Range<usize>, Extent) {
        let (mut start, mut end, mut so_far) = (word.start, word.start, Extent::default());
        for cluster in clusters(&self.content[word.clone()]) {
            let extent = cluster_extent(cluster, self.style);
            if so_far.width + extent.width > width && end > start {
                lines.push((start..end, so_far));
                (start, so_far) = (end, Extent::default());
            }
            so_far += extent;
            end += cluster.len();
        }
        (start..end, so_far)
    }
}

/// The beginning of a text that fits on a line together with a `…` after it.
fn shortened(text: &str, style: Style, width: f32) -> Line {
    let ellipsis = measure("…", style);
    let (mut end, mut extent) = (0, Extent::default());
    for cluster in clusters(text) {
        let next = cluster_extent(cluster, style);
        if extent.width + next.width + ellipsis.width > width {
            break;
        }
        extent += next;
        end += cluster.len();
    }
    let kept = text[..end].trim_end_matches([' ', ',', '.', ';', ':', '…']);
    let mut extent = measure(kept, style);
    extent += ellipsis;
    Line { text: format!("{kept}…"), extent }
}

/// Fits a text into a width. `sizes` contains font sizes, from large to small, each with a maximum number of lines. The
/// first size at which the text fits is used; if it fits at none, it is cut at the last. Returns the size, the lines and
/// whether the text was cut.
pub(crate) fn fit(text: &Text, width: f32, sizes: &[(f32, usize)]) -> (f32, Vec<Line>, bool) {
    let fitting = sizes.iter().find(|(size, most)| text.count(width / size) <= *most);
    let (size, most) = fitting.or(sizes.last()).copied().unwrap_or((12.0, 1));
    let (lines, is_cut) = text.lines(width / size, most);
    (size, lines, is_cut)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(lines: &[Line]) -> Vec<&str> {
        lines.iter().map(|line| line.text.as_str()).collect()
    }

    #[test]
    fn words_are_broken_only_if_necessary() {
        let text = Text::new("Draw two cards, then discard one card.", Style::Regular);
        let (lines, is_cut) = text.lines(8.0, 9);
        assert_eq!(texts(&lines), ["Draw two cards,", "then discard one", "card."]);
        assert!(!is_cut && lines.iter().all(|line| line.extent.width <= 8.0));
        assert_eq!(text.lines(100.0, 1).0.len(), 1);
        assert!((text.lines(100.0, 1).0[0].extent.width - text.width()).abs() < 0.001);
    }

    #[test]
    fn a_line_break_begins_a_line() {
        let text = Text::new("Draw one.\nthen discard one card.", Style::Regular);
        assert_eq!(texts(&text.lines(100.0, 9).0), ["Draw one.", "then discard one card."]);
        assert_eq!(text.count(100.0), 2);
        assert_eq!(texts(&text.lines(8.0, 9).0), ["Draw one.", "then discard one", "card."]);
        let (lines, is_cut) = text.lines(100.0, 1);
        assert_eq!((texts(&lines), is_cut), (vec!["Draw one…"], true));
    }

    #[test]
    fn long_words_are_broken_or_cut() {
        let text = Text::new("x".repeat(2_000), Style::Bold);
        let (lines, is_cut) = text.lines(20.0, 3);
        assert_eq!((lines.len(), is_cut), (3, true));
        assert!(lines.iter().all(|line| line.extent.width <= 20.0));
        assert!(lines[2].text.ends_with("x…"));
        let all: usize = text.lines(20.0, 999).0.iter().map(|line| line.text.len()).sum();
        assert_eq!(all, 2_000);
    }

    #[test]
    fn the_largest_size_that_fits_is_used() {
        let sizes = [(20.0, 1), (10.0, 1), (10.0, 2)];
        let (size, ..) = fit(&Text::new("ab", Style::Regular), 100.0, &sizes);
        assert!(size > 19.0);
        let (size, lines, is_cut) =
            fit(&Text::new("abcdefg hijklmnopqr", Style::Regular), 60.0, &sizes);
        assert_eq!((lines.len(), is_cut), (2, false));
        assert!(size < 11.0);
        assert_eq!(fit(&Text::new("", Style::Regular), 60.0, &sizes).1, []);
    }
}
