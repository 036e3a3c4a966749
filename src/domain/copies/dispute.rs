//! Disputes: two accounts both claim to hold the same copy.

use serde::Deserialize;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DisputeState {
    /// The dispute is not decided yet.
    Open,
    /// A moderator left the copy with its owner.
    ForOwner,
    /// A moderator gave the copy to the claimant.
    ForClaimant,
    /// The claimant gave up the claim.
    Withdrawn,
    /// The claimant got the copy by a trade.
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

    /// The state with that name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|state| state.as_str() == name)
    }
}

/// Which side a decision favours.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// The copy stays with its owner.
    ForOwner,
    /// The copy goes to the claimant.
    ForClaimant,
}

impl Outcome {
    /// Both decisions.
    pub const ALL: [Self; 2] = [Self::ForOwner, Self::ForClaimant];

    /// The name on the wire.
    pub fn as_str(self) -> &'static str {
        self.state().as_str()
    }

    /// The state after this decision.
    pub fn state(self) -> DisputeState {
        match self {
            Self::ForOwner => DisputeState::ForOwner,
            Self::ForClaimant => DisputeState::ForClaimant,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DisputeSide {
    /// The account that claims the copy.
    Claimant,
    /// The account that owns the copy.
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

    /// The side with that name.
    pub fn parse(name: &str) -> Option<Self> {
        [Self::Claimant, Self::Owner].into_iter().find(|side| side.as_str() == name)
    }
}

/// Most statements of one account in a dispute.
pub const MAX_STATEMENTS: i64 = 5;

/// Longest statement, in characters.
pub const MAX_STATEMENT: usize = 2000;
