//! Trades: offer copies, ask for copies, agree or not.

use actix_web::{HttpRequest, HttpResponse, web};
use chrono::{DateTime, Duration, Utc};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};
use uuid::Uuid;

use super::own_copies::{CopyCard, card_of};
use crate::app::page::{Cursor, Page, PageLimit, paged};
use crate::app::problem::{InputFault, Problem, ProblemCode};
use crate::app::state::AppState;
use crate::auth::permission::{Granted, ReadTrades, Viewer, WriteTrades};
use crate::domain::copies::trade::{
    DEFAULT_LIFETIME_HOURS, LIFETIME_HOURS, MAX_MESSAGE, TermsFaultAt, TradeRole, TradeSide,
    TradeState, TradeTerms,
};
use crate::domain::ids::{AccountId, CopyId, TradeId};
use crate::domain::text::{self, AccountName};
use crate::http::extract::{Body, Caller, IdempotencyKey, May, Params, cacheable};
use crate::memory::rendered::Freshness;
use crate::store::copies::trades::{
    self, Answered, CopyFault, NewTrade, Offered, TradeFilter, TradePermission, TradeRow,
    TradedCopy, When,
};

/// A copy in a trade.
#[derive(Serialize, ToSchema)]
pub struct TradedCopyResponse {
    /// Its id.
    pub id: Uuid,
    /// Its card.
    pub card: CopyCard,
    /// Its rarity; absent when it is another's copy of a card that is hidden from you.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "rare")]
    pub rarity: Option<String>,
    /// While the offer is open: whether somebody else claims the copy. Whoever takes it takes the dispute, too.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub disputed: Option<bool>,
    /// While the offer is open: whether its giver still has it to give.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = true)]
    pub available: Option<bool>,
    /// In a lapsed offer: whether it lapsed because of this copy.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gone: Option<bool>,
}

impl TradedCopyResponse {
    fn new(traded: TradedCopy, state: TradeState) -> Self {
        // Where a copy is after the trade is no business of the two any more.
        let open = state == TradeState::Open;
        Self {
            card: card_of(&traded.copy),
            id: traded.copy.id.0,
            rarity: traded.copy.rarity,
            disputed: open.then_some(traded.copy.disputed),
            available: open.then_some(traded.available),
            gone: (state == TradeState::Lapsed).then_some(traded.gone),
        }
    }
}

/// A trade without its copies.
#[derive(Serialize, ToSchema)]
pub struct TradeSummaryResponse {
    /// Its id.
    pub id: Uuid,
    /// `open`, `accepted`, `declined`, `cancelled`, `countered`, `lapsed` or `expired`.
    #[schema(example = "open")]
    pub state: &'static str,
    /// Your side: `offerer` or `recipient`.
    #[schema(example = "recipient")]
    pub role: &'static str,
    /// Name of the player who made it.
    #[schema(example = "ada")]
    pub from: String,
    /// Name of the player who is asked.
    #[schema(example = "ben")]
    pub to: String,
    /// How many copies go from the one to the other.
    #[schema(example = 2)]
    pub give_count: i64,
    /// How many go back for it.
    #[schema(example = 1)]
    pub want_count: i64,
    /// What the player who made it says.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "My second Imp for your Smith?")]
    pub message: Option<String>,
    /// The offer that this one answers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub counter_to: Option<Uuid>,
    /// The offer that answers this one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub countered_by: Option<Uuid>,
    /// When it was made.
    pub created_at: DateTime<Utc>,
    /// Until when it can be accepted.
    pub expires_at: DateTime<Utc>,
    /// When it was closed; absent while it is open.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub closed_at: Option<DateTime<Utc>>,
}

impl TradeSummaryResponse {
    fn new(row: TradeRow, reader: AccountId) -> Self {
        Self {
            id: row.id.0,
            state: row.state.as_str(),
            role: row.role(reader).as_str(),
            closed_at: row.closed_at(),
            from: row.by_name,
            to: row.to_name,
            give_count: row.gives,
            want_count: row.wants,
            message: row.message,
            counter_to: row.counter_to.map(Uuid::from),
            countered_by: row.countered_by.map(Uuid::from),
            created_at: row.created_at,
            expires_at: row.expires_at,
        }
    }
}

