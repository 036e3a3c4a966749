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

/// Converts a day to the engine's type; `None` outside the years 1 to 9999.
pub fn engine_date(day: &impl Datelike) -> Option<Date> {
    Date::new(day.year().try_into().ok()?, day.month().try_into().ok()?, day.day().try_into().ok()?)
}
