//! The index of all cards in memory, kept up to date by the change feed. Responses about open cards are cached in
//! [`super::card_cache`].
//!
//! An index that is behind the feed for longer than the `trust` of [`Catalogue::new`] is not used; the database answers
//! instead.

use std::hash::Hash;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use cardscape_engine::Date;
use metrics::Counter;

use super::clock::FeedClock;
use super::derived::VersionedCache;
use super::progress::Progress;
use crate::domain::code::Code;
use crate::memory::MemoryError;
use crate::memory::rendered::Rendered;
use crate::search::CardQuery;
use crate::search::index::{Releases, Snapshot, needs_progress};
use crate::store::Store;
use crate::store::collection::counts::TotalRow;

/// Key of counted facets. The revisions are in it because facets and the meaning of queries depend on the manifests.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct FacetsKey {
    pub game: Code,
    /// Revisions of the manifests of all games, by the games' codes.
    pub revisions: Vec<i64>,
    pub set: Option<Code>,
    /// The query.
    pub q: String,
    /// The date of the request, for terms such as `legal:` without a date in the query.
    pub today: Date,
}

/// Key of the totals of a set. The revision is in it because the manifest gives the order of rarities.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct TotalsKey {
    pub(crate) game: String,
    pub(crate) revision: i64,
    pub(crate) set: String,
}

/// Memory for facets, in bytes: in a game of a million cards an answer has 50 to 150 KB, because each value of a number is listed.
const FACETS: u64 = 16 * 1024 * 1024;
/// Memory for totals of sets, in bytes: some 2,000 sets.
const TOTALS: u64 = 4 * 1024 * 1024;

/// The index of all cards.
pub struct Catalogue {
    /// The published snapshot; `None`: the index is not built yet.
    now: RwLock<Option<Arc<Snapshot>>>,
    /// Rises whenever another snapshot is published.
    version: AtomicU64,
    clock: FeedClock,
    /// Facets, as anonymous clients may see them.
    facets: VersionedCache<FacetsKey, Rendered>,
    /// Totals of sets, as anonymous clients may see them.
    totals: VersionedCache<TotalsKey, Arc<[TotalRow]>>,
    progress: Progress,
    hits: Counter,
    misses: Counter,
}

impl Catalogue {
    /// `trust` is how long the index is used after the feed was read to its end.
    pub fn new(trust: Duration) -> Self {
        Self {
            now: RwLock::default(),
            version: AtomicU64::new(0),
            clock: FeedClock::new(trust),
            facets: VersionedCache::new(FACETS, |key: &FacetsKey, answer: &Rendered| {
                key.q.len() + answer.weight() + 1_200
            }),
            totals: VersionedCache::new(TOTALS, |_, rows: &Arc<[TotalRow]>| 600 + rows.len() * 140),
            progress: Progress::default(),
            hits: metrics::counter!("card_index_hits_total"),
            misses: metrics::counter!("card_index_misses_total"),
        }
    }

    /// A snapshot of all cards, if the index is built and current.
    pub fn cards(&self) -> Option<Arc<Snapshot>> {
        let found = self.clock.is_current().then(|| self.latest_cards()).flatten();
        if found.is_some() { &self.hits } else { &self.misses }.increment(1);
        found
    }

    /// All sets, if the index is built and current.
    pub(crate) fn sets(&self) -> Option<Arc<Releases>> {
        self.clock.is_current().then(|| self.latest_cards()).flatten().map(|cards| cards.sets())
    }

    /// Adds the counted submissions of cards to a snapshot, if the query needs them.
    pub(crate) async fn cards_for(
        &self,
        query: &CardQuery,
        cards: Arc<Snapshot>,
        store: &Store,
    ) -> Result<Arc<Snapshot>, MemoryError> {
        if !needs_progress(query) {
            return Ok(cards);
        }
        let is_published =
            |cards: &_| self.latest_cards().is_some_and(|now| Arc::ptr_eq(&now, cards));
        self.progress.add_to(cards, store, is_published).await
    }

