//! A cache of values that are derived from the cards in memory, valid for one version of them.

use std::hash::Hash;

use crate::memory::caches::Weighed;

/// A cache of bounded size; each value has the version of the cards that it was derived from.
pub(crate) struct VersionedCache<K, V>(Weighed<K, (u64, V)>);

impl<K, V> VersionedCache<K, V>
where
    K: Hash + Eq + Send + Sync + 'static,
    V: Clone + Send + Sync + 'static,
{
    /// A cache of `bytes` bytes: see [`Weighed::new`].
    pub(crate) fn new(bytes: u64, weigh: impl Fn(&K, &V) -> usize + Send + Sync + 'static) -> Self {
        Self(Weighed::new(bytes, move |key, (_, value): &(u64, V)| weigh(key, value)))
    }

    /// The value, if it was derived from that version.
    pub(crate) fn find(&self, key: &K, version: u64) -> Option<V> {
        self.0.find(key).filter(|(of, _)| *of == version).map(|(_, value)| value)
    }

    /// Caches a value; `version` was read before the value was computed.
    pub(crate) fn insert(&self, key: K, version: u64, value: V) {
        self.0.insert(key, (version, value));
    }
}
