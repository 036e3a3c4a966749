//! Query parameters where an operation has none. Where it has some, [`Params`](crate::http::extract::Params) judges them.

use std::collections::HashSet;

use actix_web::HttpRequest;
use actix_web::http::Method;

use crate::app::problem::{InputFault, Problem, ProblemCode};

/// Method and path pattern of the operations that have no query parameters. Data of the application.
#[derive(Debug, Default)]
pub struct WithoutQuery(HashSet<(String, String)>);

impl WithoutQuery {
    /// These operations.
    pub fn new(operations: impl IntoIterator<Item = (String, String)>) -> Self {
        Self(operations.into_iter().collect())
    }
}

/// 400 when a request has query parameters and its operation has none: a slip such as `?dryrun=true` must not be taken for consent.
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
