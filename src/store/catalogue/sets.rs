//! Sets, with their public unlock progress.

use std::collections::BTreeMap;

use chrono::{DateTime, NaiveDate, Utc};
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Bool, Date, Int4, Nullable, Text, Timestamptz};
use diesel_async::RunQueryDsl;

use crate::store::db::pages::push_page;
use crate::store::db::schema::sets;
use crate::store::db::statement::sql;
use crate::store::{Connection, StoreResult};

/// A set with its counts.
#[derive(Clone, Debug, QueryableByName)]
pub struct SetRow {
    #[diesel(sql_type = Text)]
    pub game_code: String,
    /// Set code.
    #[diesel(sql_type = Text)]
    pub code: String,
    /// Name for people.
    #[diesel(sql_type = Text)]
    pub name: String,
    /// Day of release.
    #[diesel(sql_type = Nullable<Date>)]
    pub released_on: Option<NaiveDate>,
    /// Whether its cards start hidden.
    #[diesel(sql_type = Bool)]
    pub hidden: bool,
    /// Distinct accounts whose submissions unlock a card.
    #[diesel(sql_type = Int4)]
    pub unlock_threshold: i32,
    /// Number of cards.
    #[diesel(sql_type = BigInt)]
    pub card_count: i64,
    /// Number of cards that are hidden now.
    #[diesel(sql_type = BigInt)]
    pub hidden_count: i64,
    /// Number of cards that were hidden and are unlocked.
    #[diesel(sql_type = BigInt)]
    pub unlocked_count: i64,
    /// When the set itself (not its cards) last changed.
    #[diesel(sql_type = Timestamptz)]
    pub updated_at: DateTime<Utc>,
}

/// Goes before [`CHOSEN`] with a condition, and [`COUNTED`] after it: the cards are counted of the chosen sets only.
const COUNTS: &str = "SELECT s.game_code, s.code, s.name, s.released_on, s.hidden, s.updated_at, \
    coalesce(p.threshold, s.unlock_threshold) AS unlock_threshold, n.card_count, n.hidden_count, n.unlocked_count FROM (";

/// The sets to count, named `s` in conditions.
const CHOSEN: &str = "SELECT s.game_code, s.code, s.name, s.released_on, s.hidden, s.updated_at, s.unlock_threshold FROM sets s";

/// `OFFSET 0`: without it, Postgres reads all unlocks for a page of sets.
const COUNTED: &str = ") s CROSS JOIN LATERAL ( \
        SELECT count(*) AS card_count, \
               count(*) FILTER (WHERE u.card_id IS NOT NULL AND u.unlocked_at IS NULL) AS hidden_count, \
               count(u.unlocked_at) AS unlocked_count \
        FROM cards c LEFT JOIN LATERAL (SELECT card_id, unlocked_at FROM unlocks WHERE card_id = c.id OFFSET 0) u ON true \
        WHERE c.game_code = s.game_code AND c.set_code = s.code) n \
    LEFT JOIN LATERAL (SELECT policy.threshold FROM unlock_policies policy \
        WHERE policy.game_code = s.game_code AND (policy.set_code = s.code OR policy.set_code IS NULL) \
        ORDER BY policy.set_code NULLS LAST LIMIT 1) p ON true ORDER BY s.game_code, s.code";

/// Sets of a game by code, after the code `after`.
pub async fn list(
    conn: &mut Connection,
    game: &str,
    after: Option<&str>,
    limit: i64,
) -> StoreResult<Vec<SetRow>> {
    let of_game = "WHERE s.game_code = $game AND ($after IS NULL OR s.code > $after)";
    let chosen = sql(format!("{CHOSEN} {of_game}")).bind("game", game).bind("after", after);
    let page = push_page(chosen, "code", limit);
    Ok(page.within(COUNTS, COUNTED).load(conn).await?)
}

/// Sets of all games by game and code, after the set `after`.
pub async fn list_all(
    conn: &mut Connection,
    after: Option<(&str, &str)>,
    limit: i64,
) -> StoreResult<Vec<SetRow>> {
    let rest = "WHERE $game IS NULL OR (s.game_code, s.code) > ($game, $code)";
    let chosen = sql(format!("{CHOSEN} {rest}"))
        .bind("game", after.map(|(game, _)| game))
        .bind("code", after.map(|(_, code)| code));
    let page = push_page(chosen, "game_code, code", limit);
    Ok(page.within(COUNTS, COUNTED).load(conn).await?)
}

/// Whether a game has a set with that code.
pub async fn exists(mut conn: &Connection, game: &str, code: &str) -> StoreResult<bool> {
    let set = sets::table.filter(sets::game_code.eq(game).and(sets::code.eq(code)));
    Ok(diesel::select(diesel::dsl::exists(set)).get_result(&mut conn).await?)
}

/// The names of the existing sets among these, by code.
pub async fn names(
    mut conn: &Connection,
    game: &str,
    codes: &[&str],
) -> StoreResult<BTreeMap<String, String>> {
    let found: Vec<(String, String)> = sets::table
        .filter(sets::game_code.eq(game).and(sets::code.eq_any(codes)))
        .select((sets::code, sets::name))
        .load(&mut conn)
        .await?;
    Ok(found.into_iter().collect())
}

/// The set with that code.
pub async fn find(conn: &mut Connection, game: &str, code: &str) -> StoreResult<Option<SetRow>> {
    let query =
        sql(format!("{COUNTS}{CHOSEN} WHERE s.game_code = $game AND s.code = $code{COUNTED}"))
            .bind("game", game)
            .bind("code", code);
    Ok(query.get_result(conn).await.optional()?)
}
