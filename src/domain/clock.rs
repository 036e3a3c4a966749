//! The clock. Nothing else reads the system time, so that tests can set it.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use cardscape_engine::Date;
use chrono::{DateTime, Datelike, Duration, Utc};

/// Tells the time: the machine's, or one that a test sets.
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

    /// Now, in microseconds: what Postgres can hold, so that a stored time reads back equal.
    pub fn now(&self) -> DateTime<Utc> {
        let now = Utc::now().timestamp_micros() + self.offset.load(Ordering::Relaxed);
        DateTime::from_timestamp_micros(now).unwrap_or_default()
    }

    /// Today, in UTC; `None` outside the years 1 to 9999.
    pub fn today(&self) -> Option<Date> {
        engine_date(&self.now())
    }

    /// Moves this clock and all its clones, for tests of what takes minutes or days.
    pub fn advance(&self, by: Duration) {
        self.offset.fetch_add(by.num_microseconds().unwrap_or(i64::MAX), Ordering::Relaxed);
    }
}

/// A day as the engine has it; `None` outside the years 1 to 9999.
pub fn engine_date(day: &impl Datelike) -> Option<Date> {
    Date::new(day.year().try_into().ok()?, day.month().try_into().ok()?, day.day().try_into().ok()?)
}
