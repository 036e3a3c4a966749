//! A cache of values that are costly to count and may be some seconds old.

use std::hash::Hash;
use std::sync::Arc;
use std::time::Duration;

use moka::future::Cache;

/// Values by key, each cached for a fixed time.
///
/// Keys must name things that exist, or clients could fill the cache with made-up keys.
pub struct Recent<K, V>(Cache<K, V>);

impl<K, V> Recent<K, V>
where
    K: Hash + Eq + Send + Sync + 'static,
    V: Clone + Send + Sync + 'static,
{
    /// A cache of at most `most` values, each cached for `ttl`.
    pub fn new(most: u64, ttl: Duration) -> Self {
        Self(Cache::builder().max_capacity(most).time_to_live(ttl).build())
    }

    /// The cached value, if any.
    pub async fn find(&self, key: &K) -> Option<V> {
        self.0.get(key).await
    }

    /// The cached value, or the result of `make`, which is cached and shared by all callers that wait for it. Errors
    /// are not cached.
    pub async fn find_or<E>(&self, key: K, make: impl Future<Output = Result<V, E>>) -> Result<V, E>
    where
        E: Clone + Send + Sync + 'static,
    {
        self.0.try_get_with(key, make).await.map_err(|error: Arc<E>| E::clone(&error))
    }
}

/// A community statistic.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Statistic {
    /// Unlocks over time.
    Unlocks,
    /// Players with the most submissions.
    Leaders,
}
