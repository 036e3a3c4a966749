//! Trades: offers to exchange copies. An open offer locks nothing; accepting it checks everything again and exchanges
//! all copies or none.

use std::collections::{BTreeMap, BTreeSet};

use chrono::{DateTime, Utc};
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Binary, Bool, Nullable, Text, Timestamptz, Uuid as SqlUuid};
use diesel_async::RunQueryDsl;
use uuid::Uuid;

use super::copy_records::{COLUMNS, CopyRow, CopyView, JOIN_CARD, view_copies};
use super::ledger::{self, LockedCopy, NewEntry};
use crate::auth::permission::{Acting, Granted, Permission, ReadTrades, Viewer, WriteTrades};
use crate::domain::copies::ledger::LedgerKind;
use crate::domain::copies::trade::{
    CopyFault, MAX_OPEN_TRADES, TradeRole, TradeSide, TradeState, TradeTerms, Trading,
};
use crate::domain::ids::{AccountId, CopyId, TradeId};
use crate::store::accounts::blocks::has_blocked;
use crate::store::db::schema::{accounts, trade_copies, trades};
use crate::store::db::statement::{KeepPrepared as _, sql};
use crate::store::operations::idempotency::{self, IdempotencyClaim, IdempotentError};
use crate::store::{Connection, StoreResult};

/// An offer to store.
pub struct NewTrade<'a> {
    pub id: TradeId,
    /// The copies that change hands.
    pub terms: &'a TradeTerms,
    /// The message of the account that offers.
    pub message: Option<&'a str>,
    /// Until when it can be accepted.
    pub expires_at: DateTime<Utc>,
    /// The current time.
    pub at: DateTime<Utc>,
}

/// Result of making an offer.
#[derive(Debug)]
pub enum Offered {
    /// The offer was stored.
    New,
    /// A repeated request, which stored this offer before.
    Repeat(TradeId),
    /// There is no such player, or the player accepts no offers, is banned, or has blocked the caller.
    NoSuchTrader,
    /// Players cannot trade with themselves.
    Oneself,
    /// The account has [`MAX_OPEN_TRADES`] open offers.
    TooMany,
    /// Copies that cannot be in the offer, by side and index from 0.
    Faults(Vec<(TradeSide, usize, CopyFault)>),
}

/// Whether the action was done by this request or an earlier one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum When {
    /// By this request.
    Now,
    /// By an earlier request: nothing changed.
    Before,
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
    Lapsed(Vec<CopyId>, When),
}

/// The other side of an offer.
struct Partner {
    account: AccountId,
    /// Whether all its copies may be requested by callers who know them.
    shows_all: bool,
}

/// Offers a trade to the player of that name.
pub async fn offer(
    conn: &mut Connection,
    by: &Acting<WriteTrades>,
    to_name_key: &str,
    new: &NewTrade<'_>,
    key: Option<&IdempotencyClaim>,
) -> Result<Offered, IdempotentError> {
    if let Some(earlier) = idempotency::begin(conn, key, new.id).await? {
        return Ok(Offered::Repeat(earlier));
    }
    let found: Option<(AccountId, Trading)> = accounts::table
        .filter(accounts::name_key.eq(to_name_key))
        .filter(accounts::banned_at.is_null())
        .select((accounts::id, accounts::trading))
        .first(conn)
        .await
        .optional()?;
    let offered = match found {
        Some((id, _)) if id == by.account() => Offered::Oneself,
        // A player who has blocked the caller is answered like one who accepts no offers.
        Some((id, _)) if has_blocked(conn, id, by.account()).await? => Offered::NoSuchTrader,
        Some((id, trading)) if trading != Trading::Closed => {
            let shows_all = trading == Trading::Public;
            let partner = Partner { account: id, shows_all };
            insert_offer(conn, by, &partner, new, None).await?
        }
        _ => Offered::NoSuchTrader,
    };
    if !matches!(offered, Offered::New) {
        idempotency::forget(conn, key).await?;
    }
    Ok(offered)
}

