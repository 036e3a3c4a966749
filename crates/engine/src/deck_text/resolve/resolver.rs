//! What the search for the cards of a list needs, and its results.

use std::borrow::Cow;
use std::cell::{Cell, OnceCell};
use std::collections::BTreeMap;

use super::accents::Accents;
use crate::catalogue::Catalogue;
use crate::deck::{CardReference, DeckEntry};
use crate::deck_text::draft::{Content, Draft, DraftLine};
use crate::deck_text::line::{bare_count_after_name, count_after_name, zone_in_front};
use crate::deck_text::own::prefix;
use crate::deck_text::read_deck::{Guess, LineVerdict};
use crate::deck_text::recognise::is_own_comment;
use crate::deck_text::resolve::{is_sum, is_total};
use crate::deck_text::zones::{Place, place};
use crate::deck_text::{DeckDialect, DeckReading};
use crate::known_sets::KnownSets;

/// Maximum number of candidates in the verdict on an ambiguous line.
pub const CANDIDATES_MAX: usize = 10;

/// How exactly the lines of our own text are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Strictness {
    /// As they are written: the caller states the dialect.
    Stated,
    /// As they are written, or as other programs mean them if the game has such a card: a comment of the list names its format or game.
    Commented,
    /// Only the lines that have marks of our own text. One such line does not make the others ours.
    Marked,
}

impl Strictness {
    fn of(draft: &Draft<'_>, dialect: DeckDialect, is_recognised: bool) -> Self {
        let is_commented = |line: &DraftLine<'_>| matches!(&line.content, Content::Comment(comment) if is_own_comment(comment));
        match dialect {
            _ if !is_recognised => Self::Stated,
            DeckDialect::Own if !draft.lines.iter().any(is_commented) => Self::Marked,
            _ => Self::Commented,
        }
    }
}

/// Finds the cards of lines. Its indexes of symbols and of names with accents are built at the first use.
pub(super) struct Resolver<'a> {
    pub(super) dialect: DeckDialect,
    pub(super) strictness: Strictness,
    pub(super) catalogue: &'a Catalogue,
    pub(super) sets: Option<&'a KnownSets>,
    /// The form in which all quantities of the list stand after the names.
    pub(super) common_form: Option<CountForm>,
    /// Whether several lines have the word for a zone in front: then it is no fact about the deck.
    pub(super) has_zones_in_front: bool,
    pub(super) symbols: OnceCell<BTreeMap<Cow<'a, str>, Vec<u32>>>,
    pub(super) accents: OnceCell<Accents<'a>>,
    /// Number of unknown names so far.
    pub(super) unknown_names: Cell<usize>,
}

/// How the quantity of a line stands after the name; `None`: it does not.
pub(super) fn count_form(text: &str) -> Option<CountForm> {
    if bare_count_after_name(text).is_some() {
        return Some(CountForm::Bare);
    }
    count_after_name(text)?;
    Some(match text.chars().next_back()? {
        ')' => CountForm::Parentheses,
        ']' => CountForm::Brackets,
        _ => CountForm::Separator,
    })
}

/// The forms of a quantity after a name that a heading may have, too.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CountForm {
    Parentheses,
    Brackets,
    /// `Name: 2`, `Name - 2`.
    Separator,
    /// `Name 2`.
    Bare,
}

/// The form in which all quantities of the list stand after the names, if it is one. Lines without a quantity that are no cards do not count.
fn common_form(draft: &Draft<'_>, catalogue: &Catalogue) -> Option<CountForm> {
    let mut common = None;
    for entry in draft.entries() {
        let (text, _) = entry.readings?;
        if is_total(entry) || is_sum(entry, text) {
            continue;
        }
        // Most lists: the first line has a quantity before the name.
        if entry.quantity.is_some() {
            return None;
        }
        match count_form(text) {
            Some(form) if common.is_none_or(|common| common == form) => common = Some(form),
            None if catalogue.named(text).is_empty() => {}
            _ => return None,
        }
    }
    common
}

fn has_zones_in_front(draft: &Draft<'_>) -> bool {
    let has_zone = |line: &&DraftLine<'_>| {
        (prefix(&line.text).is_some() || zone_in_front(&line.text).is_some())
            && matches!(&line.content, Content::Entry(entry) if entry.quantity.is_some() && !is_total(entry))
    };
    draft.lines.iter().filter(has_zone).nth(1).is_some()
}

/// An entry, the verdict on it, and its labels.
pub(super) type Judged = (DeckEntry, LineVerdict, Vec<String>);

/// The result for an entry, before its zone is considered.
pub(super) struct ResolvedEntry {
    pub(super) quantity: u32,
    pub(super) card: CardReference,
    pub(super) verdict: LineVerdict,
    pub(super) tags: Vec<String>,
}

/// Which cards one reading of a line matches.
pub(super) enum Meaning {
    /// This card, under this reference.
    Card(CardReference, Vec<Guess>),
    Several(Vec<u32>),
}

impl<'a> Resolver<'a> {
    pub(super) fn new(
        reading: &DeckReading<'a>,
        draft: &Draft<'_>,
        dialect: DeckDialect,
        is_recognised: bool,
    ) -> Self {
        let strictness = Strictness::of(draft, dialect, is_recognised);
        Self {
            common_form: common_form(draft, reading.catalogue),
            has_zones_in_front: has_zones_in_front(draft),
            dialect,
            strictness,
            catalogue: reading.catalogue,
            sets: reading.sets,
            symbols: OnceCell::new(),
            accents: OnceCell::new(),
            unknown_names: Cell::new(0),
        }
    }

    /// The zone with exactly this code, also if the game does not have it.
    pub(super) fn zone(&self, code: &str) -> Place {
        let place = place(self.catalogue.game(), code);
        let known = matches!(place, Place::Zone { known: true, .. });
        Place::Zone { code: code.to_owned(), known }
    }

    pub(super) fn full_reference(&self, card: u32) -> CardReference {
        let card = self.catalogue.card(card);
        CardReference {
            name: card.definition.name.clone(),
            set: Some(card.set.clone()),
            number: Some(card.definition.number.clone()),
            rarity: None,
        }
    }

    pub(super) fn ambiguous(&self, cards: &[u32]) -> LineVerdict {
        let candidates = cards.iter().take(CANDIDATES_MAX).map(|card| self.full_reference(*card));
        LineVerdict::Ambiguous { candidates: candidates.collect() }
    }
}
