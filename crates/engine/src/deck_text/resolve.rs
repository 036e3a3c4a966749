//! Decides which card a line means, from the cards of a catalogue alone: a catalogue of the cards that a viewer may see reveals no others.

use std::borrow::Cow;
use std::cell::{Cell, OnceCell};
use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::archidekt::is_coloured_tag;
use super::draft::{Content, Draft, DraftEntry, DraftLine, Parts};
use super::line::{
    bare_count_after_name, count_after_name, has_marks, joined_place, linked_name,
    looks_like_header, number_tags, quantity as quantity_of, split_parts,
    split_parts_without_brackets, without_count, without_marks, without_symbols,
};
use super::own::{LINE_SHOWN, note};
use super::read_deck::{Guess, IgnoredReason, LineVerdict, ReadDeck, ReadLine, UnknownReason};
use super::recognise::{has_own_marks, is_own_comment};
use super::text::TextEncoding;
use super::zones::{Place, is_heading, main_zone, place, side_zone};
use super::{DeckDialect, DeckReading};
use crate::alike::are_alike;
use crate::card_check::first_letters;
use crate::catalogue::{Catalogue, same_number};
use crate::deck::{CardReference, Deck, DeckEntry, MAIN_ZONE};
use crate::known_sets::KnownSets;
use crate::manifest::Game;
use crate::schema::word_key;
use crate::suggest::{SUGGESTED_NAMES_MAX, near_names};

/// Maximum number of candidates in the verdict on an ambiguous line.
pub const CANDIDATES_MAX: usize = 10;

/// Finds the cards of the lines of a draft and gives a verdict on each line.
pub(super) fn resolve(
    draft: Draft<'_>,
    dialect: DeckDialect,
    is_recognised: bool,
    reading: &DeckReading<'_>,
) -> ReadDeck {
    let resolver = Resolver::new(reading, dialect, Strictness::of(&draft, dialect, is_recognised));
    let leading = leading_lines(&draft);
    let game = reading.catalogue.game();
    let side_begins = blank_line_of_side(&draft, dialect).zip(side_zone(game));
    let mut read = ReadDeck {
        dialect,
        recognised_by: None,
        encoding: TextEncoding::Utf8,
        game: None,
        deck: Deck::default(),
        lines: Vec::new(),
        lines_left_out: draft.left_out,
        suggestions_left_out: 0,
        notes: draft.notes,
    };
    let first = if dialect == DeckDialect::Own { MAIN_ZONE } else { main_zone(game) };
    let mut current_place = resolver.zone(first);
    for DraftLine { line, text, content } in draft.lines {
        let content = match content {
            Content::Section(label) if resolver.is_card_rather_than_zone(&label, &text) => {
                Content::Entry(Box::new(DraftEntry {
                    card: Parts { name: text.clone(), ..Parts::default() },
                    ..DraftEntry::default()
                }))
            }
            Content::Section(label) if resolver.is_card_in_brackets(&label, &text) => {
                entry_in_brackets(label)
            }
            Content::Zone(_) if resolver.is_marked_card_in_brackets(&text) => {
                entry_in_brackets(Cow::Owned(in_brackets(&text).unwrap_or_default().to_owned()))
            }
            other => other,
        };
        let ignored = match content {
            Content::Blank => match &side_begins {
                Some((begins, zone)) if *begins == line => {
                    current_place = Place::Zone { code: zone.clone(), known: true };
                    IgnoredReason::BlankLine { zone: zone.clone() }
                }
                _ => continue,
            },
            Content::Ignored(reason) => reason,
            Content::Note(key, value) => {
                read.notes.entry(key.to_owned()).or_insert_with(|| value.trim().to_owned());
                IgnoredReason::Note { key: key.to_owned() }
            }
            Content::Comment(comment) => {
                resolver.comment(comment, dialect, &mut current_place, &mut read)
            }
            Content::Zone(code) if resolver.is_heading_rather_than_zone(&code) => {
                IgnoredReason::Heading
            }
            Content::Zone(code) => {
                current_place = resolver.zone(&code);
                IgnoredReason::ZoneHeader { zone: code }
            }
            Content::Section(label) => {
                let place = match place(game, &label) {
                    // A section of Forge that the game does not know is not a heading within the section before it.
                    Place::Category
                        if dialect == DeckDialect::Forge && !is_heading(game, &label) =>
                    {
                        Place::Outside
                    }
                    place => place,
                };
                enter_place(place, &mut current_place)
            }
            Content::RareSection(label) => {
                let place = match place(game, label) {
                    Place::Category => Place::Outside,
                    place => place,
                };
                enter_place(place, &mut current_place)
            }
            Content::Entry(entry) => {
                let leads = leading.contains(&line);
                match resolver.line(*entry, (&text, leads), &mut current_place) {
                    Ok((entry, verdict, tags)) => {
                        let (text, position) = (shown(&text), Some(read.deck.entries.len()));
                        read.deck.entries.push(entry);
                        read.lines.push(ReadLine { line, text, entry: position, verdict, tags });
                        continue;
                    }
                    Err(reason) => reason,
                }
            }
        };
        read.lines.push(ReadLine {
            line,
            text: shown(&text),
            entry: None,
            verdict: LineVerdict::Ignored(ignored),
            tags: Vec::new(),
        });
    }
    read.suggestions_left_out = resolver.unknown_names.get().saturating_sub(SUGGESTED_NAMES_MAX);
    read
}