/// Answers an offer with one in the other direction, which replaces it. Copies in the first offer may be requested.
pub async fn counter(
    conn: &mut Connection,
    by: &Acting<WriteTrades>,
    trade: TradeId,
    new: &NewTrade<'_>,
    key: Option<&IdempotencyClaim>,
) -> Result<Answered<Offered>, IdempotentError> {
    if let Some(earlier) = idempotency::begin(conn, key, new.id).await? {
        let countered: Option<Option<TradeId>> =
            trades::table.find(earlier).select(trades::counter_to).first(conn).await.optional()?;
        // The body does not contain the answered offer; the path does.
        return match countered {
            Some(Some(first)) if first == trade => Ok(Answered::Done(Offered::Repeat(earlier))),
            _ => Err(IdempotentError::Mismatch),
        };
    }
    let answered = insert_counter(conn, by, trade, new).await?;
    if !matches!(answered, Answered::Done(Offered::New)) {
        idempotency::forget(conn, key).await?;
    }
    Ok(answered)
}

async fn insert_counter(
    conn: &mut Connection,
    by: &Acting<WriteTrades>,
    trade: TradeId,
    new: &NewTrade<'_>,
) -> StoreResult<Answered<Offered>> {
    let first = match lock(conn, by.account(), trade, new.at).await? {
        None => return Ok(Answered::Missing),
        Some(first) if first.role(by.account()) == TradeRole::Offerer => {
            return Ok(Answered::NotYourTurn);
        }
        Some(first) => first,
    };
    match first.state {
        TradeState::Open => {}
        TradeState::Lapsed => {
            return Ok(Answered::Lapsed(list_missing_copies(conn, trade).await?, When::Before));
        }
        closed => return Ok(Answered::Closed(closed)),
    }
    let found: Option<Trading> = accounts::table
        .find(first.offered_by)
        .filter(accounts::banned_at.is_null())
        .select(accounts::trading)
        .first(conn)
        .await
        .optional()?;
    let Some(trading) = found else { return Ok(Answered::Done(Offered::NoSuchTrader)) };
    if has_blocked(conn, first.offered_by, by.account()).await? {
        return Ok(Answered::Done(Offered::NoSuchTrader));
    }
    // The partner made the first offer, so it may be countered even if the partner accepts no offers.
    let partner = Partner { account: first.offered_by, shows_all: trading == Trading::Public };
    let offered = insert_offer(conn, by, &partner, new, Some(trade)).await?;
    if matches!(offered, Offered::New) {
        close(conn, trade, TradeState::Countered, new.at).await?;
    }
    Ok(Answered::Done(offered))
}

#[derive(QueryableByName)]
struct TermRow {
    #[diesel(sql_type = SqlUuid)]
    id: CopyId,
    #[diesel(sql_type = Text)]
    code_prefix: String,
    #[diesel(sql_type = Binary)]
    code_mac: Vec<u8>,
    #[diesel(sql_type = SqlUuid)]
    owner_id: AccountId,
    #[diesel(sql_type = Bool)]
    frozen: bool,
    #[diesel(sql_type = Bool)]
    voided: bool,
    #[diesel(sql_type = Bool)]
    was_given: bool,
}

async fn insert_offer(
    conn: &mut Connection,
    by: &Acting<WriteTrades>,
    partner: &Partner,
    new: &NewTrade<'_>,
    counter_to: Option<TradeId>,
) -> StoreResult<Offered> {
    // The account's row is locked, so that parallel requests cannot exceed the limit.
    accounts::table
        .find(by.account())
        .select(accounts::id)
        .for_no_key_update()
        .first::<Uuid>(conn)
        .await?;
    let open: i64 = trades::table
        .filter(trades::offered_by.eq(by.account()))
        .filter(trades::state.eq(TradeState::Open))
        .filter(trades::expires_at.gt(new.at))
        .count()
        .get_result(conn)
        .await?;
    if open >= MAX_OPEN_TRADES {
        return Ok(Offered::TooMany);
    }
    let rows = match check_terms(conn, by, partner, new.terms, counter_to).await? {
        Ok(rows) => rows,
        Err(faults) => return Ok(Offered::Faults(faults)),
    };
    diesel::insert_into(trades::table)
        .values((
            trades::id.eq(new.id),
            trades::offered_by.eq(by.account()),
            trades::offered_to.eq(partner.account),
            trades::state.eq(TradeState::Open),
            trades::message.eq(new.message),
            trades::counter_to.eq(counter_to),
            trades::created_at.eq(new.at),
            trades::expires_at.eq(new.expires_at),
        ))
        .execute(conn)
        .await?;
    let rows: Vec<_> = rows
        .iter()
        .map(|row| {
            (
                trade_copies::trade_id.eq(new.id),
                trade_copies::code_prefix.eq(&row.code_prefix),
                trade_copies::code_mac.eq(&row.code_mac),
                trade_copies::given.eq(row.owner_id == by.account()),
            )
        })
        .collect();
    diesel::insert_into(trade_copies::table).values(rows).execute(conn).await?;
    Ok(Offered::New)
}

