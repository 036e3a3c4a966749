//! The faults of a form about a design.

use super::words as design_words;
use crate::app::problem::{Problem, ProblemCode};
use crate::app::problem_cause::ProblemCause;
use crate::app::problem_member::ProblemMember;
use crate::web::fault_words;
use crate::web::forms::Faults;
use crate::web::words;

/// The faults of a form in a problem, by the fields that its pointers name. `None`: the problem is not about the form and is shown on a page of its own.
pub(super) fn faults_of(problem: &Problem, fields: &[(&str, &'static str)]) -> Option<Faults> {
    // The status allows the step, so the message about a status would mislead.
    if let Some(
        cause @ (ProblemCause::OtherSubmission { .. } | ProblemCause::OtherApproval { .. }),
    ) = problem.cause()
    {
        return Some(Faults::one("", fault_words::cause(cause)));
    }
    // The same form may succeed a moment later, so what was typed into it stays.
    if problem.code() == ProblemCode::TimedOut {
        let mut faults = Faults::one("", design_words::NO_TIME_TO_COMPARE);
        if let Some(seconds) = problem.seconds_to_wait() {
            faults.add("", words::try_again_in(seconds));
        }
        return Some(faults);
    }
    let mut faults = Faults::of_problem(problem, fields, design_words::fault)?;
    let obstacles = problem.member(ProblemMember::Obstacles).and_then(serde_json::Value::as_array);
    for obstacle in obstacles.into_iter().flatten().filter_map(serde_json::Value::as_str) {
        faults.add("", design_words::obstacle(obstacle));
    }
    let has_words =
        matches!(problem.code(), ProblemCode::DesignNameTaken | ProblemCode::DesignStepRefused);
    if let Some(cause) = problem.cause().filter(|_| has_words) {
        faults.add("", fault_words::cause(cause));
    }
    Some(faults)
}