/// The text in square brackets that a whole line consists of.
fn in_brackets(line: &str) -> Option<&str> {
    line.strip_prefix('[')?.strip_suffix(']').map(str::trim)
}

/// The entry of a line that is the name of a card in square brackets.
fn entry_in_brackets(name: Cow<'_, str>) -> Content<'_> {
    Content::Entry(Box::new(DraftEntry {
        card: Parts { name, ..Parts::default() },
        marks_dropped: true,
        ..DraftEntry::default()
    }))
}

fn shown(text: &str) -> String {
    first_letters(text, LINE_SHOWN).to_owned()
}

/// Makes the place that a header names the place of the lines below.
fn enter_place(place: Place, current_place: &mut Place) -> IgnoredReason {
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

/// The numbers of the lines that stand where headings do: a line without a quantity, with no entry directly above it, and below it, perhaps after a blank
/// line, an entry with a quantity and without such marks.
fn leading_lines(draft: &Draft<'_>) -> BTreeSet<usize> {
    let is_entry = |line: &DraftLine<'_>| matches!(line.content, Content::Entry(_));
    let is_blank = |line: &DraftLine<'_>| matches!(line.content, Content::Blank);
    let quantity = |line: &DraftLine<'_>| match &line.content {
        Content::Entry(entry) => entry.quantity,
        _ => None,
    };
    let mut leading = BTreeSet::new();
    for (at, line) in draft.lines.iter().enumerate() {
        let is_below_entry = at > 0 && is_entry(&draft.lines[at - 1]);
        if is_entry(line)
            && quantity(line).is_none()
            && !is_below_entry
            && let Some(next) = draft.lines[at + 1..].iter().find(|line| !is_blank(line))
            && quantity(next).is_some()
            && !has_marks(&next.text)
        {
            leading.insert(line.line);
        }
    }
    leading
}

/// How exactly the lines of our own text are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Strictness {
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

/// The blank line that begins the sideboard in a list without headers: there must be exactly one, between two blocks of entries.
fn blank_line_of_side(draft: &Draft<'_>, dialect: DeckDialect) -> Option<usize> {
    if !dialect.has_blank_line() || draft.entries().any(|entry| entry.zone.is_some()) {
        return None;
    }
    let mut found = None;
    let mut blank = None;
    let mut has_entries = false;
    for DraftLine { line, content, .. } in &draft.lines {
        match content {
            Content::Entry(entry) => {
                // A line without a quantity may be a heading.
                entry.quantity?;
                if let Some(at) = blank.take().filter(|_| has_entries)
                    && found.replace(at).is_some()
                {
                    return None;
                }
                has_entries = true;
            }
            Content::Blank => blank = Some(*line),
            Content::Note(..) => {}
            _ if has_entries => return None,
            _ => {}
        }
    }
    found
}

/// Finds the cards of lines. Its index of symbols is built at the first use.
struct Resolver<'a> {
    dialect: DeckDialect,
    strictness: Strictness,
    catalogue: &'a Catalogue,
    sets: Option<&'a KnownSets>,
    symbols: OnceCell<BTreeMap<Cow<'a, str>, Vec<u32>>>,
    /// Number of unknown names so far.
    unknown_names: Cell<usize>,
}

/// An entry, the verdict on it, and its labels.
type Judged = (DeckEntry, LineVerdict, Vec<String>);

/// The result for an entry, before its zone is considered.
struct ResolvedEntry {
    quantity: u32,
    card: CardReference,
    verdict: LineVerdict,
    tags: Vec<String>,
}

/// Which cards one reading of a line matches.
enum Meaning {
    /// This card, under this reference.
    Card(CardReference, Vec<Guess>),
    Several(Vec<u32>),
}

impl<'a> Resolver<'a> {
    fn new(reading: &DeckReading<'a>, dialect: DeckDialect, strictness: Strictness) -> Self {
        Self {
            dialect,
            strictness,
            catalogue: reading.catalogue,
            sets: reading.sets,
            symbols: OnceCell::new(),
            unknown_names: Cell::new(0),
        }
    }

    /// Whether a line is the name of a card, and not the header of a zone that the game has.
    fn is_card_rather_than_zone(&self, label: &str, line: &str) -> bool {
        let place = place(self.catalogue.game(), label);
        let is_zone = matches!(place, Place::Zone { known: true, .. });
        !is_zone && label == line && !self.catalogue.named(line).is_empty()
    }

    /// Whether a line in square brackets is the name of a card, and no header of a zone or of a kind of cards.
    fn is_card_in_brackets(&self, label: &str, line: &str) -> bool {
        let game = self.catalogue.game();
        in_brackets(line) == Some(label)
            && place(game, label) == Place::Category
            && !is_heading(game, label)
            && !self.catalogue.named(label).is_empty()
    }

    /// The same in a list of which only some lines are our own text.
    fn is_marked_card_in_brackets(&self, line: &str) -> bool {
        self.strictness == Strictness::Marked
            && in_brackets(line).is_some_and(|label| self.is_card_in_brackets(label, line))
    }

    /// Whether a text in square brackets is the heading of a kind of cards, in a list of which only some lines are our own text.
    fn is_heading_rather_than_zone(&self, label: &str) -> bool {
        let game = self.catalogue.game();
        self.strictness == Strictness::Marked
            && place(game, label) == Place::Category
            && is_heading(game, label)
    }

