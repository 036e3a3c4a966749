//! Trades: offers of copies for copies, and answers to them.

use chrono::{DateTime, Duration, Utc};
use uuid::Uuid;

use super::trade_responses::{TradeResponse, TradeSummaryResponse};
use crate::app::fault_reason::FaultReason;
use crate::app::feedback::problems::too_many_today;
use crate::app::page::{Page, PageLimit, paged};
use crate::app::problem::{InputFault, Problem, ProblemCode};
use crate::app::problem_member::ProblemMember;
use crate::app::state::AppState;
use crate::app::words::words;
use crate::auth::permission::{Granted, ReadTrades, Viewer, WriteTrades};
use crate::domain::copies::trade::{
    CopyFault, DEFAULT_LIFETIME_HOURS, LIFETIME_HOURS, MAX_MESSAGE, TermsFaultAt, TradeRole,
    TradeSide, TradeState, TradeTerms,
};
use crate::domain::ids::{AccountId, CopyId, TradeId};
use crate::domain::text::{self, AccountName};
use crate::store::copies::trade_answers::{self, Answered, DoneBy};
use crate::store::copies::trade_offers::{self, NewTrade, Offered};
use crate::store::copies::trades::{self, TradePermission};
use crate::store::operations::idempotency::{IdempotencyClaim, IdempotentError};
use crate::store::{Connection, StoreError, StoreResult};

pub use crate::store::copies::trades::TradeFilter;

words! {
    TradeState: "The state of an offer.";
    TradeRole: "The role of a player in an offer.";
}

/// The content of an offer.
pub struct Offer {
    /// Which copies are exchanged.
    pub terms: TradeTerms,
    /// A message to the other player.
    pub message: Option<String>,
    /// How long the offer can be accepted.
    pub lifetime: Duration,
}

impl Offer {
    /// Parses an offer, as far as this is possible without the database.
    pub fn read(
        give: &[Uuid],
        want: &[Uuid],
        message: Option<&str>,
        hours: Option<u16>,
        faults: &mut Vec<InputFault>,
    ) -> Option<Self> {
        let ids = |copies: &[Uuid]| copies.iter().copied().map(CopyId).collect();
        let terms = TradeTerms::new(ids(give), ids(want))
            .map_err(|wrong| faults.extend(wrong.into_iter().map(terms_fault)));
        let message = message
            .map(|raw| text::lines(raw, 1, MAX_MESSAGE).and_then(text::without_serial))
            .transpose();
        let message = message.map_err(|error| faults.push(InputFault::at("/message", error)));
        let hours = hours.unwrap_or(DEFAULT_LIFETIME_HOURS);
        if !LIFETIME_HOURS.contains(&hours) {
            let (from, to) = LIFETIME_HOURS.into_inner();
            faults.push(InputFault::at("/expires_in_hours", FaultReason::range(from, to)));
        }
        let lifetime = Duration::hours(hours.into());
        Some(Self { terms: terms.ok()?, message: message.ok()?, lifetime })
    }

    fn new_trade(&self, id: TradeId, at: DateTime<Utc>) -> NewTrade<'_> {
        NewTrade {
            id,
            terms: &self.terms,
            message: self.message.as_deref(),
            expires_at: at + self.lifetime,
            at,
        }
    }
}

fn terms_fault((place, fault): TermsFaultAt) -> InputFault {
    let pointer = match place {
        None => String::new(),
        Some((side, None)) => format!("/{}", side.as_str()),
        Some((side, Some(place))) => format!("/{}/{place}", side.as_str()),
    };
    InputFault::at(pointer, fault)
}

fn copy_fault((side, place, fault): (TradeSide, usize, CopyFault)) -> InputFault {
    InputFault::at(format!("/{}/{place}", side.as_str()), fault)
}

/// Lists the caller's trades, the newest first.
pub async fn list(
    app: &AppState,
    by: &Granted<ReadTrades>,
    filter: TradeFilter,
    before: Option<Uuid>,
    limit: PageLimit,
) -> Result<Page<TradeSummaryResponse>, Problem> {
    let now = app.clock.now();
    let mut conn = app.store.connection().await?;
    let rows = trades::list(&mut conn, by, filter, before, now, limit.rows()).await?;
    let summary = |row| TradeSummaryResponse::new(row, by.account());
    Ok(paged(rows, limit, |row| row.id, summary))
}

