//! Pages of regular expressions that use up their budget.

use cardscape_engine::Effect;
use serde_json::{Map, Value};

use super::{
    Builder, CardContent, CardRecord, Change, EffectTags, Hit, Index, Page, Position,
    PrintingRecord, Snapshot, Unlock, View,
};
use crate::{CardQuery, Place, Predicate, SortKey, Test, Unique, Words};

fn card(id: u128) -> CardRecord {
    let word = if id.is_multiple_of(13) { "card" } else { "turn" };
    let text = format!("Discard {} one more {word}.", "the next of them ".repeat(3));
    let effects = [Effect { style: None, slot: None, text }];
    // The values of the first cards are too many for a set each.
    let level = if id < 300 { id % 9 } else { id % 4 };
    let attributes: Map<String, Value> =
        [("level".to_owned(), level.to_string().into())].into_iter().collect();
    let printing = |(rarity, tier): (&str, i16)| PrintingRecord {
        rarity: rarity.to_owned(),
        tier,
        attributes: Map::new(),
    };
    CardRecord {
        id,
        game: "aa".to_owned(),
        set: if id.is_multiple_of(2) { "one".to_owned() } else { "two".to_owned() },
        number: if id.is_multiple_of(5) { format!("P-{id}") } else { format!("{:05}", id / 2) },
        unlock: if id % 10 == 3 { Unlock::Hidden } else { Unlock::Never },
        content: Some(CardContent {
            name: format!("Card {}", id % 7),
            kind: if id.is_multiple_of(3) { "unit".to_owned() } else { "spell".to_owned() },
            attributes,
            effects: vec![EffectTags::default()],
            has_lore: false,
            words: Words::of("Card", &effects, None, &Map::new()),
            printings: [("common", 1), ("rare", 2)].map(printing).to_vec(),
        }),
    }
}

fn position(hit: &Hit) -> Position {
    Position {
        key: hit.key.clone(),
        game: hit.game.to_string(),
        set: hit.set.to_string(),
        number: hit.number.clone(),
        tier: hit.tier,
    }
}

/// An index with two segments, and the hidden cards, which the requester holds.
fn index() -> (Index, Vec<CardRecord>) {
    let is_hidden = |card: &CardRecord| card.unlock == Unlock::Hidden;
    let indexed = |id: u128| {
        let card = card(id);
        let content = card.content.clone().filter(|_| !is_hidden(&card));
        CardRecord { content, ..card }
    };
    let mut builder = Builder::new();
    (0..300).for_each(|id| builder.push(indexed(id)));
    let mut index = builder.finish();
    index.apply((300..400).map(|id| Change::Put(Box::new(indexed(id)))).collect());
    assert_eq!(index.snapshot().parts.len(), 2);
    (index, (0..400).map(card).filter(is_hidden).collect())
}

/// The cards whose text fits a costly pattern: one in thirteen.
fn costly(sort: SortKey, descending: bool, unique: Unique) -> CardQuery {
    let pattern = "discard[^|]{50,70}card".to_owned();
    let predicate = Predicate::content(Test::Regex(Place::Effects, pattern));
    CardQuery { predicate, sort, descending, unique }
}

/// The entries of a list, and the number of its pages that ended early.
fn walk(
    cards: &Snapshot,
    view: &View,
    query: &CardQuery,
    budget: u64,
    limit: usize,
) -> (Vec<(u128, i16)>, usize) {
    let (mut found, mut early) = (Vec::new(), 0);
    let mut after: Option<Position> = None;
    loop {
        let Page { hits, cut, tested_to } =
            cards.search_within(budget, query, view, after.as_ref(), limit);
        assert!(!cut, "{query:?}");
        early += usize::from(tested_to.is_some());
        let is_last = hits.len() < limit && tested_to.is_none();
        after = tested_to.or_else(|| hits.last().map(position));
        found.extend(hits.iter().map(|hit| (hit.card, hit.tier)));
        if is_last {
            return (found, early);
        }
    }
}

