//! How a capability declares its URLs: its table of routes.

use actix_web::HttpResponse;
use utoipa::openapi::OpenApi;

use crate::app::problem::{Problem, ProblemCode};
use crate::http::router::Mounts;

macro_rules! method {
    (get) => {
        actix_web::http::Method::GET
    };
    (post) => {
        actix_web::http::Method::POST
    };
    (put) => {
        actix_web::http::Method::PUT
    };
    (patch) => {
        actix_web::http::Method::PATCH
    };
    (delete) => {
        actix_web::http::Method::DELETE
    };
}
pub(super) use method;

/// Declares the route table of a capability: `path => method module::handler, …;`. Defines its `TABLE`.
macro_rules! routes {
    ($($path:literal => $($method:ident $room:ident::$handler:ident),+;)+) => {
        /// Method, path and handler of every route in this table.
        pub(super) const TABLE: $crate::api::route_table::RouteTable = $crate::api::route_table::RouteTable {
            routes: &[$($((stringify!($method), $path, stringify!($handler))),+),+],
            mount: |mounts| {
                use actix_web::middleware::from_fn;
                use actix_web::web;
                use $crate::api::route_table::{method, method_not_allowed};
                use $crate::http::extract::handler;
                use $crate::http::middleware::deadline;
                $(
                    let handlers = [$((method!($method), handler($room::$handler))),+];
                    let other = web::to(async || method_not_allowed(&[$(stringify!($method)),+]));
                    let resource = $crate::http::router::resource($path, handlers, other);
                    mounts.service(resource.wrap(from_fn(deadline::limit)));
                )+
            },
            operations: || {
                #[derive(utoipa::OpenApi)]
                #[openapi(paths($($($room::$handler),+),+))]
                struct Operations;
                <Operations as utoipa::OpenApi>::openapi()
            },
        };
    };
}
pub(super) use routes;

/// Method, path and operation id of a route.
pub type Route = (&'static str, &'static str, &'static str);

/// The routes of a capability, from its [`routes!`] table.
pub(super) struct RouteTable {
    /// All routes.
    pub(super) routes: &'static [Route],
    /// Mounts the routes.
    pub(super) mount: fn(&mut Mounts<'_>),
    /// The part of the OpenAPI document about these routes.
    pub(super) operations: fn() -> OpenApi,
}

/// 405 with the methods that the resource supports.
pub(super) fn method_not_allowed(methods: &[&str]) -> Result<HttpResponse, Problem> {
    let mut allow: Vec<String> = methods.iter().map(|method| method.to_ascii_uppercase()).collect();
    if methods.contains(&"get") {
        allow.push("HEAD".to_owned());
    }
    Err(Problem::new(ProblemCode::MethodNotAllowed).allow(allow.join(", ")))
}
