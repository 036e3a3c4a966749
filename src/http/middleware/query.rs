//! Refuses query parameters of operations that have none. [`Params`](crate::http::extract::Params) checks those of other operations.

use std::collections::HashMap;

use actix_web::HttpRequest;
use actix_web::http::Method;

use crate::app::problem::{InputFault, Problem, ProblemCode};
use crate::http::extract::{refusal, require_readable};
use crate::http::router::path_pattern;

/// The methods without query parameters, by the pattern of their paths. Application data.
#[derive(Debug, Default)]
pub struct WithoutQuery(HashMap<String, Vec<String>>);

impl WithoutQuery {
    /// Creates the table of these operations: method and pattern of the path.
    pub fn new(operations: impl IntoIterator<Item = (String, String)>) -> Self {
        let mut methods: HashMap<String, Vec<String>> = HashMap::new();
        for (method, path) in operations {
            methods.entry(path).or_default().push(method);
        }
        Self(methods)
    }
}

/// A 400 if a request has query parameters and its operation has none: a mistyped parameter such as `?dryrun=true` must not be ignored.
pub(crate) fn unexpected(req: &HttpRequest) -> Option<Problem> {
    let query = req.query_string();
    if query.is_empty() {
        return None;
    }
    let method = if req.method() == Method::HEAD { &Method::GET } else { req.method() };
    let without = req.app_data::<&'static WithoutQuery>()?;
    let methods = without.0.get(path_pattern(req)?)?;
    if !methods.iter().any(|of| of == method.as_str()) {
        return None;
    }
    if let Err(problem) = require_readable(query) {
        return Some(problem);
    }
    let refused = |(name, _)| {
        InputFault::at(
            format!("?{name}"),
            "is not known here: this operation has no query parameters",
        )
    };
    let faults = form_urlencoded::parse(query.as_bytes()).map(refused).collect();
    Some(refusal(ProblemCode::InvalidQuery, faults))
}
