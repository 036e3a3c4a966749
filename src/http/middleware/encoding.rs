//! A different ETag for each content encoding: a strong tag names exact bytes, and compression changes the bytes (RFC 9110, 8.8.3.3).

use actix_web::body::BoxBody;
use actix_web::dev::ServiceResponse;
use actix_web::http::{StatusCode, header};

use crate::app::problem::{Problem, ProblemCode};

/// Appends the name of the encoding to the tag of a compressed response. Runs after compression. A response that must not be compressed has the content
/// encoding `identity`, which is removed here.
pub fn tag(mut response: ServiceResponse<BoxBody>) -> ServiceResponse<BoxBody> {
    // The compression itself refuses clients that accept neither its encodings nor uncompressed bytes.
    if response.status() == StatusCode::NOT_ACCEPTABLE {
        return response.into_response(Problem::new(ProblemCode::NotAcceptable).respond());
    }
    let headers = response.headers_mut();
    // Also for a response that was not compressed: it may be compressed for another client.
    let named = headers.get_all(header::VARY).any(|value| names_encoding(value.as_bytes()));
    if !named {
        headers.append(header::VARY, header::HeaderValue::from_static("Accept-Encoding"));
    }
    let suffix = match headers.get(header::CONTENT_ENCODING).map(header::HeaderValue::as_bytes) {
        Some(b"gzip") => "-gzip",
        Some(b"br") => "-br",
        Some(b"deflate") => "-deflate",
        // The response that must not be compressed. In a header the word has no meaning (RFC 9110, 8.4.1).
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

/// Whether a list of header names contains `Accept-Encoding`.
fn names_encoding(names: &[u8]) -> bool {
    names
        .split(|byte| *byte == b',')
        .any(|name| name.trim_ascii().eq_ignore_ascii_case(b"accept-encoding"))
}
