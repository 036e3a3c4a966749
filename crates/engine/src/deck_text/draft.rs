//! The lines of a list before the game is considered: entries, headers, comments. No card is looked up here.

use std::borrow::Cow;
use std::collections::BTreeMap;

use memchr::memchr_iter;

use super::own::DeckTextFault;
use super::read_deck::{Guess, IgnoredReason};

/// Maximum number of lines of a list that are read, not counting blank lines; further lines are only counted.
pub const DECK_LINES_MAX: usize = 10_000;
/// Maximum number of bytes of a line, except in our own dialect.
pub(super) const LINE_MAX: usize = 1_000;

/// The lines of a list, as the reader of its dialect understands them.
#[derive(Debug, Default)]
pub(super) struct Draft<'a> {
    pub(super) lines: Vec<DraftLine<'a>>,
    /// Number of them that are not blank.
    filled: usize,
    /// Lines beyond [`DECK_LINES_MAX`].
    pub(super) left_out: usize,
    /// Lines that only repeat the entry of an earlier line, as in files with a line for each copy.
    pub(super) repeated: Vec<RepeatedLine<'a>>,
    /// Facts about the deck that the list states elsewhere than in comments, for example its name.
    pub(super) notes: BTreeMap<String, String>,
}

#[derive(Debug)]
pub(super) struct DraftLine<'a> {
    /// From 1.
    pub(super) line: usize,
    pub(super) text: Cow<'a, str>,
    pub(super) content: Content<'a>,
}

/// A line that repeats the entry of an earlier line, perhaps in another spelling.
#[derive(Debug, Clone, Copy)]
pub(super) struct RepeatedLine<'a> {
    /// From 1.
    pub(super) line: usize,
    pub(super) text: &'a str,
    /// Number of the earlier line.
    pub(super) of: usize,
}

#[derive(Debug)]
pub(super) enum Content<'a> {
    Entry(Box<DraftEntry<'a>>),
    /// A header: the entries below are in the zone with this label. The game decides which zone that is.
    Section(Cow<'a, str>),
    /// A header of a part of the deck that few games have. In a game without a zone of this name, the entries below are not part of the deck.
    RareSection(&'a str),
    /// A header: the entries below are in the zone with exactly this code.
    Zone(String),
    Comment(&'a str),
    Note(&'static str, Cow<'a, str>),
    Blank,
    Ignored(IgnoredReason),
}

/// An entry, as far as it can be read without the game.
#[derive(Debug, Default)]
pub(super) struct DraftEntry<'a> {
    /// `None`: the line has none.
    pub(super) quantity: Option<u32>,
    pub(super) card: Parts<'a>,
    /// The text after the quantity, and the whole line, for other ways to read it: a name may have brackets or begin with a number. `None`: there is
    /// only one way to read the line.
    pub(super) readings: Option<(&'a str, &'a str)>,
    /// The external id of the card (the id that other programs use), if the list has ids instead of names.
    pub(super) external_id: Option<u64>,
    /// Label of the zone of this line alone.
    pub(super) zone: Option<Cow<'a, str>>,
    /// Whether `zone` is taken as the code of a zone even if the game has no such zone.
    pub(super) zone_is_code: bool,
    /// What was assumed to find the quantity.
    pub(super) assumed: Option<Guess>,
    /// Whether marks before the quantity were left out: a check box, or the `>` of a quotation.
    pub(super) marks_dropped: bool,
    /// Whether the reference and the zone stay as they are written: so in our own text and JSON.
    pub(super) exact: bool,
    /// Another way to read the line if the game has no such card: as other programs would mean a line of our own text, or another name of a basic energy.
    pub(super) otherwise: Option<Box<DraftEntry<'a>>>,
    /// Fields of columns that are not read.
    pub(super) remark: Option<String>,
    /// Ids of physical copies; only our own JSON has them.
    pub(super) copies: Vec<String>,
    /// Why the line cannot be read, unless a card is called so as a whole: `7`, `+2 Mace`.
    pub(super) fault: Option<DeckTextFault>,
}

/// The parts of a card's line.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Parts<'a> {
    pub(super) name: Cow<'a, str>,
    /// Code or name of the set.
    pub(super) set: Option<Cow<'a, str>>,
    pub(super) number: Option<Cow<'a, str>>,
    /// Rarity, or a finish in place of a rarity.
    pub(super) rarity: Option<Cow<'a, str>>,
    /// Labels that a deck cannot hold.
    pub(super) tags: Vec<Cow<'a, str>>,
    /// Whether set and number are only two words after the name, without brackets, which may as well belong to the name.
    pub(super) is_place_bare: bool,
    /// Whether set and number are one word before the name or in place of it, as in `OP01-016 Name`; other names have such words, too. Two words in place of the
    /// name are bare, too.
    pub(super) is_place_in_front: bool,
    /// The text in square brackets after the card: a category, which is also one of the tags, or the set.
    pub(super) category: Option<&'a str>,
}

/// Splits the text of a card into its parts.
pub(super) type PartsOf = for<'a> fn(&'a str) -> Parts<'a>;

