//! What is said when feedback, or something else that is bounded by day, is not taken.

use crate::app::problem::{Problem, ProblemCode};
use crate::app::state::AppState;

/// Whoever would read it wants nothing from this account. Why is nobody's business.
pub(in crate::app) fn feedback_refused() -> Problem {
    Problem::new(ProblemCode::FeedbackRefused)
}

/// The account has done something as often today as it may; the day ends at midnight in UTC.
pub(in crate::app) fn too_many_today(app: &AppState) -> Problem {
    const DAY: i64 = 24 * 60 * 60;
    let passed = app.clock.now().timestamp().rem_euclid(DAY);
    let left = u32::try_from(DAY - passed).unwrap_or(u32::MAX);
    Problem::new(ProblemCode::DailyLimitReached).retry_after(left)
}
