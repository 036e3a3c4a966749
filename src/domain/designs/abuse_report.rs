//! Reports of what should not be there.

use chrono::{DateTime, Utc};

/// Most characters of what a reporter says.
pub const MAX_DETAILS: usize = 1_000;
/// Most characters of the note about a decision, which the author of a design that is taken down reads.
pub const MAX_NOTE: usize = 2_000;

/// What is wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AbuseReason {
    /// Advertising, or the same again and again.
    Spam,
    /// Insults, threats, hatred.
    Abuse,
    /// Sexual content.
    Sexual,
    /// Somebody else's work.
    Copyright,
    /// Somebody who pretends to be somebody else.
    Impersonation,
    /// Something else, which the details say.
    Other,
}

impl AbuseReason {
    /// All of them.
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

    /// The reason of that name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|reason| reason.as_str() == name)
    }
}

/// What a moderator decides about a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AbuseDecision {
    /// It is as reported: a design is taken down, a comment hidden.
    Upheld,
    /// It is not: what was taken down or hidden for it is shown again.
    Dismissed,
}

impl AbuseDecision {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Upheld, Self::Dismissed];

    /// Since when what was reported is hidden, if that is decided now; `None`: it is shown.
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

    /// The decision of that name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|decision| decision.as_str() == name)
    }
}
