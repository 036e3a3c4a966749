//! The result for a line that looks like an entry: its card, or why it is no entry.

use std::borrow::Cow;

use super::headings::{has_several_cards, is_heading_line, is_sum, is_total, label_in_brackets};
use super::readings::{has_count, with_joined_count};
use super::resolver::{Judged, ResolvedEntry, Resolver, Strictness};
use super::verdicts::{drops_printing, reference, with_guess};
use crate::deck::{CardReference, DeckEntry};
use crate::deck_text::DeckDialect;
use crate::deck_text::archidekt::zone_of;
use crate::deck_text::draft::{DraftEntry, Parts};
use crate::deck_text::line::{
    count_with_sign, has_fraction, in_parentheses, may_have_marks, place_in_front, place_with_dash,
    quantity, split_parts, without_cards, without_count, without_marks, without_symbols,
};
use crate::deck_text::own::{DeckTextFault, note};
use crate::deck_text::read_deck::{Guess, IgnoredReason, LineVerdict, ReadDeck};
use crate::deck_text::recognise::has_own_marks;
use crate::deck_text::several::{counted, has_too_many_cards, line_of};
use crate::deck_text::zones::{Place, is_heading, place};

impl Resolver<'_> {
    /// Whether a comment may be a heading, as in lists of other programs.
    pub(super) fn reads_headings_in_comments(&self) -> bool {
        self.dialect != DeckDialect::Own || self.strictness == Strictness::Marked
    }

    pub(super) fn comment(
        &self,
        comment: &str,
        current_place: &mut Place,
        read: &mut ReadDeck,
    ) -> IgnoredReason {
        let game = self.catalogue.game();
        if self.reads_headings_in_comments() {
            let place = place(game, without_count(comment));
            if place != Place::Category {
                return enter_place(place, current_place);
            }
        }
        if read.deck.entries.is_empty()
            && let Some((key, value)) = note(comment)
        {
            read.notes.entry(key.clone()).or_insert(value);
            return IgnoredReason::Note { key };
        }
        IgnoredReason::Comment
    }

    /// The entry of a line that is only a quantity and the name of one card, written as the card has it, in a zone of the game: most lines of most lists. Nothing
    /// else can be meant then, so that [`Self::line`] would accept the same entry. `None`: the line must be read in that way.
    pub(super) fn as_spelled(
        &self,
        entry: &DraftEntry<'_>,
        text: &str,
        current_place: &Place,
    ) -> Option<DeckEntry> {
        let Place::Zone { code, known: true } = current_place else { return None };
        let (quantity, name) = (entry.quantity?, &*entry.card.name);
        // A line in brackets may be a heading, and marks around a name may be none of its own.
        let is_bare =
            text.starts_with(|first: char| first.is_ascii_digit()) && !may_have_marks(name);
        let is_meant =
            is_bare && entry.is_quantity_and_name() && self.catalogue.has_one_spelled(name);
        is_meant.then(|| {
            let (zone, card) = (code.clone(), CardReference::named(name));
            DeckEntry { zone, quantity, card, copies: Vec::new() }
        })
    }

    /// Resolves a line that looks like an entry; the error says why it is not one. `leads`: the line stands where headings do.
    pub(super) fn line(
        &self,
        entry: DraftEntry<'_>,
        (text, leads): (&str, bool),
        current_place: &mut Place,
    ) -> Result<Judged, IgnoredReason> {
        let game = self.catalogue.game();
        let mut entry = self.as_meant(entry, text);
        if let Some(fault) = entry.fault.filter(|_| !self.is_name_with_sign(&entry)) {
            return Err(unreadable(fault));
        }
        self.read_zone(&mut entry);
        self.read_place(&mut entry.card);
        let label = without_count(text);
        let label = match place(game, label) {
            Place::Category if self.catalogue.named(label).is_empty() => without_symbols(label),
            _ => label,
        };
        if entry.quantity.is_none() && !entry.exact && entry.readings.is_some() {
            // A line that consists of the name of a zone is a header.
            let place = place(game, label);
            if place != Place::Category {
                return Err(enter_place(place, current_place));
            }
            // `Sideboard 15`, unless a card is called so, or has this number as its quantity.
            let place = self::place(game, without_bare_count(label));
            if place != Place::Category && self.by_readings(&entry).is_none() {
                return Err(enter_place(place, current_place));
            }
        }
        let bracketed = label_in_brackets(text).filter(|_| !entry.exact);
        if let Some(label) = bracketed {
            // `[15 Sideboard]` is a header, but `[4 Name]` is an entry if a card has that name.
            let place = place(game, label);
            if place != Place::Category && self.by_readings(&entry).is_none() {
                return Err(enter_place(place, current_place));
            }
        }
        let place = self.place_of(&entry, current_place);
        // `Sideboard: 15 cards` is the header of the lines below.
        if entry.zone.is_some() && is_total(&entry) && self.by_readings(&entry).is_none() {
            return Err(enter_place(place, current_place));
        }
        let Place::Zone { code: zone, known } = place else {
            return Err(IgnoredReason::OutsideTheDeck);
        };
        let ResolvedEntry { quantity, card, verdict, tags } = if entry.exact {
            let card = self.exact_reference(&entry.card);
            let verdict = self.exact(&card);
            ResolvedEntry { quantity: entry.quantity.unwrap_or(1), card, verdict, tags: Vec::new() }
        } else {
            match self.by_readings(&entry) {
                Some(found) => found,
                None if is_total(&entry) => return Err(IgnoredReason::Decoration),
                None if self.is_fact_alone(&entry, text) => return Err(IgnoredReason::Comment),
                None if leads && self.is_title_with_place(&entry) => {
                    return Err(IgnoredReason::Heading);
                }
                None if is_heading_line(&entry, (text, leads), |label| is_heading(game, label))
                    && !has_several_cards(game, text)
                    && !self.begins_with_place(&entry) =>
                {
                    return Err(IgnoredReason::Heading);
                }
                None if bracketed
                    .is_some_and(|label| entry.quantity.is_some() || is_heading(game, label))
                    && !self.begins_with_place(&entry) =>
                {
                    return Err(IgnoredReason::Heading);
                }
                // Entries of JSON and of share codes are cards.
                None if is_sum(&entry, text)
                    && !matches!(self.dialect, DeckDialect::Json | DeckDialect::ShareCode) =>
                {
                    return Err(IgnoredReason::Decoration);
                }
                None if line_of(&entry).is_some_and(has_too_many_cards) => {
                    return Err(unreadable(DeckTextFault::TooManyCards));
                }
                None => {
                    if self.begins_with_place(&entry) {
                        entry = self.as_unknown_place(entry);
                    }
                    entry = with_joined_count(&entry).unwrap_or(entry);
                    entry = self.with_count_as_set(entry);
                    let unknown = self.unknown(&entry);
                    let is_unknown = matches!(unknown.verdict, LineVerdict::Unknown { .. });
                    // A card may have such a name. If none has, the number is meant as a quantity, also where its comma looks like one between columns.
                    let line = entry.readings.filter(|_| !entry.exact).map(|(_, line)| line);
                    if is_unknown && line.is_some_and(has_fraction) {
                        return Err(unreadable(DeckTextFault::QuantityNotWhole));
                    }
                    unknown
                }
            }
        };
        let verdict = if known { verdict } else { with_guess(verdict, &zone) };
        Ok((DeckEntry { zone, quantity, card, copies: entry.copies }, verdict, tags))
    }

    /// The place of an entry: that of the line itself, otherwise that of the lines around it.
    pub(super) fn place_of(&self, entry: &DraftEntry<'_>, current_place: &Place) -> Place {
        let game = self.catalogue.game();
        match &entry.zone {
            Some(code) if entry.exact => self.zone(code),
            Some(word) => match place(game, word) {
                Place::Category if entry.zone_is_code && !is_heading(game, word) => self.zone(word),
                Place::Category => current_place.clone(),
                place => place,
            },
            None => current_place.clone(),
        }
    }

    /// The other way to read a line, if only that one means a card, with its set, number and rarity. Lines of our own text have one when the dialect was
    /// recognised, because one mark is enough for that; who states the dialect means the lines as they are written. Where only some lines have marks of our own
    /// text, the others are read in the other way also if a part of it does not match a card.
    fn as_meant<'e>(&self, entry: DraftEntry<'e>, text: &str) -> DraftEntry<'e> {
        let is_exact = || {
            let found = self.catalogue.resolve(&reference(&entry.card), &mut Vec::new());
            found.is_some_and(|found| found.exact)
        };
        let is_found = |other: &DraftEntry<'_>| {
            self.by_readings(other).is_some_and(|found| match found.verdict {
                LineVerdict::Accepted => true,
                LineVerdict::Guessed { how } => !how.iter().any(drops_printing),
                _ => false,
            })
        };
        match &entry.otherwise {
            Some(other)
                if (self.strictness != Strictness::Stated || !entry.exact)
                    && self.may_have_bar(other)
                    && (self.is_name_with_marks(other)
                        || (!is_exact()
                            && (self.is_common_line(&entry, text)
                                || is_found(other)
                                || self.is_place_alone(other)
                                || self.is_better(other, &entry)))) => {}
            _ => return entry,
        }
        entry.otherwise.map_or_else(DraftEntry::default, |other| *other)
    }

    /// Whether a line is a card with marks in its name, in a list of which only some lines are our own text. Our own text has such names in quotes.
    fn is_name_with_marks(&self, other: &DraftEntry<'_>) -> bool {
        self.strictness == Strictness::Marked && self.named_with_marks(other).is_some()
    }

    /// Takes the zone from the text in square brackets after a name with marks; such a text within the name is no zone.
    fn read_zone(&self, entry: &mut DraftEntry<'_>) {
        let Parts { category, tags, .. } = &entry.card;
        if entry.exact || (category.is_none() && tags.is_empty()) {
            return;
        }
        let Some(meant) = self.named_with_marks(entry) else { return };
        let label = entry.card.category.and_then(zone_of);
        if label.is_some() && entry.zone.as_deref() == label {
            entry.zone = None;
        }
        if entry.zone.is_none() {
            let zone = meant.category.and_then(|category| self.zone_label(category));
            entry.zone = zone.map(Cow::Borrowed);
        }
    }

    /// Whether the other way to read a line may be meant as far as bars are concerned: in deck files of Forge, a bar that no name has separates name and set.
    fn may_have_bar(&self, other: &DraftEntry<'_>) -> bool {
        let has_bar = |card: &u32| self.catalogue.card(*card).definition.name.contains('|');
        self.dialect != DeckDialect::Forge
            || self.catalogue.named(&other.card.name).iter().any(has_bar)
    }

    /// Whether only the other way to read a line finds a card, although not in the set, number or rarity that is written. Our own text means what it says.
    fn is_better(&self, other: &DraftEntry<'_>, entry: &DraftEntry<'_>) -> bool {
        !entry.exact && self.by_readings(entry).is_none() && self.by_readings(other).is_some()
    }

    /// Whether a line of our own text has no marks of it, and neither has the list as a whole.
    fn is_common_line(&self, entry: &DraftEntry<'_>, text: &str) -> bool {
        self.strictness == Strictness::Marked && entry.exact && !has_own_marks(text)
    }

    /// Whether a line begins with a set of the game and a number, with a dash between them: it is a card, perhaps one that is not known, and no heading with a
    /// number after a dash. The line may have brackets around them.
    pub(super) fn begins_with_place(&self, entry: &DraftEntry<'_>) -> bool {
        let written = entry.readings.map_or("", |(text, _)| text);
        // `OP01-2 Top 8 decks:` is a title.
        if entry.quantity.is_none() && written.ends_with(':') {
            return false;
        }
        let bare = without_marks(written);
        let text = quantity(bare).map_or(bare, |(_, text)| text);
        self.is_place_in_front(text) || self.place_like_quantity(entry).is_some()
    }

    fn is_place_in_front(&self, text: &str) -> bool {
        let text = text.strip_prefix('(').unwrap_or(text).split([')', ']']).next();
        text.and_then(place_in_front).is_some_and(|(set, _)| self.is_set_of_cards(set))
    }

    /// A line that begins with a set of the game whose code begins like a quantity, `2X2-7`.
    fn place_like_quantity<'e>(&self, entry: &DraftEntry<'e>) -> Option<&'e str> {
        let (text, line) = entry.readings?;
        let bare = without_marks(line);
        let begins_like_quantity = line.len() > text.len() && line.ends_with(text);
        (begins_like_quantity && self.is_place_in_front(bare)).then_some(bare)
    }

    /// A line that begins with a set of the game and a number, perhaps with a name after them, and matches no card: without the marks around it, and with its
    /// quantity.
    pub(super) fn as_unknown_place<'e>(&self, entry: DraftEntry<'e>) -> DraftEntry<'e> {
        if self.unknown_place(&entry, false).is_some() {
            return entry;
        }
        without_marks_of_place(self.with_count_of_place(entry))
    }

    /// Whether a line is the title of a deck with the number of its cards, and only begins like a set of the game and a number: `OP01-50 Budget Deck (40)`. A line
    /// with a smaller number is rather an unknown card with its copies.
    fn is_title_with_place(&self, entry: &DraftEntry<'_>) -> bool {
        const CARDS_MIN: u32 = 10;
        let Some((text, _)) = entry.readings.filter(|_| entry.quantity.is_none()) else {
            return false;
        };
        let title = without_count(text);
        let after = text.strip_prefix(title).unwrap_or_default();
        let marks = [' ', '(', '[', ')', ']', ':', '-', '–', '—'];
        let count = without_cards(after.trim_matches(marks));
        let is_size = count.parse().is_ok_and(|cards: u32| cards >= CARDS_MIN);
        is_size
            && place_with_dash(title).is_some_and(|parts| {
                !parts.name.is_empty()
                    && self.catalogue.named(&parts.name).is_empty()
                    && !self.is_place_known(&parts)
            })
    }

    /// An unknown card with the quantity that its text has where a set may stand: `Name [x2]`.
    fn with_count_as_set<'e>(&self, entry: DraftEntry<'e>) -> DraftEntry<'e> {
        let may_have = entry.readings.is_some() && !has_count(&entry) && !entry.exact;
        let set = entry.card.set.as_deref();
        let set = set.filter(|set| may_have && entry.card.number.is_none() && !self.is_set(set));
        let Some(count) = set.and_then(count_with_sign) else { return entry };
        let card = Parts { set: None, category: None, ..entry.card };
        let assumed = Some(Guess::QuantityAfterName);
        DraftEntry { quantity: Some(count), card, assumed, ..entry }
    }

    /// An unknown set and number, with the quantity that stands after them or, with them, between marks: `**4xOP01-999 Name**`, `(OP01-999 Name) (4)`.
    fn with_count_of_place<'e>(&self, entry: DraftEntry<'e>) -> DraftEntry<'e> {
        if let Some(line) = self.place_like_quantity(&entry) {
            let (card, readings) = (split_parts(line), Some((line, line)));
            return counted(DraftEntry { quantity: None, card, readings, ..entry });
        }
        let text = entry.readings.filter(|_| entry.quantity.is_none());
        let bare = text.map_or("", |(text, _)| without_marks(text));
        match quantity(bare) {
            Ok((Some(count), text)) if !text.is_empty() => DraftEntry {
                quantity: Some(count),
                card: split_parts(text),
                readings: Some((text, text)),
                marks_dropped: true,
                ..entry
            },
            _ => counted(entry),
        }
    }

    /// Whether an entry has a set of the game and a number, and no name. Its card may be one that the reader of the list does not know.
    fn is_place_alone(&self, entry: &DraftEntry<'_>) -> bool {
        let Parts { name, set, number, .. } = &entry.card;
        let is_of_game = set.as_deref().is_some_and(|set| self.is_set(set));
        name.is_empty() && number.is_some() && is_of_game
    }
}

