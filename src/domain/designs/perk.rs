//! What designers get whose designs become cards, besides the credit and the badge.

/// A perk that the policy of a set names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DesignerPerk {
    /// A copy of the card, which an admin gives to its designer once everybody sees the card.
    ReservedCopy,
}

impl DesignerPerk {
    /// All of them.
    pub const ALL: [Self; 1] = [Self::ReservedCopy];

    /// The name on the wire and in the database.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::ReservedCopy => "reserved_copy",
        }
    }

    /// The perk of that name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|perk| perk.as_str() == name)
    }
}
