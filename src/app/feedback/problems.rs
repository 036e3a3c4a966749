//! Problems of refused feedback, and of other actions with a daily limit.

use chrono::{DateTime, Duration, NaiveTime, SecondsFormat, Utc};

use crate::app::problem::{Problem, ProblemCode};
use crate::app::state::AppState;
use crate::domain::accounts::daily_limits::{DailyActivity, DailyLimit};

/// The recipient has blocked this account. The response does not say so.
pub(in crate::app) fn feedback_refused() -> Problem {
    Problem::new(ProblemCode::FeedbackRefused)
}

/// The account has reached its daily limit of an activity.
pub(in crate::app) fn too_many_today(app: &AppState, activity: DailyActivity) -> Problem {
    daily_limit_reached(activity, app.clock.now())
}

/// The limit of an activity is reached at the time `at`; the day ends at midnight UTC.
///
/// Both maxima are stated, because a refused request does not read the age of its account.
fn daily_limit_reached(activity: DailyActivity, at: DateTime<Utc>) -> Problem {
    let DailyLimit { usual, new_account, new_for } = activity.daily_limit();
    let end = at.date_naive().and_time(NaiveTime::MIN).and_utc() + Duration::days(1);
    let left = u32::try_from(end.timestamp() - at.timestamp()).unwrap_or(u32::MAX);
    let end = end.to_rfc3339_opts(SecondsFormat::Secs, true);
    let (counted, days) = (activity.counted(), new_for.num_days());
    Problem::new(ProblemCode::DailyLimitReached)
        .detail(format!(
            "The limit of {} is {usual} a day, and {new_account} a day in the first {days} days of an account. This day ends at {end}.",
            counted.replace('_', " "),
        ))
        .with("limit", counted)
        .with("max", usual)
        .with("max_new_account", new_account)
        .with("resets_at", end)
        .retry_after(left)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reached_limit_is_named_with_its_maxima_and_its_end() {
        let at = "2026-11-21T20:48:00.5Z".parse().unwrap();
        let problem = daily_limit_reached(DailyActivity::Create, at);
        assert_eq!(
            problem.text(),
            "The limit of new designs is 100 a day, and 30 a day in the first 3 days of an account. \
             This day ends at 2026-11-22T00:00:00Z."
        );
        assert_eq!(problem.members()["limit"], "new_designs");
        assert_eq!(problem.members()["max"], 100);
        assert_eq!(problem.members()["max_new_account"], 30);
        assert_eq!(problem.members()["resets_at"], "2026-11-22T00:00:00Z");
        assert_eq!(problem.seconds_to_wait(), Some(11_520));
    }

    #[test]
    fn the_whole_day_is_left_at_midnight() {
        let at = "2026-12-31T00:00:00Z".parse().unwrap();
        let problem = daily_limit_reached(DailyActivity::Upload, at);
        assert_eq!(problem.seconds_to_wait(), Some(86_400));
        assert_eq!(problem.members()["resets_at"], "2027-01-01T00:00:00Z");
    }
}
