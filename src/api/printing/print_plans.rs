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
use crate::http::extract::{Judge, JudgedBody, May};

/// How packs are made. All weights are in milligrams. Absent fields have their default values.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct PacksRequest {
    /// Cards in a pack, without the lore card: 10 if absent.
    #[schema(example = 10, minimum = 1, maximum = 1000)]
    pub cards_per_pack: Option<u32>,
    /// Whether copies that fill no whole pack may be left over. If `false` (the default), a plan that leaves copies over is refused.
    #[schema(example = false)]
    pub remainder: Option<bool>,
    /// Weight of a card: 1800 if absent.
    #[schema(example = 1800, minimum = 1, maximum = 1_000_000)]
    pub card_mg: Option<u32>,
    /// Weights of cards in rarities that do not weigh `card_mg`, by the code of the rarity.
    #[schema(example = json!({ "primal_rare": 1815 }))]
    pub rarity_mg: Option<BTreeMap<String, u32>>,
    /// Numbers of the set's cards that are lore cards. Their copies are not dealt with the others: each replaces the lore card in a pack that is
    /// drawn at random. All other packs get a lore card without a code, about a card that is drawn at random.
    #[schema(example = json!(["155", "156"]))]
    pub lore_cards: Option<Vec<String>>,
    /// Weight of the lightest lore card, at most `lore_max_mg`: 600 if absent.
    #[schema(example = 600, minimum = 1, maximum = 1_000_000)]
    pub lore_min_mg: Option<u32>,
    /// Weight of the heaviest lore card: 900 if absent.
    #[schema(example = 900, minimum = 1, maximum = 1_000_000)]
    pub lore_max_mg: Option<u32>,
    /// Number of shapes of inserts: 64 if absent.
    #[schema(example = 64, minimum = 1, maximum = 10_000)]
    pub insert_shapes: Option<u32>,
    /// Weight of the lightest insert, at most `insert_max_mg`: 200 if absent.
    #[schema(example = 200, minimum = 1, maximum = 1_000_000)]
    pub insert_min_mg: Option<u32>,
    /// Weight of the heaviest insert: 800 if absent.
    #[schema(example = 800, minimum = 1, maximum = 1_000_000)]
    pub insert_max_mg: Option<u32>,
    /// The weights of inserts increase in steps of this size, from the lightest: 10 if absent.
    #[schema(example = 10, minimum = 1, maximum = 1_000_000)]
    pub insert_step_mg: Option<u32>,
    /// How far the weight of a pack may differ from the target weight, at least half of `insert_step_mg`: 5 if absent.
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
    /// Number of copies of each card, which its rarities share.
    #[schema(example = 100, minimum = 1, maximum = 10_000_000)]
    pub copies_per_card: u64,
    /// How the copies are dealt into packs; absent: the run has no packs.
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

impl Judge for PrintPlanRequest {
    fn judge(&self) -> Result<(), Problem> {
        let packs = self.packs.as_ref().map(PackParameters::from);
        print_plans::check_packs(packs.as_ref())
    }
}

/// Plans a print run: shows what it would contain, before it is announced or printed.
///
/// Every card gets the same number of copies. Its rarities share them by weight, with the largest remainder method; if remainders are equal, the
/// rarity that comes first changes from card to card. Nothing is stored and no codes are generated: printing is done on the command line.
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
    JudgedBody(body): JudgedBody<PrintPlanRequest>,
) -> Result<HttpResponse, Problem> {
    let (game, set) = path.into_inner();
    let request = body.value.of(game, set);
    let answer = print_plans::create(&state, &Planner::from(&*by), &request).await?;
    Ok(HttpResponse::Ok().insert_header(("cache-control", "no-store")).json(answer))
}
