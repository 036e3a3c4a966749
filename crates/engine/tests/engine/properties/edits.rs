//! A legal deck and one wrong edit: the report names the rule that the edit breaks, and no other.

use std::sync::Arc;

use cardscape_engine::{
    CardReference, Catalogue, Deck, DeckCheck, DeckEntry, PoolCard, ReportStatus, Resolution,
    Severity, Violation, validate,
};
use proptest::prelude::*;
use serde_json::json;

use super::generators::{FORMATS, Legal, copies_allowed, legal, playable, sizes};
use crate::support::{card, outline, pool_card};

#[derive(Debug, Clone, Copy)]
enum Edit {
    /// More copies of a card than it may have (of this stage, where there are stages); the size of the deck stays.
    TooManyCopies(Option<&'static str>),
    /// Cards are taken away.
    TooShort,
    /// Cards of which more copies are allowed are added.
    TooLong,
    /// A card that may be in no deck.
    ForbiddenCard,
    /// A name that no card has.
    UnknownName,
    UnknownSet,
    UnknownNumber,
    UnknownRarity,
    UnknownZone,
    /// A line of zero cards.
    EmptyLine,
    /// Copies are lost from a box.
    Lost,
    /// A box has copies of its own cards too many.
    Surplus,
    /// One copy lost, one of another card too many: the total stays.
    Swapped,
    /// A card that does not belong in the box.
    Foreign,
}

/// What each edit breaks, by the rulebooks. A variant's rule is its own.
const BREAKS: &[(&str, Option<&str>, Edit, &str)] = &[
    ("ttcg", None, Edit::TooManyCopies(None), "T-2.2.1b"),
    ("ttcg", None, Edit::TooShort, "T-2.2.1a"),
    ("ttcg", None, Edit::TooLong, "T-2.2.1a"),
    ("ttcg", None, Edit::ForbiddenCard, "T-2.2.1d"),
    ("ttcg", None, Edit::UnknownName, "T-2.2.1e"),
    ("ttcg", None, Edit::UnknownSet, "T-2.2.1e"),
    ("ttcg", None, Edit::UnknownNumber, "T-2.2.1e"),
    ("ttcg", None, Edit::UnknownRarity, "T-2.2.1e"),
    ("ttcg", None, Edit::UnknownZone, "T-2.2.1e"),
    ("ttcg", None, Edit::EmptyLine, "T-2.2.1e"),
    ("emoji-tcg", None, Edit::TooManyCopies(Some("basicmoji")), "E-6.2"),
    ("emoji-tcg", None, Edit::TooManyCopies(Some("supermoji")), "E-6.3"),
    ("emoji-tcg", None, Edit::TooManyCopies(Some("ultramoji")), "E-6.4"),
    ("emoji-tcg", None, Edit::TooManyCopies(Some("megamoji")), "E-6.5"),
    ("emoji-tcg", None, Edit::TooShort, "E-6.1"),
    ("emoji-tcg", None, Edit::TooLong, "E-6.1"),
    ("emoji-tcg", None, Edit::UnknownName, "E-6.6"),
    ("emoji-tcg", None, Edit::UnknownSet, "E-6.6"),
    ("emoji-tcg", None, Edit::UnknownNumber, "E-6.6"),
    ("emoji-tcg", None, Edit::UnknownRarity, "E-6.6"),
    ("emoji-tcg", None, Edit::UnknownZone, "E-6.6"),
    ("emoji-tcg", None, Edit::EmptyLine, "E-6.7"),
    ("uno-emoji", Some("three_and_one"), Edit::Lost, "U-2.1"),
    ("uno-emoji", Some("three_and_one"), Edit::Surplus, "U-2.1"),
    ("uno-emoji", Some("three_and_one"), Edit::Swapped, "U-2.1"),
    ("uno-emoji", Some("three_and_one"), Edit::Foreign, "U-2.1"),
    ("uno-emoji", Some("two_and_two"), Edit::Lost, "U-2.2"),
    ("uno-emoji", Some("two_and_two"), Edit::Surplus, "U-2.2"),
    ("uno-emoji", Some("two_and_two"), Edit::Swapped, "U-2.2"),
    ("uno-emoji", Some("two_and_two"), Edit::Foreign, "U-2.2"),
    ("uno-emoji", Some("one_and_three"), Edit::Lost, "U-2.2"),
    ("uno-emoji", Some("one_and_three"), Edit::Surplus, "U-2.2"),
    ("uno-emoji", Some("one_and_three"), Edit::Swapped, "U-2.2"),
    ("uno-emoji", Some("one_and_three"), Edit::Foreign, "U-2.2"),
    ("uno-emoji", None, Edit::UnknownSet, "U-2.1"),
    ("uno-emoji", None, Edit::UnknownNumber, "U-2.1"),
    ("uno-emoji", None, Edit::UnknownRarity, "U-2.1"),
    ("uno-emoji", None, Edit::UnknownZone, "U-2.1"),
    ("uno-emoji", None, Edit::EmptyLine, "U-2.1"),
    ("emojo-dojo", Some("full"), Edit::Lost, "D-2.5"),
    ("emojo-dojo", Some("full"), Edit::Surplus, "D-2.5"),
    ("emojo-dojo", Some("full"), Edit::Swapped, "D-2.5"),
    ("emojo-dojo", Some("full"), Edit::Foreign, "D-2.5"),
    ("emojo-dojo", Some("half"), Edit::Lost, "D-14.1"),
    ("emojo-dojo", Some("half"), Edit::Surplus, "D-14.1"),
    ("emojo-dojo", Some("half"), Edit::Swapped, "D-14.1"),
    ("emojo-dojo", Some("half"), Edit::Foreign, "D-14.1"),
    ("emojo-dojo", None, Edit::UnknownSet, "D-2.5"),
    ("emojo-dojo", None, Edit::UnknownNumber, "D-2.5"),
    ("emojo-dojo", None, Edit::UnknownRarity, "D-2.5"),
    ("emojo-dojo", None, Edit::UnknownZone, "D-2.5"),
    ("emojo-dojo", None, Edit::EmptyLine, "D-2.5"),
    ("emojito", None, Edit::Lost, "M-2.1"),
    ("emojito", None, Edit::Surplus, "M-2.1"),
    ("emojito", None, Edit::Swapped, "M-2.1"),
    ("emojito", None, Edit::Foreign, "M-2.1"),
    ("emojito", None, Edit::UnknownSet, "M-2.1"),
    ("emojito", None, Edit::UnknownNumber, "M-2.1"),
    ("emojito", None, Edit::UnknownRarity, "M-2.1"),
    ("emojito", None, Edit::UnknownZone, "M-2.1"),
    ("emojito", None, Edit::EmptyLine, "M-2.1"),
];

/// A deck after an edit, the cards that it is judged against, and the violations that it must have.
struct Edited {
    deck: Deck,
    pool: Arc<Catalogue>,
    faults: Vec<String>,
}

impl Edit {
    fn apply(self, legal: &Legal, rule: &str, chance: usize) -> Edited {
        let pool = legal.pool();
        let mut cards = legal.cards.clone();
        let total = legal.total();
        let some = u32::try_from(chance % 3).unwrap() + 1;
        let at = chance % cards.len();
        let playable = playable(legal.game);
        let definition = |at: usize| &pool.iter().nth(at).unwrap().definition;
        let edited =
            |deck: Deck, faults: Vec<String>| Edited { deck, pool: Arc::clone(&pool), faults };
        match self {
            Self::TooManyCopies(stage) => {
                let wanted = |at: usize| {
                    stage.is_none_or(|stage| definition(at).attributes["stage"] == stage)
                };
                // A deck may have no card of the stage yet.
                let spare = playable.iter().copied().find(|at| wanted(*at)).unwrap();
                let card = cards.iter().map(|(card, _)| *card).cycle().skip(at).take(cards.len());
                let card = card.into_iter().find(|card| wanted(*card)).unwrap_or(spare);
                let limit = copies_allowed(legal.game, definition(card));
                cards.retain(|(other, _)| *other != card);
                shrink(&mut cards, total - limit - some);
                cards.push((card, limit + some));
                let fault = format!("COPY_LIMIT_EXCEEDED {rule} {limit} {}", limit + some);
                edited(legal.written(&cards), vec![fault])
            }
            Self::TooShort => {
                let (min, _) = sizes(legal.game).unwrap();
                let left = u32::try_from(chance).unwrap() % min;
                shrink(&mut cards, left);
                let fault = format!("DECK_SIZE_BELOW_MIN {rule} {min} {left}");
                edited(legal.written(&cards), vec![fault])
            }
            Self::TooLong => {
                let (_, max) = sizes(legal.game).unwrap();
                let mut missing = max + some - total;
                for card in playable {
                    let held = cards.iter().find(|(other, _)| *other == card);
                    let held = held.map_or(0, |(_, copies)| *copies);
                    let more = missing.min(copies_allowed(legal.game, definition(card)) - held);
                    missing -= more;
                    cards.push((card, more));
                }
                assert_eq!(missing, 0);
                let fault = format!("DECK_SIZE_ABOVE_MAX {rule} {max} {}", max + some);
                edited(legal.written(&cards), vec![fault])
            }
            Self::ForbiddenCard => {
                let some = some.min(2);
                let lore = card(json!({ "number": "1", "name": "How It Began", "kind": "lore" }));
                let (_, max) = sizes(legal.game).unwrap();
                shrink(&mut cards, max - some);
                let mut deck = legal.written(&cards);
                deck.entries.push(DeckEntry::main(some, "How It Began"));
                let fault = format!("KIND_NOT_ALLOWED {rule} 0 {some}");
                Edited { pool: and(&pool, pool_card("lore", lore)), ..edited(deck, vec![fault]) }
            }
            Self::UnknownName | Self::UnknownSet | Self::UnknownNumber | Self::UnknownRarity => {
                let mut deck = legal.written(&cards);
                let at = chance % deck.entries.len();
                let entry = &mut deck.entries[at];
                let Resolution::Card(found) = pool.find(&entry.card) else { panic!() };
                let named = CardReference::named(&found.definition.name);
                entry.card = match self {
                    Self::UnknownName => {
                        CardReference::named(format!("{} the Unheard-of", named.name))
                    }
                    Self::UnknownSet => CardReference { set: Some("lost".to_owned()), ..named },
                    Self::UnknownNumber => {
                        CardReference { number: Some("999999".to_owned()), ..named }
                    }
                    _ => CardReference { rarity: Some("tin".to_owned()), ..named },
                };
                let fault = match self {
                    Self::UnknownName => format!("CARD_UNKNOWN {rule} - {}", entry.quantity),
                    _ => format!("PRINTING_UNKNOWN {rule} - -"),
                };
                let gap = matches!(self, Self::UnknownSet)
                    .then(|| format!("SET_WITHOUT_CARDS {rule} - -"));
                edited(deck, [fault].into_iter().chain(gap).collect())
            }
            Self::UnknownZone => {
                let mut deck = legal.written(&cards);
                if sizes(legal.game).is_some() {
                    let spare =
                        playable.iter().find(|at| cards.iter().all(|(card, _)| card != *at));
                    deck.entries.push(DeckEntry::main(1, &definition(*spare.unwrap()).name));
                }
                let at = deck.entries.len() - 1;
                "attic".clone_into(&mut deck.entries[at].zone);
                edited(deck, vec![format!("ZONE_UNKNOWN {rule} - -")])
            }
            Self::EmptyLine => {
                let mut deck = legal.written(&cards);
                let name = &definition(playable[chance % playable.len()]).name;
                deck.entries.insert(chance % deck.entries.len(), DeckEntry::main(0, name));
                edited(deck, vec![format!("ENTRY_COUNT_INVALID {rule} 1 0")])
            }
            Self::Lost => {
                let limit = cards[at].1;
                let lost = some.min(limit);
                cards[at].1 -= lost;
                let faults = vec![
                    format!("BOX_CARD_MISSING {rule} {limit} {}", limit - lost),
                    format!("BOX_TOTAL_MISMATCH {rule} {total} {}", total - lost),
                ];
                edited(legal.written(&cards), faults)
            }
            Self::Surplus => {
                let limit = cards[at].1;
                cards[at].1 += some;
                let faults = vec![
                    format!("BOX_CARD_EXTRA {rule} {limit} {}", limit + some),
                    format!("BOX_TOTAL_MISMATCH {rule} {total} {}", total + some),
                ];
                edited(legal.written(&cards), faults)
            }
            Self::Swapped => {
                let other = (at + 1) % cards.len();
                let (lost, found) = (cards[at].1, cards[other].1);
                cards[at].1 -= 1;
                cards[other].1 += 1;
                let faults = vec![
                    format!("BOX_CARD_MISSING {rule} {lost} {}", lost - 1),
                    format!("BOX_CARD_EXTRA {rule} {found} {}", found + 1),
                ];
                edited(legal.written(&cards), faults)
            }
            Self::Foreign => {
                let mut foreign = definition(cards[at].0).clone();
                foreign.name.push_str(" of Another Box");
                let mut deck = legal.written(&cards);
                deck.entries.push(DeckEntry::main(some, &foreign.name));
                let faults = vec![
                    format!("BOX_CARD_EXTRA {rule} 0 {some}"),
                    format!("BOX_TOTAL_MISMATCH {rule} {total} {}", total + some),
                ];
                Edited { pool: and(&pool, pool_card("another", foreign)), ..edited(deck, faults) }
            }
        }
    }
}

/// Removes copies until at most `size` are left.
fn shrink(cards: &mut [(usize, u32)], size: u32) {
    let total: u32 = cards.iter().map(|(_, copies)| copies).sum();
    let mut surplus = total.saturating_sub(size);
    for (_, copies) in cards.iter_mut() {
        let lost = surplus.min(*copies);
        *copies -= lost;
        surplus -= lost;
    }
}

fn and(pool: &Arc<Catalogue>, card: PoolCard) -> Arc<Catalogue> {
    Arc::new(Catalogue::with_extra(Arc::clone(pool), [card]))
}

/// The violations of a deck without advice.
fn serious(violations: Vec<Violation>) -> Vec<String> {
    let serious: Vec<Violation> =
        violations.into_iter().filter(|one| one.severity != Severity::Warning).collect();
    let mut lines = outline(&serious);
    lines.sort_unstable();
    lines
}

proptest! {
    #[test]
    fn legal_decks_are_legal_however_they_are_written(legal in legal()) {
        let report = validate(&legal.deck(), &legal.pool(), &legal.format);
        prop_assert_eq!(report.status, ReportStatus::Legal);
        prop_assert_eq!(report.total, u64::from(legal.total()));
        prop_assert_eq!(serious(report.violations), Vec::<String>::new());
    }

    #[test]
    fn a_legal_deck_and_one_wrong_edit_give_that_rules_violation(legal in legal(), chance in 0_usize..10_000) {
        for (game, variant, edit, rule) in BREAKS {
            let own = legal.format.variant.as_deref();
            if *game != legal.game || variant.is_some_and(|variant| own != Some(variant)) {
                continue;
            }
            let Edited { deck, pool, mut faults } = edit.apply(&legal, rule, chance);
            let report = validate(&deck, &pool, &legal.format);
            faults.sort_unstable();
            prop_assert!(!report.is_legal(), "{:?}", edit);
            prop_assert_eq!(serious(report.violations), faults, "{:?} of {}", edit, game);
        }
    }
}

/// For every rule of a format there must be an edit that breaks it.
#[test]
fn every_rule_that_makes_decks_illegal_is_broken_by_some_edit() {
    for (game, format) in FORMATS.iter() {
        let broken = |id: &str| BREAKS.iter().any(|(own, .., rule)| own == game && *rule == id);
        for rule in &format.rules {
            match &rule.check {
                DeckCheck::AdviseAtLeast { .. } | DeckCheck::AdviseLadder { .. } => {}
                DeckCheck::CopyLimit { limits, max: None, .. } => {
                    for limit in limits {
                        assert!(broken(&limit.reference.rule), "{}", limit.reference.rule);
                    }
                }
                _ => assert!(broken(&rule.reference.rule), "{game}: {}", rule.reference.rule),
            }
        }
    }
}
