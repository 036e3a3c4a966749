//! The OpenAPI document: the operations in `routes.rs`, completed by `openapi/`.

use std::sync::{LazyLock, OnceLock};

use actix_web::{HttpRequest, HttpResponse};
use serde_json::Value;
use utoipa::openapi::OpenApi;

use super::openapi;
use super::routes;
use crate::app::problem::Problem;
use crate::http::middleware::query::WithoutQuery;
use crate::memory::rendered::{Freshness, Rendered};

/// The whole document.
pub fn document() -> OpenApi {
    openapi::completed(routes::operations())
}

/// The operations without query parameters.
pub(super) fn without_query() -> &'static WithoutQuery {
    static WITHOUT: LazyLock<WithoutQuery> = LazyLock::new(|| {
        let document = serde_json::to_value(document()).unwrap_or_default();
        let mut without = Vec::new();
        for (path, item) in document["paths"].as_object().into_iter().flatten() {
            for (method, operation) in item.as_object().into_iter().flatten() {
                let parameters = operation["parameters"].as_array().map_or(&[][..], Vec::as_slice);
                if parameters.iter().all(|parameter: &Value| parameter["in"] != "query") {
                    without.push((method.to_ascii_uppercase(), path.clone()));
                }
            }
        }
        WithoutQuery::new(without)
    });
    &WITHOUT
}

/// Shows this document.
///
/// `/docs` shows it as a page for people.
#[utoipa::path(
    get, path = "/openapi.json", tag = "service",
    responses(
        (status = 200, body = Object, example = json!({ "openapi": "3.1.0", "info": { "title": "Cardscape", "version": "0.1.0" }, "paths": {} })),
        (status = 304, description = "Not changed."),
    )
)]
pub async fn find_document(req: HttpRequest) -> Result<HttpResponse, Problem> {
    // Two megabytes, which all workers share until the program ends.
    static WRITTEN: OnceLock<Rendered> = OnceLock::new();
    if let Some(written) = WRITTEN.get() {
        return Ok(written.answer(&req));
    }
    let written = Rendered::new(Freshness::Public(0), None, &document())?;
    Ok(WRITTEN.get_or_init(|| written).answer(&req))
}
