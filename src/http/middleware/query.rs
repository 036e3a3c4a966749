//! Refuses query parameters of operations that have none. [`Params`](crate::http::extract::Params) checks those of other operations.

use std::collections::HashSet;

use actix_web::HttpRequest;
use actix_web::http::Method;

use crate::app::problem::{InputFault, Problem, ProblemCode};

/// Method and path pattern of the operations that have no query parameters. Application data.
#[derive(Debug, Default)]
pub struct WithoutQuery(HashSet<(String, String)>);

impl WithoutQuery {
    /// Creates the table of these operations.
    pub fn new(operations: impl IntoIterator<Item = (String, String)>) -> Self {
        Self(operations.into_iter().collect())
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
    if !without.0.contains(&(method.to_string(), req.match_pattern()?)) {
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
