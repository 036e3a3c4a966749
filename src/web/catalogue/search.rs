//! The search: a field, what fits as pictures, as a list or as text, and what it can be narrowed by.

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
use crate::app::catalogue::card_query::ListRequest;
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
use crate::search::{CardFilter, Node, card_fields, parse, sort_key};
use crate::web::fault_words;
use crate::web::forms::Choice;
use crate::web::page::{ENTRIES, Frame, LIVE, Place, answer, path_of, refused, write};
use crate::web::words;

/// What is asked for, as a form sends it: fields that nobody filled in are empty.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(in crate::web) struct Asked {
    q: String,
    game: String,
    sort: String,
    order: String,
    #[serde(rename = "as")]
    form: String,
    cursor: Option<Cursor>,
}

impl Asked {
    /// The same search, from its first page, as it begins when another term follows: with the space before that.
    pub(super) fn to_be_narrowed(&self) -> Self {
        let q = match self.q.trim() {
            "" => String::new(),
            q if self.has_alternatives() => format!("({q}) "),
            q => format!("{q} "),
        };
        Self { q, cursor: None, ..self.clone() }
    }

    /// The address of this beginning with a term.
    pub(super) fn path_with(&self, term: &str) -> String {
        Self { q: format!("{}{term}", self.q), ..self.clone() }.path()
    }

    /// Whether another term would belong to the last alternative alone.
    fn has_alternatives(&self) -> bool {
        matches!(parse(&self.q), Ok(Some(Node::Or(_))))
    }

    fn of_game(&self, game: &str) -> Self {
        Self { game: game.to_owned(), sort: String::new(), cursor: None, ..self.clone() }
    }

    fn shown_as(&self, form: &str) -> Self {
        Self { form: form.to_owned(), ..self.clone() }
    }

    /// Its address, without its cursor.
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

    /// The game that is asked for; `None`: all.
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
    asked: Asked,
    /// Names of fields that may be typed.
    hints: &'static [Hint],
    games: Vec<Choice>,
    sorts: Vec<Choice>,
    orders: Vec<Choice>,
    /// Why nothing was looked for; empty: something was.
    refusals: Vec<String>,
    /// What could not be used of the query.
    warnings: Vec<String>,
    /// The query with the places of refusals and warnings; empty: there are none.
    marked: Vec<Piece>,
    found: String,
    results: Results,
    /// Links to the same in each form.
    forms: Vec<Choice>,
    first_path: Option<String>,
    next_path: Option<String>,
    /// Links to the same search in one game, when all are searched.
    game_links: Vec<Choice>,
    narrowings: Vec<Narrowing>,
    /// Whether there should be some, and nobody could count them.
    lacks_facets: bool,
}

/// Searches cards.
pub(in crate::web) async fn find_cards(
    req: HttpRequest,
    state: web::Data<AppState>,
    network: ClientNetwork,
    asked: web::Query<Asked>,
) -> Result<HttpResponse, Problem> {
    let page = page(&state, network.0, asked.into_inner()).await?;
    // Whoever asks again may get all of it.
    let freshness = if page.lacks_facets { Freshness::Never } else { LIVE };
    let written = write(&page, freshness)?;
    Ok(if page.refusals.is_empty() { answer(&req, &written) } else { refused(&written) })
}

async fn page(app: &AppState, network: Network, asked: Asked) -> Result<SearchPage, Problem> {
    let game = asked.game()?;
    let request = asked.request(game.as_ref())?;
    let part = Part { cursor: asked.cursor.as_ref(), limit: ENTRIES, total: true };
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
    // After the list: a page has one search at a time, as a request of the API has.
    let facets = match &game {
        Some(game) if faults.is_none() => facets_of(app, network, game, &asked.q).await,
        _ => FoundFacets::None,
    };
    Ok(SearchPage::new(asked, &games, found, faults, facets))
}

/// What the cards can be narrowed by.
enum FoundFacets {
    /// There is nothing to count.
    None,
    Counted(Facets),
    /// There was no time or no place to count them.
    Missing,
}

/// What the cards can be narrowed by, in one game. The list is worth showing without.
async fn facets_of(app: &AppState, network: Network, game: &Code, query: &str) -> FoundFacets {
    let found = facets::count(app, network, Viewer::stranger(), game, None, query).await;
    match found.and_then(|found| read(&found)) {
        Ok(facets) => FoundFacets::Counted(facets),
        // A game that does not exist has none; and a query may be read for lists only.
        Err(problem)
            if matches!(problem.code(), ProblemCode::InvalidQuery | ProblemCode::NotFound) =>
        {
            FoundFacets::None
        }
        Err(problem) => {
            tracing::warn!(%problem, %game, "a search page lacks its facets");
            FoundFacets::Missing
        }
    }
}

/// What a refused query is refused for.
pub(in crate::web) fn faults_of(problem: &Problem) -> Vec<Warning> {
    let told = |fault: &InputFault| match &fault.reason {
        FaultReason::Query(warning) => Warning::from((**warning).clone()),
        // A fault beside the query, such as a game that there is not.
        other => Warning { position: 0, length: 0, text: fault_words::reason(other).into_owned() },
    };
    problem.errors.iter().map(told).collect()
}

