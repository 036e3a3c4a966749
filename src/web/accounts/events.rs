//! What happened to the own account, the newest first, and of which kinds its owner is told.

use actix_web::http::header;
use actix_web::{HttpResponse, web};
use askama::Template;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::account::Moment;
use super::event_words;
use super::words as account_words;
use crate::app::accounts::account_events::{self, AccountEventResponse};
use crate::app::accounts::event_settings;
use crate::app::page::PageLimit;
use crate::app::problem::Problem;
use crate::app::state::AppState;
use crate::auth::permission::{ChangeOwnEventSettings, Granted, ReadOwnAccount, ReadOwnEvents};
use crate::domain::accounts::optional_events::OptionalEvent;
use crate::http::extract::Form;
use crate::web::catalogue::card_path;
use crate::web::copies::{dispute_path, trade_path};
use crate::web::forms::{Fields, private};
use crate::web::headers::protected;
use crate::web::page::{Frame, Place};
use crate::web::session::{Player, see_other};
use crate::web::words;

/// Events on a page.
const EVENTS: u16 = 50;

#[derive(Template)]
#[template(path = "web/accounts/events.html")]
struct EventsPage {
    frame: Frame,
    /// What was done before; empty: nothing that must be said.
    done: &'static str,
    events: Vec<EventLine>,
    first_path: Option<String>,
    next_path: Option<String>,
    settings: Vec<Setting>,
    /// What a browser notes that shows the newest of them; `None`: these are older ones.
    newest: Option<Newest>,
}

/// What a browser needs to tell how many events it has not shown yet.
#[derive(Serialize)]
struct Newest {
    /// Browsers may be used by several people.
    account: Uuid,
    /// The highest number of an event; 0: there is none.
    newest: i64,
}

/// Something that happened.
struct EventLine {
    at: Moment,
    text: String,
    /// The card that it is about: where its page is, and its place.
    card: Option<(String, String)>,
    /// Its trade or dispute: what it is, and where.
    way: Option<(&'static str, String)>,
}

impl From<AccountEventResponse> for EventLine {
    fn from(event: AccountEventResponse) -> Self {
        let text = event_words::event(&event.kind, event.outcome.as_deref());
        let card = event.card.and_then(|card| {
            let (game, set, number) = (card.game?, card.set?, card.number?);
            Some((card_path(&game, &set, &number), words::place(&set, &number)))
        });
        let trade = event.trade.map(|trade| (account_words::TRADE, trade_path(trade.id)));
        let dispute = event.dispute.map(|dispute| dispute.id.to_string());
        let dispute = dispute.map(|id| (account_words::DISPUTE, dispute_path(&id)));
        Self { at: Moment::new(event.at), text, card, way: trade.or(dispute) }
    }
}

/// A kind of event that can be turned off.
struct Setting {
    kind: &'static str,
    text: String,
    is_told: bool,
}

/// Which part of the events.
#[derive(Deserialize)]
pub(in crate::web) struct EventsQuery {
    /// Only those with a lower number.
    before: Option<i64>,
    #[serde(default)]
    done: String,
}

/// Shows what happened to the own account.
pub(in crate::web) async fn find_events(
    state: web::Data<AppState>,
    by: Player<ReadOwnEvents>,
    query: web::Query<EventsQuery>,
) -> Result<HttpResponse, Problem> {
    let settings = event_settings::find(&state, &by.visitor.must::<ReadOwnAccount>()?).await?;
    let settings = OptionalEvent::ALL.into_iter().map(|event| Setting {
        kind: event.as_str(),
        text: event_words::event(event.as_str(), None),
        is_told: !settings.muted.contains(&event.as_str()),
    });
    let part = read_back(&state, &by, query.before).await?;
    let page = EventsPage {
        frame: Frame::new(account_words::EVENTS).at(Place::Account),
        done: account_words::done(&query.done),
        events: part.events.into_iter().rev().map(EventLine::from).collect(),
        first_path: query.before.map(|_| "/my/events".to_owned()),
        next_path: part.before.map(|before| format!("/my/events?before={before}")),
        settings: settings.collect(),
        newest: query
            .before
            .is_none()
            .then(|| Newest { account: by.account().0, newest: part.newest }),
    };
    private(200, &page)
}

/// A stretch of events, the oldest first.
struct Part {
    events: Vec<AccountEventResponse>,
    /// Where older ones begin, if there are any.
    before: Option<i64>,
    /// The highest number of all.
    newest: i64,
}

/// The last events before a number. The use case reads forwards; numbers have no gaps, so it is known where to begin.
async fn read_back(
    app: &AppState,
    by: &Granted<ReadOwnEvents>,
    before: Option<i64>,
) -> Result<Part, Problem> {
    let one = PageLimit::try_from(1).map_err(Problem::internal)?;
    let first = account_events::list(app, by, None, one).await?;
    let Some(oldest) = first.data.first().map(|event| event.seq) else {
        return Ok(Part { events: Vec::new(), before: None, newest: first.newest });
    };
    let end = before.unwrap_or(i64::MAX).clamp(oldest, first.newest.saturating_add(1));
    let begin = (end - i64::from(EVENTS)).max(oldest);
    let after = u64::try_from(begin - 1).map_err(Problem::internal)?;
    let limit = PageLimit::try_from(EVENTS).map_err(Problem::internal)?;
    let mut events = account_events::list(app, by, Some(after), limit).await?.data;
    events.retain(|event| event.seq < end);
    Ok(Part { events, before: (begin > oldest).then_some(begin), newest: first.newest })
}

/// Tells how far the events of the own account go, for the badge of all pages.
pub(in crate::web) async fn find_newest(
    state: web::Data<AppState>,
    by: Player<ReadOwnEvents>,
) -> Result<HttpResponse, Problem> {
    let newest = account_events::newest(&state, &by).await?;
    Ok(protected(
        HttpResponse::Ok()
            .insert_header((header::CACHE_CONTROL, "private, no-store"))
            .json(Newest { account: by.account().0, newest }),
    ))
}

/// Says which events the own account is told. A box that is not ticked is not sent.
pub(in crate::web) async fn change_event_settings(
    state: web::Data<AppState>,
    by: Player<ChangeOwnEventSettings>,
    Form(fields): Form<Fields>,
) -> Result<HttpResponse, Problem> {
    let is_muted = |event: &OptionalEvent| !fields.all("told").any(|told| told == event.as_str());
    let muted: Vec<OptionalEvent> = OptionalEvent::ALL.into_iter().filter(is_muted).collect();
    event_settings::replace(&state, &by, &muted).await?;
    Ok(see_other("/my/events?done=settings"))
}
