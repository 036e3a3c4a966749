//! Which pages have sent a request: those of this service, or those of other sites.

use actix_web::http::header::{self, HeaderMap};

/// The header of browsers about the site of the page that sends a request (Fetch Metadata).
const FETCH_SITE: &str = "sec-fetch-site";

/// Whether a page of this service has sent the request. Browsers state it (Fetch Metadata); older browsers send the origin. A client that sends neither is not
/// a current browser.
pub fn is_same_origin(headers: &HeaderMap, public_url: Option<&str>) -> bool {
    let text = |name| headers.get(name).and_then(|value| value.to_str().ok());
    if let Some(site) = headers.get(FETCH_SITE) {
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

/// Whether a browser states that a page of another site has sent the request. Other clients send neither header.
pub fn is_cross_site(headers: &HeaderMap, public_url: Option<&str>) -> bool {
    // `none`: the user has sent the request, not a page.
    let is_of_a_page = headers.contains_key(header::ORIGIN)
        || headers.get(FETCH_SITE).is_some_and(|site| site.as_bytes() != b"none");
    is_of_a_page && !is_same_origin(headers, public_url)
}

#[cfg(test)]
mod tests {
    use actix_web::test::TestRequest;

    use super::*;

    const PUBLIC: Option<&str> = Some("https://cards.example");

    fn judged(
        is_such: fn(&HeaderMap, Option<&str>) -> bool,
        headers: &[(&'static str, &str)],
        public_url: Option<&str>,
    ) -> bool {
        let mut request = TestRequest::post();
        for (name, value) in headers {
            request = request.insert_header((*name, *value));
        }
        is_such(request.to_http_request().headers(), public_url)
    }

    fn is_ours(headers: &[(&'static str, &str)], public_url: Option<&str>) -> bool {
        judged(is_same_origin, headers, public_url)
    }

    fn is_foreign(headers: &[(&'static str, &str)]) -> bool {
        judged(is_cross_site, headers, PUBLIC)
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
        assert!(is_ours(&[("origin", "https://cards.example")], PUBLIC));
        assert!(!is_ours(&[("origin", "http://cards.example")], PUBLIC));
        assert!(!is_ours(&[("origin", "https://cards.example.evil.example")], PUBLIC));
        assert!(is_ours(&[("origin", "http://a:1"), ("host", "a:1")], None));
        assert!(!is_ours(&[("origin", "http://b:1"), ("host", "a:1")], None));
        assert!(!is_ours(&[("origin", "null"), ("host", "a:1")], None));
        assert!(!is_ours(&[("host", "a:1")], None));
    }

    #[test]
    fn only_browsers_state_that_a_page_of_another_site_sends() {
        assert!(!is_foreign(&[("host", "cards.example")]), "not a browser");
        assert!(!is_foreign(&[("sec-fetch-site", "same-origin")]));
        assert!(!is_foreign(&[("sec-fetch-site", "none")]), "the user");
        assert!(!is_foreign(&[("origin", "https://cards.example")]));
        for headers in [
            [("sec-fetch-site", "cross-site"), ("host", "cards.example")],
            [("sec-fetch-site", "same-site"), ("host", "cards.example")],
            [("sec-fetch-site", "cross-site"), ("origin", "null")],
            [("origin", "https://evil.example"), ("host", "evil.example")],
            [("origin", "null"), ("host", "cards.example")],
        ] {
            assert!(is_foreign(&headers), "{headers:?}");
        }
    }
}
