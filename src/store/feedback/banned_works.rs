//! The designs and decks of an author who is banned, or whose ban ends: strangers cannot read them any more, or can
//! again, so the change feed names those that were public.

use chrono::{DateTime, Utc};
use diesel_async::RunQueryDsl;

use crate::domain::ids::AccountId;
use crate::store::db::statement::{run_commands, sql};
use crate::store::decks::IS_PUBLIC;
use crate::store::serials::unlock_policies::LONG_TIMEOUTS;
use crate::store::{Connection, StoreResult};

/// Locks all designs and decks that a ban or its end concerns: those of the account, and those with its feedback. The
/// account is locked. Cards are locked afterwards, in the same order as by releases and takedowns.
pub(in crate::store) async fn lock_all(
    conn: &mut Connection,
    account: AccountId,
) -> StoreResult<()> {
    run_commands(conn, LONG_TIMEOUTS).await?;
    // Locked in order, so that two bans cannot deadlock. Also what is not public: a step that makes it public, or ends
    // that, either comes before or sees the ban.
    sql("SELECT FROM designs WHERE id IN (SELECT design_id FROM design_comments WHERE account_id = $account \
          UNION SELECT design_id FROM design_ratings WHERE account_id = $account \
          UNION SELECT id FROM designs WHERE account_id = $account) ORDER BY id FOR NO KEY UPDATE")
    .bind("account", account)
    .execute(conn)
    .await?;
    sql("SELECT FROM decks WHERE id IN (SELECT deck_id FROM design_comments WHERE account_id = $account AND deck_id IS NOT NULL \
          UNION SELECT deck_id FROM deck_likes WHERE account_id = $account \
          UNION SELECT id FROM decks WHERE account_id = $account) ORDER BY id FOR NO KEY UPDATE")
    .bind("account", account)
    .execute(conn)
    .await?;
    Ok(())
}

/// Writes an event for each public design and deck of the account. All of them are locked, and their number is limited
/// for each account.
pub(super) async fn write_events(
    conn: &mut Connection,
    account: AccountId,
    banned: bool,
    at: DateTime<Utc>,
) -> StoreResult<()> {
    let (official, shared, published) = if banned {
        ("design.withdrawn", "design.withdrawn", "deck.withdrawn")
    } else {
        ("design.official", "design.shared", "deck.published")
    };
    // A trigger sets the time of events of designs.
    sql("INSERT INTO events (id, kind, subject_id, payload, created_at) \
         SELECT gen_random_uuid(), CASE WHEN d.status = 'official' THEN $official ELSE $shared END, d.id, \
          jsonb_build_object('game', d.game_code, 'design', d.code), $at FROM designs d WHERE d.account_id = $account AND d.listed")
    .bind("official", official)
    .bind("shared", shared)
    .bind("account", account)
    .bind("at", at)
    .execute(conn)
    .await?;
    // By the clock of the database, like the other events of decks.
    sql(format!(
        "INSERT INTO events (id, kind, subject_id, payload, created_at) \
         SELECT gen_random_uuid(), $kind, d.id, jsonb_build_object('game', d.game_code, 'deck', d.id), clock_timestamp() FROM decks d \
         WHERE d.account_id = $account AND {IS_PUBLIC}"
    ))
    .bind("kind", published)
    .bind("account", account)
    .execute(conn)
    .await?;
    Ok(())
}
