//! The completion of the sets of a game.

use actix_web::{HttpResponse, web};
use askama::Template;

use super::words as collection_words;
use crate::app::catalogue::codes::Codes;
use crate::app::collection::collection_progress::{
    self, CodedPartResponse, PartResponse, SetCompletionResponse,
};
use crate::app::collection::counts::{self, EntrySelection};
use crate::app::page::PageLimit;
use crate::app::problem::Problem;
use crate::app::state::AppState;
use crate::auth::permission::{Granted, ReadOwnCollection, Viewer};
use crate::domain::code::Code;
use crate::web::copies::{Games, Narrowing, Section};
use crate::web::forms::{Choice, Faults, private};
use crate::web::page::{Frame, Place};
use crate::web::page_status::PageStatus;
use crate::web::session::Player;
use crate::web::words;

#[derive(Template)]
#[template(path = "web/collection/progress.html")]
struct ProgressPage {
    frame: Frame,
    section: Section,
    faults: Faults,
    games: Vec<Choice>,
    sets: Vec<SetView>,
}

struct SetView {
    name: String,
    path: String,
    cards: PartView,
    printings: PartView,
    rarities: Vec<PartView>,
}

/// A number of owned cards out of a total.
struct PartView {
    name: String,
    owned: i64,
    total: i64,
    text: String,
}

impl PartView {
    fn new(name: String, part: &PartResponse) -> Self {
        let text = collection_words::part(part.owned, part.total);
        // A progress bar needs a maximum above 0, even if there are no cards.
        Self { name, owned: part.owned, total: part.total.max(1), text }
    }
}

impl SetView {
    fn new(games: &Games, game: &str, set: SetCompletionResponse) -> Self {
        let rarity = |rarity: &CodedPartResponse| {
            PartView::new(games.rarity(game, &rarity.code), &rarity.part)
        };
        Self {
            path: format!("/sets/{game}/{}", set.set),
            cards: PartView::new(collection_words::CARDS.to_owned(), &set.cards),
            printings: PartView::new(collection_words::PRINTINGS.to_owned(), &set.printings),
            rarities: set.rarities.iter().map(rarity).collect(),
            name: set.name,
        }
    }
}

/// A game in which the reader has counted cards, or else the first game.
async fn game_of(
    app: &AppState,
    by: &Granted<ReadOwnCollection>,
    viewer: Viewer,
    games: &Games,
) -> Result<String, Problem> {
    let one = PageLimit::try_from(1).map_err(Problem::internal)?;
    let all = EntrySelection { codes: Codes::default(), card: None, with_total: false };
    let found = counts::list(app, by, viewer, &all, None, one).await?;
    let game = found.data.into_iter().next().map(|entry| entry.card.game);
    Ok(game.or_else(|| games.first().map(str::to_owned)).unwrap_or_default())
}

/// Shows the completion of the sets of a game in which the reader has cards. Without a game in the query, chooses one that the reader has counted.
pub(in crate::web) async fn find_progress(
    state: web::Data<AppState>,
    by: Player<ReadOwnCollection>,
    query: web::Query<Narrowing>,
) -> Result<HttpResponse, Problem> {
    let games = Games::read(&state).await?;
    let viewer = by.visitor.viewer();
    let game = match query.game.trim() {
        "" => game_of(&state, &by, viewer, &games).await?,
        game => game.to_owned(),
    };
    let narrowing = Narrowing { game, ..Narrowing::default() };
    let (status, sets, faults) = match narrowing.codes(&state).await? {
        Ok(codes) => {
            let found = collection_progress::find_completion(&state, &by, viewer, &codes).await?;
            let game = codes.game.map(Code::into_string).unwrap_or_default();
            let sets = found.data.into_iter().map(|set| SetView::new(&games, &game, set));
            (PageStatus::OK, sets.collect(), Faults::none())
        }
        Err(faults) => (PageStatus::INVALID_QUERY, Vec::new(), faults),
    };
    let page = ProgressPage {
        frame: Frame::new(collection_words::PROGRESS).at(Place::Collection),
        section: Section::Counts,
        faults,
        games: games.choices(&narrowing.game),
        sets,
    };
    private(status, &page)
}
