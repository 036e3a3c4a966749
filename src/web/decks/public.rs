//! The list of public decks with its search, page by page.

use std::collections::BTreeMap;

use actix_web::{HttpRequest, HttpResponse, web};
use askama::Template;
use cardscape_engine::Game;
use serde::Deserialize;

use super::deck_path;
use super::formats::format_name;
use super::words as deck_words;
use crate::app::catalogue::codes::Codes;
use crate::app::decks::public_decks::{
    self, PublicDeckPage, PublicDeckRequest, PublicDeckResponse, require_cursor,
};
use crate::app::page::{Cursor, Page, PageLimit};
use crate::app::problem::{Problem, ProblemCode};
use crate::app::state::AppState;
use crate::domain::code::Code;
use crate::domain::decks::public::PublicDeckSort;
use crate::domain::network::Network;
use crate::http::extract::ClientNetwork;
use crate::memory::rendered::Freshness;
use crate::web::catalogue::{Piece, Warning, faults_of_query, game_path, pieces};
use crate::web::forms::Choice;
use crate::web::page::{ENTRIES, Frame, Place, Preview, answer, path_of, refused, write};
use crate::web::words;

/// The path of this page.
const PATH: &str = "/decks";

/// The query of the page, as the form sends it: fields without input are empty.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(in crate::web) struct SearchForm {
    q: String,
    game: String,
    sort: String,
    cursor: Option<Cursor>,
}

impl SearchForm {
    fn path_at(&self, cursor: Option<&str>) -> String {
        let fields = [
            ("q", self.q.as_str()),
            ("game", &self.game),
            ("sort", &self.sort),
            ("cursor", cursor.unwrap_or_default()),
        ];
        path_of(PATH, &fields)
    }

    /// Whether this is the first page of the list without search or filter.
    fn is_plain(&self) -> bool {
        self.cursor.is_none() && self.path_at(None) == PATH
    }

    fn request(&self) -> Result<PublicDeckRequest, Problem> {
        let unreadable = || Problem::of_query(Vec::new());
        let game = match self.game.as_str() {
            "" => None,
            code => Some(Code::try_from(code).map_err(|_| unreadable())?.lower_case()),
        };
        let sort = PublicDeckSort::ALL.into_iter().find(|sort| sort.as_str() == self.sort);
        if sort.is_none() && !self.sort.is_empty() {
            return Err(unreadable());
        }
        let (codes, text) = (Codes::of_game(game), self.q.clone());
        Ok(PublicDeckRequest { codes, text, sort: sort.unwrap_or_default() })
    }
}

#[derive(Template)]
#[template(path = "web/decks/public.html")]
struct PublicPage {
    frame: Frame,
    search_form: SearchForm,
    games: Vec<Choice>,
    sorts: Vec<Choice>,
    /// Why no search was made; empty: a search was made.
    refusals: Vec<String>,
    warnings: Vec<String>,
    marked: Vec<Piece>,
    decks: Vec<DeckRow>,
    first_path: Option<String>,
    next_path: Option<String>,
}

/// A public deck in a list.
pub(super) struct DeckRow {
    pub(super) name: String,
    pub(super) path: String,
    pub(super) author: String,
    pub(super) game: String,
    pub(super) game_path: String,
    pub(super) format: String,
    pub(super) cards: String,
    /// The formats in which it is legal, judged by the cards that everybody may see.
    pub(super) legal_in: String,
    pub(super) day: String,
    pub(super) at: String,
    pub(super) tags: Vec<String>,
}

impl DeckRow {
    pub(super) fn new(
        games: &BTreeMap<&str, &Game>,
        PublicDeckResponse { deck, author, published_at, legal_in, .. }: PublicDeckResponse,
    ) -> Self {
        let game = games.get(deck.game.as_str());
        let named = |format: &String| match game {
            Some(game) => format_name(game, format),
            None => format.clone(),
        };
        Self {
            path: deck_path(deck.id),
            author,
            game: game.map_or_else(|| deck.game.clone(), |game| game.name().to_owned()),
            game_path: game_path(&deck.game),
            format: named(&deck.format),
            cards: words::cards(deck.card_count),
            legal_in: match &legal_in[..] {
                [] => deck_words::LEGAL_NOWHERE.to_owned(),
                formats => {
                    let names: Vec<String> = formats.iter().map(named).collect();
                    deck_words::legal_in(&names)
                }
            },
            day: words::day_of(published_at),
            at: published_at.to_rfc3339(),
            tags: deck.tags,
            name: deck.name,
        }
    }
}

/// Lists public decks. The answer is the same for everybody, but must not be cached: a deck may become private at any moment.
pub(in crate::web) async fn list_decks(
    req: HttpRequest,
    state: web::Data<AppState>,
    network: ClientNetwork,
    search_form: web::Query<SearchForm>,
) -> Result<HttpResponse, Problem> {
    let page = page(&state, network.0, search_form.into_inner()).await?;
    let written = write(&page, Freshness::Public(0))?;
    Ok(if page.refusals.is_empty() { answer(&req, &written) } else { refused(&written) })
}