/// Checks the copies of an offer and returns their rows, or the faults. A requested copy must be shown by a public
/// collection or by the offer that this one counters. All other copies have the same fault, so that an offer does not
/// reveal who owns a copy.
async fn check_terms(
    conn: &mut Connection,
    by: &Acting<WriteTrades>,
    partner: &Partner,
    terms: &TradeTerms,
    counter_to: Option<TradeId>,
) -> StoreResult<Result<Vec<TermRow>, Vec<(TradeSide, usize, CopyFault)>>> {
    let ids: Vec<CopyId> = terms.give().iter().chain(terms.want()).copied().collect();
    let rows: Vec<TermRow> = sql(
        "SELECT c.id, c.code_prefix, c.code_mac, c.owner_id, c.frozen_at IS NOT NULL AS frozen, \
                c.voided_at IS NOT NULL AS voided, \
                EXISTS (SELECT FROM trade_copies t WHERE t.trade_id = $counter_to AND t.given \
                        AND t.code_prefix = c.code_prefix AND t.code_mac = c.code_mac) AS was_given \
         FROM copies c WHERE c.id = ANY ((SELECT $ids)::uuid[])",
    )
    .bind("ids", ids)
    .bind("counter_to", counter_to)
    .get_results(conn)
    .await?;
    let mut by_id: BTreeMap<CopyId, TermRow> = rows.into_iter().map(|row| (row.id, row)).collect();
    let to_give = |row: Option<&TermRow>| match row {
        Some(row) if row.owner_id != by.account() => Err(CopyFault::NotYours),
        None => Err(CopyFault::NotYours),
        Some(row) if row.voided => Err(CopyFault::Void),
        Some(row) if row.frozen => Err(CopyFault::Frozen),
        Some(_) => Ok(()),
    };
    let to_want = |row: Option<&TermRow>| {
        let shown = row.is_some_and(|row| {
            row.owner_id == partner.account
                && !row.voided
                && !row.frozen
                && (partner.shows_all || row.was_given)
        });
        if shown { Ok(()) } else { Err(CopyFault::NotShown) }
    };
    let give = terms.give().iter().enumerate().filter_map(|(place, copy)| {
        to_give(by_id.get(copy)).err().map(|fault| (TradeSide::Give, place, fault))
    });
    let want = terms.want().iter().enumerate().filter_map(|(place, copy)| {
        to_want(by_id.get(copy)).err().map(|fault| (TradeSide::Want, place, fault))
    });
    let faults: Vec<_> = give.chain(want).collect();
    if !faults.is_empty() {
        return Ok(Err(faults));
    }
    let all = terms.give().iter().chain(terms.want());
    Ok(Ok(all.filter_map(|copy| by_id.remove(copy)).collect()))
}

#[derive(QueryableByName)]
struct LockedTrade {
    #[diesel(sql_type = SqlUuid)]
    offered_by: AccountId,
    #[diesel(sql_type = SqlUuid)]
    offered_to: AccountId,
    #[diesel(sql_type = Text)]
    state: TradeState,
}

impl LockedTrade {
    fn role(&self, account: AccountId) -> TradeRole {
        role(self.offered_by, account)
    }
}

fn role(offered_by: AccountId, account: AccountId) -> TradeRole {
    if offered_by == account { TradeRole::Offerer } else { TradeRole::Recipient }
}

/// The state of trade `t` at `$now`: an offer that has expired may still be stored as open.
const STATE_NOW: &str =
    "CASE WHEN t.state = 'open' AND t.expires_at <= $now THEN 'expired' ELSE t.state END";