    /// The zone with exactly this code, also if the game does not have it.
    fn zone(&self, code: &str) -> Place {
        let place = place(self.catalogue.game(), code);
        let known = matches!(place, Place::Zone { known: true, .. });
        Place::Zone { code: code.to_owned(), known }
    }

    fn comment(
        &self,
        comment: &str,
        dialect: DeckDialect,
        current_place: &mut Place,
        read: &mut ReadDeck,
    ) -> IgnoredReason {
        let game = self.catalogue.game();
        if dialect != DeckDialect::Own || self.strictness == Strictness::Marked {
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

    /// Resolves a line that looks like an entry; the error says why it is not one. `leads`: the line stands where headings do.
    fn line(
        &self,
        entry: DraftEntry<'_>,
        (text, leads): (&str, bool),
        current_place: &mut Place,
    ) -> Result<Judged, IgnoredReason> {
        let game = self.catalogue.game();
        let mut entry = self.as_meant(entry, text);
        self.read_place(&mut entry.card);
        let label = without_count(text);
        if entry.quantity.is_none() && !entry.exact && entry.readings.is_some() {
            // A line that consists of the name of a zone is a header.
            let place = place(game, label);
            if place != Place::Category {
                return Err(enter_place(place, current_place));
            }
        }
        let place = match &entry.zone {
            Some(code) if entry.exact => self.zone(code),
            Some(word) => match place(game, word) {
                Place::Category if entry.zone_is_code => self.zone(word),
                Place::Category => current_place.clone(),
                place => place,
            },
            None => current_place.clone(),
        };
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
                None if entry.quantity.is_none() && is_fact(text) => {
                    return Err(IgnoredReason::Comment);
                }
                None if is_heading_line(&entry, (text, leads), |label| is_heading(game, label)) => {
                    return Err(IgnoredReason::Heading);
                }
                None => self.unknown(&entry),
            }
        };
        let verdict = if known { verdict } else { with_guess(verdict, &zone) };
        Ok((DeckEntry { zone, quantity, card, copies: entry.copies }, verdict, tags))
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
                    && !is_exact()
                    && (self.is_common_line(&entry, text)
                        || is_found(other)
                        || self.is_place_alone(other)) => {}
            _ => return entry,
        }
        entry.otherwise.map_or_else(DraftEntry::default, |other| *other)
    }

    /// Whether a line of our own text has no marks of it, and neither has the list as a whole.
    fn is_common_line(&self, entry: &DraftEntry<'_>, text: &str) -> bool {
        self.strictness == Strictness::Marked && entry.exact && !has_own_marks(text)
    }

    /// Whether an entry has a set of the game and a number, and no name. Its card may be one that the reader of the list does not know.
    fn is_place_alone(&self, entry: &DraftEntry<'_>) -> bool {
        let Parts { name, set, number, .. } = &entry.card;
        let is_of_game = set.as_deref().is_some_and(|set| self.is_set(set));
        name.is_empty() && number.is_some() && is_of_game
    }

    /// A reference that stays as written, but a place without a name has the code of its set.
    fn exact_reference(&self, parts: &Parts<'_>) -> CardReference {
        let mut card = reference(parts);
        if let (true, Some(set), Some(_), Some(sets)) =
            (card.name.is_empty(), &mut card.set, &card.number, self.sets)
            && let Some(named) = sets.with_name(set)
        {
            set.clone_from(&named.code);
        }
        card
    }

    /// The verdict on a reference that stays as written.
    fn exact(&self, card: &CardReference) -> LineVerdict {
        match self.catalogue.resolve(card, &mut Vec::new()) {
            Some(found) if found.exact => {
                let chosen = card.set.is_some() || card.number.is_some();
                let named = self.catalogue.named(&card.name);
                if chosen || are_alike(self.catalogue, &named) {
                    return LineVerdict::Accepted;
                }
                self.ambiguous(&named)
            }
            Some(found) => {
                let named = self.catalogue.named(&card.name);
                let unmatched = self.unmatched(card, found.card, named.is_empty());
                if are_alike(self.catalogue, &named) && !unmatched.is_empty() {
                    return LineVerdict::Guessed { how: unmatched };
                }
                self.ambiguous(if named.is_empty() {
                    std::slice::from_ref(&found.card)
                } else {
                    &named
                })
            }
            None => LineVerdict::Unknown { near: self.near(&card.name), reason: reason_of(card) },
        }
    }

    /// The parts of a reference that are not true of the card that is meant.
    fn unmatched(&self, card: &CardReference, meant: u32, by_place: bool) -> Vec<Guess> {
        let known = self.catalogue.card(meant);
        let name = by_place.then(|| Guess::BySetAndNumber { name: known.definition.name.clone() });
        let set = card.set.as_deref().filter(|set| !self.is_of(meant, set));
        let number = card.number.as_deref();
        let number = number.filter(|number| !same_number(number, &known.definition.number));
        let rarity = card.rarity.as_deref();
        let rarity = rarity.filter(|rarity| !self.catalogue.has_rarity(meant, Some(rarity)));
        let dropped = [
            name,
            set.map(|set| Guess::SetDropped { set: shown(set) }),
            number.map(|number| Guess::NumberDropped { number: shown(number) }),
            rarity.map(|rarity| Guess::RarityDropped { rarity: shown(rarity) }),
        ];
        dropped.into_iter().flatten().collect()
    }

    fn ambiguous(&self, cards: &[u32]) -> LineVerdict {
        let candidates = cards.iter().take(CANDIDATES_MAX).map(|card| self.full_reference(*card));
        LineVerdict::Ambiguous { candidates: candidates.collect() }
    }

    fn full_reference(&self, card: u32) -> CardReference {
        let card = self.catalogue.card(card);
        CardReference {
            name: card.definition.name.clone(),
            set: Some(card.set.clone()),
            number: Some(card.definition.number.clone()),
            rarity: None,
        }
    }

    /// Tries the readings of a line, from the most to the least literal. The first reading whose parts all match a card wins, else the first that
    /// matches a card in some parts.
    fn by_readings(&self, entry: &DraftEntry<'_>) -> Option<ResolvedEntry> {
        if let Some(id) = entry.external_id {
            return Some(self.by_external_id(entry, id));
        }
        let mut second_best = None;
        for (parts, quantity, guess) in readings(entry) {
            // `Energy: 10` and `Energy (10)` are headings, also where a card has that name.
            if guess == Some(Guess::QuantityAfterName)
                && is_heading(self.catalogue.game(), &parts.name)
            {
                return None;
            }
            let keeps_marks =
                matches!(guess, Some(Guess::MarksArePartOfName | Guess::QuantityIsPartOfName));
            let mut parts = parts;
            if parts.category.is_some() || parts.set.is_some() || !parts.tags.is_empty() {
                self.read_place(parts.to_mut());
            }
            let bare = self.bare_name(&parts.name).filter(|_| !keeps_marks).map(str::to_owned);
            let drops_marks = bare.is_some() || entry.marks_dropped;
            if let Some(bare) = bare {
                parts.to_mut().name = Cow::Owned(bare);
            }
            if parts.is_place_bare && !self.is_bare_place(&parts) {
                continue;
            }
            let Some(meaning) = self.meaning(&parts) else { continue };
            let is_as_stated = quantity == entry.quantity;
            let quantity_guess = is_as_stated.then(|| assumed_quantity(entry)).flatten();
            let mut guesses: Vec<Guess> = quantity_guess.into_iter().chain(guess).collect();
            if drops_marks && !guesses.contains(&Guess::MarksDropped) {
                guesses.push(Guess::MarksDropped);
            }
            if parts.tags.iter().any(|tag| is_coloured_tag(tag)) {
                guesses.push(Guess::TagsDropped);
            }
            guesses.extend(remark(entry));
            let quantity = quantity.unwrap_or(1);
            let tags = tags(&parts);
            match meaning {
                Meaning::Card(card, dropped) => {
                    let is_exact = dropped.is_empty();
                    let verdict = verdict(guesses.into_iter().chain(dropped).collect());
                    let resolved = ResolvedEntry { quantity, card, verdict, tags };
                    if is_exact {
                        return Some(resolved);
                    }
                    second_best.get_or_insert(resolved);
                }
                Meaning::Several(cards) => {
                    let verdict = self.ambiguous(&cards);
                    return Some(ResolvedEntry {
                        quantity,
                        card: reference(&parts),
                        verdict,
                        tags,
                    });
                }
            }
        }
        second_best
            .or_else(|| {
                let (card, guess) = self.without_name(&entry.card)?;
                let verdict = match guess {
                    Ok(guess) => verdict(assumed(entry).chain([guess]).collect()),
                    Err(cards) => self.ambiguous(&cards),
                };
                Some(ResolvedEntry {
                    quantity: entry.quantity.unwrap_or(1),
                    card,
                    verdict,
                    tags: tags(&entry.card),
                })
            })
            .or_else(|| self.by_symbol_with_quantity(entry))
    }

    /// Whether two words after a name are a set and a number: if the game has the set. In the dialects that always write cards so, sets of other games are
    /// sets, too.
    fn is_bare_place(&self, parts: &Parts<'_>) -> bool {
        matches!(self.dialect, DeckDialect::PtcgLive | DeckDialect::PtcgOnline)
            || parts.set.as_deref().is_some_and(|set| self.is_set(set))
    }

    /// Whether the game has a set of this code or name.
    fn is_set(&self, written: &str) -> bool {
        self.catalogue.has_cards_of(written)
            || self.sets.is_some_and(|sets| sets.find(written).is_some())
    }

    /// The card of a symbol with a quantity around it, such as `😀: 2` or `😀×2`.
    fn by_symbol_with_quantity(&self, entry: &DraftEntry<'_>) -> Option<ResolvedEntry> {
        // Only a line whose text begins with a symbol is worth the search.
        let (text, _) = entry.readings?;
        if text.starts_with(|first: char| first.is_alphanumeric() || first.is_ascii()) {
            return None;
        }
        readings(entry).skip(1).find_map(|(parts, quantity, guess)| {
            if parts.set.is_some() || quantity.is_none() {
                return None;
            }
            let (card, symbol) = self.without_name(&parts)?;
            let verdict = match symbol {
                Ok(symbol) => verdict(guess.into_iter().chain([symbol]).collect()),
                Err(cards) => self.ambiguous(&cards),
            };
            let quantity = quantity.unwrap_or(1);
            Some(ResolvedEntry { quantity, card, verdict, tags: tags(&parts) })
        })
    }

    fn by_external_id(&self, entry: &DraftEntry<'_>, id: u64) -> ResolvedEntry {
        let unknown = |reason| LineVerdict::Unknown { near: Vec::new(), reason: Some(reason) };
        let (card, verdict) = match self.catalogue.with_external_id(id) {
            Some(card) => (self.full_reference(card), LineVerdict::Accepted),
            None => {
                let declared = self.catalogue.game().external_id().is_some();
                let reason = if declared {
                    UnknownReason::ExternalIdUnknown
                } else {
                    UnknownReason::ExternalIdsNotDeclared
                };
                (CardReference::named(id.to_string()), unknown(reason))
            }
        };
        ResolvedEntry { quantity: entry.quantity.unwrap_or(1), card, verdict, tags: Vec::new() }
    }

    /// The card of a name. Set, number and rarity are kept if they are true of the card, and dropped otherwise.
    fn meaning(&self, parts: &Parts<'_>) -> Option<Meaning> {
        let mut cards = self.catalogue.named(&parts.name);
        if cards.is_empty() {
            let (set, number) = (parts.set.as_deref()?, parts.number.as_deref()?);
            let card = parts.name.is_empty().then(|| self.numbered(set, number)).flatten()?;
            cards.push(card);
        }
        let mut dropped = Vec::new();
        if parts.name.is_empty() {
            let written = parts.rarity.as_deref();
            let rarity = written.and_then(|written| self.rarity(written));
            let rarity = rarity.filter(|code| self.catalogue.has_rarity(cards[0], Some(code)));
            let dropped = written.filter(|_| rarity.is_none());
            let dropped = dropped.map(|rarity| Guess::RarityDropped { rarity: shown(rarity) });
            let card = CardReference { rarity, ..self.full_reference(cards[0]) };
            return Some(Meaning::Card(card, dropped.into_iter().collect()));
        }
        let mut meant = CardReference::named(parts.name.as_ref());
        if let Some(written) = &parts.set {
            let code = self.set_code(written);
            let of_set = filtered(&cards, |card| self.is_of(card, code));
            if of_set.is_empty() {
                dropped.push(Guess::SetDropped { set: shown(written) });
            } else {
                cards = of_set;
                meant.set = Some(code.to_owned());
            }
        }
        if let Some(number) = &parts.number {
            let has_number =
                |card: u32| same_number(number, &self.catalogue.card(card).definition.number);
            let numbered = filtered(&cards, has_number);
            // A number means nothing if its set was dropped.
            if numbered.is_empty() || !dropped.is_empty() {
                dropped.push(Guess::NumberDropped { number: shown(number) });
            } else {
                cards = numbered;
                meant.number = Some(number.to_string());
            }
        }
        if let Some(written) = &parts.rarity {
            let rarity = self.rarity(written);
            let printed = rarity
                .as_ref()
                .map(|code| filtered(&cards, |card| self.catalogue.has_rarity(card, Some(code))));
            match printed.filter(|cards| !cards.is_empty()) {
                Some(printed) => {
                    cards = printed;
                    meant.rarity = rarity;
                }
                None => dropped.push(Guess::RarityDropped { rarity: shown(written) }),
            }
        }
        if !are_alike(self.catalogue, &cards) {
            return Some(Meaning::Several(cards));
        }
        Some(Meaning::Card(meant, dropped))
    }

    /// A name without the marks around it, if it has some that no card of this name has.
    fn bare_name<'n>(&self, written: &'n str) -> Option<&'n str> {
        let bare = without_marks(written);
        if bare.len() == written.len() || bare.is_empty() {
            return None;
        }
        let (before, after) = written.split_once(bare)?;
        let has_marks = |card: &u32| {
            let name = &self.catalogue.card(*card).definition.name;
            name.starts_with(before) && name.ends_with(after)
        };
        let named = self.catalogue.named(bare);
        (!named.is_empty() && !named.iter().any(has_marks)).then_some(bare)
    }

    /// Takes set and number from the places where some programs write them.
    fn read_place(&self, parts: &mut Parts<'_>) {
        self.read_named_set(parts);
        self.read_joined_place(parts);
        self.read_number_in_tag(parts);
    }

    /// Takes set and number from one bracket with both: `[HEARTH:55]`, `(hearth 55)`.
    fn read_joined_place(&self, parts: &mut Parts<'_>) {
        if parts.number.is_some() {
            return;
        }
        let written = match (&parts.set, parts.category) {
            (Some(Cow::Borrowed(set)), _) => *set,
            (None, Some(category)) => category,
            _ => return,
        };
        let Some((set, number)) = joined_place(written) else { return };
        if !self.is_set(set) || self.is_set(written) {
            return;
        }
        parts.set = Some(Cow::Borrowed(set));
        parts.number = Some(Cow::Borrowed(number));
        parts.tags.retain(|tag| tag != written);
    }

    /// Takes the number from a tag, `(SET) #16` or `#016`, if it is a number of the set or, without a set, of the card.
    fn read_number_in_tag(&self, parts: &mut Parts<'_>) {
        if parts.number.is_some() {
            return;
        }
        let is_number_of = |number: &str| match &parts.set {
            Some(set) => self.numbered(set, number).is_some(),
            None => self
                .catalogue
                .named(&parts.name)
                .iter()
                .any(|card| same_number(number, &self.catalogue.card(*card).definition.number)),
        };
        let found = number_tags(parts).find(|(_, number)| is_number_of(number));
        if let Some((at, _)) = found {
            parts.number = Some(parts.tags.remove(at));
        }
    }

    /// Takes the set from a text in square brackets that is the name of a known set. In lists of Archidekt such texts are always categories.
    fn read_named_set(&self, parts: &mut Parts<'_>) {
        let Some(category) = parts.category.filter(|_| parts.set.is_none()) else { return };
        let is_set = self.sets.is_some_and(|sets| sets.find(category).is_some());
        if is_set
            && self.dialect != DeckDialect::Archidekt
            && place(self.catalogue.game(), category) == Place::Category
        {
            parts.set = Some(Cow::Borrowed(category));
            parts.tags.retain(|tag| tag != category);
        }
    }

    fn is_of(&self, card: u32, set: &str) -> bool {
        self.catalogue.card(card).set.eq_ignore_ascii_case(set.trim())
    }

    /// The code of a set that is written as its code or its name.
    fn set_code<'b>(&'b self, written: &'b str) -> &'b str {
        if self.catalogue.has_cards_of(written) {
            return written.trim();
        }
        let named = self.sets.and_then(|sets| sets.find(written));
        named.map_or(written.trim(), |set| &set.code)
    }

    fn numbered(&self, set: &str, number: &str) -> Option<u32> {
        self.catalogue.numbered(self.set_code(set), number)
    }

    /// The code of a rarity, or of the finish that stands for a rarity. `F` and `E` mean foil and etched, unless a rarity has that name.
    fn rarity(&self, written: &str) -> Option<String> {
        let called = |word: &str| self.catalogue.game().rarity_called(word);
        let meant = called(written).or_else(|| match word_key(written).as_str() {
            "f" => called("foil"),
            "e" => called("etched"),
            _ => None,
        });
        meant.map(|rarity| rarity.code.clone())
    }

    /// The card of a line whose name no card has: by set and number, or by the symbol that the line has instead of a name.
    fn without_name(&self, parts: &Parts<'_>) -> Option<(CardReference, Result<Guess, Vec<u32>>)> {
        if let (Some(set), Some(number)) = (&parts.set, &parts.number)
            && let Some(card) = self.numbered(set, number)
        {
            let card = self.full_reference(card);
            let guess = Guess::BySetAndNumber { name: card.name.clone() };
            return Some((card, Ok(guess)));
        }
        if parts.name.is_empty()
            || parts.name.contains(|character: char| character.is_alphanumeric())
        {
            return None;
        }
        let symbols = self.symbols.get_or_init(|| symbols(self.catalogue));
        match symbols.get(without_selectors(&parts.name).as_ref())?.as_slice() {
            [card] => {
                let card = self.full_reference(*card);
                let guess = Guess::BySymbol { name: card.name.clone() };
                Some((card, Ok(guess)))
            }
            several => Some((reference(parts), Err(several.to_vec()))),
        }
    }

    /// The result for a line that matches no card. A name that differs from a card's name only in accents and the like is accepted as a guess.
    fn unknown(&self, entry: &DraftEntry<'_>) -> ResolvedEntry {
        let quantity = entry.quantity.unwrap_or(1);
        let tags = tags(&entry.card);
        let mut near = self.near_with_similarity(&entry.card.name);
        let mut parts = Cow::Borrowed(&entry.card);
        // The text in brackets may belong to the name.
        if let Some((text, _)) = entry.readings
            && text.len() > entry.card.name.len()
            && near.first().is_some_and(|(_, similarity)| *similarity < 1.0)
        {
            let near_text = self.near_with_similarity(text);
            if near_text.first().is_some_and(|(_, similarity)| *similarity >= 1.0) {
                near = near_text;
                parts = Cow::Owned(Parts { name: Cow::Borrowed(text), ..Parts::default() });
            }
        }
        if let [(name, similarity), ..] = near.as_slice()
            && *similarity >= 1.0
            && near.get(1).is_none_or(|(_, next)| *next < 1.0)
        {
            let parts = Parts { name: Cow::Borrowed(name), ..parts.into_owned() };
            if let Some(Meaning::Card(card, dropped)) = self.meaning(&parts) {
                let guess = Guess::NameSpelled { name: name.clone() };
                let guesses = assumed(entry).chain([guess]).chain(dropped).collect();
                return ResolvedEntry { quantity, card, verdict: verdict(guesses), tags };
            }
        }
        let mut near: Vec<String> = near.into_iter().map(|(name, _)| name).collect();
        if near.is_empty()
            && let Some((text, _)) = entry.readings
        {
            near.extend(self.name_before_words(text));
        }
        let card = self.unknown_reference(entry);
        let verdict = LineVerdict::Unknown { near, reason: reason_of(&card) };
        ResolvedEntry { quantity, card, verdict, tags }
    }

    /// The name of the card that a text begins with, if two words of a set and a number seem to follow it.
    fn name_before_words(&self, text: &str) -> Option<String> {
        let parts = split_parts_without_brackets(text);
        let card = self.catalogue.named(&parts.name).first().copied();
        let card = card.filter(|_| parts.is_place_bare)?;
        Some(self.catalogue.card(card).definition.name.clone())
    }

    /// The reference of an unknown card: as it is written, but a place without a name has the code of its set. If there is no such set, the text is a name.
    fn unknown_reference(&self, entry: &DraftEntry<'_>) -> CardReference {
        let card = reference(&entry.card);
        let Some(set) = card.set.as_deref().filter(|_| card.name.is_empty()) else { return card };
        let code = self.set_code(set).to_owned();
        match &card.number {
            Some(number) if entry.readings.is_some() && code.contains(char::is_whitespace) => {
                let name = format!("({set}) {number}");
                CardReference { rarity: card.rarity, ..CardReference::named(name) }
            }
            _ => CardReference { set: Some(code), ..card },
        }
    }

    fn near(&self, name: &str) -> Vec<String> {
        self.near_with_similarity(name).into_iter().map(|(name, _)| name).collect()
    }

    fn near_with_similarity(&self, name: &str) -> Vec<(String, f64)> {
        if name.is_empty() {
            return Vec::new();
        }
        self.unknown_names.set(self.unknown_names.get() + 1);
        if self.unknown_names.get() > SUGGESTED_NAMES_MAX {
            return Vec::new();
        }
        near_names(name, self.catalogue)
    }
}

