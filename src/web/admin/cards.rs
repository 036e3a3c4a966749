//! Finds cards to change, by the query language of the search. Hidden cards are included.

use std::collections::BTreeMap;

use actix_web::{HttpResponse, web};
use askama::Template;
use cardscape_engine::Game;
use serde::Deserialize;
use uuid::Uuid;

use super::catalogue_words;
use super::parts::{Area, Nav, game_choices, game_name, limit, status_of};
use super::words as admin_words;
use crate::app::answer_form::AnswerForm;
use crate::app::catalogue::card_list::{self, ListPage};
use crate::app::catalogue::card_query::{List, ListRequest};
use crate::app::page::Cursor;
use crate::app::problem::{Problem, ProblemCode};
use crate::app::state::AppState;
use crate::auth::permission::{Viewer, WriteCatalogue};
use crate::domain::network::Network;
use crate::http::extract::ClientNetwork;
use crate::search::CardFilter;
use crate::web::catalogue::{Warning, faults_of_query};
use crate::web::forms::{Choice, Faults, private};
use crate::web::page::{ENTRIES, Frame, Place, path_of};
use crate::web::session::Player;
use crate::web::words;

/// The path of this page.
const PATH: &str = "/admin/cards";

/// The page on which a card is changed.
pub(super) fn edit_path(id: Uuid) -> String {
    format!("{PATH}/{id}")
}

/// The query of the page, as the form sends it.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(in crate::web) struct CardsQuery {
    q: String,
    game: String,
    cursor: Option<Cursor>,
}

impl CardsQuery {
    fn path_at(&self, cursor: Option<&str>) -> String {
        let cursor = cursor.unwrap_or_default();
        path_of(PATH, &[("q", self.q.as_str()), ("game", &self.game), ("cursor", cursor)])
    }

    fn request(&self) -> ListRequest {
        let game = Some(self.game.clone()).filter(|game| !game.is_empty());
        let filter = CardFilter { game, ..CardFilter::default() };
        ListRequest { filter, text: self.q.clone(), ..ListRequest::default() }
    }
}

/// The fields of an API response with a page of cards that this page uses.
#[derive(Debug, Default, Deserialize)]
struct Found {
    data: Vec<FoundCard>,
    next_cursor: Option<String>,
    /// Warnings in the words of the pages; the API response has its own words for programs.
    #[serde(skip)]
    warnings: Vec<Warning>,
}

/// A card in the response.
#[derive(Debug, Deserialize)]
struct FoundCard {
    id: Uuid,
    game: String,
    set: String,
    number: String,
    hidden: bool,
    name: Option<String>,
}

#[derive(Template)]
#[template(path = "web/admin/cards.html")]
struct CardsPage {
    frame: Frame,
    nav: Nav,
    faults: Faults,
    q: String,
    games: Vec<Choice>,
    warnings: Vec<String>,
    cards: Vec<CardRow>,
    first_path: Option<String>,
    next_path: Option<String>,
}

/// A card in the list of this page.
struct CardRow {
    path: String,
    name: String,
    place: String,
    game: String,
    hidden: bool,
}

/// Lists cards as an admin sees them.
pub(in crate::web) async fn list_cards(
    state: web::Data<AppState>,
    by: Player<WriteCatalogue>,
    network: ClientNetwork,
    query: web::Query<CardsQuery>,
) -> Result<HttpResponse, Problem> {
    let query = query.into_inner();
    let viewer = Viewer::from(&by.granted);
    let (found, faults) = match list(&state, network.0, viewer, &query).await {
        Ok(found) => (found, Faults::none()),
        Err(problem) if problem.code() == ProblemCode::InvalidQuery => {
            let mut faults = Faults::none();
            for fault in faults_of_query(&problem) {
                faults.add("q", fault.text);
            }
            (Found::default(), faults)
        }
        Err(problem) => return Err(problem),
    };
    let games = state.all_games().await?;
    let games: BTreeMap<&str, &Game> =
        games.iter().map(|loaded| (loaded.game.code(), &loaded.game)).collect();
    let next_path = found.next_cursor.as_deref().map(|cursor| query.path_at(Some(cursor)));
    let mut frame = Frame::new(admin_words::CARDS).at(Place::Account);
    frame.next.clone_from(&next_path);
    let mut choices = vec![Choice::new("", words::ALL_GAMES, &query.game)];
    choices.extend(game_choices(&games, &query.game));
    let row = |card: FoundCard| CardRow {
        path: edit_path(card.id),
        place: words::place(&card.set, &card.number),
        game: game_name(&games, &card.game),
        name: card.name.unwrap_or_else(|| words::HIDDEN_CARD.to_owned()),
        hidden: card.hidden,
    };
    let page = CardsPage {
        frame,
        nav: Nav::new(by.role(), Area::Cards),
        games: choices,
        warnings: found.warnings.into_iter().map(|warning| warning.text).collect(),
        cards: found.data.into_iter().map(row).collect(),
        first_path: query.cursor.as_ref().map(|_| query.path_at(None)),
        next_path,
        q: query.q,
        faults,
    };
    private(status_of(&page.faults), &page)
}

async fn list(
    app: &AppState,
    network: Network,
    viewer: Viewer,
    query: &CardsQuery,
) -> Result<Found, Problem> {
    let cursor = query.cursor.as_ref();
    cursor.map(List::require_cursor).transpose()?;
    let page = ListPage { cursor, limit: limit(ENTRIES)?, total: false, members: None };
    let list = query.request().check(app).await?;
    let listed = card_list::list(app, network, viewer, AnswerForm::Json, list, page).await?;
    let found = serde_json::from_slice(listed.answer.body()).map_err(Problem::internal)?;
    let warnings = listed.warnings.into_iter().map(Warning::from).collect();
    Ok(Found { warnings, ..found })
}
