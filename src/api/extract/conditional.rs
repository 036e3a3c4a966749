//! Conditional requests (RFC 9110, section 13) and caching.

use std::future::{Ready, ready};

use actix_web::dev::Payload;
use actix_web::http::StatusCode;
use actix_web::http::header::{self, HeaderName, HeaderValue, InvalidHeaderValue};
use actix_web::web::Bytes;
use actix_web::{FromRequest, HttpRequest, HttpResponse};
use chrono::{DateTime, Utc};
use serde::Serialize;
use sha2::{Digest as _, Sha256};

use crate::api::problem::{Problem, ProblemCode};

/// Who may keep an answer, and for how long.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Freshness {
    /// The same for everybody: caches may keep it for this many seconds.
    Public(u32),
    /// For the one who asks, checked again each time.
    Private,
}

impl Freshness {
    /// The `Cache-Control` value.
    pub fn header(self) -> String {
        match self {
            Self::Public(seconds) => format!("public, max-age={seconds}"),
            Self::Private => "private, no-cache".to_owned(),
        }
    }
}

/// A 200 with a strong ETag over what the caller sees, or a 304 when that is what the caller has.
///
/// The tag is a hash of the answer itself: it can tell no more than the answer does.
pub fn cacheable<T: Serialize>(
    req: &HttpRequest,
    freshness: Freshness,
    modified: Option<DateTime<Utc>>,
    value: &T,
) -> Result<HttpResponse, Problem> {
    Ok(Rendered::new(freshness, modified, value)?.answer(req))
}

/// An answer that is written out, with its headers: for any number of requests.
#[derive(Clone, Debug)]
pub struct Rendered {
    tag: String,
    /// The tag in quotation marks.
    etag: HeaderValue,
    cache_control: HeaderValue,
    modified: Option<HeaderValue>,
    body: Bytes,
}

impl Rendered {
    /// Writes an answer out. The tag is a hash of it.
    pub fn new<T: Serialize>(
        freshness: Freshness,
        modified: Option<DateTime<Utc>>,
        value: &T,
    ) -> Result<Self, Problem> {
        let body = serde_json::to_vec(value).map_err(Problem::internal)?;
        let digest = Sha256::digest(&body);
        let tag: String = digest[..16].iter().map(|byte| format!("{byte:02x}")).collect();
        Self::tagged(&tag, freshness, modified, body).map_err(Problem::internal)
    }

    fn tagged(
        tag: &str,
        freshness: Freshness,
        modified: Option<DateTime<Utc>>,
        body: Vec<u8>,
    ) -> Result<Self, InvalidHeaderValue> {
        let modified = modified.map(|at| httpdate::fmt_http_date(at.into()));
        Ok(Self {
            tag: tag.to_owned(),
            etag: HeaderValue::try_from(format!("\"{tag}\""))?,
            cache_control: HeaderValue::try_from(freshness.header())?,
            modified: modified.map(HeaderValue::try_from).transpose()?,
            body: body.into(),
        })
    }

    /// How long the body is, in bytes.
    pub fn weight(&self) -> usize {
        self.body.len()
    }

    /// A 200, or a 304 when that is what the caller has.
    pub fn answer(&self, req: &HttpRequest) -> HttpResponse {
        let known = listed_tags(req, &header::IF_NONE_MATCH).find(|listed| listed.names(&self.tag));
        let mut response =
            if known.is_some() { HttpResponse::NotModified() } else { HttpResponse::Ok() };
        // A 304 repeats the tag that the client has, which may name another content encoding.
        match known.as_ref().and_then(|listed| listed.written.as_deref()) {
            Some(written) => response.insert_header((header::ETAG, format!("\"{written}\""))),
            None => response.insert_header((header::ETAG, self.etag.clone())),
        };
        response.insert_header((header::CACHE_CONTROL, self.cache_control.clone()));
        response.insert_header((header::VARY, HeaderValue::from_static("Authorization")));
        if let Some(modified) = &self.modified {
            response.insert_header((header::LAST_MODIFIED, modified.clone()));
        }
        if known.is_some() {
            return response.finish();
        }
        response
            .insert_header((header::CONTENT_TYPE, HeaderValue::from_static("application/json")));
        response.body(self.body.clone())
    }
}

/// The version of something that is edited under `If-Match`; its ETag is `"r7"`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Revision(pub i64);

impl Revision {
    fn tag(self) -> String {
        format!("r{}", self.0)
    }

    /// The `ETag` header of an answer to a write.
    pub fn header(self) -> (HeaderName, String) {
        (header::ETAG, format!("\"{}\"", self.tag()))
    }

    /// A private 200 with this version's ETag, or a 304.
    pub fn answer<T: Serialize>(
        self,
        req: &HttpRequest,
        value: &T,
    ) -> Result<HttpResponse, Problem> {
        let body = serde_json::to_vec(value).map_err(Problem::internal)?;
        Ok(conditional(req, &self.tag(), Freshness::Private, None, body))
    }

    /// A file for everybody, with this version's ETag, or a 304.
    pub fn answer_file(
        self,
        req: &HttpRequest,
        media_type: &'static str,
        text: String,
    ) -> HttpResponse {
        let mut response =
            conditional(req, &self.tag(), Freshness::Public(0), None, text.into_bytes());
        if response.status() == StatusCode::OK {
            let media_type = header::HeaderValue::from_static(media_type);
            response.headers_mut().insert(header::CONTENT_TYPE, media_type);
        }
        response
    }

