//! Print runs for admins: what was printed, and how much of it is registered. No page shows serial codes, because the service does not store them.

use std::collections::BTreeMap;

use actix_web::{HttpResponse, web};
use askama::Template;
use cardscape_engine::Game;
use serde::Deserialize;
use uuid::Uuid;

use super::announcements::announcement_path;
use super::parts::{Area, Nav, game_name, limit, rarity};
use super::printing_words;
use super::words as admin_words;
use crate::app::page::Cursor;
use crate::app::printing::print_runs::{self, PrintRunResponse};
use crate::app::problem::Problem;
use crate::app::state::AppState;
use crate::auth::permission::ReadPrintRuns;
use crate::domain::ids::PrintRunId;
use crate::web::accounts::Moment;
use crate::web::catalogue::set_path;
use crate::web::forms::private;
use crate::web::page::{ENTRIES, Frame, Place, path_of};
use crate::web::page_status::PageStatus;
use crate::web::session::Player;
use crate::web::words;

/// The path of this page.
const PATH: &str = "/admin/print-runs";

/// Which page of the list.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(in crate::web) struct RunsQuery {
    cursor: Option<Cursor>,
}

#[derive(Template)]
#[template(path = "web/admin/print_runs.html")]
struct RunsPage {
    frame: Frame,
    nav: Nav,
    runs: Vec<RunRow>,
    first_path: Option<String>,
    next_path: Option<String>,
}

/// A print run.
struct RunRow {
    path: String,
    game: String,
    set: String,
    set_path: String,
    status: &'static str,
    per_card: String,
    copies: String,
    registered: String,
    at: Moment,
    activated: Option<Moment>,
    discarded: Option<Moment>,
    announcement: Option<String>,
    rarities: Vec<(String, String)>,
    key_id: String,
    file: String,
    packing: Option<String>,
}

impl RunRow {
    fn new(games: &BTreeMap<&str, &Game>, run: PrintRunResponse) -> Self {
        let share = |one: print_runs::RarityCopies| {
            (rarity(games, &run.game, &one.rarity), words::grouped(one.copies))
        };
        Self {
            path: format!("{PATH}/{}", run.id),
            set_path: set_path(&run.game, &run.set),
            status: printing_words::run_status(&run.status),
            per_card: words::grouped(run.copies_per_card),
            copies: words::grouped(run.copy_count),
            registered: words::grouped(run.registered),
            at: Moment::new(run.created_at),
            activated: run.activated_at.map(Moment::new),
            discarded: run.discarded_at.map(Moment::new),
            announcement: run.commitment.map(announcement_path),
            rarities: run.rarities.into_iter().map(share).collect(),
            key_id: run.key_id,
            file: run.file_sha256,
            packing: run.packing_sha256,
            game: game_name(games, &run.game),
            set: run.set,
        }
    }
}

/// Lists print runs, the newest first.
pub(in crate::web) async fn list_print_runs(
    state: web::Data<AppState>,
    by: Player<ReadPrintRuns>,
    query: web::Query<RunsQuery>,
) -> Result<HttpResponse, Problem> {
    let before: Option<Uuid> = Cursor::key_of(query.cursor.as_ref())?;
    let found = print_runs::list(&state, &by, before, limit(ENTRIES)?).await?;
    let games = state.all_games().await?;
    let games: BTreeMap<&str, &Game> =
        games.iter().map(|loaded| (loaded.game.code(), &loaded.game)).collect();
    let next_path = found.next_cursor.as_deref().map(|cursor| path_of(PATH, &[("cursor", cursor)]));
    let mut frame = Frame::new(admin_words::PRINT_RUNS).at(Place::Account);
    frame.next.clone_from(&next_path);
    let page = RunsPage {
        frame,
        nav: Nav::new(by.role(), Area::PrintRuns),
        runs: found.data.into_iter().map(|run| RunRow::new(&games, run)).collect(),
        first_path: query.cursor.as_ref().map(|_| PATH.to_owned()),
        next_path,
    };
    private(PageStatus::OK, &page)
}

#[derive(Template)]
#[template(path = "web/admin/print_run.html")]
struct RunPage {
    frame: Frame,
    nav: Nav,
    run: RunRow,
}

/// Shows a print run.
pub(in crate::web) async fn find_print_run(
    state: web::Data<AppState>,
    by: Player<ReadPrintRuns>,
    run: web::Path<Uuid>,
) -> Result<HttpResponse, Problem> {
    let found = print_runs::find(&state, &by, PrintRunId(*run)).await?;
    let games = state.all_games().await?;
    let games: BTreeMap<&str, &Game> =
        games.iter().map(|loaded| (loaded.game.code(), &loaded.game)).collect();
    let page = RunPage {
        frame: Frame::new(printing_words::PRINT_RUN).at(Place::Account),
        nav: Nav::new(by.role(), Area::PrintRuns),
        run: RunRow::new(&games, found),
    };
    private(PageStatus::OK, &page)
}
