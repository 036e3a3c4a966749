//! Refuses requests that pages of other sites send: the browser of a logged-in visitor would attach its cookie to them.

use actix_web::Error;
use actix_web::body::{BoxBody, MessageBody};
use actix_web::dev::{ServiceRequest, ServiceResponse};
use actix_web::http::Method;
use actix_web::http::header::{self, HeaderMap};
use actix_web::middleware::Next;
use actix_web::web;

use crate::app::problem::{Problem, ProblemCode};
use crate::app::state::AppState;

/// Accepts all safe requests, and other requests only if a page of this service has sent them; the rest gets a 403.
pub(super) async fn refuse<B: MessageBody + 'static>(
    req: ServiceRequest,
    next: Next<B>,
) -> Result<ServiceResponse<BoxBody>, Error> {
    let is_read = matches!(*req.method(), Method::GET | Method::HEAD);
    let public_url = req
        .app_data::<web::Data<AppState>>()
        .and_then(|state| state.settings.public_url.as_deref());
    if is_read || is_same_origin(req.headers(), public_url) {
        return Ok(next.call(req).await?.map_into_boxed_body());
    }
    tracing::warn!("a page of another site has sent a form");
    Ok(req.into_response(Problem::new(ProblemCode::Forbidden).respond()))
}

/// Whether a page of this service has sent the request. Browsers state it (Fetch Metadata); older browsers send the origin. A client that sends neither is not
/// a current browser. It has no cookie to protect, but is refused, too.
fn is_same_origin(headers: &HeaderMap, public_url: Option<&str>) -> bool {
    let text = |name| headers.get(name).and_then(|value| value.to_str().ok());
    if let Some(site) = headers.get("sec-fetch-site") {
        return site.as_bytes() == b"same-origin";
    }
    let Some(origin) = text(header::ORIGIN.as_str()) else { return false };
    match public_url {
        Some(public) => origin == public,
        None => text(header::HOST.as_str()).is_some_and(|host| {
            let named = origin.strip_prefix("http://").or_else(|| origin.strip_prefix("https://"));
            named == Some(host)
        }),
    }
}

#[cfg(test)]
mod tests {
    use actix_web::test::TestRequest;

    use super::*;

    fn is_ours(headers: &[(&'static str, &str)], public_url: Option<&str>) -> bool {
        let mut request = TestRequest::post();
        for (name, value) in headers {
            request = request.insert_header((*name, *value));
        }
        is_same_origin(request.to_http_request().headers(), public_url)
    }

    #[test]
    fn the_site_of_a_request_is_read_from_fetch_metadata() {
        assert!(is_ours(&[("sec-fetch-site", "same-origin")], None));
        for site in ["same-site", "cross-site", "none", ""] {
            let headers = [("sec-fetch-site", site), ("origin", "http://a"), ("host", "a")];
            assert!(!is_ours(&headers, None), "{site}");
        }
    }

    #[test]
    fn older_browsers_send_the_origin() {
        let public = Some("https://cards.example");
        assert!(is_ours(&[("origin", "https://cards.example")], public));
        assert!(!is_ours(&[("origin", "http://cards.example")], public));
        assert!(!is_ours(&[("origin", "https://cards.example.evil.example")], public));
        assert!(is_ours(&[("origin", "http://a:1"), ("host", "a:1")], None));
        assert!(!is_ours(&[("origin", "http://b:1"), ("host", "a:1")], None));
        assert!(!is_ours(&[("origin", "null"), ("host", "a:1")], None));
        assert!(!is_ours(&[("host", "a:1")], None));
    }
}
