//! The status of a page, and how long its reader should wait.

use actix_web::http::{StatusCode, header};
use actix_web::{HttpResponse, HttpResponseBuilder};

use crate::app::problem::{Problem, ProblemCode};

/// The status of a page. That of a refused request comes only from its problem, with the time to wait: no page can forget its `Retry-After`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct PageStatus {
    code: StatusCode,
    /// Seconds after which the request may succeed.
    retry_after: Option<u32>,
    /// Whether the first request with the same idempotency key is still running.
    is_running: bool,
}

impl PageStatus {
    pub(super) const OK: Self = Self::plain(StatusCode::OK);
    pub(super) const CREATED: Self = Self::plain(StatusCode::CREATED);
    /// The query of the page has faults.
    pub(super) const INVALID_QUERY: Self = Self::plain(StatusCode::BAD_REQUEST);
    /// The session has ended while the form was filled in.
    pub(super) const LOGGED_OUT: Self = Self::plain(StatusCode::UNAUTHORIZED);
    /// The form has faults that the page found itself.
    pub(super) const INVALID_FORM: Self = Self::plain(StatusCode::UNPROCESSABLE_ENTITY);
    pub(super) const NOT_FOUND: Self = Self::plain(StatusCode::NOT_FOUND);
    /// Somebody else changed it meanwhile.
    pub(super) const CONFLICT: Self = Self::plain(StatusCode::CONFLICT);
    pub(super) const PRECONDITION_FAILED: Self = Self::plain(StatusCode::PRECONDITION_FAILED);
    pub(super) const TOO_LARGE: Self = Self::plain(StatusCode::PAYLOAD_TOO_LARGE);

    const fn plain(code: StatusCode) -> Self {
        Self { code, retry_after: None, is_running: false }
    }

    /// The status of a refused request, with its time to wait.
    pub(super) fn of(problem: &Problem) -> Self {
        let code = StatusCode::from_u16(problem.code().status());
        Self {
            code: code.unwrap_or(StatusCode::INTERNAL_SERVER_ERROR),
            retry_after: problem.seconds_to_wait(),
            is_running: problem.code() == ProblemCode::IdempotencyInProgress,
        }
    }

    /// Whether the request was refused because the first one with the same idempotency key is still running: see [`next_key`](super::forms::next_key).
    pub(super) const fn is_running(self) -> bool {
        self.is_running
    }

    /// Whether it is the status of this code.
    pub(super) fn is(self, code: ProblemCode) -> bool {
        self.code.as_u16() == code.status()
    }

    /// The beginning of a response with this status.
    pub(super) fn response(self) -> HttpResponseBuilder {
        let mut response = HttpResponse::build(self.code);
        if let Some(seconds) = self.retry_after {
            response.insert_header((header::RETRY_AFTER, seconds));
        }
        response
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_status_of_a_problem_has_its_time_to_wait() {
        let problem = Problem::new(ProblemCode::RateLimited).retry_after(7);
        let answer = PageStatus::of(&problem).response().finish();
        assert_eq!(answer.status(), StatusCode::TOO_MANY_REQUESTS);
        assert_eq!(answer.headers().get(header::RETRY_AFTER).unwrap(), "7");

        let plain = PageStatus::of(&Problem::new(ProblemCode::InvalidBody));
        assert_eq!(plain, PageStatus::INVALID_FORM);
        assert!(plain.response().finish().headers().get(header::RETRY_AFTER).is_none());
    }
}
