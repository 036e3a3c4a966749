//! Macros that mount a page with its methods, its timeout, and the check that forms come from pages of this service. Each module mounts its own pages.

use actix_web::{HttpRequest, HttpResponse};

use super::session::see_other;
use crate::app::problem::{Problem, ProblemCode};

/// A page that is only read.
macro_rules! page {
    ($path:literal, $handler:path) => {
        $crate::http::router::resource(
            $path,
            [(::actix_web::http::Method::GET, $crate::http::extract::handler($handler))],
            ::actix_web::web::to(async || $crate::web::mounting::only("GET, HEAD")),
        )
        .wrap(::actix_web::middleware::from_fn($crate::http::middleware::deadline::limit))
    };
}

/// A page with a form, which is sent to the same path or to another one.
macro_rules! form {
    ($path:literal, $show:path, $send:path) => {
        $crate::http::router::resource(
            $path,
            [
                (::actix_web::http::Method::GET, $crate::http::extract::handler($show)),
                (::actix_web::http::Method::POST, $crate::http::extract::handler($send)),
            ],
            ::actix_web::web::to(async || $crate::web::mounting::only("GET, HEAD, POST")),
        )
        .wrap(::actix_web::middleware::from_fn($crate::web::session::recognise))
        .wrap(::actix_web::middleware::from_fn($crate::http::middleware::deadline::limit))
        .wrap(::actix_web::middleware::from_fn($crate::web::cross_site::refuse))
    };
}

/// An action of a button that has no page of its own. The answer to a refused action has its path, so a browser may load the path again: that leads to a
/// page near the button, mostly the one with it: `$page`, or the path without its last segment.
macro_rules! action {
    ($path:literal, $handler:path) => {
        action!($path, $handler, "")
    };
    ($path:literal, $handler:path, $page:literal) => {
        $crate::http::router::resource(
            $path,
            [
                (
                    ::actix_web::http::Method::GET,
                    ::actix_web::web::to(|req: ::actix_web::HttpRequest| {
                        ::std::future::ready($crate::web::mounting::to_page(&req, $page))
                    }),
                ),
                (::actix_web::http::Method::POST, $crate::http::extract::handler($handler)),
            ],
            ::actix_web::web::to(async || $crate::web::mounting::only("GET, HEAD, POST")),
        )
        .wrap(::actix_web::middleware::from_fn($crate::web::session::recognise))
        .wrap(::actix_web::middleware::from_fn($crate::http::middleware::deadline::limit))
        .wrap(::actix_web::middleware::from_fn($crate::web::cross_site::refuse))
    };
}

/// Redirects to a page near the button of an action. `page`: its path; if it contains parameters, it is the beginning of the path of the action. Empty:
/// that path without its last segment.
pub(in crate::web) fn to_page(req: &HttpRequest, page: &str) -> HttpResponse {
    see_other(&page_of(req.path(), page))
}

fn page_of(action: &str, page: &str) -> String {
    if page.is_empty() {
        return action.rsplit_once('/').map_or_else(String::new, |(page, _)| page.to_owned());
    }
    if !page.contains('{') {
        return page.to_owned();
    }
    let segments: Vec<&str> = action.split('/').take(page.split('/').count()).collect();
    segments.join("/")
}

/// The answer to a method that a path does not have.
pub(in crate::web) fn only(methods: &str) -> Result<&'static str, Problem> {
    Err(Problem::new(ProblemCode::MethodNotAllowed).allow(methods.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_path_of_an_action_leads_to_a_page_near_its_button() {
        for (action, page, expected) in [
            ("/decks/a/comments", "", "/decks/a"),
            ("/my/decks/new/file", "", "/my/decks/new"),
            ("/decks/a/comments/b/hide", "/decks/{deck}", "/decks/a"),
            ("/designers/%2F%2Fx/follow", "", "/designers/%2F%2Fx"),
            ("/logout", "/my/account", "/my/account"),
        ] {
            assert_eq!(page_of(action, page), expected, "{action}");
        }
    }
}
