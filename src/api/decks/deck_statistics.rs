//! Statistics of decks, the odds of draws, and sample hands.

use actix_web::{HttpRequest, HttpResponse, web};
use serde::Deserialize;
use utoipa::IntoParams;
use uuid::Uuid;

use crate::app::decks::deck_statistics::{
    self, DeckStatisticsResponse, DrawOddsResponse, OddsRequest, SampleHandResponse,
};
use crate::app::problem::Problem;
use crate::app::state::AppState;
use crate::domain::ids::DeckId;
use crate::http::extract::{Caller, ClientNetwork, Params, cacheable};
use crate::memory::rendered::Freshness;

/// Counts the cards of a deck by zone, kind, set, rarity and attribute.
///
/// The deck must be public, unlisted or yours. Attributes with numbers also have curves. Cards that are hidden from you count as unknown cards.
#[utoipa::path(
    get, path = "/v1/decks/{deck}/statistics", tag = "decks", security((), ("bearer" = [])),
    params(("deck" = Uuid, Path, description = "Id of the deck")),
    responses(
        (status = 200, body = DeckStatisticsResponse),
        (status = 304, description = "Not changed."),
    )
)]
pub async fn find_deck_statistics(
    req: HttpRequest,
    state: web::Data<AppState>,
    caller: Caller,
    network: ClientNetwork,
    deck: web::Path<Uuid>,
) -> Result<HttpResponse, Problem> {
    let (reads, requester) = (caller.may(), (caller.viewer(), network.0));
    let counted = deck_statistics::count(&state, reads.as_ref(), requester, DeckId(*deck)).await?;
    cacheable(&req, Freshness::Private, None, &counted)
}

/// Which draws.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct OddsQuery {
    /// The zone from which cards are drawn, by its code, its name or an alias, in any case; absent: the main zone.
    zone: Option<String>,
    /// Name of the wanted cards. Exactly one of these is required: `name`, `kind`, or `attribute` with `value`.
    #[param(example = "Kettle Imp")]
    name: Option<String>,
    /// Kind of the wanted cards, by code, in any case.
    kind: Option<String>,
    /// Code of an attribute: cards are wanted if it has the value `value`, or, for lists, if one of its elements has it.
    attribute: Option<String>,
    /// Value of the attribute.
    value: Option<String>,
    /// Smallest number of wanted cards to draw; absent: 1, or 0 if `max` is 0.
    #[param(example = 1)]
    min: Option<u64>,
    /// Largest number of wanted cards to draw, at least `min`; absent: any number.
    max: Option<u64>,
    /// Number of cards in the opening hand; absent: the number that the game states. It is required if the game states none.
    #[param(maximum = 10000)]
    hand_size: Option<u32>,
    /// Number of draws after the opening hand.
    #[serde(default)]
    #[param(default = 0, maximum = 10000)]
    draws: u32,
    /// Whether you go first.
    #[serde(default)]
    #[param(default = false)]
    goes_first: bool,
    /// Largest number of mulligans that you would take, but never more than the game allows; absent: as many as the game allows.
    #[param(maximum = 20)]
    mulligans: Option<u32>,
}

/// Computes the probability of drawing certain cards: in the opening hand, after further draws, after mulligans, and by turn.
///
/// The deck must be public, unlisted or yours. The probabilities are exact; they are also given as fractions if these fit into 128 bits.
/// `/docs/deck-statistics` has the formulas. `warnings` reports if no card of the zone is known to be a wanted one; then the name or value may be misspelt.
#[utoipa::path(
    get, path = "/v1/decks/{deck}/draw-odds", tag = "decks", security((), ("bearer" = [])),
    params(("deck" = Uuid, Path, description = "Id of the deck"), OddsQuery),
    responses(
        (status = 200, body = DrawOddsResponse),
        (status = 304, description = "Not changed."),
    )
)]
pub async fn find_draw_odds(
    req: HttpRequest,
    state: web::Data<AppState>,
    caller: Caller,
    network: ClientNetwork,
    deck: web::Path<Uuid>,
    query: Params<OddsQuery>,
) -> Result<HttpResponse, Problem> {
    let (reads, requester) = (caller.may(), (caller.viewer(), network.0));
    let request = OddsRequest {
        zone: query.zone.clone(),
        name: query.name.clone(),
        kind: query.kind.clone(),
        attribute: query.attribute.clone(),
        value: query.value.clone(),
        min: query.min,
        max: query.max,
        hand_size: query.hand_size,
        draws: query.draws,
        goes_first: query.goes_first,
        mulligans: query.mulligans,
    };
    let odds =
        deck_statistics::odds(&state, reads.as_ref(), requester, DeckId(*deck), request).await?;
    cacheable(&req, Freshness::Private, None, &odds)
}

/// Which hand.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct HandQuery {
    /// The zone from which cards are drawn, by its code, its name or an alias, in any case; absent: the main zone.
    zone: Option<String>,
    /// Any text: the same seed draws the same hand. Absent: each request draws another hand.
    #[param(example = "monday", max_length = 100)]
    seed: Option<String>,
    /// Number of cards in the opening hand; absent: the number that the game states. It is required if the game states none. Opening hand and draws
    /// together are at most 1000 cards.
    #[param(maximum = 1000)]
    hand_size: Option<u32>,
    /// Number of draws after the opening hand; with it at most 1000 cards.
    #[serde(default)]
    #[param(default = 0, maximum = 1000)]
    draws: u32,
}

/// Draws a random opening hand from a deck, and further cards.
///
/// The deck must be public, unlisted or yours.
#[utoipa::path(
    get, path = "/v1/decks/{deck}/sample-hand", tag = "decks", security((), ("bearer" = [])),
    params(("deck" = Uuid, Path, description = "Id of the deck"), HandQuery),
    responses(
        (status = 200, body = SampleHandResponse),
        (status = 304, description = "Not changed."),
    )
)]
pub async fn find_sample_hand(
    req: HttpRequest,
    state: web::Data<AppState>,
    caller: Caller,
    network: ClientNetwork,
    deck: web::Path<Uuid>,
    query: Params<HandQuery>,
) -> Result<HttpResponse, Problem> {
    let (reads, requester) = (caller.may(), (caller.viewer(), network.0));
    let drawn = (query.zone.clone(), query.seed.clone());
    let counts = (query.hand_size, query.draws);
    let id = DeckId(*deck);
    let hand = deck_statistics::hand(&state, reads.as_ref(), requester, id, drawn, counts).await?;
    cacheable(&req, Freshness::Private, None, &hand)
}
