//! The copy ledger: the only place where copies are changed.
//!
//! Every change locks the copy's row first. The database numbers the entries of a copy under that lock, so the history
//! of a copy has no gaps and no branches, and its owner and state follow from the newest entries.

use std::collections::HashSet;

use chrono::{DateTime, Utc};
use diesel::prelude::*;
use diesel::sql_types::{Binary, Bool, Nullable, Text, Timestamptz, Uuid as SqlUuid};
use diesel_async::RunQueryDsl;

use crate::domain::copies::ledger::LedgerKind;
use crate::domain::ids::{AccountId, CopyId, DisputeId, LedgerId, TradeId};
use crate::store::db::schema::copy_ledger;
use crate::store::db::statement::sql;
use crate::store::{Connection, StoreResult};

/// A copy whose row is locked until the transaction ends.
#[derive(Clone, Debug, QueryableByName)]
pub(in crate::store) struct LockedCopy {
    /// Key of the copy, first half.
    #[diesel(sql_type = Text)]
    pub code_prefix: String,
    /// Key of the copy, second half.
    #[diesel(sql_type = Binary)]
    pub code_mac: Vec<u8>,
    #[diesel(sql_type = SqlUuid)]
    pub id: CopyId,
    #[diesel(sql_type = SqlUuid)]
    pub owner_id: AccountId,
    /// Since when it is frozen.
    #[diesel(sql_type = Nullable<Timestamptz>)]
    pub frozen_at: Option<DateTime<Utc>>,
    /// When it was declared void.
    #[diesel(sql_type = Nullable<Timestamptz>)]
    pub voided_at: Option<DateTime<Utc>>,
}

/// An entry to write about a copy whose row is locked.
pub(in crate::store) struct NewEntry<'a> {
    pub copy: &'a LockedCopy,
    /// The kind of entry.
    pub kind: LedgerKind,
    /// For `register` and `transfer` the new owner, for `dispute` the claimant, else the moderator.
    pub account: AccountId,
    /// The moderator's reason.
    pub reason: Option<&'a str>,
    /// The trade that moved it.
    pub trade: Option<TradeId>,
    /// The dispute that was decided.
    pub dispute: Option<DisputeId>,
    pub at: DateTime<Utc>,
}

/// Locks a registered copy until the transaction ends; `None`: there is none with that id. `FOR NO KEY UPDATE`, so that inserts of rows that refer
/// to the copy do not wait.
pub(in crate::store) async fn lock(
    conn: &mut Connection,
    copy: CopyId,
) -> StoreResult<Option<LockedCopy>> {
    Ok(sql(
        "SELECT code_prefix, code_mac, id, owner_id, frozen_at, voided_at FROM copies WHERE id = $copy FOR NO KEY UPDATE",
    )
    .bind("copy", copy)
    .get_result(conn)
    .await
    .optional()?)
}

/// Locks the registered copy with that key.
pub(in crate::store) async fn lock_by_key(
    conn: &mut Connection,
    code_prefix: &str,
    code_mac: &[u8],
) -> StoreResult<Option<LockedCopy>> {
    Ok(sql("SELECT code_prefix, code_mac, id, owner_id, frozen_at, voided_at FROM copies \
         WHERE code_prefix = $code_prefix AND code_mac = $code_mac AND owner_id IS NOT NULL FOR NO KEY UPDATE")
    .bind("code_prefix", code_prefix)
    .bind("code_mac", code_mac)
    .get_result(conn)
    .await
    .optional()?)
}

/// Locks those copies that have no owner, in the order of their keys.
pub(in crate::store) async fn lock_unowned(
    conn: &mut Connection,
    keys: impl Iterator<Item = &(String, Vec<u8>)>,
) -> StoreResult<()> {
    let (prefixes, macs): (Vec<&str>, Vec<&[u8]>) =
        keys.map(|(prefix, mac)| (prefix.as_str(), mac.as_slice())).unzip();
    sql("SELECT c.code_prefix FROM unnest((SELECT $prefixes), (SELECT $macs)) AS w (prefix, mac) \
         JOIN copies c ON c.code_prefix = w.prefix AND c.code_mac = w.mac AND c.owner_id IS NULL \
         ORDER BY c.code_prefix, c.code_mac FOR NO KEY UPDATE OF c")
    .bind("prefixes", prefixes)
    .bind("macs", macs)
    .execute(conn)
    .await?;
    Ok(())
}

/// Locks, without waiting, those copies that have no owner; returns the keys of those that it could lock.
pub(in crate::store) async fn try_lock_unowned(
    mut conn: &Connection,
    keys: &[(String, Vec<u8>)],
) -> StoreResult<HashSet<(String, Vec<u8>)>> {
    #[derive(QueryableByName)]
    struct KeyRow {
        #[diesel(sql_type = Text)]
        code_prefix: String,
        #[diesel(sql_type = Binary)]
        code_mac: Vec<u8>,
    }
    let (prefixes, macs): (Vec<&str>, Vec<&[u8]>) =
        keys.iter().map(|(prefix, mac)| (prefix.as_str(), mac.as_slice())).unzip();
    let locked: Vec<KeyRow> = sql(
        "SELECT c.code_prefix, c.code_mac FROM unnest((SELECT $prefixes), (SELECT $macs)) AS w (prefix, mac) \
         JOIN copies c ON c.code_prefix = w.prefix AND c.code_mac = w.mac AND c.owner_id IS NULL \
         FOR NO KEY UPDATE OF c SKIP LOCKED",
    )
    .bind("prefixes", prefixes)
    .bind("macs", macs)
    .load(&mut conn)
    .await?;
    Ok(locked.into_iter().map(|row| (row.code_prefix, row.code_mac)).collect())
}

/// Whether an account has an interest in a copy: it owns or claims it, or did so before. Moderators must leave such
/// copies to others.
pub(in crate::store) async fn is_party(
    conn: &mut Connection,
    copy: &LockedCopy,
    account: AccountId,
) -> StoreResult<bool> {
    #[derive(QueryableByName)]
    struct Party {
        #[diesel(sql_type = Bool)]
        party: bool,
    }
    let Party { party } =
        sql("SELECT EXISTS (SELECT FROM copy_ledger WHERE code_prefix = $code_prefix AND code_mac = $code_mac \
                        AND (owner_id = $account OR (entry = 'dispute' AND account_id = $account))) AS party")
        .bind("code_prefix", &copy.code_prefix)
        .bind("code_mac", &copy.code_mac)
        .bind("account", account)
        .get_result(conn)
        .await?;
    Ok(party)
}

/// Writes entries. The copies must have been changed before: a trigger stores the current owner with each entry.
pub(in crate::store) async fn append(
    conn: &mut Connection,
    entries: &[NewEntry<'_>],
) -> StoreResult<()> {
    let rows: Vec<_> = entries
        .iter()
        .map(|entry| {
            (
                copy_ledger::id.eq(LedgerId::generate()),
                copy_ledger::code_prefix.eq(&entry.copy.code_prefix),
                copy_ledger::code_mac.eq(&entry.copy.code_mac),
                copy_ledger::entry.eq(entry.kind),
                copy_ledger::account_id.eq(entry.account),
                copy_ledger::reason.eq(entry.reason),
                copy_ledger::trade_id.eq(entry.trade),
                copy_ledger::dispute_id.eq(entry.dispute),
                copy_ledger::created_at.eq(entry.at),
            )
        })
        .collect();
    diesel::insert_into(copy_ledger::table).values(rows).execute(conn).await?;
    Ok(())
}
