//! Kinds of ledger entries.

/// The kind of an entry of the copy ledger.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum LedgerKind {
    /// Somebody submitted its code first, and owns it.
    Register,
    /// A trade gave it to another owner.
    Transfer,
    /// Somebody else proved to have its code and name.
    Dispute,
    /// A moderator froze it: no trade moves it.
    Freeze,
    /// A moderator lifted that.
    Unfreeze,
    /// A moderator decided a dispute; the owner after it is whom the decision favours.
    Decide,
    /// A moderator declared it void, for good: nobody holds it any more. Unlocks that it helped stay.
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

    /// The kind of that name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == name)
    }

    /// Whether a moderator did it.
    pub fn is_moderators(self) -> bool {
        matches!(self, Self::Freeze | Self::Unfreeze | Self::Decide | Self::Void)
    }
}

/// Longest reason that a moderator gives, in characters.
pub const MAX_REASON: usize = 500;
