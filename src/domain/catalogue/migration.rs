//! Moves and merges of cards.

/// What became of a card.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MigrationKind {
    /// It got another number.
    Move,
    /// It was merged into another card.
    Merge,
}

impl MigrationKind {
    /// The name on the wire and in the database.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Move => "move",
            Self::Merge => "merge",
        }
    }

    /// The kind of that name.
    pub fn parse(name: &str) -> Option<Self> {
        [Self::Move, Self::Merge].into_iter().find(|kind| kind.as_str() == name)
    }
}
