//! Planning print runs.

use std::collections::BTreeMap;

use actix_web::{HttpResponse, web};
use serde::Deserialize;
use utoipa::ToSchema;

use crate::app::printing::print_plans::{self, PrintPlanResponse, RunRequest};
use crate::app::problem::Problem;
use crate::app::state::AppState;
use crate::auth::permission::{Planner, ReadPrintRuns};
use crate::domain::code::Code;
use crate::domain::printing::packs::PackParameters;
use crate::http::extract::{Body, May};

/// How packs are made. All weights are in milligrams; what is left out has its default.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct PacksRequest {
    /// Cards in a pack, the lore card not counted: 10 when absent.
    #[schema(example = 10, minimum = 1, maximum = 1000)]
    pub cards_per_pack: Option<u32>,
    /// Whether copies that make no whole pack may be left over; otherwise such a plan is refused.
    #[schema(example = false)]
    pub remainder: Option<bool>,
    /// Weight of a card: 1800 when absent.
    #[schema(example = 1800, minimum = 1, maximum = 1_000_000)]
    pub card_mg: Option<u32>,
    /// Weights of cards in rarities that weigh something else than `card_mg`, by the code of the rarity.
    #[schema(example = json!({ "primal_rare": 1815 }))]
    pub rarity_mg: Option<BTreeMap<String, u32>>,
    /// Numbers of the set's cards that are lore cards: their copies take the place of the lore card in packs that are drawn for them,
    /// instead of being dealt with the others. All other packs get a lore card without a code, about a drawn card.
    #[schema(example = json!(["155", "156"]))]
    pub lore_cards: Option<Vec<String>>,
    /// Lightest lore card: 600 when absent.
    #[schema(example = 600, minimum = 1, maximum = 1_000_000)]
    pub lore_min_mg: Option<u32>,
    /// Heaviest lore card: 900 when absent.
    #[schema(example = 900, minimum = 1, maximum = 1_000_000)]
    pub lore_max_mg: Option<u32>,
    /// Shapes of inserts: 64 when absent.
    #[schema(example = 64, minimum = 1, maximum = 10_000)]
    pub insert_shapes: Option<u32>,
    /// Lightest insert: 200 when absent.
    #[schema(example = 200, minimum = 1, maximum = 1_000_000)]
    pub insert_min_mg: Option<u32>,
    /// Heaviest insert: 800 when absent.
    #[schema(example = 800, minimum = 1, maximum = 1_000_000)]
    pub insert_max_mg: Option<u32>,
    /// Inserts are made in steps of so many mg, from the lightest: 10 when absent.
    #[schema(example = 10, minimum = 1, maximum = 1_000_000)]
    pub insert_step_mg: Option<u32>,
    /// How far the weight of a pack may be from the common one, at least half of `insert_step_mg`: 5 when absent.
    #[schema(example = 5, minimum = 0, maximum = 1_000_000)]
    pub tolerance_mg: Option<u32>,
}

impl From<&PacksRequest> for PackParameters {
    fn from(request: &PacksRequest) -> Self {
        let usual = Self::default();
        Self {
            card_mg: request.card_mg.unwrap_or(usual.card_mg),
            cards_per_pack: request.cards_per_pack.unwrap_or(usual.cards_per_pack),
            insert_max_mg: request.insert_max_mg.unwrap_or(usual.insert_max_mg),
            insert_min_mg: request.insert_min_mg.unwrap_or(usual.insert_min_mg),
            insert_shapes: request.insert_shapes.unwrap_or(usual.insert_shapes),
            insert_step_mg: request.insert_step_mg.unwrap_or(usual.insert_step_mg),
            lore_cards: request.lore_cards.clone().unwrap_or_default(),
            lore_max_mg: request.lore_max_mg.unwrap_or(usual.lore_max_mg),
            lore_min_mg: request.lore_min_mg.unwrap_or(usual.lore_min_mg),
            rarity_mg: request.rarity_mg.clone().unwrap_or_default(),
            remainder: request.remainder.unwrap_or(usual.remainder),
            tolerance_mg: request.tolerance_mg.unwrap_or(usual.tolerance_mg),
        }
    }
}

/// A print run to plan.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct PrintPlanRequest {
    /// Copies of each card, shared by its rarities.
    #[schema(example = 100, minimum = 1, maximum = 10_000_000)]
    pub copies_per_card: u64,
    /// Deals the run into packs.
    pub packs: Option<PacksRequest>,
}

impl PrintPlanRequest {
    /// The requested run of a set.
    pub(super) fn of(&self, game: Code, set: Code) -> RunRequest {
        RunRequest {
            game: game.into_string(),
            set: set.into_string(),
            copies_per_card: self.copies_per_card,
            packs: self.packs.as_ref().map(PackParameters::from),
        }
    }
}

/// Plans a print run: shows what it would hold, before it is announced or printed.
///
/// Every card gets the same number of copies; its rarities share them by weight, by the method of the largest remainder, and equal
/// remainders take turns from card to card. Nothing is stored, and no code is made: printing is done on the command line.
#[utoipa::path(
    post, path = "/v1/games/{game}/sets/{set}/print-plans", tag = "serials", security(("bearer" = [])),
    request_body = PrintPlanRequest,
    params(
        ("game" = String, Path, description = "Code of the game", example = "ttcg"),
        ("set" = String, Path, description = "Code of the set", example = "hearth"),
    ),
    responses((status = 200, body = PrintPlanResponse), (status = 422, description = "`print_plan_refused`, `invalid_body`"))
)]
pub async fn create_print_plan(
    state: web::Data<AppState>,
    by: May<ReadPrintRuns>,
    path: web::Path<(Code, Code)>,
    body: Body<PrintPlanRequest>,
) -> Result<HttpResponse, Problem> {
    let (game, set) = path.into_inner();
    let request = body.value.of(game, set);
    let answer = print_plans::create(&state, &Planner::from(&*by), &request).await?;
    Ok(HttpResponse::Ok().insert_header(("cache-control", "no-store")).json(answer))
}
