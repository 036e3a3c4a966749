//! Joins the route tables of the capabilities, which stand in their `mod.rs`.

use actix_web::dev::HttpServiceFactory;
use actix_web::{HttpResponse, Scope, web};
use utoipa::openapi::OpenApi;

use super::contract;
use super::problems;
use super::{
    accounts, catalogue, collection, copies, decks, effects, operations, printing, serials,
};
use crate::app::problem::{Problem, ProblemCode};

macro_rules! on {
    // HEAD is GET without a body; the server leaves the body out.
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

/// The route table of a capability: `path => method module::handler, …;`. Makes its `TABLE`.
macro_rules! routes {
    ($($path:literal => $($method:ident $room:ident::$handler:ident),+;)+) => {
        /// Method, path and handler of every route here.
        pub(super) const TABLE: $crate::api::routes::RouteTable = $crate::api::routes::RouteTable {
            routes: &[$($((stringify!($method), $path, stringify!($handler))),+),+],
            mount: |groups, config| {
                use actix_web::middleware::from_fn;
                use actix_web::web;
                use $crate::api::routes::{Groups, method_not_allowed};
                use $crate::http::middleware::deadline;
                $(
                    let resource =
                        web::resource(Groups::split($path).1).wrap(from_fn(deadline::limit));
                    $(let resource = $crate::api::routes::on!(resource, $method, $room::$handler);)+
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

/// The routes of a capability, as its [`routes!`] table makes them.
pub(super) struct RouteTable {
    /// All of them.
    pub(super) routes: &'static [Route],
    /// Mounts them.
    pub(super) mount: fn(&mut Groups, &mut web::ServiceConfig),
    /// The part of the OpenAPI document that describes them.
    pub(super) operations: fn() -> OpenApi,
}

/// All tables. The router tries one route after the other, within each group: what is asked for most comes first.
const TABLES: [RouteTable; 10] = [
    catalogue::TABLE,
    accounts::TABLE,
    serials::TABLE,
    decks::TABLE,
    collection::TABLE,
    copies::TABLE,
    effects::TABLE,
    printing::TABLE,
    operations::TABLE,
    TABLE,
];

// What belongs to no capability.
routes! {
    "/problems" => get problems::list_problems;
    "/problems/{code}" => get problems::find_problem;
    "/openapi.json" => get contract::find_document;
}

/// Method, path and operation id of every route.
pub fn all() -> Vec<Route> {
    TABLES.into_iter().flat_map(|table| table.routes.iter().copied()).collect()
}

/// Mounts every route.
pub fn configure(config: &mut web::ServiceConfig) {
    let mut groups = Groups::default();
    for table in TABLES {
        (table.mount)(&mut groups, config);
    }
    groups.mount(config);
}

/// The operations of every route, for the OpenAPI document.
pub(super) fn operations() -> OpenApi {
    let mut all = OpenApi::default();
    for table in TABLES {
        all.merge((table.operations)());
    }
    all
}

/// Routes with the same beginning. The router tries one after the other, with a regular expression for each that has parameters; so that it
/// need not try all, it looks for the beginning first.
#[derive(Default)]
pub(super) struct Groups(Vec<(&'static str, Scope)>);

/// The beginning of everything about one game: the largest group but for that.
const GAME: &str = "/v1/games/{game}";

impl Groups {
    /// The beginning and the rest of a path. Without a beginning: it is in no group.
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

    fn mount(mut self, config: &mut web::ServiceConfig) {
        // What begins like another group comes after it.
        self.0.sort_by_key(|(beginning, _)| GAME.starts_with(&format!("{beginning}/")));
        for (_, group) in self.0 {
            config.service(group);
        }
    }
}

/// 405 with the methods that the resource does have.
pub(super) fn method_not_allowed(methods: &[&str]) -> Result<HttpResponse, Problem> {
    let mut allow: Vec<String> = methods.iter().map(|method| method.to_ascii_uppercase()).collect();
    if methods.contains(&"get") {
        allow.push("HEAD".to_owned());
    }
    Err(Problem::new(ProblemCode::MethodNotAllowed).allow(allow.join(", ")))
}
