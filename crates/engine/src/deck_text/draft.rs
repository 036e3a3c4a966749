//! What stands in a list, before anything is known of the game: entries, headers, comments. Nothing is judged here.

use std::borrow::Cow;
use std::collections::BTreeMap;

use super::own::DeckTextFault;
use super::read_deck::IgnoredReason;

/// Most lines of a list that are read, blank ones not counted; how many stand below them is told.
pub const DECK_LINES_MAX: usize = 10_000;
/// Most bytes of a line that is not of our own dialect.
const LINE_MAX: usize = 1_000;

/// The lines of a list, as their dialect writes them.
#[derive(Debug, Default)]
pub(super) struct Draft<'a> {
    pub(super) lines: Vec<DraftLine<'a>>,
    /// Lines beyond [`DECK_LINES_MAX`].
    pub(super) left_out: usize,
    /// What the list says of itself in another way than in comments.
    pub(super) notes: BTreeMap<String, String>,
}

#[derive(Debug)]
pub(super) struct DraftLine<'a> {
    /// From 1.
    pub(super) line: usize,
    pub(super) text: Cow<'a, str>,
    pub(super) content: Content<'a>,
}

#[derive(Debug)]
pub(super) enum Content<'a> {
    Entry(Box<DraftEntry<'a>>),
    /// The entries below are of the zone that people call so; what that is, the game says.
    Section(Cow<'a, str>),
    /// The entries below are of this very zone.
    Zone(String),
    Comment(&'a str),
    Note(&'static str, Cow<'a, str>),
    Blank,
    Ignored(IgnoredReason),
}

/// An entry, as far as one can tell without the game.
#[derive(Debug, Default)]
pub(super) struct DraftEntry<'a> {
    /// `None`: none stands there.
    pub(super) quantity: Option<u32>,
    pub(super) card: Parts<'a>,
    /// What stands after the quantity, and the whole line: a name may have brackets and begin with a number. `None`: there is one reading only.
    pub(super) readings: Option<(&'a str, &'a str)>,
    /// The id of the card in other programs, in place of a name.
    pub(super) external_id: Option<u64>,
    /// What people call the zone of this line alone.
    pub(super) zone: Option<Cow<'a, str>>,
    /// Whether that is the code of a zone even where the game knows no such zone.
    pub(super) zone_is_code: bool,
    /// Of our own text and JSON: the reference and the zone are to stay as they are written.
    pub(super) exact: bool,
    /// Ids of copies, of our own JSON.
    pub(super) copies: Vec<String>,
}

/// The parts of a card's line.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Parts<'a> {
    pub(super) name: Cow<'a, str>,
    /// Code or name of the set.
    pub(super) set: Option<Cow<'a, str>>,
    pub(super) number: Option<Cow<'a, str>>,
    /// Rarity, or the finish that stands for one.
    pub(super) rarity: Option<Cow<'a, str>>,
    /// Labels that have no place in a deck.
    pub(super) tags: Vec<Cow<'a, str>>,
}

/// A list as its readers take it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Source<'a> {
    /// As it is written, but for a byte order mark.
    pub(super) raw: &'a str,
    /// With what is forgiven put right, line by line.
    pub(super) tidy: &'a str,
}

impl<'a> Draft<'a> {
    /// Reads line by line what is trimmed and has been put right.
    pub(super) fn of_lines(
        source: Source<'a>,
        mut read: impl FnMut(&'a str) -> Content<'a>,
    ) -> Self {
        let mut draft = Self::default();
        for (at, line) in source.tidy.split('\n').enumerate() {
            let line = line.trim();
            if draft.lines.len() >= DECK_LINES_MAX {
                draft.left_out += usize::from(!line.is_empty());
                continue;
            }
            let content = Self::line(line, &mut read);
            draft.push(at + 1, Cow::Borrowed(line), content);
        }
        draft
    }

    /// Reads a trimmed line, if it may be one of a deck list.
    pub(super) fn line(line: &'a str, read: impl FnOnce(&'a str) -> Content<'a>) -> Content<'a> {
        match line.len() {
            0 => Content::Blank,
            1..=LINE_MAX => read(line),
            _ => Content::Ignored(IgnoredReason::TooLong),
        }
    }

    /// Adds a line, while there is room. Of several blank lines the first is kept.
    pub(super) fn push(&mut self, line: usize, text: Cow<'a, str>, content: Content<'a>) {
        let is_blank = matches!(content, Content::Blank);
        let after_blank =
            self.lines.last().is_none_or(|last| matches!(last.content, Content::Blank));
        if is_blank && after_blank {
            return;
        }
        if self.lines.len() >= DECK_LINES_MAX {
            self.left_out += usize::from(!is_blank);
            return;
        }
        self.lines.push(DraftLine { line, text, content });
    }

    pub(super) fn entries(&self) -> impl Iterator<Item = &DraftEntry<'a>> {
        self.lines.iter().filter_map(|line| match &line.content {
            Content::Entry(entry) => Some(&**entry),
            _ => None,
        })
    }
}

impl From<DeckTextFault> for Content<'_> {
    fn from(fault: DeckTextFault) -> Self {
        Self::Ignored(IgnoredReason::Unreadable { fault })
    }
}