/// A trade: an offer to exchange copies, and what became of it.
#[derive(Serialize, ToSchema)]
pub struct TradeResponse {
    /// The trade itself.
    #[serde(flatten)]
    pub summary: TradeSummaryResponse,
    /// The copies that go from `from` to `to`.
    pub give: Vec<TradedCopyResponse>,
    /// The copies that go from `to` to `from`.
    pub want: Vec<TradedCopyResponse>,
}

impl TradeResponse {
    fn new(row: TradeRow, copies: Vec<TradedCopy>, reader: AccountId) -> Self {
        let state = row.state;
        let (give, want): (Vec<_>, Vec<_>) = copies.into_iter().partition(|copy| copy.given);
        let side = |copies: Vec<TradedCopy>| {
            copies.into_iter().map(|copy| TradedCopyResponse::new(copy, state)).collect()
        };
        Self { summary: TradeSummaryResponse::new(row, reader), give: side(give), want: side(want) }
    }
}

/// An offer. Copies to ask for must be shown to you: `GET /v1/players/{player}/copies` lists them, or the player has offered them
/// to you.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct TradeRequest {
    /// Name of the player who is to accept it.
    #[schema(example = "ben", min_length = 3, max_length = 32)]
    pub with: String,
    /// Ids of your copies to give, at most 50; an empty list asks for a gift.
    #[serde(default)]
    #[schema(max_items = 50)]
    pub give: Vec<Uuid>,
    /// Ids of the other player's copies to get, at most 50; an empty list makes a gift.
    #[serde(default)]
    #[schema(max_items = 50)]
    pub want: Vec<Uuid>,
    /// 1 to 500 characters for the other player to read.
    #[schema(example = "My second Imp for your Smith?", min_length = 1, max_length = 500)]
    pub message: Option<String>,
    /// How long it can be accepted, in hours: 1 to 2160; 336, fourteen days, when absent.
    #[schema(example = 336, minimum = 1, maximum = 2160)]
    pub expires_in_hours: Option<u16>,
}

/// An offer that answers another. What the other offer gives may be asked for.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct CounterRequest {
    /// Ids of your copies to give, at most 50.
    #[serde(default)]
    #[schema(max_items = 50)]
    pub give: Vec<Uuid>,
    /// Ids of the other player's copies to get, at most 50.
    #[serde(default)]
    #[schema(max_items = 50)]
    pub want: Vec<Uuid>,
    /// 1 to 500 characters for the other player to read.
    #[schema(example = "Add the Smith and it is yours", min_length = 1, max_length = 500)]
    pub message: Option<String>,
    /// How long it can be accepted, in hours: 1 to 2160; 336, fourteen days, when absent.
    #[schema(example = 336, minimum = 1, maximum = 2160)]
    pub expires_in_hours: Option<u16>,
}

/// An offer, checked as far as that goes without the database.
struct ParsedOffer {
    terms: TradeTerms,
    message: Option<String>,
    lifetime: Duration,
}

