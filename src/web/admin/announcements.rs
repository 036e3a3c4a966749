//! Announcements of print runs: the list of a set, and the page of one announcement with its actions.

use actix_web::{HttpResponse, web};
use askama::Template;
use serde::Deserialize;
use uuid::Uuid;

use super::parts::{Area, DoneQuery, Nav, faults_of, limit};
use super::printing_words;
use super::words as admin_words;
use crate::app::page::Cursor;
use crate::app::printing::print_commitments::{self, CommitmentResponse};
use crate::app::problem::{Problem, ProblemCode};
use crate::app::state::AppState;
use crate::auth::permission::{AnnouncePrintRuns, ReadPrintRuns, Role};
use crate::domain::code::Code;
use crate::domain::ids::CommitmentId;
use crate::web::accounts::Moment;
use crate::web::catalogue::set_path;
use crate::web::forms::{Faults, private};
use crate::web::page::{ENTRIES, Frame, Place, path_of};
use crate::web::page_status::PageStatus;
use crate::web::session::{Player, see_other};
use crate::web::set_choices::{SetChoices, sets_of_all_games};
use crate::web::words;

/// The path of this page.
const PATH: &str = "/admin/announcements";

/// The page of an announcement.
pub(super) fn announcement_path(id: Uuid) -> String {
    format!("{PATH}/{id}")
}

/// The query of the list.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(in crate::web) struct AnnouncementsQuery {
    /// Game and set, with a slash between them.
    set: String,
    cursor: Option<Cursor>,
}

#[derive(Template)]
#[template(path = "web/admin/announcements.html")]
struct AnnouncementsPage {
    frame: Frame,
    nav: Nav,
    faults: Faults,
    sets: SetChoices,
    /// The set of the query.
    set: String,
    /// Whether the query names a set.
    is_asked: bool,
    announcements: Vec<AnnouncementRow>,
    first_path: Option<String>,
    next_path: Option<String>,
}

struct AnnouncementRow {
    path: String,
    id: Uuid,
    game: String,
    set: String,
    set_path: String,
    status: String,
    is_printed: bool,
    is_revealed: bool,
    hash: String,
    packing: Option<String>,
    at: Moment,
    printed: Option<Moment>,
    broken_off: Option<Moment>,
    revealed: Option<Moment>,
}

impl From<CommitmentResponse> for AnnouncementRow {
    fn from(one: CommitmentResponse) -> Self {
        Self {
            path: announcement_path(one.id),
            id: one.id,
            set_path: set_path(&one.game, &one.set),
            status: words::run_status(one.status),
            is_printed: one.status == "printed",
            is_revealed: one.status == "revealed",
            hash: one.commitment,
            packing: one.packing_sha256,
            at: Moment::new(one.announced_at),
            printed: one.printed_at.map(Moment::new),
            broken_off: one.broken_off_at.map(Moment::new),
            revealed: one.revealed_at.map(Moment::new),
            game: one.game,
            set: one.set,
        }
    }
}