    /// The published snapshot, however old.
    fn latest_cards(&self) -> Option<Arc<Snapshot>> {
        self.now.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// A number that rises with every published snapshot. A value that was derived from the cards is up to date as long
    /// as this number is the same as before the derivation.
    pub fn version(&self) -> u64 {
        self.version.load(Ordering::Acquire)
    }

    /// The cached facets, if the cards have not changed since.
    pub fn facets(&self, key: &FacetsKey) -> Option<Rendered> {
        if !self.clock.is_current() {
            return None;
        }
        self.facets.find(key, self.version())
    }

    /// Caches facets; `version` was read before they were counted.
    pub fn cache_facets(&self, key: FacetsKey, version: u64, answer: Rendered) {
        self.facets.insert(key, version, answer);
    }

    /// The totals of a set, if they were counted in that version.
    pub(crate) fn totals(&self, key: &TotalsKey, version: u64) -> Option<Arc<[TotalRow]>> {
        self.totals.find(key, version)
    }

    /// Caches the totals of a set; `version` was read before they were counted.
    pub(crate) fn cache_totals(&self, key: TotalsKey, version: u64, totals: Arc<[TotalRow]>) {
        self.totals.insert(key, version, totals);
    }

    /// A value that depends on all cards: the cached value if the cards have not changed since, otherwise a new one,
    /// which is cached.
    pub(crate) async fn find_or<K, V, E>(
        &self,
        cache: &VersionedCache<K, V>,
        key: K,
        make: impl Future<Output = Result<V, E>>,
    ) -> Result<V, E>
    where
        K: Hash + Eq + Send + Sync + 'static,
        V: Clone + Send + Sync + 'static,
    {
        if !self.clock.is_current() {
            return make.await;
        }
        let version = self.version();
        if let Some(value) = cache.find(&key, version) {
            return Ok(value);
        }
        let value = make.await?;
        cache.insert(key, version, value.clone());
        Ok(value)
    }

    /// How far the index has followed the feed.
    pub fn clock(&self) -> &FeedClock {
        &self.clock
    }

    /// Updates the metrics of the size and the age of the index.
    pub fn measure(&self) {
        let (cards, bytes) =
            self.latest_cards().map_or((0, 0), |now| (now.cards(), now.memory_bytes()));
        metrics::gauge!("card_index_cards")
            .set(f64::from(u32::try_from(cards).unwrap_or(u32::MAX)));
        metrics::gauge!("card_index_bytes")
            .set(f64::from(u32::try_from(bytes).unwrap_or(u32::MAX)));
        let lag = self.clock.lag().map_or(f64::INFINITY, |lag| lag.as_secs_f64());
        metrics::gauge!("card_index_behind_seconds").set(lag);
    }

    /// Removes the snapshot, and frees its memory for the next index.
    pub(crate) fn unpublish(&self) {
        let before = self.now.write().unwrap_or_else(PoisonError::into_inner).take();
        self.progress.forget_cards();
        self.version.fetch_add(1, Ordering::AcqRel);
        drop(before);
    }

    /// Publishes a snapshot.
    pub(crate) fn publish(&self, now: Arc<Snapshot>) {
        let before = self.now.write().unwrap_or_else(PoisonError::into_inner).replace(now);
        self.progress.forget_cards();
        // After the snapshot was replaced: a reader of the new version gets the new snapshot.
        self.version.fetch_add(1, Ordering::AcqRel);
        // Freeing the old snapshot may take a while, so it is done outside of the lock.
        drop(before);
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::time::Instant;

    use super::*;

    #[tokio::test]
    async fn a_value_is_computed_once_for_each_snapshot_and_always_while_the_index_is_behind() {
        let catalogue = Catalogue::new(Duration::from_hours(1));
        let cache = VersionedCache::new(1 << 10, |_: &u8, _: &u32| 1);
        let computed = Cell::new(0);
        let value = async || {
            let compute = async {
                computed.set(computed.get() + 1);
                Ok::<_, ()>(computed.get())
            };
            catalogue.find_or(&cache, 1, compute).await.unwrap()
        };
        assert_eq!((value().await, value().await), (1, 2), "the feed was never read");
        catalogue.publish(Arc::new(Snapshot::default()));
        catalogue.clock().advance_to(Instant::now());
        assert_eq!((value().await, value().await), (3, 3));
        catalogue.publish(Arc::new(Snapshot::default()));
        assert_eq!((value().await, value().await), (4, 4), "the cards may be others");
        catalogue.clock().reset();
        assert_eq!((value().await, value().await), (5, 6));
    }
}
