//! Conditional requests (RFC 9110, section 13) and caching.

use std::future::{Ready, ready};

use actix_web::dev::Payload;
use actix_web::http::StatusCode;
use actix_web::http::header::{self, HeaderName, HeaderValue, InvalidHeaderValue};
use actix_web::web::Bytes;
use actix_web::{FromRequest, HttpRequest, HttpResponse};
use chrono::{DateTime, Utc};
use serde::Serialize;
use xxhash_rust::xxh3::xxh3_128;

use crate::api::problem::{Problem, ProblemCode};

const PRIVATE: &str = "private, no-cache";

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
            Self::Private => PRIVATE.to_owned(),
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
    Ok(Rendered::list(freshness, modified, value)?.answer(req))
}

/// An answer that is written out, with its headers: for any number of requests.
#[derive(Clone, Debug)]
pub struct Rendered {
    tag: String,
    /// The tag in quotation marks.
    etag: HeaderValue,
    cache_control: HeaderValue,
    modified: Option<HeaderValue>,
    media_type: HeaderValue,
    link: Option<HeaderValue>,
    body: Bytes,
}

impl Rendered {
    /// Writes an answer out. The tag is a hash of it.
    pub fn new<T: Serialize>(
        freshness: Freshness,
        modified: Option<DateTime<Utc>>,
        value: &T,
    ) -> Result<Self, Problem> {
        let body = json(value, ONE)?;
        Self::tagged(&tag_of(&body), freshness, modified, JSON, body).map_err(Problem::internal)
    }

    /// The same for an answer that is probably long.
    pub fn list<T: Serialize>(
        freshness: Freshness,
        modified: Option<DateTime<Utc>>,
        value: &T,
    ) -> Result<Self, Problem> {
        let body = json(value, LIST)?;
        Self::tagged(&tag_of(&body), freshness, modified, JSON, body).map_err(Problem::internal)
    }

    /// The same with another media type, which is one of JSON.
    #[must_use]
    pub fn of_type(self, media_type: &'static str) -> Self {
        Self { media_type: HeaderValue::from_static(media_type), ..self }
    }

    /// The same with a `Link`.
    #[must_use]
    pub fn linked(self, link: Option<HeaderValue>) -> Self {
        Self { link, ..self }
    }

    /// The same for somebody who is known: what everybody may see, but no shared cache may keep the answer to a request with a token.
    #[must_use]
    pub fn privately(self) -> Self {
        Self { cache_control: HeaderValue::from_static(PRIVATE), ..self }
    }

    /// A file of any media type. The tag is a hash of it.
    pub fn file(freshness: Freshness, media_type: &str, body: Vec<u8>) -> Result<Self, Problem> {
        let media_type = HeaderValue::try_from(media_type).map_err(Problem::internal)?;
        let written = Self::written(freshness, None, body.into())?;
        Ok(Self { media_type, ..written })
    }

    /// An answer of JSON that is written already. The tag is a hash of it.
    pub fn of_json(freshness: Freshness, body: impl Into<Bytes>) -> Result<Self, Problem> {
        Self::written(freshness, None, body.into())
    }

    /// The same for what last changed at a known time.
    pub fn written(
        freshness: Freshness,
        modified: Option<DateTime<Utc>>,
        body: Bytes,
    ) -> Result<Self, Problem> {
        Self::tagged(&tag_of(&body), freshness, modified, JSON, body).map_err(Problem::internal)
    }

    /// The body.
    pub fn body(&self) -> &Bytes {
        &self.body
    }

