//! What a report depends on, and what it does not.

use std::sync::Arc;

use cardscape_engine::{
    CardReference, Catalogue, Deck, DeckEntry, Fix, Resolution, name_key, parse_deck_text,
    render_deck_text, validate,
};
use proptest::prelude::*;
use proptest::sample::Index;

use super::generators::{judged, legal, spelled};
use crate::support::{GAMES, game, pool_card, shipped};

/// The deck with the line at `at` split in two. A line of one card cannot be split, because an empty line would be a violation.
fn cut(deck: &mut Deck, at: Index, size: Index) {
    let lines = deck.entries.len();
    let Some(line) = deck.entries.get_mut(at.index(lines.max(1))) else { return };
    if line.quantity > 1 {
        let mut part = line.clone();
        part.quantity = 1 + u32::try_from(size.index(line.quantity as usize - 1)).unwrap();
        line.quantity -= part.quantity;
        deck.entries.push(part);
    }
}

proptest! {
    #[test]
    fn the_order_of_lines_does_not_matter(
        ((game, format, deck), mixed) in judged().prop_flat_map(|judged| {
            let lines = Just(judged.2.entries.clone()).prop_shuffle();
            (Just(judged), lines)
        }),
    ) {
        let pool = shipped(game);
        prop_assert_eq!(validate(&Deck { entries: mixed }, &pool, &format), validate(&deck, &pool, &format));
    }

    #[test]
    fn cutting_a_line_in_two_does_not_matter(
        (game, format, deck) in judged(), at in any::<Index>(), size in any::<Index>(),
    ) {
        let pool = shipped(game);
        let mut halved = deck.clone();
        cut(&mut halved, at, size);
        prop_assert_eq!(validate(&halved, &pool, &format), validate(&deck, &pool, &format));
    }

    #[test]
    fn order_cuts_and_spelling_do_not_matter_to_legal_decks(
        (one, other) in legal().prop_flat_map(|legal| {
            let lines = Just(legal.deck().entries).prop_shuffle();
            (Just(legal), lines)
        }),
        cuts in proptest::collection::vec(any::<(Index, Index)>(), 0..9),
        spelling in any::<u32>(),
    ) {
        let pool = one.pool();
        let mut other = Deck { entries: other };
        for (at, size) in cuts {
            cut(&mut other, at, size);
        }
        for (line, chance) in other.entries.iter_mut().zip(spelling..) {
            let Resolution::Card(card) = pool.find(&line.card) else { panic!("{line:?}") };
            line.card = spelled(&card.set, &card.definition, chance);
        }
        prop_assert_eq!(validate(&other, &pool, &one.format), validate(&one.deck(), &pool, &one.format));
    }

    /// Copies of all rarities count together, in every game and for every rule, also for those that the deck breaks.
    #[test]
    fn the_rarity_mix_does_not_matter(
        (game, format, deck) in judged(), rarities in proptest::collection::vec(any::<Index>(), 40),
    ) {
        let pool = shipped(game);
        let mut plain = deck;
        // A rarity that does not exist is another violation, and an empty line is quoted as it is written.
        plain.entries.retain(|line| {
            line.quantity > 0 && matches!(pool.find(&line.card), Resolution::Card(_))
        });
        for line in &mut plain.entries {
            line.card.rarity = None;
        }
        let mut mixed = plain.clone();
        for (line, rarity) in mixed.entries.iter_mut().zip(rarities) {
            let Resolution::Card(card) = pool.find(&line.card) else { panic!("{line:?}") };
            let mut known: Vec<&String> =
                card.definition.printings.iter().map(|printing| &printing.rarity).collect();
            if known.is_empty() {
                known.push(&pool.game().base_rarity().code);
            }
            line.card.rarity = Some((*rarity.get(&known)).clone());
        }
        prop_assert_eq!(validate(&mixed, &pool, &format), validate(&plain, &pool, &format));
    }

    /// In any layers of pools a name means the first card with its key, in any spelling.
    #[test]
    fn names_are_found_by_their_keys_and_by_nothing_else(
        names in proptest::collection::vec("[aAé.’ -]{1,4}", 1..12), split in any::<Index>(), asked in "[aAé.’ -]{1,4}",
    ) {
        let cards: Vec<_> = names.iter().zip(1..).map(|(name, number)| {
            let mut card = shipped("emojito").iter().next().unwrap().definition.clone();
            card.name.clone_from(name);
            card.number = format!("{number}");
            pool_card("test", card)
        }).collect();
        let (base, extra) = cards.split_at(split.index(cards.len() + 1));
        let base = Catalogue::builder(&game("emojito")).extend(base.iter().cloned()).build();
        let pool = Catalogue::with_extra(Arc::new(base), extra.iter().cloned());
        for asked in names.iter().chain([&asked]) {
            let expected = cards.iter().find(|card| name_key(&card.definition.name) == name_key(asked));
            let expected = expected.map_or(Resolution::Unknown, Resolution::Card);
            prop_assert_eq!(pool.find(&CardReference::named(asked)), expected, "{:?}", asked);
        }
    }

    /// A report counts every card, known or not.
    #[test]
    fn all_cards_are_counted((game, format, deck) in judged()) {
        let report = validate(&deck, &shipped(game), &format);
        let total: u64 = deck.entries.iter().map(|line| u64::from(line.quantity)).sum();
        prop_assert_eq!(report.total, total);
        let zones = shipped(game).game().zones().len();
        prop_assert_eq!(report.counts.len(), zones);
        prop_assert!(report.counts.iter().map(|count| count.cards).sum::<u64>() <= total);
        prop_assert!(report.violations.is_sorted(), "in a fixed order");
    }

    #[test]
    fn the_fixes_of_a_box_make_it_legal(
        legal in legal().prop_filter("a box", |legal| legal.format.code.as_ref() == "box"),
        changes in proptest::collection::vec((any::<Index>(), 0_u32..9), 0..12),
    ) {
        let pool = legal.pool();
        let names = legal.cards.iter().map(|(at, _)| &pool.iter().nth(*at).unwrap().definition.name);
        let mut lines: Vec<DeckEntry> =
            names.zip(&legal.cards).map(|(name, (_, copies))| DeckEntry::main(*copies, name)).collect();
        for (at, quantity) in changes {
            let at = at.index(lines.len());
            lines[at].quantity = quantity;
        }
        lines.retain(|line| line.quantity > 0);
        let mut deck = Deck { entries: lines };
        for violation in validate(&deck, &pool, &legal.format).violations {
            match violation.fix {
                Some(Fix::AddCopies { name, quantity }) => {
                    deck.entries.push(DeckEntry::main(u32::try_from(quantity).unwrap(), name));
                }
                Some(Fix::RemoveCopies { name, quantity }) => {
                    let line = deck.entries.iter_mut().find(|line| line.card.name == name).unwrap();
                    line.quantity -= u32::try_from(quantity).unwrap();
                }
                _ => {}
            }
        }
        deck.entries.retain(|line| line.quantity > 0);
        prop_assert_eq!(validate(&deck, &pool, &legal.format).violations, vec![]);
    }

    #[test]
    fn every_deck_survives_its_text((_, _, deck) in judged()) {
        let parsed = parse_deck_text(&render_deck_text(&deck));
        prop_assert_eq!(parsed.faults, vec![]);
        prop_assert_eq!(parsed.deck, deck);
    }

    #[test]
    fn every_deck_survives_json((_, _, deck) in judged()) {
        let json = serde_json::to_string(&deck).unwrap();
        prop_assert_eq!(serde_json::from_str::<Deck>(&json).unwrap(), deck);
    }
}

