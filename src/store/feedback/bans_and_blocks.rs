//! Whose feedback counts: a ban hides all feedback of an account, a block removes its feedback from the counts of the
//! blocking account. Both are reversible. While an account is banned, the cards that it designed do not name it, and its
//! designs and decks are hidden.

use chrono::{DateTime, Utc};
use diesel_async::RunQueryDsl;

use super::banned_works;
use crate::domain::ids::AccountId;
use crate::store::db::statement::sql;
use crate::store::designs::{design_ratings, released_cards};
use crate::store::{Connection, StoreResult};

/// Removes the comments, ratings, likes and follows of a banned account from public counts, or restores them after the
/// ban, and writes events that its own works are withdrawn or restored. Runs in the transaction of the change, which has locked the
/// account and what [`banned_works::lock_all`] locks.
pub(in crate::store) async fn follow_ban(
    conn: &mut Connection,
    account: AccountId,
    account_since: DateTime<Utc>,
    banned: bool,
    at: DateTime<Utc>,
) -> StoreResult<()> {
    sql("UPDATE design_comments SET author_banned = $banned WHERE account_id = $account AND author_banned <> $banned")
        .bind("account", account)
        .bind("banned", banned)
        .execute(conn)
        .await?;
    design_ratings::follow_ban(conn, account, account_since, banned, at).await?;
    let (likes, follows) =
        if banned { ("false", "false") } else { (LIKE_IS_NOT_BLOCKED, FOLLOW_IS_NOT_BLOCKED) };
    sql(format!(
        "UPDATE deck_likes l SET counted = {likes} FROM decks d WHERE d.id = l.deck_id AND l.account_id = $account AND l.counted <> ({likes})"
    ))
    .bind("account", account)
    .execute(conn)
    .await?;
    sql(format!(
        "UPDATE followed_authors f SET counted = {follows} WHERE f.account_id = $account AND f.counted <> ({follows})"
    ))
    .bind("account", account)
    .execute(conn)
    .await?;
    banned_works::write_events(conn, account, banned, at).await?;
    released_cards::credits_changed(conn, account, at).await
}

/// Whether a like `l` of a deck `d` counts, apart from a ban of its account.
const LIKE_IS_NOT_BLOCKED: &str = "NOT EXISTS (SELECT FROM account_blocks b WHERE b.account_id = d.account_id AND b.blocked_id = l.account_id)";

/// Whether a row `f` of followed authors counts, apart from a ban of its account.
const FOLLOW_IS_NOT_BLOCKED: &str = "NOT EXISTS (SELECT FROM account_blocks b WHERE b.account_id = f.author_id AND b.blocked_id = f.account_id)";

/// Locks the blocking and the blocked account in order. Feedback locks the account of its author, so it either comes
/// before the block or sees it.
pub(in crate::store) async fn lock_both(
    conn: &mut Connection,
    account: AccountId,
    other: AccountId,
) -> StoreResult<()> {
    sql("SELECT FROM accounts WHERE id IN ($account, $other) ORDER BY id FOR NO KEY UPDATE")
        .bind("account", account)
        .bind("other", other)
        .execute(conn)
        .await?;
    Ok(())
}

/// Recounts the likes of an account for the decks of another, and its following of the other, under the current bans
/// and blocks. Both accounts must be locked.
pub(in crate::store) async fn follow_block(
    conn: &mut Connection,
    owner: AccountId,
    other: AccountId,
) -> StoreResult<()> {
    sql("SELECT FROM decks WHERE account_id = $owner AND id IN (SELECT deck_id FROM deck_likes WHERE account_id = $other) ORDER BY id FOR NO KEY UPDATE")
        .bind("owner", owner)
        .bind("other", other)
        .execute(conn)
        .await?;
    sql(format!(
        "UPDATE deck_likes l SET counted = NOT l.counted FROM decks d JOIN accounts w ON w.id = $other \
         WHERE d.account_id = $owner AND l.deck_id = d.id AND l.account_id = $other AND l.counted <> (w.banned_at IS NULL AND {LIKE_IS_NOT_BLOCKED})"
    ))
    .bind("owner", owner)
    .bind("other", other)
    .execute(conn)
    .await?;
    sql(format!(
        "UPDATE followed_authors f SET counted = NOT f.counted FROM accounts w \
         WHERE f.author_id = $owner AND f.account_id = $other AND w.id = $other AND f.counted <> (w.banned_at IS NULL AND {FOLLOW_IS_NOT_BLOCKED})"
    ))
    .bind("owner", owner)
    .bind("other", other)
    .execute(conn)
    .await?;
    Ok(())
}
