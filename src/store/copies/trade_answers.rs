//! Answers to offers of trades: declining, cancelling and accepting them, and the locks of trades.

use std::collections::BTreeSet;

use chrono::{DateTime, Utc};
use diesel::prelude::*;
use diesel::sql_types::{Bool, Text, Uuid as SqlUuid};
use diesel_async::RunQueryDsl;

use super::ledger::{self, LockedCopy, NewEntry};
use super::trades::{STATE_NOW, role};
use crate::auth::permission::{Acting, WriteTrades};
use crate::domain::copies::ledger::LedgerKind;
use crate::domain::copies::trade::{TradeRole, TradeState};
use crate::domain::ids::{AccountId, CopyId, TradeId};
use crate::store::db::schema::{accounts, trades};
use crate::store::db::statement::{CachePrepared as _, sql};
use crate::store::{Connection, StoreResult};

/// Whether the action was done by this request or an earlier one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DoneBy {
    /// By this request.
    ThisRequest,
    /// By an earlier request: nothing changed.
    EarlierRequest,
}

/// Result of answering an offer.
#[derive(Debug)]
pub enum Answered<T> {
    /// Done, by this or an earlier request.
    Done(T),
    /// The caller has no such offer.
    Missing,
    /// Only the other side may do this.
    NotYourTurn,
    /// It was closed before, in this state.
    Closed(TradeState),
    /// It lapsed because these copies cannot be exchanged any more; empty: because of the other side.
    Lapsed(Vec<CopyId>, DoneBy),
}

#[derive(QueryableByName)]
pub(super) struct LockedTrade {
    #[diesel(sql_type = SqlUuid)]
    pub(super) offered_by: AccountId,
    #[diesel(sql_type = SqlUuid)]
    offered_to: AccountId,
    #[diesel(sql_type = Text)]
    pub(super) state: TradeState,
}

impl LockedTrade {
    pub(super) fn role(&self, account: AccountId) -> TradeRole {
        role(self.offered_by, account)
    }
}

/// Locks one of the account's trades until the transaction ends.
pub(super) async fn lock(
    conn: &mut Connection,
    account: AccountId,
    trade: TradeId,
    now: DateTime<Utc>,
) -> StoreResult<Option<LockedTrade>> {
    Ok(sql(format!(
        "SELECT t.offered_by, t.offered_to, {STATE_NOW} AS state FROM trades t \
         WHERE t.id = $trade AND $account IN (t.offered_by, t.offered_to) FOR NO KEY UPDATE"
    ))
    .bind("now", now)
    .bind("trade", trade)
    .bind("account", account)
    .get_result(conn)
    .await
    .optional()?)
}

pub(super) async fn close(
    conn: &mut Connection,
    trade: TradeId,
    state: TradeState,
    at: DateTime<Utc>,
) -> StoreResult<()> {
    diesel::update(trades::table.find(trade))
        .set((trades::state.eq(state), trades::closed_at.eq(at)))
        .cached()
        .execute(conn)
        .await?;
    Ok(())
}

#[derive(Debug, QueryableByName)]
pub struct ClosedOffer {
    #[diesel(sql_type = SqlUuid)]
    pub id: TradeId,
    /// How it was closed.
    #[diesel(sql_type = Text)]
    pub state: TradeState,
}

/// Closes the open offers between an account and another that it blocks: its own offers are cancelled, those of the
/// other are declined, as the account could do one by one. So no single offer shows the block; if there are several, the
/// other account can see that all were closed at one time.
pub(in crate::store) async fn close_between(
    conn: &mut Connection,
    account: AccountId,
    other: AccountId,
    at: DateTime<Utc>,
) -> StoreResult<Vec<ClosedOffer>> {
    Ok(sql(
        "UPDATE trades SET state = CASE WHEN offered_by = $account THEN 'cancelled' ELSE 'declined' END, closed_at = $at \
         WHERE state = 'open' AND expires_at > $at AND ((offered_by = $account AND offered_to = $other) \
               OR (offered_by = $other AND offered_to = $account)) RETURNING id, state",
    )
    .bind("account", account)
    .bind("other", other)
    .bind("at", at)
    .get_results(conn)
    .await?)
}

/// The copies because of which an offer lapsed.
pub(super) async fn list_missing_copies(
    conn: &mut Connection,
    trade: TradeId,
) -> StoreResult<Vec<CopyId>> {
    #[derive(QueryableByName)]
    struct MissingCopy {
        #[diesel(sql_type = SqlUuid)]
        id: CopyId,
    }
    let rows: Vec<MissingCopy> = sql(
        "SELECT c.id FROM trade_copies t JOIN copies c ON c.code_prefix = t.code_prefix AND c.code_mac = t.code_mac \
         WHERE t.trade_id = $trade AND t.gone ORDER BY c.id",
    )
    .bind("trade", trade)
    .get_results(conn)
    .await?;
    Ok(rows.into_iter().map(|row| row.id).collect())
}

/// Closes an open offer: its recipient declines it, or its maker cancels it. `to` is `Declined` or `Cancelled`.
pub async fn close_offer(
    conn: &mut Connection,
    by: &Acting<WriteTrades>,
    trade: TradeId,
    to: TradeState,
    at: DateTime<Utc>,
) -> StoreResult<Answered<DoneBy>> {
    let Some(locked) = lock(conn, by.account(), trade, at).await? else {
        return Ok(Answered::Missing);
    };
    let turn = match to {
        TradeState::Cancelled => TradeRole::Offerer,
        _ => TradeRole::Recipient,
    };
    if locked.role(by.account()) != turn {
        return Ok(Answered::NotYourTurn);
    }
    match locked.state {
        TradeState::Open => close(conn, trade, to, at).await?,
        done if done == to => return Ok(Answered::Done(DoneBy::EarlierRequest)),
        closed => return Ok(Answered::Closed(closed)),
    }
    Ok(Answered::Done(DoneBy::ThisRequest))
}

