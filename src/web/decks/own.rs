//! The visitor's own decks by folder, and the deleted ones.

use std::collections::BTreeMap;

use actix_web::{HttpResponse, web};
use askama::Template;
use cardscape_engine::Game;
use serde::Deserialize;

use super::deck_path;
use super::formats::format_name;
use super::words as deck_words;
use crate::app::catalogue::codes::Codes;
use crate::app::decks::deck_lists::{self, DeckListRequest, OwnDeckConditions};
use crate::app::decks::deck_responses::DeckSummaryResponse;
use crate::app::decks::own_decks::OwnDeckCursor;
use crate::app::page::{Cursor, MAX_LIMIT, PageLimit};
use crate::app::problem::{InputFault, Problem};
use crate::app::state::AppState;
use crate::app::words::Word as _;
use crate::auth::permission::{Granted, ReadOwnDecks};
use crate::domain::decks::details::DeckFolder;
use crate::domain::decks::own::OwnDeckSort;
use crate::web::catalogue::game_path;
use crate::web::forms::{Choice, Faults, private};
use crate::web::page::{Frame, Place, path_of};
use crate::web::page_status::PageStatus;
use crate::web::session::Player;
use crate::web::words;

/// The path of this page.
const PATH: &str = "/my/decks";

/// The query of the page.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(in crate::web) struct OwnQuery {
    /// Empty: decks of all folders.
    folder: String,
    /// Lists the deleted decks instead of the others.
    deleted: bool,
    /// Empty: the default order.
    sort: String,
    cursor: Option<Cursor>,
}

impl OwnQuery {
    fn path_at(&self, cursor: Option<&str>) -> String {
        let deleted = if self.deleted { "true" } else { "" };
        let cursor = cursor.unwrap_or_default();
        let fields = [
            ("folder", self.folder.as_str()),
            ("deleted", deleted),
            ("sort", &self.sort),
            ("cursor", cursor),
        ];
        path_of(PATH, &fields)
    }

    /// The path of the first page in the same order, for another folder.
    fn path_of_folder(&self, folder: &str) -> String {
        let (folder, sort) = (folder.to_owned(), self.sort.clone());
        Self { folder, sort, ..Self::default() }.path_at(None)
    }

    /// A link to the same list in each order. The default order is not written to the address.
    fn sorts(&self) -> Vec<Choice> {
        let choice = |(sort, name): (&str, &str)| Choice {
            value: Self { sort: sort.to_owned(), ..self.clone() }.path_at(None),
            name: name.to_owned(),
            is_chosen: sort == self.sort,
        };
        deck_words::OWN_SORTS.map(choice).into()
    }
}

#[derive(Template)]
#[template(path = "web/decks/own.html")]
struct OwnPage {
    frame: Frame,
    faults: Faults,
    heading: &'static str,
    is_deleted: bool,
    folders: Vec<FolderLink>,
    all_path: String,
    sorts: Vec<Choice>,
    groups: Vec<FolderGroup>,
    first_path: Option<String>,
    next_path: Option<String>,
}

/// A link to the decks of a folder.
struct FolderLink {
    name: String,
    path: String,
    decks: i64,
    is_chosen: bool,
}

/// The decks of a page that belong to one folder.
struct FolderGroup {
    name: String,
    decks: Vec<OwnRow>,
}

/// An own deck in a list.
struct OwnRow {
    name: String,
    path: String,
    game: String,
    game_path: String,
    format: String,
    cards: String,
    visibility: String,
    day: String,
    at: String,
    /// The label of the button that restores it.
    undelete: String,
}

/// Shows the visitor's own decks.
pub(in crate::web) async fn list_own_decks(
    state: web::Data<AppState>,
    by: Player<ReadOwnDecks>,
    query: web::Query<OwnQuery>,
) -> Result<HttpResponse, Problem> {
    show(&state, &by, PageStatus::OK, query.into_inner(), Faults::none()).await
}

/// Shows the deleted decks, with the fault of a refused restore.
pub(super) async fn show_deleted(
    app: &AppState,
    by: &Granted<ReadOwnDecks>,
    status: PageStatus,
    faults: Faults,
) -> Result<HttpResponse, Problem> {
    let query = OwnQuery { deleted: true, ..OwnQuery::default() };
    show(app, by, status, query, faults).await
}