impl ParsedOffer {
    fn parse(
        give: &[Uuid],
        want: &[Uuid],
        message: Option<&str>,
        hours: Option<u16>,
        faults: &mut Vec<InputFault>,
    ) -> Option<Self> {
        let ids = |copies: &[Uuid]| copies.iter().copied().map(CopyId).collect();
        let terms = TradeTerms::new(ids(give), ids(want))
            .map_err(|wrong| faults.extend(wrong.into_iter().map(terms_fault)));
        let message = message.map(|raw| text::line(raw, 1, MAX_MESSAGE)).transpose();
        let message = message.map_err(|error| faults.push(InputFault::at("/message", error)));
        let hours = hours.unwrap_or(DEFAULT_LIFETIME_HOURS);
        if !LIFETIME_HOURS.contains(&hours) {
            let (from, to) = LIFETIME_HOURS.into_inner();
            faults.push(InputFault::at("/expires_in_hours", format!("must be {from} to {to}")));
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
    let detail = match fault {
        CopyFault::NotYours => "is not a copy of yours",
        CopyFault::Frozen => "is frozen by a moderator: the copy's history says why",
        CopyFault::Void => "is void",
        CopyFault::NotShown => "is not a copy that this player shows you",
    };
    InputFault::at(format!("/{}/{place}", side.as_str()), detail)
}

/// Offers a trade: copies of yours for copies of the other player.
///
/// Nothing moves before the other player accepts, and nothing is locked: a copy may stand in several offers, and the first that is
/// accepted gets it. An offer that asks for nothing hands copies over. Players whose `trading` is `closed` get no offers.
#[utoipa::path(
    post, path = "/v1/trades", tag = "copies", security(("bearer" = [])), request_body = TradeRequest,
    params(("Idempotency-Key" = Option<String>, Header, description = "Makes a repeated request safe")),
    responses(
        (status = 201, body = TradeResponse, headers(("Location" = String, description = "The trade"))),
        (status = 409, description = "`too_many_trades`, `idempotency_in_progress`"),
        (status = 422, description = "`invalid_body`: also copies that are not yours to give, or not shown to you; `no_such_trader`, \
                                      `idempotency_key_reused`"),
    )
)]
pub async fn create_trade(
    state: web::Data<AppState>,
    caller: Caller,
    by: May<WriteTrades>,
    key: IdempotencyKey,
    body: Body<TradeRequest>,
) -> Result<HttpResponse, Problem> {
    let key = key.claim(&state, by.account(), "create_trade", &body);
    let TradeRequest { with, give, want, message, expires_in_hours } = &body.value;
    let mut faults = Vec::new();
    let name =
        AccountName::parse(with).map_err(|error| faults.push(InputFault::at("/with", error)));
    let parsed = ParsedOffer::parse(give, want, message.as_deref(), *expires_in_hours, &mut faults);
    let (Ok(name), Some(parsed), true) = (name, parsed, faults.is_empty()) else {
        return Err(Problem::invalid(faults));
    };
    let id = TradeId::fresh();
    let new = parsed.new_trade(id, state.clock.now());
    let offered = state
        .write(&by, async |conn, by| trades::offer(conn, by, name.key(), &new, key.as_ref()).await)
        .await?;
    made(&state, &by, caller.viewer(), id, offered).await
}

/// The answer to an offer that was made, made before, or refused.
async fn made(
    state: &AppState,
    by: &May<WriteTrades>,
    viewer: Viewer,
    id: TradeId,
    offered: Offered,
) -> Result<HttpResponse, Problem> {
    let id = match offered {
        Offered::New => {
            metrics::counter!("trades_total", "event" => "offered").increment(1);
            tracing::info!(account = %by.account(), trade = %id, "trade offered");
            id
        }
        Offered::Repeat(earlier) => earlier,
        Offered::NoSuchTrader => {
            return Err(Problem::new(ProblemCode::NoSuchTrader).detail(
                "There is no such player, or this player takes no offers: the two are not told apart.",
            ));
        }
        Offered::Oneself => {
            let fault = InputFault::at("/with", "must be another player");
            return Err(Problem::invalid(vec![fault]));
        }
        Offered::TooMany => return Err(Problem::new(ProblemCode::TooManyTrades)),
        Offered::Faults(faults) => {
            return Err(Problem::invalid(faults.into_iter().map(copy_fault).collect()));
        }
    };
    let trade = whole(state, by, viewer, id).await?;
    Ok(HttpResponse::Created()
        .insert_header(("location", format!("/v1/trades/{id}")))
        .insert_header(("cache-control", "no-store"))
        .json(trade))
}

async fn whole<P: TradePermission>(
    state: &AppState,
    by: &Granted<P>,
    viewer: Viewer,
    id: TradeId,
) -> Result<TradeResponse, Problem> {
    let mut conn = state.store.connection().await?;
    let found = trades::find(&mut conn, by, viewer, id, state.clock.now()).await?;
    let (row, copies) = found.ok_or_else(Problem::not_found)?;
    Ok(TradeResponse::new(row, copies, by.account()))
}

/// Which of your trades.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct TradesQuery {
    /// Only trades in this state: `open`, `accepted`, `declined`, `cancelled`, `countered`, `lapsed` or `expired`.
    #[param(value_type = Option<String>, example = "open")]
    state: Option<TradeState>,
    /// Only trades where you are the `offerer`, or the `recipient`.
    #[param(value_type = Option<String>, example = "recipient")]
    role: Option<TradeRole>,
    /// Items on a page: 1 to 200.
    #[serde(default)]
    #[param(value_type = Option<u16>, minimum = 1, maximum = 200, default = 50)]
    limit: PageLimit,
    /// `next_cursor` of the page before.
    #[param(value_type = Option<String>)]
    cursor: Option<Cursor>,
}