/// The properties above would test little if the generators made no interesting decks.
#[test]
fn the_generators_reach_what_they_should() {
    use proptest::strategy::ValueTree;
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    let mut codes = std::collections::BTreeSet::new();
    for _ in 0..400 {
        let (game, format, deck) = judged().new_tree(&mut runner).unwrap().current();
        let report = validate(&deck, &shipped(game), &format);
        codes.extend(report.violations.iter().map(|one| one.code.as_str().to_owned()));
    }
    for code in [
        "BOX_CARD_EXTRA",
        "BOX_CARD_MISSING",
        "BOX_TOTAL_MISMATCH",
        "CARD_UNKNOWN",
        "COPY_LIMIT_EXCEEDED",
        "DECK_SIZE_ABOVE_MAX",
        "DECK_SIZE_BELOW_MIN",
        "ENTRY_COUNT_INVALID",
        "PRINTING_UNKNOWN",
        "UNREACHABLE_RANK",
        "UNREACHABLE_STAGE",
        "ZONE_UNKNOWN",
    ] {
        assert!(codes.contains(code), "no deck broke {code}");
    }
}

#[test]
fn reading_a_manifest_twice_gives_the_same() {
    for code in GAMES {
        let again = cardscape_engine::Game::from_toml(&crate::support::manifest(code)).unwrap();
        let (one, two) = (serde_json::to_string(&game(code)), serde_json::to_string(&again));
        assert_eq!(one.unwrap(), two.unwrap());
    }
}

/// A name that no card of the pool has stays unknown, whatever else the reference says.
#[test]
fn unknown_names_stay_unknown() {
    let reference = CardReference {
        set: Some("hearth".to_owned()),
        number: Some("001".to_owned()),
        ..CardReference::named("Nobody at All")
    };
    assert_eq!(shipped("ttcg").find(&reference), Resolution::Unknown);
}
