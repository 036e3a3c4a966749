//! The gallery of shared designs with its search, page by page.

use std::collections::BTreeMap;

use actix_web::{HttpRequest, HttpResponse, web};
use askama::Template;
use cardscape_engine::Game;
use serde::Deserialize;

use super::tiles::DesignTile;
use super::words as design_words;
use crate::app::catalogue::card_query::has_alternatives;
use crate::app::catalogue::codes::Codes;
use crate::app::designs::design_facets;
use crate::app::designs::gallery::{self, GalleryPage, GalleryRequest, require_cursor};
use crate::app::page::{Cursor, Page, PageLimit};
use crate::app::problem::{Problem, ProblemCode};
use crate::app::state::AppState;
use crate::domain::code::Code;
use crate::domain::designs::gallery::GallerySort;
use crate::domain::network::Network;
use crate::http::extract::ClientNetwork;
use crate::memory::rendered::Freshness;
use crate::web::catalogue::{
    Narrowing, Piece, Warning, design_narrowings, faults_of_query, pieces,
};
use crate::web::forms::Choice;
use crate::web::page::{ENTRIES, Frame, Place, Preview, answer, path_of, refused, write};
use crate::web::words;

/// The path of this page.
const PATH: &str = "/designs";

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

    /// The path of the same search with one more term.
    fn path_with(&self, term: &str) -> String {
        let q = match self.q.trim() {
            "" => term.to_owned(),
            // Without parentheses, the term would belong to the last alternative only.
            q if has_alternatives(q) => format!("({q}) {term}"),
            q => format!("{q} {term}"),
        };
        Self { q, cursor: None, ..self.clone() }.path_at(None)
    }

    fn of_game(&self, game: &str) -> String {
        Self { game: game.to_owned(), cursor: None, ..self.clone() }.path_at(None)
    }

    /// Whether this is the first page of the list without search or filter.
    fn is_plain(&self) -> bool {
        self.cursor.is_none() && self.path_at(None) == PATH
    }

    fn game(&self) -> Result<Option<Code>, Problem> {
        if self.game.is_empty() {
            return Ok(None);
        }
        let code = Code::try_from(self.game.as_str());
        code.map(|code| Some(code.lower_case())).map_err(|_| Problem::of_query(Vec::new()))
    }

    fn request(&self, game: Option<&Code>) -> Result<GalleryRequest, Problem> {
        let sort = GallerySort::ALL.into_iter().find(|sort| sort.as_str() == self.sort);
        if sort.is_none() && !self.sort.is_empty() {
            return Err(Problem::of_query(Vec::new()));
        }
        Ok(GalleryRequest {
            codes: Codes::of_game(game.cloned()),
            text: self.q.clone(),
            sort: sort.unwrap_or_default(),
            ..GalleryRequest::default()
        })
    }
}

#[derive(Template)]
#[template(path = "web/designs/gallery.html")]
struct Gallery {
    frame: Frame,
    search_form: SearchForm,
    games: Vec<Choice>,
    sorts: Vec<Choice>,
    /// Why no search was made; empty: a search was made.
    refusals: Vec<String>,
    warnings: Vec<String>,
    marked: Vec<Piece>,
    tiles: Vec<DesignTile>,
    first_path: Option<String>,
    next_path: Option<String>,
    /// Links that limit the same search to one game, if all games are searched.
    game_links: Vec<Choice>,
    narrowings: Vec<Narrowing>,
    /// Whether facets are missing because the service was too busy to count them.
    lacks_facets: bool,
}

/// Lists shared designs. The answer is the same for everybody, but must not be cached: a design may be withdrawn at any moment.
pub(in crate::web) async fn list_designs(
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
) -> Result<Gallery, Problem> {
    let game = search_form.game()?;
    let request = search_form.request(game.as_ref())?;
    require_cursor(search_form.cursor.as_ref())?;
    let games = app.all_games().await?;
    let games: BTreeMap<&str, &Game> =
        games.iter().map(|loaded| (loaded.game.code(), &loaded.game)).collect();
    let (found, faults) = match list(app, network, request, search_form.cursor.as_ref()).await {
        Ok(found) => (found, Vec::new()),
        Err(problem) if problem.code() == ProblemCode::InvalidQuery => {
            let page = Page { data: Vec::new(), next_cursor: None, total: None };
            (GalleryPage { page, warnings: Vec::new() }, faults_of_query(&problem))
        }
        Err(problem) => return Err(problem),
    };
    // Counted after the list: a page runs one search at a time, like a request of the API.
    let narrowings = match &game {
        Some(game) if faults.is_empty() => find_narrowings(app, network, game, &search_form).await,
        _ => Some(Vec::new()),
    };
    Ok(Gallery::new(app, search_form, &games, found, &faults, narrowings))
}

async fn list(
    app: &AppState,
    network: Network,
    request: GalleryRequest,
    cursor: Option<&Cursor>,
) -> Result<GalleryPage, Problem> {
    let limit = PageLimit::try_from(ENTRIES).map_err(Problem::internal)?;
    let gallery = request.check(app).await?;
    gallery::list(app, network, gallery, cursor, limit).await
}