/// Locks one of the account's trades until the transaction ends.
async fn lock(
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

async fn close(
    conn: &mut Connection,
    trade: TradeId,
    state: TradeState,
    at: DateTime<Utc>,
) -> StoreResult<()> {
    diesel::update(trades::table.find(trade))
        .set((trades::state.eq(state), trades::closed_at.eq(at)))
        .kept()
        .execute(conn)
        .await?;
    Ok(())
}

/// The copies because of which an offer lapsed.
async fn list_missing_copies(conn: &mut Connection, trade: TradeId) -> StoreResult<Vec<CopyId>> {
    #[derive(QueryableByName)]
    struct Gone {
        #[diesel(sql_type = SqlUuid)]
        id: CopyId,
    }
    let rows: Vec<Gone> = sql(
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
) -> StoreResult<Answered<When>> {
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
        done if done == to => return Ok(Answered::Done(When::Before)),
        closed => return Ok(Answered::Closed(closed)),
    }
    Ok(Answered::Done(When::Now))
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
) -> StoreResult<Answered<When>> {
    let Some(locked) = lock(conn, by.account(), trade, at).await? else {
        return Ok(Answered::Missing);
    };
    if locked.role(by.account()) == TradeRole::Offerer {
        return Ok(Answered::NotYourTurn);
    }
    match locked.state {
        TradeState::Open => {}
        TradeState::Accepted => return Ok(Answered::Done(When::Before)),
        TradeState::Lapsed => {
            return Ok(Answered::Lapsed(list_missing_copies(conn, trade).await?, When::Before));
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
        for copy in &gone {
            let row = trade_copies::table.find((trade, &copy.code_prefix, &copy.code_mac));
            diesel::update(row).set(trade_copies::gone.eq(true)).kept().execute(conn).await?;
        }
        let gone: BTreeSet<_> = gone.iter().map(|copy| copy.id).collect();
        return Ok(Answered::Lapsed(gone.into_iter().collect(), When::Now));
    }
    swap(conn, trade, &locked, &rows, at).await?;
    close(conn, trade, TradeState::Accepted, at).await?;
    Ok(Answered::Done(When::Now))
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

/// A trade as its two sides see it, without its copies.
#[derive(Clone, Debug, QueryableByName)]
pub struct TradeRow {
    #[diesel(sql_type = SqlUuid)]
    pub id: TradeId,
    #[diesel(sql_type = SqlUuid)]
    offered_by: AccountId,
    /// Name of the account that made the offer.
    #[diesel(sql_type = Text)]
    pub by_name: String,
    /// Name of the account that received the offer.
    #[diesel(sql_type = Text)]
    pub to_name: String,
    /// The state at the time of the read: an offer that has expired is expired, even if it is stored as open.
    #[diesel(sql_type = Text)]
    pub state: TradeState,
    /// The message of the account that made the offer.
    #[diesel(sql_type = Nullable<Text>)]
    pub message: Option<String>,
    /// The offer that this one counters.
    #[diesel(sql_type = Nullable<SqlUuid>)]
    pub counter_to: Option<TradeId>,
    /// The offer that counters this one.
    #[diesel(sql_type = Nullable<SqlUuid>)]
    pub countered_by: Option<TradeId>,
    /// Number of copies that the account that made the offer gives.
    #[diesel(sql_type = BigInt)]
    pub gives: i64,
    /// Number of copies that the account that made the offer requests.
    #[diesel(sql_type = BigInt)]
    pub wants: i64,
    /// When it was created.
    #[diesel(sql_type = Timestamptz)]
    pub created_at: DateTime<Utc>,
    /// Until when it can be accepted.
    #[diesel(sql_type = Timestamptz)]
    pub expires_at: DateTime<Utc>,
    #[diesel(sql_type = Nullable<Timestamptz>)]
    closed_at: Option<DateTime<Utc>>,
}

impl TradeRow {
    /// The role of an account that is one of the two sides.
    pub fn role(&self, account: AccountId) -> TradeRole {
        role(self.offered_by, account)
    }

    /// When it was closed, or when it expired.
    pub fn closed_at(&self) -> Option<DateTime<Utc>> {
        match self.state {
            TradeState::Open => None,
            TradeState::Expired => Some(self.expires_at),
            _ => self.closed_at,
        }
    }
}

/// A copy in a trade.
#[derive(Clone, Debug)]
pub struct TradedCopy {
    /// The copy as it is now.
    pub copy: CopyView,
    /// Whether the account that made the offer gives it.
    pub given: bool,
    /// Whether the giver can give it now.
    pub available: bool,
    /// Whether the offer lapsed because of it.
    pub gone: bool,
}

const TRADE_COLUMNS: &str = "SELECT t.id, t.offered_by, a.name AS by_name, b.name AS to_name, t.message, t.counter_to, n.id AS countered_by, \
    (SELECT count(*) FROM trade_copies x WHERE x.trade_id = t.id AND x.given) AS gives, \
    (SELECT count(*) FROM trade_copies x WHERE x.trade_id = t.id AND NOT x.given) AS wants, \
    t.created_at, t.expires_at, t.closed_at";
const TRADE_TABLES: &str = "FROM trades t JOIN accounts a ON a.id = t.offered_by JOIN accounts b ON b.id = t.offered_to \
                     LEFT JOIN trades n ON n.counter_to = t.id";

/// Filter of the caller's trades.
#[derive(Clone, Copy, Debug, Default)]
pub struct TradeFilter {
    /// Only trades in this state.
    pub state: Option<TradeState>,
    /// Only trades in which the account has this role.
    pub role: Option<TradeRole>,
}

/// The caller's trades, the newest first, after the one with id `before`.
pub async fn list(
    conn: &mut Connection,
    by: &Granted<ReadTrades>,
    filter: TradeFilter,
    before: Option<Uuid>,
    now: DateTime<Utc>,
    limit: i64,
) -> StoreResult<Vec<TradeRow>> {
    let side = match filter.role {
        None => "$account IN (t.offered_by, t.offered_to)",
        Some(TradeRole::Offerer) => "t.offered_by = $account",
        Some(TradeRole::Recipient) => "t.offered_to = $account",
    };
    Ok(sql(format!(
        "{TRADE_COLUMNS}, {STATE_NOW} AS state {TRADE_TABLES} WHERE {side} AND ($state IS NULL OR {STATE_NOW} = $state) AND t.id < $before \
         ORDER BY t.id DESC LIMIT $limit"
    ))
    .bind("now", now)
    .bind("account", by.account())
    .bind("state", filter.state)
    .bind("before", before.unwrap_or(Uuid::max()))
    .bind("limit", limit)
    .get_results(conn)
    .await?)
}

/// One of the caller's trades with its copies. The caller may read trades, or has just written this one.
pub async fn find<P: TradePermission>(
    conn: &mut Connection,
    by: &Granted<P>,
    viewer: Viewer,
    trade: TradeId,
    now: DateTime<Utc>,
) -> StoreResult<Option<(TradeRow, Vec<TradedCopy>)>> {
    let row: Option<TradeRow> = sql(format!(
        "{TRADE_COLUMNS}, {STATE_NOW} AS state {TRADE_TABLES} WHERE t.id = $trade AND $account IN (t.offered_by, t.offered_to)"
    ))
    .bind("now", now)
    .bind("trade", trade)
    .bind("account", by.account())
    .get_result(conn)
    .await
    .optional()?;
    let Some(row) = row else { return Ok(None) };
    let copies = load_copies(conn, by.account(), viewer, trade).await?;
    Ok(Some((row, copies)))
}

/// Permissions with which a trade can be read.
pub trait TradePermission: Permission {}
impl TradePermission for ReadTrades {}
impl TradePermission for WriteTrades {}

#[derive(QueryableByName)]
struct TradedRow {
    #[diesel(embed)]
    copy: CopyRow,
    #[diesel(sql_type = Bool)]
    given: bool,
    #[diesel(sql_type = Bool)]
    available: bool,
    #[diesel(sql_type = Bool)]
    gone: bool,
}

async fn load_copies(
    conn: &mut Connection,
    account: AccountId,
    viewer: Viewer,
    trade: TradeId,
) -> StoreResult<Vec<TradedCopy>> {
    let rows: Vec<TradedRow> = sql(format!(
        "SELECT {COLUMNS}, x.given, x.gone, c.owner_id = CASE WHEN x.given THEN t.offered_by ELSE t.offered_to END \
                AND c.frozen_at IS NULL AND c.voided_at IS NULL AS available \
         FROM trade_copies x JOIN trades t ON t.id = x.trade_id \
         JOIN copies c ON c.code_prefix = x.code_prefix AND c.code_mac = x.code_mac {JOIN_CARD} \
         WHERE x.trade_id = $trade ORDER BY k.game_code, k.set_code, k.number, c.id"
    ))
    .bind("trade", trade)
    .get_results(conn)
    .await?;
    let (mut copies, mut places) = (Vec::new(), Vec::new());
    for row in rows {
        places.push((row.given, row.available, row.gone));
        copies.push(row.copy);
    }
    let copies = view_copies(conn, viewer, account, copies).await?;
    let traded = |(copy, (given, available, gone))| TradedCopy { copy, given, available, gone };
    Ok(copies.into_iter().zip(places).map(traded).collect())
}
