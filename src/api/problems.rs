//! The pages of the error codes, which the `type` of every problem points to.

use actix_web::{HttpRequest, HttpResponse, web};
use serde::Serialize;
use utoipa::ToSchema;

use super::problem_help::ProblemHelp;
use crate::app::problem::{Problem, ProblemCode};
use crate::http::extract::cacheable;
use crate::http::problem::ProblemBody;
use crate::memory::rendered::Freshness;

/// For how long caches may store the pages: they change only with the program.
const FRESHNESS: Freshness = Freshness::Public(300);

/// A row of the table of error codes.
#[derive(Serialize, ToSchema)]
pub struct ProblemCodeResponse {
    /// The stable code.
    #[schema(example = "not_found")]
    pub code: &'static str,
    /// The HTTP status of answers with this code.
    #[schema(example = 404)]
    pub status: u16,
    /// The meaning of the code.
    #[schema(example = "There is nothing here, or nothing that you may see")]
    pub title: &'static str,
}

impl From<ProblemCode> for ProblemCodeResponse {
    fn from(code: ProblemCode) -> Self {
        Self { code: code.code(), status: code.status(), title: code.title() }
    }
}

/// Lists all error codes.
#[utoipa::path(
    get, path = "/problems", tag = "service",
    responses((status = 200, body = Vec<ProblemCodeResponse>), (status = 304, description = "Not changed."))
)]
pub async fn list_problems(req: HttpRequest) -> Result<HttpResponse, Problem> {
    let table: Vec<ProblemCodeResponse> =
        ProblemCode::ALL.iter().copied().map(Into::into).collect();
    cacheable(&req, FRESHNESS, None, &table)
}

/// An explanation of an error code.
#[derive(Serialize, ToSchema)]
pub struct ProblemHelpResponse {
    /// The row of the table of error codes.
    #[serde(flatten)]
    pub row: ProblemCodeResponse,
    /// What happened.
    #[schema(
        example = "The address names nothing that exists, or something that you may not see. The answer is the same for both."
    )]
    pub what_happened: &'static str,
    /// What you can do about it.
    #[schema(
        example = "Check the address. If it names something private, log in as somebody who may see it."
    )]
    pub what_to_do: &'static str,
    /// An example of a problem with this code.
    #[schema(
        value_type = ProblemBody,
        example = json!({
            "type": "/problems/not_found",
            "title": "There is nothing here, or nothing that you may see",
            "status": 404,
            "instance": "urn:uuid:01998d5e-7a35-7c54-b0a0-1f6f4f5f2b11",
            "code": "not_found",
        })
    )]
    pub example: serde_json::Value,
}

impl From<ProblemCode> for ProblemHelpResponse {
    fn from(code: ProblemCode) -> Self {
        let ProblemHelp { happened, advice, example } = ProblemHelp::about(code);
        Self {
            row: code.into(),
            what_happened: happened,
            what_to_do: advice,
            example: example.as_example(),
        }
    }
}

/// Explains an error code: what happened, what to do, and an example.
///
/// The `type` of every problem points here.
#[utoipa::path(
    get, path = "/problems/{code}", tag = "service",
    params(("code" = String, Path, description = "An error code", example = "not_found")),
    responses((status = 200, body = ProblemHelpResponse), (status = 304, description = "Not changed."))
)]
pub async fn find_problem(
    req: HttpRequest,
    code: web::Path<String>,
) -> Result<HttpResponse, Problem> {
    let found = ProblemCode::ALL.iter().copied().find(|row| row.code() == code.as_str());
    let found = found.ok_or_else(Problem::not_found)?;
    cacheable(&req, FRESHNESS, None, &ProblemHelpResponse::from(found))
}