#[test]
fn a_list_goes_on_after_a_page_that_used_up_its_budget() {
    let (index, view) = index();
    let cards = index.snapshot();
    let mut queries = Vec::new();
    for sort in [SortKey::Place, SortKey::Name, SortKey::Number, SortKey::Kind] {
        for descending in [false, true] {
            for unique in [Unique::Cards, Unique::Printings] {
                queries.push(costly(sort.clone(), descending, unique));
            }
        }
    }
    for query in queries {
        let many = if query.unique == Unique::Cards { 31 } else { 62 };
        let (all, early) = walk(&cards, &view, &query, u64::MAX, 1_000);
        assert_eq!((all.len(), early), (many, 0));
        for limit in [1, 5, 20, 200] {
            let (found, early) = walk(&cards, &view, &query, 300_000, limit);
            assert_eq!(found, all, "{limit}, {query:?}");
            assert!(early > 0 || limit < 20, "{limit}, {query:?}");
        }
    }
}

#[test]
fn a_small_segment_leaves_most_of_its_share_of_the_budget_to_the_large_one() {
    let mut builder = Builder::new();
    let open = (0..300).map(card).filter(|card| card.unlock == Unlock::Never);
    open.for_each(|card| builder.push(card));
    let mut index = builder.finish();
    let query = costly(SortKey::Place, false, Unique::Cards);
    let ends_early = |index: &Index, budget: u64| {
        index.snapshot().search_within(budget, &query, &[], None, 1_000).tested_to.is_some()
    };
    let mut budgets = std::iter::successors(Some(100_000_u64), |budget| Some(budget + budget / 10));
    let enough = budgets.find(|budget| !ends_early(&index, *budget)).unwrap();
    index.apply(vec![Change::Put(Box::new(card(300)))]);
    assert_eq!(index.snapshot().parts.len(), 2);
    assert!(!ends_early(&index, enough + enough / 4));
}

#[test]
fn an_expression_that_was_not_compiled_finds_nothing_also_if_it_is_negated() {
    let (index, view) = index();
    let cards = index.snapshot();
    // All effects fit the second one, and no card has the attribute.
    let motto = Place::Attribute { attribute: "motto".to_owned(), per_printing: false };
    for (place, without_second) in [(Place::Effects, 0), (motto, 400)] {
        let without = |pattern: &str| {
            Predicate::content(Test::Regex(place.clone(), pattern.to_owned())).negated()
        };
        // Both together have too many states.
        let (first, second) = (without("(?:a{50}){70}"), without("(?:b{50}){11}|card"));
        let both = vec![first.clone(), second.clone()];
        for (predicate, many, cut) in [
            (first, 400, false),
            (second, without_second, false),
            (Predicate::All(both.clone()), 0, true),
            (Predicate::Any(both), 400, true),
        ] {
            let (sort, unique) = (SortKey::Place, Unique::Cards);
            let query = CardQuery { predicate, sort, descending: false, unique };
            let page = cards.search_within(u64::MAX, &query, &view, None, 500);
            assert_eq!((page.hits.len(), page.cut), (many, cut), "{query:?}");
        }
    }
}

#[test]
fn a_page_that_misses_cards_of_one_segment_says_so() {
    let (index, view) = index();
    let cards = index.snapshot();
    // Only the second segment can test its cards in this order.
    let values = ["3", "1", "0", "2"].map(str::to_owned).to_vec();
    let sort = SortKey::Choice { attribute: "level".to_owned(), values };
    let query = costly(sort, false, Unique::Cards);
    for limit in [1, 200] {
        let page = cards.search_within(300_000, &query, &view, None, limit);
        assert!(page.cut, "{limit}");
        assert_eq!(page.tested_to.is_some(), limit > 1);
    }
    let whole = cards.search_within(u64::MAX, &query, &view, None, 200);
    assert_eq!((whole.hits.len(), whole.cut, whole.tested_to), (31, false, None));
}
