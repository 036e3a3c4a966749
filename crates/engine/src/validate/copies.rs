//! Physical copies that entries name.

use std::collections::{BTreeMap, BTreeSet};

use super::{CARDS_MAX, Validator, entries, violation};
use crate::code::ViolationCode as Code;
use crate::deck::DeckEntry;
use crate::rule::Rule;
use crate::violation::{CardMention, Fix, Severity};

impl Validator<'_> {
    pub(super) fn unique_copies(&mut self, rule: &Rule) {
        let mut seen: BTreeMap<&str, (u64, BTreeSet<CardMention>)> = BTreeMap::new();
        let mut buffer = Vec::new();
        for entry in self.deck.entries.iter().filter(|entry| !entry.copies.is_empty()) {
            let card = self.mention_of(entry, &mut buffer);
            let mut named = 0_u64;
            for copy in entry.named_copies() {
                named = named.saturating_add(1);
                let (times, cards) = seen.entry(copy).or_default();
                *times = times.saturating_add(1);
                cards.insert(CardMention { copy: Some(copy.to_owned()), ..card.clone() });
                // All entries may name all copies: what is kept must not grow with both. `actual` counts the others, too.
                if cards.len() > CARDS_MAX {
                    cards.pop_last();
                }
            }
            let quantity = u64::from(entry.quantity);
            if named > quantity {
                let fix =
                    Fix::NameFewerCopies { name: card.name.clone(), quantity: named - quantity };
                self.violations.push(
                    violation(rule, Code::EntryCopiesExceeded, Severity::Error)
                        .zone(&entry.zone)
                        .limit(quantity)
                        .actual(named)
                        .card(card)
                        .fix(fix),
                );
            }
        }
        for (copy, (times, cards)) in seen {
            if times > 1 {
                let mut fault = violation(rule, Code::SerialDuplicate, Severity::Error)
                    .limit(1)
                    .actual(times)
                    .fix(Fix::NameCopyOnce { copy: copy.to_owned() });
                fault.cards = cards.into_iter().collect();
                self.violations.push(fault);
            }
        }
    }

    /// The card of an entry as the pool has it, or as the deck writes it when it is unknown.
    fn mention_of(&self, entry: &DeckEntry, buffer: &mut Vec<u8>) -> CardMention {
        self.catalogue.resolve(&entry.card, buffer).map_or_else(
            || entries::mention(&entry.card),
            |found| self.catalogue.mention(found.card),
        )
    }
}
