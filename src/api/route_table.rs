//! How a capability declares its URLs: its table of routes, and the groups that the router checks first.

use actix_web::dev::HttpServiceFactory;
use actix_web::{HttpResponse, Scope, web};
use utoipa::openapi::OpenApi;

use crate::app::problem::{Problem, ProblemCode};

macro_rules! on {
    // HEAD is handled like GET; the server removes the body.
    ($resource:expr, get, $handler:path) => {
        $resource
            .route(actix_web::web::get().to($handler))
            .route(actix_web::web::head().to($handler))
    };
    ($resource:expr, $method:ident, $handler:path) => {
        $resource.route(actix_web::web::$method().to($handler))
    };
}
pub(super) use on;

/// Declares the route table of a capability: `path => method module::handler, …;`. Defines its `TABLE`.
macro_rules! routes {
    ($($path:literal => $($method:ident $room:ident::$handler:ident),+;)+) => {
        /// Method, path and handler of every route in this table.
        pub(super) const TABLE: $crate::api::route_table::RouteTable = $crate::api::route_table::RouteTable {
            routes: &[$($((stringify!($method), $path, stringify!($handler))),+),+],
            mount: |groups, config| {
                use actix_web::middleware::from_fn;
                use actix_web::web;
                use $crate::api::route_table::{Groups, method_not_allowed};
                use $crate::http::middleware::deadline;
                $(
                    let resource =
                        web::resource(Groups::split($path).1).wrap(from_fn(deadline::limit));
                    $(let resource = $crate::api::route_table::on!(resource, $method, $room::$handler);)+
                    let other = web::to(async || method_not_allowed(&[$(stringify!($method)),+]));
                    groups.add(config, $path, resource.default_service(other));
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
    pub(super) mount: fn(&mut Groups, &mut web::ServiceConfig),
    /// The part of the OpenAPI document about these routes.
    pub(super) operations: fn() -> OpenApi,
}

/// Routes with a common prefix. The router tries routes one after the other, each with parameters by a regular
/// expression; checking the prefix of a group first saves most of these.
#[derive(Default)]
pub(super) struct Groups(Vec<(&'static str, Scope)>);

/// The prefix of everything about one game. It has its own group, because the group `/v1/games` would be by far the largest.
const GAME: &str = "/v1/games/{game}";

impl Groups {
    /// Splits a path into the prefix of its group and the rest; `None`: it is in no group.
    pub(super) fn split(path: &'static str) -> (Option<&'static str>, &'static str) {
        let beginning = match path.strip_prefix("/v1/") {
            None => return (None, path),
            Some(_) if path.starts_with(GAME) => GAME.len(),
            Some(rest) => {
                rest.find('/').map_or(path.len(), |length| path.len() - rest.len() + length)
            }
        };
        let (beginning, rest) = path.split_at(beginning);
        (Some(beginning), rest)
    }

    pub(super) fn add(
        &mut self,
        config: &mut web::ServiceConfig,
        path: &'static str,
        resource: impl HttpServiceFactory + 'static,
    ) {
        let (Some(beginning), _) = Self::split(path) else {
            config.service(resource);
            return;
        };
        let known = self.0.iter().position(|(of, _)| *of == beginning);
        let group = match known {
            Some(at) => self.0.remove(at).1,
            None => web::scope(beginning),
        };
        let at = known.unwrap_or(self.0.len());
        self.0.insert(at, (beginning, group.service(resource)));
    }

    pub(super) fn mount(mut self, config: &mut web::ServiceConfig) {
        // A group whose prefix begins another group's prefix must come after it.
        self.0.sort_by_key(|(beginning, _)| GAME.starts_with(&format!("{beginning}/")));
        for (_, group) in self.0 {
            config.service(group);
        }
    }
}

/// 405 with the methods that the resource supports.
pub(super) fn method_not_allowed(methods: &[&str]) -> Result<HttpResponse, Problem> {
    let mut allow: Vec<String> = methods.iter().map(|method| method.to_ascii_uppercase()).collect();
    if methods.contains(&"get") {
        allow.push("HEAD".to_owned());
    }
    Err(Problem::new(ProblemCode::MethodNotAllowed).allow(allow.join(", ")))
}