async fn page(
    app: &AppState,
    network: Network,
    search_form: SearchForm,
) -> Result<PublicPage, Problem> {
    let request = search_form.request()?;
    require_cursor(search_form.cursor.as_ref())?;
    let games = app.all_games().await?;
    let games: BTreeMap<&str, &Game> =
        games.iter().map(|loaded| (loaded.game.code(), &loaded.game)).collect();
    let (found, faults) = match list(app, network, request, search_form.cursor.as_ref()).await {
        Ok(found) => (found, Vec::new()),
        Err(problem) if problem.code() == ProblemCode::InvalidQuery => {
            let page = Page { data: Vec::new(), next_cursor: None, total: None };
            let none = PublicDeckPage { page, warnings: Vec::new() };
            (none, faults_of_query(&problem))
        }
        Err(problem) => return Err(problem),
    };
    Ok(PublicPage::new(app, search_form, &games, found, faults))
}

async fn list(
    app: &AppState,
    network: Network,
    request: PublicDeckRequest,
    cursor: Option<&Cursor>,
) -> Result<PublicDeckPage, Problem> {
    let limit = PageLimit::try_from(ENTRIES).map_err(Problem::internal)?;
    let query = request.check(app).await?;
    public_decks::list(app, network, query, cursor, limit).await
}

impl PublicPage {
    fn new(
        app: &AppState,
        search_form: SearchForm,
        games: &BTreeMap<&str, &Game>,
        PublicDeckPage { page, warnings }: PublicDeckPage,
        faults: Vec<Warning>,
    ) -> Self {
        let heading = match (faults.is_empty(), search_form.q.as_str()) {
            (false, query) => words::refused(query),
            (true, "") => deck_words::DECKS.to_owned(),
            (true, query) => query.to_owned(),
        };
        let mut frame = Frame::new(&heading).at(Place::Decks);
        if search_form.is_plain() {
            frame = frame.of_address(app.settings.public_url.as_deref(), PATH);
            frame.preview = Some(Preview {
                title: deck_words::DECKS.to_owned(),
                text: deck_words::PUBLIC_DECKS_ABOUT.to_owned(),
                picture: None,
            });
        }
        let next_path = page.next_cursor.as_deref().map(|cursor| search_form.path_at(Some(cursor)));
        frame.next.clone_from(&next_path);
        let warnings: Vec<Warning> = warnings.into_iter().map(Warning::from).collect();
        let text_of = |fault: &Warning| fault.text.clone();
        let marked = pieces(&search_form.q, if faults.is_empty() { &warnings } else { &faults });
        let is_marked = marked.iter().any(|piece| piece.is_marked);
        let choice = |value: &str, name: &str, chosen: &str| Choice {
            value: value.to_owned(),
            name: name.to_owned(),
            is_chosen: value.eq_ignore_ascii_case(chosen),
        };
        Self {
            frame,
            games: games
                .values()
                .map(|game| choice(game.code(), game.name(), &search_form.game))
                .collect(),
            // The default sort order is not written to the address.
            sorts: vec![
                choice("", deck_words::SORT_NEW, &search_form.sort),
                choice("updated", deck_words::SORT_UPDATED, &search_form.sort),
                choice("likes", deck_words::SORT_LIKES, &search_form.sort),
            ],
            refusals: faults.iter().map(text_of).collect(),
            warnings: warnings.iter().map(text_of).collect(),
            marked: if is_marked { marked } else { Vec::new() },
            decks: page.data.into_iter().map(|deck| DeckRow::new(games, deck)).collect(),
            first_path: search_form.cursor.as_ref().map(|_| search_form.path_at(None)),
            next_path,
            search_form,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_hold_the_query_and_no_empty_fields() {
        let search_form = SearchForm { q: "by:ada \"x\"".to_owned(), ..SearchForm::default() };
        assert_eq!(search_form.path_at(Some("abc")), "/decks?q=by%3Aada+%22x%22&cursor=abc");
        assert_eq!(SearchForm::default().path_at(None), "/decks");
        assert!(SearchForm::default().is_plain() && !search_form.is_plain());
    }

    #[test]
    fn unknown_sort_orders_are_refused() {
        let sorted =
            |sort: &str| SearchForm { sort: sort.to_owned(), ..SearchForm::default() }.request();
        assert_eq!(sorted("").ok().map(|request| request.sort), Some(PublicDeckSort::New));
        assert_eq!(
            sorted("updated").ok().map(|request| request.sort),
            Some(PublicDeckSort::Updated)
        );
        assert_eq!(sorted("likes").ok().map(|request| request.sort), Some(PublicDeckSort::Likes));
        assert!(sorted("best").is_err());
    }
}