/// Lists your trades, the newest first.
#[utoipa::path(
    get, path = "/v1/trades", tag = "copies", security(("bearer" = [])), params(TradesQuery),
    responses((status = 200, body = Page<TradeSummaryResponse>), (status = 304, description = "Not changed."))
)]
pub async fn list_trades(
    req: HttpRequest,
    state: web::Data<AppState>,
    by: May<ReadTrades>,
    query: Params<TradesQuery>,
) -> Result<HttpResponse, Problem> {
    let before = query.cursor.as_ref().map(Cursor::key::<Uuid>).transpose()?;
    let filter = TradeFilter { state: query.state, role: query.role };
    let (now, limit) = (state.clock.now(), query.limit.rows());
    let mut conn = state.store.connection().await?;
    let rows = trades::list(&mut conn, &by, filter, before, now, limit).await?;
    let summary = |row| TradeSummaryResponse::new(row, by.account());
    paged(rows, query.limit, |row| row.id, summary).answer(&req, Freshness::Private)
}

/// Shows a trade, to its two sides.
#[utoipa::path(
    get, path = "/v1/trades/{trade}", tag = "copies", security(("bearer" = [])),
    params(("trade" = Uuid, Path, description = "Id of the trade")),
    responses((status = 200, body = TradeResponse), (status = 304, description = "Not changed."))
)]
pub async fn find_trade(
    req: HttpRequest,
    state: web::Data<AppState>,
    caller: Caller,
    by: May<ReadTrades>,
    trade: web::Path<Uuid>,
) -> Result<HttpResponse, Problem> {
    let trade = whole(&state, &by, caller.viewer(), TradeId(*trade)).await?;
    cacheable(&req, Freshness::Private, None, &trade)
}

/// Accepts an offer: all its copies change hands at once.
///
/// Everything is checked again. If a copy is gone (given away, frozen, void) or the other player banned, nothing moves, the offer lapses,
/// and `copies` of the problem says which. A trade is no submission: it counts for no unlock. Accepting again answers the same.
#[utoipa::path(
    post, path = "/v1/trades/{trade}/accept", tag = "copies", security(("bearer" = [])),
    params(("trade" = Uuid, Path, description = "Id of the trade")),
    responses(
        (status = 200, body = TradeResponse),
        (status = 409, description = "`trade_lapsed`: see `copies`; `trade_closed`: see `state`; `not_your_turn`"),
    )
)]
pub async fn accept_trade(
    state: web::Data<AppState>,
    caller: Caller,
    by: May<WriteTrades>,
    trade: web::Path<Uuid>,
) -> Result<HttpResponse, Problem> {
    let (id, now) = (TradeId(*trade), state.clock.now());
    let answered =
        state.write(&by, async |conn, by| trades::accept(conn, by, id, now).await).await?;
    log_end(&by, id, "accepted", &answered);
    ended(&state, &by, caller.viewer(), id, answered).await
}

/// Refuses an offer that was made to you. Refusing again answers the same.
#[utoipa::path(
    post, path = "/v1/trades/{trade}/decline", tag = "copies", security(("bearer" = [])),
    params(("trade" = Uuid, Path, description = "Id of the trade")),
    responses(
        (status = 200, body = TradeResponse),
        (status = 409, description = "`trade_closed`: see `state`; `not_your_turn`"),
    )
)]
pub async fn decline_trade(
    state: web::Data<AppState>,
    caller: Caller,
    by: May<WriteTrades>,
    trade: web::Path<Uuid>,
) -> Result<HttpResponse, Problem> {
    refuse(&state, &caller, &by, TradeId(*trade), TradeState::Declined).await
}

/// Takes back an offer that you made. Taking it back again answers the same.
#[utoipa::path(
    post, path = "/v1/trades/{trade}/cancel", tag = "copies", security(("bearer" = [])),
    params(("trade" = Uuid, Path, description = "Id of the trade")),
    responses(
        (status = 200, body = TradeResponse),
        (status = 409, description = "`trade_closed`: see `state`; `not_your_turn`"),
    )
)]
pub async fn cancel_trade(
    state: web::Data<AppState>,
    caller: Caller,
    by: May<WriteTrades>,
    trade: web::Path<Uuid>,
) -> Result<HttpResponse, Problem> {
    refuse(&state, &caller, &by, TradeId(*trade), TradeState::Cancelled).await
}