/// Why the card of a reference is unknown, if its name is not the reason.
fn reason_of(card: &CardReference) -> Option<UnknownReason> {
    let is_place = card.name.is_empty() && card.set.is_some() && card.number.is_some();
    is_place.then_some(UnknownReason::SetAndNumberUnknown)
}

/// What was assumed about an entry before its card was looked up.
fn assumed(entry: &DraftEntry<'_>) -> impl Iterator<Item = Guess> {
    let has_coloured_tags = entry.card.tags.iter().any(|tag| is_coloured_tag(tag));
    let dropped = [
        entry.marks_dropped.then_some(Guess::MarksDropped),
        has_coloured_tags.then_some(Guess::TagsDropped),
        remark(entry),
    ];
    assumed_quantity(entry).into_iter().chain(dropped.into_iter().flatten())
}

/// The fields of a table that are not read.
fn remark(entry: &DraftEntry<'_>) -> Option<Guess> {
    entry.remark.clone().map(|remark| Guess::RemarkDropped { remark })
}

fn assumed_quantity(entry: &DraftEntry<'_>) -> Option<Guess> {
    entry.quantity.is_none().then_some(Guess::OneCopy).or_else(|| entry.assumed.clone())
}

/// A way to read a line: its parts, its quantity, and the guess that it needs.
pub(super) type Reading<'e> = (Cow<'e, Parts<'e>>, Option<u32>, Option<Guess>);

