//! Cards whose names differ from the written ones only in accents and the like, where a quantity or a remark stands after the name, or brackets around the line.

use std::borrow::Cow;

use super::readings::readings;
use super::resolver::{Meaning, ResolvedEntry, Resolver};
use super::verdicts::{assumed, reference, tags, verdict};
use crate::catalogue::Catalogue;
use crate::deck_text::draft::{DraftEntry, Parts};
use crate::deck_text::read_deck::{Guess, LineVerdict};
use crate::hash::FixedMap;
use crate::name::search_key;

/// The names with other letters than those of ASCII, by their [`search_key`].
pub(super) type Accents<'a> = FixedMap<String, Vec<&'a str>>;

fn accents(catalogue: &Catalogue) -> Accents<'_> {
    let mut names = Accents::default();
    for (name, key) in catalogue.search_keys().filter(|(name, _)| !name.is_ascii()) {
        names.entry(key.to_owned()).or_default().push(name);
    }
    names
}

impl Resolver<'_> {
    /// The card of `Etoile (2)`, `2 Etoile // remark` or `[2 Etoile]` with the name `Étoile`. Without a card, most such lines would be headings. A name that has the number in it goes first.
    pub(super) fn by_accents_with_count(&self, entry: &DraftEntry<'_>) -> Option<ResolvedEntry> {
        let (text, _) = entry.readings.filter(|_| !entry.exact)?;
        let is_counted =
            |guess: &Guess| matches!(guess, Guess::QuantityAfterName | Guess::RemarkDropped { .. });
        // In brackets, too.
        let is_in_marks = entry.marks_dropped && entry.quantity.is_some();
        let counted: Vec<_> = readings(entry)
            .filter(|(parts, _, guesses)| {
                let is_read = guesses.iter().any(is_counted) || (is_in_marks && guesses.is_empty());
                is_read && (!parts.is_place_in_front || self.is_place_known(parts))
            })
            .collect();
        if counted.is_empty() {
            return None;
        }
        let whole = Parts { name: Cow::Borrowed(text), ..Parts::default() };
        let whole = (Cow::Owned(whole), entry.quantity, assumed(entry).collect());
        let counted = counted.into_iter().map(|(parts, quantity, guesses)| {
            let stated = (quantity == entry.quantity).then(|| assumed(entry));
            (parts, quantity, stated.into_iter().flatten().chain(guesses).collect::<Vec<_>>())
        });
        std::iter::once(whole).chain(counted).find_map(|(parts, quantity, guesses)| {
            let quantity = quantity.unwrap_or(1);
            let mut parts = parts.into_owned();
            self.drop_zone_as_set(&mut parts);
            let tags = tags(&parts);
            match self.spelled_otherwise(&parts.name)[..] {
                [] => None,
                [name] => {
                    let parts = Parts { name: Cow::Borrowed(name), ..parts };
                    let Meaning::Card(card, dropped) = self.meaning(&parts)? else { return None };
                    let spelled = Guess::NameSpelled { name: name.to_owned() };
                    let guesses = guesses.into_iter().chain([spelled]).chain(dropped).collect();
                    Some(ResolvedEntry { quantity, card, verdict: verdict(guesses), tags })
                }
                ref several => {
                    let near = several.iter().map(|name| (*name).to_owned()).collect();
                    let verdict = LineVerdict::Unknown { near, reason: None };
                    Some(ResolvedEntry { quantity, card: reference(&parts), verdict, tags })
                }
            }
        })
    }

    /// The names that differ from a written one only in accents and the like.
    fn spelled_otherwise(&self, written: &str) -> Vec<&str> {
        let key = search_key(written);
        if key.is_empty() {
            return Vec::new();
        }
        // The key of a name without accents is that of the name itself, which was looked up already if no accents are written.
        let without = if written.is_ascii() { Vec::new() } else { self.catalogue.named(&key) };
        let without = without.first().map(|card| &*self.catalogue.card(*card).definition.name);
        let accents = self.accents.get_or_init(|| accents(self.catalogue));
        let with = accents.get(&key).into_iter().flatten().copied();
        without.into_iter().filter(|name| name.is_ascii()).chain(with).collect()
    }
}
