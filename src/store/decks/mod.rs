//! Deck lists and their revisions, the owners' copies and reservations, likes, watches, followed authors, public decks.

pub mod deck_deletions;
pub mod deck_likes;
pub mod deck_lists;
mod deck_locks;
pub mod deck_ownership;
pub mod deck_pool;
pub mod deck_records;
pub mod deck_reservations;
pub mod deck_revisions;
pub mod deck_rows;
pub mod deck_search;
pub(super) mod deck_takedowns;
pub mod deck_watches;
pub mod deck_writes;
mod entry_columns;
pub mod followed_authors;
pub mod public_decks;
pub mod shared_decks;
mod stored_content;
pub mod watched_decks;

use diesel::prelude::*;
use diesel::sql_types::Bool;
use diesel_async::RunQueryDsl;

use crate::store::db::statement::sql;
use crate::store::{Connection, Store, StoreResult};

/// Whether a deck is public, and so in lists, from `decks d`.
pub(super) const IS_PUBLIC: &str = "d.visibility = 'public' AND d.deleted_at IS NULL";

/// Whether everybody may read the deck that `decks d` was cloned from: it is public, and its owner is not banned.
///
/// `OFFSET 0` makes Postgres look up the source of each deck. Without it, Postgres may read all public decks and all
/// accounts first: for a list of many decks, of which only a page is read, that seems cheaper.
pub(super) const TELLS_SOURCE: &str = "EXISTS (SELECT FROM decks source JOIN accounts source_owner ON source_owner.id = source.account_id \
    WHERE source.id = d.cloned_deck_id AND source.visibility = 'public' AND source.deleted_at IS NULL AND source_owner.banned_at IS NULL OFFSET 0) AS shows_source";

/// Whether a deck takes feedback, from `decks d JOIN accounts a`: others can read it, and its owner is not banned.
pub(super) const TAKES_FEEDBACK: &str = "(d.visibility = 'public' OR d.unlisted AND d.bound_revision = d.revision) AND d.deleted_at IS NULL AND a.banned_at IS NULL";

/// Runs `work` in a transaction that holds the advisory lock `lock`. `None`: another process holds it.
pub(super) async fn in_turn<T>(
    store: &Store,
    lock: i64,
    work: impl AsyncFnOnce(&mut Connection) -> StoreResult<T>,
) -> StoreResult<Option<T>> {
    #[derive(QueryableByName)]
    struct Locked {
        #[diesel(sql_type = Bool)]
        locked: bool,
    }
    let mut begun = store.begin().await?;
    let done = async {
        let conn = begun.conn();
        let statement = sql("SELECT pg_try_advisory_xact_lock($lock) AS locked").bind("lock", lock);
        let Locked { locked } = statement.get_result(conn).await?;
        if locked { Ok(Some(work(conn).await?)) } else { Ok(None) }
    };
    let done = done.await;
    begun.end(done).await
}
