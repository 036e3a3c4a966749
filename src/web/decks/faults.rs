//! The faults of a list or a deck, beside the fields of the form.

use super::words as deck_words;
use crate::app::problem::{Problem, ProblemCode};
use crate::web::fault_words;
use crate::web::forms::Faults;

/// Most faults that are listed.
const FAULTS_MAX: usize = 20;

/// The fields of the forms, with the names that the API uses.
const FIELDS: [&str; 9] =
    ["name", "format", "visibility", "folder", "tags", "description", "list", "dialect", "card"];

/// The faults of the form in a problem. `None`: the problem is not about the form and is shown on a page of its own.
pub(super) fn faults_of(problem: &Problem) -> Option<Faults> {
    let message = deck_words::fault(problem.code())?;
    let mut faults = Faults::none();
    for fault in problem.faults().iter().take(FAULTS_MAX) {
        let named = fault.pointer.trim_start_matches('/').split('/').next().unwrap_or_default();
        let field = FIELDS.into_iter().find(|field| *field == named);
        let text = fault_words::reason(&fault.reason).into_owned();
        let text = match fault.line {
            Some(line) => deck_words::fault_on_line(line, &text),
            None => text,
        };
        faults.add(field.unwrap_or_default(), text);
    }
    let left = problem.faults().len().saturating_sub(FAULTS_MAX);
    if left > 0 {
        faults.add("list", deck_words::more_faults(left));
    }
    if faults.is_empty() {
        let field = if problem.code() == ProblemCode::DeckTakenDown { "visibility" } else { "" };
        faults.add(field, message);
    }
    Some(faults)
}
