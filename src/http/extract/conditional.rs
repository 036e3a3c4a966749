//! Conditional requests (RFC 9110, section 13) and caching.

use std::future::{Ready, ready};

use actix_web::dev::Payload;
use actix_web::http::StatusCode;
use actix_web::http::header::{self, HeaderName, HeaderValue};
use actix_web::web::Bytes;
use actix_web::{FromRequest, HttpRequest, HttpResponse};
use chrono::{DateTime, Utc};
use serde::Serialize;

use crate::app::problem::{Problem, ProblemCode};
use crate::app::versions::{IfMatch, IfNoneMatch, ListedTag, Revision, TEXT, Version, Versions};
use crate::http::gzip;
use crate::memory::rendered::{ANSWER_CAPACITY, Freshness, JSON, PLAIN, Rendered, tag_of, to_json};

/// A 200 with a strong ETag of the response, or a 304 if the client has the same response.
///
/// The tag is a hash of the response, so it reveals no more than the response.
pub fn cacheable<T: Serialize>(
    req: &HttpRequest,
    freshness: Freshness,
    modified: Option<DateTime<Utc>>,
    value: &T,
) -> Result<HttpResponse, Problem> {
    Ok(Rendered::list(freshness, modified, value)?.answer(req))
}

impl Rendered {
    /// A 200, or a 304 if the client has the response already.
    pub fn answer(&self, req: &HttpRequest) -> HttpResponse {
        let known = listed_tags(req, &header::IF_NONE_MATCH).find(|listed| listed.names(&self.tag));
        let mut response =
            if known.is_some() { HttpResponse::NotModified() } else { HttpResponse::Ok() };
        // A 304 repeats the tag that the client sent, which may name another content encoding.
        match known.as_ref().and_then(|listed| listed.written.as_deref()) {
            Some(written) => response.insert_header((header::ETAG, format!("\"{written}\""))),
            None => response.insert_header((header::ETAG, header_value(&self.etag))),
        };
        response.insert_header((header::CACHE_CONTROL, header_value(&self.cache_control)));
        response.insert_header((header::VARY, HeaderValue::from_static("Authorization")));
        if let Some(modified) = &self.modified {
            response.insert_header((header::LAST_MODIFIED, header_value(modified)));
        }
        if let Some(link) = &self.link {
            response.insert_header((header::LINK, header_value(link)));
        }
        if known.is_some() {
            return response.finish();
        }
        response.insert_header((header::CONTENT_TYPE, header_value(&self.media_type)));
        match self.compressed_for(req) {
            Some(compressed) => {
                response
                    .insert_header((header::CONTENT_ENCODING, HeaderValue::from_static("gzip")));
                response.body(compressed)
            }
            None => response.body(self.body.clone()),
        }
    }

    /// The compressed body of a cached response, if the client prefers it; the first such client waits until it is made. Otherwise [`gzip::compress`] decides.
    fn compressed_for(&self, req: &HttpRequest) -> Option<Bytes> {
        let compressed = self.compressed()?;
        if !gzip::is_preferred(req) {
            return None;
        }
        compressed.get_or_init(|| gzip::gzip(&self.body)).clone()
    }
}

/// A header value that was created with the response. It is validated without copying it.
fn header_value(value: &Bytes) -> HeaderValue {
    HeaderValue::from_maybe_shared(value.clone()).unwrap_or(HeaderValue::from_static(""))
}

/// The response to an edit: the new state, with the ETag that a GET returns.
pub fn edited<T: Serialize>(status: StatusCode, value: &T) -> Result<HttpResponse, Problem> {
    let body = to_json(value, ANSWER_CAPACITY)?;
    Ok(HttpResponse::build(status)
        .insert_header((header::ETAG, format!("\"{}\"", tag_of(&body))))
        .insert_header((header::CACHE_CONTROL, "private, no-cache"))
        .content_type("application/json")
        .body(body))
}

