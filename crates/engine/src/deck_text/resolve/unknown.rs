//! Lines that match no card, and similar names.

use std::borrow::Cow;

use super::readings::readings;
use super::resolver::{Meaning, ResolvedEntry, Resolver};
use super::verdicts::{assumed, reference, tags, verdict};
use crate::deck::CardReference;
use crate::deck_text::draft::{DraftEntry, Parts};
use crate::deck_text::line::split_parts_without_brackets;
use crate::deck_text::read_deck::{Guess, LineVerdict, UnknownReason};
use crate::suggest::{SUGGESTED_NAMES_MAX, near_names};

impl Resolver<'_> {
    /// The result for a line that matches no card. A name that differs from a card's name only in accents and the like is accepted as a guess.
    pub(super) fn unknown(&self, entry: &DraftEntry<'_>) -> ResolvedEntry {
        if let Some(symbol) = self.unknown_symbol(entry) {
            return symbol;
        }
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
        if let Some((parts, count)) = self.unknown_place(entry, near.is_empty()) {
            let card = self.reference_of_place(&parts);
            let verdict = LineVerdict::Unknown { near, reason: reason_of(&card) };
            return ResolvedEntry {
                quantity: count.unwrap_or(1),
                card,
                verdict,
                tags: self::tags(&parts),
            };
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

    /// The set of the game and the number that a line has instead of a name, with a dash between them or, if no name is similar, as two words; and its quantity.
    /// The card may be one that the reader of the list does not know.
    pub(super) fn unknown_place<'e>(
        &self,
        entry: &'e DraftEntry<'_>,
        may_be_words: bool,
    ) -> Option<(Cow<'e, Parts<'e>>, Option<u32>)> {
        // Most unknown lines are names without a number.
        let text = entry.readings.map_or(&*entry.card.name, |(text, _)| text);
        if !text.bytes().any(|byte| byte.is_ascii_digit()) {
            return None;
        }
        let is_place = |parts: &Parts<'_>| {
            parts.is_place_in_front
                && parts.name.is_empty()
                && (may_be_words || !parts.is_place_bare)
                && parts.set.as_deref().is_some_and(|set| self.is_set_of_cards(set))
        };
        let found = readings(entry).find(|(parts, ..)| is_place(parts));
        found.map(|(parts, quantity, _)| (parts, quantity))
    }

    fn reference_of_place(&self, parts: &Parts<'_>) -> CardReference {
        let card = reference(parts);
        let set = card.set.as_deref().map(|set| self.set_code(set).to_owned());
        CardReference { set, ..card }
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

    pub(super) fn near(&self, name: &str) -> Vec<String> {
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
pub(super) fn reason_of(card: &CardReference) -> Option<UnknownReason> {
    let is_place = card.name.is_empty() && card.set.is_some() && card.number.is_some();
    is_place.then_some(UnknownReason::SetAndNumberUnknown)
}
