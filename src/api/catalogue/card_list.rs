//! What a list of cards is asked for, and what it answers with.

use std::sync::Arc;

use cardscape_engine::Date;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use sha2::{Digest as _, Sha256};
use utoipa::openapi::schema::{AnyOfBuilder, Schema};
use utoipa::openapi::{Ref, RefOr};
use utoipa::{PartialSchema, ToSchema};
use uuid::Uuid;

use super::cards::{CardResponse, PrintingResponse};
use crate::app::catalogue::codes::{UnknownCode, unknown_codes};
use crate::app::page::{Cursor, Page};
use crate::app::problem::{InputFault, Problem, ProblemCode};
use crate::app::state::AppState;
use crate::domain::code::Code;
use crate::domain::hex::hex;
use crate::search::index::{Position, Releases};
use crate::search::{
    self, CardFilter, CardQuery, Checked, Fault, Node, Predicate, Scope, SortKey, Unique,
};
use crate::store::StoreError;
use crate::store::catalogue::cards::Found;
use crate::store::catalogue::games::LoadedGame;

/// Which end of a list comes first.
#[derive(Clone, Copy, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Order {
    /// The lowest.
    Asc,
    /// The highest.
    Desc,
}

/// What an entry stands for.
#[derive(Clone, Copy, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum UniqueParam {
    /// A card.
    Cards,
    /// A card in one rarity.
    Printings,
}

impl From<UniqueParam> for Unique {
    fn from(unique: UniqueParam) -> Self {
        match unique {
            UniqueParam::Cards => Self::Cards,
            UniqueParam::Printings => Self::Printings,
        }
    }
}

/// Members of a card that a caller wants.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub struct CardMembers(Vec<String>);

const MEMBERS: [&str; 13] = [
    "id",
    "game",
    "set",
    "number",
    "hidden",
    "unlock",
    "name",
    "kind",
    "attributes",
    "effects",
    "lore",
    "updated_at",
    "printing",
];

impl CardMembers {
    /// Whether a member is wanted; the id always is.
    pub(in crate::api) fn keep(&self, member: &str) -> bool {
        member == "id" || self.0.iter().any(|name| name == member)
    }
}

impl TryFrom<String> for CardMembers {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let names = text.split(',').map(|name| name.trim().to_owned());
        let names: Vec<String> = names.collect();
        match names.iter().find(|name| !MEMBERS.contains(&name.as_str())) {
            None => Ok(Self(names)),
            Some(unknown) => Err(format!("{unknown:?} is not one of {}", MEMBERS.join(", "))),
        }
    }
}

/// What is asked for, as it was written.
#[derive(Debug, Default)]
pub(in crate::api) struct ListRequest {
    pub(in crate::api) filter: CardFilter,
    pub(in crate::api) text: String,
    pub(in crate::api) sort: Option<String>,
    pub(super) descending: Option<bool>,
    pub(super) unique: Option<Unique>,
}

/// What is asked for, checked.
pub(in crate::api) struct List {
    pub(in crate::api) query: CardQuery,
    pub(in crate::api) warnings: Vec<QueryWarning>,
    /// The query as it was written.
    pub(in crate::api) text: String,
    /// Tells this list's cursors from those of others.
    mark: String,
}

impl ListRequest {
    /// Checks the request where nobody reads warnings: a term that cannot be used is a fault.
    pub(super) async fn without_warnings(self, state: &AppState) -> Result<CardQuery, Problem> {
        let List { query, warnings, .. } = self.checked(state).await?;
        if warnings.is_empty() { Ok(query) } else { Err(bad_query(warnings)) }
    }

    /// Checks the request over the games and sets that there are.
    pub(in crate::api) async fn checked(self, state: &AppState) -> Result<List, Problem> {
        let games = state.all_games().await?;
        let tree = search::parse(&self.text).map_err(bad_query)?;
        let names_set = self.filter.set.is_some() || tree.as_ref().is_some_and(search::names_set);
        let sets = if names_set { Some(state.sets().await?) } else { None };
        let today = state.today()?;
        self.checked_over(&games, sets.as_deref(), tree, today)
    }