/// Like [`cacheable`], for the plain-text form of a response that has a JSON form, too.
pub fn cacheable_text(
    req: &HttpRequest,
    freshness: Freshness,
    modified: Option<DateTime<Utc>>,
    text: String,
) -> HttpResponse {
    Rendered::text(freshness, modified, text).answer(req)
}

impl Revision {
    /// The `ETag` header of the response to a write.
    pub fn header(self) -> (HeaderName, String) {
        Version::from(self).header()
    }

    /// A private 200 with this version's ETag, or a 304.
    pub fn answer<T: Serialize>(
        self,
        req: &HttpRequest,
        value: &T,
    ) -> Result<HttpResponse, Problem> {
        let body = to_json(value, ANSWER_CAPACITY)?;
        Ok(conditional(req, &self.tag(), Freshness::Private, None, JSON, body))
    }

    /// A response that also depends on some counts: if they change, the ETag changes.
    pub fn answer_counted<T: Serialize>(
        self,
        req: &HttpRequest,
        freshness: Freshness,
        counts: &[i64],
        value: &T,
    ) -> Result<HttpResponse, Problem> {
        Version::from(self).answer_counted(req, freshness, counts, value)
    }

    /// A public 200 with this version's ETag, or a 304.
    pub fn answer_public<T: Serialize>(
        self,
        req: &HttpRequest,
        value: &T,
    ) -> Result<HttpResponse, Problem> {
        let body = to_json(value, ANSWER_CAPACITY)?;
        Ok(conditional(req, &self.tag(), Freshness::Public(0), None, JSON, body))
    }

    /// A public file with this version's ETag, or a 304.
    pub fn answer_file(
        self,
        req: &HttpRequest,
        media_type: &'static str,
        text: String,
    ) -> HttpResponse {
        conditional(req, &self.tag(), Freshness::Public(0), None, media_type, text.into_bytes())
    }
}

impl Version {
    /// The `ETag` header of the response to a write.
    pub fn header(self) -> (HeaderName, String) {
        self.header_counted(&[])
    }

    /// The same for a response that also depends on some counts: the header that a later read gets.
    pub fn header_counted(self, counts: &[i64]) -> (HeaderName, String) {
        (header::ETAG, format!("\"{}\"", self.tag_with(counts)))
    }

    /// A response that also depends on some counts: if they change, the ETag changes.
    pub fn answer_counted<T: Serialize>(
        self,
        req: &HttpRequest,
        freshness: Freshness,
        counts: &[i64],
        value: &T,
    ) -> Result<HttpResponse, Problem> {
        let body = to_json(value, ANSWER_CAPACITY)?;
        Ok(conditional(req, &self.tag_with(counts), freshness, None, JSON, body))
    }

    /// The plain-text form. Its bytes differ, so its ETag does, too: `"r7-text"`, or `"r7+12-text"` with counts. In `If-Match` it names the same version.
    pub fn answer_text(self, req: &HttpRequest, counts: &[i64], text: String) -> HttpResponse {
        let tag = self.tag_with(counts) + TEXT;
        conditional(req, &tag, Freshness::Private, None, PLAIN, text.into_bytes())
    }
}

fn conditional(
    req: &HttpRequest,
    tag: &str,
    freshness: Freshness,
    modified: Option<DateTime<Utc>>,
    media_type: &'static str,
    body: Vec<u8>,
) -> HttpResponse {
    Rendered::with_tag(tag, freshness, modified, media_type, body).answer(req)
}

fn listed_tags(req: &HttpRequest, name: &HeaderName) -> impl Iterator<Item = ListedTag> {
    let values = req.headers().get_all(name).filter_map(|value| value.to_str().ok());
    values.flat_map(|value| value.split(',')).filter_map(ListedTag::read)
}

/// The tags of `If-Match`; `None`: there is no such header. An invalid tag is a 400: otherwise it would look like an old version.
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

/// The result of the conditions of a read of a file, which are evaluated before `Range` (RFC 9110, 13.2.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Condition {
    /// There are no conditions, or they are true.
    Holds,
    /// The client has this version: 304.
    Known,
    /// It is not the version that the client requested: 412.
    Another,
}