    fn tagged(
        tag: &str,
        freshness: Freshness,
        modified: Option<DateTime<Utc>>,
        media_type: &'static str,
        body: impl Into<Bytes>,
    ) -> Result<Self, InvalidHeaderValue> {
        let modified = modified.map(|at| httpdate::fmt_http_date(at.into()));
        Ok(Self {
            tag: tag.to_owned(),
            etag: HeaderValue::try_from(format!("\"{tag}\""))?,
            cache_control: HeaderValue::try_from(freshness.header())?,
            modified: modified.map(HeaderValue::try_from).transpose()?,
            media_type: HeaderValue::from_static(media_type),
            link: None,
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
        if let Some(link) = &self.link {
            response.insert_header((header::LINK, link.clone()));
        }
        if known.is_some() {
            return response.finish();
        }
        response.insert_header((header::CONTENT_TYPE, self.media_type.clone()));
        response.body(self.body.clone())
    }
}

/// The answer to an edit: what the thing is now, with the ETag that a GET of it has.
pub fn edited<T: Serialize>(status: StatusCode, value: &T) -> Result<HttpResponse, Problem> {
    let body = json(value, ONE)?;
    Ok(HttpResponse::build(status)
        .insert_header((header::ETAG, format!("\"{}\"", tag_of(&body))))
        .insert_header((header::CACHE_CONTROL, "private, no-cache"))
        .content_type("application/json")
        .body(body))
}

/// The same for a plain text, an answer that has a JSON form too.
pub fn cacheable_text(
    req: &HttpRequest,
    freshness: Freshness,
    modified: Option<DateTime<Utc>>,
    text: String,
) -> HttpResponse {
    conditional(req, &tag_of(text.as_bytes()), freshness, modified, PLAIN, text.into_bytes())
}

/// A hash that is only to tell versions apart: who could make two of them alike writes the answers anyway.
fn tag_of(body: &[u8]) -> String {
    format!("{:032x}", xxh3_128(body))
}

/// Bytes of an answer about one thing, about.
pub(in crate::api) const ONE: usize = 1024;
/// Bytes of a page of a list, about: it is sent and gone.
const LIST: usize = 32 * 1024;

/// Writes a value out, into a buffer that need not grow if it has no more bytes than expected.
pub(in crate::api) fn json<T: Serialize>(value: &T, expected: usize) -> Result<Vec<u8>, Problem> {
    let mut body = Vec::with_capacity(expected);
    serde_json::to_writer(&mut body, value).map_err(Problem::internal)?;
    Ok(body)
}

const JSON: &str = "application/json";
const PLAIN: &str = "text/plain; charset=utf-8";

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
        let body = json(value, ONE)?;
        Ok(conditional(req, &self.tag(), Freshness::Private, None, JSON, body))
    }

    /// A 200 for everybody, with this version's ETag, or a 304.
    pub fn answer_public<T: Serialize>(
        self,
        req: &HttpRequest,
        value: &T,
    ) -> Result<HttpResponse, Problem> {
        let body = json(value, ONE)?;
        Ok(conditional(req, &self.tag(), Freshness::Public(0), None, JSON, body))
    }

    /// A file for everybody, with this version's ETag, or a 304.
    pub fn answer_file(
        self,
        req: &HttpRequest,
        media_type: &'static str,
        text: String,
    ) -> HttpResponse {
        conditional(req, &self.tag(), Freshness::Public(0), None, media_type, text.into_bytes())
    }

    /// The same as plain text. Other bytes have another ETag: `"r7-text"`; for `If-Match` it names the same version.
    pub fn answer_text(self, req: &HttpRequest, text: String) -> HttpResponse {
        let tag = self.tag() + TEXT;
        conditional(req, &tag, Freshness::Private, None, PLAIN, text.into_bytes())
    }
}

/// What the tag of a plain text form ends with.
const TEXT: &str = "-text";

fn conditional(
    req: &HttpRequest,
    tag: &str,
    freshness: Freshness,
    modified: Option<DateTime<Utc>>,
    media_type: &'static str,
    body: Vec<u8>,
) -> HttpResponse {
    match Rendered::tagged(tag, freshness, modified, media_type, body) {
        Ok(rendered) => rendered.answer(req),
        Err(error) => Problem::internal(error).respond(),
    }
}

