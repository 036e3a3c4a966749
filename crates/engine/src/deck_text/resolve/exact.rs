//! References that stay as they are written: those of our own text and JSON.

use super::resolver::Resolver;
use super::unknown::reason_of;
use super::verdicts::reference;
use crate::alike::are_alike;
use crate::catalogue::same_number;
use crate::deck::CardReference;
use crate::deck_text::draft::Parts;
use crate::deck_text::read_deck::{Guess, LineVerdict};

impl Resolver<'_> {
    /// A reference that stays as written, but a place without a name has the code of its set, and a number is without the size of its set, unless no card
    /// of the name has this number.
    pub(super) fn exact_reference(&self, parts: &Parts<'_>) -> CardReference {
        let mut card = reference(parts);
        // Beside a name that has no card of the number, the number stays whatever it is.
        if let (false, Some(number)) = (card.name.is_empty(), &card.number)
            && parts.number.as_deref() != Some(number)
            && self.catalogue.with_number(&self.catalogue.named(&card.name), number).is_empty()
        {
            card.number = parts.number.as_deref().map(str::to_owned);
        }
        if let (true, Some(set), Some(_), Some(sets)) =
            (card.name.is_empty(), &mut card.set, &card.number, self.sets)
            && let Some(named) = sets.with_name(set)
        {
            set.clone_from(&named.code);
        }
        card
    }

    /// The verdict on a reference that stays as written.
    pub(super) fn exact(&self, card: &CardReference) -> LineVerdict {
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
                if let ("", Some(set), Some(number)) = (&*card.name, &card.set, &card.number) {
                    let numbered = self.catalogue.numbered(set, number);
                    if numbered.len() > 1 {
                        return self.ambiguous(&numbered);
                    }
                }
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
            set.map(|set| Guess::SetDropped { set: set.to_owned() }),
            number.map(|number| Guess::NumberDropped { number: number.to_owned() }),
            rarity.map(|rarity| Guess::RarityDropped { rarity: rarity.to_owned() }),
        ];
        dropped.into_iter().flatten().collect()
    }
}
