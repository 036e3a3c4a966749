//! Values kept in memory until a change drops them: what everything that follows the change feed has in common.

use std::hash::Hash;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use moka::sync::Cache;

/// Values by key, of so many bytes together.
pub(crate) struct Kept<K, V> {
    /// With the generation in which each was put in.
    values: Cache<K, (u64, V)>,
    /// Rises with everything that is dropped. Locked while something is put in or dropped.
    generation: Mutex<u64>,
    /// What was put in before this generation is not believed.
    oldest: AtomicU64,
}

/// A cache of so many bytes; `weigh` tells how many an entry takes, book-keeping included. Each value stands beside a number of whoever keeps it.
pub(crate) fn bounded<K, V>(
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

/// What a value must have that is to be kept: it was taken before the database was asked, and nothing was dropped since. A value that was
/// read before a change would else be put in after the change was dropped, and stay.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ticket(u64);

impl<K, V> Kept<K, V>
where
    K: Hash + Eq + Send + Sync + 'static,
    V: Clone + Send + Sync + 'static,
{
    /// Room for so many bytes: see [`bounded`].
    pub(crate) fn new(bytes: u64, weigh: impl Fn(&K, &V) -> usize + Send + Sync + 'static) -> Self {
        Self { values: bounded(bytes, weigh), generation: Mutex::new(1), oldest: AtomicU64::new(0) }
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

    /// To be taken before the database is asked for a value that is to be kept.
    pub(crate) fn ticket(&self) -> Ticket {
        Ticket(*self.generation())
    }

    /// Keeps a value, unless anything was dropped since the ticket.
    pub(crate) fn keep(&self, ticket: Ticket, key: K, value: V) {
        // Held until it is in: else it could be dropped in between.
        let generation = self.generation();
        if *generation == ticket.0 {
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

    /// Bytes that the values take now.
    pub(crate) fn bytes(&self) -> u64 {
        self.values.run_pending_tasks();
        self.values.weighted_size()
    }

    /// How many there are.
    #[cfg(test)]
    pub(crate) fn count(&self) -> u64 {
        self.values.run_pending_tasks();
        self.values.entry_count()
    }

    fn generation(&self) -> MutexGuard<'_, u64> {
        self.generation.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_read_before_anything_was_dropped_is_not_kept() {
        let kept = Kept::new(1 << 20, |_: &&str, _: &u8| 10);
        let early = kept.ticket();
        kept.keep(early, "one", 1);
        kept.keep(early, "other", 2);
        kept.forget(&["one"]);
        assert_eq!((kept.find("one"), kept.find("other")), (None, Some(2)));
        kept.keep(early, "one", 1);
        assert_eq!(kept.find("one"), None, "it was read before");
        kept.keep(kept.ticket(), "one", 3);
        assert_eq!(kept.find("one"), Some(3));
        kept.forget_all();
        assert_eq!((kept.find("one"), kept.find("other")), (None, None));
    }
}
