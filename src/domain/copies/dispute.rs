//! Disputes: two accounts that both say that they hold a copy.

use serde::Deserialize;

/// How far a dispute is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DisputeState {
    /// Nobody has decided it yet.
    Open,
    /// A moderator left the copy with its owner.
    ForOwner,
    /// A moderator gave the copy to the claimant.
    ForClaimant,
    /// The claimant gave up the claim.
    Withdrawn,
    /// The copy came to the claimant by a trade.
    Settled,
    /// The copy was declared void.
    Voided,
}

impl DisputeState {
    /// All states.
    pub const ALL: [Self; 6] = [
        Self::Open,
        Self::ForOwner,
        Self::ForClaimant,
        Self::Withdrawn,
        Self::Settled,
        Self::Voided,
    ];

    /// The name on the wire and in the database.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::ForOwner => "for_owner",
            Self::ForClaimant => "for_claimant",
            Self::Withdrawn => "withdrawn",
            Self::Settled => "settled",
            Self::Voided => "voided",
        }
    }

    /// The state of that name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|state| state.as_str() == name)
    }
}

/// Whom a decision favours.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// The copy stays where it is.
    ForOwner,
    /// The copy goes to the claimant.
    ForClaimant,
}

impl Outcome {
    /// The state that it leads to.
    pub fn state(self) -> DisputeState {
        match self {
            Self::ForOwner => DisputeState::ForOwner,
            Self::ForClaimant => DisputeState::ForClaimant,
        }
    }
}

/// On which side of a dispute somebody stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DisputeSide {
    /// Says that the copy is hers.
    Claimant,
    /// Has the copy.
    Owner,
}

impl DisputeSide {
    /// The name on the wire and in the database.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Claimant => "claimant",
            Self::Owner => "owner",
        }
    }

    /// The side of that name.
    pub fn parse(name: &str) -> Option<Self> {
        [Self::Claimant, Self::Owner].into_iter().find(|side| side.as_str() == name)
    }
}

/// How often one account may say something in a dispute.
pub const MAX_STATEMENTS: i64 = 5;

/// Longest statement, in characters.
pub const MAX_STATEMENT: usize = 2000;
