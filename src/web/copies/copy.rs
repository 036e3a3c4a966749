//! The page of one of the visitor's own copies, with its history.

use actix_web::{HttpResponse, web};
use askama::Template;
use serde::Deserialize;
use uuid::Uuid;

use super::choices::Games;
use super::event_words;
use super::section::Section;
use super::views::CardCell;
use super::words as copy_words;
use super::{copy_path, dispute_path, trade_path};
use crate::app::copies::own_copies::{self, CopyEventResponse};
use crate::app::page::{Cursor, PageLimit};
use crate::app::problem::Problem;
use crate::app::state::AppState;
use crate::auth::permission::ReadOwnCopies;
use crate::domain::ids::CopyId;
use crate::web::accounts::Moment;
use crate::web::forms::private;
use crate::web::page::{ENTRIES, Frame, Place};
use crate::web::page_status::PageStatus;
use crate::web::session::Player;
use crate::web::words;

#[derive(Template)]
#[template(path = "web/copies/copy.html")]
struct CopyPage {
    frame: Frame,
    section: Section,
    card: CardCell,
    alt: String,
    registered: Moment,
    state: Option<&'static str>,
    is_frozen: bool,
    is_disputed: bool,
    /// The path of the form that offers it; `None`: it cannot be offered.
    offer_path: Option<String>,
    events: Vec<EventLine>,
    first_path: Option<String>,
    next_path: Option<String>,
}

/// An entry of the history.
struct EventLine {
    at: Moment,
    text: &'static str,
    reason: Option<String>,
    /// Label and path of its trade or dispute.
    way: Option<(&'static str, String)>,
}

impl From<CopyEventResponse> for EventLine {
    fn from(event: CopyEventResponse) -> Self {
        let trade = event.trade.map(|trade| (copy_words::SHOW_TRADE, trade_path(trade)));
        let dispute = event.dispute.map(|id| (copy_words::SHOW_DISPUTE, id));
        let dispute = dispute.map(|(text, id)| (text, dispute_path(&id.to_string())));
        Self {
            at: Moment::new(event.at),
            text: event_words::event(event.event, event.by, event.owner),
            reason: event.reason,
            way: trade.or(dispute),
        }
    }
}

/// Which page of the history.
#[derive(Deserialize)]
pub(in crate::web) struct HistoryQuery {
    cursor: Option<Cursor>,
}

/// Shows one of the visitor's own copies. A copy of another owner answers 404, also to moderators, who have pages of their own.
pub(in crate::web) async fn find_copy(
    state: web::Data<AppState>,
    by: Player<ReadOwnCopies>,
    copy: web::Path<Uuid>,
    query: web::Query<HistoryQuery>,
) -> Result<HttpResponse, Problem> {
    let (id, viewer) = (CopyId(*copy), by.visitor.viewer());
    let after = Cursor::key_of(query.cursor.as_ref())?;
    let copy = own_copies::find(&state, &by, None, viewer, id).await?;
    let limit = PageLimit::try_from(ENTRIES).map_err(Problem::internal)?;
    let history = own_copies::list_history(&state, &by, None, id, after, limit).await?;
    let games = Games::read(&state).await?;
    let card = CardCell::of_copy(&games, &copy.card, copy.rarity.as_deref());
    let path = copy_path(copy.id);
    let next_path = history.next_cursor.map(|cursor| format!("{path}?cursor={cursor}"));
    let mut frame = Frame::new(&card.name).at(Place::Collection);
    frame.next.clone_from(&next_path);
    let can_be_offered = !copy.voided && !copy.frozen;
    let page = CopyPage {
        frame,
        section: Section::Copies,
        alt: words::picture_of(&card.name, Some(&card.place)),
        card,
        registered: Moment::new(copy.registered_at),
        state: copy_words::state(copy.voided, copy.frozen, copy.disputed),
        is_frozen: copy.frozen,
        is_disputed: copy.disputed,
        offer_path: can_be_offered.then(|| format!("/trades/new?give={}", copy.id)),
        events: history.data.into_iter().map(EventLine::from).collect(),
        first_path: query.cursor.as_ref().map(|_| path),
        next_path,
    };
    private(PageStatus::OK, &page)
}
