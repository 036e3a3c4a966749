//! The visitor's own disputes: claims by the reader, and claims to copies of the reader.

use actix_web::{HttpResponse, web};
use askama::Template;
use serde::Deserialize;
use uuid::Uuid;

use super::choices::Games;
use super::dispute_path;
use super::section::Section;
use super::views::CardCell;
use super::words as copy_words;
use crate::app::copies::dispute_responses::DisputeSummaryResponse;
use crate::app::copies::disputes::{self, DisputeFilter, WhoseDisputes};
use crate::app::page::{Cursor, PageLimit};
use crate::app::problem::Problem;
use crate::app::state::AppState;
use crate::auth::permission::ReadOwnDisputes;
use crate::web::accounts::Moment;
use crate::web::forms::private;
use crate::web::page::{ENTRIES, Frame, Place};
use crate::web::page_status::PageStatus;
use crate::web::session::Player;
use crate::web::words;

/// The path of this page.
const PATH: &str = "/disputes";

#[derive(Template)]
#[template(path = "web/copies/disputes.html")]
struct DisputesPage {
    frame: Frame,
    section: Section,
    disputes: Vec<DisputeRow>,
    first_path: Option<String>,
    next_path: Option<String>,
}

/// A dispute in a list.
struct DisputeRow {
    path: String,
    card: CardCell,
    role: &'static str,
    state: &'static str,
    opened: Moment,
}

impl DisputeRow {
    fn new(games: &Games, dispute: &DisputeSummaryResponse) -> Self {
        Self {
            path: dispute_path(&dispute.id.to_string()),
            card: CardCell::of_copy(games, &dispute.card, None),
            role: copy_words::role(dispute.role, dispute.state == "open"),
            state: copy_words::dispute_state(dispute.state),
            opened: Moment::new(dispute.opened_at),
        }
    }
}

/// Which page of the list.
#[derive(Deserialize)]
pub(in crate::web) struct DisputesQuery {
    cursor: Option<Cursor>,
}

/// Lists the visitor's own disputes, the newest first.
pub(in crate::web) async fn list_disputes(
    state: web::Data<AppState>,
    by: Player<ReadOwnDisputes>,
    query: web::Query<DisputesQuery>,
) -> Result<HttpResponse, Problem> {
    let before: Option<Uuid> = Cursor::key_of(query.cursor.as_ref())?;
    let limit = PageLimit::try_from(ENTRIES).map_err(Problem::internal)?;
    let (viewer, whose) = (by.visitor.viewer(), WhoseDisputes::Own(None));
    let all = DisputeFilter { open: None, state: None, from: None, until: None };
    let found = disputes::list(&state, &by, viewer, &whose, all, before, limit).await?;
    let games = Games::read(&state).await?;
    let next_path = found.next_cursor.map(|cursor| format!("{PATH}?cursor={cursor}"));
    let mut frame = Frame::new(copy_words::DISPUTES).at(Place::Collection);
    frame.next.clone_from(&next_path);
    let page = DisputesPage {
        frame,
        section: Section::Disputes,
        disputes: found.data.iter().map(|dispute| DisputeRow::new(&games, dispute)).collect(),
        first_path: query.cursor.as_ref().map(|_| PATH.to_owned()),
        next_path,
    };
    private(PageStatus::OK, &page)
}