/// Finds one of the caller's trades.
pub async fn find(
    app: &AppState,
    by: &Granted<ReadTrades>,
    viewer: Viewer,
    id: TradeId,
) -> Result<TradeResponse, Problem> {
    let mut conn = app.store.connection().await?;
    let found = read(&mut conn, by, viewer, id, app.clock.now()).await?;
    found.ok_or_else(Problem::not_found)
}

async fn read<P: TradePermission>(
    conn: &mut Connection,
    by: &Granted<P>,
    viewer: Viewer,
    id: TradeId,
    now: DateTime<Utc>,
) -> StoreResult<Option<TradeResponse>> {
    let found = trades::find(conn, by, viewer, id, now).await?;
    Ok(found.map(|(row, copies)| TradeResponse::new(row, copies, by.account())))
}

/// Offers a trade to a player. Copies change hands only when it is accepted.
pub async fn create(
    app: &AppState,
    by: &Granted<WriteTrades>,
    viewer: Viewer,
    recipient: &AccountName,
    offer: &Offer,
    key: Option<&IdempotencyClaim>,
) -> Result<TradeResponse, Problem> {
    let (id, now) = (TradeId::generate(), app.clock.now());
    let new = offer.new_trade(id, now);
    let written = app.write(by, async |conn, by| {
        let offered = trade_offers::offer(conn, by, recipient.key(), &new, key).await?;
        let trade = read_offered(conn, by, viewer, id, &offered, now).await?;
        Ok::<_, IdempotentError>((offered, trade))
    });
    let (offered, trade) = written.await?;
    answer_offer(app, by, id, offered, trade)
}

/// Answers an offer with a counter-offer in the opposite direction, which replaces it.
pub async fn counter(
    app: &AppState,
    by: &Granted<WriteTrades>,
    viewer: Viewer,
    first: TradeId,
    offer: &Offer,
    key: Option<&IdempotencyClaim>,
) -> Result<TradeResponse, Problem> {
    let (id, now) = (TradeId::generate(), app.clock.now());
    let new = offer.new_trade(id, now);
    let written = app.write(by, async |conn, by| {
        let answered = trade_offers::counter(conn, by, first, &new, key).await?;
        let trade = match &answered {
            Answered::Done(offered) => read_offered(conn, by, viewer, id, offered, now).await?,
            _ => None,
        };
        Ok::<_, IdempotentError>((answered, trade))
    });
    let (answered, trade) = written.await?;
    answer_offer(app, by, id, completed(answered)?, trade)
}

/// Reads the trade after an offer was stored, by this request or an earlier one; `None` when it was refused.
async fn read_offered(
    conn: &mut Connection,
    by: &Granted<WriteTrades>,
    viewer: Viewer,
    id: TradeId,
    offered: &Offered,
    now: DateTime<Utc>,
) -> StoreResult<Option<TradeResponse>> {
    let id = match offered {
        Offered::New => id,
        Offered::Repeat(earlier) => *earlier,
        Offered::NoSuchTrader
        | Offered::Oneself
        | Offered::Blocked
        | Offered::TooMany
        | Offered::TooManyToday(_)
        | Offered::Faults(_) => return Ok(None),
    };
    read(conn, by, viewer, id, now).await
}

/// Converts the result of an offer (stored now, stored before, or refused) to the response.
fn answer_offer(
    app: &AppState,
    by: &Granted<WriteTrades>,
    id: TradeId,
    offered: Offered,
    trade: Option<TradeResponse>,
) -> Result<TradeResponse, Problem> {
    match offered {
        Offered::New => {
            metrics::counter!("trades_total", "event" => "offered").increment(1);
            tracing::info!(account = %by.account(), trade = %id, "trade offered");
        }
        Offered::Repeat(_) => {}
        Offered::NoSuchTrader => {
            return Err(Problem::new(ProblemCode::NoSuchTrader).detail(
                "There is no such player, or this player accepts no offers: the answer is the same for both.",
            ));
        }
        Offered::Oneself => {
            let fault = InputFault::at("/with", FaultReason::Oneself);
            return Err(Problem::invalid(vec![fault]));
        }
        Offered::Blocked => {
            let fault = InputFault::at("/with", FaultReason::Blocked);
            return Err(Problem::invalid(vec![fault]));
        }
        Offered::TooMany => return Err(Problem::new(ProblemCode::TooManyTrades)),
        Offered::TooManyToday(limit) => return Err(too_many_today(app, limit)),
        Offered::Faults(faults) => {
            return Err(Problem::invalid(faults.into_iter().map(copy_fault).collect()));
        }
    }
    trade.ok_or_else(Problem::not_found)
}

