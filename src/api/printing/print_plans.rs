//! Planning print runs: what a run would hold, before anything is announced or printed.

use std::collections::BTreeMap;

use actix_web::{HttpResponse, web};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::app::problem::{InputFault, Problem, ProblemCode};
use crate::app::state::AppState;
use crate::auth::permission::{Planner, ReadPrintRuns};
use crate::domain::code::Code;
use crate::domain::printing::packs::{PackParameters, PackPlan};
use crate::http::extract::{Body, May};
use crate::store::printing::press::{self, MintError, Planned, RunRequest};

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

/// What a rarity gets of a run.
#[derive(Serialize, ToSchema)]
pub struct PlannedRarity {
    /// Code of the rarity.
    #[schema(example = "mythic_rare")]
    pub rarity: String,
    /// Its weight.
    #[schema(example = 2)]
    pub weight: u32,
    /// Copies over all cards.
    #[schema(example = 36)]
    pub copies: u64,
    /// Fewest copies for a card that has this rarity.
    #[schema(example = 2)]
    pub fewest: u64,
    /// Most copies for a card that has this rarity.
    #[schema(example = 3)]
    pub most: u64,
}

/// The packs of a run.
#[derive(Serialize, ToSchema)]
pub struct PlannedPacks {
    /// How many.
    #[schema(example = 120)]
    pub packs: u64,
    /// Cards in each, the lore card not counted.
    #[schema(example = 10)]
    pub cards_per_pack: u32,
    /// Copies that make no whole pack.
    #[schema(example = 0)]
    pub remainder: u64,
    /// What every pack weighs, in mg.
    #[schema(example = 19100)]
    pub weight_mg: u64,
    /// How far a pack may be from that, in mg.
    #[schema(example = 5)]
    pub tolerance_mg: u32,
    /// Shapes of inserts.
    #[schema(example = 64)]
    pub insert_shapes: u32,
    /// Lightest insert that a pack may need, in mg.
    #[schema(example = 200)]
    pub lightest_insert_mg: u32,
    /// Heaviest insert that a pack may need, in mg.
    #[schema(example = 500)]
    pub heaviest_insert_mg: u64,
}

impl From<PackPlan<'_>> for PlannedPacks {
    fn from(plan: PackPlan<'_>) -> Self {
        let parameters = plan.parameters();
        Self {
            packs: plan.packs,
            cards_per_pack: parameters.cards_per_pack,
            remainder: plan.remainder,
            weight_mg: plan.target_mg,
            tolerance_mg: parameters.tolerance_mg,
            insert_shapes: parameters.insert_shapes,
            lightest_insert_mg: parameters.insert_min_mg,
            heaviest_insert_mg: plan.heaviest_insert_mg,
        }
    }
}

/// What a run would hold.
#[derive(Serialize, ToSchema)]
pub struct PrintPlanResponse {
    /// Cards in the run: those of the set.
    #[schema(example = 12)]
    pub cards: usize,
    /// Copies of each card.
    #[schema(example = 100)]
    pub copies_per_card: u64,
    /// Codes in the run.
    #[schema(example = 1200)]
    pub copy_count: u64,
    /// What each rarity gets, the most common first.
    pub rarities: Vec<PlannedRarity>,
    /// The packs, if there are any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub packs: Option<PlannedPacks>,
    /// What to know before printing this.
    #[schema(example = json!(["some cards get no copy in rarity primal_rare: the run is too small for it"]))]
    pub warnings: Vec<String>,
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
    let planned = plan(&state, &Planner::from(&*by), game, set, &body.value).await?;
    let packs = PackPlan::new(&planned.opening.plan).map_err(|error| refused(&error))?;
    let shares = planned.plan.shares().into_iter().map(|share| PlannedRarity {
        rarity: share.rarity,
        weight: share.weight,
        copies: share.copies,
        fewest: share.fewest,
        most: share.most,
    });
    Ok(HttpResponse::Ok().insert_header(("cache-control", "no-store")).json(PrintPlanResponse {
        cards: planned.plan.card_count(),
        copies_per_card: planned.plan.copies_per_card(),
        copy_count: planned.plan.copy_count(),
        rarities: shares.collect(),
        packs: packs.map(PlannedPacks::from),
        warnings: planned.plan.warnings(),
    }))
}

/// Plans the run that a request asks for.
pub(in crate::api) async fn plan(
    state: &AppState,
    by: &Planner,
    game: Code,
    set: Code,
    request: &PrintPlanRequest,
) -> Result<Planned, Problem> {
    let request = RunRequest {
        game: game.into_string(),
        set: set.into_string(),
        copies_per_card: request.copies_per_card,
        packs: request.packs.as_ref().map(PackParameters::from),
    };
    let faults = request.packs.iter().flat_map(PackParameters::faults);
    let faults: Vec<_> =
        faults.map(|fault| InputFault::at(format!("/packs/{}", fault.name), fault.why)).collect();
    if !faults.is_empty() {
        return Err(Problem::invalid(faults));
    }
    let mut conn = state.store.connection().await?;
    press::plan_run(&mut conn, by, &request).await.map_err(|error| match error {
        MintError::UnknownSet(..) => Problem::not_found(),
        MintError::Store(error) => error.into(),
        error if error.is_refusal() => refused(&error),
        error => Problem::internal(error),
    })
}

fn refused(why: &impl std::fmt::Display) -> Problem {
    Problem::new(ProblemCode::PrintPlanRefused).detail(format!("Refused: {why}."))
}
