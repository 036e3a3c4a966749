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

/// An effect that is half made: what it lacks is suggested.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct PartialEffectRequest {
    /// Code of its style, in games that have styles. Absent: one that fits.
    #[schema(example = "equip", min_length = 1, max_length = 64)]
    style: Option<String>,
    /// Code of its slot, in games that have slots. Absent: one that is free.
    #[schema(min_length = 1, max_length = 64)]
    slot: Option<String>,
    /// Its sentence. Absent or empty: one that fits the style and suits the card.
    #[schema(max_length = 500)]
    text: Option<String>,
}

/// A design that is half made.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct PartialDesignRequest {
    /// Code of the kind of card.
    #[schema(example = "unit", min_length = 1, max_length = 64)]
    kind: String,
    /// Attributes by code: 64 at most. Those that the card must have and that are absent are suggested.
    #[serde(default)]
    #[schema(value_type = Option<Object>, example = json!({ "type": "fire", "rank": 1 }))]
    attributes: Map<String, Value>,
    /// Effects, in printed order: 12 at most. Those that the card must have and that are absent are suggested.
    #[serde(default)]
    #[schema(value_type = Option<Vec<PartialEffectRequest>>, max_items = 12)]
    effects: Vec<PartialEffectRequest>,
    /// Printings with values that the author chose: 32 at most. The others are worked out from the values of the design.
    #[serde(default)]
    #[schema(value_type = Option<Vec<DesignPrintingBody>>, max_items = 32)]
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

/// A design whose rest is wanted.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct DesignSuggestionRequest {
    /// Code of the game.
    #[schema(example = "ttcg", min_length = 1, max_length = 64)]
    game: String,
    /// Suggests the same again, as long as the manifest and the effect texts of the game do not change: 0 to 9007199254740991. Absent: one is drawn, and told.
    #[serde(default)]
    #[schema(value_type = Option<u64>, minimum = 0, maximum = 9_007_199_254_740_991_u64, example = 7)]
    seed: Option<EffectSeed>,
    /// What there is of the design.
    design: PartialDesignRequest,
}

/// Suggests the rest of a design that is half made. Nothing is stored.
///
/// What was sent stays as it is. Values that a card must have are drawn so that they fit the others; numbers that have a total are split as cards of the type usually split
/// it; sentences are drawn from the templates of the game's effect texts so that they fit the style and suit the card; the numbers of the printings are worked
/// out. `filled` tells what is new, `unfilled` what could not be filled in and why, `violations` what the rules find wrong with the result. The same request with the
/// same `seed` has the same answer as long as the manifest and the effect texts of the game do not change; parts that are kept leave the others as they were, as far
/// as they still fit.
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
