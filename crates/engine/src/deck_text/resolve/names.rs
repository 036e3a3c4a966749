//! Cards by their names and external ids.

use std::borrow::Cow;

use super::readings::{
    Reading, has_count, names_with_marks, parts_after_name, readings, readings_after_name,
    with_joined_count,
};
use super::resolver::{Meaning, ResolvedEntry, Resolver, count_form};
use super::verdicts::{assumed, assumed_quantity, drops_remark, reference, remark, tags, verdict};
use crate::alike::are_alike;
use crate::deck::CardReference;
use crate::deck_text::archidekt::{is_coloured_tag, zone_of};
use crate::deck_text::draft::{DraftEntry, Parts};
use crate::deck_text::line::{
    REMARK, counted_at_end, is_copies, remarks, split_parts, split_parts_without_brackets,
    without_marks, without_set_size,
};
use crate::deck_text::read_deck::{Guess, LineVerdict, UnknownReason};
use crate::deck_text::several::{SEPARATORS, counted_parts, line_of};
use crate::deck_text::zones::{Place, is_heading, place};

impl Resolver<'_> {
    /// Tries the readings of a line, from the most to the least literal. The first reading whose parts all match a card wins, else the first of those
    /// that match a card in all but the fewest parts.
    pub(super) fn by_readings(&self, entry: &DraftEntry<'_>) -> Option<ResolvedEntry> {
        if let Some(id) = entry.external_id {
            return Some(self.by_external_id(entry, id));
        }
        if let Some(found) = self.by_names(entry).ok()? {
            return Some(found);
        }
        if let Some(found) = with_joined_count(entry).and_then(|counted| self.by_readings(&counted))
        {
            return Some(found);
        }
        self.by_accents_with_count(entry)
            .or_else(|| self.by_counted_symbol(entry))
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

    /// Whether a card is called like a line that cannot be read otherwise. Its sign counts, which names ignore elsewhere: `-2 Mace` is no `+2 Mace`.
    pub(super) fn is_name_with_sign(&self, entry: &DraftEntry<'_>) -> bool {
        let Ok(Some(found)) = self.by_names(entry) else { return false };
        let first = |name: &str| name.chars().next().map(|first| first.to_ascii_lowercase());
        let written = &found.card.name;
        let begins_alike =
            |card: &u32| first(&self.catalogue.card(*card).definition.name) == first(written);
        self.catalogue.named(written).iter().any(begins_alike)
    }

    /// Tries the readings of a line, among them those with marks in the name.
    fn by_names(&self, entry: &DraftEntry<'_>) -> Result<Option<ResolvedEntry>, IsHeading> {
        match self.best(entry, self.with_marks_in_name(entry).into_iter()) {
            Ok(None) => {
                self.best(entry, readings(entry).filter(|reading| !self.hides_set(reading)))
            }
            found => found,
        }
    }

    /// Whether a reading of a line with a quantity after the name takes a set that the card has, `Salt (port) (2)`, for a part of the name.
    fn hides_set(&self, (parts, _, guesses): &Reading<'_>) -> bool {
        if guesses.len() < 2 || !guesses.contains(&Guess::MarksArePartOfName) {
            return false;
        }
        let shorter = split_parts(&parts.name);
        let named = self.catalogue.named(&shorter.name);
        let is_of = |set: &str| named.iter().any(|card| self.is_of(*card, self.set_code(set)));
        shorter.set.as_deref().is_some_and(is_of)
    }

    /// The best of some readings of a line: the first whose parts all match a card, else the first of those that match a card in all but the fewest parts.
    fn best<'e>(
        &self,
        entry: &DraftEntry<'_>,
        readings: impl Iterator<Item = Reading<'e>>,
    ) -> Result<Option<ResolvedEntry>, IsHeading> {
        let mut second_best: Option<(usize, ResolvedEntry)> = None;
        for (mut parts, quantity, guesses) in readings {
            // `Energy: 10` and `Energy (10)` are headings, also where a card has that name, unless all quantities of the list have this form.
            let is_counted_after = guesses.iter().any(|guess| match guess {
                Guess::QuantityAfterName => true,
                Guess::RemarkDropped { .. } => quantity != entry.quantity,
                _ => false,
            });
            if is_counted_after
                && !self.has_common_form(entry)
                && is_heading(self.catalogue.game(), &parts.name)
            {
                return Err(IsHeading);
            }
            let keeps_marks =
                matches!(guesses[..], [Guess::MarksArePartOfName | Guess::QuantityIsPartOfName]);
            if parts.category.is_some() || parts.set.is_some() || !parts.tags.is_empty() {
                self.drop_zone_as_set(parts.to_mut());
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
            if parts.is_place_in_front && !self.is_place_known(&parts) {
                continue;
            }
            // `Ships 12` may be a heading.
            if parts.is_place_in_front
                && parts.is_place_bare
                && entry.quantity.is_none()
                && !parts.set.as_deref().is_some_and(|set| self.is_set_of_cards(set))
            {
                continue;
            }
            // `Fire // Ice (set) 12`: the rest of the name of a card is no remark, also if the card is not of this set.
            if drops_remark(&guesses)
                && second_best.as_ref().is_some_and(|(_, found)| {
                    let longer = found.card.name.strip_prefix(&*parts.name);
                    longer.is_some_and(|rest| rest.starts_with(REMARK))
                })
            {
                continue;
            }
            let Some(meaning) = self.meaning(&parts) else { continue };
            let is_as_stated = quantity == entry.quantity;
            let quantity_guess = is_as_stated.then(|| assumed_quantity(entry)).flatten();
            let mut guesses: Vec<Guess> = quantity_guess.into_iter().chain(guesses).collect();
            if drops_marks && !guesses.contains(&Guess::MarksDropped) {
                guesses.push(Guess::MarksDropped);
            }
            let hides_cards = || {
                parts.tags.iter().any(|tag| tag.contains(SEPARATORS))
                    && line_of(entry).and_then(counted_parts).is_some()
            };
            if parts.tags.iter().any(|tag| is_coloured_tag(tag)) || hides_cards() {
                guesses.push(Guess::TagsDropped);
            }
            guesses.extend(remark(entry));
            let is_uncounted = quantity == entry.quantity && !has_count(entry);
            let quantity = quantity.unwrap_or(1);
            let tags = tags(&parts);
            match meaning {
                Meaning::Card(card, dropped) => {
                    // A set that is a number is rather a quantity, which another reading finds.
                    let is_number = |guess: &&Guess| matches!(guess, Guess::SetDropped { set } if set.parse::<u8>().is_ok());
                    let drops = dropped.len() + dropped.iter().filter(is_number).count();
                    let hides_count = is_uncounted && tags.iter().any(|tag| hides_count(tag));
                    let drops = drops + usize::from(hides_count);
                    let verdict = verdict(guesses.into_iter().chain(dropped).collect());
                    let resolved = ResolvedEntry { quantity, card, verdict, tags };
                    if drops == 0 {
                        return Ok(Some(resolved));
                    }
                    if second_best.as_ref().is_none_or(|(fewest, _)| drops < *fewest) {
                        second_best = Some((drops, resolved));
                    }
                }
                Meaning::Several(cards) => {
                    let verdict = self.ambiguous(&cards);
                    let card = reference(&parts);
                    return Ok(Some(ResolvedEntry { quantity, card, verdict, tags }));
                }
            }
        }
        Ok(second_best.map(|(_, resolved)| resolved))
    }

    /// Whether the quantity of a line stands after the name as all quantities of the list do.
    fn has_common_form(&self, entry: &DraftEntry<'_>) -> bool {
        let form = entry.readings.and_then(|(text, _)| count_form(text));
        form.is_some() && form == self.common_form
    }

    /// The parts of a line whose card has a name with marks, spelled as the line has it.
    pub(super) fn named_with_marks<'a>(&self, entry: &DraftEntry<'a>) -> Option<Parts<'a>> {
        let (parts, ..) = self.with_marks_in_name(entry).into_iter().next()?;
        Some(parts.into_owned())
    }

    /// The readings of a line whose card has a name with marks, spelled as the line has it. It wins even if another card has the name without these marks.
    fn with_marks_in_name<'a>(&self, entry: &DraftEntry<'a>) -> Vec<Reading<'a>> {
        let Some((text, _)) = entry.readings else { return Vec::new() };
        let is_spelled = |name: &str| {
            let spells =
                |card: &u32| is_same_spelling(&self.catalogue.card(*card).definition.name, name);
            self.catalogue.named(name).iter().any(spells)
        };
        let with_bare_place = |name: &'a str| -> Option<Reading<'a>> {
            let parts = parts_after_name(text, name, split_parts_without_brackets)?;
            let is_place = parts.is_place_bare && self.is_bare_place(&parts);
            is_place.then_some((Cow::Owned(parts), entry.quantity, vec![Guess::MarksArePartOfName]))
        };
        let found = names_with_marks(entry).filter(|name| is_spelled(name)).map(|name| {
            let found = readings_after_name(text, name, entry);
            if found.is_empty() { with_bare_place(name).into_iter().collect() } else { found }
        });
        let mut found: Vec<Reading<'a>> =
            found.into_iter().find(|found| !found.is_empty()).unwrap_or_default();
        for (parts, ..) in &mut found {
            let parts = parts.to_mut();
            self.drop_zone_as_set(parts);
            // A table has the rarity in another column than the name.
            if entry.assumed == Some(Guess::ColumnsGuessed) && parts.rarity.is_none() {
                parts.rarity.clone_from(&entry.card.rarity);
            }
        }
        found
    }

    /// The label of the zone that a text in square brackets names.
    pub(super) fn zone_label<'c>(&self, category: &'c str) -> Option<&'c str> {
        let label = zone_of(category)?;
        (place(self.catalogue.game(), label) != Place::Category).then_some(label)
    }

    /// Makes a text in square brackets that names a zone a label: it is never a set.
    pub(super) fn drop_zone_as_set(&self, parts: &mut Parts<'_>) {
        if let Some(category) = parts.category
            && parts.set.as_deref() == Some(category)
            && self.zone_label(category).is_some()
        {
            parts.set = None;
            parts.tags.push(Cow::Borrowed(category));
        }
    }

    fn by_external_id(&self, entry: &DraftEntry<'_>, id: u64) -> ResolvedEntry {
        let unknown = |reason| LineVerdict::Unknown { near: Vec::new(), reason: Some(reason) };
        let cards = self.catalogue.with_external_id(id);
        let (card, verdict) = match &cards[..] {
            // Reprints share an id.
            [first, ..] if self.catalogue.have_one_name(&cards) => {
                (self.full_reference(*first), verdict(remark(entry).into_iter().collect()))
            }
            [_, ..] => (CardReference::named(id.to_string()), self.ambiguous(&cards)),
            [] => {
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
    pub(super) fn meaning(&self, parts: &Parts<'_>) -> Option<Meaning> {
        let mut cards = self.catalogue.named(&parts.name);
        if cards.is_empty() {
            let (set, number) = (parts.set.as_deref()?, parts.number.as_deref()?);
            cards = parts.name.is_empty().then(|| self.numbered(set, number))?;
            match cards.len() {
                0 => return None,
                1 => {}
                _ => return Some(Meaning::Several(cards)),
            }
        }
        let mut dropped = Vec::new();
        if parts.name.is_empty() {
            let written = parts.rarity.as_deref();
            let rarity = written.and_then(|written| self.rarity(written));
            let rarity = rarity.filter(|code| self.catalogue.has_rarity(cards[0], Some(code)));
            let dropped = written.filter(|_| rarity.is_none());
            let dropped = dropped.map(|rarity| Guess::RarityDropped { rarity: rarity.to_owned() });
            let card = CardReference { rarity, ..self.full_reference(cards[0]) };
            return Some(Meaning::Card(card, dropped.into_iter().collect()));
        }
        let mut meant = CardReference::named(parts.name.as_ref());
        let moved = self.moved_from(parts, &cards);
        if let Some(card) = moved {
            cards = vec![card];
            let present = self.full_reference(card);
            (meant.set, meant.number) = (present.set, present.number);
        }
        if let Some(written) = parts.set.as_ref().filter(|_| moved.is_none()) {
            let code = self.set_code(written);
            let of_set = filtered(&cards, |card| self.is_of(card, code));
            if of_set.is_empty() {
                dropped.push(Guess::SetDropped { set: written.to_string() });
            } else {
                cards = of_set;
                meant.set = Some(code.to_owned());
            }
        }
        let number = parts.number.as_deref().filter(|_| moved.is_none());
        if let Some(number) = number.map(without_set_size) {
            let numbered = self.catalogue.with_number(&cards, number);
            // A number means nothing if its set was dropped.
            if numbered.is_empty() || !dropped.is_empty() {
                dropped.push(Guess::NumberDropped { number: number.to_string() });
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
                None => dropped.push(Guess::RarityDropped { rarity: written.to_string() }),
            }
        }
        if !are_alike(self.catalogue, &cards) {
            return Some(Meaning::Several(cards));
        }
        Some(Meaning::Card(meant, dropped))
    }

    /// The one of these cards that had the set and the number of a line before it was moved or merged, if none of them has both now.
    fn moved_from(&self, parts: &Parts<'_>, cards: &[u32]) -> Option<u32> {
        let (set, number) = (parts.set.as_deref()?, parts.number.as_deref()?);
        let (set, number) = (self.set_code(set), without_set_size(number));
        let moved = self.catalogue.moved_from(set, number)?;
        let of_set = filtered(cards, |card| self.is_of(card, set));
        let is_left = self.catalogue.with_number(&of_set, number).is_empty();
        (is_left && cards.contains(&moved)).then_some(moved)
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
}

/// Whether a label of a line has a quantity in it that no other reading would leave there: `2 copies`, `7 (2)`.
fn hides_count(tag: &str) -> bool {
    let is_counted = |text: &str| is_copies(text) || counted_at_end(text).is_some();
    let tag = without_marks(tag);
    is_counted(tag) || remarks(tag).any(|(before, _)| is_counted(before))
}

/// A line is the heading of a kind of cards.
struct IsHeading;

/// Whether two names differ at most in case.
pub(in crate::deck_text) fn is_same_spelling(left: &str, right: &str) -> bool {
    let folded = |name: &str| name.trim().to_lowercase();
    left == right || folded(left) == folded(right)
}

fn filtered(cards: &[u32], keep: impl Fn(u32) -> bool) -> Vec<u32> {
    cards.iter().copied().filter(|card| keep(*card)).collect()
}
