//! Caches of bounded size. One of them drops values when the change feed names them, and refuses values that were read before a change.
//!
//! Reading must cost next to nothing: a page of a list reads fifty values (`docs/decisions/0222-caches-that-are-read-without-book-keeping.md`).

use std::borrow::Borrow;
use std::hash::Hash;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use quick_cache::sync::{Cache, DefaultLifecycle};
use quick_cache::{DefaultHashBuilder, OptionsBuilder, Weighter};

use crate::domain::ids::CardId;
use crate::store::catalogue::changes::ChangeBatch;

/// Usual size of an entry in bytes. The cache remembers the keys of about half as many dropped entries as there is room for such ones.
const USUAL_ENTRY: u64 = 1024;

/// A cache is divided into shards with locks of their own. A larger entry than a shard is not cached, so a shard has at least this size in bytes, whatever the
/// number of cores: several times that of a long answer or of all pictures of a card.
const SMALLEST_SHARD: u64 = 4 << 20;
const MOST_SHARDS: usize = 64;

/// A cache of bounded size. Entries that are used seldom are dropped first.
pub struct Weighed<K, V>(Cache<K, V, Weigh<K, V>>);

/// Returns the size of an entry.
type SizeOf<K, V> = dyn Fn(&K, &V) -> usize + Send + Sync;

struct Weigh<K, V>(Arc<SizeOf<K, V>>);

impl<K, V> Clone for Weigh<K, V> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<K, V> Weighter<K, V> for Weigh<K, V> {
    fn weight(&self, key: &K, value: &V) -> u64 {
        // The cache would keep an entry without a size for ever.
        (self.0)(key, value).max(1).try_into().unwrap_or(u64::MAX)
    }
}

impl<K, V> Weighed<K, V>
where
    K: Hash + Eq + Send + Sync + 'static,
    V: Clone + Send + Sync + 'static,
{
    /// A cache of `bytes` bytes; `weigh` returns the size of an entry, book-keeping included. It must be quick, and must not change while the entry is cached.
    pub fn new(bytes: u64, weigh: impl Fn(&K, &V) -> usize + Send + Sync + 'static) -> Self {
        let count = |size| usize::try_from(bytes / size).unwrap_or(usize::MAX);
        let (usual, weigh) = (count(USUAL_ENTRY), Weigh(Arc::new(weigh)));
        let mut options = OptionsBuilder::new();
        options.weight_capacity(bytes).estimated_items_capacity(usual);
        // A power of two, as the cache wants it.
        options.shards(1 << count(SMALLEST_SHARD).clamp(1, MOST_SHARDS).ilog2());
        Self(match options.build() {
            Ok(options) => {
                let (hasher, lifecycle) =
                    (DefaultHashBuilder::default(), DefaultLifecycle::default());
                Cache::with_options(options, weigh, hasher, lifecycle)
            }
            // Both capacities were stated, so there are options.
            Err(_) => Cache::with_weighter(usual, bytes, weigh),
        })
    }

    /// The value of that key, if it is cached.
    pub fn find<Q>(&self, key: &Q) -> Option<V>
    where
        K: Borrow<Q>,
        Q: Hash + Eq + ?Sized,
    {
        self.0.get(key)
    }

    /// Caches a value, unless it is too large.
    pub fn insert(&self, key: K, value: V) {
        self.0.insert(key, value);
    }

    /// The size of all values in bytes.
    pub(crate) fn bytes(&self) -> u64 {
        self.0.weight()
    }
}

/// A cache of bounded size whose values are dropped by changes.
pub(crate) struct DroppingCache<K, V> {
    /// Each value with the generation in which it was inserted.
    values: Weighed<K, (u64, V)>,
    /// Rises with every drop. Locked while values are inserted or dropped.
    generation: Mutex<u64>,
    /// Values of older generations than this are not returned.
    oldest: AtomicU64,
}

/// Proves when a value was read: a ticket is taken before the database is read, and the value is cached only if nothing
/// was dropped since. Otherwise a value that was read before a change could be inserted after the drop, and stay.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Ticket(u64);

