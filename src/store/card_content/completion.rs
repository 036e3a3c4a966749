//! How complete sets are in a collection, as a viewer may see it: what the account owns of them, and the totals of open
//! cards, which are the same for everybody and can be cached.

use std::collections::BTreeMap;

use diesel::prelude::*;
use diesel::sql_types::{BigInt, Int4, Text};
use diesel_async::RunQueryDsl;

use crate::auth::permission::Viewer;
use crate::domain::ids::AccountId;
use crate::store::db::statement::sql;
use crate::store::{Connection, StoreResult};

/// How much of a part of a set an account owns.
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
    /// How many of them the account owns, counted or registered.
    #[diesel(sql_type = BigInt)]
    pub owned: i64,
    /// How many of these belong to hidden cards that the account sees because it holds a copy: the totals do not
    /// include them.
    #[diesel(sql_type = BigInt)]
    pub beside: i64,
}

/// Counts what the account owns of a game, or of one of its sets. Cards that the viewer may not see are only counted as
/// cards of their set.
///
/// The cost grows with what the account owns, not with the size of the sets.
pub(in crate::store) async fn count_owned(
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
        .push_is_visible(viewer)
        .push(" WHERE c.game_code = ")
        .value(game);
    let sql = match set {
        Some(set) => sql.push(" AND c.set_code = ").value(set),
        None => sql,
    };
    // For viewers who may see all cards, the totals include hidden cards.
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

/// The size of a part of a set.
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
    /// Their number.
    #[diesel(sql_type = BigInt)]
    pub total: i64,
}

#[derive(QueryableByName)]
struct SetTotalRow {
    #[diesel(sql_type = Text)]
    set_code: String,
    #[diesel(embed)]
    total: TotalRow,
}

/// Counts the cards of sets, which are public, and the printings, rarities and kinds of their open cards, or of all cards for a viewer who sees
/// everything. A set that does not exist or has no cards is left out.
pub(in crate::store) async fn count_totals(
    conn: &mut Connection,
    viewer: Viewer,
    game: &str,
    sets: &[&str],
) -> StoreResult<BTreeMap<String, Vec<TotalRow>>> {
    let open = if viewer.sees_all() { "" } else { " AND content.open" };
    let sql = sql(
        "WITH one AS MATERIALIZED (SELECT c.id, c.set_code, content.kind, p.rarity, p.tier FROM cards c \
         JOIN card_content content ON content.card_id = c.id",
    );
    let sql = sql
        .push(open)
        .push(" LEFT JOIN printings p ON p.card_id = c.id WHERE c.game_code = ")
        .value(game)
        .push(" AND c.set_code = ")
        .any(sets)
        .push(
            "), part AS (SELECT set_code, 'cards' AS part, '' AS code, 0 AS place, count(*) AS total FROM cards WHERE game_code = ",
        )
        .value(game)
        .push(" AND set_code = ")
        .any(sets)
        .push(
            " GROUP BY set_code UNION ALL SELECT set_code, 'printings', '', 0, count(rarity) FROM one GROUP BY set_code \
             UNION ALL SELECT set_code, 'rarity', rarity, min(tier), count(*) FROM one WHERE rarity IS NOT NULL GROUP BY set_code, rarity \
             UNION ALL SELECT set_code, 'kind', kind, 0, count(DISTINCT id) FROM one GROUP BY set_code, kind) \
             SELECT * FROM part",
        );
    let rows: Vec<SetTotalRow> = sql.varies_with_filters().load(conn).await?;
    let mut totals: BTreeMap<String, Vec<TotalRow>> = BTreeMap::new();
    for SetTotalRow { set_code, total } in rows {
        totals.entry(set_code).or_default().push(total);
    }
    Ok(totals)
}
