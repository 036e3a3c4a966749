//! How complete sets are in a collection, as a viewer sees it: what the account has of them, and what there is of open cards, which is the same for
//! everybody and can be kept.

use diesel::prelude::*;
use diesel::sql_types::{BigInt, Int4, Text};
use diesel_async::RunQueryDsl;

use crate::auth::permission::Viewer;
use crate::domain::ids::AccountId;
use crate::store::db::statement::sql;
use crate::store::{Connection, StoreResult};

/// What an account has of a part of a set.
#[derive(Clone, Debug, PartialEq, Eq, QueryableByName)]
pub struct OwnedRow {
    #[diesel(sql_type = Text)]
    pub set_code: String,
    /// `cards`, `printings`, `rarity` or `kind`.
    #[diesel(sql_type = Text)]
    pub part: String,
    /// Code of the rarity or kind; empty otherwise.
    #[diesel(sql_type = Text)]
    pub code: String,
    /// Place of a rarity among those of its set; 0 otherwise.
    #[diesel(sql_type = Int4)]
    pub place: i32,
    /// How many of them she has, counted or registered.
    #[diesel(sql_type = BigInt)]
    pub owned: i64,
    /// How many there are of hidden cards that she sees because she has them: no total counts them.
    #[diesel(sql_type = BigInt)]
    pub beside: i64,
}

/// What the account has of a game, or of one of its sets. Of cards that the viewer may not see it tells that they are cards of their set.
///
/// It begins with what the account has, so it costs as much as that, and not as much as the sets.
pub(in crate::store) async fn owned(
    conn: &mut Connection,
    viewer: Viewer,
    account: AccountId,
    game: &str,
    set: Option<&str>,
) -> StoreResult<Vec<OwnedRow>> {
    let sql = sql("WITH mine AS MATERIALIZED (SELECT printing_id FROM collection_entries WHERE account_id = ")
        .value(account)
        .push(" UNION SELECT printing_id FROM copies WHERE voided_at IS NULL AND owner_id = ")
        .value(account)
        .push(
            "), has AS MATERIALIZED (SELECT c.id, c.set_code, p.rarity, p.tier, content.kind, content.open FROM mine \
             JOIN printings p ON p.id = mine.printing_id JOIN cards c ON c.id = p.card_id \
             LEFT JOIN card_content content ON content.card_id = c.id AND ",
        )
        .sight(viewer)
        .push(" WHERE c.game_code = ")
        .value(game);
    let sql = match set {
        Some(set) => sql.push(" AND c.set_code = ").value(set),
        None => sql,
    };
    // For those who see all cards, hidden ones are in the totals.
    let sql = sql.push(if viewer.sees_all() {
        "), lifted AS (SELECT id, set_code, kind FROM has WHERE false), "
    } else {
        "), lifted AS (SELECT DISTINCT id, set_code, kind FROM has WHERE NOT open), "
    });
    let sql = sql.push(
        "beside AS (SELECT lifted.set_code, p.rarity, p.tier FROM lifted JOIN printings p ON p.card_id = lifted.id), \
         part AS (SELECT set_code, 'cards' AS part, '' AS code, 0 AS place, count(DISTINCT id) AS owned, 0::bigint AS beside \
             FROM has GROUP BY set_code \
         UNION ALL SELECT set_code, 'printings', '', 0, count(*), 0 FROM has WHERE kind IS NOT NULL GROUP BY set_code \
         UNION ALL SELECT set_code, 'rarity', rarity, min(tier), count(*), 0 FROM has WHERE kind IS NOT NULL GROUP BY set_code, rarity \
         UNION ALL SELECT set_code, 'kind', kind, 0, count(DISTINCT id), 0 FROM has WHERE kind IS NOT NULL GROUP BY set_code, kind \
         UNION ALL SELECT set_code, 'printings', '', 0, 0, count(*) FROM beside GROUP BY set_code \
         UNION ALL SELECT set_code, 'rarity', rarity, min(tier), 0, count(*) FROM beside GROUP BY set_code, rarity \
         UNION ALL SELECT set_code, 'kind', kind, 0, 0, count(*) FROM lifted GROUP BY set_code, kind) \
         SELECT set_code, part, code, min(place) AS place, sum(owned)::bigint AS owned, sum(beside)::bigint AS beside FROM part \
         GROUP BY set_code, part, code",
    );
    Ok(sql.varies_with_filters().load(conn).await?)
}

/// How many there are of a part of a set.
#[derive(Clone, Debug, PartialEq, Eq, QueryableByName)]
pub struct TotalRow {
    /// `cards`, `printings`, `rarity` or `kind`.
    #[diesel(sql_type = Text)]
    pub part: String,
    /// Code of the rarity or kind; empty otherwise.
    #[diesel(sql_type = Text)]
    pub code: String,
    /// Place of a rarity among those of its set; 0 otherwise.
    #[diesel(sql_type = Int4)]
    pub place: i32,
    /// How many.
    #[diesel(sql_type = BigInt)]
    pub total: i64,
}

/// What there is of a set: all of its cards, which is public, and printings, rarities and kinds of open cards; for those who see all cards, of all.
/// Nothing for a set without cards, or one that does not exist.
pub(in crate::store) async fn totals(
    conn: &mut Connection,
    viewer: Viewer,
    game: &str,
    set: &str,
) -> StoreResult<Vec<TotalRow>> {
    let open = if viewer.sees_all() { "" } else { " AND content.open" };
    let sql =
        sql("WITH one AS MATERIALIZED (SELECT c.id, content.kind, p.rarity, p.tier FROM cards c \
         JOIN card_content content ON content.card_id = c.id");
    let sql = sql
        .push(open)
        .push(" LEFT JOIN printings p ON p.card_id = c.id WHERE c.game_code = ")
        .value(game)
        .push(" AND c.set_code = ")
        .value(set)
        .push(
            "), part AS (SELECT 'cards' AS part, '' AS code, 0 AS place, count(*) AS total FROM cards WHERE game_code = ",
        )
        .value(game)
        .push(" AND set_code = ")
        .value(set)
        .push(
            " HAVING count(*) > 0 UNION ALL SELECT 'printings', '', 0, count(rarity) FROM one HAVING count(*) > 0 \
             UNION ALL SELECT 'rarity', rarity, min(tier), count(*) FROM one WHERE rarity IS NOT NULL GROUP BY rarity \
             UNION ALL SELECT 'kind', kind, 0, count(DISTINCT id) FROM one GROUP BY kind) \
             SELECT * FROM part",
        );
    Ok(sql.varies_with_filters().load(conn).await?)
}
