//! Requests for lists of cards: resolves them against the existing games and sets, and reports the parts that cannot be
//! used.

use std::sync::Arc;

use cardscape_engine::Date;
use sha2::{Digest as _, Sha256};

use super::codes::unknown_codes;
use super::query_warning::QueryWarning;
use crate::app::page::Cursor;
use crate::app::problem::{InputFault, Problem, ProblemCode, both};
use crate::app::problem_member::ProblemMember;
use crate::app::state::AppState;
use crate::domain::code::Code;
use crate::domain::hex::hex;
use crate::search::index::{Position, Releases};
use crate::search::{
    self, CardFilter, CardQuery, Checked, Node, Predicate, Scope, SortKey, Unique,
};
use crate::store::StoreError;
use crate::store::catalogue::games::LoadedGame;

/// Which cards to list, and how, as the client requested it.
#[derive(Debug, Default)]
pub struct ListRequest {
    /// The filter parameters.
    pub filter: CardFilter,
    /// The query in the language of `/docs/search`.
    pub text: String,
    /// Name of the field to sort by; `None`: the order of the query, or else by game, set and number.
    pub sort: Option<String>,
    /// Whether to sort in descending order; `None`: as in the query.
    pub descending: Option<bool>,
    /// What an entry is (a card or a printing); `None`: as in the query.
    pub unique: Option<Unique>,
}

/// A checked request for a list.
pub struct List {
    pub(super) query: CardQuery,
    pub(super) warnings: Vec<QueryWarning>,
    /// The query as the client wrote it.
    pub(super) text: String,
    /// Identifies the list in its cursors, so that a cursor of another list is refused.
    mark: String,
}

impl ListRequest {
    /// Checks the request for callers that cannot return warnings: a term that cannot be used is a fault.
    pub async fn check_strictly(self, app: &AppState) -> Result<CardQuery, Problem> {
        let List { query, warnings, .. } = self.check(app).await?;
        if warnings.is_empty() { Ok(query) } else { Err(bad_query(warnings)) }
    }

    /// Checks the request against the existing games and sets.
    pub async fn check(self, app: &AppState) -> Result<List, Problem> {
        let games = app.all_games().await?;
        let tree = match scope_of(&games, None).parse(&self.text) {
            Ok(tree) => tree,
            Err(faults) => {
                // Faults of the other parameters are reported together with those of the query.
                let rest = Self { text: String::new(), ..self };
                let others = rest.check_over(&games, None, None, app.today()?);
                return both(Err(bad_query(faults)), others).map(|(list, _)| list);
            }
        };
        let names_set = self.filter.set.is_some() || tree.as_ref().is_some_and(search::names_set);
        let sets = if names_set { Some(app.sets().await?) } else { None };
        let today = app.today()?;
        self.check_over(&games, sets.as_deref(), tree, today)
    }

    fn check_over(
        self,
        games: &[Arc<LoadedGame>],
        sets: Option<&Releases>,
        tree: Option<Node>,
        today: Date,
    ) -> Result<List, Problem> {
        // Cursors of clients contain this mark: renaming the fields that it is made from would invalidate them.
        let mark = mark_of(&self);
        let unknown = unknown_codes(&self.filter, games, sets).into_iter();
        let mut warnings: Vec<_> = unknown.map(QueryWarning::from).collect();
        let scope = scope_of(games, self.filter.game.as_deref());
        let checked = tree.map(|tree| search::check(&tree, &scope, sets, today)).transpose();
        let sorted = self.sort.as_ref().map(|name| search::sort_key(name, scope.games()));
        let sorted = sorted.transpose().map_err(|fault| {
            let name = self.sort.as_deref().unwrap_or_default();
            let fault = QueryWarning::of_parameter("sort", name, fault);
            Problem::of_query(vec![InputFault::at("?sort", fault)])
        });
        let (checked, sorted) = both(checked.map_err(bad_query), sorted)?;
        let mut parts = self.filter.predicates();
        let (mut sort, mut descending, mut unique) = (None, None, None);
        if let Some(checked) = checked {
            let Checked { predicate, warnings: faults, .. } = checked;
            (sort, descending, unique) = (checked.sort, checked.descending, checked.unique);
            parts.push(predicate);
            warnings.extend(faults.into_iter().map(QueryWarning::from));
        }
        let query = CardQuery {
            predicate: Predicate::All(parts),
            sort: sorted.or(sort).unwrap_or_default(),
            descending: self.descending.or(descending).unwrap_or_default(),
            unique: self.unique.or(unique).unwrap_or_default(),
        };
        Ok(List { query, warnings, text: self.text, mark })
    }
}

