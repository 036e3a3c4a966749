//! Rulings and errata about cards.

use chrono::NaiveDate;

/// Most rulings of one card.
pub const MAX_RULINGS: i64 = 200;

/// Kind of a text about a card.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RulingKind {
    /// How the card is to be read.
    Ruling,
    /// What the card should say.
    Erratum,
}

impl RulingKind {
    /// The name on the wire and in the database.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Ruling => "ruling",
            Self::Erratum => "erratum",
        }
    }

    /// The kind with that name.
    pub fn parse(name: &str) -> Option<Self> {
        [Self::Ruling, Self::Erratum].into_iter().find(|kind| kind.as_str() == name)
    }
}

/// A ruling or erratum to store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RulingContent {
    /// The kind of text.
    pub kind: RulingKind,
    /// The text, 1 to 2000 characters.
    pub text: String,
    /// The day from which the text is in force.
    pub published_on: NaiveDate,
    /// The source of the text, up to 300 characters.
    pub source: Option<String>,
}