/// The ways to read a line, from the most to the least literal.
pub(super) fn readings<'e>(entry: &'e DraftEntry<'_>) -> impl Iterator<Item = Reading<'e>> {
    let literal = std::iter::once((Cow::Borrowed(&entry.card), entry.quantity, None));
    // Most lines mean what they literally say, so the others are computed only when they are needed.
    let others = entry.readings.into_iter();
    // A numbered line without a quantity before its name has one copy, unless there is one after it.
    let has_count = match entry.assumed {
        Some(Guess::LineIsNumbered) => entry.quantity != Some(1),
        _ => entry.quantity.is_some(),
    };
    literal.chain(others.flat_map(move |(text, whole_line)| {
        other_readings(text, whole_line, (entry.quantity, has_count))
    }))
}

fn other_readings<'e>(
    text: &'e str,
    whole_line: &'e str,
    (quantity, has_count): (Option<u32>, bool),
) -> Vec<Reading<'e>> {
    let named = |text| Cow::Owned(Parts { name: Cow::Borrowed(text), ..Parts::default() });
    let mut found = Vec::new();
    let marks = Some(Guess::MarksArePartOfName);
    if text.contains(" #") {
        found.push((Cow::Owned(split_parts_keeping_hash(text)), quantity, marks.clone()));
    }
    found.push((named(text), quantity, marks));
    for (before, remark) in [text.rsplit_once(" //"), text.split_once(" //")].into_iter().flatten()
    {
        let remark = shown(remark.trim());
        let guess = Guess::RemarkDropped { remark };
        found.push((Cow::Owned(split_parts(before.trim_end())), quantity, Some(guess)));
    }
    found.push((Cow::Owned(split_parts_without_brackets(text)), quantity, None));
    if !has_count && let Some((name, counted)) = count_after_name(text) {
        let guess = Some(Guess::QuantityAfterName);
        found.push((Cow::Owned(split_parts(name)), Some(counted), guess));
    }
    if !has_count && let Some((name, counted)) = bare_count_after_name(text) {
        found.push((named(name), Some(counted), Some(Guess::QuantityAfterName)));
    }
    for bare in linked_name(text).into_iter().chain([without_symbols(text)]) {
        if bare.len() < text.len() && !bare.is_empty() {
            found.push((Cow::Owned(split_parts(bare)), quantity, Some(Guess::MarksDropped)));
        }
    }
    if whole_line != text {
        found.push((named(whole_line), None, Some(Guess::QuantityIsPartOfName)));
    }
    // Marks may stand around the whole line (`**2 Name**`) or around the name alone.
    let bare_line = without_marks(whole_line);
    if bare_line.len() < whole_line.len()
        && let Ok((Some(counted), text)) = quantity_of(bare_line)
    {
        found.push((Cow::Owned(bare_parts(text)), Some(counted), Some(Guess::MarksDropped)));
    }
    let bare = without_marks(text);
    if bare.len() < text.len() {
        if !has_count && let Some((name, counted)) = count_after_name(bare) {
            let guess = Some(Guess::QuantityAfterName);
            found.push((Cow::Owned(split_parts(name)), Some(counted), guess));
        }
        found.push((Cow::Owned(bare_parts(text)), quantity, Some(Guess::MarksDropped)));
        found.push((Cow::Owned(split_parts(bare)), quantity, Some(Guess::MarksDropped)));
    }
    found
}