async fn show(
    app: &AppState,
    by: &Granted<ReadOwnDecks>,
    status: PageStatus,
    query: OwnQuery,
    faults: Faults,
) -> Result<HttpResponse, Problem> {
    let folder = Some(query.folder.as_str()).filter(|name| !name.is_empty());
    let folder = folder.map(DeckFolder::parse_filter).transpose();
    let folder =
        folder.map_err(|error| Problem::of_query(vec![InputFault::at("?folder", error)]))?;
    let sort = Some(query.sort.as_str()).filter(|sort| !sort.is_empty());
    let sort = sort.map(OwnDeckSort::read).transpose();
    let sort = sort.map_err(|error| Problem::of_query(vec![InputFault::at("?sort", error)]))?;
    let sort = sort.unwrap_or_default();
    let cursor = OwnDeckCursor::read(query.cursor.as_ref())?;
    let after = cursor.map(|cursor| cursor.position(sort)).transpose()?;
    let limit = PageLimit::try_from(MAX_LIMIT).map_err(Problem::internal)?;
    let (codes, deleted) = (Codes::default(), query.deleted);
    let conditions = OwnDeckConditions { folder, ..OwnDeckConditions::default() };
    let request = DeckListRequest { codes: &codes, conditions, deleted, sort, after, limit };
    let found = deck_lists::list(app, by, &request).await?;
    let folders = deck_lists::list_folders(app, by).await?;
    let games = app.all_games().await?;
    let games: BTreeMap<&str, &Game> =
        games.iter().map(|loaded| (loaded.game.code(), &loaded.game)).collect();
    let heading = if deleted { deck_words::DELETED_DECKS } else { deck_words::MY_DECKS };
    let mut frame = Frame::new(heading).at(Place::Decks);
    let next_path = found.next_cursor.as_deref().map(|cursor| query.path_at(Some(cursor)));
    frame.next.clone_from(&next_path);
    let page = OwnPage {
        frame,
        faults,
        heading,
        is_deleted: deleted,
        folders: folders
            .data
            .into_iter()
            .filter_map(|folder| Some((folder.name?, folder.decks)))
            .map(|(name, decks)| FolderLink {
                is_chosen: name == query.folder,
                path: query.path_of_folder(&name),
                name,
                decks,
            })
            .collect(),
        all_path: query.path_of_folder(""),
        sorts: query.sorts(),
        groups: groups(&games, found.data),
        first_path: query.cursor.as_ref().map(|_| query.path_at(None)),
        next_path,
    };
    private(status, &page)
}

/// Groups the decks by folder; decks without a folder come last.
fn groups(games: &BTreeMap<&str, &Game>, decks: Vec<DeckSummaryResponse>) -> Vec<FolderGroup> {
    let mut groups: BTreeMap<String, Vec<OwnRow>> = BTreeMap::new();
    let mut rest = Vec::new();
    for mut deck in decks {
        match deck.folder.take() {
            Some(folder) => groups.entry(folder).or_default().push(row(games, deck)),
            None => rest.push(row(games, deck)),
        }
    }
    let mut groups: Vec<FolderGroup> =
        groups.into_iter().map(|(name, decks)| FolderGroup { name, decks }).collect();
    if !rest.is_empty() {
        groups.push(FolderGroup { name: deck_words::NO_FOLDER.to_owned(), decks: rest });
    }
    groups
}

fn row(games: &BTreeMap<&str, &Game>, deck: DeckSummaryResponse) -> OwnRow {
    let game = games.get(deck.game.as_str());
    let at = deck.deleted_at.unwrap_or(deck.updated_at);
    OwnRow {
        path: deck_path(deck.id),
        game: game.map_or_else(|| deck.game.clone(), |game| game.name().to_owned()),
        game_path: game_path(&deck.game),
        format: game.map_or_else(|| deck.format.clone(), |game| format_name(game, &deck.format)),
        cards: words::cards(deck.card_count),
        visibility: match deck.takedown {
            Some(_) => deck_words::TAKEN_DOWN.to_owned(),
            None => deck_words::visibility(deck.visibility),
        },
        day: words::day_of(at),
        at: at.to_rfc3339(),
        undelete: deck_words::undelete_of(&deck.name),
        name: deck.name,
    }
}
