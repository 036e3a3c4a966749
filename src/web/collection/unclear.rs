//! What is said of changes that came to nothing, and which printings may be meant.

use serde::Deserialize;
use uuid::Uuid;

use super::words as collection_words;
use crate::app::problem::{InputFault, Problem, ProblemCode};
use crate::web::copies::Games;
use crate::web::forms::Faults;
use crate::web::words;

/// A printing that may be meant by what was typed.
pub(super) struct MeantPrinting {
    pub(super) printing: Uuid,
    pub(super) name: String,
    pub(super) key: String,
}

/// What a problem says of the forms. `None`: it is a page of its own.
pub(super) fn faults_of(problem: &Problem) -> Option<Faults> {
    let said = collection_words::count_fault(problem.code())?;
    if problem.code() == ProblemCode::UnclearPrinting {
        let detail = |fault: &InputFault| words::sentence(&fault.detail);
        let text = problem.faults().first().map_or_else(|| said.to_owned(), detail);
        return Some(Faults::one("card_name", text));
    }
    Some(Faults::one("", said))
}

/// What a problem lists of printings that may be meant.
#[derive(Deserialize)]
struct Candidates {
    choices: Vec<Candidate>,
}

#[derive(Deserialize)]
struct Candidate {
    game: String,
    set: String,
    number: String,
    name: Option<String>,
    rarity: Option<String>,
    printing: Option<Uuid>,
}

/// Printings that may be meant, by what a problem says.
pub(super) fn choices_of(games: &Games, problem: &Problem) -> Vec<MeantPrinting> {
    let candidates = problem.members().get("candidates").cloned().unwrap_or_default();
    let candidates: Vec<Candidates> = serde_json::from_value(candidates).unwrap_or_default();
    let meant = |candidate: Candidate| {
        let Candidate { game, set, number, name, rarity, printing } = candidate;
        let place = words::place(&set, &number);
        let place = match rarity {
            Some(rarity) => words::printing_at(&place, &games.rarity(&game, &rarity)),
            None => place,
        };
        Some(MeantPrinting {
            printing: printing?,
            name: match name {
                Some(name) => words::printing_at(&name, &place),
                None => place,
            },
            key: Uuid::now_v7().to_string(),
        })
    };
    candidates.into_iter().flat_map(|one| one.choices).filter_map(meant).collect()
}