/// The parts of a text, without marks around the name.
fn bare_parts(text: &str) -> Parts<'_> {
    let parts = split_parts(text);
    match parts.name {
        Cow::Borrowed(name) => Parts { name: Cow::Borrowed(without_marks(name)), ..parts },
        Cow::Owned(_) => parts,
    }
}

/// Like [`split_parts`], for a text whose `#` does not begin a tag.
fn split_parts_keeping_hash(text: &str) -> Parts<'_> {
    let Some((before, _)) = text.split_once(" #") else { return split_parts(text) };
    // Splits the rest of the line, which begins with the `#`, and then adds the text before it to the name.
    let rest = &text[before.len() + 1..];
    let parts = split_parts(rest);
    let end = before.len() + 1 + parts.name.len();
    Parts { name: Cow::Borrowed(text.get(..end).unwrap_or(text)), ..parts }
}

/// Whether a line is a header that readers of the game know: the word for a zone or for a kind of cards. Lists also have headings that only look like one, and
/// such a line may be a card that was written in an unusual way.
pub fn is_known_heading(game: &Game, line: &str) -> bool {
    let label = without_count(without_marks(line));
    let is_common = ["about", "metadata"].iter().any(|word| label.eq_ignore_ascii_case(word));
    label.is_empty()
        || is_common
        || place(game, label) != Place::Category
        || is_heading(game, label)
}

