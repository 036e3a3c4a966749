//! Query parameters where an operation has none. Where it has some, [`Params`](crate::api::extract::Params) judges them.

use std::collections::HashSet;
use std::sync::LazyLock;

use actix_web::HttpRequest;
use actix_web::http::Method;
use serde_json::Value;

use crate::api::openapi::document;
use crate::api::problem::{InputFault, Problem, ProblemCode};

/// Method and path of the operations without query parameters.
static WITHOUT: LazyLock<HashSet<(String, String)>> = LazyLock::new(|| {
    let document = serde_json::to_value(document()).unwrap_or_default();
    let mut without = HashSet::new();
    for (path, item) in document["paths"].as_object().into_iter().flatten() {
        for (method, operation) in item.as_object().into_iter().flatten() {
            let parameters = operation["parameters"].as_array().map_or(&[][..], Vec::as_slice);
            if parameters.iter().all(|parameter: &Value| parameter["in"] != "query") {
                without.insert((method.to_ascii_uppercase(), path.clone()));
            }
        }
    }
    without
});

/// 400 when a request has query parameters and its operation has none: a slip such as `?dryrun=true` must not be taken for consent.
pub(super) fn unexpected(req: &HttpRequest) -> Option<Problem> {
    let query = req.query_string();
    if query.is_empty() {
        return None;
    }
    let method = if req.method() == Method::HEAD { &Method::GET } else { req.method() };
    if !WITHOUT.contains(&(method.to_string(), req.match_pattern()?)) {
        return None;
    }
    let refused = |(name, _)| {
        InputFault::at(
            format!("?{name}"),
            "is not known here: this operation has no query parameters",
        )
    };
    let faults = form_urlencoded::parse(query.as_bytes()).take(100).map(refused).collect();
    Some(Problem::new(ProblemCode::InvalidQuery).errors(faults))
}