#[derive(QueryableByName)]
struct SwapRow {
    #[diesel(embed)]
    copy: LockedCopy,
    #[diesel(sql_type = Bool)]
    given: bool,
}

impl SwapRow {
    /// Whether the giver can no longer give it.
    fn is_gone(&self, trade: &LockedTrade) -> bool {
        let giver = if self.given { trade.offered_by } else { trade.offered_to };
        self.copy.owner_id != giver
            || self.copy.frozen_at.is_some()
            || self.copy.voided_at.is_some()
    }

    /// Its owner after the trade.
    fn taker(&self, trade: &LockedTrade) -> AccountId {
        if self.given { trade.offered_to } else { trade.offered_by }
    }
}

/// Accepts an offer: all copies change hands in one transaction, or the offer lapses. This creates no submissions and
/// does not affect unlocks.
///
/// The trade is locked first, then its copies in the order of their keys, so that two trades with the same copies
/// cannot deadlock.
pub async fn accept(
    conn: &mut Connection,
    by: &Acting<WriteTrades>,
    trade: TradeId,
    at: DateTime<Utc>,
) -> StoreResult<Answered<DoneBy>> {
    let Some(locked) = lock(conn, by.account(), trade, at).await? else {
        return Ok(Answered::Missing);
    };
    if locked.role(by.account()) == TradeRole::Offerer {
        return Ok(Answered::NotYourTurn);
    }
    match locked.state {
        TradeState::Open => {}
        TradeState::Accepted => return Ok(Answered::Done(DoneBy::EarlierRequest)),
        TradeState::Lapsed => {
            return Ok(Answered::Lapsed(
                list_missing_copies(conn, trade).await?,
                DoneBy::EarlierRequest,
            ));
        }
        closed => return Ok(Answered::Closed(closed)),
    }
    let rows: Vec<SwapRow> = sql(
        "SELECT c.code_prefix, c.code_mac, c.id, c.owner_id, c.frozen_at, c.voided_at, t.given \
         FROM trade_copies t JOIN copies c ON c.code_prefix = t.code_prefix AND c.code_mac = t.code_mac \
         WHERE t.trade_id = $trade ORDER BY c.code_prefix, c.code_mac FOR NO KEY UPDATE OF c",
    )
    .bind("trade", trade)
    .get_results(conn)
    .await?;
    let partner: Option<Option<DateTime<Utc>>> = accounts::table
        .find(locked.offered_by)
        .select(accounts::banned_at)
        .first(conn)
        .await
        .optional()?;
    let gone: Vec<&LockedCopy> =
        rows.iter().filter(|row| row.is_gone(&locked)).map(|row| &row.copy).collect();
    if !gone.is_empty() || partner != Some(None) {
        close(conn, trade, TradeState::Lapsed, at).await?;
        if !gone.is_empty() {
            sql(
                "UPDATE trade_copies t SET gone = true FROM unnest((SELECT $prefixes), (SELECT $macs)) AS missing (code_prefix, code_mac) \
                 WHERE t.trade_id = $trade AND t.code_prefix = missing.code_prefix AND t.code_mac = missing.code_mac",
            )
            .bind("prefixes", gone.iter().map(|copy| copy.code_prefix.as_str()).collect::<Vec<_>>())
            .bind("macs", gone.iter().map(|copy| copy.code_mac.as_slice()).collect::<Vec<_>>())
            .bind("trade", trade)
            .execute(conn)
            .await?;
        }
        let gone: BTreeSet<_> = gone.iter().map(|copy| copy.id).collect();
        return Ok(Answered::Lapsed(gone.into_iter().collect(), DoneBy::ThisRequest));
    }
    swap(conn, trade, &locked, &rows, at).await?;
    close(conn, trade, TradeState::Accepted, at).await?;
    Ok(Answered::Done(DoneBy::ThisRequest))
}

async fn swap(
    conn: &mut Connection,
    trade: TradeId,
    locked: &LockedTrade,
    rows: &[SwapRow],
    at: DateTime<Utc>,
) -> StoreResult<()> {
    sql(
        "UPDATE copies c SET owner_id = CASE WHEN t.given THEN $offered_to ELSE $offered_by END FROM trade_copies t \
         WHERE t.trade_id = $trade AND c.code_prefix = t.code_prefix AND c.code_mac = t.code_mac",
    )
    .bind("trade", trade)
    .bind("offered_to", locked.offered_to)
    .bind("offered_by", locked.offered_by)
    .execute(conn)
    .await?;
    let entries: Vec<NewEntry<'_>> = rows
        .iter()
        .map(|row| NewEntry {
            copy: &row.copy,
            kind: LedgerKind::Transfer,
            account: row.taker(locked),
            reason: None,
            trade: Some(trade),
            dispute: None,
            at,
        })
        .collect();
    ledger::append(conn, &entries).await?;
    // If the claimant of a disputed copy gets it by the trade, the dispute is settled.
    sql("UPDATE disputes d SET state = 'settled', closed_at = $at FROM trade_copies t, copies c \
         WHERE t.trade_id = $trade AND c.code_prefix = t.code_prefix AND c.code_mac = t.code_mac \
           AND d.code_prefix = t.code_prefix AND d.code_mac = t.code_mac \
           AND d.state = 'open' AND d.claimant_id = c.owner_id")
    .bind("trade", trade)
    .bind("at", at)
    .execute(conn)
    .await?;
    Ok(())
}
