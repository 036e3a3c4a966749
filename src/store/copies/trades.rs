//! Trades: offers to exchange copies, as their two sides read them. An open offer locks nothing; accepting it checks
//! everything again and exchanges all copies or none: see `trade_offers` and `trade_answers`.

use chrono::{DateTime, Utc};
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Bool, Nullable, Text, Timestamptz, Uuid as SqlUuid};
use diesel_async::RunQueryDsl;
use uuid::Uuid;

use super::copy_records::{COLUMNS, CopyRow, CopyView, JOIN_CARD, view_copies};
use crate::auth::permission::{Granted, Permission, ReadTrades, Viewer, WriteTrades};
use crate::domain::copies::trade::{TradeRole, TradeState};
use crate::domain::ids::{AccountId, TradeId};
use crate::store::db::pages::push_page;
use crate::store::db::statement::sql;
use crate::store::{Connection, StoreResult};

pub(super) fn role(offered_by: AccountId, account: AccountId) -> TradeRole {
    if offered_by == account { TradeRole::Offerer } else { TradeRole::Recipient }
}

/// The state of trade `t` at `$now`: an offer that has expired may still be stored as open.
pub(super) const STATE_NOW: &str =
    "CASE WHEN t.state = 'open' AND t.expires_at <= $now THEN 'expired' ELSE t.state END";

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

#[derive(Clone, Debug)]
pub struct TradedCopy {
    /// The copy as it is now.
    pub copy: CopyView,
    /// Whether the account that made the offer gives it.
    pub given: bool,
    /// Whether the giver can give it now. No copy of an offer can be given while the account that made it is banned.
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
    let statement = sql(format!(
        "{TRADE_COLUMNS}, {STATE_NOW} AS state {TRADE_TABLES} WHERE {side} AND ($state IS NULL OR {STATE_NOW} = $state) AND t.id < $before"
    ))
    .bind("now", now)
    .bind("account", by.account())
    .bind("state", filter.state)
    .bind("before", before.unwrap_or(Uuid::max()));
    Ok(push_page(statement, "id DESC", limit).get_results(conn).await?)
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
                AND c.frozen_at IS NULL AND c.voided_at IS NULL AND maker.banned_at IS NULL AS available \
         FROM trade_copies x JOIN trades t ON t.id = x.trade_id JOIN accounts maker ON maker.id = t.offered_by \
         JOIN copies c ON c.code_prefix = x.code_prefix AND c.code_mac = x.code_mac {JOIN_CARD} \
         WHERE x.trade_id = $trade ORDER BY k.game_code, k.set_code, k.number, c.id"
    ))
    .bind("trade", trade)
    .bind("reader", account)
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
