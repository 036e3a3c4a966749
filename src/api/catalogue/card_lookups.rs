//! Looking cards up: by name, by the beginning of a name, by chance, many at once.

use actix_web::http::header::{self, HeaderValue};
use actix_web::{HttpRequest, HttpResponse, web};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use utoipa::{IntoParams, ToSchema};
use uuid::Uuid;

use super::card_list::{ListRequest, too_slow};
use super::card_names::{look_up_in_memory, named_in_memory, suggest_in_memory, written_look_up};
use super::card_search::{ask_index, in_memory};
use super::cards::{Asked, CardResponse, answer_about, freshness, in_form};
use crate::app::catalogue::codes::Codes;
use crate::app::problem::{InputFault, Problem, ProblemCode};
use crate::app::state::AppState;
use crate::auth::permission::Viewer;
use crate::domain::catalogue::card_name::{Meant, TypedName, exactly, nearly};
use crate::domain::code::Code;
use crate::domain::draw::Draw;
use crate::domain::ids::CardId;
use crate::domain::network::Network;
use crate::domain::text::{TextError, line};
use crate::http::extract::{AnswerForm, Body, Caller, ClientNetwork, Params, cacheable};
use crate::memory::rendered::Rendered;
use crate::search::{CardFilter, CardQuery};
use crate::store::catalogue::cards::{self, CardIdentifier, NamePlace, NamedCard};

/// Most identifiers of one look-up.
const MAX_IDENTIFIERS: usize = 100;

/// Longest seed, in characters.
const MAX_SEED: usize = 100;

/// A name, and where to look for it. Exactly one of `exact` and `fuzzy`.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct NamedQuery {
    /// The whole name; case, spaces and punctuation do not count. Accents count only where several names differ in nothing else.
    #[param(value_type = Option<String>, max_length = 120)]
    exact: Option<String>,
    /// The name as somebody remembers it: misspelt, or some of its words or their beginnings in their order. Fewer than three
    /// letters are only taken for a whole name.
    #[param(value_type = Option<String>, max_length = 120, example = "ketle imp")]
    fuzzy: Option<String>,
    /// Code of a game. Without one all games are searched, and a name that two of them have is ambiguous.
    #[param(value_type = Option<String>, example = "ttcg")]
    game: Option<Code>,
    /// Code of a set. Without one a name that several sets of a game have is the first card of that name, by set and number.
    #[param(value_type = Option<String>)]
    set: Option<Code>,
}

impl NamedQuery {
    /// The name, and whether names like it will do.
    fn typed(&self) -> Result<(TypedName, bool), Problem> {
        let (parameter, text, near) = match (&self.exact, &self.fuzzy) {
            (Some(text), None) => ("?exact", text, false),
            (None, Some(text)) => ("?fuzzy", text, true),
            _ => return Err(bad_query("", "must have exactly one of exact and fuzzy")),
        };
        let typed = TypedName::parse(text).map_err(|error| bad_query(parameter, error))?;
        Ok((typed, near))
    }

    async fn place(&self, state: &AppState) -> Result<NamePlace, Problem> {
        let (game, set) = (self.game.clone(), self.set.clone());
        let codes = Codes { game, set, ..Codes::default() }.known(state).await?;
        let text = |code: Option<Code>| code.map(Code::into_string);
        Ok(NamePlace { game: text(codes.game), set: text(codes.set) })
    }
}

fn bad_query(parameter: &str, fault: impl std::fmt::Display) -> Problem {
    Problem::new(ProblemCode::InvalidQuery).errors(vec![InputFault::at(parameter, fault)])
}

/// Finds the card with a name.
///
/// A card that is hidden from the caller has no name. When several cards may be meant, the answer is 404 `ambiguous_name` with the
/// likeliest, 20 at most, as `candidates`: `id`, `game`, `set`, `number` and `name` of each.
#[utoipa::path(
    get, path = "/v1/cards/named", tag = "catalogue", security((), ("bearer" = [])), params(NamedQuery),
    responses(
        (status = 200, content((CardResponse = "application/json"), (String = "text/plain"))), (status = 304, description = "Not changed."),
        (status = 404, description = "`ambiguous_name`: several cards may be meant, see `candidates`; or no card (`not_found`)."),
    )
)]
pub async fn find_named_card(
    req: HttpRequest,
    state: web::Data<AppState>,
    caller: Caller,
    network: ClientNetwork,
    form: AnswerForm,
    query: Params<NamedQuery>,
) -> Result<HttpResponse, Problem> {
    let (viewer, (typed, near)) = (caller.viewer(), query.typed()?);
    let place = query.place(&state).await?;
    let candidates = match named_in_memory(&state, viewer, &place, &typed, near).await? {
        Some(candidates) => candidates,
        None if near => {
            let mut conn = state.searches.enter(network.0).await?;
            cards::named(&mut conn, viewer, &place, &typed, true).await.map_err(too_slow)?
        }
        None => {
            let mut conn = state.store.connection().await?;
            cards::named(&mut conn, viewer, &place, &typed, false).await?
        }
    };
    let meant = if near { nearly(&typed, candidates) } else { exactly(&typed, candidates) };
    match meant {
        Meant::One(card) => {
            let asked = Asked { viewer, form, include: None };
            let found = answer_about(&req, &state, asked, CardId(card.id)).await?;
            found.ok_or_else(Problem::not_found)
        }
        Meant::AnyOf(cards) => Err(ambiguous(cards)),
        Meant::Nothing => Err(Problem::not_found()),
    }
}

