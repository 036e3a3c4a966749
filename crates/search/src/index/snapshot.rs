//! The index, its snapshots, and the questions that they answer.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use cardscape_engine::search_key;

use super::answer::{Count, Facets, Page};
use super::judge::{Judge, Years};
use super::names::{self, Alike, NamePlace, NameQuery, NamedCard, Suggestion, trigrams};
use super::pattern::Patterns;
use super::position::{After, Position};
use super::record::{CardRecord, Change};
use super::{naive, record};
use crate::{CardQuery, KnownTest, Predicate, SortKey};

/// Cards with content that only this asker may see. Each replaces what the index knows of the card with its id.
pub type View = [CardRecord];

/// Whether a query asks for counted submissions, which change without any change of the catalogue: only the database answers it. The index
/// takes them for unknown.
pub fn needs_progress(query: &CardQuery) -> bool {
    fn of(predicate: &Predicate) -> bool {
        match predicate {
            Predicate::All(parts) | Predicate::Any(parts) => parts.iter().any(of),
            Predicate::Known { test, .. } => matches!(test, KnownTest::Submissions(..)),
            Predicate::Content { .. } => false,
        }
    }
    query.sort == SortKey::Submissions || of(&query.predicate)
}

/// Makes an index of many cards.
#[derive(Debug, Default)]
pub struct Builder {
    index: Index,
}

impl Builder {
    /// An empty one.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a card; the order does not matter. Of several with one id the last counts.
    pub fn push(&mut self, card: CardRecord) {
        self.index.apply(vec![Change::Put(Box::new(card))]);
    }

    /// Notes when a set came out.
    pub fn released(&mut self, game: String, set: String, year: Option<i64>) {
        self.index.apply(vec![Change::Released { game, set, year }]);
    }

    /// The index.
    pub fn finish(self) -> Index {
        self.index
    }
}

/// The writer's side: puts changes in, and hands out snapshots.
#[derive(Clone, Debug, Default)]
pub struct Index {
    now: Arc<Snapshot>,
}

impl Index {
    /// The cards as they are now; costs nothing.
    pub fn snapshot(&self) -> Arc<Snapshot> {
        Arc::clone(&self.now)
    }

    /// Carries changes out, in their order; snapshots that were taken before do not see them. Doing one twice changes nothing.
    pub fn apply(&mut self, changes: Vec<Change>) {
        let now = Arc::make_mut(&mut self.now);
        for change in changes {
            match change {
                Change::Put(card) => {
                    now.cards.insert(card.id, Arc::from(card));
                }
                Change::Remove(id) => {
                    now.cards.remove(&id);
                }
                Change::Released { game, set, year: Some(year) } => {
                    now.years.insert((game, set), year);
                }
                Change::Released { game, set, year: None } => {
                    now.years.remove(&(game, set));
                }
            }
        }
    }
}

/// The cards as they were at one time.
#[derive(Clone, Debug, Default)]
pub struct Snapshot {
    cards: BTreeMap<u128, Arc<CardRecord>>,
    years: Years,
}

impl Snapshot {
    /// How many cards there are, hidden ones among them.
    pub fn cards(&self) -> usize {
        self.cards.len()
    }

    /// Memory in bytes, about.
    pub fn memory_bytes(&self) -> usize {
        let texts = |card: &CardRecord| {
            let words = card.content.as_ref().map_or(0, |content| 3 * content.words.all.len());
            size_of::<CardRecord>() + words
        };
        self.cards.values().map(|card| texts(card)).sum()
    }

    /// How many of them are hidden.
    pub fn hidden(&self) -> usize {
        self.cards.values().filter(|card| card.unlock == record::Unlock::Hidden).count()
    }

    fn seen<'s>(&'s self, view: &'s View) -> impl Iterator<Item = &'s CardRecord> + Clone {
        let own: BTreeSet<u128> = view.iter().map(|card| card.id).collect();
        let others = self.cards.values().map(AsRef::as_ref);
        others.filter(move |card: &&CardRecord| !own.contains(&card.id)).chain(view)
    }

    /// The entries of a list after a position, `limit` at most.
    pub fn search(
        &self,
        query: &CardQuery,
        view: &View,
        after: Option<&Position>,
        limit: usize,
    ) -> Page {
        let patterns = Patterns::of(query);
        let judge = Judge { query, years: &self.years, patterns: &patterns };
        let after = after.map(|position| After::new(query, position));
        let found = naive::list(self.seen(view), &judge, after.as_ref(), limit);
        Page {
            hits: found.into_iter().map(super::answer::Listed::into_hit).collect(),
            cut: patterns.is_incomplete(),
        }
    }

