//! The visitor's own trades, newest first, by state.

use actix_web::{HttpResponse, web};
use askama::Template;
use serde::Deserialize;
use uuid::Uuid;

use super::section::Section;
use super::trade_path;
use super::trade_words;
use super::words as copy_words;
use crate::app::copies::trade_responses::TradeSummaryResponse;
use crate::app::copies::trades::{self, TradeFilter};
use crate::app::page::{Cursor, PageLimit};
use crate::app::problem::{Problem, ProblemCode};
use crate::app::state::AppState;
use crate::auth::permission::ReadTrades;
use crate::domain::copies::trade::TradeState;
use crate::web::accounts::Moment;
use crate::web::forms::private;
use crate::web::page::{ENTRIES, Frame, Place};
use crate::web::page_status::PageStatus;
use crate::web::session::Player;
use crate::web::words;

/// The path of this page.
const PATH: &str = "/trades";

/// The query of the page.
#[derive(Debug, Deserialize)]
#[serde(default)]
pub(in crate::web) struct TradesQuery {
    /// The state; `all`: any state.
    state: String,
    cursor: Option<Cursor>,
}

impl Default for TradesQuery {
    fn default() -> Self {
        Self { state: TradeState::Open.as_str().to_owned(), cursor: None }
    }
}

impl TradesQuery {
    /// `Ok(None)`: trades in any state.
    fn state(&self) -> Result<Option<TradeState>, Problem> {
        if self.state == ALL {
            return Ok(None);
        }
        let state = TradeState::parse(&self.state);
        Ok(Some(state.ok_or_else(|| Problem::new(ProblemCode::InvalidQuery))?))
    }
}

/// The value for any state in addresses.
const ALL: &str = "all";

#[derive(Template)]
#[template(path = "web/copies/trades.html")]
struct TradesPage {
    frame: Frame,
    section: Section,
    states: Vec<StateLink>,
    is_open: bool,
    trades: Vec<TradeRow>,
    first_path: Option<String>,
    next_path: Option<String>,
}

/// A link to the trades in a state.
struct StateLink {
    name: &'static str,
    path: String,
    is_chosen: bool,
}

/// A trade in a list.
struct TradeRow {
    path: String,
    title: String,
    state: &'static str,
    terms: String,
    message: Option<String>,
    at: Moment,
    /// When the offer expires, while it is open.
    until: Option<Moment>,
}

impl From<TradeSummaryResponse> for TradeRow {
    fn from(trade: TradeSummaryResponse) -> Self {
        let is_own = trade.role == "offerer";
        let other = if is_own { trade.to } else { trade.from };
        let counts = (trade.give_count, trade.want_count);
        let (gives, gets) = if is_own { counts } else { (counts.1, counts.0) };
        Self {
            path: trade_path(trade.id),
            title: trade_words::title(is_own, &other),
            state: trade_words::state(trade.state, is_own),
            terms: trade_words::terms(gives, gets),
            message: trade.message,
            at: Moment::new(trade.created_at),
            until: (trade.state == "open").then(|| Moment::new(trade.expires_at)),
        }
    }
}

/// Lists the visitor's own trades. The default is open trades.
pub(in crate::web) async fn list_trades(
    state: web::Data<AppState>,
    by: Player<ReadTrades>,
    query: web::Query<TradesQuery>,
) -> Result<HttpResponse, Problem> {
    let filter = TradeFilter { state: query.state()?, role: None };
    let before: Option<Uuid> = Cursor::key_of(query.cursor.as_ref())?;
    let limit = PageLimit::try_from(ENTRIES).map_err(Problem::internal)?;
    let found = trades::list(&state, &by, filter, before, limit).await?;
    let path = |state: &str| {
        let is_usual = state == TradeState::Open.as_str();
        if is_usual { PATH.to_owned() } else { format!("{PATH}?state={state}") }
    };
    let here = path(&query.state);
    let more = if here.contains('?') { '&' } else { '?' };
    let next_path = found.next_cursor.map(|cursor| format!("{here}{more}cursor={cursor}"));
    let mut frame = Frame::new(copy_words::TRADES).at(Place::Collection);
    frame.next.clone_from(&next_path);
    let states = TradeState::ALL.into_iter().map(TradeState::as_str).chain([ALL]);
    let states = states.map(|state| StateLink {
        name: trade_words::state_of_several(state),
        path: path(state),
        is_chosen: state == query.state,
    });
    let page = TradesPage {
        frame,
        section: Section::Trades,
        states: states.collect(),
        is_open: query.state == TradeState::Open.as_str(),
        trades: found.data.into_iter().map(TradeRow::from).collect(),
        first_path: query.cursor.as_ref().map(|_| here),
        next_path,
    };
    private(PageStatus::OK, &page)
}
