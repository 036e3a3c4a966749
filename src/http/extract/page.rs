//! The page of a list that a client requests, and the `Link` to the next page.

use actix_web::http::header::{self, HeaderValue};
use actix_web::{HttpRequest, HttpResponse};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use utoipa::IntoParams;

use super::conditional::cacheable;
use crate::app::page::{Cursor, Page, PageLimit};
use crate::app::problem::Problem;
use crate::memory::rendered::{Freshness, Rendered};

/// Which part of the list.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct PageQuery {
    /// Items on a page: 1 to 200.
    #[serde(default)]
    #[param(value_type = Option<u16>, minimum = 1, maximum = 200, default = 50)]
    pub limit: PageLimit,
    /// `next_cursor` of the previous page.
    #[param(value_type = Option<String>)]
    pub cursor: Option<Cursor>,
}

impl PageQuery {
    /// The key of the last item of the page before. A cursor of another list is a 400.
    pub fn after<K: DeserializeOwned>(&self) -> Result<Option<K>, Problem> {
        self.cursor.as_ref().map(Cursor::key).transpose()
    }
}

impl<T: Serialize> Page<T> {
    /// Renders the page, with a `Link` (RFC 8288) to the next.
    pub fn render(&self, req: &HttpRequest, freshness: Freshness) -> Result<Rendered, Problem> {
        Ok(Rendered::list(freshness, None, self)?.with_link(self.link(req)))
    }

    /// The page as a cacheable response, with a `Link` (RFC 8288) to the next.
    pub fn answer(&self, req: &HttpRequest, freshness: Freshness) -> Result<HttpResponse, Problem> {
        Ok(self.linked(req, cacheable(req, freshness, None, self)?))
    }
}

impl<T> Page<T> {
    /// The `Link` (RFC 8288) to the next page, if there is one.
    pub fn link(&self, req: &HttpRequest) -> Option<String> {
        self.next_cursor.as_deref().map(|cursor| next_link(req, cursor))
    }

    /// Adds a `Link` (RFC 8288) to the next page to a response that has the page.
    pub fn linked(&self, req: &HttpRequest, response: HttpResponse) -> HttpResponse {
        linked(req, self.next_cursor.as_deref(), response)
    }
}

/// Adds a `Link` (RFC 8288) to the next page to a response, if there is a next page.
pub fn linked(
    req: &HttpRequest,
    next_cursor: Option<&str>,
    mut response: HttpResponse,
) -> HttpResponse {
    let link = next_cursor.map(|cursor| next_link(req, cursor));
    if let Some(link) = link.and_then(|link| HeaderValue::try_from(link).ok()) {
        response.headers_mut().insert(header::LINK, link);
    }
    response
}

fn next_link(req: &HttpRequest, cursor: &str) -> String {
    // The name of the old cursor may be percent-encoded.
    let others = req.query_string().split('&').filter(|pair| {
        let read = form_urlencoded::parse(pair.as_bytes()).next();
        read.is_some_and(|(name, _)| name != "cursor")
    });
    let query: Vec<String> =
        others.map(str::to_owned).chain([format!("cursor={cursor}")]).collect();
    format!("<{}?{}>; rel=\"next\"", req.path(), query.join("&"))
}

#[cfg(test)]
mod tests {
    use actix_web::test::TestRequest;

    use super::*;

    #[test]
    fn the_link_to_the_next_page_replaces_the_cursor() {
        for (query, expected) in [
            ("", "cursor=new"),
            ("?q=t%3Afire&&limit=5", "q=t%3Afire&limit=5&cursor=new"),
            ("?cursor=old&limit=5", "limit=5&cursor=new"),
            ("?limit=5&curso%72=old", "limit=5&cursor=new"),
            ("?cursors=1&q=cursor", "cursors=1&q=cursor&cursor=new"),
        ] {
            let req = TestRequest::with_uri(&format!("/v1/cards{query}")).to_http_request();
            let link = format!("</v1/cards?{expected}>; rel=\"next\"");
            assert_eq!(next_link(&req, "new"), link, "{query}");
        }
    }
}