    /// How many entries the whole list has: exactly, up to `at_most`.
    pub fn count(&self, query: &CardQuery, view: &View, at_most: u64) -> Count {
        let patterns = Patterns::of(query);
        let judge = Judge { query, years: &self.years, patterns: &patterns };
        let entries = naive::count(self.seen(view), &judge);
        let cut = patterns.is_incomplete();
        Count { entries: entries.min(at_most), is_exact: entries <= at_most && !cut, cut }
    }

    /// One of the cards that fit and whose content the asker may see: by place the one with that number from 0, modulo how many there are.
    /// What the query says of order and printings does not count.
    pub fn random(&self, query: &CardQuery, view: &View, number: u64) -> Option<u128> {
        let query = &CardQuery { unique: crate::Unique::Cards, ..query.clone() };
        let patterns = Patterns::of(query);
        let judge = Judge { query, years: &self.years, patterns: &patterns };
        let found = naive::open(self.seen(view), &judge);
        let at = number.checked_rem(found.len() as u64)?;
        found.get(usize::try_from(at).ok()?).map(|card| card.id)
    }

    /// How many of the cards that fit, and whose content the asker may see, have which value: all, by kind, rarity, style and slot of
    /// effects, and by each of `attributes`.
    pub fn facets(&self, predicate: &Predicate, view: &View, attributes: &[&str]) -> Facets {
        let query = &CardQuery {
            predicate: predicate.clone(),
            sort: SortKey::Place,
            descending: false,
            unique: crate::Unique::Cards,
        };
        let patterns = Patterns::of(query);
        let judge = Judge { query, years: &self.years, patterns: &patterns };
        let mut tally = naive::Tally::new();
        for card in naive::open(self.seen(view), &judge) {
            naive::tally(card, attributes, &mut tally);
        }
        Facets { counts: naive::facet_counts(tally), cut: patterns.is_incomplete() }
    }

    /// Cards that may be meant by a name, the most alike first, [`MAX_NAMED`](super::MAX_NAMED) at most: those whose key is the same, and,
    /// if the query says so, those that have its words or a name like it.
    pub fn named(&self, place: NamePlace<'_>, query: &NameQuery, view: &View) -> Vec<NamedCard> {
        let typed = trigrams(&query.search_key);
        let cards = self.seen(view).filter(|card| place.holds(card));
        names::ranked(cards.filter_map(|card| Alike::new(query, &typed, card)).collect())
    }

    /// The cards of a game whose name has that key, by set and number.
    pub fn same_name(&self, game: &str, key: &str, view: &View) -> Vec<NamedCard> {
        let place = NamePlace { game: Some(game), set: None };
        let is_same = |card: &&CardRecord| {
            place.holds(card)
                && card.content.as_ref().is_some_and(|content| search_key(&content.name) == key)
        };
        let mut found: Vec<&CardRecord> = self.seen(view).filter(is_same).collect();
        found.sort_by(|one, other| naive::place(one).cmp(&naive::place(other)));
        let named = |card: &CardRecord| {
            Some(NamedCard {
                id: card.id,
                game: card.game.clone(),
                set: card.set.clone(),
                number: card.number.clone(),
                name: card.content.as_ref()?.name.clone(),
                has_words: false,
            })
        };
        found.into_iter().filter_map(named).collect()
    }

    /// Names that a typed one may become: first those that begin with it, then those with a word that does, then, if the query looks for
    /// near ones, those that contain it; each by the alphabet. A name that several cards have comes once.
    pub fn suggest_names(
        &self,
        game: Option<&str>,
        query: &NameQuery,
        view: &View,
        limit: usize,
    ) -> Vec<String> {
        let place = NamePlace { game, set: None };
        let cards = self.seen(view).filter(|card| place.holds(card));
        let found: BTreeSet<Suggestion> =
            cards.filter_map(|card| names::suggestion(query, card.content.as_ref()?)).collect();
        found.into_iter().take(limit).map(|(_, _, name)| name).collect()
    }

    /// The card at a place.
    pub fn at(&self, game: &str, set: &str, number: &str) -> Option<u128> {
        let is_there = |card: &&Arc<CardRecord>| {
            (card.game.as_str(), card.set.as_str(), card.number.as_str()) == (game, set, number)
        };
        self.cards.values().find(is_there).map(|card| card.id)
    }
}
