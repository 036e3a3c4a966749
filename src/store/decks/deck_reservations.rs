//! Copies that players reserve for their decks: a number of copies of a printing, not particular copies.
//!
//! Reservations of an account are written under the lock of its row, so that those of two decks come one after the
//! other and no copy is reserved twice. The owned copies change independently, so every reader compares both
//! ([`in_effect`](crate::domain::decks::reservation::in_effect)).

use chrono::{DateTime, Utc};
use diesel::prelude::*;
use diesel::sql_types::{Int4, Text, Timestamptz, Uuid as SqlUuid};
use diesel_async::RunQueryDsl;

use super::deck_locks::{lock, lock_account};
use super::deck_ownership::{OwnedRow, owned_by};
use crate::auth::permission::{Acting, Granted, ReadOwnDecks, WriteOwnDecks};
use crate::domain::decks::reservation::Reservation;
use crate::domain::ids::{AccountId, CardId, DeckId, PrintingId};
use crate::store::db::statement::sql;
use crate::store::{Connection, StoreResult};

/// Copies of a printing that are reserved for a deck.
#[derive(Clone, Debug, QueryableByName)]
pub struct ReservedRow {
    #[diesel(sql_type = SqlUuid)]
    pub deck_id: DeckId,
    /// The name that its owner chose.
    #[diesel(sql_type = Text)]
    pub name: String,
    #[diesel(sql_type = SqlUuid)]
    pub printing_id: PrintingId,
    #[diesel(sql_type = SqlUuid)]
    pub card_id: CardId,
    /// Number of reserved copies, whether the account still owns them or not.
    #[diesel(sql_type = Int4)]
    pub quantity: i32,
    /// Since when the deck has a reservation.
    #[diesel(sql_type = Timestamptz)]
    pub reserved_at: DateTime<Utc>,
}

impl ReservedRow {
    /// The reservation, without names.
    pub fn reservation(&self) -> Reservation {
        Reservation {
            deck: self.deck_id,
            printing: self.printing_id,
            quantity: self.quantity.unsigned_abs().into(),
        }
    }
}

/// All reservations of an account. They are read deck by deck: a plan that reads those of all accounts can look cheaper to Postgres when the table has grown
/// since its statistics were made. `OFFSET 0` keeps the steps apart.
const RESERVED: &str = "SELECT r.deck_id, d.name, r.printing_id, p.card_id, r.quantity, r.reserved_at FROM decks d \
    CROSS JOIN LATERAL (SELECT * FROM deck_reservations one WHERE one.deck_id = d.id OFFSET 0) r JOIN printings p ON p.id = r.printing_id \
    WHERE d.account_id = $account AND d.deleted_at IS NULL";

/// The reservations of copies of these cards for the account's decks, those of the deck with the earliest reservation
/// first.
pub async fn of_cards(
    conn: &mut Connection,
    by: &Granted<ReadOwnDecks>,
    cards: &[CardId],
) -> StoreResult<Vec<ReservedRow>> {
    reserved_by(conn, by.account(), cards).await
}

/// The reservations of copies of these cards, and of all cards of which copies are reserved for this deck, for the
/// account's decks, in the order of [`of_cards`].
pub async fn of_deck(
    conn: &mut Connection,
    by: &Granted<ReadOwnDecks>,
    deck: DeckId,
    cards: &[CardId],
) -> StoreResult<Vec<ReservedRow>> {
    let rows = sql(format!("WITH own AS MATERIALIZED ({RESERVED}) \
         SELECT * FROM own WHERE card_id IN (SELECT card_id FROM own WHERE deck_id = $deck) OR card_id = "))
        .bind("account", by.account())
        .bind("deck", deck)
        .any(cards)
        .push(" ORDER BY reserved_at, deck_id, printing_id")
        .load(conn)
        .await?;
    Ok(rows)
}

async fn reserved_by(
    conn: &mut Connection,
    account: AccountId,
    cards: &[CardId],
) -> StoreResult<Vec<ReservedRow>> {
    let rows = sql(RESERVED)
        .push(" AND p.card_id = ")
        .bind("account", account)
        .any(cards)
        .push(" ORDER BY r.reserved_at, r.deck_id, r.printing_id")
        .load(conn)
        .await?;
    Ok(rows)
}

#[derive(QueryableByName)]
struct CardRow {
    #[diesel(sql_type = SqlUuid)]
    card_id: CardId,
}

/// The cards of which copies are reserved for a deck of the account, whether or not the deck still contains them.
pub async fn cards_of<P>(
    conn: &mut Connection,
    by: &Granted<P>,
    deck: DeckId,
) -> StoreResult<Vec<CardId>> {
    let rows: Vec<CardRow> = sql("SELECT DISTINCT p.card_id FROM decks d JOIN deck_reservations r ON r.deck_id = d.id JOIN printings p ON p.id = r.printing_id \
         WHERE d.account_id = $account AND d.deleted_at IS NULL AND d.id = $deck ORDER BY p.card_id")
        .bind("account", by.account())
        .bind("deck", deck)
        .load(conn)
        .await?;
    Ok(rows.into_iter().map(|row| row.card_id).collect())
}