impl<K, V> DroppingCache<K, V>
where
    K: Hash + Eq + Send + Sync + 'static,
    V: Clone + Send + Sync + 'static,
{
    /// A cache of `bytes` bytes: see [`Weighed::new`].
    pub(crate) fn new(bytes: u64, weigh: impl Fn(&K, &V) -> usize + Send + Sync + 'static) -> Self {
        Self {
            values: Weighed::new(bytes, move |key, (_, value): &(u64, V)| weigh(key, value)),
            generation: Mutex::new(1),
            oldest: AtomicU64::new(0),
        }
    }

    /// The value of that key, unless it was dropped.
    pub(crate) fn find<Q>(&self, key: &Q) -> Option<V>
    where
        K: Borrow<Q>,
        Q: Hash + Eq + ?Sized,
    {
        let oldest = self.oldest.load(Ordering::Acquire);
        self.values
            .find(key)
            .filter(|(generation, _)| *generation >= oldest)
            .map(|(_, value)| value)
    }

    /// Takes a ticket; must be called before a value to cache is read from the database.
    pub(crate) fn ticket(&self) -> Ticket {
        Ticket(*self.generation())
    }

    /// Caches a value, unless anything was dropped since the ticket was taken.
    pub(crate) fn insert(&self, ticket: Ticket, key: K, value: V) {
        // The lock is held until the value is inserted: a drop between the check and the insertion would miss the
        // value.
        let generation = self.generation();
        if *generation == ticket.0 {
            self.values.insert(key, (*generation, value));
        }
    }

    /// Like [`Self::insert`], for a value that contains the present one; `change` is called while nothing else is inserted or dropped.
    pub(crate) fn insert_with(&self, ticket: Ticket, key: K, change: impl FnOnce(Option<V>) -> V) {
        let generation = self.generation();
        if *generation == ticket.0 {
            let value = change(self.find(&key));
            self.values.insert(key, (*generation, value));
        }
    }

    /// Drops the values of these keys.
    pub(crate) fn forget<'k>(&self, keys: impl IntoIterator<Item = &'k K>) {
        let mut generation = self.generation();
        *generation += 1;
        for key in keys {
            self.values.0.remove(key);
        }
    }

    /// Drops everything.
    pub(crate) fn forget_all(&self) {
        let mut generation = self.generation();
        *generation += 1;
        self.oldest.store(*generation, Ordering::Release);
        // Freeing the memory may take milliseconds, and needs only the locks of the shards. A value that is inserted meanwhile may be dropped, too.
        drop(generation);
        self.values.0.clear();
    }

    /// The size of all values in bytes.
    pub(crate) fn bytes(&self) -> u64 {
        self.values.bytes()
    }

    /// Number of cached values.
    #[cfg(test)]
    pub(crate) fn count(&self) -> usize {
        self.values.0.len()
    }

    fn generation(&self) -> MutexGuard<'_, u64> {
        self.generation.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<V: Clone + Send + Sync + 'static> DroppingCache<CardId, V> {
    /// Drops the cards that a batch of changes names. Drops all cards if changes may have been missed, if a card was moved or merged, or if
    /// `all_changed`.
    pub(crate) fn apply(&self, batch: &ChangeBatch, all_changed: bool) {
        if batch.is_broken || batch.some_went || all_changed {
            self.forget_all();
        } else if !batch.cards.is_empty() {
            self.forget(&batch.cards);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_of_a_quarter_of_a_shard_are_cached_and_memory_is_bounded() {
        let large = SMALLEST_SHARD / 4;
        for bytes in [SMALLEST_SHARD, 4 * SMALLEST_SHARD, 100 * SMALLEST_SHARD] {
            let cache = Weighed::new(bytes, |_: &u64, size: &u64| usize::try_from(*size).unwrap());
            for key in 0..1_000 {
                cache.insert(key, large);
                assert_eq!(cache.find(&key), Some(large));
            }
            let used = cache.bytes();
            assert!(used <= bytes && used > bytes / 2, "{used} of {bytes}");
            cache.insert(0, 2 * bytes);
            assert_eq!(cache.find(&0), None, "it is larger than the cache");
        }
        let none = Weighed::new(0, |_: &u8, _: &u8| 1);
        none.insert(1, 1);
        assert_eq!((none.find(&1), none.bytes()), (None, 0));
    }

    #[test]
    fn values_read_before_a_drop_are_not_cached() {
        let cache = DroppingCache::new(1 << 20, |_: &&str, _: &u8| 10);
        let early = cache.ticket();
        cache.insert(early, "one", 1);
        cache.insert(early, "other", 2);
        cache.forget(&["one"]);
        assert_eq!((cache.find("one"), cache.find("other")), (None, Some(2)));
        cache.insert(early, "one", 1);
        assert_eq!(cache.find("one"), None, "the value was read before the drop");
        cache.insert(cache.ticket(), "one", 3);
        assert_eq!(cache.find("one"), Some(3));
        cache.forget_all();
        assert_eq!((cache.find("one"), cache.find("other")), (None, None));
    }
}
