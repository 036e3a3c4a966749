//! Problems of refused feedback, and of other actions with a daily limit.

use chrono::{DateTime, Duration, NaiveTime, SecondsFormat, Utc};

use crate::app::problem::{Problem, ProblemCode};
use crate::app::problem_member::ProblemMember;
use crate::app::state::AppState;
use crate::domain::accounts::daily_limits::ReachedLimit;
use crate::domain::clock::seconds_until;

/// The recipient has blocked this account. The response does not say so.
pub(in crate::app) fn feedback_refused() -> Problem {
    Problem::new(ProblemCode::FeedbackRefused)
}

/// The account has reached a daily limit.
pub(in crate::app) fn too_many_today(app: &AppState, limit: ReachedLimit) -> Problem {
    daily_limit_reached(limit, app.clock.now())
}

/// The limit of an activity is reached at the time `at`; the day ends at midnight UTC.
fn daily_limit_reached(limit: ReachedLimit, at: DateTime<Utc>) -> Problem {
    let end = at.date_naive().and_time(NaiveTime::MIN).and_utc() + Duration::days(1);
    let left = seconds_until(end, at);
    let end = end.to_rfc3339_opts(SecondsFormat::Secs, true);
    let counted = limit.activity.counted();
    let days = limit.activity.daily_limit().new_for.num_days();
    let of_new = if limit.is_new {
        format!(" in the first {days} days of an account")
    } else {
        String::new()
    };
    Problem::new(ProblemCode::DailyLimitReached)
        .detail(format!(
            "The limit of {} is {} a day{of_new}. This day ends at {end}.",
            counted.replace('_', " "),
            limit.max(),
        ))
        .with(ProblemMember::Limit, counted)
        .with(ProblemMember::Max, limit.max())
        .with(ProblemMember::ResetsAt, end)
        .retry_after(left)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::accounts::daily_limits::DailyActivity;

    #[test]
    fn a_reached_limit_is_named_with_its_maximum_and_its_end() {
        let at = "2026-11-21T20:48:00.5Z".parse().unwrap();
        let problem = |is_new| {
            daily_limit_reached(ReachedLimit { activity: DailyActivity::Create, is_new }, at)
        };
        assert_eq!(
            problem(true).text(),
            "The limit of new designs is 30 a day in the first 3 days of an account. This day ends at 2026-11-22T00:00:00Z."
        );
        assert_eq!(problem(true).members()["max"], 30);
        let problem = problem(false);
        assert_eq!(
            problem.text(),
            "The limit of new designs is 100 a day. This day ends at 2026-11-22T00:00:00Z."
        );
        assert_eq!(problem.members()["limit"], "new_designs");
        assert_eq!(problem.members()["max"], 100);
        assert_eq!(problem.members()["resets_at"], "2026-11-22T00:00:00Z");
        assert_eq!(problem.seconds_to_wait(), Some(11_520));
    }

    #[test]
    fn the_whole_day_is_left_at_midnight() {
        let at = "2026-12-31T00:00:00Z".parse().unwrap();
        let problem = daily_limit_reached(
            ReachedLimit { activity: DailyActivity::Upload, is_new: false },
            at,
        );
        assert_eq!(problem.seconds_to_wait(), Some(86_400));
        assert_eq!(problem.members()["resets_at"], "2027-01-01T00:00:00Z");
    }
}
