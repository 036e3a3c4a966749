//! Checks of a design while it is written.

use actix_web::{HttpResponse, web};
use serde::Deserialize;
use serde_json::{Map, Value};
use utoipa::ToSchema;

use crate::app::designs::design_bodies::{
    DesignArtworkBody, DesignEffectBody, DesignPrintingBody, DesignRequest,
};
use crate::app::designs::design_checks::{self, DesignCheckResponse};
use crate::app::problem::Problem;
use crate::app::state::AppState;
use crate::domain::designs::content::Licence;
use crate::http::extract::{Body, Caller, ClientNetwork};

/// An effect that may be unfinished.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct CheckedEffectRequest {
    /// Code of its style (how it is activated), in games that have styles.
    #[schema(example = "passive", max_length = 64)]
    style: Option<String>,
    /// Code of its slot (its place on the card), in games that have slots.
    #[schema(max_length = 64)]
    slot: Option<String>,
    /// The sentence, at most 500 characters. Absent or blank: the effect is unfinished, which is a violation.
    #[schema(example = "Draw one card.", max_length = 500)]
    text: Option<String>,
}

impl From<CheckedEffectRequest> for DesignEffectBody {
    fn from(request: CheckedEffectRequest) -> Self {
        let CheckedEffectRequest { style, slot, text } = request;
        Self { style, slot, text: text.unwrap_or_default() }
    }
}

/// A design to check, which may be unfinished: the members of a design, and `design`.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(example = json!({
    "game": "ttcg", "name": "Lantern Heron", "kind": "unit",
    "attributes": { "type": "earth", "rank": 1, "subtypes": ["beast"], "attack": 200, "defense": 300 },
    "effects": [
        { "style": "passive", "text": "After this card attacks, return it to your hand." },
        { "style": "normal", "text": "Discard one spell to gain 1 point." }
    ],
    "flavour": "It waits where the reeds are dark.", "licence": "release-1"
}))]
pub struct DesignCheckRequest {
    /// Identifier of the design of yours that you are editing: it is not compared with itself, nor with the card that it became. Absent: a new design, or perhaps your shared design with this name.
    #[serde(default)]
    #[schema(example = "D-7KQ2X0FM9F")]
    design: Option<String>,
    /// Code of the game.
    #[schema(example = "ttcg", min_length = 1, max_length = 64)]
    game: String,
    /// Name of the card, at most 120 characters, with a letter, a digit or a symbol.
    #[serde(default)]
    #[schema(example = "Lantern Heron", max_length = 120)]
    name: String,
    /// Code of the kind of card.
    #[schema(example = "unit", min_length = 1, max_length = 64)]
    kind: String,
    /// Attributes by code, at most 64. Those that differ between printings have the values of the lowest rarity.
    #[serde(default)]
    #[schema(value_type = Object, example = json!({ "type": "earth", "rank": 1, "attack": 200, "defense": 300 }))]
    attributes: Map<String, Value>,
    /// Effects in printed order, at most 12.
    #[serde(default)]
    #[schema(max_items = 12)]
    effects: Vec<CheckedEffectRequest>,
    /// Printings whose numbers you choose yourself, at most 32. The numbers of all others are computed.
    #[serde(default)]
    #[schema(max_items = 32)]
    printings: Vec<DesignPrintingBody>,
    /// Flavour text: one line of at most 200 characters.
    #[serde(default)]
    #[schema(example = "It waits where the reeds are dark.", max_length = 200)]
    flavour: Option<String>,
    /// Background text, at most 2000 characters: paragraphs, `*emphasis*` and `**strong emphasis**`; everything else is plain text, and `\*` is a plain star.
    #[serde(default)]
    #[schema(example = "Nobody has seen it *land*.", max_length = 2000)]
    lore: Option<String>,
    /// Names of people who helped, at most 200 characters.
    #[serde(default)]
    #[schema(max_length = 200)]
    credits: Option<String>,
    /// What you allow others to do with the design; absent: `none`.
    #[serde(default)]
    #[schema(value_type = Option<Licence>, example = "release-1")]
    licence: Option<String>,
    /// The picture in the artwork box of the card; absent: an emblem is drawn there.
    #[serde(default)]
    artwork: Option<DesignArtworkBody>,
}

impl From<DesignCheckRequest> for DesignRequest {
    fn from(request: DesignCheckRequest) -> Self {
        Self {
            game: request.game,
            name: request.name,
            kind: request.kind,
            attributes: request.attributes,
            effects: request.effects.into_iter().map(Into::into).collect(),
            printings: request.printings,
            flavour: request.flavour,
            lore: request.lore,
            credits: request.credits,
            licence: request.licence,
            artwork: request.artwork,
        }
    }
}

/// Checks a design without storing it.
///
/// Returns every rule that the design breaks in any rarity, the templates that make its sentences, and cards and designs with a similar name or with the same
/// effects. It is compared with open cards, shared designs and your own designs, but never with hidden cards, for any caller.
/// It is not compared with the stored `design` that you are editing, if you send its identifier. Without it, the name of one of your own shared designs does not count as taken, and
/// `own_design` says which design has it. An effect without a text is a violation.
///
/// `artwork` must be your own, as when the design is stored; leave it out to check a design without an account, or a change that you suggest to somebody else's design.
#[utoipa::path(
    post, path = "/v1/design-checks", tag = "designs", security((), ("bearer" = [])), request_body = DesignCheckRequest,
    responses(
        (status = 200, body = DesignCheckResponse),
        (status = 422, description = "`invalid_body`: the game does not exist, a text cannot be stored, the artwork is none that you have uploaded, or `design` is none of yours. A design that breaks rules is not an error."),
    )
)]
pub async fn check_design(
    state: web::Data<AppState>,
    caller: Caller,
    network: ClientNetwork,
    body: Body<DesignCheckRequest>,
) -> Result<HttpResponse, Problem> {
    let requester = caller.may();
    let (requester, mut request) = (requester.as_ref(), body.value);
    let stored = match request.design.take() {
        Some(design) => Some(design_checks::find_own_design(&state, requester, &design).await?),
        None => None,
    };
    let answer = design_checks::check(&state, network.0, requester, request.into(), stored).await?;
    Ok(HttpResponse::Ok().insert_header(("cache-control", "no-store")).json(answer))
}
