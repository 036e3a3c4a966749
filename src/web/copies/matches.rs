//! Players whose public lists match the visitor's own lists.

use actix_web::{HttpResponse, web};
use askama::Template;

use super::choices::Games;
use super::narrowing::Narrowing;
use super::offer::new_path;
use super::player_path;
use super::section::Section;
use super::trade_words;
use super::words as copy_words;
use crate::app::copies::trade_matches;
use crate::app::page::{Cursor, Page, PageLimit};
use crate::app::problem::Problem;
use crate::app::state::AppState;
use crate::auth::permission::ReadOwnCollection;
use crate::web::forms::{Choice, Faults, private};
use crate::web::page::{ENTRIES, Frame, Place};
use crate::web::page_status::PageStatus;
use crate::web::session::Player;
use crate::web::words;

/// The path of this page.
const PATH: &str = "/trades/find";

#[derive(Template)]
#[template(path = "web/copies/matches.html")]
struct MatchesPage {
    frame: Frame,
    section: Section,
    faults: Faults,
    games: Vec<Choice>,
    matches: Vec<MatchRow>,
    first_path: Option<String>,
    next_path: Option<String>,
}

/// A matching player.
struct MatchRow {
    name: String,
    path: String,
    offer_path: String,
    they_have: String,
    they_want: String,
    is_mutual: bool,
}

/// Lists matching players.
pub(in crate::web) async fn list_matches(
    state: web::Data<AppState>,
    by: Player<ReadOwnCollection>,
    query: web::Query<Narrowing>,
) -> Result<HttpResponse, Problem> {
    let query_narrowing =
        Narrowing { set: String::new(), rarity: String::new(), ..query.into_inner() };
    let after = Cursor::key_of(query_narrowing.cursor.as_ref())?;
    let games = Games::read(&state).await?;
    let (found, faults) = match query_narrowing.codes(&state).await? {
        Ok(codes) => {
            let limit = PageLimit::try_from(ENTRIES).map_err(Problem::internal)?;
            (trade_matches::list(&state, &by, &codes, after, limit).await?, Faults::none())
        }
        Err(faults) => (Page { data: Vec::new(), next_cursor: None, total: None }, faults),
    };
    let next_path =
        found.next_cursor.as_deref().map(|cursor| query_narrowing.path_at(PATH, Some(cursor)));
    let mut frame = Frame::new(trade_words::FIND).at(Place::Collection);
    frame.next.clone_from(&next_path);
    let row = |found: trade_matches::TradeMatchResponse| MatchRow {
        path: player_path(&found.player),
        offer_path: new_path(&found.player, None),
        they_have: words::grouped(found.they_have),
        they_want: words::grouped(found.they_want),
        is_mutual: found.mutual,
        name: found.player,
    };
    let status = if faults.is_empty() { PageStatus::OK } else { PageStatus::INVALID_QUERY };
    let page = MatchesPage {
        frame,
        section: Section::Trades,
        faults,
        games: games.choices(&query_narrowing.game),
        matches: found.data.into_iter().map(row).collect(),
        first_path: query_narrowing.first_path(PATH),
        next_path,
    };
    private(status, &page)
}
