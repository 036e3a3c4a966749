//! Problems of refused feedback, and of other actions with a daily limit.

use crate::app::problem::{Problem, ProblemCode};
use crate::app::state::AppState;

/// The recipient has blocked this account. The response does not say so.
pub(in crate::app) fn feedback_refused() -> Problem {
    Problem::new(ProblemCode::FeedbackRefused)
}

/// The account has reached a daily limit; the day ends at midnight UTC.
pub(in crate::app) fn too_many_today(app: &AppState) -> Problem {
    const DAY: i64 = 24 * 60 * 60;
    let passed = app.clock.now().timestamp().rem_euclid(DAY);
    let left = u32::try_from(DAY - passed).unwrap_or(u32::MAX);
    Problem::new(ProblemCode::DailyLimitReached).retry_after(left)
}
