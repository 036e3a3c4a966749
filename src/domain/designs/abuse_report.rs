//! Abuse reports.

use chrono::{DateTime, Utc};

/// Most characters of the details of a report.
pub const MAX_DETAILS: usize = 1_000;
/// Most characters of the note about a decision, which the author of a design that is taken down reads.
pub const MAX_NOTE: usize = 2_000;

/// The reason of a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AbuseReason {
    /// Advertising, or repeated content.
    Spam,
    /// Insults, threats, hatred.
    Abuse,
    /// Sexual content.
    Sexual,
    /// Somebody else's work.
    Copyright,
    /// The player pretends to be somebody else.
    Impersonation,
    /// Another reason, which the details explain.
    Other,
}

impl AbuseReason {
    /// All values.
    pub const ALL: [Self; 6] =
        [Self::Spam, Self::Abuse, Self::Sexual, Self::Copyright, Self::Impersonation, Self::Other];

    /// The name on the wire and in the database.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Spam => "spam",
            Self::Abuse => "abuse",
            Self::Sexual => "sexual",
            Self::Copyright => "copyright",
            Self::Impersonation => "impersonation",
            Self::Other => "other",
        }
    }

    /// The reason with that name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|reason| reason.as_str() == name)
    }
}

/// Who can read the deck of a report, while a moderator reads the report.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReportedDeckState {
    /// Others can read it.
    Shown,
    /// Only its owner can: the owner decided so.
    Private,
    /// Only its owner can: a moderator decided so.
    TakenDown,
    /// Nobody can: its owner deleted it.
    Deleted,
    /// Nobody can: its owner is banned.
    OwnerBanned,
}

impl ReportedDeckState {
    /// The name on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Shown => "shown",
            Self::Private => "private",
            Self::TakenDown => "taken_down",
            Self::Deleted => "deleted",
            Self::OwnerBanned => "owner_banned",
        }
    }
}

/// What a moderator decides about a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AbuseDecision {
    /// The report is right: a design is taken down, a comment is hidden.
    Upheld,
    /// The report is wrong: content that was taken down or hidden because of it is shown again.
    Dismissed,
}

impl AbuseDecision {
    /// Both values.
    pub const ALL: [Self; 2] = [Self::Upheld, Self::Dismissed];

    /// Since when the reported content is hidden if the decision is made at `now`; `None`: the content is shown.
    pub fn hides_since(self, now: DateTime<Utc>) -> Option<DateTime<Utc>> {
        match self {
            Self::Upheld => Some(now),
            Self::Dismissed => None,
        }
    }

    /// The name on the wire and in the database.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Upheld => "upheld",
            Self::Dismissed => "dismissed",
        }
    }

    /// The decision with that name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|decision| decision.as_str() == name)
    }
}