    fn checked_over(
        self,
        games: &[Arc<LoadedGame>],
        sets: Option<&Releases>,
        tree: Option<Node>,
        today: Date,
    ) -> Result<List, Problem> {
        let mark = Sha256::digest(format!("{self:?}"));
        let mark = hex(&mark[..6]);
        let unknown = unknown_codes(&self.filter, games, sets).into_iter();
        let mut warnings: Vec<_> = unknown.map(QueryWarning::from).collect();
        let all = Scope::new(games.iter().map(|loaded| &loaded.game));
        // Of a game that does not exist the list is empty, whatever the query says: it is read over all games.
        let of_game = self.filter.game.as_deref().map(|game| all.of_code(game));
        let scope = of_game.and_then(Result::ok).unwrap_or(all);
        let checked = tree.map(|tree| search::check(&tree, &scope, sets, today)).transpose();
        let checked = checked.map_err(bad_query)?;
        let mut parts = self.filter.predicates();
        let (mut sort, mut descending, mut unique) = (None, None, None);
        if let Some(checked) = checked {
            let Checked { predicate, warnings: faults, .. } = checked;
            (sort, descending, unique) = (checked.sort, checked.descending, checked.unique);
            parts.push(predicate);
            warnings.extend(faults.into_iter().map(QueryWarning::from));
        }
        if let Some(name) = &self.sort {
            let found = search::sort_key(name, scope.games()).map_err(|message| {
                let fault = InputFault::at("?sort", message);
                Problem::new(ProblemCode::InvalidQuery).errors(vec![fault])
            })?;
            sort = Some(found);
        }
        let query = CardQuery {
            predicate: Predicate::All(parts),
            sort: sort.unwrap_or_default(),
            descending: self.descending.or(descending).unwrap_or_default(),
            unique: self.unique.or(unique).unwrap_or_default(),
        };
        Ok(List { query, warnings, text: self.text, mark })
    }
}

/// A query that cannot be used, with every fault.
fn bad_query(faults: Vec<impl Into<QueryWarning>>) -> Problem {
    let faults: Vec<QueryWarning> = faults.into_iter().map(Into::into).collect();
    let tell = |fault: &QueryWarning| match fault.parameter {
        Some(parameter) => InputFault::at(format!("?{parameter}"), &fault.message),
        None => InputFault::at("?q", format!("{} (character {})", fault.message, fault.position)),
    };
    Problem::new(ProblemCode::InvalidQuery)
        .errors(faults.iter().map(tell).collect())
        .with("faults", serde_json::to_value(faults).unwrap_or_default())
}

/// A search that ran into its time limit is the query's fault more often than the database's.
pub(super) fn too_slow(error: StoreError) -> Problem {
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

/// A cursor's content: mark of the list, sort key, game, set, number, tier.
type CursorKey = (String, Option<String>, Code, Code, Code, i16);

impl List {
    /// Where a page begins.
    pub(in crate::api) fn position(&self, cursor: &Cursor) -> Result<Position, Problem> {
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

    /// Where the page after an entry begins.
    pub(super) fn cursor_key(
        &self,
        Position { key, game, set, number, tier }: Position,
    ) -> impl Serialize {
        (self.mark.clone(), key, game, set, number, tier)
    }
}

/// Most entries of a list that are counted.
pub(super) const MAX_TOTAL: u64 = 10_000;

/// How many entries a list has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::api) struct Total {
    /// At most [`MAX_TOTAL`].
    pub(in crate::api) total: u64,
    /// Whether there are no more.
    pub(super) is_exact: bool,
}

impl Total {
    /// What is said of it beside the number: nothing, or that there are more.
    pub(super) fn exactness(self) -> Option<bool> {
        (!self.is_exact).then_some(false)
    }

    /// So many, or more.
    pub(in crate::api) fn of(total: u64, is_exact: bool) -> Self {
        Self { total, is_exact }
    }
}

/// A part of a query that was left out, that finds nothing anywhere, or that was not tried on everything.
#[derive(Debug, Serialize, ToSchema)]
pub struct QueryWarning {
    /// The parameter beside `q` that it is about; `position` and `length` are 0 then.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>, example = "set")]
    pub parameter: Option<&'static str>,
    /// Characters of the query before it.
    #[schema(example = 0)]
    pub position: usize,
    /// Its characters.
    #[schema(example = 9)]
    pub length: usize,
    /// The text there.
    #[schema(example = "atack>700")]
    pub term: String,
    /// Why, for people.
    #[schema(example = "there is no field \"atack\"; did you mean attack?")]
    pub message: String,
}

impl QueryWarning {
    /// The costly terms were not tried on all cards.
    pub(in crate::api) fn cut(text: &str, candidates: u32) -> Self {
        Self::of_all(
            text,
            format!(
                "regular expressions and words of attributes were only tried on the first {candidates} cards that all else \
                 leaves, by game, set and number: narrow the list to a set, or with words"
            ),
        )
    }

    /// The costly terms were not tried on all cards that the index left.
    pub(in crate::api) fn unfinished(text: &str) -> Self {
        Self::of_all(
            text,
            "regular expressions, phrases or words of attributes were not tried on all cards that all else leaves: narrow the list to a set, \
             or with words"
                .to_owned(),
        )
    }

    /// There was no time to count.
    pub(super) fn uncounted(text: &str) -> Self {
        Self::of_all(
            text,
            "counting the list took too long, so there is no total: narrow it".to_owned(),
        )
    }

    fn of_all(text: &str, message: String) -> Self {
        let length = text.chars().count();
        Self { parameter: None, position: 0, length, term: text.to_owned(), message }
    }
}

impl From<UnknownCode<'_>> for QueryWarning {
    fn from(UnknownCode { parameter, code, message }: UnknownCode<'_>) -> Self {
        let term = format!("{parameter}={code}");
        Self { parameter: Some(parameter), position: 0, length: 0, term, message }
    }
}

