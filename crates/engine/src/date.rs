//! Calendar dates of formats, limit lists and sets.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use thiserror::Error;

/// A day of the proleptic Gregorian calendar, written `2026-11-01`.
///
/// The engine has no clock: "today" is always passed in by the caller.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Date {
    year: u16,
    month: u8,
    day: u8,
}

/// The text is not an existing day in the form `YYYY-MM-DD`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("expected an existing day in the form YYYY-MM-DD")]
pub struct DateError;

impl Date {
    /// A date of the years 1 to 9999, or `None` when there is no such day.
    pub fn new(year: u16, month: u8, day: u8) -> Option<Self> {
        let leap =
            year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
        let days = match month {
            1 | 3 | 5 | 7 | 8 | 10 | 12 => 31,
            4 | 6 | 9 | 11 => 30,
            2 => 28 + u8::from(leap),
            _ => return None,
        };
        ((1..=9999).contains(&year) && (1..=days).contains(&day)).then_some(Self {
            year,
            month,
            day,
        })
    }
}

impl FromStr for Date {
    type Err = DateError;

    fn from_str(text: &str) -> Result<Self, DateError> {
        let bytes = text.as_bytes();
        let shaped = bytes.len() == 10
            && bytes.iter().enumerate().all(|(at, byte)| match at {
                4 | 7 => *byte == b'-',
                _ => byte.is_ascii_digit(),
            });
        if !shaped {
            return Err(DateError);
        }
        let year = text[0..4].parse().map_err(|_| DateError)?;
        let month = text[5..7].parse().map_err(|_| DateError)?;
        let day = text[8..10].parse().map_err(|_| DateError)?;
        Self::new(year, month, day).ok_or(DateError)
    }
}

impl fmt::Display for Date {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:04}-{:02}-{:02}", self.year, self.month, self.day)
    }
}

impl Serialize for Date {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Date {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_existing_days_parse() {
        assert_eq!("2026-11-01".parse::<Date>().unwrap().to_string(), "2026-11-01");
        assert!("2024-02-29".parse::<Date>().is_ok());
        for bad in
            ["2026-02-29", "2026-13-01", "2026-1-1", "0000-01-01", "2026-11-01T", "", "２０26-1"]
        {
            assert_eq!(bad.parse::<Date>(), Err(DateError), "{bad}");
        }
    }
}
