//! The printed and the registered copies of a set, by rarity.

use diesel::prelude::*;
use diesel::sql_types::{BigInt, Text};
use diesel_async::RunQueryDsl;

use crate::auth::permission::Viewer;
use crate::store::db::statement::sql;
use crate::store::{Connection, StoreResult};

/// A rarity of a set.
#[derive(Clone, Debug, QueryableByName)]
pub struct RarityRow {
    #[diesel(sql_type = Text)]
    pub rarity: String,
    /// Copies in active print runs.
    #[diesel(sql_type = BigInt)]
    pub printed: i64,
    /// Copies that players have registered. A void copy belongs to nobody.
    #[diesel(sql_type = BigInt)]
    pub registered: i64,
}

/// The rarities of a set, the most common first. For viewers who do not see all cards, hidden cards are left out: their
/// rarities, and how many copies of them are registered, are secret.
pub async fn count_by_rarity(
    conn: &mut Connection,
    game: &str,
    set: &str,
    viewer: Viewer,
) -> StoreResult<Vec<RarityRow>> {
    Ok(sql(
        "SELECT p.rarity, sum(planned.copies)::bigint AS printed, sum(held.copies)::bigint AS registered \
         FROM cards k JOIN printings p ON p.card_id = k.id LEFT JOIN unlocks u ON u.card_id = k.id \
         CROSS JOIN LATERAL (SELECT coalesce(sum(l.copy_count), 0) AS copies FROM print_run_lines l \
                             JOIN print_runs r ON r.id = l.print_run_id AND r.status = 'active' \
                             WHERE l.printing_id = p.id) planned \
         CROSS JOIN LATERAL (SELECT count(*) AS copies FROM copies c \
                             WHERE c.printing_id = p.id AND c.owner_id IS NOT NULL AND c.voided_at IS NULL) held \
         WHERE k.game_code = $game AND k.set_code = $set AND ($sees_all OR u.card_id IS NULL OR u.unlocked_at IS NOT NULL) \
         GROUP BY p.rarity ORDER BY min(p.tier), p.rarity",
    )
    .bind("game", game)
    .bind("set", set)
    .bind("sees_all", viewer.sees_all())
    .get_results(conn)
    .await?)
}
