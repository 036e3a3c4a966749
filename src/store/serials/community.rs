//! Community statistics: unlocks over time, and the leaderboard of accounts that agreed to be named.

use chrono::NaiveDate;
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Date, Text};
use diesel_async::RunQueryDsl;

use crate::auth::permission::{Acting, ChangeOwnListing};
use crate::store::db::schema::accounts;
use crate::store::db::statement::{CachePrepared as _, sql};
use crate::store::{Connection, StoreResult};

/// A day on which cards were unlocked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, QueryableByName)]
pub struct UnlockDay {
    /// The day, UTC.
    #[diesel(sql_type = Date)]
    pub day: NaiveDate,
    /// Number of cards unlocked on that day.
    #[diesel(sql_type = BigInt)]
    pub unlocked: i64,
    /// Number of cards unlocked up to the end of that day.
    #[diesel(sql_type = BigInt)]
    pub total: i64,
}

/// The last `limit` days with unlocks, the oldest first.
pub async fn list_unlock_days(
    conn: &mut Connection,
    game: Option<&str>,
    set: Option<&str>,
    limit: i64,
) -> StoreResult<Vec<UnlockDay>> {
    Ok(sql(
        "SELECT day, unlocked, total FROM ( \
             SELECT day, unlocked, sum(unlocked) OVER (ORDER BY day)::bigint AS total FROM ( \
                 SELECT (u.unlocked_at AT TIME ZONE 'UTC')::date AS day, count(*) AS unlocked \
                 FROM unlocks u JOIN cards k ON k.id = u.card_id \
                 WHERE u.unlocked_at IS NOT NULL AND ($game IS NULL OR k.game_code = $game) AND ($set IS NULL OR k.set_code = $set) \
                 GROUP BY day) days \
             ORDER BY day DESC LIMIT $limit) last ORDER BY day",
    )
    .bind("game", game)
    .bind("set", set)
    .bind("limit", limit)
    .load(conn)
    .await?)
}

/// A player on the leaderboard.
#[derive(Clone, Debug, PartialEq, Eq, QueryableByName)]
pub struct LeaderRow {
    /// Name of the account.
    #[diesel(sql_type = Text)]
    pub name: String,
    /// Number of cards that started hidden and of which the player has submitted a copy that is not void, and was not refused by a moderator.
    #[diesel(sql_type = BigInt)]
    pub cards: i64,
    /// The player's rank; players with equal numbers share one.
    #[diesel(sql_type = BigInt)]
    pub place: i64,
}

/// The first `limit` players among those who agreed to be named.
///
/// `counted` marks the first submission of a player for a card, and stays when its copy is declared void or a moderator
/// refuses it: then another submission of the player that may count (`valid_votes`) counts for the card.
pub async fn list_leaders(
    conn: &mut Connection,
    game: Option<&str>,
    set: Option<&str>,
    limit: i64,
) -> StoreResult<Vec<LeaderRow>> {
    Ok(sql("SELECT name, cards, rank() OVER (ORDER BY cards DESC) AS place FROM ( \
             SELECT a.name, count(*) AS cards FROM accounts a \
             JOIN submissions s ON s.account_id = a.id AND s.counted \
             CROSS JOIN LATERAL (SELECT c.voided_at IS NULL AND r.confirmed IS NOT FALSE AS stands \
                   FROM copies c LEFT JOIN submission_reviews r ON r.submission_id = s.id \
                   WHERE c.code_prefix = s.code_prefix AND c.code_mac = s.code_mac OFFSET 0) first \
             JOIN cards k ON k.id = s.card_id \
             WHERE a.on_leaderboard AND a.banned_at IS NULL AND (first.stands OR EXISTS ( \
                   SELECT FROM valid_votes other WHERE other.account_id = s.account_id AND other.card_id = s.card_id OFFSET 0)) \
               AND ($game IS NULL OR k.game_code = $game) AND ($set IS NULL OR k.set_code = $set) \
             GROUP BY a.id, a.name) players \
         ORDER BY cards DESC, name LIMIT $limit")
    .bind("game", game)
    .bind("set", set)
    .bind("limit", limit)
    .load(conn)
    .await?)
}

/// Sets whether the caller's account is on the leaderboard; `false`: the account does not exist any more.
pub async fn change_listing(
    conn: &mut Connection,
    by: &Acting<ChangeOwnListing>,
    listed: bool,
) -> StoreResult<bool> {
    let changed = diesel::update(accounts::table.find(by.account()))
        .set(accounts::on_leaderboard.eq(listed))
        .cached()
        .execute(conn)
        .await?;
    Ok(changed == 1)
}
