//! Joins the route tables of the capabilities, which are in their `mod.rs`.

use utoipa::openapi::OpenApi;

use super::route_table::{Route, RouteTable, routes};
use super::{
    accounts, catalogue, collection, contract, copies, decks, designs, effects, operations,
    printing, problems, serials,
};
use crate::http::router::Mounts;

/// All tables.
const TABLES: [RouteTable; 11] = [
    catalogue::TABLE,
    accounts::TABLE,
    serials::TABLE,
    decks::TABLE,
    designs::TABLE,
    collection::TABLE,
    copies::TABLE,
    effects::TABLE,
    printing::TABLE,
    operations::TABLE,
    TABLE,
];

// Routes that belong to no capability.
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
pub fn configure(mounts: &mut Mounts<'_>) {
    for table in TABLES {
        (table.mount)(mounts);
    }
}

/// The operations of every route, for the OpenAPI document.
pub(super) fn operations() -> OpenApi {
    let mut all = OpenApi::default();
    for table in TABLES {
        all.merge((table.operations)());
    }
    all
}
