//! The lists of designs for moderators: those that wait for a review, and those that were approved.

use actix_web::{HttpResponse, web};
use askama::Template;
use serde::Deserialize;

use super::review_paths::{APPROVED, QUEUE, review_path};
use super::words as design_words;
use crate::app::catalogue::codes::Codes;
use crate::app::designs::design_reviews::{self, WaitingDesignResponse};
use crate::app::page::{Cursor, PageLimit};
use crate::app::problem::Problem;
use crate::app::state::AppState;
use crate::auth::permission::{Granted, ReviewDesigns};
use crate::domain::designs::review::ReviewStage;
use crate::web::forms::{Faults, not_empty, private};
use crate::web::page::{ENTRIES, Frame, Place};
use crate::web::page_status::PageStatus;
use crate::web::session::Player;
use crate::web::words;

/// Which list, and where its page begins.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(in crate::web) struct QueueQuery {
    status: ReviewStage,
    cursor: Option<Cursor>,
}

impl QueueQuery {
    /// The first page of a list.
    pub(super) fn new(status: ReviewStage) -> Self {
        Self { status, cursor: None }
    }
}

/// A waiting design.
struct WaitingRow {
    path: String,
    name: String,
    author: String,
    game: String,
    /// What the day is: that of the submission or of the approval.
    day_of: &'static str,
    day: String,
    at: String,
    /// Whether a reviewer has claimed it, and whether that is the reader.
    is_claimed: bool,
    is_mine: bool,
    /// Why it cannot be released or decided by the reader; empty: it can.
    obstacle: &'static str,
}

#[derive(Template)]
#[template(path = "web/designs/queue.html")]
struct QueuePage {
    frame: Frame,
    faults: Faults,
    /// Which design the faults are about; empty: they are about none.
    refused: String,
    /// The reason that was typed for it, to be copied.
    written: Vec<String>,
    title: &'static str,
    about: &'static str,
    /// What an empty list says.
    empty: &'static str,
    /// The other list: its path and its title.
    other_list: (&'static str, &'static str),
    rows: Vec<WaitingRow>,
    first_path: Option<String>,
    next_path: Option<String>,
}

/// A step that was refused with a design that the moderator does not see any more.
#[derive(Default)]
pub(super) struct RefusedStep {
    /// What the form called the design; empty: no step was refused.
    pub(super) design: String,
    /// The reason that was typed.
    pub(super) reason: String,
}

/// Lists the waiting designs, the oldest submission first, or the approved ones, the newest approval first.
pub(in crate::web) async fn list(
    state: web::Data<AppState>,
    by: Player<ReviewDesigns>,
    query: web::Query<QueueQuery>,
) -> Result<HttpResponse, Problem> {
    let shown = (PageStatus::OK, Faults::none(), RefusedStep::default());
    show_list(&state, &by, &query, shown).await
}

/// Shows a page of a list; with the faults of a form that was sent for one design.
pub(super) async fn show_list(
    app: &AppState,
    by: &Granted<ReviewDesigns>,
    query: &QueueQuery,
    (http_status, faults, refused): (PageStatus, Faults, RefusedStep),
) -> Result<HttpResponse, Problem> {
    let at = design_reviews::page_at(query.status, query.cursor.as_ref())?;
    let limit = PageLimit::try_from(ENTRIES).map_err(Problem::internal)?;
    let page = design_reviews::list(app, by, at, &Codes::of_game(None), limit).await?;
    let games = app.all_games().await?;
    let reader = by.account().0;
    let row = |waiting: WaitingDesignResponse| WaitingRow {
        path: review_path(&waiting.design),
        game: games
            .iter()
            .find(|loaded| loaded.game.code() == waiting.game)
            .map_or(waiting.game, |loaded| loaded.game.name().to_owned()),
        day_of: design_words::day_of_review(waiting.approved_at.is_some()),
        day: words::day_of(waiting.approved_at.unwrap_or(waiting.submitted_at)),
        at: waiting.approved_at.unwrap_or(waiting.submitted_at).to_rfc3339(),
        is_claimed: waiting.reviewer_id.is_some(),
        is_mine: waiting.reviewer_id == Some(reader),
        obstacle: match (waiting.own, waiting.author_banned) {
            (true, _) => design_words::OWN_WORK,
            (false, true) => design_words::ONLY_REVOCABLE,
            (false, false) => "",
        },
        name: waiting.name,
        author: waiting.author,
    };
    let (waiting, approved) = (design_words::REVIEWS, design_words::APPROVED_DESIGNS);
    let (path, title, about, empty, other_list) = match query.status {
        ReviewStage::Waiting => {
            let (about, empty) = (design_words::REVIEWS_ABOUT, design_words::NOTHING_WAITS);
            (QUEUE, waiting, about, empty, (APPROVED, approved))
        }
        ReviewStage::Approved => {
            let (about, empty) = (design_words::APPROVED_ABOUT, design_words::NOTHING_APPROVED);
            (APPROVED, approved, about, empty, (QUEUE, waiting))
        }
    };
    let status = query.status.as_str();
    let page = QueuePage {
        frame: Frame::new(title).at(Place::Designs),
        faults,
        written: not_empty(&refused.reason),
        refused: design_words::refused_step(&refused.design),
        title,
        about,
        empty,
        other_list,
        rows: page.data.into_iter().map(row).collect(),
        first_path: query.cursor.as_ref().map(|_| path.to_owned()),
        next_path: page
            .next_cursor
            .map(|cursor| format!("{QUEUE}?status={status}&cursor={cursor}")),
    };
    private(http_status, &page)
}
