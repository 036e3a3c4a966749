//! Ratings of designs: one per account and revision. The rating of the latest rated revision counts, once the account
//! is old enough.

use chrono::{DateTime, Utc};
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Bool, Integer, Timestamptz};
use diesel_async::RunQueryDsl;

use super::EVERYBODY_SEES;
use crate::auth::permission::{Acting, GiveFeedback, Granted, Permission};
use crate::domain::accounts::daily_limits::{DailyActivity, ReachedLimit};
use crate::domain::designs::identifier::DesignCode;
use crate::domain::designs::rating::{Scores, counts_from};
use crate::domain::ids::AccountId;
use crate::store::accounts::daily_counts::count_one;
use crate::store::db::statement::sql;
use crate::store::designs::SeesOwnDesigns;
use crate::store::feedback::locks::{lock_own_account, lock_public, lock_subject};
use crate::store::{Connection, Store, StoreResult};

/// The rating of a design by an account.
#[derive(Clone, Debug, QueryableByName)]
pub struct OwnRating {
    /// The rated revision.
    #[diesel(sql_type = BigInt)]
    pub revision: i64,
    #[diesel(sql_type = Integer)]
    fun: i32,
    #[diesel(sql_type = Integer)]
    balance: i32,
    #[diesel(sql_type = Integer)]
    flavour: i32,
    #[diesel(sql_type = Integer)]
    clarity: i32,
    /// When it was given.
    #[diesel(sql_type = Timestamptz)]
    pub rated_at: DateTime<Utc>,
    /// From when on it counts.
    #[diesel(sql_type = Timestamptz)]
    pub counts_from: DateTime<Utc>,
}

impl OwnRating {
    /// The points.
    pub fn scores(&self) -> Scores {
        let Self { fun, balance, flavour, clarity, .. } = *self;
        Scores { fun, balance, flavour, clarity }
    }
}

/// The caller's rating of a public design; `None`: there is no such design or rating.
pub async fn find_own<P: Permission + SeesOwnDesigns>(
    conn: &mut Connection,
    by: &Granted<P>,
    code: DesignCode,
) -> StoreResult<Option<OwnRating>> {
    let found = sql(format!("SELECT r.revision, r.fun, r.balance, r.flavour, r.clarity, r.rated_at, r.counts_from \
         FROM designs d JOIN accounts a ON a.id = d.account_id JOIN design_ratings r ON r.design_id = d.id \
         WHERE d.code = $code AND {EVERYBODY_SEES} AND r.account_id = $account AND r.counts_from IS NOT NULL"))
    .bind("code", code)
    .bind("account", by.account())
    .get_result(conn)
    .await
    .optional()?;
    Ok(found)
}

/// The result of a change of a rating.
#[derive(Debug)]
pub enum RatingOutcome {
    /// The rating was stored or deleted.
    Done,
    /// There is no such design, or no rating to delete.
    Missing,
    /// The caller is its author, or contributed to it.
    Own,
    /// The account has reached the daily limit.
    TooManyToday(ReachedLimit),
}

/// Rates the current public revision of a design; replaces an earlier rating by the account.
pub async fn rate(
    conn: &mut Connection,
    by: &Acting<GiveFeedback>,
    code: DesignCode,
    scores: Scores,
    at: DateTime<Utc>,
) -> StoreResult<RatingOutcome> {
    let since = counts_from(lock_own_account(conn, by).await?);
    let Some(design) = lock_public(conn, by, code.into()).await? else {
        return Ok(RatingOutcome::Missing);
    };
    // A rating is not a message and is anonymous, so blocked accounts may rate. Otherwise authors could choose who rates
    // them.
    if design.owner == by.account() || has_contributed(conn, by, code).await? {
        return Ok(RatingOutcome::Own);
    }
    if let Err(limit) = count_one(conn, by.account(), DailyActivity::Rate, at).await? {
        return Ok(RatingOutcome::TooManyToday(limit));
    }
    sql("UPDATE design_ratings SET counted = false, counts_from = NULL \
         WHERE design_id = $design AND account_id = $account AND counts_from IS NOT NULL AND revision <> $revision")
    .bind("design", design.id)
    .bind("account", by.account())
    .bind("revision", design.revision)
    .execute(conn)
    .await?;
    sql(RATE)
        .bind("design", design.id)
        .bind("account", by.account())
        .bind("revision", design.revision)
        .bind("fun", scores.fun)
        .bind("balance", scores.balance)
        .bind("flavour", scores.flavour)
        .bind("clarity", scores.clarity)
        .bind("at", at)
        .bind("since", since)
        .bind("counted", since <= at)
        .execute(conn)
        .await?;
    Ok(RatingOutcome::Done)
}

/// Whether a suggestion of the caller became a revision of the locked design.
async fn has_contributed(
    conn: &mut Connection,
    by: &Acting<GiveFeedback>,
    code: DesignCode,
) -> StoreResult<bool> {
    #[derive(QueryableByName)]
    struct Contribution {
        #[diesel(sql_type = Bool)]
        exists: bool,
    }
    let Contribution { exists } = sql(
        "SELECT EXISTS (SELECT FROM designs d JOIN design_revisions q ON q.design_id = d.id WHERE d.code = $code AND q.credited_to = $account) AS exists",
    )
    .bind("code", code)
    .bind("account", by.account())
    .get_result(conn)
    .await?;
    Ok(exists)
}

