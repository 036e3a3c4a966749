//! A cache of values that are costly to count and may be some seconds old.

use std::hash::Hash;
use std::pin::pin;
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

    /// Like [`Self::find_or`], but callers that waited do not fail with an error that concerns only the caller for which
    /// the value was made (`is_personal`), such as a refusal of its network: then one of them makes the value.
    pub async fn find_or_make_own<E>(
        &self,
        key: K,
        make: impl Future<Output = Result<V, E>>,
        is_personal: impl Fn(&E) -> bool,
    ) -> Result<V, E>
    where
        K: Clone,
        E: Clone + Send + Sync + 'static,
    {
        let mut make = pin!(make);
        loop {
            let mut is_maker = false;
            let shared = async {
                is_maker = true;
                make.as_mut().await
            };
            let found = self.find_or(key.clone(), shared).await;
            match found {
                Err(error) if !is_maker && is_personal(&error) => {}
                found => return found,
            }
        }
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

#[cfg(test)]
mod tests {
    use futures_util::FutureExt as _;
    use tokio::sync::oneshot;

    use super::*;

    #[tokio::test]
    async fn an_error_that_concerns_one_caller_is_not_shared() {
        for is_personal in [true, false] {
            let recent = Recent::new(8, Duration::from_mins(1));
            let (refuse, refused) = oneshot::channel::<()>();
            let first = async {
                refused.await.unwrap();
                Err::<u32, _>("refused")
            };
            let mut first = Box::pin(recent.find_or_make_own("key", first, |_| is_personal));
            assert!(first.as_mut().now_or_never().is_none());
            let second = async { Ok::<_, &str>(7) };
            let mut second = Box::pin(recent.find_or_make_own("key", second, |_| is_personal));
            assert!(second.as_mut().now_or_never().is_none(), "it waits for the first");
            refuse.send(()).unwrap();
            assert_eq!(first.await, Err("refused"));
            assert_eq!(second.await, if is_personal { Ok(7) } else { Err("refused") });
        }
    }

    #[tokio::test]
    async fn a_caller_that_waits_for_several_others_shares_none_of_their_errors() {
        let recent = Recent::new(8, Duration::from_mins(1));
        let (refuse_first, first_refused) = oneshot::channel::<()>();
        let (refuse_second, second_refused) = oneshot::channel::<()>();
        let (signal, is_made) = oneshot::channel::<()>();
        let first = async {
            first_refused.await.unwrap();
            Err::<u32, _>("first")
        };
        let mut first = Box::pin(recent.find_or_make_own("key", first, |_| true));
        assert!(first.as_mut().now_or_never().is_none());
        let second = async {
            signal.send(()).unwrap();
            second_refused.await.unwrap();
            Err::<u32, _>("second")
        };
        let mut second = Box::pin(recent.find_or_make_own("key", second, |_| true));
        assert!(second.as_mut().now_or_never().is_none(), "it waits for the first");
        let third = async { Ok::<_, &str>(7) };
        let mut third = Box::pin(recent.find_or_make_own("key", third, |_| true));
        assert!(third.as_mut().now_or_never().is_none(), "it waits for the first");
        refuse_first.send(()).unwrap();
        assert_eq!(first.await, Err("first"));
        tokio::select! {
            found = &mut second => panic!("the second one is not refused yet: {found:?}"),
            signalled = is_made => signalled.unwrap(),
        }
        assert!(third.as_mut().now_or_never().is_none(), "it waits for the second");
        refuse_second.send(()).unwrap();
        assert_eq!(second.await, Err("second"));
        assert_eq!(third.await, Ok(7));
    }
}
