//! Cards that are not loaded. A report says so first, because it is not an error of the deck.

use std::collections::{BTreeMap, BTreeSet};

use super::Validator;
use crate::code::ViolationCode as Code;
use crate::rule::{DeckCheck, RuleReference};
use crate::suggest::WantedName;
use crate::violation::{CardMention, Severity, Violation};

/// Smallest similarity of a set's code that is suggested: 1 is equal, 0 nothing in common.
const SIMILARITY_MIN: f64 = 0.6;
/// Maximum number of sets for which similar codes are looked up in one report.
const SUGGESTED_SETS_MAX: usize = 20;
/// Maximum number of suggestions for one set.
const SUGGESTIONS_MAX: usize = 3;

impl Validator<'_> {
    /// Reports a game or sets without loaded cards, if the deck or the format's box needs them.
    pub(super) fn pool_gaps(&mut self, known_cards: &RuleReference) {
        if self.catalogue.sets().next().is_none() {
            // Nothing in the deck has to be changed because of it.
            let severity = Severity::Incomplete;
            self.violations.push(Violation::new(Code::GameWithoutCards, severity, known_cards));
            return;
        }
        let mut missing: BTreeMap<String, Vec<CardMention>> = BTreeMap::new();
        for (set, card) in self.content.sets_without_card() {
            if !self.catalogue.has_cards_of(set) {
                missing.entry(set.trim().to_ascii_lowercase()).or_default().push(card);
            }
        }
        for rule in &self.format.rules {
            let DeckCheck::FixedBox { contents, .. } = &rule.check else { continue };
            for set in contents.iter().flat_map(|line| &line.select.sets) {
                if !self.catalogue.has_cards_of(set) {
                    missing.entry(set.to_ascii_lowercase()).or_default();
                }
            }
        }
        for (at, (set, mut cards)) in missing.into_iter().enumerate() {
            cards.sort_unstable();
            // Each is compared with all sets of the game.
            let near = if at < SUGGESTED_SETS_MAX { self.near_sets(&set) } else { Vec::new() };
            let mut gap =
                Violation::error(Code::SetWithoutCards, known_cards).suggest(near).set(set);
            gap.cards = cards;
            self.violations.push(gap);
        }
    }

    /// Codes of sets with cards that are similar to this code, the most similar first.
    fn near_sets(&self, set: &str) -> Vec<String> {
        let wanted = WantedName::new(set);
        let sets: BTreeSet<&str> = self.catalogue.sets().collect();
        let mut near: Vec<(f64, &str)> = sets
            .into_iter()
            .map(|known| (wanted.similarity(known), known))
            .filter(|(similarity, _)| *similarity >= SIMILARITY_MIN)
            .collect();
        near.sort_by(|one, other| other.0.total_cmp(&one.0).then_with(|| one.1.cmp(other.1)));
        near.into_iter().take(SUGGESTIONS_MAX).map(|(_, known)| known.to_owned()).collect()
    }
}
