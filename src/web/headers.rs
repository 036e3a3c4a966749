//! What browsers are told of everything here: what it may load, and who may load it.

use actix_web::HttpResponse;
use actix_web::http::header::{self, HeaderMap, HeaderName, HeaderValue};

/// What pages load: files of this service, and nothing that stands in the page itself.
const POLICY: HeaderValue = HeaderValue::from_static(
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; manifest-src 'self'; \
     form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
);

/// Other sites are told of no address. Not `no-referrer`: forms of such a page come with `Origin: null` (Fetch, "append a request `Origin` header"), and over plain
/// http, where browsers send no `Sec-Fetch-Site`, nothing else says where a form came from.
const REFERRER_POLICY: HeaderValue = HeaderValue::from_static("same-origin");

const CROSS_ORIGIN_RESOURCE_POLICY: HeaderName =
    HeaderName::from_static("cross-origin-resource-policy");
const CROSS_ORIGIN_OPENER_POLICY: HeaderName =
    HeaderName::from_static("cross-origin-opener-policy");

/// The same answer with the policy of pages.
pub(super) fn protected(mut answer: HttpResponse) -> HttpResponse {
    let headers = answer.headers_mut();
    headers.insert(header::CONTENT_SECURITY_POLICY, POLICY);
    headers.insert(header::REFERRER_POLICY, REFERRER_POLICY);
    stay_apart(headers);
    answer
}

/// Keeps pages of other sites from loading this answer, and from holding on to its window.
pub(in crate::web) fn stay_apart(headers: &mut HeaderMap) {
    headers.insert(CROSS_ORIGIN_RESOURCE_POLICY, HeaderValue::from_static("same-origin"));
    headers.insert(CROSS_ORIGIN_OPENER_POLICY, HeaderValue::from_static("same-origin"));
}
