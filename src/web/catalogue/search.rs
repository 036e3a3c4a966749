//! The search page: the query, the results as pictures, list or text, and the facets.

use actix_web::{HttpRequest, HttpResponse, web};
use askama::Template;
use cardscape_engine::Game;
use serde::Deserialize;

use super::answers::{Cards, Facets, Warning, read};
use super::facets::{Narrowing, narrowings};
use super::field_words;
use super::lists::{Part, list};
use super::marks::{Piece, pieces};
use super::results::{FORMS, Results, is_form};
use super::search_help::{Hint, hints};
use crate::app::catalogue::card_query::{ListRequest, games_to_choose, has_alternatives};
use crate::app::catalogue::facets;
use crate::app::fault_reason::FaultReason;
use crate::app::page::Cursor;
use crate::app::problem::{InputFault, Problem, ProblemCode};
use crate::app::state::AppState;
use crate::auth::permission::Viewer;
use crate::domain::code::Code;
use crate::domain::network::Network;
use crate::http::extract::ClientNetwork;
use crate::memory::rendered::Freshness;
use crate::search::{CardFilter, card_fields, sort_key};
use crate::web::fault_words;
use crate::web::forms::Choice;
use crate::web::page::{ENTRIES, Frame, LIVE, Place, answer, path_of, refused, write};
use crate::web::words;

/// The query of the page, as the form sends it: fields without input are empty.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(in crate::web) struct SearchForm {
    q: String,
    game: String,
    sort: String,
    order: String,
    #[serde(rename = "as")]
    form: String,
    cursor: Option<Cursor>,
}

impl SearchForm {
    /// The same search from its first page, prepared for one more term: in parentheses if needed, with a space at the end.
    pub(super) fn to_be_narrowed(&self) -> Self {
        let q = match self.q.trim() {
            "" => String::new(),
            q if has_alternatives(q) => format!("({q}) "),
            q => format!("{q} "),
        };
        Self { q, cursor: None, ..self.clone() }
    }

    /// The path of this search with a term at the end.
    pub(super) fn path_with(&self, term: &str) -> String {
        Self { q: format!("{}{term}", self.q), ..self.clone() }.path()
    }

    fn of_game(&self, game: &str) -> Self {
        Self { game: game.to_owned(), sort: String::new(), cursor: None, ..self.clone() }
    }

    fn shown_as(&self, form: &str) -> Self {
        Self { form: form.to_owned(), ..self.clone() }
    }

    /// The path without the cursor.
    pub(super) fn path(&self) -> String {
        self.path_at(None)
    }

    fn path_at(&self, cursor: Option<&str>) -> String {
        let fields = [
            ("q", self.q.as_str()),
            ("game", &self.game),
            ("sort", &self.sort),
            ("order", &self.order),
            ("as", &self.form),
            ("cursor", cursor.unwrap_or_default()),
        ];
        path_of("/search", &fields)
    }

    /// The game of the query; `None`: all games.
    fn game(&self) -> Result<Option<Code>, Problem> {
        if self.game.is_empty() {
            return Ok(None);
        }
        let code = Code::try_from(self.game.as_str());
        code.map(|code| Some(code.lower_case())).map_err(|_| Problem::of_query(Vec::new()))
    }

    fn request(&self, game: Option<&Code>) -> Result<ListRequest, Problem> {
        let descending = match self.order.as_str() {
            "" => None,
            ASCENDING => Some(false),
            DESCENDING => Some(true),
            _ => return Err(Problem::of_query(Vec::new())),
        };
        if !is_form(&self.form) {
            return Err(Problem::of_query(Vec::new()));
        }
        let filter = CardFilter { game: game.map(ToString::to_string), ..CardFilter::default() };
        Ok(ListRequest {
            filter,
            text: self.q.clone(),
            sort: Some(self.sort.clone()).filter(|sort| !sort.is_empty()),
            descending,
            unique: None,
        })
    }
}

const ASCENDING: &str = "asc";
const DESCENDING: &str = "desc";

#[derive(Template)]
#[template(path = "web/catalogue/search.html")]
struct SearchPage {
    frame: Frame,
    search_form: SearchForm,
    /// Names of fields, shown as hints while the visitor types.
    hints: &'static [Hint],
    games: Vec<Choice>,
    sorts: Vec<Choice>,
    orders: Vec<Choice>,
    /// Why no search was made; empty: a search was made.
    refusals: Vec<String>,
    /// The parts of the query that were ignored.
    warnings: Vec<String>,
    /// The query with its refused and ignored parts marked; empty: there are none.
    marked: Vec<Piece>,
    found: String,
    results: Results,
    /// Links to the same search in each form.
    forms: Vec<Choice>,
    first_path: Option<String>,
    next_path: Option<String>,
    /// Links that limit the same search to one game, if all games are searched: games in which it can find cards.
    game_links: Vec<Choice>,
    narrowings: Vec<Narrowing>,
    /// Whether facets are missing because the service was too busy to count them.
    lacks_facets: bool,
}

