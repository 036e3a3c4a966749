//! Offers of trades: making and countering them, and the checks of their copies.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use diesel::prelude::*;
use diesel::sql_types::{Binary, Bool, Text, Uuid as SqlUuid};
use diesel_async::RunQueryDsl;

use super::trade_answers::{Answered, DoneBy, close, list_missing_copies, lock};
use crate::auth::permission::{Acting, Granted, ReadOwnAccount, WriteTrades};
use crate::domain::accounts::daily_limits::{DailyActivity, ReachedLimit};
use crate::domain::copies::trade::{
    CopyFault, MAX_OPEN_TRADES, TradeRole, TradeSide, TradeState, TradeTerms, Trading,
};
use crate::domain::ids::{AccountId, CopyId, TradeId};
use crate::store::accounts::blocks::has_blocked;
use crate::store::accounts::credentials::lock_account;
use crate::store::accounts::daily_counts::count_one;
use crate::store::db::schema::{accounts, trade_copies, trades};
use crate::store::db::statement::sql;
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
    /// The caller has blocked the player.
    Blocked,
    /// The account has [`MAX_OPEN_TRADES`] open offers.
    TooMany,
    /// The account has made as many offers today as it may.
    TooManyToday(ReachedLimit),
    /// Copies that cannot be in the offer, by side and index from 0.
    Faults(Vec<(TradeSide, usize, CopyFault)>),
}

/// The other side of an offer.
struct Partner {
    account: AccountId,
    /// Whether all its copies may be requested by callers who know them.
    shows_all: bool,
}

/// A player, as an offer names its recipient.
#[derive(Debug, QueryableByName)]
pub struct Recipient {
    #[diesel(sql_type = SqlUuid)]
    pub id: AccountId,
    /// The name as its owner writes it.
    #[diesel(sql_type = Text)]
    pub name: String,
    /// Whether an offer of the reader would reach the player: as for [`offer`], it makes no difference whether the
    /// player takes none, is banned, or has blocked the reader. It is also false if the reader has blocked the player.
    #[diesel(sql_type = Bool)]
    pub takes_offers: bool,
}

/// Finds the player of that name. `reader`: who asks; `None`: somebody without an account.
pub async fn find_recipient(
    conn: &mut Connection,
    reader: Option<&Granted<ReadOwnAccount>>,
    name_key: &str,
) -> StoreResult<Option<Recipient>> {
    Ok(sql("SELECT a.id, a.name, a.trading <> 'closed' AND a.banned_at IS NULL AND NOT EXISTS ( \
                SELECT FROM account_blocks b WHERE (b.account_id, b.blocked_id) IN ((a.id, $reader), ($reader, a.id))) AS takes_offers \
         FROM accounts a WHERE a.name_key = $name")
    .bind("reader", reader.map(Granted::account))
    .bind("name", name_key)
    .get_result(conn)
    .await
    .optional()?)
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
        Some((id, trading)) if trading != Trading::Closed => {
            lock_account(conn, by.account()).await?;
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
    lock_account(conn, by.account()).await?;
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
            return Ok(Answered::Lapsed(
                list_missing_copies(conn, trade).await?,
                DoneBy::EarlierRequest,
            ));
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

/// Stores an offer. The account that offers must be locked, so that parallel requests cannot exceed its limits. A block
/// locks it, too, so that it closes the offer or is seen here.
async fn insert_offer(
    conn: &mut Connection,
    by: &Acting<WriteTrades>,
    partner: &Partner,
    new: &NewTrade<'_>,
    counter_to: Option<TradeId>,
) -> StoreResult<Offered> {
    // A player who has blocked the caller is answered like one who accepts no offers.
    if has_blocked(conn, partner.account, by.account()).await? {
        return Ok(Offered::NoSuchTrader);
    }
    // The player could not answer.
    if has_blocked(conn, by.account(), partner.account).await? {
        return Ok(Offered::Blocked);
    }
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
    // Cancelled offers count, too: each of them notifies the other player. A refused offer does not count.
    if let Err(limit) = count_one(conn, by.account(), DailyActivity::Offer, new.at).await? {
        return Ok(Offered::TooManyToday(limit));
    }
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
