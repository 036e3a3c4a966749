//! Look-ups of cards: by name, by the beginning of a name, at random, and many at once.

use actix_web::http::header::{self, HeaderValue};
use actix_web::{HttpRequest, HttpResponse, web};
use serde::Deserialize;
use utoipa::{IntoParams, ToSchema};

use crate::app::catalogue::card_lookups::{
    self, CardIdentifierBody, CardNamesResponse, LookUpResponse, NameSearch, bad_query,
};
use crate::app::catalogue::card_query::ListRequest;
use crate::app::catalogue::cards::{CardResponse, freshness};
use crate::app::catalogue::codes::Codes;
use crate::app::problem::{InputFault, Problem, both};
use crate::app::state::AppState;
use crate::domain::catalogue::card_name::TypedName;
use crate::domain::code::Code;
use crate::domain::draw::Draw;
use crate::domain::text::line;
use crate::http::extract::{
    AnswerForm, Caller, ClientNetwork, Judge, JudgedBody, LooseParams, cacheable,
};
use crate::search::CardFilter;
use crate::store::catalogue::cards::CardIdentifier;

/// Most identifiers of one look-up.
const MAX_IDENTIFIERS: usize = 100;

/// Longest seed, in characters.
const MAX_SEED: usize = 100;

/// A name, and where to look for it. Exactly one of `exact` and `fuzzy`.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct NamedQuery {
    /// The whole name; case, spaces and punctuation do not count. Accents count only if several names differ in nothing else.
    #[param(value_type = Option<String>, max_length = 120)]
    exact: Option<String>,
    /// A name as the user remembers it: misspelt, or some words of the name or their beginnings, in the order of the name. A text of fewer than three
    /// letters only matches a whole name.
    #[param(value_type = Option<String>, max_length = 120, example = "ketle imp")]
    fuzzy: Option<String>,
    /// Code of a game. If it is absent, all games are searched, and a name that two games have is ambiguous.
    #[param(value_type = Option<String>, example = "ttcg")]
    game: Option<Code>,
    /// Code of a set. If it is absent, a name that several sets of a game have means the first card of that name, by set and number.
    #[param(value_type = Option<String>)]
    set: Option<Code>,
}

impl NamedQuery {
    /// The name, and whether similar names are accepted.
    fn typed(&self) -> Result<(TypedName, bool), Problem> {
        let (parameter, text, near) = match (&self.exact, &self.fuzzy) {
            (Some(text), None) => ("?exact", text, false),
            (None, Some(text)) => ("?fuzzy", text, true),
            _ => return Err(bad_query("", "must have exactly one of exact and fuzzy")),
        };
        let name = TypedName::parse(text).map_err(|error| bad_query(parameter, error))?;
        Ok((name, near))
    }

    /// The search; reports every fault.
    async fn search(&self, state: &AppState) -> Result<NameSearch, Problem> {
        let place = card_lookups::find_place(state, self.game.clone(), self.set.clone());
        let ((name, near), place) = both(self.typed(), place.await)?;
        Ok(NameSearch { name, near, place })
    }
}

/// Finds the card with a name.
///
/// A card that is hidden from the caller cannot be found by its name. If several cards may be meant, the answer is 404 `ambiguous_name` with the most
/// likely ones, at most 20, as `candidates`: `id`, `game`, `set`, `number` and `name` of each.
#[utoipa::path(
    get, path = "/v1/cards/named", tag = "catalogue", security((), ("bearer" = [])), params(NamedQuery),
    responses(
        (status = 200, content((CardResponse = "application/json"), (String = "text/plain")),
            headers(("Last-Modified" = String, description = "When the card last changed; absent for a hidden card"))),
        (status = 304, description = "Not changed."),
        (status = 404, description = "`ambiguous_name`: several cards may be meant, see `candidates`; or no card has the name (`not_found`)."),
    )
)]
pub async fn find_named_card(
    req: HttpRequest,
    state: web::Data<AppState>,
    caller: Caller,
    network: ClientNetwork,
    form: AnswerForm,
    query: LooseParams<NamedQuery>,
) -> Result<HttpResponse, Problem> {
    let viewer = caller.viewer();
    let (_, search) = query.checked(async |query| query.search(&state).await).await?;
    let found = card_lookups::find_named(&state, network.0, viewer, form, &search).await?;
    Ok(form.vary_by_accept(found.answer(&req)))
}

/// The typed beginning of a name.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct AutocompleteQuery {
    /// The text that the user has typed; case, punctuation and accents do not count.
    #[param(max_length = 120, example = "ket")]
    q: String,
    /// Code of a game.
    #[param(value_type = Option<String>, example = "ttcg")]
    game: Option<Code>,
    /// Largest number of names: 1 to 20.
    #[serde(default)]
    #[param(value_type = Option<u16>, minimum = 1, maximum = 20, default = 20)]
    limit: SuggestionLimit,
}

/// How many names a client asks for: 1 to 20, by default 20.
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