/// Searches cards.
pub(in crate::web) async fn find_cards(
    req: HttpRequest,
    state: web::Data<AppState>,
    network: ClientNetwork,
    search_form: web::Query<SearchForm>,
) -> Result<HttpResponse, Problem> {
    let page = page(&state, network.0, search_form.into_inner()).await?;
    // The same request may get the facets a moment later, so the answer without them is not cached.
    let freshness = if page.lacks_facets { Freshness::Never } else { LIVE };
    let written = write(&page, freshness)?;
    Ok(if page.refusals.is_empty() { answer(&req, &written) } else { refused(&written) })
}

async fn page(
    app: &AppState,
    network: Network,
    search_form: SearchForm,
) -> Result<SearchPage, Problem> {
    let game = search_form.game()?;
    let request = search_form.request(game.as_ref())?;
    let part = Part { cursor: search_form.cursor.as_ref(), limit: ENTRIES, total: true };
    let games = app.all_games().await?;
    let games: Vec<&Game> = games.iter().map(|loaded| &loaded.game).collect();
    let (found, faults) = match list(app, network, request, part).await {
        Ok(found) => (found, None),
        Err(problem) if problem.code() == ProblemCode::InvalidQuery => {
            let nothing = Cards {
                data: Vec::new(),
                next_cursor: None,
                total: None,
                total_is_exact: None,
                warnings: Vec::new(),
            };
            (nothing, Some(faults_of(&problem)))
        }
        Err(problem) => return Err(problem),
    };
    // Counted after the list: a page runs one search at a time, like a request of the API.
    let facets = match &game {
        Some(game) if faults.is_none() => facets_of(app, network, game, &search_form.q).await,
        _ => FoundFacets::None,
    };
    let game_links = match &game {
        None if faults.is_none() => {
            let codes = games_to_choose(app, &search_form.q).await?;
            game_links(&search_form, &games, &codes)
        }
        _ => Vec::new(),
    };
    let page = SearchPage::new(search_form, &games, found, faults, facets);
    Ok(SearchPage { game_links, ..page })
}

/// The facets of the found cards.
enum FoundFacets {
    /// There is no game or nothing to count.
    None,
    Counted(Facets),
    /// The service was too busy to count them.
    Missing,
}

/// The facets of the search in one game. If they cannot be counted, the page shows the list without them.
async fn facets_of(app: &AppState, network: Network, game: &Code, query: &str) -> FoundFacets {
    let found = facets::count(app, network, Viewer::stranger(), game, None, query).await;
    match found.and_then(|found| read(&found)) {
        Ok(facets) => FoundFacets::Counted(facets),
        // The game does not exist, or the query is valid for lists only.
        Err(problem)
            if matches!(problem.code(), ProblemCode::InvalidQuery | ProblemCode::NotFound) =>
        {
            FoundFacets::None
        }
        Err(problem) => {
            tracing::warn!(%problem, %game, "a search page is shown without facets");
            FoundFacets::Missing
        }
    }
}

/// The faults of a refused query.
pub(in crate::web) fn faults_of(problem: &Problem) -> Vec<Warning> {
    let text_of = |fault: &InputFault| match &fault.reason {
        FaultReason::Query(warning) => Warning::from((**warning).clone()),
        // A fault that is not about the query, for example an unknown game.
        other => Warning { position: 0, length: 0, text: fault_words::reason(other).into_owned() },
    };
    problem.errors.iter().map(text_of).collect()
}

