//! Points in time in queries.

use chrono::{DateTime, NaiveDate, NaiveTime, Utc};
use serde::Deserialize;

/// A time in RFC 3339, or a day, which means its start (UTC). In UTC, the years are -1 to 10000, which Postgres supports, too.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub struct Moment(pub DateTime<Utc>);

impl TryFrom<String> for Moment {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, &'static str> {
        const DAY: usize = "2026-11-21".len();
        let day = || {
            let day = NaiveDate::parse_from_str(&text, "%Y-%m-%d").ok();
            // The parser also accepts signs, spaces before numbers, and other numbers of digits.
            let is_plain = text.len() == DAY
                && text.starts_with(|c: char| c.is_ascii_digit())
                && text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-');
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
    use chrono::Datelike as _;

    use super::*;

    #[test]
    fn days_begin_at_midnight() {
        let moment =
            |text: &str| Moment::try_from(text.to_owned()).ok().map(|moment| moment.0.to_rfc3339());
        let midnight = Some("2026-11-21T00:00:00+00:00".to_owned());
        assert_eq!(moment("2026-11-21"), midnight);
        assert_eq!(moment("2026-11-21T00:00:00Z"), midnight);
        assert_eq!(moment("2026-11-21T02:00:00+02:00"), midnight);
        let year =
            |text: &str| Moment::try_from(text.to_owned()).ok().map(|moment| moment.0.year());
        assert_eq!(year("0000-01-01T00:00:00+23:59"), Some(-1));
        assert_eq!(year("9999-12-31T23:59:59-23:59"), Some(10_000));
        for bad in [
            "",
            "today",
            "2026-11-31",
            "2026-11-21T00:00:00",
            "2026-1-1",
            "+12026-11-2",
            "-026-11-21",
            "2026- 1-21",
            "2026-11-\t1",
            "2026- 1-21T00:00:00Z",
            "2026-11-21T 1:00:00Z",
            "1795280000",
        ] {
            assert_eq!(moment(bad), None, "{bad}");
        }
    }
}