fn ambiguous(cards: Vec<NamedCard>) -> Problem {
    let candidate = |card: NamedCard| {
        json!({
            "id": card.id, "game": card.game_code, "set": card.set_code, "number": card.number, "name": card.name,
        })
    };
    let candidates: Vec<Value> = cards.into_iter().map(candidate).collect();
    Problem::new(ProblemCode::AmbiguousName).with("candidates", candidates)
}

/// What somebody has typed of a name.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct AutocompleteQuery {
    /// What was typed; case, punctuation and accents do not count.
    #[param(max_length = 120, example = "ket")]
    q: String,
    /// Code of a game.
    #[param(value_type = Option<String>, example = "ttcg")]
    game: Option<Code>,
    /// Names to suggest: 1 to 20.
    #[serde(default)]
    #[param(value_type = Option<u16>, minimum = 1, maximum = 20, default = 20)]
    limit: SuggestionLimit,
}

/// How many names a client wants: 1 to 20, 20 when it does not say.
#[derive(Clone, Copy, Deserialize)]
#[serde(try_from = "u16")]
pub struct SuggestionLimit(u16);

impl SuggestionLimit {
    const MAX: u16 = 20;
}

impl Default for SuggestionLimit {
    fn default() -> Self {
        Self(Self::MAX)
    }
}

impl TryFrom<u16> for SuggestionLimit {
    type Error = String;

    fn try_from(limit: u16) -> Result<Self, String> {
        if (1..=Self::MAX).contains(&limit) {
            Ok(Self(limit))
        } else {
            Err(format!("limit must be 1 to {}", Self::MAX))
        }
    }
}

/// Names of cards.
#[derive(Default, Serialize, ToSchema)]
pub struct CardNamesResponse {
    /// First those that begin with what was typed, then those with a word that does, then those that contain it.
    #[schema(example = json!(["Kettle Imp"]))]
    pub data: Vec<String>,
}

/// Suggests names that begin with `q`, or contain it.
///
/// Only names of cards that the caller may see; a name that several games have comes once. Names that
/// contain `q` inside a word are suggested from three letters on. An empty `q` gets an empty list.
#[utoipa::path(
    get, path = "/v1/cards/autocomplete", tag = "catalogue", security((), ("bearer" = [])), params(AutocompleteQuery),
    responses((status = 200, body = CardNamesResponse), (status = 304, description = "Not changed."))
)]
pub async fn suggest_card_names(
    req: HttpRequest,
    state: web::Data<AppState>,
    caller: Caller,
    network: ClientNetwork,
    query: Params<AutocompleteQuery>,
) -> Result<HttpResponse, Problem> {
    let viewer = caller.viewer();
    let codes = Codes { game: query.game.clone(), ..Codes::default() }.known(&state).await?;
    let data = match TypedName::parse(&query.q) {
        Err(TextError::Blank | TextError::Length { actual: 0, .. }) => Vec::new(),
        Err(error) => return Err(bad_query("?q", error)),
        Ok(typed) => {
            let (game, limit) = (codes.game.as_deref(), query.limit.0);
            match suggest_in_memory(&state, viewer, game, &typed, limit.into()).await? {
                Some(names) => names,
                None => {
                    let mut conn = state.searches.enter(network.0).await?;
                    let names = cards::suggest_names(&mut conn, viewer, game, &typed, limit.into());
                    names.await.map_err(too_slow)?
                }
            }
        }
    };
    cacheable(&req, freshness(viewer, true), None, &CardNamesResponse { data })
}

/// From which cards to draw.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct RandomQuery {
    /// Code of a game.
    #[param(value_type = Option<String>, example = "ttcg")]
    game: Option<Code>,
    /// Code of a set.
    #[param(value_type = Option<String>)]
    set: Option<Code>,
    /// A query in the language of docs/SEARCH.md. Every term of it must be usable: there is no place for warnings beside a card.
    /// What it says of order and printings does not count; regular expressions are tried on as many cards as in lists.
    #[param(value_type = Option<String>, max_length = 1000, example = "t:fire attack>=300")]
    q: Option<String>,
    /// Draws the same card again, as long as the caller may see the same cards: 1 to 100 characters.
    #[param(value_type = Option<String>, min_length = 1, max_length = 100, example = "2026-11-21")]
    seed: Option<String>,
}