const RATE: &str = "INSERT INTO design_ratings (design_id, account_id, revision, fun, balance, flavour, clarity, rated_at, counts_from, counted) \
    VALUES ($design, $account, $revision, $fun, $balance, $flavour, $clarity, $at, $since, $counted) \
    ON CONFLICT (design_id, account_id, revision) DO UPDATE SET fun = excluded.fun, balance = excluded.balance, flavour = excluded.flavour, \
     clarity = excluded.clarity, rated_at = excluded.rated_at, counts_from = excluded.counts_from, counted = excluded.counted";

/// Deletes all ratings of a design by the account, even if the design is no longer public.
pub async fn delete(
    conn: &mut Connection,
    by: &Acting<GiveFeedback>,
    code: DesignCode,
) -> StoreResult<RatingOutcome> {
    lock_own_account(conn, by).await?;
    lock_subject(conn, code.into()).await?;
    let deleted = sql("DELETE FROM design_ratings r USING designs d WHERE d.code = $code AND r.design_id = d.id AND r.account_id = $account")
        .bind("code", code)
        .bind("account", by.account())
        .execute(conn)
        .await?;
    Ok(if deleted == 0 { RatingOutcome::Missing } else { RatingOutcome::Done })
}

/// Sums of the ratings that count, for one revision.
#[derive(Clone, Copy, Debug, QueryableByName)]
pub struct RatingSums {
    #[diesel(sql_type = BigInt)]
    pub revision: i64,
    /// Number of ratings.
    #[diesel(sql_type = BigInt)]
    pub ratings: i64,
    /// Points for fun.
    #[diesel(sql_type = BigInt)]
    pub fun: i64,
    /// Points for balance.
    #[diesel(sql_type = BigInt)]
    pub balance: i64,
    /// Points for flavour.
    #[diesel(sql_type = BigInt)]
    pub flavour: i64,
    /// Points for clarity.
    #[diesel(sql_type = BigInt)]
    pub clarity: i64,
}

/// The sums for a public design by rated revision, the newest first: at most as many as a design may have revisions.
pub async fn sums(conn: &mut Connection, code: DesignCode) -> StoreResult<Vec<RatingSums>> {
    let rows = sql("SELECT s.revision, s.ratings, s.fun, s.balance, s.flavour, s.clarity FROM designs d JOIN design_rating_sums s ON s.design_id = d.id \
         WHERE d.code = $code AND s.ratings > 0 ORDER BY s.revision DESC")
    .bind("code", code)
    .load(conn)
    .await?;
    Ok(rows)
}

/// The public mean rating of a public design, in hundredths of a point; `None`: there is no such design.
pub async fn mean(conn: &mut Connection, code: DesignCode) -> StoreResult<Option<i32>> {
    #[derive(QueryableByName)]
    struct Mean {
        #[diesel(sql_type = Integer)]
        rating: i32,
    }
    let found: Option<Mean> = sql(format!("SELECT d.rating FROM designs d JOIN accounts a ON a.id = d.account_id WHERE d.code = $code AND {EVERYBODY_SEES}"))
        .bind("code", code)
        .get_result(conn)
        .await
        .optional()?;
    Ok(found.map(|found| found.rating))
}

/// Removes the ratings of a banned account from the sums, or adds those of the latest revisions again.
pub(in crate::store) async fn follow_ban(
    conn: &mut Connection,
    account: AccountId,
    account_since: DateTime<Utc>,
    banned: bool,
    at: DateTime<Utc>,
) -> StoreResult<()> {
    if banned {
        sql("UPDATE design_ratings SET counted = false, counts_from = NULL WHERE account_id = $account AND counts_from IS NOT NULL")
            .bind("account", account)
            .execute(conn)
            .await?;
        return Ok(());
    }
    let since = counts_from(account_since);
    sql("UPDATE design_ratings r SET counts_from = $since, counted = $counted WHERE account_id = $account AND counts_from IS NULL \
          AND NOT EXISTS (SELECT FROM design_ratings later WHERE later.design_id = r.design_id AND later.account_id = $account AND later.revision > r.revision)")
    .bind("account", account)
    .bind("since", since)
    .bind("counted", since <= at)
    .execute(conn)
    .await?;
    Ok(())
}

/// Most ratings that one transaction begins to count.
const RATINGS_AT_ONCE: i64 = 200;

/// Counts the ratings of accounts that have become old enough; returns how many.
pub async fn count_due(store: &Store, now: DateTime<Utc>) -> StoreResult<usize> {
    let mut all = 0;
    loop {
        let mut conn = store.connection().await?;
        let counted = sql(COUNT_DUE)
            .bind("now", now)
            .bind("limit", RATINGS_AT_ONCE)
            .execute(&mut *conn)
            .await?;
        if counted == 0 {
            return Ok(all);
        }
        all += counted;
    }
}

/// The designs are locked first, in order; ratings that another instance has counted since are left out.
const COUNT_DUE: &str = "WITH due AS MATERIALIZED (\
         SELECT design_id, account_id, revision FROM design_ratings WHERE NOT counted AND counts_from IS NOT NULL AND counts_from <= $now \
         ORDER BY counts_from LIMIT $limit \
     ), held AS MATERIALIZED (SELECT id FROM designs WHERE id IN (SELECT design_id FROM due) ORDER BY id FOR NO KEY UPDATE) \
     UPDATE design_ratings r SET counted = true FROM due JOIN held ON held.id = due.design_id \
     WHERE (r.design_id, r.account_id, r.revision) = (due.design_id, due.account_id, due.revision) AND NOT r.counted AND r.counts_from IS NOT NULL AND r.counts_from <= $now";