impl SearchPage {
    fn new(
        search_form: SearchForm,
        games: &[&Game],
        found: Cards,
        faults: Option<Vec<Warning>>,
        facets: FoundFacets,
    ) -> Self {
        let heading = match &faults {
            // The title comes first when a screen reader reads the page.
            Some(_) => words::refused(&search_form.q),
            None if search_form.q.is_empty() => words::SEARCH_TITLE.to_owned(),
            None => search_form.q.clone(),
        };
        let mut frame = Frame::new(&heading).at(Place::Search);
        let next_path =
            found.next_cursor.as_deref().map(|cursor| search_form.path_at(Some(cursor)));
        frame.next.clone_from(&next_path);
        let text_of = |fault: &Warning| fault.text.clone();
        let refusals: Vec<String> = faults.iter().flatten().map(text_of).collect();
        let shown = faults.as_deref().unwrap_or(&found.warnings);
        let marked = pieces(&search_form.q, shown);
        let is_marked = marked.iter().any(|piece| piece.is_marked);
        let are_printings = found.data.iter().any(|card| card.printing.is_some());
        let is_exact = found.total_is_exact.unwrap_or(true);
        let count = found.total.map(|total| words::found(total, is_exact, are_printings));
        Self {
            frame,
            hints: hints(),
            games: games
                .iter()
                .map(|game| Choice {
                    value: game.code().to_owned(),
                    name: game.name().to_owned(),
                    is_chosen: search_form.game.eq_ignore_ascii_case(game.code()),
                })
                .collect(),
            sorts: sorts(&search_form, games),
            orders: orders(&search_form),
            refusals,
            warnings: found.warnings.iter().map(text_of).collect(),
            marked: if is_marked { marked } else { Vec::new() },
            found: count.unwrap_or_default(),
            results: Results::of(&search_form.form, games, &found.data),
            forms: FORMS
                .into_iter()
                .map(|(form, name)| {
                    let cursor = search_form.cursor.as_ref().map(Cursor::as_str);
                    Choice {
                        value: search_form.shown_as(form).path_at(cursor),
                        name: name.to_owned(),
                        is_chosen: search_form.form == form,
                    }
                })
                .collect(),
            first_path: search_form.cursor.as_ref().map(|_| search_form.path()),
            next_path,
            game_links: Vec::new(),
            lacks_facets: matches!(facets, FoundFacets::Missing),
            narrowings: match facets {
                FoundFacets::Counted(facets) => {
                    let beginning = search_form.to_be_narrowed();
                    let path_with = |term: &str| beginning.path_with(term);
                    narrowings(&path_with, exact_total(&found), facets)
                }
                FoundFacets::None | FoundFacets::Missing => Vec::new(),
            },
            search_form,
        }
    }
}

/// Links to the same search in each of the games with these codes.
fn game_links(search_form: &SearchForm, games: &[&Game], codes: &[String]) -> Vec<Choice> {
    let chosen = games.iter().filter(|game| codes.iter().any(|code| code == game.code()));
    let link = |game: &&Game| Choice {
        value: search_form.of_game(game.code()).path(),
        name: game.name().to_owned(),
        is_chosen: false,
    };
    chosen.map(link).collect()
}

/// The number of cards that a search finds, if all were counted.
fn exact_total(found: &Cards) -> Option<i64> {
    found.total.filter(|_| found.total_is_exact != Some(false))
}

/// The sort fields of the game, or of all games.
fn sorts(search_form: &SearchForm, games: &[&Game]) -> Vec<Choice> {
    let chosen: Vec<&Game> = games
        .iter()
        .copied()
        .filter(|game| search_form.game.eq_ignore_ascii_case(game.code()))
        .collect();
    let scope = if chosen.is_empty() { games } else { &chosen };
    let fields = card_fields().filter(|field| field.is_sortable && field.name != "set");
    fields
        .filter(|field| sort_key(field.name, scope).is_ok())
        .map(|field| Choice {
            value: field.name.to_owned(),
            name: field_words::name(field.name),
            is_chosen: search_form.sort == field.name,
        })
        .collect()
}

fn orders(search_form: &SearchForm) -> Vec<Choice> {
    let order = |value: &str, name: &str| Choice {
        value: value.to_owned(),
        name: name.to_owned(),
        is_chosen: search_form.order == value,
    };
    // The `order` of the form overrides `order:` in the query, so an untouched form must send none.
    vec![
        order("", words::AS_THE_QUERY_SAYS),
        order(ASCENDING, words::ASCENDING),
        order(DESCENDING, words::DESCENDING),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_hold_the_query_and_no_empty_fields() {
        let search_form =
            SearchForm { q: "t:fire \"><script>".to_owned(), ..SearchForm::default() };
        assert_eq!(search_form.path(), "/search?q=t%3Afire+%22%3E%3Cscript%3E");
        assert_eq!(SearchForm::default().path(), "/search");
        let listed = search_form.of_game("ttcg").shown_as("list").path_at(Some("abc"));
        assert!(listed.ends_with("&game=ttcg&as=list&cursor=abc"), "{listed}");
    }

    #[test]
    fn a_further_term_narrows_every_alternative() {
        let with = |q: &str| {
            let search_form = SearchForm { q: q.to_owned(), ..SearchForm::default() };
            search_form.to_be_narrowed().q + "r:rare"
        };
        assert_eq!(with(""), "r:rare");
        assert_eq!(with("fox "), "fox r:rare");
        for alternatives in ["fox OR owl", "fox | owl", "fox|owl", "(fox)or(owl)", "a b or c"] {
            assert_eq!(with(alternatives), format!("({alternatives}) r:rare"));
        }
        // Some game may have such an attribute.
        let of_attribute = "my-motto:/(om|al)/ or tide";
        assert_eq!(with(of_attribute), format!("({of_attribute}) r:rare"));
        assert_eq!(with("my-motto:/(om|al)/"), "my-motto:/(om|al)/ r:rare");
        for query in ["\"fox or owl\"", "(fox or owl) t:fire", "/a|b/"] {
            assert_eq!(with(query), format!("{query} r:rare"));
        }
    }
}