/// Lists the announcements of a set, the newest first.
pub(in crate::web) async fn list_announcements(
    state: web::Data<AppState>,
    by: Player<ReadPrintRuns>,
    query: web::Query<AnnouncementsQuery>,
) -> Result<HttpResponse, Problem> {
    let AnnouncementsQuery { set, cursor } = query.into_inner();
    let before: Option<Uuid> = Cursor::key_of(cursor.as_ref())?;
    let place = set
        .split_once('/')
        .and_then(|(game, code)| Some((Code::try_from(game).ok()?, Code::try_from(code).ok()?)));
    let mut faults = Faults::none();
    let (announcements, next_cursor) = match &place {
        None => (Vec::new(), None),
        Some((game, code)) => {
            let most = limit(ENTRIES)?;
            match print_commitments::list(&state, game, code, before, most).await {
                Ok(found) => (found.data, found.next_cursor),
                Err(problem) if problem.code() == ProblemCode::NotFound => {
                    faults = Faults::one("set", printing_words::NO_SUCH_SET);
                    (Vec::new(), None)
                }
                Err(problem) => return Err(problem),
            }
        }
    };
    if place.is_none() && !set.is_empty() {
        faults = Faults::one("set", printing_words::NO_SUCH_SET);
    }
    let status = if faults.is_empty() { PageStatus::OK } else { PageStatus::NOT_FOUND };
    let path_at = |cursor: &str| path_of(PATH, &[("set", set.as_str()), ("cursor", cursor)]);
    let next_path = next_cursor.as_deref().map(path_at);
    let mut frame = Frame::new(words::ANNOUNCEMENTS).at(Place::Account);
    frame.next.clone_from(&next_path);
    let page = AnnouncementsPage {
        frame,
        nav: Nav::new(by.role(), Area::PrintRuns),
        sets: sets_of_all_games(&state, &set).await?,
        is_asked: place.is_some() && faults.is_empty(),
        faults,
        announcements: announcements.into_iter().map(AnnouncementRow::from).collect(),
        first_path: cursor.as_ref().map(|_| path_at("")),
        next_path,
        set,
    };
    private(status, &page)
}

#[derive(Template)]
#[template(path = "web/admin/announcement.html")]
struct AnnouncementPage {
    frame: Frame,
    nav: Nav,
    faults: Faults,
    done: &'static str,
    announcement: AnnouncementRow,
    /// The command that prints the run.
    command: String,
}

/// Shows an announcement.
pub(in crate::web) async fn find_announcement(
    state: web::Data<AppState>,
    by: Player<ReadPrintRuns>,
    announcement: web::Path<Uuid>,
    query: web::Query<DoneQuery>,
) -> Result<HttpResponse, Problem> {
    let done = printing_words::done(&query.done);
    show(&state, by.role(), PageStatus::OK, CommitmentId(*announcement), Faults::none(), done).await
}

async fn show(
    app: &AppState,
    role: Role,
    status: PageStatus,
    id: CommitmentId,
    faults: Faults,
    done: &'static str,
) -> Result<HttpResponse, Problem> {
    let found = print_commitments::find(app, id).await?;
    let page = AnnouncementPage {
        frame: Frame::new(printing_words::ANNOUNCEMENT).at(Place::Account),
        nav: Nav::new(role, Area::PrintRuns),
        faults,
        done,
        command: format!("cardscape mint --commitment {id} --out print.csv"),
        announcement: found.announcement.into(),
    };
    private(status, &page)
}

#[derive(Template)]
#[template(path = "web/admin/reveal.html")]
struct RevealPage {
    frame: Frame,
    nav: Nav,
    announcement: AnnouncementRow,
}

/// The page that asks for confirmation before a run is revealed.
pub(in crate::web) async fn show_reveal(
    state: web::Data<AppState>,
    by: Player<AnnouncePrintRuns>,
    announcement: web::Path<Uuid>,
) -> Result<HttpResponse, Problem> {
    let found = print_commitments::find(&state, CommitmentId(*announcement)).await?;
    let page = RevealPage {
        frame: Frame::new(printing_words::REVEAL_QUESTION).at(Place::Account),
        nav: Nav::new(by.role(), Area::PrintRuns),
        announcement: found.announcement.into(),
    };
    private(PageStatus::OK, &page)
}

/// Reveals a run to everybody.
pub(in crate::web) async fn reveal(
    state: web::Data<AppState>,
    by: Player<AnnouncePrintRuns>,
    announcement: web::Path<Uuid>,
) -> Result<HttpResponse, Problem> {
    let id = CommitmentId(*announcement);
    match print_commitments::reveal(&state, &by, id).await {
        Ok(_) => Ok(see_other(&format!("{}?done=revealed", announcement_path(id.0)))),
        Err(problem) if problem.code() == ProblemCode::NotFound => Err(problem),
        Err(problem) => {
            let Some(faults) = faults_of(&problem, &[]) else { return Err(problem) };
            show(&state, by.role(), PageStatus::of(&problem), id, faults, "").await
        }
    }
}