async fn refuse(
    state: &AppState,
    caller: &Caller,
    by: &May<WriteTrades>,
    id: TradeId,
    to: TradeState,
) -> Result<HttpResponse, Problem> {
    let now = state.clock.now();
    let answered =
        state.write(by, async |conn, by| trades::refuse(conn, by, id, to, now).await).await?;
    log_end(by, id, to.as_str(), &answered);
    ended(state, by, caller.viewer(), id, answered).await
}

/// An answer that is sent again changes nothing: what ended a trade is counted and told once.
fn log_end(by: &May<WriteTrades>, id: TradeId, done: &'static str, answered: &Answered<When>) {
    let event = match answered {
        Answered::Done(When::Now) => done,
        Answered::Lapsed(_, When::Now) => "lapsed",
        Answered::Done(When::Before) | Answered::Lapsed(_, When::Before) => return,
        Answered::Missing | Answered::NotYourTurn | Answered::Closed(_) => return,
    };
    metrics::counter!("trades_total", "event" => event).increment(1);
    tracing::info!(account = %by.account(), trade = %id, event, "trade closed");
}

async fn ended(
    state: &AppState,
    by: &May<WriteTrades>,
    viewer: Viewer,
    id: TradeId,
    answered: Answered<When>,
) -> Result<HttpResponse, Problem> {
    done(answered)?;
    let trade = whole(state, by, viewer, id).await?;
    Ok(HttpResponse::Ok().insert_header(("cache-control", "no-store")).json(trade))
}

fn done<T>(answered: Answered<T>) -> Result<T, Problem> {
    match answered {
        Answered::Done(value) => Ok(value),
        Answered::Missing => Err(Problem::not_found()),
        Answered::NotYourTurn => Err(Problem::new(ProblemCode::NotYourTurn)),
        Answered::Closed(state) => {
            Err(Problem::new(ProblemCode::TradeClosed).with("state", state.as_str()))
        }
        Answered::Lapsed(copies, _) => {
            let detail = if copies.is_empty() {
                "The other player cannot trade any more. Nothing changed hands."
            } else {
                "Some copies were given away, frozen or voided since the offer was made. Nothing changed hands."
            };
            let copies: Vec<String> = copies.iter().map(ToString::to_string).collect();
            Err(Problem::new(ProblemCode::TradeLapsed).detail(detail).with("copies", copies))
        }
    }
}

/// Answers an offer with another one in the opposite direction, which takes its place.
///
/// Besides what the other player shows, the copies that the first offer gives may be asked for.
#[utoipa::path(
    post, path = "/v1/trades/{trade}/counter", tag = "copies", security(("bearer" = [])), request_body = CounterRequest,
    params(
        ("trade" = Uuid, Path, description = "Id of the trade to answer"),
        ("Idempotency-Key" = Option<String>, Header, description = "Makes a repeated request safe"),
    ),
    responses(
        (status = 201, body = TradeResponse, headers(("Location" = String, description = "The new trade"))),
        (status = 409, description = "`trade_closed`: see `state`; `trade_lapsed`, `not_your_turn`, `too_many_trades`, \
                                      `idempotency_in_progress`"),
        (status = 422, description = "`invalid_body`: also copies that are not yours to give, or not shown to you; `no_such_trader`, \
                                      `idempotency_key_reused`"),
    )
)]
pub async fn counter_trade(
    state: web::Data<AppState>,
    caller: Caller,
    by: May<WriteTrades>,
    trade: web::Path<Uuid>,
    key: IdempotencyKey,
    body: Body<CounterRequest>,
) -> Result<HttpResponse, Problem> {
    let key = key.claim(&state, by.account(), "counter_trade", &body);
    let CounterRequest { give, want, message, expires_in_hours } = &body.value;
    let mut faults = Vec::new();
    let parsed = ParsedOffer::parse(give, want, message.as_deref(), *expires_in_hours, &mut faults);
    let (Some(parsed), true) = (parsed, faults.is_empty()) else {
        return Err(Problem::invalid(faults));
    };
    let (first, id) = (TradeId(*trade), TradeId::fresh());
    let new = parsed.new_trade(id, state.clock.now());
    let answered = state
        .write(&by, async |conn, by| trades::counter(conn, by, first, &new, key.as_ref()).await)
        .await?;
    made(&state, &by, caller.viewer(), id, done(answered)?).await
}
