//! Macros that mount a page with its methods, its timeout, and the check that forms come from pages of this service. Each module mounts its own pages.

use crate::app::problem::{Problem, ProblemCode};

/// A page that is only read.
macro_rules! page {
    ($path:literal, $handler:path) => {
        ::actix_web::web::resource($path)
            .wrap(::actix_web::middleware::from_fn($crate::http::middleware::deadline::limit))
            .route(::actix_web::web::get().to($handler))
            .route(::actix_web::web::head().to($handler))
            .default_service(::actix_web::web::to(async || {
                $crate::web::mounting::only("GET, HEAD")
            }))
    };
}

/// A page with a form, which is sent to the same path or to another one.
macro_rules! form {
    ($path:literal, $show:path, $send:path) => {
        ::actix_web::web::resource($path)
            .wrap(::actix_web::middleware::from_fn($crate::web::session::recognise))
            .wrap(::actix_web::middleware::from_fn($crate::http::middleware::deadline::limit))
            .wrap(::actix_web::middleware::from_fn($crate::web::cross_site::refuse))
            .route(::actix_web::web::get().to($show))
            .route(::actix_web::web::head().to($show))
            .route(::actix_web::web::post().to($send))
            .default_service(::actix_web::web::to(async || {
                $crate::web::mounting::only("GET, HEAD, POST")
            }))
    };
}

/// An action of a button that has no page of its own.
macro_rules! action {
    ($path:literal, $handler:path) => {
        ::actix_web::web::resource($path)
            .wrap(::actix_web::middleware::from_fn($crate::web::session::recognise))
            .wrap(::actix_web::middleware::from_fn($crate::http::middleware::deadline::limit))
            .wrap(::actix_web::middleware::from_fn($crate::web::cross_site::refuse))
            .route(::actix_web::web::post().to($handler))
            .default_service(::actix_web::web::to(async || $crate::web::mounting::only("POST")))
    };
}

/// The answer to a method that a path does not have.
pub(in crate::web) fn only(methods: &str) -> Result<&'static str, Problem> {
    Err(Problem::new(ProblemCode::MethodNotAllowed).allow(methods.to_owned()))
}