/// Accepts an offer: all its copies change hands in one transaction, or the offer lapses.
pub async fn accept(
    app: &AppState,
    by: &Granted<WriteTrades>,
    viewer: Viewer,
    id: TradeId,
) -> Result<TradeResponse, Problem> {
    let now = app.clock.now();
    let written = app.write(by, async |conn, by| {
        let answered = trade_answers::accept(conn, by, id, now).await?;
        let trade = read_closed(conn, by, viewer, id, &answered, now).await?;
        Ok::<_, StoreError>((answered, trade))
    });
    let (answered, trade) = written.await?;
    answer_end(by, id, "accepted", answered, trade)
}

/// Declines an offer, as its recipient.
pub async fn decline(
    app: &AppState,
    by: &Granted<WriteTrades>,
    viewer: Viewer,
    id: TradeId,
) -> Result<TradeResponse, Problem> {
    refuse(app, by, viewer, id, TradeState::Declined).await
}

/// Cancels an offer, as the player who made it.
pub async fn cancel(
    app: &AppState,
    by: &Granted<WriteTrades>,
    viewer: Viewer,
    id: TradeId,
) -> Result<TradeResponse, Problem> {
    refuse(app, by, viewer, id, TradeState::Cancelled).await
}

async fn refuse(
    app: &AppState,
    by: &Granted<WriteTrades>,
    viewer: Viewer,
    id: TradeId,
    to: TradeState,
) -> Result<TradeResponse, Problem> {
    let now = app.clock.now();
    let written = app.write(by, async |conn, by| {
        let answered = trade_answers::close_offer(conn, by, id, to, now).await?;
        let trade = read_closed(conn, by, viewer, id, &answered, now).await?;
        Ok::<_, StoreError>((answered, trade))
    });
    let (answered, trade) = written.await?;
    answer_end(by, id, to.as_str(), answered, trade)
}

/// Reads the trade if it was closed as requested, by this request or an earlier one.
async fn read_closed(
    conn: &mut Connection,
    by: &Granted<WriteTrades>,
    viewer: Viewer,
    id: TradeId,
    answered: &Answered<DoneBy>,
    now: DateTime<Utc>,
) -> StoreResult<Option<TradeResponse>> {
    match answered {
        Answered::Done(_) => read(conn, by, viewer, id, now).await,
        _ => Ok(None),
    }
}

/// Converts the result of closing a trade to the response.
fn answer_end(
    by: &Granted<WriteTrades>,
    id: TradeId,
    event: &'static str,
    answered: Answered<DoneBy>,
    trade: Option<TradeResponse>,
) -> Result<TradeResponse, Problem> {
    log_end(by, id, event, &answered);
    completed(answered)?;
    trade.ok_or_else(Problem::not_found)
}

/// Counts and logs the end of a trade. A repeated request is not counted again.
fn log_end(
    by: &Granted<WriteTrades>,
    id: TradeId,
    done: &'static str,
    answered: &Answered<DoneBy>,
) {
    let event = match answered {
        Answered::Done(DoneBy::ThisRequest) => done,
        Answered::Lapsed(_, DoneBy::ThisRequest) => "lapsed",
        Answered::Done(DoneBy::EarlierRequest) | Answered::Lapsed(_, DoneBy::EarlierRequest) => {
            return;
        }
        Answered::Missing | Answered::NotYourTurn | Answered::Closed(_) => return,
    };
    record_closed(by.account(), id, event);
}

/// Counts and logs an offer that an account closed.
pub(crate) fn record_closed(account: AccountId, id: TradeId, event: &'static str) {
    metrics::counter!("trades_total", "event" => event).increment(1);
    tracing::info!(%account, trade = %id, event, "trade closed");
}

fn completed<T>(answered: Answered<T>) -> Result<T, Problem> {
    match answered {
        Answered::Done(value) => Ok(value),
        Answered::Missing => Err(Problem::not_found()),
        Answered::NotYourTurn => Err(Problem::new(ProblemCode::NotYourTurn)),
        Answered::Closed(state) => {
            Err(Problem::new(ProblemCode::TradeClosed).with(ProblemMember::State, state.as_str()))
        }
        Answered::Lapsed(copies, _) => {
            let detail = if copies.is_empty() {
                "The other player cannot trade any more. Nothing changed hands."
            } else {
                "Some copies were given away, frozen or voided since the offer was made. Nothing changed hands."
            };
            let copies: Vec<String> = copies.iter().map(ToString::to_string).collect();
            Err(Problem::new(ProblemCode::TradeLapsed)
                .detail(detail)
                .with(ProblemMember::Copies, copies))
        }
    }
}
