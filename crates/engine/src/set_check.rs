//! Checks whole set files.

use serde::Serialize;
use thiserror::Error;

use crate::card::SetDefinition;
use crate::card_check::{NAME_MAX, SET_CODE_MAX, card_faults_after, is_line, is_set_code, mention};
use crate::characters::refused_in_name;
use crate::code::ViolationCode as Code;
use crate::date::Date;
use crate::hash::FixedMap;
use crate::manifest::Game;
use crate::name::name_key;
use crate::violation::Violation;

/// A violation and its place in a set file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SetFault {
    /// JSON pointer (RFC 6901), for example `/cards/3/printings/1`.
    pub pointer: String,
    /// What is wrong there.
    pub violation: Violation,
}

/// The text cannot be read as a set file.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("line {line}, column {column}: {problem}")]
pub struct SetParseError {
    /// Line, from 1.
    pub line: usize,
    /// Column, from 1.
    pub column: usize,
    /// What is wrong there.
    pub problem: String,
}

impl SetDefinition {
    /// Reads a set file. [`check_set`] checks its content.
    ///
    /// # Errors
    /// JSON that is malformed, or has unknown, missing or wrongly typed fields.
    pub fn from_json(text: &str) -> Result<Self, SetParseError> {
        serde_json::from_str(text).map_err(|error| {
            let full = error.to_string();
            let problem =
                full.rsplit_once(" at line ").map_or(full.as_str(), |(problem, _)| problem);
            SetParseError {
                line: error.line(),
                column: error.column(),
                problem: problem.to_owned(),
            }
        })
    }
}

/// Highest number of accounts whose submissions unlock a card.
pub const UNLOCK_THRESHOLD_MAX: u32 = 100_000;

/// Most faults of one card. When a set has this many in all, [`check_set`] checks no further card: a file for another game has faults in each card.
pub const SET_FAULTS_MAX: usize = 10_000;

/// All violations of a set: of its own fields, of every card, and repeated numbers; also repeated names in a game where names are unique. Empty if
/// the set is valid. Only the first 100 have suggestions.
///
/// The caller must find names that other sets of the game already have.
pub fn check_set(game: &Game, set: &SetDefinition) -> Vec<SetFault> {
    let rule = game.card_reference();
    let mut faults = Vec::new();
    let push = |faults: &mut Vec<SetFault>, pointer: String, violation: Violation| {
        faults.push(SetFault { pointer, violation });
    };
    if !is_set_code(&set.code) {
        push(
            &mut faults,
            "/code".to_owned(),
            Violation::error(Code::SetCodeInvalid, rule).limit(SET_CODE_MAX),
        );
    }
    let refused = refused_in_name(&set.name);
    if refused.is_some() || !is_line(&set.name, NAME_MAX) {
        push(
            &mut faults,
            "/name".to_owned(),
            Violation::error(Code::SetNameInvalid, rule).limit(NAME_MAX).refused(refused),
        );
    }
    if set.released_on.as_ref().is_some_and(|day| day.parse::<Date>().is_err()) {
        push(
            &mut faults,
            "/released_on".to_owned(),
            Violation::error(Code::ReleaseDateInvalid, rule),
        );
    }
    if let Some(threshold) = set.unlock_threshold
        && !(1..=UNLOCK_THRESHOLD_MAX).contains(&threshold)
    {
        let fault = Violation::error(Code::UnlockThresholdInvalid, rule)
            .limit(threshold.clamp(1, UNLOCK_THRESHOLD_MAX))
            .actual(threshold);
        push(&mut faults, "/unlock_threshold".to_owned(), fault);
    }
    if set.cards.is_empty() {
        push(&mut faults, "/cards".to_owned(), Violation::error(Code::SetEmpty, rule));
    }
    let mut numbers: FixedMap<&str, usize> = FixedMap::default();
    let mut names: FixedMap<String, usize> = FixedMap::default();
    for (at, card) in set.cards.iter().enumerate() {
        if faults.len() >= SET_FAULTS_MAX {
            break;
        }
        for fault in card_faults_after(faults.len(), game, card) {
            push(&mut faults, format!("/cards/{at}{}", fault.pointer), fault.violation);
        }
        let mention = |first: usize| mention(&set.cards[first]);
        let first = *numbers.entry(&card.number).or_insert(at);
        if first != at {
            let fault = Violation::error(Code::NumberDuplicate, rule).card(mention(first));
            push(&mut faults, format!("/cards/{at}/number"), fault);
        }
        let first = *names.entry(name_key(&card.name)).or_insert(at);
        if first != at && game.unique_names() {
            let fault = Violation::error(Code::NameDuplicate, rule).card(mention(first));
            push(&mut faults, format!("/cards/{at}/name"), fault);
        }
    }
    faults
}