impl From<Fault> for QueryWarning {
    fn from(Fault { span, term, message }: Fault) -> Self {
        Self { parameter: None, position: span.position, length: span.length, term, message }
    }
}

/// One page of cards, or of printings.
#[derive(Serialize, ToSchema)]
pub struct CardsPage {
    /// The entries.
    #[serde(flatten)]
    pub page: Page<CardEntry>,
    /// `false`: there are more than `total`, which is 10,000 then, the most that are counted; or not all cards could be tried. Absent when
    /// `total` is exact.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = false)]
    pub total_is_exact: Option<bool>,
    /// The terms of the query that could not be used: the list is what the others find. And what was left out because it would
    /// have read too much.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<QueryWarning>,
}

impl CardsPage {
    /// A page of a list that has so many entries.
    pub(in crate::api) fn new(
        page: Page<CardEntry>,
        total: Option<Total>,
        warnings: Vec<QueryWarning>,
    ) -> Self {
        let count = total.and_then(|total| i64::try_from(total.total).ok());
        let page = Page { total: count, ..page };
        Self { page, total_is_exact: total.and_then(Total::exactness), warnings }
    }
}

/// An entry of a list of cards.
#[derive(Serialize)]
#[serde(untagged)]
#[expect(
    clippy::large_enum_variant,
    reason = "a block of memory for each card costs more than the room"
)]
pub enum CardEntry {
    /// A card as the caller may see it.
    Card(CardResponse),
    /// A card with one printing, or with chosen members only.
    Members(Map<String, Value>),
}

impl CardEntry {
    /// An entry with all members, or the chosen ones.
    pub(in crate::api) fn new(
        found: Found,
        members: Option<&CardMembers>,
    ) -> serde_json::Result<Self> {
        let card = CardResponse::from(found.card);
        if members.is_none() && found.printing.is_none() {
            return Ok(Self::Card(card));
        }
        let Value::Object(mut entry) = serde_json::to_value(&card)? else {
            return Ok(Self::Card(card));
        };
        if let Some(printing) = found.printing {
            let printing = serde_json::to_value(PrintingResponse::from(printing));
            entry.insert("printing".to_owned(), printing?);
        }
        if let Some(members) = members {
            entry.retain(|member, _| members.keep(member));
        }
        Ok(Self::Members(entry))
    }
}

/// Members of a card. Absent: not asked for, or not known to the caller.
#[derive(ToSchema)]
#[expect(dead_code, reason = "stands for a map in the OpenAPI document")]
pub struct CardMembersResponse {
    /// Id of the card.
    id: Uuid,
    /// The printing, in lists of printings.
    printing: Option<PrintingResponse>,
}

impl PartialSchema for CardEntry {
    fn schema() -> RefOr<Schema> {
        let one_of = AnyOfBuilder::new()
            .item(Ref::from_schema_name(CardResponse::name()))
            .item(Ref::from_schema_name(CardMembersResponse::name()))
            .description(Some(
                "A card; with one printing (`unique=printings`), or with chosen members only (`fields`).",
            ));
        Schema::AnyOf(one_of.build()).into()
    }
}

impl ToSchema for CardEntry {
    fn schemas(schemas: &mut Vec<(String, RefOr<Schema>)>) {
        schemas.push((CardResponse::name().into_owned(), CardResponse::schema()));
        CardResponse::schemas(schemas);
        schemas.push((CardMembersResponse::name().into_owned(), CardMembersResponse::schema()));
        CardMembersResponse::schemas(schemas);
    }
}
