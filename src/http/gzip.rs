//! Responses that are compressed at once, in one piece.
//!
//! Most clients accept gzip and brotli alike. Gzip takes less processor time than brotli, 0.4 to 0.95 of it, for up to a tenth more bytes, so it is used for all
//! clients that do not prefer another encoding. Compression of what is left, such as streams and very long bodies, is up to the framework
//! (docs/decisions/0201-compress-in-one-piece.md).

use std::cell::RefCell;

use actix_web::HttpRequest;
use actix_web::body::{BodySize, BoxBody, MessageBody as _};
use actix_web::dev::ServiceResponse;
use actix_web::http::StatusCode;
use actix_web::http::header::{
    self, AcceptEncoding, ContentEncoding, Encoding, Header as _, HeaderValue, Preference, Quality,
};
use actix_web::web::Bytes;
use flate2::{Compress, Compression, FlushCompress, Status};

use crate::memory::rendered::is_compressible;

/// The level of compression: twice the time of the lowest one, for a quarter fewer bytes.
const LEVEL: u32 = 3;
/// Base-2 logarithm of the size of the window (RFC 1952 allows up to 15).
const WINDOW: u8 = 15;

thread_local! {
    // Kept, because it has 300 KiB of memory that is otherwise obtained and cleared for each response.
    static COMPRESSOR: RefCell<Compress> = RefCell::new(Compress::new_gzip(Compression::new(LEVEL), WINDOW));
}

/// Whether to send gzip: the client accepts it, and likes no other encoding that the service has better (RFC 9110, 12.5.3). An encoding that is listed more than
/// once has the highest of its weights, as in the framework.
pub(super) fn is_preferred(req: &HttpRequest) -> bool {
    if !req.headers().contains_key(header::ACCEPT_ENCODING) {
        return false;
    }
    let Ok(accepted) = AcceptEncoding::parse(req) else { return false };
    let quality = |wanted: ContentEncoding| {
        let wanted = Preference::Specific(Encoding::Known(wanted));
        let listed = accepted.0.iter().filter(|listed| listed.item == wanted);
        listed.map(|listed| listed.quality).max().unwrap_or(Quality::ZERO)
    };
    let gzip = quality(ContentEncoding::Gzip);
    gzip > Quality::ZERO
        && [ContentEncoding::Brotli, ContentEncoding::Deflate, ContentEncoding::Identity]
            .into_iter()
            .all(|other| quality(other) <= gzip)
}

/// The body as gzip. The same body gives the same bytes, so that an ETag names them. `None`: it cannot be compressed.
pub(super) fn gzip(body: &[u8]) -> Option<Bytes> {
    COMPRESSOR.with_borrow_mut(|compressor| {
        compressor.reset();
        // More than the longest result: a body that cannot be made shorter grows by five bytes for every 16 KiB, a header and a trailer.
        let mut packed = Vec::with_capacity(body.len() + body.len() / 1_000 + 64);
        let status = compressor.compress_vec(body, &mut packed, FlushCompress::Finish).ok()?;
        (status == Status::StreamEnd).then(|| Bytes::from(packed.into_boxed_slice()))
    })
}

/// Compresses the body of a response, if it is a text that is not too long and the client prefers gzip.
pub(super) fn compress(response: ServiceResponse<BoxBody>) -> ServiceResponse<BoxBody> {
    // A part of a body (206) is one of the uncompressed bytes.
    if response.status() == StatusCode::PARTIAL_CONTENT
        || response.headers().contains_key(header::CONTENT_ENCODING)
        || !is_short_text(&response)
        || !is_preferred(response.request())
    {
        return response;
    }
    let mut is_gzip = false;
    let mut response = response.map_body(|_, body| match body.try_into_bytes() {
        Ok(bytes) => match gzip(&bytes) {
            Some(packed) => {
                is_gzip = true;
                BoxBody::new(packed)
            }
            None => BoxBody::new(bytes),
        },
        Err(body) => body,
    });
    if is_gzip {
        response.headers_mut().insert(header::CONTENT_ENCODING, HeaderValue::from_static("gzip"));
    }
    response
}

fn is_short_text(response: &ServiceResponse<BoxBody>) -> bool {
    match (response.headers().get(header::CONTENT_TYPE), response.response().body().size()) {
        (Some(media_type), BodySize::Sized(length)) => usize::try_from(length)
            .is_ok_and(|length| is_compressible(media_type.as_bytes(), length)),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read as _;

    use actix_web::HttpResponse;
    use actix_web::test::TestRequest;

    use super::*;
    use crate::memory::rendered::LONGEST_COMPRESSED;

    fn request(accepted: &str) -> TestRequest {
        TestRequest::default().insert_header((header::ACCEPT_ENCODING, accepted))
    }

    #[test]
    fn gzip_is_sent_to_clients_that_prefer_nothing_else() {
        for accepted in [
            "gzip",
            "gzip, deflate, br, zstd",
            "br, gzip",
            "br;q=0.5, gzip;q=0.5, *;q=0",
            "gzip;q=0, gzip",
            "gzip;q=0.5, gzip, br;q=0.8",
        ] {
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
            assert_eq!(Some(&packed), gzip(&text).as_ref(), "the same body gives the same bytes");
            let mut unpacked = Vec::new();
            flate2::read::GzDecoder::new(&packed[..]).read_to_end(&mut unpacked).unwrap();
            assert_eq!(unpacked, text);
        }
    }

    /// Also bodies that compression cannot make shorter.
    #[test]
    fn bodies_of_all_lengths_are_compressed_completely() {
        let mut state = 1_u32;
        let mut noise = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            state.to_be_bytes()[0]
        };
        for length in [1, 2, 100, 16_383, 70_000, LONGEST_COMPRESSED] {
            let body: Vec<u8> = std::iter::repeat_with(&mut noise).take(length).collect();
            let packed = gzip(&body).unwrap();
            let mut unpacked = Vec::new();
            flate2::read::GzDecoder::new(&packed[..]).read_to_end(&mut unpacked).unwrap();
            assert!(unpacked == body, "{length}");
        }
    }

    /// The compressor is used again and again, and must not refer to the body of another response, which may be secret.
    #[test]
    fn compressed_bytes_do_not_depend_on_earlier_bodies() {
        let body = b"Pebblebrow Tortoise, Pebblebrow Heron";
        let first = gzip(body).unwrap();
        gzip(&b"Pebblebrow Heron and a secret ".repeat(3_000)).unwrap();
        assert_eq!(gzip(body).unwrap(), first);
        let other = std::thread::spawn(|| gzip(body).unwrap());
        assert_eq!(other.join().unwrap(), first, "on another thread");
    }

    #[test]
    fn other_bodies_are_left_as_they_are() {
        let long = vec![b'x'; LONGEST_COMPRESSED + 1];
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
