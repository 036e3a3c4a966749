//! Look-ups of cards: by name, by the beginning of a name, at random, and many at once.

use bytes::Bytes;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use utoipa::ToSchema;
use uuid::Uuid;

use super::card_bodies::load_bodies;
use super::card_names::{
    find_named_in_memory, look_up_in_memory, suggest_in_memory, write_look_up,
};
use super::card_query::too_slow;
use super::card_search::{find_index, run_on_index};
use super::cards::{CardRequest, CardResponse, freshness, in_form, render_card};
use super::codes::Codes;
use super::image_uris::Scans;
use crate::app::answer_form::AnswerForm;
use crate::app::fault_reason::FaultReason;
use crate::app::problem::{InputFault, Problem, ProblemCode};
use crate::app::problem_member::ProblemMember;
use crate::app::state::AppState;
use crate::auth::permission::Viewer;
use crate::domain::catalogue::card_name::{NameMatch, TypedName, match_exactly, match_nearly};
use crate::domain::code::Code;
use crate::domain::draw::Draw;
use crate::domain::ids::CardId;
use crate::domain::network::Network;
use crate::domain::text::TextError;
use crate::memory::rendered::Rendered;
use crate::search::CardQuery;
use crate::store::catalogue::cards::{self, CardIdentifier, NamePlace, NamedCard};

/// A typed card name, and where to search for it.
pub struct NameSearch {
    pub name: TypedName,
    /// Whether to accept similar names.
    pub near: bool,
    /// Where to look.
    pub place: NamePlace,
}

/// Resolves where to search for a name: in a game and set, which must exist, or everywhere.
pub async fn find_place(
    app: &AppState,
    game: Option<Code>,
    set: Option<Code>,
) -> Result<NamePlace, Problem> {
    let codes = Codes::of_set(game, set).resolve(app).await?;
    let text = |code: Option<Code>| code.map(Code::into_string);
    Ok(NamePlace { game: text(codes.game), set: text(codes.set) })
}

/// The failure of a query parameter with an invalid value.
pub(crate) fn bad_query(parameter: &str, fault: impl Into<FaultReason>) -> Problem {
    Problem::new(ProblemCode::InvalidQuery).errors(vec![InputFault::at(parameter, fault)])
}

/// Finds the card with a name, among those that the viewer may see.
pub async fn find_named(
    app: &AppState,
    network: Network,
    viewer: Viewer,
    form: AnswerForm,
    search: &NameSearch,
) -> Result<Rendered, Problem> {
    let NameSearch { name, near, place } = search;
    let near = *near;
    let candidates = find_candidates(app, network, viewer, place, name, near).await?;
    let found = if near { match_nearly(name, candidates) } else { match_exactly(name, candidates) };
    match found {
        NameMatch::One(card) => {
            let request = CardRequest { viewer, form, legalities: false };
            let found = render_card(app, request, card.id).await?;
            found.ok_or_else(Problem::not_found)
        }
        NameMatch::AnyOf(cards) => Err(ambiguous(cards)),
        NameMatch::Nothing => Err(Problem::not_found()),
    }
}

fn ambiguous(cards: Vec<NamedCard>) -> Problem {
    let candidate = |card: NamedCard| {
        json!({
            "id": card.id, "game": card.game_code, "set": card.set_code, "number": card.number, "name": card.name,
        })
    };
    let candidates: Vec<Value> = cards.into_iter().map(candidate).collect();
    Problem::new(ProblemCode::AmbiguousName).with(ProblemMember::Candidates, candidates)
}

/// The cards that a name may mean, among those that the viewer may see: those with exactly that name, and, if `near` is
/// set, those with a similar name.
pub(crate) async fn find_candidates(
    app: &AppState,
    network: Network,
    viewer: Viewer,
    place: &NamePlace,
    name: &TypedName,
    near: bool,
) -> Result<Vec<NamedCard>, Problem> {
    if let Some(candidates) = find_named_in_memory(app, viewer, place, name, near).await? {
        return Ok(candidates);
    }
    if near {
        let mut conn = app.searches.connection(network).await?;
        return cards::find_named(&mut conn, viewer, place, name, true).await.map_err(too_slow);
    }
    let mut conn = app.store.connection().await?;
    Ok(cards::find_named(&mut conn, viewer, place, name, false).await?)
}

