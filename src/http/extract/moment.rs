//! Points in time in queries.

use chrono::{DateTime, NaiveDate, NaiveTime, Utc};
use serde::Deserialize;

/// A time in RFC 3339, or a day, which means its start (UTC). The years are 0 to 9999, which Postgres supports, too.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub struct Moment(pub DateTime<Utc>);

impl TryFrom<String> for Moment {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, &'static str> {
        const DAY: usize = "2026-11-21".len();
        let day = || {
            let day = NaiveDate::parse_from_str(&text, "%Y-%m-%d").ok();
            // `%Y` also accepts signs and more digits.
            let is_plain = text.len() == DAY && text.starts_with(|c: char| c.is_ascii_digit());
            day.filter(|_| is_plain).map(|day| day.and_time(NaiveTime::MIN).and_utc())
        };
        let time = DateTime::parse_from_rfc3339(&text).ok().map(|time| time.to_utc());
        time.or_else(day).map(Self).ok_or(
            "must be a day such as 2026-11-21, or a time such as 2026-11-21T08:50:00Z (write + as %2B)",
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_begin_at_midnight() {
        let moment =
            |text: &str| Moment::try_from(text.to_owned()).ok().map(|moment| moment.0.to_rfc3339());
        let midnight = Some("2026-11-21T00:00:00+00:00".to_owned());
        assert_eq!(moment("2026-11-21"), midnight);
        assert_eq!(moment("2026-11-21T00:00:00Z"), midnight);
        assert_eq!(moment("2026-11-21T02:00:00+02:00"), midnight);
        for bad in [
            "",
            "today",
            "2026-11-31",
            "2026-11-21T00:00:00",
            "2026-1-1",
            "+12026-11-2",
            "-026-11-21",
            "1795280000",
        ] {
            assert_eq!(moment(bad), None, "{bad}");
        }
    }
}
