//! Reviews of submitted designs by moderators.

use chrono::TimeDelta;

use serde::Deserialize;

use super::status::DesignStep;

/// How long a moderator's claim lasts. Another claim by the same moderator restarts this time.
pub const REVIEW_LEASE: TimeDelta = TimeDelta::minutes(30);
/// Most characters of the reason for a decision.
pub const MAX_REASON: usize = 2_000;

/// The action in the audit log when an approval is revoked.
pub const REVOKED_ACTION: &str = "design.approval_revoked";

/// What a moderator decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReviewDecision {
    /// The design may become an official card.
    Approved,
    /// The design may not become a card.
    Declined,
}

impl ReviewDecision {
    /// Both values.
    pub const ALL: [Self; 2] = [Self::Approved, Self::Declined];

    /// The name on the wire and in the database.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Approved => "approved",
            Self::Declined => "declined",
        }
    }

    /// The decision with that name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|decision| decision.as_str() == name)
    }

    /// The step that the decision takes.
    pub fn step(self) -> DesignStep {
        match self {
            Self::Approved => DesignStep::Approve,
            Self::Declined => DesignStep::Decline,
        }
    }

    /// The action in the audit log.
    pub fn audit_action(self) -> &'static str {
        match self {
            Self::Approved => "design.approved",
            Self::Declined => "design.declined",
        }
    }
}

/// Which designs a list of reviews has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReviewStage {
    /// Those that are submitted or in review.
    #[default]
    Waiting,
    /// Those that are approved, and are no cards yet.
    Approved,
}

impl ReviewStage {
    /// Both values.
    pub const ALL: [Self; 2] = [Self::Waiting, Self::Approved];

    /// The name on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Waiting => "waiting",
            Self::Approved => "approved",
        }
    }
}