/// The text of a list.
#[derive(Debug, Clone, Copy)]
pub(super) struct Source<'a> {
    /// As written, without byte order mark.
    pub(super) raw: &'a str,
    /// With tolerated characters normalised. It has the same lines as `raw`.
    pub(super) tidy: &'a str,
}

impl<'a> Draft<'a> {
    /// Reads the tidy text line by line. Each line is trimmed.
    pub(super) fn of_lines(
        source: Source<'a>,
        mut read: impl FnMut(&'a str) -> Content<'a>,
    ) -> Self {
        let lines = memchr_iter(b'\n', source.tidy.as_bytes()).take(DECK_LINES_MAX).count() + 1;
        let mut draft = Self { lines: Vec::with_capacity(lines), ..Self::default() };
        for (at, line) in source.tidy.split('\n').enumerate() {
            let line = line.trim();
            if draft.is_full() {
                draft.left_out += usize::from(!line.is_empty());
                continue;
            }
            let content = Self::line(line, &mut read);
            draft.push(at + 1, Cow::Borrowed(line), content);
        }
        draft
    }

    /// Reads a trimmed line, unless it is blank or too long for a line of a deck list.
    pub(super) fn line(line: &'a str, read: impl FnOnce(&'a str) -> Content<'a>) -> Content<'a> {
        match line.len() {
            0 => Content::Blank,
            1..=LINE_MAX => read(line),
            _ => Content::Ignored(IgnoredReason::TooLong),
        }
    }

    /// Whether there are already [`DECK_LINES_MAX`] lines that are not blank.
    pub(super) fn is_full(&self) -> bool {
        self.filled >= DECK_LINES_MAX
    }

    /// Adds a line, or only counts it if the draft is full. Of consecutive blank lines only the first is kept, so that there are never more of them than others.
    pub(super) fn push(&mut self, line: usize, text: Cow<'a, str>, content: Content<'a>) {
        let is_blank = matches!(content, Content::Blank);
        let after_blank =
            self.lines.last().is_none_or(|last| matches!(last.content, Content::Blank));
        if is_blank && after_blank {
            return;
        }
        if self.is_full() {
            self.left_out += usize::from(!is_blank);
            return;
        }
        self.filled += usize::from(!is_blank);
        self.lines.push(DraftLine { line, text, content });
    }

    pub(super) fn entries(&self) -> impl Iterator<Item = &DraftEntry<'a>> {
        self.lines.iter().filter_map(|line| match &line.content {
            Content::Entry(entry) => Some(&**entry),
            _ => None,
        })
    }
}

impl DraftEntry<'_> {
    /// Whether the line has only a quantity and the name of a card, so that nothing about it was assumed or left out. All members are listed: a new one must
    /// be considered here, too.
    pub(super) fn is_quantity_and_name(&self) -> bool {
        let Self {
            quantity,
            card,
            readings,
            external_id,
            zone,
            zone_is_code: _,
            assumed,
            marks_dropped,
            exact,
            otherwise,
            remark,
            copies,
            fault,
        } = self;
        let Parts { name, set, number, rarity, tags, is_place_bare, is_place_in_front, category } =
            card;
        quantity.is_some()
            && !name.is_empty()
            && readings.is_none_or(|(text, _)| text.is_ascii())
            && external_id.is_none()
            && zone.is_none()
            && assumed.is_none()
            && !marks_dropped
            && !exact
            && otherwise.is_none()
            && remark.is_none()
            && copies.is_empty()
            && fault.is_none()
            && set.is_none()
            && number.is_none()
            && rarity.is_none()
            && tags.is_empty()
            && !is_place_bare
            && !is_place_in_front
            && category.is_none()
    }
}

impl From<DeckTextFault> for Content<'_> {
    fn from(fault: DeckTextFault) -> Self {
        Self::Ignored(IgnoredReason::Unreadable { fault })
    }
}
