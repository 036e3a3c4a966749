//! A cache whose values are dropped when the change feed names them, and that refuses values which were read before a
//! change.

use std::hash::Hash;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use moka::sync::Cache;

use crate::domain::ids::CardId;
use crate::store::catalogue::changes::ChangeBatch;

/// A cache of bounded size whose values are dropped by changes.
pub(crate) struct DroppingCache<K, V> {
    /// Each value with the generation in which it was inserted.
    values: Cache<K, (u64, V)>,
    /// Rises with every drop. Locked while values are inserted or dropped.
    generation: Mutex<u64>,
    /// Values of older generations than this are not returned.
    oldest: AtomicU64,
}

/// A cache of `bytes` bytes; `weigh` returns the size of an entry, book-keeping included. Each value is stored with a number: its generation or version.
pub(crate) fn bounded_cache<K, V>(
    bytes: u64,
    weigh: impl Fn(&K, &V) -> usize + Send + Sync + 'static,
) -> Cache<K, (u64, V)>
where
    K: Hash + Eq + Send + Sync + 'static,
    V: Clone + Send + Sync + 'static,
{
    let weigh =
        move |key: &K, (_, value): &(u64, V)| u32::try_from(weigh(key, value)).unwrap_or(u32::MAX);
    Cache::builder().max_capacity(bytes).weigher(weigh).build()
}

/// A cache of bounded size for values that depend only on their key.
pub struct Weighed<K, V>(Cache<K, V>);

impl<K, V> Weighed<K, V>
where
    K: Hash + Eq + Send + Sync + 'static,
    V: Clone + Send + Sync + 'static,
{
    /// A cache of `bytes` bytes; `weigh` returns the size of an entry.
    pub fn new(bytes: u64, weigh: impl Fn(&K, &V) -> usize + Send + Sync + 'static) -> Self {
        let weigh = move |key: &K, value: &V| u32::try_from(weigh(key, value)).unwrap_or(u32::MAX);
        Self(Cache::builder().max_capacity(bytes).weigher(weigh).build())
    }

    /// The value of that key, if it is cached.
    pub fn find(&self, key: &K) -> Option<V> {
        self.0.get(key)
    }

    /// Caches a value.
    pub fn insert(&self, key: K, value: V) {
        self.0.insert(key, value);
    }
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
    /// A cache of `bytes` bytes: see [`bounded_cache`].
    pub(crate) fn new(bytes: u64, weigh: impl Fn(&K, &V) -> usize + Send + Sync + 'static) -> Self {
        Self {
            values: bounded_cache(bytes, weigh),
            generation: Mutex::new(1),
            oldest: AtomicU64::new(0),
        }
    }

    /// The value of that key, unless it was dropped.
    pub(crate) fn find<Q>(&self, key: &Q) -> Option<V>
    where
        K: std::borrow::Borrow<Q>,
        Q: Hash + Eq + ?Sized,
    {
        let oldest = self.oldest.load(Ordering::Acquire);
        self.values.get(key).filter(|(generation, _)| *generation >= oldest).map(|(_, value)| value)
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

    /// Like [`Self::keep`], for a value that contains the present one; `change` is called while nothing else is inserted or dropped.
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
            self.values.invalidate(key);
        }
    }

    /// Drops everything.
    pub(crate) fn forget_all(&self) {
        let mut generation = self.generation();
        *generation += 1;
        self.oldest.store(*generation, Ordering::Release);
        self.values.invalidate_all();
    }

    /// The size of all values in bytes.
    pub(crate) fn bytes(&self) -> u64 {
        self.values.run_pending_tasks();
        self.values.weighted_size()
    }

    /// Number of cached values.
    #[cfg(test)]
    pub(crate) fn count(&self) -> u64 {
        self.values.run_pending_tasks();
        self.values.entry_count()
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
