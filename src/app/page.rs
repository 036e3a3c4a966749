//! Cursor pagination: a page starts after the last item of the previous page, whatever was inserted since.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD as BASE64URL;
use chrono::{DateTime, Utc};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

use super::problem::{Problem, ProblemCode};
use crate::store::db::pages::MAX_PAGE_ROWS;

/// Most items of one page.
pub const MAX_LIMIT: u16 = 200;
const DEFAULT_LIMIT: u16 = 50;

// Statements of lists read no more rows than this.
const _: () = assert!(MAX_LIMIT as i64 + 1 == MAX_PAGE_ROWS);

/// How many items a client requests: 1 to 200, by default 50.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(try_from = "u16")]
pub struct PageLimit(u16);

impl Default for PageLimit {
    fn default() -> Self {
        Self(DEFAULT_LIMIT)
    }
}

impl TryFrom<u16> for PageLimit {
    type Error = String;

    fn try_from(limit: u16) -> Result<Self, String> {
        if (1..=MAX_LIMIT).contains(&limit) {
            Ok(Self(limit))
        } else {
            Err(format!("limit must be 1 to {MAX_LIMIT}"))
        }
    }
}

impl PageLimit {
    /// Number of rows to read: one more than the page has, to find out whether there is a next page.
    pub fn rows(self) -> i64 {
        i64::from(self.0) + 1
    }

    /// Most items of the page.
    pub fn items(self) -> usize {
        usize::from(self.0)
    }
}

/// The position where a page begins: the key of the previous page's last item, encoded. Clients must not interpret it.
#[derive(Clone, Debug, Deserialize)]
#[serde(transparent)]
pub struct Cursor(String);

impl Cursor {
    /// A cursor from the field of a form; `None`: the field is empty.
    pub fn sent(text: &str) -> Option<Self> {
        (!text.is_empty()).then(|| Self(text.to_owned()))
    }

    /// The encoded text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Decodes the key; 400 when the text is no cursor of this type.
    pub fn key<K: DeserializeOwned>(&self) -> Result<K, Problem> {
        Self::content(&self.0)
            .filter(|value| !has_nul(value))
            .and_then(|value| serde_json::from_value(value).ok())
            .ok_or_else(|| Problem::new(ProblemCode::InvalidCursor))
    }

    /// Whether a text may be a cursor of some list.
    pub(crate) fn may_be(text: &str) -> bool {
        Self::content(text).is_some()
    }

    fn content(text: &str) -> Option<Value> {
        serde_json::from_slice(&BASE64URL.decode(text).ok()?).ok()
    }

    /// Decodes the key of an optional cursor.
    pub fn key_of<K: DeserializeOwned>(cursor: Option<&Self>) -> Result<Option<K>, Problem> {
        cursor.map(Self::key).transpose()
    }

    /// Encodes a key as a cursor.
    pub fn at(key: &impl Serialize) -> String {
        BASE64URL.encode(serde_json::to_vec(key).unwrap_or_default())
    }
}

/// Postgres cannot store a NUL in text.
fn has_nul(value: &Value) -> bool {
    match value {
        Value::String(text) => text.contains('\0'),
        Value::Array(items) => items.iter().any(has_nul),
        Value::Object(members) => members.values().any(has_nul),
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}

/// A time inside a cursor: microseconds since 1970, up to the year 9999. Postgres may not accept times outside this
/// range.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "i64", into = "i64")]
pub struct CursorTime(pub DateTime<Utc>);

impl TryFrom<i64> for CursorTime {
    type Error = &'static str;

    fn try_from(micros: i64) -> Result<Self, &'static str> {
        const YEAR_10000: i64 = 253_402_300_800_000_000;
        let time =
            DateTime::from_timestamp_micros(micros).filter(|_| (0..YEAR_10000).contains(&micros));
        time.map(Self).ok_or("out of range")
    }
}

impl From<CursorTime> for i64 {
    fn from(time: CursorTime) -> Self {
        time.0.timestamp_micros()
    }
}

/// A page of a list.
#[derive(Debug, Serialize, ToSchema)]
pub struct Page<T> {
    /// The items of the page.
    pub data: Vec<T>,
    /// Send it as `cursor` to get the next page; absent on the last page.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "WyIwMTk5OGQ1ZSJd")]
    pub next_cursor: Option<String>,
    /// Number of items in the whole list; only if it was requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub total: Option<i64>,
}

/// Makes a page of up to `limit` items from up to `limit + 1` rows.
pub fn paged<R, T, K: Serialize>(
    mut rows: Vec<R>,
    limit: PageLimit,
    key: impl Fn(&R) -> K,
    item: impl Fn(R) -> T,
) -> Page<T> {
    let more = rows.len() > limit.items();
    rows.truncate(limit.items());
    let next_cursor = rows.last().filter(|_| more).map(|row| Cursor::at(&key(row)));
    Page { data: rows.into_iter().map(item).collect(), next_cursor, total: None }
}

impl<T> Page<T> {
    /// Converts each item of the page.
    pub fn map<U>(self, item: impl FnMut(T) -> U) -> Page<U> {
        let Self { data, next_cursor, total } = self;
        Page { data: data.into_iter().map(item).collect(), next_cursor, total }
    }
}

/// The position of a reader of a numbered feed after a page.
pub(crate) struct FeedPosition {
    /// The number to request the next page after.
    pub(crate) next_after: i64,
    /// The highest number that exists.
    pub(crate) newest: i64,
}

/// Cuts the `limit + 1` rows that were read to a page of a feed. `newest` is the highest number, read before the rows;
/// `number` gives the number of a row.
pub(crate) fn cut_feed<R>(
    rows: &mut Vec<R>,
    limit: PageLimit,
    newest: i64,
    number: impl Fn(&R) -> i64,
) -> FeedPosition {
    let more = rows.len() > limit.items();
    rows.truncate(limit.items());
    let last = rows.last().map(number);
    let next_after = match last {
        Some(last) if more => last,
        // Rows newer than `newest` were written after it was read; they belong to the next page.
        _ => newest.max(last.unwrap_or_default()),
    };
    FeedPosition { next_after, newest: newest.max(next_after) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_of_a_feed_ends_where_the_next_begins() {
        let limit = PageLimit::try_from(2).unwrap();
        let cut = |numbers: &[i64], newest| {
            let mut rows = numbers.to_vec();
            let FeedPosition { next_after, newest } =
                cut_feed(&mut rows, limit, newest, |row| *row);
            (rows, next_after, newest)
        };
        assert_eq!(cut(&[3, 5, 8], 9), (vec![3, 5], 5, 9), "there are more rows");
        assert_eq!(cut(&[3, 5], 9), (vec![3, 5], 9, 9), "the numbers 6 to 9 are not in this list");
        assert_eq!(cut(&[10], 9), (vec![10], 10, 10), "the row is newer than `newest`");
        assert_eq!(cut(&[], 9), (vec![], 9, 9));
    }
}
