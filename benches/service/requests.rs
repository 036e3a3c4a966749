//! Creates the requests of a recipe from its rows.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::Context as _;
use cardscape::auth::access_token::{self, AccessClaims};
use cardscape::auth::keys::KeyRing;
use cardscape::domain::ids::{AccountId, SessionId};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};

use crate::codes;
use crate::recipes::{Caller, Measure, Recipe, Row};

/// Number of letters and digits of `<unique>`.
const FRESH: usize = 10;
/// The characters of `<unique>`. None looks like another, so that names with it are not similar; none is a capital letter, because codes of sets have none.
const SYMBOLS: &[u8; 20] = b"2345678acdefghjkptxy";
/// The placeholder for `<unique>` in a prepared request; no request contains these bytes otherwise.
const HOLE: &str = "\u{1}\u{1}\u{1}\u{1}\u{1}\u{1}\u{1}\u{1}\u{1}\u{1}";

/// Requests that are ready to be sent.
pub(crate) struct Requests {
    messages: Vec<Message>,
    spent: bool,
    first_bytes: bool,
}

/// One request, with placeholders for the parts that are different each time.
struct Message {
    bytes: Vec<u8>,
    holes: Vec<usize>,
}

/// The part of a request in which a value is inserted, which determines how it is escaped.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Path,
    Header,
    Json,
    Text,
}

impl Requests {
    /// Creates a request for each row.
    pub(crate) fn new(recipe: &Recipe, rows: &[Row], keys: &KeyRing) -> anyhow::Result<Self> {
        let messages = rows.iter().enumerate();
        let messages = messages.map(|(at, row)| message(recipe, row, at, keys));
        Ok(Self {
            messages: messages.collect::<anyhow::Result<_>>()?,
            spent: recipe.spends,
            first_bytes: recipe.measure == Measure::FirstBytes,
        })
    }

    /// A single GET request without an account, to be sent repeatedly.
    pub(crate) fn get(path: &str) -> Self {
        let text = format!(
            "GET {path} HTTP/1.1\r\nhost: cardscape.test\r\nx-forwarded-for: 198.18.0.1\r\n\r\n"
        );
        let message = Message { bytes: text.into_bytes(), holes: Vec::new() };
        Self { messages: vec![message], spent: false, first_bytes: false }
    }

    pub(crate) fn len(&self) -> usize {
        self.messages.len()
    }

    pub(crate) fn are_spent(&self) -> bool {
        self.spent
    }

    pub(crate) fn wants_first_bytes(&self) -> bool {
        self.first_bytes
    }

    /// Index of the next request that was not sent; `None`: all requests can be sent only once, and all were sent.
    pub(crate) fn take(&self, next: &AtomicUsize) -> Option<usize> {
        let at = next.fetch_add(1, Ordering::Relaxed);
        (at < self.messages.len()).then_some(at)
    }

    /// Splits off the first `count` requests.
    pub(crate) fn split(mut self, count: usize) -> (Self, Self) {
        let rest = self.messages.split_off(count.min(self.messages.len()));
        let rest = Self { messages: rest, ..self };
        (Self { messages: self.messages, ..rest }, rest)
    }

    /// The first number for `<unique>`, higher than in all earlier runs.
    pub(crate) fn first_unique_number() -> u64 {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        u64::try_from(now.as_micros()).unwrap_or_default()
    }

    /// Writes one request.
    pub(crate) fn write(&self, at: usize, unique_number: u64, out: &mut Vec<u8>) {
        let message = &self.messages[at % self.messages.len()];
        out.clear();
        out.extend_from_slice(&message.bytes);
        for &hole in &message.holes {
            let mut rest = unique_number;
            for place in (hole..hole + FRESH).rev() {
                out[place] = SYMBOLS[usize::try_from(rest % 20).unwrap_or_default()];
                rest /= 20;
            }
        }
    }
}

fn message(recipe: &Recipe, row: &Row, at: usize, keys: &KeyRing) -> anyhow::Result<Message> {
    let path = fill(recipe.path, row, Place::Path)?;
    let in_json = recipe.content_type == "application/json";
    let body = fill(recipe.body, row, if in_json { Place::Json } else { Place::Text })?;
    let mut text = format!("{} {path} HTTP/1.1\r\nhost: cardscape.test\r\n", recipe.method);
    for header in recipe.headers {
        text += &fill(header, row, Place::Header)?;
        text += "\r\n";
    }
    if !recipe.headers.iter().any(|header| header.starts_with("x-forwarded-for")) {
        // Rate limits also count the networks that contain an address, so these must differ, too.
        text += &format!("x-forwarded-for: {}.{}.{}.1\r\n", 11 + at % 80, at / 80 % 250, at % 250);
    }
    if let Some(token) = token(recipe.by, row, keys)? {
        text += &format!("authorization: Bearer {token}\r\n");
    }
    if recipe.method != "GET" && recipe.method != "DELETE" {
        text += &format!("content-length: {}\r\n", body.len() + recipe.file.len());
    }
    if !body.is_empty() || !recipe.file.is_empty() {
        text += &format!("content-type: {}\r\n", recipe.content_type);
    }
    text += "\r\n";
    text += &body;
    let holes = memchr::memmem::find_iter(text.as_bytes(), HOLE).collect();
    let mut bytes = text.into_bytes();
    bytes.extend_from_slice(recipe.file);
    Ok(Message { bytes, holes })
}

/// Replaces `<column>` by the values of a row.
fn fill(template: &str, row: &Row, place: Place) -> anyhow::Result<String> {
    let mut filled = String::new();
    let mut rest = template;
    while let Some((before, after)) = rest.split_once('<') {
        filled += before;
        let name = after.split_once('>').map(|(name, _)| name);
        let value = match name {
            Some("unique") => Some(HOLE.to_owned()),
            Some("serial") => Some(codes::serial(row)?),
            Some("batch_json") => Some(codes::batch(row)?),
            Some(name) => row.get(name).map(|value| escape(name, value, place)),
            None => None,
        };
        match (name, value) {
            (Some(name), Some(value)) => {
                filled += &value;
                rest = &after[name.len() + 1..];
            }
            // Not a column: the text stays as it is.
            _ => {
                filled.push('<');
                rest = after;
            }
        }
    }
    Ok(filled + rest)
}

fn escape(name: &str, value: &str, place: Place) -> String {
    match place {
        _ if name.ends_with("_json") => value.to_owned(),
        Place::Path => utf8_percent_encode(value, NON_ALPHANUMERIC).to_string(),
        Place::Json => serde_json::Value::from(value).to_string().trim_matches('"').to_owned(),
        Place::Header | Place::Text => value.to_owned(),
    }
}

/// Ids of the synthetic admin and moderator.
const ADMIN: &str = "01900000-0000-7000-8000-000000ffffff";
const MODERATOR: &str = "01900000-0000-7000-8000-000000fffffe";

fn token(by: Caller, row: &Row, keys: &KeyRing) -> anyhow::Result<Option<String>> {
    let account = match by {
        Caller::Stranger => return Ok(None),
        Caller::Row => row.get("caller").context("no column caller")?.as_str(),
        Caller::Moderator => MODERATOR,
        Caller::Admin => ADMIN,
    };
    // The same id as from `bench.session` in fill.sql.
    let session = format!("01900001{}", &account[8..]);
    let session = if by == Caller::Row { row.get("session").unwrap_or(&session) } else { &session };
    let claims =
        AccessClaims { account: AccountId(account.parse()?), session: SessionId(session.parse()?) };
    Ok(Some(access_token::issue(keys, claims, chrono::Utc::now())?))
}
