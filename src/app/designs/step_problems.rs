//! Problems of refused steps of a design.

use super::design_checks::ReleaseObstacle;
use crate::app::fault_reason::FaultReason;
use crate::app::feedback::problems::too_many_today;
use crate::app::problem::{InputFault, Problem, ProblemCode};
use crate::app::problem_cause::{NameHolder, ProblemCause};
use crate::app::problem_member::ProblemMember;
use crate::app::state::AppState;
use crate::domain::designs::limits::{MAX_DESIGNS, MAX_REVISIONS};
use crate::domain::designs::status::{DesignStatus, DesignStep};
use crate::store::designs::design_lifecycle::{StepOutcome, StoredDesign};
use crate::store::designs::reserved_names::NameOwner;

/// A problem for every outcome except success.
pub(super) fn check_step(
    app: &AppState,
    step: DesignStep,
    outcome: StepOutcome,
) -> Result<(), Problem> {
    Err(match outcome {
        StepOutcome::Done => return Ok(()),
        StepOutcome::Stale => Problem::new(ProblemCode::PreconditionFailed),
        StepOutcome::Missing => Problem::not_found(),
        StepOutcome::NotFrom(status) => not_from(status, step),
        StepOutcome::NameTaken(owner) => name_taken(owner.into()),
        StepOutcome::Nameless => Problem::new(ProblemCode::DesignNameless),
        StepOutcome::OtherGame => {
            Problem::invalid(vec![InputFault::at("/game", FaultReason::GameStays)])
        }
        StepOutcome::TooManyRevisions => Problem::new(ProblemCode::TooManyRevisions)
            .detail(format!("A design has at most {MAX_REVISIONS} revisions.")),
        StepOutcome::TooManyToday(limit) => too_many_today(app, limit),
        StepOutcome::ForeignArtwork => foreign_artwork(),
        StepOutcome::WasPublic => Problem::new(ProblemCode::DesignWasPublic),
        StepOutcome::TakenDown => Problem::new(ProblemCode::DesignTakenDown),
    })
}

/// Fails when the author's step is not allowed now. Checked before the design is compared with anything, and again in the
/// transaction, there and here after the version.
pub(super) fn require_own_step(stored: &StoredDesign, step: DesignStep) -> Result<(), Problem> {
    if stored.taken_down_at.is_some() {
        return Err(Problem::new(ProblemCode::DesignTakenDown));
    }
    require_step(stored.design.status, step)
}

/// Fails when the step is not allowed in this status; checked before anything else.
pub(super) fn require_step(status: DesignStatus, step: DesignStep) -> Result<(), Problem> {
    status.after(step).map(drop).ok_or_else(|| not_from(status, step))
}

/// The step is not allowed in this status.
pub(super) fn not_from(status: DesignStatus, step: DesignStep) -> Problem {
    refused(status, step.past())
}

/// The design cannot be deleted in this status.
pub(super) fn not_deletable(status: DesignStatus) -> Problem {
    refused(status, "deleted")
}

fn refused(status: DesignStatus, past: &str) -> Problem {
    let detail = format!("Its status is {}: it cannot be {past} now.", status.as_str());
    Problem::new(ProblemCode::DesignStepRefused).detail(detail)
}

/// The design already is this card.
pub(super) fn already_a_card(set: &str, number: &str) -> Problem {
    let detail = format!("It is the card {number} of the set {set} already.");
    Problem::new(ProblemCode::DesignStepRefused).detail(detail)
}

/// There are obstacles to a release; they are listed for programs as well.
pub(super) fn not_releasable(obstacles: &[ReleaseObstacle]) -> Problem {
    let obstacles = serde_json::to_value(obstacles).unwrap_or_default();
    Problem::new(ProblemCode::DesignNotReleasable).with(ProblemMember::Obstacles, obstacles)
}

impl From<NameOwner> for NameHolder {
    fn from(owner: NameOwner) -> Self {
        match owner {
            NameOwner::Card { set, number } => Self::Card { set, number },
            NameOwner::Design => Self::Design,
        }
    }
}

/// The card or design `whom` has this name, or a name that looks the same.
pub(super) fn name_taken(whom: NameHolder) -> Problem {
    Problem::new(ProblemCode::DesignNameTaken).because(ProblemCause::NameTaken(whom))
}

/// The account has not uploaded the artwork, or the artwork was taken down.
pub(super) fn foreign_artwork() -> Problem {
    Problem::invalid(vec![InputFault::at("/artwork/id", FaultReason::ForeignArtwork)])
}

/// The account has reached the limit of designs.
pub(super) fn too_many() -> Problem {
    Problem::new(ProblemCode::TooManyDesigns).detail(format!(
        "An account has at most {MAX_DESIGNS} designs. Delete drafts that you do not need."
    ))
}
