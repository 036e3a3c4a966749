//! An ETag for each content encoding: a strong tag names bytes, and compressed bytes are other bytes (RFC 9110, 8.8.3.3).

use actix_web::Error;
use actix_web::body::MessageBody;
use actix_web::dev::{ServiceRequest, ServiceResponse};
use actix_web::http::header;
use actix_web::middleware::Next;

/// Appends the encoding's name to the tag of a compressed answer. Sits outside of compression.
pub async fn tag<B: MessageBody>(
    req: ServiceRequest,
    next: Next<B>,
) -> Result<ServiceResponse<B>, Error> {
    let mut response = next.call(req).await?;
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
