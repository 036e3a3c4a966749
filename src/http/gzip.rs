//! Responses that are compressed at once, in one piece.
//!
//! Most clients accept gzip and brotli alike. Gzip takes a third of the processor time of brotli here, for a tenth more bytes, so it is used for all clients that
//! do not prefer brotli. Compression of what is left, such as streams and very long bodies, is up to the framework.

use std::io::Write as _;

use actix_web::HttpRequest;
use actix_web::body::{BoxBody, MessageBody as _};
use actix_web::dev::ServiceResponse;
use actix_web::http::StatusCode;
use actix_web::http::header::{
    self, AcceptEncoding, ContentEncoding, Encoding, Header as _, HeaderValue, Preference, Quality,
};
use actix_web::web::Bytes;
use flate2::Compression;
use flate2::write::GzEncoder;

/// Longest body that is compressed on the thread that answers requests, in bytes: about a millisecond.
pub(super) const LONGEST: usize = 256 * 1024;

/// The level of compression: twice the time of the lowest one, for a quarter fewer bytes.
const LEVEL: u32 = 3;

/// Whether to send gzip: the client accepts it, and likes no other encoding that the service has better (RFC 9110, 12.5.3).
pub(super) fn is_preferred(req: &HttpRequest) -> bool {
    if !req.headers().contains_key(header::ACCEPT_ENCODING) {
        return false;
    }
    let Ok(accepted) = AcceptEncoding::parse(req) else { return false };
    let quality = |wanted: ContentEncoding| {
        let is_it =
            |item: &Preference<Encoding>| *item == Preference::Specific(Encoding::Known(wanted));
        accepted.0.iter().find(|listed| is_it(&listed.item)).map_or(Quality::ZERO, |it| it.quality)
    };
    let gzip = quality(ContentEncoding::Gzip);
    gzip > Quality::ZERO
        && [ContentEncoding::Brotli, ContentEncoding::Deflate, ContentEncoding::Identity]
            .into_iter()
            .all(|other| quality(other) <= gzip)
}

/// The body as gzip. The same body gives the same bytes, so that an ETag names them.
pub(super) fn gzip(body: &[u8]) -> Bytes {
    let mut encoder =
        GzEncoder::new(Vec::with_capacity(body.len() / 3 + 64), Compression::new(LEVEL));
    // Writing to a vector does not fail.
    let written = encoder.write_all(body).and_then(|()| encoder.finish());
    written.map(Bytes::from).unwrap_or_default()
}

/// Compresses the body of a response, if that is worth it and the client prefers gzip.
pub(super) fn compress(response: ServiceResponse<BoxBody>) -> ServiceResponse<BoxBody> {
    let headers = response.headers();
    // A part of a body (206) is one of the uncompressed bytes.
    if response.status() == StatusCode::PARTIAL_CONTENT
        || headers.contains_key(header::CONTENT_ENCODING)
        || !headers.get(header::CONTENT_TYPE).is_some_and(|name| is_text(name.as_bytes()))
        || !is_preferred(response.request())
    {
        return response;
    }
    let mut is_gzip = false;
    let mut response = response.map_body(|_, body| match body.try_into_bytes() {
        Ok(bytes) if (1..=LONGEST).contains(&bytes.len()) => {
            is_gzip = true;
            BoxBody::new(gzip(&bytes))
        }
        Ok(bytes) => BoxBody::new(bytes),
        Err(body) => body,
    });
    if is_gzip {
        response.headers_mut().insert(header::CONTENT_ENCODING, HeaderValue::from_static("gzip"));
    }
    response
}

/// Whether a media type is one of texts. Others, such as pictures, are compressed already.
pub(super) fn is_text(media_type: &[u8]) -> bool {
    let name = media_type.split(|byte| *byte == b';').next().unwrap_or(media_type).trim_ascii();
    let subtypes: [&[u8]; 5] = [b"json", b"xml", b"javascript", b"yaml", b"toml"];
    name.starts_with(b"text/") || subtypes.iter().any(|subtype| name.ends_with(subtype))
}

#[cfg(test)]
mod tests {
    use std::io::Read as _;

    use actix_web::HttpResponse;
    use actix_web::test::TestRequest;

    use super::*;

    fn request(accepted: &str) -> TestRequest {
        TestRequest::default().insert_header((header::ACCEPT_ENCODING, accepted))
    }

    #[test]
    fn gzip_is_sent_to_clients_that_prefer_nothing_else() {
        for accepted in
            ["gzip", "gzip, deflate, br, zstd", "br, gzip", "br;q=0.5, gzip;q=0.5, *;q=0"]
        {
            assert!(is_preferred(&request(accepted).to_http_request()), "{accepted}");
        }
        for accepted in
            ["", "br", "identity", "gzip;q=0", "gzip;q=0.5, br", "gzip;q=0.9, identity", "*"]
        {
            assert!(!is_preferred(&request(accepted).to_http_request()), "{accepted}");
        }
        assert!(!is_preferred(&TestRequest::default().to_http_request()));
    }

    fn answer(content_type: &str, body: Vec<u8>) -> ServiceResponse<BoxBody> {
        let response = HttpResponse::Ok().content_type(content_type.to_owned()).body(body);
        compress(ServiceResponse::new(request("gzip").to_http_request(), response))
    }

    #[test]
    fn texts_are_compressed() {
        let text = "Pebblebrow Tortoise ".repeat(100).into_bytes();
        for name in [
            "application/json",
            "application/problem+json",
            "text/html; charset=utf-8",
            "image/svg+xml",
        ] {
            let response = answer(name, text.clone());
            assert_eq!(response.headers().get("content-encoding").unwrap(), "gzip", "{name}");
            let packed = response.into_body().try_into_bytes().unwrap();
            assert!(packed.len() < text.len() / 10);
            let mut unpacked = Vec::new();
            flate2::read::GzDecoder::new(&packed[..]).read_to_end(&mut unpacked).unwrap();
            assert_eq!(unpacked, text);
        }
    }

    #[test]
    fn other_bodies_are_left_as_they_are() {
        let long = vec![b'x'; LONGEST + 1];
        for (name, body) in
            [("image/png", vec![1; 9]), ("application/json", long), ("text/plain", Vec::new())]
        {
            let response = answer(name, body.clone());
            assert!(response.headers().get("content-encoding").is_none(), "{name}");
            assert_eq!(response.into_body().try_into_bytes().unwrap(), body);
        }
        let marked = HttpResponse::Ok()
            .insert_header((header::CONTENT_ENCODING, "identity"))
            .content_type("text/plain")
            .body("secret");
        let part = HttpResponse::PartialContent().content_type("text/plain").body("secret");
        for response in [marked, part] {
            let response =
                compress(ServiceResponse::new(request("gzip").to_http_request(), response));
            assert_eq!(response.into_body().try_into_bytes().unwrap(), "secret");
        }
    }
}
