//! Actions and targets of audit log entries.

use serde::Deserialize;
use thiserror::Error;

use crate::domain::text;

/// An action of the audit log.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub enum AuditAction {
    /// One action, as `noun.verb`: `account.changed`.
    Whole(String),
    /// All actions on a noun: `account`.
    Noun(String),
}

/// The text is not an action.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
#[error("must be noun.verb, or a noun, in lower-case letters: account.changed, account")]
pub struct AuditActionError;

impl TryFrom<String> for AuditAction {
    type Error = AuditActionError;

    fn try_from(text: String) -> Result<Self, AuditActionError> {
        let is_word = |word: &str| {
            (1..=60).contains(&word.len())
                && word.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_')
        };
        match text.split_once('.') {
            None if is_word(&text) => Ok(Self::Noun(text)),
            Some((noun, verb)) if is_word(noun) && is_word(verb) => Ok(Self::Whole(text)),
            _ => Err(AuditActionError),
        }
    }
}

/// The target of an action, as `noun:id`.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub struct AuditTarget(String);

/// The text is not a target.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
#[error("must be noun:id, of 200 characters at most: game:ttcg")]
pub struct AuditTargetError;

impl AuditTarget {
    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl TryFrom<String> for AuditTarget {
    type Error = AuditTargetError;

    fn try_from(raw: String) -> Result<Self, AuditTargetError> {
        let text = text::line(&raw, 3, 200).map_err(|_| AuditTargetError)?;
        let is_whole =
            text.split_once(':').is_some_and(|(noun, id)| !noun.is_empty() && !id.is_empty());
        if is_whole { Ok(Self(text)) } else { Err(AuditTargetError) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_action_is_a_noun_with_or_without_a_verb() {
        let action = |text: &str| AuditAction::try_from(text.to_owned());
        let (whole, noun) = ("print_run.activated".to_owned(), "print_run".to_owned());
        assert_eq!(action(&whole), Ok(AuditAction::Whole(whole)));
        assert_eq!(action(&noun), Ok(AuditAction::Noun(noun)));
        for bad in ["", ".", "a.", ".b", "a.b.c", "A.b", "a b", "a.%", "a.b\0"] {
            assert_eq!(action(bad), Err(AuditActionError), "{bad}");
        }
    }

    #[test]
    fn a_target_is_a_noun_and_an_id() {
        let target = |text: &str| AuditTarget::try_from(text.to_owned());
        assert_eq!(target("set:ttcg/veil").unwrap().as_str(), "set:ttcg/veil");
        for bad in ["", "ttcg", ":ttcg", "game:", "game:\0", &format!("game:{}", "x".repeat(200))] {
            assert_eq!(target(bad), Err(AuditTargetError), "{bad}");
        }
    }
}
