//! The visitor's own designs, optionally only those of one status.

use std::collections::BTreeMap;

use actix_web::{HttpResponse, web};
use askama::Template;
use cardscape_engine::Game;
use serde::Deserialize;
use uuid::Uuid;

use super::tiles::DesignTile;
use super::words as design_words;
use crate::app::catalogue::codes::Codes;
use crate::app::designs::design_lists::{self, DesignSummaryResponse};
use crate::app::page::{Cursor, PageLimit};
use crate::app::problem::Problem;
use crate::app::state::AppState;
use crate::auth::permission::{ReadOwnDesigns, ReviewDesigns};
use crate::domain::designs::status::DesignStatus;
use crate::domain::ids::DesignId;
use crate::web::forms::{Choice, private};
use crate::web::page::{ENTRIES, Frame, Place, path_of};
use crate::web::page_status::PageStatus;
use crate::web::session::Player;
use crate::web::words;

/// The query of the page.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(in crate::web) struct OwnQuery {
    /// Empty: designs of all statuses.
    status: String,
    cursor: Option<Cursor>,
}

/// The path of the list of a status; empty: of all.
fn path_at(status: &str, cursor: Option<&str>) -> String {
    path_of("/my/designs", &[("status", status), ("cursor", cursor.unwrap_or_default())])
}

#[derive(Template)]
#[template(path = "web/designs/own.html")]
struct OwnPage {
    frame: Frame,
    statuses: Vec<Choice>,
    /// Whether the reader may review designs of others.
    is_reviewer: bool,
    tiles: Vec<DesignTile>,
    is_filtered: bool,
    first_path: Option<String>,
    next_path: Option<String>,
}

/// Shows the visitor's own designs, the newest first.
pub(in crate::web) async fn list_own_designs(
    state: web::Data<AppState>,
    by: Player<ReadOwnDesigns>,
    query: web::Query<OwnQuery>,
) -> Result<HttpResponse, Problem> {
    let filters = query.into_inner();
    let status = DesignStatus::parse(&filters.status);
    if status.is_none() && !filters.status.is_empty() {
        return Err(Problem::of_query(Vec::new()));
    }
    let before: Option<Uuid> = Cursor::key_of(filters.cursor.as_ref())?;
    let limit = PageLimit::try_from(ENTRIES).map_err(Problem::internal)?;
    let (codes, before) = (Codes::of_game(None), before.map(DesignId));
    let page = design_lists::list_own(&state, &by, &codes, status, before, limit).await?;
    let games = state.all_games().await?;
    let games: BTreeMap<&str, &Game> =
        games.iter().map(|loaded| (loaded.game.code(), &loaded.game)).collect();
    let tile = |design: DesignSummaryResponse| {
        DesignTile::own(games.get(design.game.as_str()).copied(), design)
    };
    let choice = |status: &'static str, name: &str| Choice {
        value: path_at(status, None),
        name: name.to_owned(),
        is_chosen: filters.status == status,
    };
    let each = DesignStatus::ALL.into_iter().map(DesignStatus::as_str);
    let page = OwnPage {
        frame: Frame::new(design_words::MY_DESIGNS).at(Place::Designs),
        statuses: std::iter::once(choice("", design_words::ALL_STATUSES))
            .chain(each.map(|status| choice(status, design_words::status(status))))
            .collect(),
        tiles: page.data.into_iter().map(tile).collect(),
        is_reviewer: by.visitor.must::<ReviewDesigns>().is_ok(),
        is_filtered: status.is_some(),
        first_path: filters.cursor.as_ref().map(|_| path_at(&filters.status, None)),
        next_path: page.next_cursor.map(|cursor| path_at(&filters.status, Some(&cursor))),
    };
    private(PageStatus::OK, &page)
}
