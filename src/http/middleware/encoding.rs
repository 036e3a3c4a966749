//! An ETag for each content encoding: a strong tag names bytes, and compressed bytes are other bytes (RFC 9110, 8.8.3.3).

use actix_web::body::BoxBody;
use actix_web::dev::ServiceResponse;
use actix_web::http::{StatusCode, header};

use crate::app::problem::{Problem, ProblemCode};

/// Appends the encoding's name to the tag of a compressed answer. Comes after compression. Whoever must not be compressed says that
/// the content encoding is `identity`, which ends here.
pub fn tag(mut response: ServiceResponse<BoxBody>) -> ServiceResponse<BoxBody> {
    // Compression refuses by itself whoever takes neither of its encodings nor plain bytes.
    if response.status() == StatusCode::NOT_ACCEPTABLE {
        return response.into_response(Problem::new(ProblemCode::NotAcceptable).respond());
    }
    let headers = response.headers_mut();
    // Also of an answer that was not compressed: for another client it would be.
    let named = headers.get_all(header::VARY).any(|value| names_encoding(value.as_bytes()));
    if !named {
        headers.append(header::VARY, header::HeaderValue::from_static("Accept-Encoding"));
    }
    let suffix = match headers.get(header::CONTENT_ENCODING).map(header::HeaderValue::as_bytes) {
        Some(b"gzip") => "-gzip",
        Some(b"br") => "-br",
        // What asked not to be compressed. On the wire the word means nothing (RFC 9110, 8.4.1).
        Some(b"identity") => {
            headers.remove(header::CONTENT_ENCODING);
            return response;
        }
        _ => return response,
    };
    let tag = headers
        .get(header::ETAG)
        .and_then(|tag| tag.to_str().ok()?.strip_suffix('"').map(str::to_owned));
    if let Some(tag) = tag
        && let Ok(value) = format!("{tag}{suffix}\"").parse()
    {
        headers.insert(header::ETAG, value);
    }
    response
}

/// Whether a list of header names has `Accept-Encoding`.
fn names_encoding(names: &[u8]) -> bool {
    names
        .split(|byte| *byte == b',')
        .any(|name| name.trim_ascii().eq_ignore_ascii_case(b"accept-encoding"))
}
