//! Messages about refused changes, and the printings that the input may mean.

use serde::Deserialize;
use uuid::Uuid;

use super::words as collection_words;
use crate::app::problem::{Problem, ProblemCode};
use crate::app::problem_member::ProblemMember;
use crate::web::copies::Games;
use crate::web::forms::{Faults, new_key};
use crate::web::words;

/// A printing that the typed words may mean.
pub(super) struct MeantPrinting {
    pub(super) printing: Uuid,
    pub(super) name: String,
    pub(super) key: String,
}

/// The faults of the form in a problem. `None`: the problem is shown on a page of its own.
pub(super) fn faults_of(problem: &Problem) -> Option<Faults> {
    let message = collection_words::count_fault(problem.code())?;
    if problem.code() != ProblemCode::UnclearPrinting {
        return Some(Faults::one("", message));
    }
    let candidates = candidates(problem);
    let names: Vec<String> = candidates.iter().filter_map(|one| one.name.clone()).collect();
    let text = if candidates.iter().any(|one| one.printing.is_some()) {
        collection_words::SEVERAL_PRINTINGS.to_owned()
    } else if names.is_empty() {
        collection_words::NO_SUCH_CARD.to_owned()
    } else {
        collection_words::perhaps(&names)
    };
    Some(Faults::one("card_name", text))
}

/// The members of a problem that list possible printings.
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

fn candidates(problem: &Problem) -> Vec<Candidate> {
    let candidates = problem.member(ProblemMember::Candidates).cloned().unwrap_or_default();
    let candidates: Vec<Candidates> = serde_json::from_value(candidates).unwrap_or_default();
    candidates.into_iter().flat_map(|one| one.choices).collect()
}

/// The possible printings that a problem lists.
pub(super) fn choices_of(games: &Games, problem: &Problem) -> Vec<MeantPrinting> {
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
            key: new_key(),
        })
    };
    candidates(problem).into_iter().filter_map(meant).collect()
}
