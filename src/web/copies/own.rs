//! The visitor's own registered copies by set, as pictures.

use actix_web::{HttpResponse, web};
use askama::Template;

use super::choices::Games;
use super::copy_path;
use super::narrowing::{NarrowForm, Narrowing};
use super::section::Section;
use super::views::CardCell;
use super::words as copy_words;
use crate::app::copies::own_copies::{self, CopyResponse, CopySelection, copies_after};
use crate::app::page::{Page, PageLimit};
use crate::app::problem::Problem;
use crate::app::state::AppState;
use crate::auth::permission::ReadOwnCopies;
use crate::web::forms::{Faults, private};
use crate::web::page::{ENTRIES, Frame, Place};
use crate::web::page_status::PageStatus;
use crate::web::session::Player;
use crate::web::words;

/// The path of this page.
const PATH: &str = "/my/copies";

#[derive(Template)]
#[template(path = "web/copies/own.html")]
struct CopiesPage {
    frame: Frame,
    section: Section,
    faults: Faults,
    narrow: NarrowForm,
    is_narrowed: bool,
    sets: Vec<SetOfCopies>,
    first_path: Option<String>,
    next_path: Option<String>,
}

/// The copies of a page that belong to one set.
struct SetOfCopies {
    game: String,
    set: String,
    heading: String,
    copies: Vec<CopyTile>,
}

struct CopyTile {
    path: String,
    card: CardCell,
    state: Option<&'static str>,
}

/// Lists the visitor's own copies.
pub(in crate::web) async fn list_copies(
    state: web::Data<AppState>,
    by: Player<ReadOwnCopies>,
    query: web::Query<Narrowing>,
) -> Result<HttpResponse, Problem> {
    let query_narrowing = query.into_inner();
    let after = copies_after(query_narrowing.cursor.as_ref())?;
    let games = Games::read(&state).await?;
    let (found, faults) = match query_narrowing.codes(&state).await? {
        Ok(codes) => {
            let limit = PageLimit::try_from(ENTRIES).map_err(Problem::internal)?;
            let selection = CopySelection { codes, card: None, only: None };
            let viewer = by.visitor.viewer();
            let found = own_copies::list(&state, &by, viewer, &selection, after, limit).await?;
            (found, Faults::none())
        }
        Err(faults) => (Page { data: Vec::new(), next_cursor: None, total: None }, faults),
    };
    let next_path =
        found.next_cursor.as_deref().map(|cursor| query_narrowing.path_at(PATH, Some(cursor)));
    let mut frame = Frame::new(copy_words::MY_COPIES).at(Place::Collection);
    frame.next.clone_from(&next_path);
    let status = if faults.is_empty() { PageStatus::OK } else { PageStatus::INVALID_QUERY };
    let page = CopiesPage {
        frame,
        section: Section::Copies,
        faults,
        narrow: NarrowForm::new(PATH, &games, &query_narrowing),
        // A later page may be empty by now, although earlier pages have copies.
        is_narrowed: query_narrowing.is_narrowed() || query_narrowing.cursor.is_some(),
        sets: by_set(&games, found.data),
        first_path: query_narrowing.first_path(PATH),
        next_path,
    };
    private(status, &page)
}

/// Groups the copies by set; they arrive in that order.
fn by_set(games: &Games, copies: Vec<CopyResponse>) -> Vec<SetOfCopies> {
    let mut sets: Vec<SetOfCopies> = Vec::new();
    for copy in copies {
        let (game, set) = (copy.card.game.clone(), copy.card.set.clone());
        let tile = CopyTile {
            path: copy_path(copy.id),
            card: CardCell::of_copy(games, &copy.card, copy.rarity.as_deref()),
            state: copy_words::state(copy.voided, copy.frozen, copy.disputed),
        };
        match sets.last_mut().filter(|last| last.game == game && last.set == set) {
            Some(last) => last.copies.push(tile),
            None => sets.push(SetOfCopies {
                heading: words::set_of(&set, &games.name(&game)),
                copies: vec![tile],
                game,
                set,
            }),
        }
    }
    sets
}