/// Suggested names of cards.
#[derive(Default, Serialize, ToSchema)]
pub struct CardNamesResponse {
    /// First the names that begin with `q`, then names with a word that begins with it, then names that contain it.
    #[schema(example = json!(["Kettle Imp"]))]
    pub data: Vec<String>,
}

/// Reads the beginning of a name; `None`: there is nothing to suggest for it.
pub fn read_beginning(typed: &str) -> Result<Option<TypedName>, Problem> {
    match TypedName::parse(typed) {
        Err(TextError::Blank | TextError::Length { actual: 0, .. }) => Ok(None),
        // An empty text is allowed here, so the message does not say that one character is needed.
        Err(TextError::Length { max, actual, .. }) => {
            let message = format!("must be at most {max} characters long, not {actual}");
            Err(bad_query("?q", FaultReason::Other(message.into())))
        }
        Err(error) => Err(bad_query("?q", error)),
        Ok(typed) => Ok(Some(typed)),
    }
}

/// Suggests names of cards that the viewer may see: names that begin with the typed text, or contain it.
pub async fn suggest_names(
    app: &AppState,
    network: Network,
    viewer: Viewer,
    typed: Option<&TypedName>,
    game: Option<&Code>,
    limit: u16,
) -> Result<CardNamesResponse, Problem> {
    let Some(typed) = typed else { return Ok(CardNamesResponse::default()) };
    let game = game.map(Code::as_str);
    let data = match suggest_in_memory(app, viewer, game, typed, limit.into()).await? {
        Some(names) => names,
        None => {
            let mut conn = app.searches.connection(network).await?;
            let names = cards::suggest_names(&mut conn, viewer, game, typed, limit.into());
            names.await.map_err(too_slow)?
        }
    };
    Ok(CardNamesResponse { data })
}

/// Draws a random card among those that match a query and that the viewer may see, each with the same probability.
pub async fn draw(
    app: &AppState,
    network: Network,
    viewer: Viewer,
    form: AnswerForm,
    from: &CardQuery,
    draw: Draw,
) -> Result<Rendered, Problem> {
    let freshness = freshness(viewer, true);
    match draw_in_memory(app, network, viewer, from, draw).await? {
        Some(None) => Err(Problem::not_found()),
        Some(Some(card)) if form == AnswerForm::Json => {
            let body = load_bodies(app, viewer, &[card]).await?.pop();
            Ok(Rendered::from_json(freshness, body.ok_or_else(Problem::not_found)?))
        }
        Some(Some(card)) => {
            let find = async |conn: &_| cards::find(conn, viewer, card).await;
            let found = app.store.read(find).await?.ok_or_else(Problem::not_found)?;
            in_form(form, freshness, None, found, &Scans::read(app).await?)
        }
        None => {
            let most = app.settings.search_candidates.into();
            let scans = Scans::read(app).await?;
            let mut conn = app.searches.connection(network).await?;
            let drawn = cards::draw(&mut conn, viewer, from, most, draw).await;
            let drawn = drawn.map_err(too_slow)?.ok_or_else(Problem::not_found)?;
            in_form(form, freshness, None, drawn, &scans)
        }
    }
}

/// Draws from the index in memory; the inner option is `None` when no card matches. `None`: the database must be
/// queried.
async fn draw_in_memory(
    app: &AppState,
    network: Network,
    viewer: Viewer,
    from: &CardQuery,
    draw: Draw,
) -> Result<Option<Option<CardId>>, Problem> {
    let Some((all, view)) = find_index(app, viewer, from).await? else { return Ok(None) };
    let number = u64::try_from(draw.number()).unwrap_or_default();
    let query = from.clone();
    let draw = move || all.random(&query, &view, number);
    let drawn = run_on_index(app, network, from, draw).await?;
    Ok(Some(drawn.map(|card| CardId(Uuid::from_u128(card)))))
}