impl RandomQuery {
    fn request(&self) -> ListRequest {
        let text = |code: &Option<Code>| code.as_ref().map(|code| code.lower_case().into_string());
        let (game, set) = (text(&self.game), text(&self.set));
        ListRequest {
            filter: CardFilter { game, set, ..CardFilter::default() },
            text: self.q.clone().unwrap_or_default(),
            ..ListRequest::default()
        }
    }
}

/// Draws a random card.
///
/// Each card that fits and that the caller may see is as likely as the others; a card that is hidden from the caller is never drawn and changes
/// nothing. Without a `seed` no answer is kept by a cache.
#[utoipa::path(
    get, path = "/v1/cards/random", tag = "catalogue", security((), ("bearer" = [])), params(RandomQuery),
    responses(
        (status = 200, content((CardResponse = "application/json"), (String = "text/plain"))), (status = 304, description = "Not changed."),
        (status = 404, description = "`not_found`: there is no card to draw."),
    )
)]
pub async fn draw_card(
    req: HttpRequest,
    state: web::Data<AppState>,
    caller: Caller,
    network: ClientNetwork,
    form: AnswerForm,
    query: Params<RandomQuery>,
) -> Result<HttpResponse, Problem> {
    let viewer = caller.viewer();
    let seed = query.seed.as_deref().map(|seed| line(seed, 1, MAX_SEED)).transpose();
    let seed = seed.map_err(|error| bad_query("?seed", error))?;
    let draw = seed.as_deref().map_or_else(Draw::fresh, Draw::of_seed);
    let from = query.request().without_warnings(&state).await?;
    let fresh = freshness(viewer, true);
    let mut answer = match draw_in_memory(&state, network.0, viewer, &from, draw).await? {
        Some(None) => return Err(Problem::not_found()),
        Some(Some(card)) if form == AnswerForm::Json => {
            let body = state.bodies_of(viewer, &[card]).await?.pop();
            let body = body.ok_or_else(Problem::not_found)?;
            form.told_apart(Rendered::of_json(fresh, body).answer(&req))
        }
        Some(Some(card)) => {
            let find = async |conn: &_| cards::find(conn, viewer, card).await;
            let found = state.store.read(find).await?.ok_or_else(Problem::not_found)?;
            in_form(&req, form, fresh, None, found)?
        }
        None => {
            let most = state.settings.search_candidates.into();
            let mut conn = state.searches.enter(network.0).await?;
            let drawn = cards::random(&mut conn, viewer, &from, most, draw).await;
            let card = drawn.map_err(too_slow)?.ok_or_else(Problem::not_found)?;
            in_form(&req, form, fresh, None, card)?
        }
    };
    if seed.is_none() {
        answer.headers_mut().remove(header::ETAG);
        answer.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    }
    Ok(answer)
}

/// The card that is drawn, if any fits. `None`: the database has to be asked.
async fn draw_in_memory(
    state: &AppState,
    network: Network,
    viewer: Viewer,
    from: &CardQuery,
    draw: Draw,
) -> Result<Option<Option<CardId>>, Problem> {
    let Some((all, view)) = in_memory(state, viewer, from).await? else { return Ok(None) };
    let number = u64::try_from(draw.number()).unwrap_or_default();
    let query = from.clone();
    let draw = move || all.random(&query, &view, number);
    let drawn = ask_index(state, network, from, draw).await?;
    Ok(Some(drawn.map(|card| CardId(Uuid::from_u128(card)))))
}

/// What names a card: `id`; or `game`, `set` and `number`; or `game`, `name` and perhaps `set`.
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
    /// Its whole name, compared like `exact` of `GET /v1/cards/named`. Without a set it is the first card of that name by set and
    /// number, in games that have several.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(example = "Kettle Imp", min_length = 1, max_length = 120)]
    pub name: Option<String>,
}