/// The result of a reservation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReserveOutcome {
    /// This number of copies is reserved now.
    Done(u64),
    /// The deck has another revision.
    Stale,
    /// The caller has no such deck.
    Missing,
}

/// Replaces the reservations of copies of these cards for one of the caller's decks. `choose` gets the owned copies of
/// the cards and all reservations of them, and returns the copies to reserve. Reservations of other cards stay, because
/// the caller does not see these cards. The deck keeps its place in the order of reservations. Nothing is done if the
/// deck no longer has that `revision`.
pub async fn reserve(
    conn: &mut Connection,
    by: &Acting<WriteOwnDecks>,
    (deck, revision): (DeckId, Option<i64>),
    cards: &[CardId],
    choose: impl Fn(Vec<OwnedRow>, &[ReservedRow]) -> Vec<(PrintingId, u64)>,
    at: DateTime<Utc>,
) -> StoreResult<ReserveOutcome> {
    lock_account(conn, by).await?;
    match lock(conn, by, deck).await? {
        None => return Ok(ReserveOutcome::Missing),
        Some(row) if revision.is_some_and(|revision| revision != row.revision) => {
            return Ok(ReserveOutcome::Stale);
        }
        Some(_) => {}
    }
    // Waits for a merge of cards in progress, so that the next statements see its result.
    sql("SELECT FROM printings WHERE card_id = ")
        .any(cards)
        .push(" ORDER BY id FOR KEY SHARE")
        .execute(conn)
        .await?;
    let reserved = reserved_by(conn, by.account(), cards).await?;
    let chosen = choose(owned_by(conn, by.account(), cards).await?, &reserved);
    let (printings, quantities): (Vec<PrintingId>, Vec<i32>) = chosen
        .iter()
        .map(|(printing, quantity)| (*printing, i32::try_from(*quantity).unwrap_or(i32::MAX)))
        .unzip();
    let since = since(conn, by.account(), deck, at).await?;
    sql("DELETE FROM deck_reservations r USING printings p WHERE r.deck_id = $deck AND p.id = r.printing_id AND p.card_id = ")
        .bind("deck", deck)
        .any(cards)
        .execute(conn)
        .await?;
    sql("INSERT INTO deck_reservations (deck_id, printing_id, quantity, reserved_at) \
         SELECT $deck, one.printing_id, one.quantity, $since FROM unnest($printings, $quantities) AS one (printing_id, quantity) \
         ON CONFLICT (deck_id, printing_id) DO UPDATE SET quantity = excluded.quantity, reserved_at = excluded.reserved_at")
        .bind("deck", deck)
        .bind("since", since)
        .bind("printings", printings)
        .bind("quantities", quantities)
        .execute(conn)
        .await?;
    Ok(ReserveOutcome::Done(chosen.iter().map(|(_, quantity)| quantity).sum()))
}

#[derive(QueryableByName)]
struct SinceRow {
    #[diesel(sql_type = Timestamptz)]
    since: DateTime<Utc>,
}

/// Since when the deck has a reservation. If it has none: the current time, or a time after the reservations of all
/// other decks of the account, because the request may have waited for them.
async fn since(
    conn: &mut Connection,
    account: AccountId,
    deck: DeckId,
    at: DateTime<Utc>,
) -> StoreResult<DateTime<Utc>> {
    let row: SinceRow = sql("SELECT coalesce((SELECT min(reserved_at) FROM deck_reservations WHERE deck_id = $deck), \
         greatest($at, (SELECT max(last.reserved_at) + interval '1 microsecond' FROM decks d \
          CROSS JOIN LATERAL (SELECT max(r.reserved_at) AS reserved_at FROM deck_reservations r WHERE r.deck_id = d.id) last \
          WHERE d.account_id = $account))) AS since")
        .bind("deck", deck)
        .bind("at", at)
        .bind("account", account)
        .get_result(conn)
        .await?;
    Ok(row.since)
}

/// Deletes the reservations for one of the caller's decks. `false`: the caller has no such deck.
pub async fn release(
    conn: &mut Connection,
    by: &Acting<WriteOwnDecks>,
    deck: DeckId,
) -> StoreResult<bool> {
    lock_account(conn, by).await?;
    if lock(conn, by, deck).await?.is_none() {
        return Ok(false);
    }
    // Waits for a merge of cards in progress, so that the next statement sees its result.
    sql("SELECT FROM printings WHERE id IN (SELECT printing_id FROM deck_reservations WHERE deck_id = $deck) ORDER BY id FOR KEY SHARE")
        .bind("deck", deck)
        .execute(conn)
        .await?;
    sql("DELETE FROM deck_reservations WHERE deck_id = $deck")
        .bind("deck", deck)
        .execute(conn)
        .await?;
    Ok(true)
}
