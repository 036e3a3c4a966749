//! Trades: offers of copies for copies, and answers to them.

use actix_web::{HttpRequest, HttpResponse, web};
use serde::Deserialize;
use utoipa::{IntoParams, ToSchema};
use uuid::Uuid;

use crate::app::copies::trade_responses::{TradeResponse, TradeSummaryResponse};
use crate::app::copies::trades::{self, Offer, TradeFilter};
use crate::app::page::{Cursor, Page, PageLimit};
use crate::app::problem::{InputFault, Problem};
use crate::app::state::AppState;
use crate::auth::permission::{ReadTrades, WriteTrades};
use crate::domain::copies::trade::{TradeRole, TradeState};
use crate::domain::ids::TradeId;
use crate::domain::text::AccountName;
use crate::http::extract::{Caller, IdempotencyKey, Judge, JudgedBody, May, Params, cacheable};
use crate::memory::rendered::Freshness;

/// An offer, with at least one copy. You can only ask for copies that the other player shows: `GET /v1/players/{player}/copies` lists them.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct TradeRequest {
    /// Name of the player who receives the offer.
    #[schema(example = "ben", min_length = 3, max_length = 32)]
    pub with: String,
    /// Ids of the copies that you give: at most 50. If the list is empty, you ask for a gift.
    #[serde(default)]
    #[schema(max_items = 50)]
    pub give: Vec<Uuid>,
    /// Ids of the other player's copies that you ask for: at most 50. If the list is empty, you make a gift.
    #[serde(default)]
    #[schema(max_items = 50)]
    pub want: Vec<Uuid>,
    /// Message to the other player: 1 to 500 characters. It may have several lines.
    #[schema(example = "My second Imp for your Smith?", min_length = 1, max_length = 500)]
    pub message: Option<String>,
    /// How long the offer can be accepted, in hours: 1 to 2160; 336 (14 days) if absent.
    #[schema(example = 336, minimum = 1, maximum = 2160)]
    pub expires_in_hours: Option<u16>,
}

/// A counter-offer, with at least one copy. You can also ask for the copies that the first offer gives.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct CounterRequest {
    /// Ids of the copies that you give: at most 50.
    #[serde(default)]
    #[schema(max_items = 50)]
    pub give: Vec<Uuid>,
    /// Ids of the other player's copies that you ask for: at most 50.
    #[serde(default)]
    #[schema(max_items = 50)]
    pub want: Vec<Uuid>,
    /// Message to the other player: 1 to 500 characters. It may have several lines.
    #[schema(example = "Add the Smith and it is yours", min_length = 1, max_length = 500)]
    pub message: Option<String>,
    /// How long the offer can be accepted, in hours: 1 to 2160; 336 (14 days) if absent.
    #[schema(example = 336, minimum = 1, maximum = 2160)]
    pub expires_in_hours: Option<u16>,
}

impl TradeRequest {
    /// Parses the recipient and the offer, or reports every fault.
    fn parse(&self) -> Result<(AccountName, Offer), Problem> {
        let Self { with, give, want, message, expires_in_hours } = self;
        let mut faults = Vec::new();
        let name =
            AccountName::parse(with).map_err(|error| faults.push(InputFault::at("/with", error)));
        let offer = Offer::read(give, want, message.as_deref(), *expires_in_hours, &mut faults);
        match (name, offer) {
            (Ok(name), Some(offer)) if faults.is_empty() => Ok((name, offer)),
            _ => Err(Problem::invalid(faults)),
        }
    }
}

impl Judge for TradeRequest {
    fn judge(&self) -> Result<(), Problem> {
        self.parse().map(drop)
    }
}

impl CounterRequest {
    /// Parses the offer, or reports every fault.
    fn parse(&self) -> Result<Offer, Problem> {
        let Self { give, want, message, expires_in_hours } = self;
        let mut faults = Vec::new();
        let offer = Offer::read(give, want, message.as_deref(), *expires_in_hours, &mut faults);
        offer.filter(|_| faults.is_empty()).ok_or_else(|| Problem::invalid(faults))
    }
}

impl Judge for CounterRequest {
    fn judge(&self) -> Result<(), Problem> {
        self.parse().map(drop)
    }
}

