//! Suggestions for incomplete designs.

use actix_web::http::header;
use actix_web::{HttpResponse, web};
use serde::Deserialize;
use serde_json::{Map, Value};
use utoipa::ToSchema;

use crate::app::designs::design_bodies::DesignPrintingBody;
use crate::app::designs::design_suggestions::{
    self, DesignSuggestionResponse, PartialDesign, PartialEffect,
};
use crate::app::effects::sentences::EffectSeed;
use crate::app::problem::Problem;
use crate::app::state::AppState;
use crate::http::extract::Body;

/// An incomplete effect: its missing parts are suggested.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct PartialEffectRequest {
    /// Code of its style, in games that have styles. Absent: a fitting style is suggested.
    #[schema(example = "equip", min_length = 1, max_length = 64)]
    style: Option<String>,
    /// Code of its slot, in games that have slots. Absent: a free slot is suggested.
    #[schema(min_length = 1, max_length = 64)]
    slot: Option<String>,
    /// Its sentence. Absent or blank: a sentence is suggested that fits the style and suits the card.
    #[schema(max_length = 500)]
    text: Option<String>,
}

/// An incomplete design.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct PartialDesignRequest {
    /// Code of the kind of card.
    #[schema(example = "unit", min_length = 1, max_length = 64)]
    kind: String,
    /// Attributes by code, at most 64. Missing required attributes are suggested.
    #[serde(default)]
    #[schema(value_type = Object, example = json!({ "type": "fire", "rank": 1 }))]
    attributes: Map<String, Value>,
    /// Effects in printed order, at most 12. Missing required effects are suggested.
    #[serde(default)]
    #[schema(max_items = 12)]
    effects: Vec<PartialEffectRequest>,
    /// Printings with values that the author chose, at most 32. All others are computed from the attributes of the design.
    #[serde(default)]
    #[schema(max_items = 32)]
    printings: Vec<DesignPrintingBody>,
}

impl From<PartialDesignRequest> for PartialDesign {
    fn from(request: PartialDesignRequest) -> Self {
        let PartialDesignRequest { kind, attributes, effects, printings } = request;
        let effect = |effect: PartialEffectRequest| {
            let PartialEffectRequest { style, slot, text } = effect;
            PartialEffect { style, slot, text }
        };
        Self {
            kind,
            attributes,
            effects: effects.into_iter().map(effect).collect(),
            printings: printings.into_iter().map(Into::into).collect(),
        }
    }
}

/// A request for the missing parts of a design.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct DesignSuggestionRequest {
    /// Code of the game.
    #[schema(example = "ttcg", min_length = 1, max_length = 64)]
    game: String,
    /// Seed of the random choices, 0 to 9007199254740991: with the same seed, the same request has the same answer until the manifest or the effect texts of the
    /// game change. Absent: a seed is drawn and returned.
    #[serde(default)]
    #[schema(value_type = Option<u64>, minimum = 0, maximum = 9_007_199_254_740_991_u64, example = 7)]
    seed: Option<EffectSeed>,
    /// The incomplete design.
    design: PartialDesignRequest,
}

/// Suggests the missing parts of a design. Nothing is stored.
///
/// The parts that you sent are not changed. Required values are drawn so that they fit the others; numbers that have a total are split as cards of the type
/// usually split it; sentences are drawn from the templates of the game's effect texts so that they fit the style and suit the card; the numbers of the printings
/// are computed. `filled` lists the new parts, `unfilled` the parts that could not be filled in, with the reason, and `violations` the rules that the result
/// breaks. The same request with the same `seed` has the same answer until the manifest or the effect texts of the game change. If you send some parts of a
/// suggestion back with the same `seed`, the other parts stay the same, as far as they still fit.
#[utoipa::path(
    post, path = "/v1/design-suggestions", tag = "designs", request_body = DesignSuggestionRequest,
    responses(
        (status = 200, body = DesignSuggestionResponse),
        (status = 422, description = "`invalid_body`: there is no such game or kind, or a text cannot be stored."),
    )
)]
pub async fn create_design_suggestion(
    state: web::Data<AppState>,
    body: Body<DesignSuggestionRequest>,
) -> Result<HttpResponse, Problem> {
    let DesignSuggestionRequest { game, seed, design } = body.value;
    let answer = design_suggestions::create(&state, game, seed, design.into()).await?;
    Ok(HttpResponse::Ok().insert_header((header::CACHE_CONTROL, "no-store")).json(answer))
}