    /// The same as plain text. Other bytes have another ETag: `"r7-text"`; for `If-Match` it names the same version.
    pub fn answer_text(self, req: &HttpRequest, text: String) -> HttpResponse {
        let tag = self.tag() + TEXT;
        let mut response = conditional(req, &tag, Freshness::Private, None, text.into_bytes());
        if response.status() == StatusCode::OK {
            let text = header::HeaderValue::from_static("text/plain; charset=utf-8");
            response.headers_mut().insert(header::CONTENT_TYPE, text);
        }
        response
    }
}

/// What the tag of a plain text form ends with.
const TEXT: &str = "-text";

fn conditional(
    req: &HttpRequest,
    tag: &str,
    freshness: Freshness,
    modified: Option<DateTime<Utc>>,
    body: Vec<u8>,
) -> HttpResponse {
    match Rendered::tagged(tag, freshness, modified, body) {
        Ok(rendered) => rendered.answer(req),
        Err(error) => Problem::internal(error).respond(None),
    }
}

/// One entry of `If-Match` or `If-None-Match`.
struct ListedTag {
    /// The opaque part as written; `None` for `*`.
    written: Option<String>,
    weak: bool,
}

impl ListedTag {
    /// Whether it names `tag` in any content encoding.
    fn names(&self, tag: &str) -> bool {
        self.written.as_deref().is_none_or(|written| without_encoding(written) == tag)
    }
}

/// The tag without the suffix that names a content encoding.
fn without_encoding(tag: &str) -> &str {
    tag.strip_suffix("-gzip").or_else(|| tag.strip_suffix("-br")).unwrap_or(tag)
}

fn listed_tags(req: &HttpRequest, name: &HeaderName) -> impl Iterator<Item = ListedTag> {
    let values = req.headers().get_all(name).filter_map(|value| value.to_str().ok());
    values.flat_map(|value| value.split(',')).filter_map(|entry| {
        let entry = entry.trim();
        if entry == "*" {
            return Some(ListedTag { written: None, weak: false });
        }
        let (weak, quoted) = entry.strip_prefix("W/").map_or((false, entry), |rest| (true, rest));
        let written = quoted.strip_prefix('"')?.strip_suffix('"')?.to_owned();
        Some(ListedTag { written: Some(written), weak })
    })
}

/// The `If-Match` header that every edit needs: 428 without one.
pub struct IfMatch(Vec<ListedTag>);

impl IfMatch {
    /// 412 unless `current` is the version that the client means to change. Weak tags never match (RFC 9110, 13.1.1).
    pub fn check(&self, current: Revision) -> Result<(), Problem> {
        let tag = current.tag();
        let text = format!("{tag}{TEXT}");
        let matches =
            self.0.iter().any(|listed| !listed.weak && (listed.names(&tag) || listed.names(&text)));
        if matches { Ok(()) } else { Err(Problem::new(ProblemCode::PreconditionFailed)) }
    }
}

impl FromRequest for IfMatch {
    type Error = Problem;
    type Future = Ready<Result<Self, Problem>>;

    fn from_request(req: &HttpRequest, _: &mut Payload) -> Self::Future {
        if req.headers().get(header::IF_MATCH).is_none() {
            return ready(Err(Problem::new(ProblemCode::PreconditionRequired)));
        }
        ready(Ok(Self(listed_tags(req, &header::IF_MATCH).collect())))
    }
}

/// The `If-None-Match` header of a write: `*` says that there is to be nothing yet.
pub struct IfNoneMatch(Vec<ListedTag>);

impl IfNoneMatch {
    /// 412 when there is something, and the header names it.
    pub fn check(&self, current: Option<Revision>) -> Result<(), Problem> {
        let named = |current: Revision| self.0.iter().any(|listed| listed.names(&current.tag()));
        if current.is_some_and(named) {
            let detail = "It exists already, as If-None-Match says that it must not.";
            return Err(Problem::new(ProblemCode::PreconditionFailed).detail(detail));
        }
        Ok(())
    }
}

impl FromRequest for IfNoneMatch {
    type Error = Problem;
    type Future = Ready<Result<Self, Problem>>;

    fn from_request(req: &HttpRequest, _: &mut Payload) -> Self::Future {
        ready(Ok(Self(listed_tags(req, &header::IF_NONE_MATCH).collect())))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use actix_web::test::TestRequest;

    fn status(if_none_match: &str) -> u16 {
        let req = TestRequest::default()
            .insert_header(("if-none-match", if_none_match))
            .to_http_request();
        conditional(&req, "abc", Freshness::Private, None, b"{}".to_vec()).status().as_u16()
    }

    #[test]
    fn knows_its_tag_in_every_encoding() {
        for known in ["\"abc\"", "\"x\", \"abc-gzip\"", "W/\"abc-br\"", "*"] {
            assert_eq!(status(known), 304, "{known}");
        }
        for unknown in ["\"abcd\"", "abc", "\"\"", ","] {
            assert_eq!(status(unknown), 200, "{unknown}");
        }
    }

    #[tokio::test]
    async fn an_edit_names_the_version_it_means() {
        let check = async |value: &str, revision| {
            let req = TestRequest::default().insert_header(("if-match", value)).to_http_request();
            IfMatch::extract(&req).await.unwrap().check(Revision(revision)).is_ok()
        };
        assert!(check("\"r7\"", 7).await);
        assert!(check("\"r7-gzip\"", 7).await);
        assert!(check("\"r7-text-br\"", 7).await);
        assert!(check("*", 7).await);
        assert!(!check("\"r6\"", 7).await);
        assert!(!check("W/\"r7\"", 7).await);
        let bare = TestRequest::default().to_http_request();
        let missing = IfMatch::extract(&bare).await.err().unwrap();
        assert_eq!(missing.code(), ProblemCode::PreconditionRequired);
    }
}