/// Offers a trade: copies of yours for copies of the other player.
///
/// No copy changes hands before the other player accepts. An offer locks nothing: a copy may be in several offers, and the first offer that is
/// accepted gets it. An offer that asks for nothing gives copies away. Players whose `trading` is `closed` get no offers (`no_such_trader`).
#[utoipa::path(
    post, path = "/v1/trades", tag = "copies", security(("bearer" = [])), request_body = TradeRequest,
    params(("Idempotency-Key" = Option<String>, Header, description = "Makes a repeated request safe")),
    responses(
        (status = 201, body = TradeResponse, headers(("Location" = String, description = "The trade"))),
        (status = 409, description = "`too_many_trades`, `idempotency_in_progress`"),
        (status = 422, description = "`invalid_body`, also if you cannot give a copy or a copy is not shown to you; `no_such_trader`, \
                                      `idempotency_key_reused`"),
        (status = 429, description = "`daily_limit_reached`: offers and counter-offers of a day, also those that were cancelled"),
    )
)]
pub async fn create_trade(
    state: web::Data<AppState>,
    caller: Caller,
    by: May<WriteTrades>,
    key: IdempotencyKey,
    JudgedBody(body): JudgedBody<TradeRequest>,
) -> Result<HttpResponse, Problem> {
    let key = key.claim(&state, by.account(), "create_trade", &body);
    let (name, offer) = body.value.parse()?;
    let viewer = caller.viewer();
    let trade = trades::create(&state, &by, viewer, &name, &offer, key.as_ref()).await?;
    Ok(created(&trade))
}

fn created(trade: &TradeResponse) -> HttpResponse {
    HttpResponse::Created()
        .insert_header(("location", format!("/v1/trades/{}", trade.summary.id)))
        .insert_header(("cache-control", "no-store"))
        .json(trade)
}

/// Which of your trades.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct TradesQuery {
    /// Only trades in this state: `open`, `accepted`, `declined`, `cancelled`, `countered`, `lapsed` or `expired`.
    #[param(inline, example = "open")]
    state: Option<TradeState>,
    /// Only trades in which you are the `offerer`, or the `recipient`.
    #[param(inline, example = "recipient")]
    role: Option<TradeRole>,
    /// Items on a page: 1 to 200.
    #[serde(default)]
    #[param(value_type = Option<u16>, minimum = 1, maximum = 200, default = 50)]
    limit: PageLimit,
    /// `next_cursor` of the previous page.
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
    let page = trades::list(&state, &by, filter, before, query.limit).await?;
    page.answer(&req, Freshness::Private)
}

/// Shows a trade to its two sides.
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
    let trade = trades::find(&state, &by, caller.viewer(), TradeId(*trade)).await?;
    cacheable(&req, Freshness::Private, None, &trade)
}

/// Accepts an offer: all its copies change hands at once.
///
/// Everything is checked again. If a copy is gone (given away, frozen, void) or the other player is banned, no copy changes hands and the offer
/// lapses; `copies` of the problem lists the copies that are gone. A trade is not a submission: it counts for no unlock. Repeating the request gets
/// the same answer.
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
    let trade = trades::accept(&state, &by, caller.viewer(), TradeId(*trade)).await?;
    Ok(closed(&trade))
}

/// Declines an offer that was made to you. Repeating the request gets the same answer.
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
    let trade = trades::decline(&state, &by, caller.viewer(), TradeId(*trade)).await?;
    Ok(closed(&trade))
}

/// Cancels an offer that you made. Repeating the request gets the same answer.
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
    let trade = trades::cancel(&state, &by, caller.viewer(), TradeId(*trade)).await?;
    Ok(closed(&trade))
}

fn closed(trade: &TradeResponse) -> HttpResponse {
    HttpResponse::Ok().insert_header(("cache-control", "no-store")).json(trade)
}

/// Answers an offer with a counter-offer in the opposite direction, which replaces it.
///
/// You can ask for copies that the other player shows, and for copies that the first offer gives.
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
        (status = 422, description = "`invalid_body`, also if you cannot give a copy or a copy is not shown to you; `no_such_trader`, \
                                      `idempotency_key_reused`"),
        (status = 429, description = "`daily_limit_reached`: offers and counter-offers of a day, also those that were cancelled"),
    )
)]
pub async fn counter_trade(
    state: web::Data<AppState>,
    caller: Caller,
    by: May<WriteTrades>,
    trade: web::Path<Uuid>,
    key: IdempotencyKey,
    JudgedBody(body): JudgedBody<CounterRequest>,
) -> Result<HttpResponse, Problem> {
    let key = key.claim(&state, by.account(), "counter_trade", &body);
    let offer = body.value.parse()?;
    let (viewer, first) = (caller.viewer(), TradeId(*trade));
    let trade = trades::counter(&state, &by, viewer, first, &offer, key.as_ref()).await?;
    Ok(created(&trade))
}