/// Suggests names that begin with `q`, or contain it.
///
/// Only names of cards that the caller may see are suggested; a name that occurs in several games is listed once. Names that contain `q` inside a
/// word are suggested if `q` has at least three letters. If `q` is empty, the list is empty.
#[utoipa::path(
    get, path = "/v1/cards/autocomplete", tag = "catalogue", security((), ("bearer" = [])), params(AutocompleteQuery),
    responses((status = 200, body = CardNamesResponse), (status = 304, description = "Not changed."))
)]
pub async fn suggest_card_names(
    req: HttpRequest,
    state: web::Data<AppState>,
    caller: Caller,
    network: ClientNetwork,
    query: LooseParams<AutocompleteQuery>,
) -> Result<HttpResponse, Problem> {
    let viewer = caller.viewer();
    let check = async |query: &AutocompleteQuery| {
        let codes = Codes::of_game(query.game.clone());
        both(card_lookups::read_beginning(&query.q), codes.resolve(&state).await)
    };
    let (AutocompleteQuery { limit, .. }, (typed, codes)) = query.checked(check).await?;
    let (typed, game) = (typed.as_ref(), codes.game.as_ref());
    let names =
        card_lookups::suggest_names(&state, network.0, viewer, typed, game, limit.0).await?;
    cacheable(&req, freshness(viewer, true), None, &names)
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
    /// A query in the language of `/docs/search`. A query with a term that cannot be used is refused, because the answer has no place for warnings.
    /// Its terms about order and printings are ignored. Regular expressions are tested on as many cards as in lists.
    #[param(value_type = Option<String>, max_length = 1000, example = "t:fire attack>=300")]
    q: Option<String>,
    /// With the same seed the same card is drawn again, as long as the caller may see the same cards: 1 to 100 characters.
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
/// Of the cards that match and that the caller may see, each has the same probability. A card that is hidden from the caller is never drawn and does
/// not affect the draw. Without a `seed`, the answer is not cached.
#[utoipa::path(
    get, path = "/v1/cards/random", tag = "catalogue", security((), ("bearer" = [])), params(RandomQuery),
    responses(
        (status = 200, content((CardResponse = "application/json"), (String = "text/plain")),
            headers(("ETag" = String, description = "Version of the answer, for `If-None-Match`; absent without `seed`"))),
        (status = 304, description = "Not changed."),
        (status = 404, description = "`not_found`: no card matches."),
    )
)]
pub async fn draw_card(
    req: HttpRequest,
    state: web::Data<AppState>,
    caller: Caller,
    network: ClientNetwork,
    form: AnswerForm,
    query: LooseParams<RandomQuery>,
) -> Result<HttpResponse, Problem> {
    let viewer = caller.viewer();
    let check = async |query: &RandomQuery| {
        let seed = query.seed.as_deref().map(|seed| line(seed, 1, MAX_SEED)).transpose();
        let seed = seed.map_err(|error| bad_query("?seed", error));
        both(seed, query.request().check_strictly(&state).await)
    };
    let (_, (seed, from)) = query.checked(check).await?;
    let draw = seed.as_deref().map_or_else(Draw::random, Draw::of_seed);
    let drawn = card_lookups::draw(&state, network.0, viewer, form, &from, draw).await?;
    let mut answer = form.vary_by_accept(drawn.answer(&req));
    if seed.is_none() {
        answer.headers_mut().remove(header::ETAG);
        answer.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    }
    Ok(answer)
}

/// The cards to look up.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct LookUpRequest {
    /// 1 to 100 identifiers; their kinds may be mixed.
    #[schema(min_items = 1, max_items = 100, example = json!([
        { "id": "01998d5e-7a35-7c54-b0a0-1f6f4f5f2b11" },
        { "game": "ttcg", "set": "hearth", "number": "001" },
        { "game": "ttcg", "name": "Kettle Imp" },
    ]))]
    identifiers: Vec<CardIdentifierBody>,
}

impl LookUpRequest {
    /// Parses the identifiers, or reports every fault.
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

impl Judge for LookUpRequest {
    fn judge(&self) -> Result<(), Problem> {
        self.parse().map(drop)
    }
}

/// Looks up many cards at once.
///
/// A card that is hidden from the caller is found by its id and by its number, without its contents, and never by its name. A name that differs from
/// the names of several cards only in accents is not found.
#[utoipa::path(
    post, path = "/v1/cards/lookup", tag = "catalogue", security((), ("bearer" = [])), request_body = LookUpRequest,
    responses((status = 200, body = LookUpResponse))
)]
pub async fn look_up_cards(
    state: web::Data<AppState>,
    caller: Caller,
    JudgedBody(body): JudgedBody<LookUpRequest>,
) -> Result<HttpResponse, Problem> {
    let (viewer, identifiers) = (caller.viewer(), body.value.parse()?);
    let named = body.value.identifiers;
    let answer = card_lookups::look_up(&state, viewer, named, &identifiers).await?;
    Ok(HttpResponse::Ok()
        .insert_header((header::CACHE_CONTROL, "no-store"))
        .content_type("application/json")
        .body(answer))
}
