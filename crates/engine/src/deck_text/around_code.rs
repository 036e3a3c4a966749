//! The lines around a share code: the title of a deck, facts about it, headings, and words to people. Around a link of ids there are only code fences,
//! and words in its line.

use super::draft::{Content, Draft};
use super::line::{bare_count_after_name, common, count_after_name, joined_count, without_count};
use super::own::note;
use super::read_deck::{IgnoredReason, LineVerdict, ReadLine};
use super::resolve::{is_fact, stated_name};
use super::zones::{Place, place};
use crate::manifest::Game;

/// The key of the note with the name of a deck.
pub(super) const NAME_NOTE: &str = "name";
/// Maximum number of characters of a title, as of the names of decks in the service.
const TITLE_MAX: usize = 100;

/// The lines around a share code or a link of ids, which are not read as cards.
#[derive(Debug, Clone)]
pub(super) struct AroundCode {
    /// Number of the line of the code, from 1.
    pub(super) line: usize,
    /// The other lines, and the words before the code, with the number of their line.
    pub(super) others: Vec<(usize, String)>,
    /// The words after the code, in its line.
    pub(super) after: Option<String>,
}

impl AroundCode {
    /// The facts about the deck that lines above the code state, as `// name: Embers` does: the number of the line, the key and the value.
    pub(super) fn facts(&self) -> Vec<(usize, String, String)> {
        let above = self.others.iter().filter(|(line, _)| *line < self.line);
        let stated = above.filter_map(|(line, text)| {
            let (key, value) = stated_fact(text)?;
            Some((*line, key, value))
        });
        stated.collect()
    }

    /// The first of these lines, if it is a title of the deck and no comment, sentence or heading of a zone: the number of the line, and its text. A longer
    /// line is no name.
    pub(super) fn title(&self, game: &Game) -> Option<(usize, &str)> {
        let (line, text) = self.others.iter().find(|(_, text)| !is_fence(text))?;
        let stated = stated_name(text);
        let name = stated.unwrap_or_else(|| without_emphasis(text));
        let is_short = name.chars().nth(TITLE_MAX).is_none();
        let is_name = stated.is_some()
            || (is_title(text)
                && ![text, name].into_iter().any(is_sentence)
                && !is_fact(text)
                && !is_heading(game, text)
                && (*line < self.line || is_closed(text)));
        (*line <= self.line && is_short && is_name).then_some((*line, name))
    }

    /// Adds these lines to the results of the code. None of them is an entry. A title is the name of the deck, also if a card has that name.
    pub(super) fn with_lines(&self, code: Vec<ReadLine>, game: &Game) -> Vec<ReadLine> {
        let title = self.title(game).map(|(line, _)| line);
        let facts = self.facts();
        let other = |(line, text): &(usize, String)| {
            let stated = facts.iter().find(|(at, ..)| at == line);
            let reason = if is_fence(text) {
                IgnoredReason::Decoration
            } else if let Some((_, key, _)) = stated {
                IgnoredReason::Note { key: key.clone() }
            } else if title == Some(*line) {
                IgnoredReason::Note { key: NAME_NOTE.to_owned() }
            } else if is_heading(game, text) {
                IgnoredReason::Heading
            } else {
                IgnoredReason::Comment
            };
            let verdict = LineVerdict::Ignored(reason);
            ReadLine { line: *line, text: text.clone(), entry: None, verdict, tags: Vec::new() }
        };
        let (before, below): (Vec<_>, Vec<_>) =
            self.others.iter().map(other).partition(|other| other.line <= self.line);
        let code = code.into_iter().map(|line| ReadLine { line: self.line, ..line });
        let after = self.after.as_ref().map(|text| comment(self.line, text));
        before.into_iter().chain(code).chain(after).chain(below).collect()
    }
}

/// Whether each bracket of a text is closed: half of a link is no title.
fn is_closed(text: &str) -> bool {
    [('[', ']'), ('<', '>')]
        .into_iter()
        .all(|(open, close)| text.matches(open).count() == text.matches(close).count())
}

/// A title without the mark of a quotation before it and the marks of Markdown around the whole of it.
fn without_emphasis(title: &str) -> &str {
    const MARKS: [&str; 6] = ["**", "__", "~~", "*", "_", "`"];
    let title = title.strip_prefix("> ").map_or(title, str::trim);
    let inner = |mark: &&str| {
        let inner = title.strip_prefix(*mark)?.strip_suffix(*mark)?.trim();
        (!inner.is_empty() && !inner.contains(*mark)).then_some(inner)
    };
    MARKS.iter().find_map(inner).unwrap_or(title)
}

/// The result for words that are no entry.
fn comment(line: usize, text: &str) -> ReadLine {
    let verdict = LineVerdict::Ignored(IgnoredReason::Comment);
    ReadLine { line, text: text.to_owned(), entry: None, verdict, tags: Vec::new() }
}

/// Key and value of a line that states a fact about the deck.
fn stated_fact(text: &str) -> Option<(String, String)> {
    match Draft::line(text, common) {
        Content::Comment(comment) => note(comment),
        Content::Note(key, value) => Some((key.to_owned(), value.into_owned())),
        _ => None,
    }
}

/// Whether a line is the heading of a zone, or a text in square brackets, which is one in every list.
fn is_heading(game: &Game, text: &str) -> bool {
    match Draft::line(text, common) {
        Content::Section(_) | Content::RareSection(_) | Content::Zone(_) => true,
        Content::Entry(entry) => {
            entry.quantity.is_none() && place(game, without_count(text)) != Place::Category
        }
        Content::Comment(_) | Content::Note(..) | Content::Blank | Content::Ignored(_) => false,
    }
}

/// Whether a line begins or ends a block of code in Markdown.
pub(super) fn is_fence(line: &str) -> bool {
    line.starts_with("```")
}

/// Whether a line may stand above a share code as the title of a deck does: words without a quantity. A long line is one, too, although it is no name.
pub(super) fn is_title(line: &str) -> bool {
    match Draft::line(line, common) {
        Content::Entry(entry) => {
            entry.quantity.is_none()
                && entry.fault.is_none()
                && joined_count(line).is_none()
                && count_after_name(line).is_none()
                && bare_count_after_name(line).is_none()
        }
        Content::Section(_) | Content::RareSection(_) | Content::Zone(_) | Content::Note(..) => {
            true
        }
        Content::Ignored(reason) => reason == IgnoredReason::TooLong,
        Content::Comment(_) | Content::Blank => false,
    }
}

/// Whether a line cannot be a card in any game: a comment, a frame, or words that end as a sentence does and have no quantity.
pub(super) fn is_sentence(line: &str) -> bool {
    match Draft::line(line, common) {
        Content::Entry(entry) => {
            let ends = line.ends_with([':', '.', '!', '?']);
            let has_quantity = entry.quantity.is_some()
                || entry.fault.is_some()
                || joined_count(line).is_some()
                || count_after_name(line).is_some();
            ends && !has_quantity
        }
        Content::Comment(_) | Content::Blank => true,
        Content::Ignored(reason) => reason == IgnoredReason::Decoration,
        Content::Section(_) | Content::RareSection(_) | Content::Zone(_) | Content::Note(..) => {
            false
        }
    }
}