impl Condition {
    /// `tag` is the tag of the file.
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

impl FromRequest for IfMatch {
    type Error = Problem;
    type Future = Ready<Result<Self, Problem>>;

    fn from_request(req: &HttpRequest, _: &mut Payload) -> Self::Future {
        let tags = tags_of_if_match(req);
        let required = || Problem::new(ProblemCode::PreconditionRequired);
        ready(tags.and_then(|tags| tags.map(Self).ok_or_else(required)))
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
    fn a_read_may_require_one_version() {
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
    async fn an_edit_names_its_version() {
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
        assert!(!check("\"r7.1764412345000000\"", 7).await);
        let taken_down_at = DateTime::from_timestamp_micros(1_764_412_345_000_000);
        let down = Version { revision: Revision(7), taken_down_at, folder: 0 };
        assert_eq!(down.tag(), "r7.1764412345000000");
        for version in ["7.1764412345000000", down.in_form().as_str()] {
            assert!(IfMatch::of_form(version).check(down).is_ok(), "{version}");
        }
        let is_down = |tag: &str| IfMatch::naming(tag).check(down).is_ok();
        assert!(is_down("r7.1764412345000000") && is_down("r7.1764412345000000+1.0-text-gzip"));
        for version in ["7", "7.1764412345000001", "6.1764412345000000", ""] {
            assert!(IfMatch::of_form(version).check(down).is_err(), "{version}");
        }
        // A deck was moved into a folder, which is no new revision.
        let filed = Version { folder: 0xa1, ..Version::from(Revision(7)) };
        assert_eq!(filed.tag(), "r7~a1");
        assert_eq!(filed.without_folder().tag(), "r7");
        for version in ["7~a1", "7"] {
            assert!(IfMatch::of_form(version).check(filed).is_ok(), "{version}");
        }
        for version in ["7~0", "7~a2", "6~a1", "6", ""] {
            assert!(IfMatch::of_form(version).check(filed).is_err(), "{version}");
        }
        // A tag without a digest names the version without a folder. The text of a deck never has one.
        for (tag, is_filed) in [
            ("r7~a1", true),
            ("r7~a1+1.0-gzip", true),
            ("r7-text", true),
            ("r7+1.0-text-br", true),
            ("r7", false),
            ("r7+1.0", false),
            ("r7~0", false),
        ] {
            let named = IfMatch::naming(tag);
            let checked = [named.check(filed).is_ok(), named.check(Revision(7)).is_ok()];
            assert_eq!(checked, [is_filed, !tag.contains("a1")], "{tag}");
            // Who has read only the text does not know the folder, so an edit that replaces the folder needs another tag.
            let named = named.with_folder();
            let checked = [named.check(filed).is_ok(), named.check(Revision(7)).is_ok()];
            assert_eq!(checked, [tag.contains("a1"), !tag.contains("a1")], "{tag}");
        }
        // Only forms name a version in any folder.
        assert!(IfMatch::naming("r7~*").check(filed).is_err());
        assert!(!check("\"r7~*\"", 7).await);
        assert!(IfMatch::of_form("7~*").check(filed).is_err());
        assert_eq!((filed.in_form().as_str(), &*filed.folder_in_form()), ("7", "a1"));
        assert_eq!(filed.without_folder().folder_in_form(), "0");
        let sent = IfMatch::of_form_with_folder;
        // A form of an older program has no second field.
        for (version, folder) in [("7", "a1"), ("7", ""), ("7~a1", "")] {
            assert!(sent(version, folder).check(filed).is_ok(), "{version} {folder}");
        }
        for (version, folder) in [("7", "0"), ("7", "a2"), ("6", "a1"), ("6", ""), ("7~a2", "a1")] {
            assert!(sent(version, folder).check(filed).is_err(), "{version} {folder}");
        }
        assert!(sent("7", "0").check(Revision(7)).is_ok());
        assert!(sent("7.1764412345000000", "0").check(down).is_ok());
        assert!(filed.if_match().check(filed).is_ok());
        assert!(filed.if_match().check(filed.without_folder()).is_err());
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
