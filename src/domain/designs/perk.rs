//! Perks of designers whose designs become cards, besides the credit and the badge.

/// A perk that the unlock policy of a set can promise.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DesignerPerk {
    /// A copy of the card. An admin gives it to the designer when the card is open.
    ReservedCopy,
}

impl DesignerPerk {
    /// All values.
    pub const ALL: [Self; 1] = [Self::ReservedCopy];

    /// The name on the wire and in the database.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::ReservedCopy => "reserved_copy",
        }
    }

    /// The perk with that name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|perk| perk.as_str() == name)
    }
}
