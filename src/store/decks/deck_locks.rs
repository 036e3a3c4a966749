//! The locks of everything that writes decks.

use cardscape_engine::{Deck, DeckEntry};
use diesel::prelude::*;
use diesel_async::RunQueryDsl;

use super::deck_lists::{DetailRow, EntryRow, join_parts};
use super::deck_records::{DeckRow, StoredDeck};
use crate::auth::permission::{Acting, WriteOwnDecks};
use crate::domain::decks::deck::MAX_DECKS;
use crate::domain::ids::DeckId;
use crate::store::accounts::credentials;
use crate::store::db::schema::{accounts, deck_entries, decks};
use crate::store::{Connection, StoreResult};

/// Locks the account's row: until the transaction ends, no other request of the account stores a deck.
pub(super) async fn lock_account(conn: &Connection, by: &Acting<WriteOwnDecks>) -> StoreResult<()> {
    credentials::lock_account(conn, by.account()).await
}

/// Whether the account may have another deck. The account's row is locked, so that parallel requests cannot exceed the
/// limit.
pub(super) async fn has_room(
    conn: &mut Connection,
    by: &Acting<WriteOwnDecks>,
) -> StoreResult<bool> {
    lock_account(conn, by).await?;
    let own = decks::account_id.eq(by.account()).and(decks::deleted_at.is_null());
    let stored: i64 = decks::table.filter(own).count().get_result(conn).await?;
    Ok(stored < MAX_DECKS)
}

/// Locks one of the caller's decks that is not deleted.
pub(super) async fn lock(
    conn: &mut Connection,
    by: &Acting<WriteOwnDecks>,
    id: DeckId,
) -> StoreResult<Option<DeckRow>> {
    let own = decks::account_id.eq(by.account()).and(decks::deleted_at.is_null());
    // Not `FOR UPDATE`: transactions that write rows which refer to the deck hold a key-share lock on its row.
    let row = decks::table.find(id).filter(own).select(DeckRow::as_select()).for_no_key_update();
    Ok(row.first(conn).await.optional()?)
}

/// A locked deck with its content.
pub(super) struct LockedDeck {
    pub deck: StoredDeck,
    /// Whether the positions of its entries are 0, 1, 2 …, as this program writes them.
    pub is_in_order: bool,
}

/// Locks one of the caller's decks that is not deleted, and reads its content. Both statements go to the database
/// together: the second one begins after the lock was taken, so it reads the content of the locked revision.
pub(super) async fn lock_with_content(
    conn: &Connection,
    by: &Acting<WriteOwnDecks>,
    id: DeckId,
) -> StoreResult<Option<LockedDeck>> {
    let (mut of_row, mut of_entries) = (conn, conn);
    let is_own = || decks::account_id.eq(by.account());
    let author = accounts::table.filter(accounts::id.eq(decks::account_id)).select(accounts::name);
    // Not `FOR UPDATE`, as in `lock`.
    let row = decks::table
        .find(id)
        .filter(is_own().and(decks::deleted_at.is_null()))
        .select((DeckRow::as_select(), DetailRow::as_select(), author.single_value()))
        .for_no_key_update();
    // With the owner, so that the time does not depend on the entries of other players' decks.
    let entries = decks::table
        .inner_join(deck_entries::table.on(deck_entries::deck_id.eq(decks::id)))
        .filter(decks::id.eq(id).and(is_own()))
        .order(deck_entries::position)
        .select((deck_entries::position, EntryRow::as_select()));
    let (row, entries) = tokio::join!(
        biased;
        row.first::<(DeckRow, DetailRow, Option<String>)>(&mut of_row),
        entries.load::<(i32, EntryRow)>(&mut of_entries)
    );
    let Some((row, details, author)) = row.optional()? else { return Ok(None) };
    let (positions, entries): (Vec<i32>, Vec<EntryRow>) = entries?.into_iter().unzip();
    let entries = entries.into_iter().map(DeckEntry::from).collect();
    let is_in_order = positions.iter().zip(0..).all(|(position, at)| *position == at);
    let deck = join_parts(row, details, author.unwrap_or_default(), Deck { entries })?;
    Ok(Some(LockedDeck { deck, is_in_order }))
}