/// Identifier of a card: `id`; or `game`, `set` and `number`; or `game`, `name` and optionally `set`. The case of the codes does not count.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct CardIdentifierBody {
    /// Id of the card.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Uuid>)]
    pub id: Option<String>,
    /// Code of its game.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(example = "ttcg", min_length = 1, max_length = 64)]
    pub game: Option<String>,
    /// Code of its set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(example = "hearth", min_length = 1, max_length = 64)]
    pub set: Option<String>,
    /// Its number in the set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(example = "001", min_length = 1, max_length = 64)]
    pub number: Option<String>,
    /// Its whole name, compared like `exact` of `GET /v1/cards/named`. In games that reprint cards, a name without a set means the first card of that
    /// name by set and number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(example = "Kettle Imp", min_length = 1, max_length = 120)]
    pub name: Option<String>,
}

impl CardIdentifierBody {
    /// Parses the identifier; faults name the field. `ids` lists the fields that identify a card alone, under their
    /// names in this request; the last is the card's own id.
    pub(crate) fn parse(
        &self,
        at: &str,
        ids: &[&str],
        faults: &mut Vec<InputFault>,
    ) -> Option<CardIdentifier> {
        let Self { id, game, set, number, name } = self;
        let mut code = |field: &str, text: &String| {
            let code = Code::parse_typed(text);
            code.map_err(|error| faults.push(InputFault::at(format!("{at}/{field}"), error))).ok()
        };
        // Codes of games and sets are stored in lower case; the case of a number counts.
        let stored = |code: Code| code.lower_case().into_string();
        match (id, game, set, number, name) {
            (Some(id), None, None, None, None) => match id.parse() {
                Ok(id) => Some(CardIdentifier::Id(CardId(id))),
                Err(_) => {
                    let field = ids.last().copied().unwrap_or_default();
                    faults.push(InputFault::at(format!("{at}/{field}"), FaultReason::NoId));
                    None
                }
            },
            (None, Some(game), Some(set), Some(number), None) => {
                let codes = (code("game", game), code("set", set), code("number", number));
                let (Some(game), Some(set), Some(number)) = codes else { return None };
                let (game, set) = (stored(game), stored(set));
                Some(CardIdentifier::Number { game, set, number: number.into_string() })
            }
            (None, Some(game), set, None, Some(name)) => {
                let game = code("game", game);
                let set = set.as_ref().map(|set| code("set", set));
                let name = TypedName::parse(name)
                    .map_err(|error| faults.push(InputFault::at(format!("{at}/name"), error)));
                let (Some(game), Ok(name)) = (game, name) else { return None };
                let set = set.flatten().map(stored);
                Some(CardIdentifier::Name { game: stored(game), set, name })
            }
            _ => {
                let ids = ids.join("; or ");
                faults.push(InputFault::at(at, FaultReason::CardUnnamed { ids }));
                None
            }
        }
    }
}

/// The cards that were found, and the identifiers of the others.
#[derive(Serialize, ToSchema)]
pub struct LookUpResponse {
    /// The cards, in the order of the request; a card that is requested twice is listed twice.
    pub data: Vec<CardResponse>,
    /// The identifiers for which there is no card, as they were sent. By name, a card that is hidden from the caller is not found.
    #[schema(example = json!([{ "game": "ttcg", "name": "Nobody" }]))]
    pub not_found: Vec<CardIdentifierBody>,
}

/// Looks up many cards at once, and returns a [`LookUpResponse`] as JSON. `identifiers` are the parsed entries of `named`, in the same order.
pub async fn look_up(
    app: &AppState,
    viewer: Viewer,
    named: Vec<CardIdentifierBody>,
    identifiers: &[CardIdentifier],
) -> Result<Bytes, Problem> {
    if let Some(found) = look_up_in_memory(app, viewer, identifiers).await? {
        return Ok(write_look_up(&named, &found).map_err(Problem::internal)?.into());
    }
    let scans = Scans::read(app).await?;
    let mut conn = app.store.connection().await?;
    let found = cards::look_up(&mut conn, viewer, identifiers).await?;
    let mut answer = LookUpResponse { data: Vec::new(), not_found: Vec::new() };
    for (identifier, card) in named.into_iter().zip(found) {
        match card {
            Some(card) => answer.data.push(CardResponse::new(card, &scans)),
            None => answer.not_found.push(identifier),
        }
    }
    Ok(serde_json::to_vec(&answer).map_err(Problem::internal)?.into())
}
