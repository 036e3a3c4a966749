//! The catalogue as this process keeps it in memory, by the change feed: an index of all cards, and the answers about open ones
//! ([`super::card_cache`]).
//!
//! Whoever is behind the feed for longer than the time of trust believes nothing that it keeps, and asks the database.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use cardscape_engine::Date;
use metrics::Counter;

use super::clock::FeedClock;
use super::derived::Derived;
use super::progress::Progress;
use crate::domain::code::Code;
use crate::memory::MemoryError;
use crate::memory::rendered::Rendered;
use crate::search::CardQuery;
use crate::search::index::{Releases, Snapshot, needs_progress};
use crate::store::Store;
use crate::store::collection::counts::TotalRow;

/// Which cards were counted. Manifests of other revisions have other facets, and read queries in another way.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct FacetsKey {
    /// Code of the game.
    pub game: Code,
    /// Revisions of the manifests of all games, by the games' codes.
    pub revisions: Vec<i64>,
    /// Code of the set.
    pub set: Option<Code>,
    /// The query.
    pub q: String,
    /// Today: the day for `legal:` and the like where the query names none.
    pub today: Date,
}

/// Which set was counted. Another revision of the manifest may have rarities in another order.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct TotalsKey {
    pub(crate) game: String,
    pub(crate) revision: i64,
    pub(crate) set: String,
}

/// Memory for counts of values, in bytes.
const FACETS: u64 = 4 * 1024 * 1024;
/// Memory for totals of sets, in bytes: some 2,000 sets.
const TOTALS: u64 = 4 * 1024 * 1024;

/// The index of all cards.
pub struct Catalogue {
    /// As it is now; `None`: it is not there yet.
    now: RwLock<Option<Arc<Snapshot>>>,
    /// Rises with every change that shows.
    version: AtomicU64,
    clock: FeedClock,
    /// Counts of values, as strangers get them.
    facets: Derived<FacetsKey, Rendered>,
    /// How much there is of sets, as strangers may know it.
    totals: Derived<TotalsKey, Arc<[TotalRow]>>,
    progress: Progress,
    hits: Counter,
    misses: Counter,
}

impl Catalogue {
    /// `trust` is how long the index is believed after the feed was read to its end.
    pub fn new(trust: Duration) -> Self {
        Self {
            now: RwLock::default(),
            version: AtomicU64::new(0),
            clock: FeedClock::new(trust),
            facets: Derived::new(FACETS, |key: &FacetsKey, answer: &Rendered| {
                key.q.len() + answer.weight() + 1_200
            }),
            totals: Derived::new(TOTALS, |_, rows: &Arc<[TotalRow]>| 600 + rows.len() * 140),
            progress: Progress::default(),
            hits: metrics::counter!("card_index_hits_total"),
            misses: metrics::counter!("card_index_misses_total"),
        }
    }

    /// All cards, if they are there and can be believed: as they were within the time of trust. What is taken does not change.
    pub fn cards(&self) -> Option<Arc<Snapshot>> {
        let found = self.clock.is_current().then(|| self.any_cards()).flatten();
        if found.is_some() { &self.hits } else { &self.misses }.increment(1);
        found
    }

    /// The sets that there are, from memory.
    pub(crate) fn sets(&self) -> Option<Arc<Releases>> {
        self.clock.is_current().then(|| self.any_cards()).flatten().map(|cards| cards.sets())
    }

    /// The same with what a query asks for beside them: the counted submissions of cards.
    pub(crate) async fn cards_for(
        &self,
        query: &CardQuery,
        cards: Arc<Snapshot>,
        store: &Store,
    ) -> Result<Arc<Snapshot>, MemoryError> {
        if !needs_progress(query) {
            return Ok(cards);
        }
        let are_shown = |cards: &_| self.any_cards().is_some_and(|now| Arc::ptr_eq(&now, cards));
        self.progress.added_to(cards, store, are_shown).await
    }

    /// All cards, if they are there, however old.
    fn any_cards(&self) -> Option<Arc<Snapshot>> {
        self.now.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Another number after every change that shows: what was made of the cards is as they are if the number was the same before it was made.
    pub fn version(&self) -> u64 {
        self.version.load(Ordering::Acquire)
    }

    /// The counts of values that were kept, if the cards are still the same.
    pub fn facets(&self, key: &FacetsKey) -> Option<Rendered> {
        if !self.clock.is_current() {
            return None;
        }
        self.facets.find(key, self.version())
    }

    /// Keeps counts of values; `version` is of before they were counted.
    pub fn keep_facets(&self, key: FacetsKey, version: u64, answer: Rendered) {
        self.facets.keep(key, version, answer);
    }

    /// How much there is of a set, if that was counted in the cards of that version.
    pub(crate) fn totals(&self, key: &TotalsKey, version: u64) -> Option<Arc<[TotalRow]>> {
        self.totals.find(key, version)
    }

    /// Keeps how much there is of a set; `version` is of before it was counted.
    pub(crate) fn keep_totals(&self, key: TotalsKey, version: u64, totals: Arc<[TotalRow]>) {
        self.totals.keep(key, version, totals);
    }

    /// How far the index is.
    pub fn clock(&self) -> &FeedClock {
        &self.clock
    }

    /// Tells `/metrics` how large the index is, and how old.
    pub fn measure(&self) {
        let (cards, bytes) =
            self.any_cards().map_or((0, 0), |now| (now.cards(), now.memory_bytes()));
        metrics::gauge!("card_index_cards")
            .set(f64::from(u32::try_from(cards).unwrap_or(u32::MAX)));
        metrics::gauge!("card_index_bytes")
            .set(f64::from(u32::try_from(bytes).unwrap_or(u32::MAX)));
        let behind = self.clock.behind().map_or(f64::INFINITY, |behind| behind.as_secs_f64());
        metrics::gauge!("card_index_behind_seconds").set(behind);
    }

    /// From now on there are none: nobody may use them any more, and their memory is wanted for the next.
    pub(crate) fn hide(&self) {
        let before = self.now.write().unwrap_or_else(PoisonError::into_inner).take();
        self.progress.forget_cards();
        self.version.fetch_add(1, Ordering::AcqRel);
        drop(before);
    }

    /// From now on the cards are so.
    pub(crate) fn show(&self, now: Arc<Snapshot>) {
        let before = self.now.write().unwrap_or_else(PoisonError::into_inner).replace(now);
        self.progress.forget_cards();
        // After the change: whoever has read the new number has the new cards.
        self.version.fetch_add(1, Ordering::AcqRel);
        // Perhaps much memory, given back outside of the lock.
        drop(before);
    }
}