/// Whether a line only says how many cards there are: `60 cards`.
fn is_total(entry: &DraftEntry<'_>) -> bool {
    let text = entry.readings.map_or("", |(text, _)| text.trim_end_matches([':', '.']));
    let words = ["card", "cards", "cards total", "total cards", "cards in total"];
    entry.quantity.is_some() && words.iter().any(|word| text.eq_ignore_ascii_case(word))
}

/// Whether a line says something about the deck: `Format: Standard`, `Deck: Embers`, `by ada`.
fn is_fact(line: &str) -> bool {
    const KEYS: [&str; 6] = ["format", "deck", "deck name", "name", "author", "game"];
    let is_key = |key: &str| KEYS.iter().any(|known| key.trim().eq_ignore_ascii_case(known));
    let is_author = line.strip_prefix("by ").is_some_and(|name| !name.trim().contains(' '));
    let fact = line.split_once(':').filter(|(_, value)| !value.trim().is_empty());
    is_author || fact.is_some_and(|(key, _)| is_key(key))
}

fn is_heading_line(
    entry: &DraftEntry<'_>,
    (text, leads): (&str, bool),
    is_heading: impl Fn(&str) -> bool,
) -> bool {
    // `1. Creatures (12)` may be a heading with a number.
    let may_be_number = entry.assumed == Some(Guess::QuantityBeforePoint);
    (entry.quantity.is_none() || may_be_number)
        && entry.readings.is_some()
        && (looks_like_header(text, leads) || is_heading(without_count(text)))
}

