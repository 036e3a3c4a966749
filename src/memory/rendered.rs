//! Serialised responses with a strong ETag, which can be cached and sent again.

use std::sync::{Arc, OnceLock};

use bytes::Bytes;
use chrono::{DateTime, Utc};
use serde::Serialize;
use xxhash_rust::xxh3::xxh3_128;

const PRIVATE: &str = "private, no-cache";

/// Who may cache a response, and for how long.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Freshness {
    /// The same for everybody: caches may store it for this many seconds.
    Public(u32),
    /// Only for the client's own cache, which must revalidate it each time.
    Private,
    /// Must not be cached at all.
    Never,
}

impl Freshness {
    /// The `Cache-Control` value.
    pub fn header(self) -> String {
        match self {
            Self::Public(seconds) => format!("public, max-age={seconds}"),
            Self::Private => PRIVATE.to_owned(),
            Self::Never => "private, no-store".to_owned(),
        }
    }
}

/// A response that cannot be serialised: a bug of the service.
#[derive(Debug, thiserror::Error)]
#[error("an answer cannot be written: {0}")]
pub struct RenderError(#[from] serde_json::Error);

/// A serialised response with the values of its headers (RFC 9110); it can answer any number of requests.
#[derive(Clone, Debug)]
pub struct Rendered {
    pub(crate) tag: String,
    /// The tag in double quotes.
    pub(crate) etag: Bytes,
    pub(crate) cache_control: Bytes,
    pub(crate) modified: Option<Bytes>,
    pub(crate) media_type: Bytes,
    pub(crate) link: Option<Bytes>,
    pub(crate) body: Bytes,
    /// The compressed body of a cached response, once a client has requested it.
    compressed: Option<Arc<OnceLock<Option<Bytes>>>>,
}

impl Rendered {
    /// Serialises a response. The tag is a hash of the body.
    pub fn new<T: Serialize>(
        freshness: Freshness,
        modified: Option<DateTime<Utc>>,
        value: &T,
    ) -> Result<Self, RenderError> {
        let body = to_json(value, ANSWER_CAPACITY)?;
        Ok(Self::with_tag(&tag_of(&body), freshness, modified, JSON, body))
    }

    /// Like [`Self::new`], for a response that is probably long.
    pub fn list<T: Serialize>(
        freshness: Freshness,
        modified: Option<DateTime<Utc>>,
        value: &T,
    ) -> Result<Self, RenderError> {
        let body = to_json(value, LIST_CAPACITY)?;
        Ok(Self::with_tag(&tag_of(&body), freshness, modified, JSON, body))
    }

    /// The same response with another JSON media type.
    #[must_use]
    pub fn with_media_type(self, media_type: &'static str) -> Self {
        Self { media_type: Bytes::from_static(media_type.as_bytes()), ..self }
    }

    /// The same response with a `Link` header.
    #[must_use]
    pub fn with_link(self, link: Option<String>) -> Self {
        Self { link: link.map(Bytes::from), ..self }
    }

    /// The same response for an authenticated request: the content is public, but shared caches must not store it.
    #[must_use]
    pub fn into_private(self) -> Self {
        Self { cache_control: Bytes::from_static(PRIVATE.as_bytes()), ..self }
    }

    /// A file of any media type. The tag is a hash of it.
    pub fn file(freshness: Freshness, media_type: &str, body: impl Into<Bytes>) -> Self {
        let media_type = Bytes::copy_from_slice(media_type.as_bytes());
        Self { media_type, ..Self::from_json_modified(freshness, None, body.into()) }
    }

    /// A plain text. The tag is a hash of it.
    pub fn text(freshness: Freshness, modified: Option<DateTime<Utc>>, text: String) -> Self {
        Self::with_tag(&tag_of(text.as_bytes()), freshness, modified, PLAIN, text)
    }

    /// A response from serialised JSON. The tag is a hash of the body.
    pub fn from_json(freshness: Freshness, body: impl Into<Bytes>) -> Self {
        Self::from_json_modified(freshness, None, body.into())
    }

    /// Like [`Self::from_json`], for content with a known time of its last change.
    pub fn from_json_modified(
        freshness: Freshness,
        modified: Option<DateTime<Utc>>,
        body: Bytes,
    ) -> Self {
        Self::with_tag(&tag_of(&body), freshness, modified, JSON, body)
    }

    /// A response with a given tag.
    pub(crate) fn with_tag(
        tag: &str,
        freshness: Freshness,
        modified: Option<DateTime<Utc>>,
        media_type: &'static str,
        body: impl Into<Bytes>,
    ) -> Self {
        Self {
            tag: tag.to_owned(),
            etag: format!("\"{tag}\"").into(),
            cache_control: freshness.header().into(),
            modified: modified.map(|at| httpdate::fmt_http_date(at.into()).into()),
            media_type: Bytes::from_static(media_type.as_bytes()),
            link: None,
            body: body.into(),
            compressed: None,
        }
    }

    /// The same response for a cache: its compressed body is cached with it.
    #[must_use]
    pub(crate) fn into_cached(self) -> Self {
        let can_be = is_compressible(&self.media_type, self.body.len());
        Self { compressed: can_be.then(Arc::default), ..self }
    }

    /// Where the compressed body of a cached response is cached. `None`: the response is not cached, or is not compressed in one piece.
    pub(crate) fn compressed(&self) -> Option<&OnceLock<Option<Bytes>>> {
        self.compressed.as_deref()
    }

    pub fn body(&self) -> &Bytes {
        &self.body
    }

    /// Size of the body in bytes, and about that of the compressed body, if that is cached, too.
    pub fn weight(&self) -> usize {
        let compressed = if self.compressed.is_some() { self.body.len() / 2 } else { 0 };
        self.body.len() + compressed
    }
}

/// Longest body that is compressed on the thread that answers requests, in bytes: this takes about a millisecond.
pub(crate) const LONGEST_COMPRESSED: usize = 256 * 1024;

/// Whether a body of this media type and length is compressed in one piece. Pictures and other files are compressed already.
pub(crate) fn is_compressible(media_type: &[u8], length: usize) -> bool {
    let name = media_type.split(|byte| *byte == b';').next().unwrap_or(media_type).trim_ascii();
    let subtypes: [&[u8]; 5] = [b"json", b"xml", b"javascript", b"yaml", b"toml"];
    let is_text =
        name.starts_with(b"text/") || subtypes.iter().any(|subtype| name.ends_with(subtype));
    is_text && (1..=LONGEST_COMPRESSED).contains(&length)
}

/// A hash that distinguishes versions. It need not resist collisions: only the service writes the responses.
pub(crate) fn tag_of(body: &[u8]) -> String {
    format!("{:032x}", xxh3_128(body))
}

/// Initial buffer for the response about a single resource, in bytes.
pub(crate) const ANSWER_CAPACITY: usize = 1024;
/// Initial buffer for a page of a list, in bytes.
const LIST_CAPACITY: usize = 32 * 1024;

/// Serialises a value into a buffer of `expected` bytes, which grows if need be.
pub(crate) fn to_json<T: Serialize>(value: &T, expected: usize) -> Result<Vec<u8>, RenderError> {
    let mut body = Vec::with_capacity(expected);
    serde_json::to_writer(&mut body, value)?;
    Ok(body)
}

pub(crate) const JSON: &str = "application/json";
pub(crate) const PLAIN: &str = "text/plain; charset=utf-8";