/// One entry of `If-Match` or `If-None-Match`.
struct ListedTag {
    /// The opaque part as written; `None` for `*`.
    written: Option<String>,
    weak: bool,
}

impl ListedTag {
    /// Reads `"r1"`, `W/"r1"` or `*`; `None`: it is none of them.
    fn read(entry: &str) -> Option<Self> {
        let entry = entry.trim();
        if entry == "*" {
            return Some(Self { written: None, weak: false });
        }
        let (weak, quoted) = entry.strip_prefix("W/").map_or((false, entry), |rest| (true, rest));
        let written = quoted.strip_prefix('"')?.strip_suffix('"')?.to_owned();
        Some(Self { written: Some(written), weak })
    }

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
    values.flat_map(|value| value.split(',')).filter_map(ListedTag::read)
}

/// The tags of `If-Match`; `None`: there is no such header. 400 when one of them is no tag: that would else look like an old version.
fn tags_of_if_match(req: &HttpRequest) -> Result<Option<Vec<ListedTag>>, Problem> {
    let refused = || {
        let detail = "If-Match must be the ETag of the answer, with its quotation marks: \"r1\", for example.";
        Problem::new(ProblemCode::InvalidHeader).detail(detail)
    };
    let mut tags = Vec::new();
    for value in req.headers().get_all(header::IF_MATCH) {
        let value = value.to_str().map_err(|_| refused())?;
        for entry in value.split(',').filter(|entry| !entry.trim().is_empty()) {
            tags.push(ListedTag::read(entry).ok_or_else(refused)?);
        }
    }
    Ok(req.headers().contains_key(header::IF_MATCH).then_some(tags))
}

/// What the conditions of a read say of a file, before any range of it is looked at (RFC 9110, 13.2.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Condition {
    /// There are none, or they hold.
    Holds,
    /// The client has it: 304.
    Known,
    /// It is not the version that the client means: 412.
    Another,
}

impl Condition {
    /// `tag` is the file's own.
    pub fn of(req: &HttpRequest, tag: &str) -> Self {
        let is_meant = |listed: ListedTag| !listed.weak && listed.names(tag);
        if req.headers().contains_key(header::IF_MATCH)
            && !listed_tags(req, &header::IF_MATCH).any(is_meant)
        {
            return Self::Another;
        }
        let is_known = listed_tags(req, &header::IF_NONE_MATCH).any(|listed| listed.names(tag));
        if is_known { Self::Known } else { Self::Holds }
    }
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

    /// Whether `current` is the answer that the client has seen: for things whose ETag is a hash of the answer.
    pub fn has_seen<T: Serialize>(&self, current: &T) -> bool {
        let Ok(body) = serde_json::to_vec(current) else { return false };
        let tag = tag_of(&body);
        self.0.iter().any(|listed| !listed.weak && listed.names(&tag))
    }
}

impl FromRequest for IfMatch {
    type Error = Problem;
    type Future = Ready<Result<Self, Problem>>;

    fn from_request(req: &HttpRequest, _: &mut Payload) -> Self::Future {
        let tags = tags_of_if_match(req);
        let required = || Problem::new(ProblemCode::PreconditionRequired);
        ready(tags.and_then(|tags| tags.map(Self).ok_or_else(required)))
    }
}

/// The `If-None-Match` header of a write: `*` says that there is to be nothing yet.
struct IfNoneMatch(Vec<ListedTag>);

impl IfNoneMatch {
    /// 412 when there is something, and the header names it.
    fn check(&self, current: Option<Revision>) -> Result<(), Problem> {
        let named = |current: Revision| self.0.iter().any(|listed| listed.names(&current.tag()));
        if current.is_some_and(named) {
            let detail = "It exists already, as If-None-Match says that it must not.";
            return Err(Problem::new(ProblemCode::PreconditionFailed).detail(detail));
        }
        Ok(())
    }
}

/// Which version an edit means to replace: that of `If-Match`, or none yet (`If-None-Match: *` says so aloud).
pub struct Versions {
    if_match: Option<IfMatch>,
    if_none_match: IfNoneMatch,
}