impl SearchPage {
    fn new(
        asked: Asked,
        games: &[&Game],
        found: Cards,
        faults: Option<Vec<Warning>>,
        facets: FoundFacets,
    ) -> Self {
        let heading = match &faults {
            // The first that is read out when the page is there.
            Some(_) => words::refused(&asked.q),
            None if asked.q.is_empty() => words::SEARCH_TITLE.to_owned(),
            None => asked.q.clone(),
        };
        let mut frame = Frame::new(&heading).at(Place::Search);
        let next_path = found.next_cursor.as_deref().map(|cursor| asked.path_at(Some(cursor)));
        frame.next.clone_from(&next_path);
        let told = |fault: &Warning| fault.text.clone();
        let refusals: Vec<String> = faults.iter().flatten().map(told).collect();
        let shown = faults.as_deref().unwrap_or(&found.warnings);
        let marked = pieces(&asked.q, shown);
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
                    is_chosen: asked.game.eq_ignore_ascii_case(game.code()),
                })
                .collect(),
            sorts: sorts(&asked, games),
            orders: orders(&asked),
            refusals,
            warnings: found.warnings.iter().map(told).collect(),
            marked: if is_marked { marked } else { Vec::new() },
            found: count.unwrap_or_default(),
            results: Results::of(&asked.form, games, &found.data),
            forms: FORMS
                .into_iter()
                .map(|(form, name)| {
                    let cursor = asked.cursor.as_ref().map(Cursor::as_str);
                    Choice {
                        value: asked.shown_as(form).path_at(cursor),
                        name: name.to_owned(),
                        is_chosen: asked.form == form,
                    }
                })
                .collect(),
            first_path: asked.cursor.as_ref().map(|_| asked.path()),
            next_path,
            game_links: if asked.game.is_empty() && faults.is_none() {
                games
                    .iter()
                    .map(|game| Choice {
                        value: asked.of_game(game.code()).path(),
                        name: game.name().to_owned(),
                        is_chosen: false,
                    })
                    .collect()
            } else {
                Vec::new()
            },
            lacks_facets: matches!(facets, FoundFacets::Missing),
            narrowings: match facets {
                FoundFacets::Counted(facets) => {
                    let beginning = asked.to_be_narrowed();
                    let path_with = |term: &str| beginning.path_with(term);
                    narrowings(&path_with, exact_total(&found), facets)
                }
                FoundFacets::None | FoundFacets::Missing => Vec::new(),
            },
            asked,
        }
    }
}

/// How many cards a search finds, if they were all counted.
fn exact_total(found: &Cards) -> Option<i64> {
    found.total.filter(|_| found.total_is_exact != Some(false))
}

/// The fields that the cards of the game, or of all games, can be sorted by.
fn sorts(asked: &Asked, games: &[&Game]) -> Vec<Choice> {
    let chosen: Vec<&Game> =
        games.iter().copied().filter(|game| asked.game.eq_ignore_ascii_case(game.code())).collect();
    let scope = if chosen.is_empty() { games } else { &chosen };
    let fields = card_fields().filter(|field| field.is_sortable && field.name != "set");
    fields
        .filter(|field| sort_key(field.name, scope).is_ok())
        .map(|field| Choice {
            value: field.name.to_owned(),
            name: field_words::name(field.name),
            is_chosen: asked.sort == field.name,
        })
        .collect()
}

fn orders(asked: &Asked) -> Vec<Choice> {
    let order = |value: &str, name: &str| Choice {
        value: value.to_owned(),
        name: name.to_owned(),
        is_chosen: asked.order == value,
    };
    // What is sent comes before `order:` of the query; a form that was not touched must not say anything.
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
    fn addresses_hold_what_was_asked_and_nothing_empty() {
        let asked = Asked { q: "t:fire \"><script>".to_owned(), ..Asked::default() };
        assert_eq!(asked.path(), "/search?q=t%3Afire+%22%3E%3Cscript%3E");
        assert_eq!(Asked::default().path(), "/search");
        let listed = asked.of_game("ttcg").shown_as("list").path_at(Some("abc"));
        assert!(listed.ends_with("&game=ttcg&as=list&cursor=abc"), "{listed}");
    }

    #[test]
    fn a_further_term_narrows_every_alternative() {
        let with = |q: &str| {
            let asked = Asked { q: q.to_owned(), ..Asked::default() };
            asked.to_be_narrowed().q + "r:rare"
        };
        assert_eq!(with(""), "r:rare");
        assert_eq!(with("fox "), "fox r:rare");
        for alternatives in ["fox OR owl", "fox | owl", "fox|owl", "(fox)or(owl)", "a b or c"] {
            assert_eq!(with(alternatives), format!("({alternatives}) r:rare"));
        }
        for query in ["\"fox or owl\"", "(fox or owl) t:fire", "/a|b/"] {
            assert_eq!(with(query), format!("{query} r:rare"));
        }
    }
}
