//! Kinds of ledger entries.

/// The kind of an entry of the copy ledger.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum LedgerKind {
    /// The account that first submitted the code became the owner.
    Register,
    /// A trade transferred the copy to another owner.
    Transfer,
    /// Another account proved that it has the code and the name.
    Dispute,
    /// A moderator froze the copy: it cannot be traded.
    Freeze,
    /// A moderator unfroze the copy.
    Unfreeze,
    /// A moderator decided a dispute; the entry's owner is the account that the decision favours.
    Decide,
    /// A moderator declared the copy void, which is final: it has no owner any more. Unlocks to which it contributed remain.
    Void,
}

impl LedgerKind {
    /// All kinds.
    pub const ALL: [Self; 7] = [
        Self::Register,
        Self::Transfer,
        Self::Dispute,
        Self::Freeze,
        Self::Unfreeze,
        Self::Decide,
        Self::Void,
    ];

    /// The name on the wire and in the database.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Register => "register",
            Self::Transfer => "transfer",
            Self::Dispute => "dispute",
            Self::Freeze => "freeze",
            Self::Unfreeze => "unfreeze",
            Self::Decide => "decide",
            Self::Void => "void",
        }
    }

    /// The kind with that name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == name)
    }

    /// Whether the entry is an action of a moderator.
    pub fn is_moderators(self) -> bool {
        matches!(self, Self::Freeze | Self::Unfreeze | Self::Decide | Self::Void)
    }
}

/// Longest reason that a moderator gives, in characters.
pub const MAX_REASON: usize = 500;
