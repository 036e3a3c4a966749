//! Plans print runs: what a run would contain, before it is announced or printed.

use serde::Serialize;
use utoipa::ToSchema;

use crate::app::fault_reason::FaultReason;
use crate::app::problem::{InputFault, Problem, ProblemCode};
use crate::app::problem_cause::ProblemCause;
use crate::app::state::AppState;
use crate::auth::permission::Planner;
use crate::domain::printing::minting::PlanWarning;
use crate::domain::printing::packs::{PackParameters, PackPlan, ParameterFault};
pub use crate::store::printing::press::RunRequest;
use crate::store::printing::press::{self, MintError, Planned};

/// The copies of a rarity in a run.
#[derive(Serialize, ToSchema)]
pub struct PlannedRarity {
    /// Code of the rarity.
    #[schema(example = "mythic_rare")]
    pub rarity: String,
    /// Its weight in the game's manifest.
    #[schema(example = 2)]
    pub weight: u32,
    /// Number of copies of all cards together.
    #[schema(example = 36)]
    pub copies: u64,
    /// Fewest copies of a card that has this rarity.
    #[schema(example = 2)]
    pub fewest: u64,
    /// Most copies of a card that has this rarity.
    #[schema(example = 3)]
    pub most: u64,
}

/// The packs of a run.
#[derive(Serialize, ToSchema)]
pub struct PlannedPacks {
    /// Number of packs.
    #[schema(example = 120)]
    pub packs: u64,
    /// Cards in each pack, without the lore card.
    #[schema(example = 10)]
    pub cards_per_pack: u32,
    /// Number of copies that fill no whole pack.
    #[schema(example = 0)]
    pub remainder: u64,
    /// Target weight of every pack, in mg.
    #[schema(example = 19100)]
    pub weight_mg: u64,
    /// How far the weight of a pack may differ from the target weight, in mg.
    #[schema(example = 5)]
    pub tolerance_mg: u32,
    /// Number of shapes of inserts.
    #[schema(example = 64)]
    pub insert_shapes: u32,
    /// Weight of the lightest insert that a pack may need, in mg.
    #[schema(example = 200)]
    pub lightest_insert_mg: u32,
    /// Weight of the heaviest insert that a pack may need, in mg.
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

/// The content of a planned run.
#[derive(Serialize, ToSchema)]
pub struct PrintPlanResponse {
    /// Number of cards in the run: all cards of the set.
    #[schema(example = 12)]
    pub cards: usize,
    /// Number of copies of each card.
    #[schema(example = 100)]
    pub copies_per_card: u64,
    /// Number of codes in the run.
    #[schema(example = 1200)]
    pub copy_count: u64,
    /// The copies of each rarity, in the order of the rarities in the game: the most common rarity first.
    pub rarities: Vec<PlannedRarity>,
    /// The packs; absent if the run has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub packs: Option<PlannedPacks>,
    /// Warnings about the plan, for people.
    #[schema(value_type = Vec<String>, example = json!(["some cards get no copy in rarity primal_rare: the run is too small for it"]))]
    pub warnings: Vec<PlanWarning>,
}

impl PrintPlanResponse {
    fn new(planned: &Planned) -> Result<Self, Problem> {
        let packs = PackPlan::new(&planned.opening.plan)
            .map_err(|why| plan_refused(ProblemCause::Packs(why)))?;
        let shares = planned.plan.shares().into_iter().map(|share| PlannedRarity {
            rarity: share.rarity,
            weight: share.weight,
            copies: share.copies,
            fewest: share.fewest,
            most: share.most,
        });
        Ok(Self {
            cards: planned.plan.card_count(),
            copies_per_card: planned.plan.copies_per_card(),
            copy_count: planned.plan.copy_count(),
            rarities: shares.collect(),
            packs: packs.map(PlannedPacks::from),
            warnings: planned.plan.warnings(),
        })
    }
}

/// Plans a print run without storing it.
pub async fn create(
    app: &AppState,
    by: &Planner,
    request: &RunRequest,
) -> Result<PrintPlanResponse, Problem> {
    PrintPlanResponse::new(&plan(app, by, request).await?)
}

/// Checks the ranges of the parameters of packs.
pub fn check_packs(packs: Option<&PackParameters>) -> Result<(), Problem> {
    let faults = packs.into_iter().flat_map(PackParameters::faults);
    let fault = |ParameterFault { name, least, most, value }| {
        let reason = FaultReason::range_not(least, most, value);
        InputFault::at(format!("/packs/{name}"), reason)
    };
    let faults: Vec<InputFault> = faults.map(fault).collect();
    if faults.is_empty() { Ok(()) } else { Err(Problem::invalid(faults)) }
}

/// Plans a print run with the seed that an announcement would use.
pub(super) async fn plan(
    app: &AppState,
    by: &Planner,
    request: &RunRequest,
) -> Result<Planned, Problem> {
    check_packs(request.packs.as_ref())?;
    let mut conn = app.store.connection().await?;
    press::plan_run(&mut conn, by, request).await.map_err(|error| match error {
        MintError::UnknownSet(..) => Problem::not_found(),
        MintError::Store(error) => error.into(),
        MintError::Plan(why) => plan_refused(ProblemCause::Plan(why)),
        MintError::Packs(why) => plan_refused(ProblemCause::Packs(why)),
        error => Problem::internal(error),
    })
}

fn plan_refused(cause: ProblemCause) -> Problem {
    Problem::new(ProblemCode::PrintPlanRefused).because(cause)
}
