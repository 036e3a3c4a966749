//! Macros that mount a page with its methods, its timeout, and the check that forms come from pages of this service. Each module mounts its own pages.

use crate::app::problem::{Problem, ProblemCode};

/// A page that is only read.
macro_rules! page {
    ($path:literal, $handler:path) => {
        $crate::http::router::resource(
            $path,
            [(::actix_web::http::Method::GET, ::actix_web::web::to($handler))],
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
                (::actix_web::http::Method::GET, ::actix_web::web::to($show)),
                (::actix_web::http::Method::POST, ::actix_web::web::to($send)),
            ],
            ::actix_web::web::to(async || $crate::web::mounting::only("GET, HEAD, POST")),
        )
        .wrap(::actix_web::middleware::from_fn($crate::web::session::recognise))
        .wrap(::actix_web::middleware::from_fn($crate::http::middleware::deadline::limit))
        .wrap(::actix_web::middleware::from_fn($crate::web::cross_site::refuse))
    };
}

/// An action of a button that has no page of its own.
macro_rules! action {
    ($path:literal, $handler:path) => {
        $crate::http::router::resource(
            $path,
            [(::actix_web::http::Method::POST, ::actix_web::web::to($handler))],
            ::actix_web::web::to(async || $crate::web::mounting::only("POST")),
        )
        .wrap(::actix_web::middleware::from_fn($crate::web::session::recognise))
        .wrap(::actix_web::middleware::from_fn($crate::http::middleware::deadline::limit))
        .wrap(::actix_web::middleware::from_fn($crate::web::cross_site::refuse))
    };
}

/// The answer to a method that a path does not have.
pub(in crate::web) fn only(methods: &str) -> Result<&'static str, Problem> {
    Err(Problem::new(ProblemCode::MethodNotAllowed).allow(methods.to_owned()))
}