/// An unknown set and number without the marks or the brackets around them.
fn without_marks_of_place(entry: DraftEntry<'_>) -> DraftEntry<'_> {
    let Some((text, _)) = entry.readings else { return entry };
    let bare = without_marks(text);
    let bare = in_parentheses(bare).unwrap_or(bare);
    let are_closed =
        |open: char, close: char| bare.matches(open).count() == bare.matches(close).count();
    let is_place = are_closed('[', ']') && are_closed('(', ')') && place_with_dash(bare).is_some();
    if bare.len() == text.len() || !is_place {
        return entry;
    }
    let (card, readings) = (split_parts(bare), Some((bare, bare)));
    DraftEntry { card, readings, marks_dropped: true, ..entry }
}

/// A label without the number of cards after it: `Sideboard 15`, `Sideboard 15 cards`.
fn without_bare_count(label: &str) -> &str {
    let bare = without_cards(label);
    bare.trim_end_matches(|character: char| character.is_ascii_digit()).trim_end()
}

fn unreadable(fault: DeckTextFault) -> IgnoredReason {
    IgnoredReason::Unreadable { fault }
}

/// Makes the place that a header names the place of the lines below.
pub(super) fn enter_place(place: Place, current_place: &mut Place) -> IgnoredReason {
    match &place {
        Place::Zone { code, .. } => {
            let zone = code.clone();
            *current_place = place;
            IgnoredReason::ZoneHeader { zone }
        }
        Place::Outside => {
            *current_place = place;
            IgnoredReason::Heading
        }
        Place::Category => IgnoredReason::Heading,
    }
}
