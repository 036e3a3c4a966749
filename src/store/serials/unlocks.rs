//! Progress and unlocks of hidden cards: the public part.

use chrono::{DateTime, Utc};
use diesel::prelude::*;
use diesel::sql_types::{Array, Integer, Nullable, Text, Timestamptz, Uuid as SqlUuid};
use diesel_async::RunQueryDsl;
use uuid::Uuid;

use crate::domain::ids::CardId;
use crate::store::db::pages::push_page;
use crate::store::db::schema::unlocks;
use crate::store::db::statement::sql;
use crate::store::{Connection, StoreResult};

/// The counted submissions of all cards with submissions; `None`: there are more than `max` such cards.
///
/// Everything is in one row: reading a quarter of a million rows would occupy a worker thread for a tenth of a second.
pub async fn load_counts(
    conn: &mut Connection,
    max: i64,
) -> StoreResult<Option<impl Iterator<Item = (u128, i64)> + Send + use<>>> {
    #[derive(QueryableByName)]
    struct All {
        #[diesel(sql_type = Array<SqlUuid>)]
        cards: Vec<CardId>,
        #[diesel(sql_type = Array<Integer>)]
        counts: Vec<i32>,
    }
    let query = sql(
        "SELECT coalesce(array_agg(card_id), '{}') AS cards, coalesce(array_agg(submissions), '{}') AS counts \
         FROM (SELECT card_id, submissions FROM unlocks WHERE submissions > 0 LIMIT $limit) counted",
    );
    let All { cards, counts } = query.bind("limit", max + 1).get_result(conn).await?;
    let is_all = i64::try_from(cards.len()).is_ok_and(|found| found <= max);
    let counted = cards.into_iter().map(|card| card.0.as_u128());
    Ok(is_all.then(|| counted.zip(counts.into_iter().map(i64::from))))
}

/// Unlock progress of a card.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Queryable, Selectable, QueryableByName)]
#[diesel(table_name = unlocks)]
pub struct ProgressRow {
    /// Number of submissions that count.
    #[diesel(sql_type = Integer)]
    pub submissions: i32,
    /// Number of submissions that unlock the card.
    #[diesel(sql_type = Integer)]
    pub threshold: i32,
    /// When the card was unlocked.
    #[diesel(sql_type = Nullable<Timestamptz>)]
    pub unlocked_at: Option<DateTime<Utc>>,
}

/// A card that was unlocked.
#[derive(Clone, Debug, QueryableByName)]
pub struct UnlockRow {
    #[diesel(sql_type = SqlUuid)]
    pub card_id: CardId,
    #[diesel(sql_type = Text)]
    pub game_code: String,
    #[diesel(sql_type = Text)]
    pub set_code: String,
    /// Its number in the set.
    #[diesel(sql_type = Text)]
    pub number: String,
    /// When it was unlocked.
    #[diesel(sql_type = Timestamptz)]
    pub unlocked_at: DateTime<Utc>,
}

/// The progress of a card; `None`: there is no such card, or it never was hidden.
pub async fn find_progress(
    conn: &mut Connection,
    card: CardId,
) -> StoreResult<Option<ProgressRow>> {
    Ok(unlocks::table.find(card).select(ProgressRow::as_select()).first(conn).await.optional()?)
}

/// A card that started hidden, with its progress.
#[derive(Clone, Debug, QueryableByName)]
pub struct SetProgressRow {
    #[diesel(sql_type = SqlUuid)]
    pub card_id: CardId,
    /// Its number in the set.
    #[diesel(sql_type = Text)]
    pub number: String,
    #[diesel(embed)]
    pub progress: ProgressRow,
}

/// The cards of a set that started hidden, by number, after the number `after`.
pub async fn list_of_set(
    conn: &mut Connection,
    game: &str,
    set: &str,
    after: Option<&str>,
    limit: i64,
) -> StoreResult<Vec<SetProgressRow>> {
    let statement = sql("SELECT u.card_id, k.number, u.submissions, u.threshold, u.unlocked_at \
         FROM cards k JOIN unlocks u ON u.card_id = k.id \
         WHERE k.game_code = $game AND k.set_code = $set AND ($after IS NULL OR k.number > $after)")
    .bind("game", game)
    .bind("set", set)
    .bind("after", after);
    Ok(push_page(statement, "number", limit).load(conn).await?)
}

/// Unlocked cards, the newest first, after the position `before`.
pub async fn list(
    conn: &mut Connection,
    before: Option<(DateTime<Utc>, Uuid)>,
    limit: i64,
) -> StoreResult<Vec<UnlockRow>> {
    let (at, card) = before.unwrap_or((
        DateTime::<Utc>::from_timestamp(FAR_FUTURE, 0).unwrap_or_default(),
        Uuid::nil(),
    ));
    let statement = sql("SELECT u.card_id, k.game_code, k.set_code, k.number, u.unlocked_at \
         FROM unlocks u JOIN cards k ON k.id = u.card_id \
         WHERE u.unlocked_at <= $at AND (u.unlocked_at < $at OR u.card_id > $card)")
    .bind("at", at)
    .bind("card", card);
    Ok(push_page(statement, "unlocked_at DESC, card_id", limit).get_results(conn).await?)
}

/// 1 January 9999 in Unix time: after every unlock.
const FAR_FUTURE: i64 = 253_370_764_800;
