//! Sets, numbers and rarities, in all places where programs write them.

use std::borrow::Cow;

use super::resolver::Resolver;
use crate::catalogue::same_number;
use crate::deck_text::DeckDialect;
use crate::deck_text::draft::Parts;
use crate::deck_text::line::{joined_place, number_tags, without_set_size};
use crate::deck_text::zones::{Place, place};
use crate::schema::word_key;

impl Resolver<'_> {
    /// Whether two words after a name are a set and a number: if the game has the set. In the dialects that always write cards so, sets of other games are
    /// sets, too.
    pub(super) fn is_bare_place(&self, parts: &Parts<'_>) -> bool {
        matches!(self.dialect, DeckDialect::PtcgLive | DeckDialect::PtcgOnline)
            || parts.set.as_deref().is_some_and(|set| self.is_set(set))
    }

    /// Whether the game has the set of a card, and the set its number.
    pub(super) fn is_place_known(&self, parts: &Parts<'_>) -> bool {
        let place = parts.set.as_deref().zip(parts.number.as_deref());
        place.is_some_and(|(set, number)| !self.numbered(set, number).is_empty())
    }

    /// Whether the game has a set of this code or name.
    pub(super) fn is_set(&self, written: &str) -> bool {
        self.catalogue.has_cards_of(written)
            || self.sets.is_some_and(|sets| sets.find(written).is_some())
    }

    /// Takes set and number from the places where some programs write them.
    pub(super) fn read_place(&self, parts: &mut Parts<'_>) {
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
            Some(set) => !self.numbered(set, number).is_empty(),
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

    pub(super) fn is_of(&self, card: u32, set: &str) -> bool {
        self.catalogue.card(card).set.eq_ignore_ascii_case(set.trim())
    }

    /// The code of a set that is written as its code or its name.
    pub(super) fn set_code<'b>(&'b self, written: &'b str) -> &'b str {
        if self.catalogue.has_cards_of(written) {
            return written.trim();
        }
        let named = self.sets.and_then(|sets| sets.find(written));
        named.map_or(written.trim(), |set| &set.code)
    }

    /// The cards that a set and a number can mean; several, if their numbers are the same but for case and leading zeros.
    pub(super) fn numbered(&self, set: &str, number: &str) -> Vec<u32> {
        self.catalogue.numbered(self.set_code(set), without_set_size(number))
    }

    /// The code of a rarity, or of the finish that stands for a rarity. `F` and `E` mean foil and etched, unless a rarity has that name.
    pub(super) fn rarity(&self, written: &str) -> Option<String> {
        let called = |word: &str| self.catalogue.game().rarity_called(word);
        let meant = called(written).or_else(|| match word_key(written).as_str() {
            "f" => called("foil"),
            "e" => called("etched"),
            _ => None,
        });
        meant.map(|rarity| rarity.code.clone())
    }
}