impl Versions {
    /// The version that is replaced, if the client means that one: 428 when it names none, 412 when it means another.
    pub fn check(&self, current: Option<Revision>) -> Result<Option<Revision>, Problem> {
        self.if_none_match.check(current)?;
        match (current, &self.if_match) {
            (Some(current), Some(if_match)) => if_match.check(current)?,
            (Some(_), None) => return Err(Problem::new(ProblemCode::PreconditionRequired)),
            (None, Some(_)) => return Err(Problem::new(ProblemCode::PreconditionFailed)),
            (None, None) => {}
        }
        Ok(current)
    }

    /// The same where something else is shown as long as there is nothing: its tag stands for that, too.
    pub fn check_shown<T: Serialize>(
        &self,
        current: Option<Revision>,
        shown: &T,
    ) -> Result<Option<Revision>, Problem> {
        let has_seen = |if_match: &IfMatch| if_match.has_seen(shown);
        if current.is_none() && self.if_match.as_ref().is_some_and(has_seen) {
            return Ok(None);
        }
        self.check(current)
    }

    /// For edits that do something else when they are done twice: `*` names no version, 428.
    pub fn named(&self) -> Result<&Self, Problem> {
        let any = |IfMatch(tags): &IfMatch| tags.iter().any(|tag| tag.written.is_none());
        if self.if_match.as_ref().is_some_and(any) {
            let detail = "If-Match must name the version: done twice, this would be another edit.";
            return Err(Problem::new(ProblemCode::PreconditionRequired).detail(detail));
        }
        Ok(self)
    }
}

impl FromRequest for Versions {
    type Error = Problem;
    type Future = Ready<Result<Self, Problem>>;

    fn from_request(req: &HttpRequest, _: &mut Payload) -> Self::Future {
        let if_none_match = IfNoneMatch(listed_tags(req, &header::IF_NONE_MATCH).collect());
        let if_match = tags_of_if_match(req).map(|tags| tags.map(IfMatch));
        ready(if_match.map(|if_match| Self { if_match, if_none_match }))
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
        conditional(&req, "abc", Freshness::Private, None, JSON, b"{}".to_vec()).status().as_u16()
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

    #[test]
    fn a_read_may_mean_one_version() {
        let condition = |name: &'static str, value: &'static str| {
            let req = TestRequest::default().insert_header((name, value)).to_http_request();
            Condition::of(&req, "abc")
        };
        assert_eq!(condition("if-match", "\"abc\""), Condition::Holds);
        assert_eq!(condition("if-match", "*"), Condition::Holds);
        assert_eq!(condition("if-match", "\"abd\""), Condition::Another);
        assert_eq!(condition("if-match", "W/\"abc\""), Condition::Another);
        assert_eq!(condition("if-none-match", "W/\"abc\""), Condition::Known);
        assert_eq!(condition("if-none-match", "\"abd\""), Condition::Holds);
        let both = TestRequest::default()
            .insert_header(("if-match", "\"x\""))
            .insert_header(("if-none-match", "\"abc\""))
            .to_http_request();
        assert_eq!(Condition::of(&both, "abc"), Condition::Another);
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
        let seen = async |value: &str| {
            let req = TestRequest::default().insert_header(("if-match", value)).to_http_request();
            IfMatch::extract(&req).await.unwrap().has_seen(&["a"])
        };
        let tag = tag_of(br#"["a"]"#);
        assert!(seen(&format!("\"{tag}\"")).await);
        assert!(seen(&format!("\"x\", \"{tag}-br\"")).await);
        assert!(!seen(&format!("W/\"{tag}\"")).await);
        assert!(!seen("\"r7\"").await);
        let bare = TestRequest::default().to_http_request();
        let missing = IfMatch::extract(&bare).await.err().unwrap();
        assert_eq!(missing.code(), ProblemCode::PreconditionRequired);
    }
}
