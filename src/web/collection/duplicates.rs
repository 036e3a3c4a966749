//! Printings of which the reader has more copies than the reader keeps.

use actix_web::{HttpResponse, web};
use askama::Template;
use serde::Deserialize;

use super::words as collection_words;
use crate::app::collection::collection_progress::{self, DuplicateResponse};
use crate::app::page::{Cursor, Page, PageLimit};
use crate::app::problem::Problem;
use crate::app::state::AppState;
use crate::auth::permission::ReadOwnCollection;
use crate::domain::collection::MAX_QUANTITY;
use crate::web::copies::{CardCell, Games, Narrowing, Section};
use crate::web::forms::{Choice, Faults, private};
use crate::web::page::{ENTRIES, Frame, Place, path_of};
use crate::web::page_status::PageStatus;
use crate::web::session::Player;
use crate::web::words;

/// The path of this page.
const PATH: &str = "/my/collection/duplicates";

/// The query of the page, as the form sends it.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(in crate::web) struct DuplicatesQuery {
    game: String,
    /// How many copies of each are kept; empty: one.
    over: String,
    cursor: Option<Cursor>,
}

impl DuplicatesQuery {
    fn path_at(&self, cursor: Option<&str>) -> String {
        let fields = [
            ("game", self.game.trim()),
            ("over", self.over.trim()),
            ("cursor", cursor.unwrap_or_default()),
        ];
        path_of(PATH, &fields)
    }

    /// How many copies of each are kept; `None`: the input is not a number.
    fn over(&self) -> Option<i64> {
        match self.over.trim() {
            "" => Some(1),
            over => over.parse().ok().filter(|over| (1..=i64::from(MAX_QUANTITY)).contains(over)),
        }
    }
}

#[derive(Template)]
#[template(path = "web/collection/duplicates.html")]
struct DuplicatesPage {
    frame: Frame,
    section: Section,
    faults: Faults,
    games: Vec<Choice>,
    over: String,
    most: i32,
    rows: Vec<Row>,
    first_path: Option<String>,
    next_path: Option<String>,
}

/// A printing.
struct Row {
    card: CardCell,
    counted: String,
    registered: String,
    spare: String,
}

impl Row {
    fn new(games: &Games, found: &DuplicateResponse) -> Self {
        Self {
            card: CardCell::of_line(games, &found.card, found.rarity.as_deref()),
            counted: words::grouped(found.counted),
            registered: words::grouped(found.registered),
            spare: words::grouped(found.spare),
        }
    }
}

/// Lists printings of which the reader has more copies than the reader keeps.
pub(in crate::web) async fn list_duplicates(
    state: web::Data<AppState>,
    by: Player<ReadOwnCollection>,
    query: web::Query<DuplicatesQuery>,
) -> Result<HttpResponse, Problem> {
    let after = Cursor::key_of(query.cursor.as_ref())?;
    let games = Games::read(&state).await?;
    let narrowing = Narrowing { game: query.game.clone(), ..Narrowing::default() };
    let nothing = || Page { data: Vec::new(), next_cursor: None, total: None };
    let (found, faults) = match (narrowing.codes(&state).await?, query.over()) {
        (Ok(codes), Some(over)) => {
            let (viewer, limit) = (by.visitor.viewer(), PageLimit::try_from(ENTRIES));
            let limit = limit.map_err(Problem::internal)?;
            let found = collection_progress::list_duplicates(
                &state, &by, viewer, &codes, over, after, limit,
            );
            (found.await?, Faults::none())
        }
        (Err(faults), _) => (nothing(), faults),
        (_, None) => (nothing(), Faults::one("over", collection_words::KEEP_FAULT)),
    };
    let next_path = found.next_cursor.as_deref().map(|cursor| query.path_at(Some(cursor)));
    let mut frame = Frame::new(collection_words::DUPLICATES).at(Place::Collection);
    frame.next.clone_from(&next_path);
    let status = if faults.is_empty() { PageStatus::OK } else { PageStatus::INVALID_QUERY };
    let page = DuplicatesPage {
        frame,
        section: Section::Counts,
        faults,
        games: games.choices(&query.game),
        over: if query.over.is_empty() { "1".to_owned() } else { query.over.clone() },
        most: MAX_QUANTITY,
        rows: found.data.iter().map(|found| Row::new(&games, found)).collect(),
        first_path: query.cursor.as_ref().map(|_| query.path_at(None)),
        next_path,
    };
    private(status, &page)
}
