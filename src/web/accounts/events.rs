//! The events of the visitor's own account, newest first, and the settings that turn kinds of events off.

use std::collections::BTreeSet;

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
use crate::app::copies::own_copies::{self, CopySelection};
use crate::app::page::PageLimit;
use crate::app::problem::Problem;
use crate::app::state::AppState;
use crate::auth::permission::{
    ChangeOwnEventSettings, ReadOwnAccount, ReadOwnCopies, ReadOwnEvents,
};
use crate::domain::accounts::optional_events::OptionalEvent;
use crate::http::extract::Form;
use crate::web::catalogue::card_path;
use crate::web::copies::{copy_path, dispute_path, trade_path};
use crate::web::decks::deck_path;
use crate::web::designs::design_path;
use crate::web::forms::{Fields, private};
use crate::web::headers::protected;
use crate::web::page::{Frame, Place};
use crate::web::page_status::PageStatus;
use crate::web::session::{Player, Visitor, see_other};
use crate::web::words;

/// Events on a page.
const EVENTS: u16 = 50;

#[derive(Template)]
#[template(path = "web/accounts/events.html")]
struct EventsPage {
    frame: Frame,
    /// Confirmation of the action that was just completed; empty: no action.
    done: &'static str,
    events: Vec<EventLine>,
    first_path: Option<String>,
    next_path: Option<String>,
    settings: Vec<Setting>,
    /// The newest event, which the browser stores as seen; `None`: this page shows older events.
    newest: Option<Newest>,
}

/// What a browser needs to count the events that it has not shown yet.
#[derive(Serialize)]
struct Newest {
    /// Several people may use the same browser, so the browser stores the number by account.
    account: Uuid,
    /// The highest number of an event; 0: there is none.
    newest: i64,
}

/// An event in the list.
struct EventLine {
    at: Moment,
    text: String,
    /// Links to the objects of the event: text and path.
    ways: Vec<(String, String)>,
}

impl EventLine {
    /// `owned`: the copies of the events that belong to the visitor now.
    fn new(event: AccountEventResponse, owned: &BTreeSet<Uuid>) -> Self {
        let text = event_words::event(&event.kind, event.outcome.as_deref());
        Self { at: Moment::new(event.at), ways: ways(event, owned), text }
    }
}

/// The copies of events that belong to the visitor now: only their pages can be opened. One query reads all of them.
async fn find_owned(
    app: &AppState,
    visitor: &Visitor,
    events: &[AccountEventResponse],
) -> Result<BTreeSet<Uuid>, Problem> {
    let named: BTreeSet<Uuid> =
        events.iter().filter_map(|event| event.copy.as_ref()).map(|copy| copy.id).collect();
    if named.is_empty() {
        return Ok(named);
    }
    let by = visitor.must::<ReadOwnCopies>()?;
    let (only, most) =
        (CopySelection::of(named), PageLimit::try_from(EVENTS).map_err(Problem::internal)?);
    let own = own_copies::list(app, &by, visitor.viewer(), &only, None, most).await?;
    Ok(own.data.into_iter().map(|copy| copy.id).collect())
}

/// Links to the pages of the objects of an event that the visitor can read now.
fn ways(event: AccountEventResponse, owned: &BTreeSet<Uuid>) -> Vec<(String, String)> {
    let way = |text: &str, path: String| (text.to_owned(), path);
    let card = event.card.and_then(|card| {
        let (game, set, number) = (card.game?, card.set?, card.number?);
        Some((words::place(&set, &number), card_path(&game, &set, &number)))
    });
    // A player who gave a copy away can no longer open the page of that copy.
    let copy = event.copy.filter(|copy| owned.contains(&copy.id));
    let copy = copy.map(|copy| way(account_words::COPY, copy_path(copy.id)));
    let trade = event.trade.map(|trade| way(account_words::TRADE, trade_path(trade.id)));
    let dispute = event.dispute.map(|dispute| dispute_path(&dispute.id.to_string()));
    let dispute = dispute.map(|path| way(account_words::DISPUTE, path));
    let deck = event.deck.filter(|deck| deck.href.is_some()).map(|deck| deck_path(deck.id));
    let design = event.design.filter(|design| design.href.is_some()).map(|design| design.id);
    let of_design = |text: &str, part: &str| {
        design.as_ref().map(|id| way(text, format!("{}{part}", design_path(id))))
    };
    let comments_are_shown = event.comment.is_some_and(|comment| comment.href.is_some());
    let comments =
        if comments_are_shown { of_design(account_words::COMMENTS, "#comments") } else { None };
    let of_deck = |path: &String| way(account_words::COMMENTS, format!("{path}#comments"));
    let deck_comments = deck.as_ref().filter(|_| comments_are_shown).map(of_deck);
    let deck = deck.map(|path| way(account_words::DECK, path));
    let suggestion = event.suggestion.filter(|suggestion| suggestion.href.is_some());
    let suggestion = suggestion.and_then(|suggestion| {
        of_design(account_words::SUGGESTION, &format!("/suggestions/{}", suggestion.id))
    });
    let named = design.as_ref().map(|id| way(id, design_path(id)));
    let ways = [card, copy, named, comments, suggestion, deck, deck_comments, trade, dispute];
    ways.into_iter().flatten().collect()
}

/// A kind of event that can be turned off.
struct Setting {
    kind: &'static str,
    text: String,
    is_told: bool,
}

/// Which page of the events.
#[derive(Deserialize)]
pub(in crate::web) struct EventsQuery {
    /// Only those with a lower number.
    before: Option<i64>,
    #[serde(default)]
    done: String,
}

/// Shows the events of the visitor's own account.
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
    let part = account_events::list_last(&state, &by, query.before, EVENTS).await?;
    let owned = find_owned(&state, &by.visitor, &part.data).await?;
    let page = EventsPage {
        frame: Frame::new(account_words::EVENTS).at(Place::Account),
        done: account_words::done(&query.done),
        events: part.data.into_iter().rev().map(|event| EventLine::new(event, &owned)).collect(),
        first_path: query.before.map(|_| "/my/events".to_owned()),
        next_path: part.before.map(|before| format!("/my/events?before={before}")),
        settings: settings.collect(),
        newest: query
            .before
            .is_none()
            .then(|| Newest { account: by.account().0, newest: part.newest }),
    };
    private(PageStatus::OK, &page)
}

/// Returns the number of the newest event of the visitor's own account, for the badge on all pages. Strangers get no number.
pub(in crate::web) async fn find_newest(
    state: web::Data<AppState>,
    visitor: Visitor,
) -> Result<HttpResponse, Problem> {
    let unkept = (header::CACHE_CONTROL, "private, no-store");
    if visitor.is_stranger() {
        return Ok(protected(HttpResponse::NoContent().insert_header(unkept).finish()));
    }
    let by = visitor.must::<ReadOwnEvents>()?;
    let newest =
        Newest { account: by.account().0, newest: account_events::newest(&state, &by).await? };
    Ok(protected(HttpResponse::Ok().insert_header(unkept).json(newest)))
}

/// Stores which kinds of events the visitor's own account gets. Browsers do not send a checkbox that is not ticked.
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
