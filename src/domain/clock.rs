//! The clock. Nothing else reads the system time, so that tests can set it.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use cardscape_engine::Date;
use chrono::{DateTime, Datelike, Duration, Utc};

/// The source of the current time: the machine's time, or a time that a test sets.
#[derive(Clone, Debug, Default)]
pub struct Clock {
    /// Microseconds to add to the machine's time; shared by all clones.
    offset: Arc<AtomicI64>,
}

impl Clock {
    /// The machine's own time.
    pub fn system() -> Self {
        Self::default()
    }

    /// The current time in microseconds, the precision of Postgres, so that a stored time is read back unchanged.
    pub fn now(&self) -> DateTime<Utc> {
        let now = Utc::now().timestamp_micros() + self.offset.load(Ordering::Relaxed);
        DateTime::from_timestamp_micros(now).unwrap_or_default()
    }

    /// Today, in UTC; `None` outside the years 1 to 9999.
    pub fn today(&self) -> Option<Date> {
        engine_date(&self.now())
    }

    /// Advances this clock and all its clones, for tests of time spans of minutes or days.
    pub fn advance(&self, by: Duration) {
        self.offset.fetch_add(by.num_microseconds().unwrap_or(i64::MAX), Ordering::Relaxed);
    }
}

/// The seconds from `now` until `end`, at least 1, rounded up: a client that waits as long must not be too early.
pub fn seconds_until(end: DateTime<Utc>, now: DateTime<Utc>) -> u32 {
    let left = end - now;
    let seconds = left.num_seconds() + i64::from(left.subsec_nanos() > 0);
    u32::try_from(seconds.max(1)).unwrap_or(u32::MAX)
}

/// Converts a day to the engine's type; `None` outside the years 1 to 9999.
pub fn engine_date(day: &impl Datelike) -> Option<Date> {
    Date::new(day.year().try_into().ok()?, day.month().try_into().ok()?, day.day().try_into().ok()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_seconds_to_wait_are_rounded_up() {
        let end = "2026-11-21T21:00:00Z".parse().unwrap();
        let left = |now: &str| seconds_until(end, now.parse().unwrap());
        assert_eq!(left("2026-11-21T20:59:00Z"), 60);
        assert_eq!(left("2026-11-21T20:58:59.999999Z"), 61);
        assert_eq!(left("2026-11-21T20:59:00.000001Z"), 60);
        for now in ["2026-11-21T20:59:59.5Z", "2026-11-21T21:00:00Z", "2026-11-22T00:00:00.5Z"] {
            assert_eq!(left(now), 1, "{now}");
        }
    }
}