impl CardIdentifierBody {
    /// The identifier; faults name the field. `ids` is what may name it alone, as fields are called there: its own id is the last.
    pub(in crate::api) fn parse(
        &self,
        at: &str,
        ids: &[&str],
        faults: &mut Vec<InputFault>,
    ) -> Option<CardIdentifier> {
        let Self { id, game, set, number, name } = self;
        let mut code = |field: &str, text: &String| {
            let code = Code::try_from(text.clone());
            code.map_err(|error| faults.push(InputFault::at(format!("{at}/{field}"), error))).ok()
        };
        match (id, game, set, number, name) {
            (Some(id), None, None, None, None) => match id.parse() {
                Ok(id) => Some(CardIdentifier::Id(CardId(id))),
                Err(_) => {
                    let field = ids.last().copied().unwrap_or_default();
                    faults.push(InputFault::at(format!("{at}/{field}"), "must be a UUID"));
                    None
                }
            },
            (None, Some(game), Some(set), Some(number), None) => {
                let codes = (code("game", game), code("set", set), code("number", number));
                let (Some(game), Some(set), Some(number)) = codes else { return None };
                let (game, set) = (game.into_string(), set.into_string());
                Some(CardIdentifier::Number { game, set, number: number.into_string() })
            }
            (None, Some(game), set, None, Some(name)) => {
                let game = code("game", game);
                let set = set.as_ref().map(|set| code("set", set));
                let name = TypedName::parse(name)
                    .map_err(|error| faults.push(InputFault::at(format!("{at}/name"), error)));
                let (Some(game), Ok(name)) = (game, name) else { return None };
                let set = set.flatten().map(Code::into_string);
                Some(CardIdentifier::Name { game: game.into_string(), set, name })
            }
            _ => {
                let ids = ids.join("; or ");
                let kinds = "or game, set and number; or game, name and perhaps set";
                faults.push(InputFault::at(at, format!("must have exactly {ids}; {kinds}")));
                None
            }
        }
    }
}

/// Which cards to look up.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct LookUpRequest {
    /// 1 to 100 identifiers, of any kinds.
    #[schema(min_items = 1, max_items = 100, example = json!([
        { "id": "01998d5e-7a35-7c54-b0a0-1f6f4f5f2b11" },
        { "game": "ttcg", "set": "hearth", "number": "001" },
        { "game": "ttcg", "name": "Kettle Imp" },
    ]))]
    identifiers: Vec<CardIdentifierBody>,
}

impl LookUpRequest {
    /// The identifiers, or every fault of them.
    fn parse(&self) -> Result<Vec<CardIdentifier>, Problem> {
        let count = self.identifiers.len();
        if !(1..=MAX_IDENTIFIERS).contains(&count) {
            let detail = format!("must be 1 to {MAX_IDENTIFIERS} identifiers, not {count}");
            return Err(Problem::invalid(vec![InputFault::at("/identifiers", detail)]));
        }
        let mut faults = Vec::new();
        let identifiers = self.identifiers.iter().enumerate().filter_map(|(index, identifier)| {
            identifier.parse(&format!("/identifiers/{index}"), &["id"], &mut faults)
        });
        let identifiers = identifiers.collect();
        if faults.is_empty() { Ok(identifiers) } else { Err(Problem::invalid(faults)) }
    }
}

/// The cards that were found, and the identifiers of the others.
#[derive(Serialize, ToSchema)]
pub struct LookUpResponse {
    /// The cards, in the order of the request; a card that is requested twice is listed twice.
    pub data: Vec<CardResponse>,
    /// The identifiers that name no card, or none that the caller may see by its name, as they were given.
    #[schema(example = json!([{ "game": "ttcg", "name": "Nobody" }]))]
    pub not_found: Vec<CardIdentifierBody>,
}

/// Looks up many cards at once.
///
/// A card that is hidden from the caller is found by id and by number, without its contents, and never by its name. A
/// name that differs from several names in nothing but accents is not found.
#[utoipa::path(
    post, path = "/v1/cards/lookup", tag = "catalogue", security((), ("bearer" = [])), request_body = LookUpRequest,
    responses((status = 200, body = LookUpResponse))
)]
pub async fn look_up_cards(
    state: web::Data<AppState>,
    caller: Caller,
    body: Body<LookUpRequest>,
) -> Result<HttpResponse, Problem> {
    let (viewer, identifiers) = (caller.viewer(), body.value.parse()?);
    if let Some(found) = look_up_in_memory(&state, viewer, &identifiers).await? {
        let written =
            written_look_up(&body.value.identifiers, &found).map_err(Problem::internal)?;
        return Ok(HttpResponse::Ok()
            .insert_header((header::CACHE_CONTROL, "no-store"))
            .content_type("application/json")
            .body(written));
    }
    let mut conn = state.store.connection().await?;
    let found = cards::look_up(&mut conn, viewer, &identifiers).await?;
    let mut answer = LookUpResponse { data: Vec::new(), not_found: Vec::new() };
    for (identifier, card) in body.value.identifiers.into_iter().zip(found) {
        match card {
            Some(card) => answer.data.push(card.into()),
            None => answer.not_found.push(identifier),
        }
    }
    Ok(HttpResponse::Ok().insert_header((header::CACHE_CONTROL, "no-store")).json(answer))
}
