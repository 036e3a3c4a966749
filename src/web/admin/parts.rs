//! Shared code of the pages of admins: the navigation between them, and parts of their forms.

use std::collections::BTreeMap;

use cardscape_engine::Game;
use serde::Deserialize;

use super::words as admin_words;
use crate::app::accounts::people::Person;
use crate::app::page::PageLimit;
use crate::app::problem::{Problem, ProblemCode};
use crate::auth::permission::Role;
use crate::web::catalogue::rarity_name;
use crate::web::fault_words;
use crate::web::forms::{Choice, Faults};
use crate::web::page_status::PageStatus;
use crate::web::words;

/// A section of the pages of admins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Area {
    Start,
    People,
    Reviews,
    Disputes,
    Reports,
    Cards,
    Sets,
    Imports,
    PrintRuns,
    Webhooks,
    AuditLog,
}

/// All sections: path, label, and the role that may open them.
const AREAS: [(Area, &str, &str, Role); 11] = [
    (Area::Start, "/admin", admin_words::START, Role::Moderator),
    (Area::Reviews, "/admin/reviews", admin_words::REVIEWS, Role::Moderator),
    (Area::Disputes, "/admin/disputes", admin_words::DISPUTES, Role::Moderator),
    (Area::Reports, "/admin/reports", admin_words::REPORTS, Role::Moderator),
    (Area::People, "/admin/people", admin_words::PEOPLE, Role::Moderator),
    (Area::Cards, "/admin/cards", admin_words::CARDS, Role::Admin),
    (Area::Sets, "/admin/sets", admin_words::SETS, Role::Admin),
    (Area::Imports, "/admin/imports", admin_words::IMPORTS, Role::Admin),
    (Area::PrintRuns, "/admin/print-runs", admin_words::PRINT_RUNS, Role::Admin),
    (Area::Webhooks, "/admin/webhooks", admin_words::WEBHOOKS, Role::Admin),
    (Area::AuditLog, "/admin/audit-log", admin_words::AUDIT_LOG, Role::Admin),
];

/// Links to the sections that a role may open.
pub(super) struct Nav {
    pub(super) places: Vec<NavPlace>,
}

/// A section in the navigation.
pub(super) struct NavPlace {
    pub(super) path: &'static str,
    pub(super) name: &'static str,
    pub(super) is_current: bool,
}

impl Nav {
    /// The sections for a role; `at`: the section of the current page.
    pub(super) fn new(role: Role, at: Area) -> Self {
        let places = AREAS.into_iter().filter(|(_, _, _, least)| role >= *least);
        let place = |(area, path, name, _)| NavPlace { path, name, is_current: area == at };
        Self { places: places.map(place).collect() }
    }
}

/// Query of a page: the code of the action that was just completed.
#[derive(Debug, Default, Deserialize)]
pub(in crate::web) struct DoneQuery {
    #[serde(default)]
    pub(super) done: String,
}

/// All games to choose from, by name.
pub(super) fn game_choices(games: &BTreeMap<&str, &Game>, chosen: &str) -> Vec<Choice> {
    games.iter().map(|(code, game)| Choice::new(code, game.name(), chosen)).collect()
}

/// The name of a rarity in a game.
pub(super) fn rarity(games: &BTreeMap<&str, &Game>, game: &str, code: &str) -> String {
    games.get(game).map_or_else(|| words::titled(code), |game| rarity_name(game, code))
}

pub(super) fn game_name(games: &BTreeMap<&str, &Game>, game: &str) -> String {
    games.get(game).map_or_else(|| game.to_owned(), |game| game.name().to_owned())
}

/// The limit of a list, with this number of entries on a page.
pub(super) fn limit(entries: u16) -> Result<PageLimit, Problem> {
    PageLimit::try_from(entries).map_err(Problem::internal)
}

/// The account of a filter; `None`: the field is empty.
pub(super) fn person(typed: &str) -> Result<Option<Person>, Faults> {
    let typed = typed.trim();
    if typed.is_empty() {
        return Ok(None);
    }
    let person = Person::try_from(typed.to_owned());
    person.map(Some).map_err(|_| Faults::one("account", admin_words::ACCOUNT_FAULT))
}

/// The faults of a form, by the fields that have the names of the API. `None`: the problem is not about the form and is shown on a page of its own.
pub(super) fn faults_of(problem: &Problem, fields: &[&'static str]) -> Option<Faults> {
    if let (
        ProblemCode::MergeRefused | ProblemCode::PrintPlanRefused | ProblemCode::EditConflict,
        Some(cause),
    ) = (problem.code(), problem.cause())
    {
        return Some(Faults::one("", fault_words::cause(cause)));
    }
    let pointers: Vec<String> = fields.iter().map(|field| format!("/{field}")).collect();
    let pairs = pointers.iter().map(String::as_str).zip(fields.iter().copied());
    let pairs: Vec<(&str, &'static str)> = pairs.collect();
    Faults::of_problem(problem, &pairs, admin_words::fault)
}

/// The status of a page, depending on whether its filter has faults.
pub(super) fn status_of(faults: &Faults) -> PageStatus {
    if faults.is_empty() { PageStatus::OK } else { PageStatus::INVALID_QUERY }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moderators_see_only_their_sections() {
        let names = |role| -> Vec<&str> {
            Nav::new(role, Area::Start).places.iter().map(|place| place.name).collect()
        };
        assert_eq!(names(Role::Player), Vec::<&str>::new());
        assert_eq!(
            names(Role::Moderator),
            ["Open tasks", "Submissions", "Disputes", "Reports", "People"]
        );
        assert_eq!(names(Role::Admin).len(), AREAS.len());
    }
}
