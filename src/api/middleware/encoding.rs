//! An ETag for each content encoding: a strong tag names bytes, and compressed bytes are other bytes (RFC 9110, 8.8.3.3).

use actix_web::Error;
use actix_web::body::{EitherBody, MessageBody};
use actix_web::dev::{ServiceRequest, ServiceResponse};
use actix_web::http::{StatusCode, header};
use actix_web::middleware::Next;

use super::problems::request_id;
use crate::api::problem::{Problem, ProblemCode};

/// Appends the encoding's name to the tag of a compressed answer. Sits outside of compression. Whoever must not be compressed says that
/// the content encoding is `identity`, which ends here.
pub async fn tag<B: MessageBody>(
    req: ServiceRequest,
    next: Next<B>,
) -> Result<ServiceResponse<EitherBody<B>>, Error> {
    let response = next.call(req).await?;
    // Compression refuses by itself whoever takes neither of its encodings nor plain bytes.
    if response.status() == StatusCode::NOT_ACCEPTABLE {
        let id = request_id(response.request());
        let answer = Problem::new(ProblemCode::NotAcceptable).respond(id.as_deref());
        return Ok(response.into_response(answer).map_into_right_body());
    }
    let mut response = response.map_into_left_body();
    let headers = response.headers_mut();
    // Also of an answer that was not compressed: for another client it would be.
    let named = headers.get_all(header::VARY).any(|value| {
        value.to_str().is_ok_and(|value| value.to_ascii_lowercase().contains("accept-encoding"))
    });
    if !named {
        headers.append(header::VARY, header::HeaderValue::from_static("Accept-Encoding"));
    }
    let suffix = match headers.get(header::CONTENT_ENCODING).map(header::HeaderValue::as_bytes) {
        Some(b"gzip") => "-gzip",
        Some(b"br") => "-br",
        // What asked not to be compressed. On the wire the word means nothing (RFC 9110, 8.4.1).
        Some(b"identity") => {
            headers.remove(header::CONTENT_ENCODING);
            return Ok(response);
        }
        _ => return Ok(response),
    };
    let tag = headers
        .get(header::ETAG)
        .and_then(|tag| tag.to_str().ok()?.strip_suffix('"').map(str::to_owned));
    if let Some(tag) = tag
        && let Ok(value) = format!("{tag}{suffix}\"").parse()
    {
        headers.insert(header::ETAG, value);
    }
    Ok(response)
}