/// The facets of the search in one game; `None`: they could not be counted. Then the page shows the list without them.
async fn find_narrowings(
    app: &AppState,
    network: Network,
    game: &Code,
    search_form: &SearchForm,
) -> Option<Vec<Narrowing>> {
    let counted = design_facets::count(app, network, game, &search_form.q).await;
    let path_with = |term: &str| search_form.path_with(term);
    match counted.and_then(|counted| design_narrowings(&path_with, &counted)) {
        Ok(narrowings) => Some(narrowings),
        // The game does not exist, so it has no facets.
        Err(problem)
            if matches!(problem.code(), ProblemCode::InvalidQuery | ProblemCode::NotFound) =>
        {
            Some(Vec::new())
        }
        Err(problem) => {
            tracing::warn!(%problem, %game, "a page of the gallery is shown without facets");
            None
        }
    }
}

impl Gallery {
    fn new(
        app: &AppState,
        search_form: SearchForm,
        games: &BTreeMap<&str, &Game>,
        GalleryPage { page, warnings }: GalleryPage,
        faults: &[Warning],
        narrowings: Option<Vec<Narrowing>>,
    ) -> Self {
        let heading = match (faults.is_empty(), search_form.q.as_str()) {
            (false, query) => words::refused(query),
            (true, "") => design_words::DESIGNS.to_owned(),
            (true, query) => query.to_owned(),
        };
        let mut frame = Frame::new(&heading).at(Place::Designs);
        if search_form.is_plain() {
            frame = frame.of_address(app.settings.public_url.as_deref(), PATH);
            frame.preview = Some(Preview {
                title: design_words::DESIGNS.to_owned(),
                text: design_words::GALLERY_ABOUT.to_owned(),
                picture: None,
            });
        }
        let next_path = page.next_cursor.as_deref().map(|cursor| search_form.path_at(Some(cursor)));
        frame.next.clone_from(&next_path);
        let warnings: Vec<Warning> = warnings.into_iter().map(Warning::from).collect();
        let text_of = |fault: &Warning| fault.text.clone();
        let marked = pieces(&search_form.q, if faults.is_empty() { &warnings } else { faults });
        let is_marked = marked.iter().any(|piece| piece.is_marked);
        let tile = |design: crate::app::designs::design_lists::DesignSummaryResponse| {
            DesignTile::new(games.get(design.game.as_str()).copied(), design)
        };
        Self {
            frame,
            games: games
                .values()
                .map(|game| Choice {
                    value: game.code().to_owned(),
                    name: game.name().to_owned(),
                    is_chosen: search_form.game.eq_ignore_ascii_case(game.code()),
                })
                .collect(),
            sorts: GallerySort::ALL
                .into_iter()
                .map(|sort| Choice {
                    // The default sort order is not written to the address.
                    value: if sort == GallerySort::default() {
                        String::new()
                    } else {
                        sort.as_str().to_owned()
                    },
                    name: design_words::sort(sort).to_owned(),
                    is_chosen: sort.as_str() == search_form.sort,
                })
                .collect(),
            refusals: faults.iter().map(text_of).collect(),
            warnings: warnings.iter().map(text_of).collect(),
            marked: if is_marked { marked } else { Vec::new() },
            tiles: page.data.into_iter().map(tile).collect(),
            first_path: search_form.cursor.as_ref().map(|_| search_form.path_at(None)),
            next_path,
            game_links: if search_form.game.is_empty() && faults.is_empty() {
                games
                    .values()
                    .map(|game| Choice {
                        value: search_form.of_game(game.code()),
                        name: game.name().to_owned(),
                        is_chosen: false,
                    })
                    .collect()
            } else {
                Vec::new()
            },
            lacks_facets: narrowings.is_none(),
            narrowings: narrowings.unwrap_or_default(),
            search_form,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_term_is_added_to_all_alternatives() {
        let search_form = |q: &str| SearchForm { q: q.to_owned(), ..SearchForm::default() };
        assert_eq!(search_form("").path_with("kind:unit"), "/designs?q=kind%3Aunit");
        assert_eq!(search_form("owl").path_with("x:y"), "/designs?q=owl+x%3Ay");
        assert_eq!(search_form("a or b").path_with("x:y"), "/designs?q=%28a+or+b%29+x%3Ay");
        let of_attribute = search_form("my-motto:/(a|b)/ or c").path_with("x:y");
        assert_eq!(of_attribute, "/designs?q=%28my-motto%3A%2F%28a%7Cb%29%2F+or+c%29+x%3Ay");
    }

    #[test]
    fn unknown_sort_orders_are_refused() {
        let sorted = |sort: &str| {
            SearchForm { sort: sort.to_owned(), ..SearchForm::default() }.request(None)
        };
        assert_eq!(sorted("rating").ok().map(|request| request.sort), Some(GallerySort::Rating));
        assert!(sorted("likes").is_err());
    }
}