/// Cards by the symbols that they show: texts among their attributes that have no letters.
fn symbols(catalogue: &Catalogue) -> BTreeMap<Cow<'_, str>, Vec<u32>> {
    let mut symbols: BTreeMap<Cow<'_, str>, Vec<u32>> = BTreeMap::new();
    for card in catalogue.indices() {
        for value in catalogue.card(card).definition.attributes.values() {
            if let Value::String(text) = value
                && !text.is_empty()
                && !text.contains(|character: char| character.is_alphanumeric())
            {
                symbols.entry(without_selectors(text)).or_default().push(card);
            }
        }
    }
    symbols
}

/// A symbol without the variation selectors that only some keyboards add to emoji.
pub(super) fn without_selectors(symbol: &str) -> Cow<'_, str> {
    if symbol.contains('\u{fe0f}') { symbol.replace('\u{fe0f}', "").into() } else { symbol.into() }
}

fn filtered(cards: &[u32], keep: impl Fn(u32) -> bool) -> Vec<u32> {
    cards.iter().copied().filter(|card| keep(*card)).collect()
}

fn tags(parts: &Parts<'_>) -> Vec<String> {
    parts.tags.iter().map(|tag| shown(tag)).collect()
}

fn reference(parts: &Parts<'_>) -> CardReference {
    let owned = |part: &Option<Cow<'_, str>>| part.as_deref().map(str::to_owned);
    CardReference {
        name: parts.name.to_string(),
        set: owned(&parts.set),
        number: owned(&parts.number),
        rarity: owned(&parts.rarity),
    }
}

fn verdict(how: Vec<Guess>) -> LineVerdict {
    if how.is_empty() { LineVerdict::Accepted } else { LineVerdict::Guessed { how } }
}

fn drops_printing(guess: &Guess) -> bool {
    matches!(
        guess,
        Guess::SetDropped { .. } | Guess::NumberDropped { .. } | Guess::RarityDropped { .. }
    )
}

/// Adds the guess that the game has no such zone. Unknown and ambiguous lines keep their verdict.
fn with_guess(verdict: LineVerdict, zone: &str) -> LineVerdict {
    let guess = Guess::ZoneNotInGame { zone: zone.to_owned() };
    match verdict {
        LineVerdict::Accepted => LineVerdict::Guessed { how: vec![guess] },
        LineVerdict::Guessed { how } => {
            LineVerdict::Guessed { how: how.into_iter().chain([guess]).collect() }
        }
        other => other,
    }
}
