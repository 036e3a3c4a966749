//! Cards by the symbols that they show, such as emoji, and by set and number: lines without a name.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde_json::Value;

use super::readings::readings;
use super::resolver::{ResolvedEntry, Resolver};
use super::verdicts::{reference, tags, verdict};
use crate::catalogue::Catalogue;
use crate::deck::CardReference;
use crate::deck_text::draft::{DraftEntry, Parts};
use crate::deck_text::read_deck::{Guess, LineVerdict};
use crate::deck_text::symbols::{
    counted_symbol, may_be_symbol, without_selectors, without_skin_tones,
};

impl Resolver<'_> {
    /// The card of a line whose name no card has: by set and number, or by the symbol that the line has instead of a name.
    pub(super) fn without_name(
        &self,
        parts: &Parts<'_>,
    ) -> Option<(CardReference, Result<Guess, Vec<u32>>)> {
        if let (Some(set), Some(number)) = (&parts.set, &parts.number) {
            match &self.numbered(set, number)[..] {
                [] => {}
                [card] => {
                    let card = self.full_reference(*card);
                    let guess = Guess::BySetAndNumber { name: card.name.clone() };
                    return Some((card, Ok(guess)));
                }
                several => return Some((reference(parts), Err(several.to_vec()))),
            }
        }
        if !may_be_symbol(&parts.name) {
            return None;
        }
        match self.cards_showing(&parts.name) {
            [] => None,
            [card] => {
                let card = self.full_reference(*card);
                let guess = Guess::BySymbol { name: card.name.clone() };
                Some((card, Ok(guess)))
            }
            several => Some((reference(parts), Err(several.to_vec()))),
        }
    }

    /// The cards that show a symbol. One with a skin tone that no card shows means the same symbol without it.
    pub(super) fn cards_showing(&self, symbol: &str) -> &[u32] {
        let symbols = self.symbols.get_or_init(|| symbols(self.catalogue));
        let found = symbols.get(without_selectors(symbol).as_ref());
        let found = found.or_else(|| symbols.get(without_skin_tones(symbol)?.as_str()));
        found.map_or(&[], Vec::as_slice)
    }

    /// The symbol of a line that is one symbol and a quantity beside it, such as `😀 (2)` or `2😀`; the quantity, and whether it stands after the symbol.
    fn counted<'e>(&self, entry: &DraftEntry<'e>) -> Option<(&'e str, u32, bool)> {
        // A numbered line has one copy, unless a quantity stands in it.
        let is_numbered = entry.assumed == Some(Guess::LineIsNumbered);
        if entry.quantity.is_some_and(|quantity| !is_numbered || quantity != 1) {
            return None;
        }
        let counted = counted_symbol(entry.readings?.0)?;
        let has_set = entry.card.set.as_deref().is_some_and(|set| self.is_set(set));
        (!has_set).then_some(counted)
    }

    /// The result for such a line whose symbol no card shows.
    pub(super) fn unknown_symbol(&self, entry: &DraftEntry<'_>) -> Option<ResolvedEntry> {
        let (symbol, quantity, _) = self.counted(entry)?;
        let verdict = LineVerdict::Unknown { near: Vec::new(), reason: None };
        let card = CardReference::named(symbol);
        Some(ResolvedEntry { quantity, card, verdict, tags: Vec::new() })
    }

    /// The card of such a line.
    pub(super) fn by_counted_symbol(&self, entry: &DraftEntry<'_>) -> Option<ResolvedEntry> {
        let (symbol, quantity, is_after) = self.counted(entry)?;
        let (card, verdict) = match self.cards_showing(symbol) {
            [] => return None,
            [card] => {
                let card = self.full_reference(*card);
                let count = if is_after { Guess::QuantityAfterName } else { Guess::SymbolsCounted };
                let marks = entry.marks_dropped.then_some(Guess::MarksDropped);
                let name = card.name.clone();
                let guesses = entry.assumed.clone().into_iter().chain([count]).chain(marks);
                (card, verdict(guesses.chain([Guess::BySymbol { name }]).collect()))
            }
            several => (CardReference::named(symbol), self.ambiguous(several)),
        };
        Some(ResolvedEntry { quantity, card, verdict, tags: Vec::new() })
    }

    /// The card of a symbol with a quantity around it, such as `😀: 2` or `😀×2`.
    pub(super) fn by_symbol_with_quantity(&self, entry: &DraftEntry<'_>) -> Option<ResolvedEntry> {
        // Only a line whose text begins with a symbol is worth the search.
        let (text, _) = entry.readings?;
        if text.starts_with(|first: char| first.is_alphanumeric() || first.is_ascii()) {
            return None;
        }
        readings(entry).skip(1).find_map(|(mut parts, quantity, guess)| {
            if parts.category.is_some() {
                self.drop_zone_as_set(parts.to_mut());
            }
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
}

/// Cards by the symbols that they show: texts among their attributes that can be symbols.
fn symbols(catalogue: &Catalogue) -> BTreeMap<Cow<'_, str>, Vec<u32>> {
    let mut symbols: BTreeMap<Cow<'_, str>, Vec<u32>> = BTreeMap::new();
    for card in catalogue.indices() {
        for value in catalogue.card(card).definition.attributes.values() {
            if let Value::String(text) = value
                && may_be_symbol(text)
            {
                symbols.entry(without_selectors(text)).or_default().push(card);
            }
        }
    }
    symbols
}
