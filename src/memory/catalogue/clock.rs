//! How far a reader of the change feed has read.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use tokio::sync::watch;

/// The moment up to which all committed changes are known.
pub struct FeedClock {
    started: Instant,
    /// In microseconds after `started`; 0: nothing is known.
    known: AtomicU64,
    /// `known` is valid only if it is later than this moment, in the same unit.
    invalidated_at: AtomicU64,
    published: watch::Sender<u64>,
    trust: Duration,
}

impl FeedClock {
    /// `trust` is how long the reader counts as current after it read the feed to its end.
    pub fn new(trust: Duration) -> Self {
        Self {
            started: Instant::now(),
            known: AtomicU64::new(0),
            invalidated_at: AtomicU64::new(0),
            published: watch::Sender::new(0),
            trust,
        }
    }

    /// Records that everything committed before `moment` is known; `moment` must be taken before the feed was read.
    pub fn advance_to(&self, moment: Instant) {
        let micros = self.micros(moment);
        self.known.store(micros, Ordering::Release);
        self.published.send_replace(micros);
    }

    /// Records that nothing is known, until the next [`advance_to`](Self::advance_to).
    pub fn reset(&self) {
        self.known.store(0, Ordering::Release);
        self.published.send_replace(0);
    }

    /// Records that something was committed just now: the reader counts as current only after it has read the feed once
    /// more.
    pub fn invalidate(&self) {
        // Concurrent calls may come here in another order than that of their moments: the latest counts.
        self.invalidated_at.fetch_max(self.micros(Instant::now()), Ordering::AcqRel);
    }

    /// Whether the feed was read to its end within the time `trust`.
    pub fn is_current(&self) -> bool {
        self.lag().is_some_and(|lag| lag < self.trust)
    }

    /// The age of the moment up to which everything is known; `None`: nothing is known, or there was an
    /// [`invalidate`](Self::invalidate) since.
    pub fn lag(&self) -> Option<Duration> {
        let known = self.known.load(Ordering::Acquire);
        (known > self.invalidated_at.load(Ordering::Acquire))
            .then(|| self.started.elapsed().saturating_sub(Duration::from_micros(known)))
    }

    /// Converts a moment to the stored form.
    fn micros(&self, moment: Instant) -> u64 {
        let micros = moment.saturating_duration_since(self.started).as_micros();
        u64::try_from(micros).unwrap_or(u64::MAX).max(1)
    }

    /// Completes when everything that was committed before this call is known.
    pub async fn catch_up(&self) {
        let now = self.micros(Instant::now());
        // Waiting cannot fail, because `self` owns the sender.
        let _ = self.published.subscribe().wait_for(|known| *known >= now).await;
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt as _;

    use super::*;

    #[tokio::test]
    async fn a_reader_that_is_behind_is_not_current() {
        let clock = FeedClock::new(Duration::from_hours(1));
        assert!(!clock.is_current() && clock.lag().is_none());
        let before = Instant::now();
        let mut waiting = Box::pin(clock.catch_up());
        assert!(waiting.as_mut().now_or_never().is_none());
        clock.advance_to(before);
        assert!(clock.is_current());
        clock.advance_to(Instant::now() + Duration::from_secs(1));
        waiting.await;
        clock.reset();
        assert!(!clock.is_current());
        let before = Instant::now();
        clock.invalidate();
        clock.advance_to(before);
        assert!(!clock.is_current(), "the feed was read before the call");
        clock.advance_to(Instant::now() + Duration::from_secs(1));
        assert!(clock.is_current());
        let impatient = FeedClock::new(Duration::ZERO);
        impatient.advance_to(Instant::now());
        assert!(!impatient.is_current());
    }

    #[test]
    fn an_earlier_call_does_not_undo_a_later_one() {
        let clock = FeedClock::new(Duration::from_hours(1));
        let (soon, later) = (Duration::from_mins(1), Duration::from_mins(2));
        let now = Instant::now();
        clock.invalidated_at.store(clock.micros(now + later), Ordering::Release);
        clock.invalidate();
        clock.advance_to(now + soon);
        assert!(!clock.is_current(), "the feed was read before the later call");
    }
}
