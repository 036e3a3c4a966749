//! Security headers of all responses for browsers: what a page may load, and which sites may load the page.

use actix_web::HttpResponse;
use actix_web::http::header::{self, HeaderMap, HeaderName, HeaderValue};

/// Pages load only files of this service, and no inline styles or scripts.
const POLICY: HeaderValue = HeaderValue::from_static(
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; manifest-src 'self'; \
     form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
);

/// Other sites do not get the address of a page. Not `no-referrer`: forms of such a page are sent with `Origin: null` (Fetch, "append a request `Origin`
/// header"), and over plain http, where browsers send no `Sec-Fetch-Site`, nothing else shows which site a form came from.
const REFERRER_POLICY: HeaderValue = HeaderValue::from_static("same-origin");

const CROSS_ORIGIN_RESOURCE_POLICY: HeaderName =
    HeaderName::from_static("cross-origin-resource-policy");
const CROSS_ORIGIN_OPENER_POLICY: HeaderName =
    HeaderName::from_static("cross-origin-opener-policy");

/// Adds the policy of pages to a response.
pub(super) fn protected(mut answer: HttpResponse) -> HttpResponse {
    let headers = answer.headers_mut();
    headers.insert(header::CONTENT_SECURITY_POLICY, POLICY);
    headers.insert(header::REFERRER_POLICY, REFERRER_POLICY);
    stay_apart(headers);
    answer
}

/// Prevents pages of other sites from loading this response, and from keeping a reference to its window.
pub(in crate::web) fn stay_apart(headers: &mut HeaderMap) {
    headers.insert(CROSS_ORIGIN_RESOURCE_POLICY, HeaderValue::from_static("same-origin"));
    headers.insert(CROSS_ORIGIN_OPENER_POLICY, HeaderValue::from_static("same-origin"));
}