/// Codes of the games to which a search for cards can be limited: games with cards that everybody may see, which the query does not exclude, and in which no
/// more terms of the query are ignored than in all games together. Without an index of the cards, a game with a set is
/// taken for one with cards.
pub async fn games_to_choose(app: &AppState, text: &str) -> Result<Vec<String>, Problem> {
    let games = app.all_games().await?;
    let tree = scope_of(&games, None).parse(text).map_err(bad_query)?;
    let (sets, cards, today) = (app.sets().await?, app.catalogue.cards(), app.today()?);
    let has_cards = |game: &str| match &cards {
        Some(cards) => cards.has_open_cards(game),
        None => sets.sets_of(game).next().is_some(),
    };
    // The number of ignored terms; `None`: no term can be used, or the query excludes the game.
    let ignored = |game: Option<&str>| {
        let Some(tree) = &tree else { return Some(0) };
        let checked = search::check(tree, &scope_of(&games, game), Some(&*sets), today).ok()?;
        let is_excluded = game.is_some_and(|game| checked.predicate.excludes_game(game));
        (!is_excluded).then_some(checked.warnings.len())
    };
    let Some(most) = ignored(None) else { return Ok(Vec::new()) };
    let fits = |game: &str| ignored(Some(game)).is_some_and(|terms| terms <= most);
    let codes = games.iter().map(|loaded| loaded.game.code());
    Ok(codes.filter(|game| has_cards(game) && fits(game)).map(str::to_owned).collect())
}

/// A mark for cursors: equal only for lists with the same request.
pub(crate) fn mark_of(request: &impl std::fmt::Debug) -> String {
    hex(&Sha256::digest(format!("{request:?}"))[..6])
}

/// The games that a query is checked against: the requested game. A game that does not exist has an empty list,
/// whatever the query is, so the query is checked against all games.
pub(crate) fn scope_of<'a>(games: &'a [Arc<LoadedGame>], game: Option<&str>) -> Scope<'a> {
    let all = Scope::new(games.iter().map(|loaded| &loaded.game));
    game.and_then(|game| all.of_code(game).ok()).unwrap_or(all)
}

/// Refuses text that does not parse as a query, whichever fields exist.
pub fn require_syntax(text: &str) -> Result<(), Problem> {
    parse_with_any_field(text).map(drop).map_err(bad_query)
}

/// Whether a query consists of alternatives, so that one more term would belong to the last of them only.
pub fn has_alternatives(text: &str) -> bool {
    matches!(parse_with_any_field(text), Ok(Some(Node::Or(_))))
}

/// Parses a query, whichever fields exist.
fn parse_with_any_field(text: &str) -> Result<Option<Node>, Vec<search::Fault>> {
    // The text between the slashes of `a-b:/(x|y)/` is an expression only if some game has an attribute `a-b`.
    let with_any_field = |faults| search::parse_with(text, &|_| true).map_err(|_| faults);
    search::parse(text).or_else(with_any_field)
}

/// The failure of a query with faults; lists every fault.
pub(crate) fn bad_query(faults: Vec<impl Into<QueryWarning>>) -> Problem {
    let faults: Vec<QueryWarning> = faults.into_iter().map(Into::into).collect();
    let input_fault = |fault: &QueryWarning| {
        InputFault::at(format!("?{}", fault.parameter.unwrap_or("q")), fault.clone())
    };
    Problem::new(ProblemCode::InvalidQuery)
        .errors(faults.iter().map(input_fault).collect())
        .with(ProblemMember::Faults, serde_json::to_value(faults).unwrap_or_default())
}

/// Converts the error of a search. A time-out is caused by the query more often than by the database, so the response
/// asks for a narrower query.
pub(crate) fn too_slow(error: StoreError) -> Problem {
    match error {
        StoreError::TooLong => {
            tracing::warn!("slow search");
            Problem::new(ProblemCode::TimedOut)
                .detail("The search took too long: narrow it to a game or a set, or look for whole words.")
                .retry_after(2)
        }
        other => other.into(),
    }
}

/// The content of a cursor: mark of the list, sort key, game, set, number, tier.
type CursorKey = (String, Option<String>, Code, Code, Code, i16);

impl List {
    /// Refuses a cursor that no list of cards can have made.
    pub fn require_cursor(cursor: &Cursor) -> Result<(), Problem> {
        cursor.key::<CursorKey>().map(drop)
    }

    /// Decodes a cursor of this list.
    pub(super) fn position(&self, cursor: &Cursor) -> Result<Position, Problem> {
        let (mark, key, game, set, number, tier): CursorKey = cursor.key()?;
        let sorted = self.query.sort != SortKey::Place;
        let fits = mark == self.mark
            && key.as_ref().is_none_or(|key| sorted && self.query.sort.admits(key));
        if !fits {
            return Err(Problem::new(ProblemCode::InvalidCursor));
        }
        let (game, set, number) = (game.into_string(), set.into_string(), number.into_string());
        Ok(Position { key, game, set, number, tier })
    }

    /// Encodes the position of the last entry of a page as a cursor.
    pub(super) fn cursor(&self, position: Position) -> String {
        let Position { key, game, set, number, tier } = position;
        Cursor::at(&(&self.mark, key, game, set, number, tier))
    }
}
