//! How often an account did something today, for activities with a daily limit.

use chrono::{DateTime, NaiveDate, Utc};
use diesel::prelude::*;
use diesel::sql_types::Timestamptz;
use diesel_async::RunQueryDsl;

use crate::domain::accounts::daily_limits::{DailyActivity, DailyLimit, ReachedLimit};
use crate::domain::ids::AccountId;
use crate::store::db::statement::sql;
use crate::store::{Connection, StoreResult};

/// Counts one more, or returns the limit for the day (UTC) that the account has reached. Runs in the transaction of the
/// counted activity, so that parallel requests wait for each other.
pub async fn count_one(
    conn: &mut Connection,
    account: AccountId,
    activity: DailyActivity,
    at: DateTime<Utc>,
) -> StoreResult<Result<(), ReachedLimit>> {
    let day: NaiveDate = at.date_naive();
    let DailyLimit { usual, new_account, new_for } = activity.daily_limit();
    let counted = sql(COUNT)
        .bind("account", account)
        .bind("activity", activity.as_str())
        .bind("day", day)
        .bind("old_since", at - new_for)
        .bind("usual", usual)
        .bind("new_account", new_account)
        .execute(conn)
        .await?;
    if counted > 0 {
        return Ok(Ok(()));
    }
    let since: Since = sql("SELECT created_at FROM accounts WHERE id = $account")
        .bind("account", account)
        .get_result(conn)
        .await?;
    // As in the statement above.
    let is_new = since.created_at >= at - new_for;
    Ok(Err(ReachedLimit { activity, is_new }))
}

#[derive(QueryableByName)]
struct Since {
    #[diesel(sql_type = Timestamptz)]
    created_at: DateTime<Utc>,
}

/// Changes no row when the limit is reached. Every limit is at least 1, so the first activity of a day is always
/// allowed.
const COUNT: &str = "INSERT INTO daily_counts AS c (account_id, activity, day, count) VALUES ($account, $activity, $day, 1) \
    ON CONFLICT (account_id, activity, day) DO UPDATE SET count = c.count + 1 \
    WHERE c.count < (SELECT CASE WHEN a.created_at < $old_since THEN $usual ELSE $new_account END FROM accounts a WHERE a.id = $account)";
