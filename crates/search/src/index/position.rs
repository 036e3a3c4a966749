//! Positions of entries in a list: sort keys and their order.

use std::cmp::Ordering;

use chrono::{DateTime, Utc};

use crate::{CardQuery, SortKey};

/// The position of an entry in a list, after which the next page begins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Position {
    /// Its sort key, as Postgres writes it; `None`: it has none.
    pub key: Option<String>,
    /// Game code.
    pub game: String,
    /// Set code.
    pub set: String,
    /// Collector number.
    pub number: String,
    /// Tier of the printing; 0 in lists of cards.
    pub tier: i16,
}

/// A place in the order of game, set, number (as bytes) and tier.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct PlaceKey<'a> {
    pub(super) game: &'a str,
    pub(super) set: &'a str,
    pub(super) number: &'a str,
    pub(super) tier: i16,
}

/// A value that lists are sorted by.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum SortValue {
    Number(i128),
    Text(String),
    Time(DateTime<Utc>),
}

impl SortValue {
    /// As Postgres writes it.
    pub(super) fn to_text(&self) -> String {
        match self {
            Self::Number(number) => number.to_string(),
            Self::Text(text) => text.clone(),
            Self::Time(time) => {
                let whole = time.format("%Y-%m-%d %H:%M:%S");
                let micros = format!("{:06}", time.timestamp_subsec_micros());
                match micros.trim_end_matches('0') {
                    "" => format!("{whole}+00"),
                    fraction => format!("{whole}.{fraction}+00"),
                }
            }
        }
    }
}

/// The sort key of a position, which may lie between the values of two cards.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Bound {
    /// A value that cards may have.
    Value(SortValue),
    /// A number with a fraction: after the whole number below it and before the one above.
    Between(i128),
}

impl Bound {
    /// Parses a text that [`SortKey::admits`].
    fn parse(sort: &SortKey, text: &str) -> Self {
        match sort {
            SortKey::Place | SortKey::Name | SortKey::Kind => {
                Self::Value(SortValue::Text(text.to_owned()))
            }
            SortKey::Unlocked => {
                let time = DateTime::parse_from_str(text, "%Y-%m-%d %H:%M:%S%.f%#z");
                Self::Value(SortValue::Time(time.unwrap_or_default().to_utc()))
            }
            _ => {
                let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
                let is_negative = whole.starts_with('-');
                let end = if is_negative { i128::MIN } else { i128::MAX };
                let digits = whole.trim_start_matches('-');
                let number = match digits {
                    "" => 0,
                    _ => whole.parse().unwrap_or(end),
                };
                if fraction.bytes().all(|digit| digit == b'0') {
                    Self::Value(SortValue::Number(number))
                } else {
                    Self::Between(number - i128::from(is_negative && number > i128::MIN))
                }
            }
        }
    }

    /// Compares the value of a card with it.
    pub(super) fn compare(&self, value: &SortValue) -> Ordering {
        match (self, value) {
            (Self::Value(own), value) => value.cmp(own),
            (Self::Between(below), SortValue::Number(number)) if number <= below => Ordering::Less,
            (Self::Between(_), _) => Ordering::Greater,
        }
    }
}

/// A position, parsed for a query.
pub(super) struct After<'a> {
    pub(super) key: Option<Bound>,
    pub(super) place: PlaceKey<'a>,
}

impl<'a> After<'a> {
    pub(super) fn new(query: &CardQuery, position: &'a Position) -> Self {
        let Position { key, game, set, number, tier } = position;
        let key = key.as_deref().filter(|_| query.sort != SortKey::Place);
        Self {
            key: key.map(|key| Bound::parse(&query.sort, key)),
            place: PlaceKey { game, set, number, tier: *tier },
        }
    }

    /// Whether an entry with that key and place comes after the position.
    pub(super) fn precedes(
        &self,
        query: &CardQuery,
        key: Option<&SortValue>,
        place: PlaceKey<'_>,
    ) -> bool {
        if query.sort == SortKey::Place {
            return if query.descending { place < self.place } else { place > self.place };
        }
        match (&self.key, key) {
            (None, None) => place > self.place,
            (None, Some(_)) => false,
            (Some(_), None) => true,
            (Some(bound), Some(value)) => match directed(query, bound.compare(value)) {
                Ordering::Greater => true,
                Ordering::Equal => place > self.place,
                Ordering::Less => false,
            },
        }
    }
}

fn directed(query: &CardQuery, order: Ordering) -> Ordering {
    if query.descending { order.reverse() } else { order }
}

/// The order of two entries of a list.
pub(super) fn in_order(
    query: &CardQuery,
    (key, place): (Option<&SortValue>, PlaceKey<'_>),
    (other, other_place): (Option<&SortValue>, PlaceKey<'_>),
) -> Ordering {
    if query.sort == SortKey::Place {
        return directed(query, place.cmp(&other_place));
    }
    match (key, other) {
        (None, None) => place.cmp(&other_place),
        (None, Some(_)) => Ordering::Greater,
        (Some(_), None) => Ordering::Less,
        (Some(key), Some(other)) => {
            directed(query, key.cmp(other)).then_with(|| place.cmp(&other_place))
        }
    }
}
