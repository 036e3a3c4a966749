//! How far somebody is who follows the change feed.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use tokio::sync::watch;

/// Until when everything is known that was committed.
pub struct FeedClock {
    made: Instant,
    /// Microseconds since it was made; 0: nothing is known.
    known: AtomicU64,
    told: watch::Sender<u64>,
    trust: Duration,
}

impl FeedClock {
    /// `trust` is how long what is known is believed after the feed was read to its end.
    pub fn new(trust: Duration) -> Self {
        Self { made: Instant::now(), known: AtomicU64::new(0), told: watch::Sender::new(0), trust }
    }

    /// Everything is known that was committed before that moment, which was taken before the feed was read.
    pub fn is_known_until(&self, moment: Instant) {
        let micros = self.micros(moment);
        self.known.store(micros, Ordering::Release);
        self.told.send_replace(micros);
    }

    /// Nothing is known any more.
    pub fn forget(&self) {
        self.known.store(0, Ordering::Release);
        self.told.send_replace(0);
    }

    /// Whether what is known may be believed.
    pub fn is_current(&self) -> bool {
        self.behind().is_some_and(|behind| behind < self.trust)
    }

    /// How old the newest moment is until which everything is known; `None`: nothing is.
    pub fn behind(&self) -> Option<Duration> {
        let known = self.known.load(Ordering::Acquire);
        (known > 0).then(|| self.made.elapsed().saturating_sub(Duration::from_micros(known)))
    }

    /// As it is stored.
    fn micros(&self, moment: Instant) -> u64 {
        let micros = moment.saturating_duration_since(self.made).as_micros();
        u64::try_from(micros).unwrap_or(u64::MAX).max(1)
    }

    /// Completes when everything is known that was committed before this was called.
    pub async fn catch_up(&self) {
        let now = self.micros(Instant::now());
        // The sender lives as long as this.
        let _ = self.told.subscribe().wait_for(|known| *known >= now).await;
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt as _;

    use super::*;

    #[tokio::test]
    async fn who_is_behind_is_not_believed() {
        let clock = FeedClock::new(Duration::from_hours(1));
        assert!(!clock.is_current() && clock.behind().is_none());
        let before = Instant::now();
        let mut waiting = Box::pin(clock.catch_up());
        assert!(waiting.as_mut().now_or_never().is_none());
        clock.is_known_until(before);
        assert!(clock.is_current());
        clock.is_known_until(Instant::now() + Duration::from_secs(1));
        waiting.await;
        clock.forget();
        assert!(!clock.is_current());
        let impatient = FeedClock::new(Duration::ZERO);
        impatient.is_known_until(Instant::now());
        assert!(!impatient.is_current());
    }
}
