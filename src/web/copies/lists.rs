//! Wants and haves beside each other: the first items of both, and who may read them.

use actix_web::{HttpResponse, web};
use askama::Template;

use super::choices::Games;
use super::item::ItemRow;
use super::list::Kind;
use super::section::Section;
use super::trade_words;
use super::words as copy_words;
use crate::app::copies::trade_lists;
use crate::app::problem::Problem;
use crate::app::state::AppState;
use crate::auth::permission::ReadOwnCollection;
use crate::web::forms::private;
use crate::web::page::{Frame, Place};
use crate::web::page_status::PageStatus;
use crate::web::session::Player;
use crate::web::words;

/// Items of each list on this page.
const FEW: usize = 12;

#[derive(Template)]
#[template(path = "web/copies/lists.html")]
struct ListsPage {
    frame: Frame,
    section: Section,
    lists: Vec<ListView>,
}

/// The first items of a list.
struct ListView {
    kind: &'static str,
    heading: &'static str,
    about: &'static str,
    path: String,
    readers: &'static str,
    count: String,
    items: Vec<ItemRow>,
}

/// Shows both lists.
pub(in crate::web) async fn find_lists(
    state: web::Data<AppState>,
    by: Player<ReadOwnCollection>,
) -> Result<HttpResponse, Problem> {
    let games = Games::read(&state).await?;
    let mut lists = Vec::new();
    for kind in [Kind::Wants, Kind::Haves] {
        let viewer = by.visitor.viewer();
        let found = trade_lists::find_own(&state, &by, viewer, kind.of_api()).await?.list;
        lists.push(ListView {
            kind: kind.code(),
            heading: kind.heading(),
            about: kind.about(),
            path: kind.path(),
            readers: copy_words::readers(found.visibility),
            count: words::cards(found.items.iter().map(|item| i64::from(item.quantity)).sum()),
            items: found.items.iter().take(FEW).map(|item| ItemRow::new(&games, item)).collect(),
        });
    }
    let frame = Frame::new(copy_words::LISTS).at(Place::Collection);
    private(PageStatus::OK, &ListsPage { frame, section: Section::Lists, lists })
}
