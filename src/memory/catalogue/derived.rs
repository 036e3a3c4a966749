//! What was made of the cards in memory, kept while they are the same.

use std::hash::Hash;

use moka::sync::Cache;

use crate::memory::kept::bounded;

/// Values by key, of so many bytes together, each with the version of the cards that it was made of.
pub(crate) struct Derived<K, V>(Cache<K, (u64, V)>);

impl<K, V> Derived<K, V>
where
    K: Hash + Eq + Send + Sync + 'static,
    V: Clone + Send + Sync + 'static,
{
    /// Room for so many bytes: see [`bounded`].
    pub(crate) fn new(bytes: u64, weigh: impl Fn(&K, &V) -> usize + Send + Sync + 'static) -> Self {
        Self(bounded(bytes, weigh))
    }

    /// What was made of the cards of that version.
    pub(crate) fn find(&self, key: &K, version: u64) -> Option<V> {
        self.0.get(key).filter(|(of, _)| *of == version).map(|(_, value)| value)
    }

    /// Keeps a value; `version` is of before it was made.
    pub(crate) fn keep(&self, key: K, version: u64, value: V) {
        self.0.insert(key, (version, value));
    }
}
