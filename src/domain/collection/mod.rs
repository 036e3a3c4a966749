//! Counted collections: how many cards of a printing a player claims to own, and in which condition.

pub mod resolve;
pub mod table;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::ids::PrintingId;

/// Most cards of one printing in one condition.
pub const MAX_QUANTITY: i32 = 9_999;
/// Most entries of one account.
pub const MAX_ENTRIES: usize = 50_000;
/// Most items of one list of wants or haves.
pub const MAX_TRADE_ITEMS: usize = 2_000;
/// Longest list that is pasted into a form, in bytes; files may be larger.
pub const MAX_PASTED: usize = 256 * 1024;

/// The condition of a card.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(try_from = "String", into = "&'static str")]
pub enum Condition {
    /// As it came out of the pack.
    Mint,
    /// The condition of lines that name none.
    #[default]
    NearMint,
    /// Small marks.
    LightlyPlayed,
    /// Clearly visible marks.
    ModeratelyPlayed,
    /// Worn, but not damaged.
    HeavilyPlayed,
    /// Torn, bent or written on.
    Damaged,
}

/// The text names no condition.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
#[error(
    "a condition is mint, near_mint, lightly_played, moderately_played, heavily_played or damaged"
)]
pub struct ConditionError;

impl Condition {
    /// All, the best first.
    pub const ALL: [Self; 6] = [
        Self::Mint,
        Self::NearMint,
        Self::LightlyPlayed,
        Self::ModeratelyPlayed,
        Self::HeavilyPlayed,
        Self::Damaged,
    ];

    /// The code on the wire and in the database.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Mint => "mint",
            Self::NearMint => "near_mint",
            Self::LightlyPlayed => "lightly_played",
            Self::ModeratelyPlayed => "moderately_played",
            Self::HeavilyPlayed => "heavily_played",
            Self::Damaged => "damaged",
        }
    }

    /// The condition with that code.
    pub fn parse(code: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|condition| condition.as_str() == code)
    }

    /// Parses a condition as people and programs write it, in English or German: `NM`, `Near Mint`, `Good (Lightly Played)`, `Gespielt`. `SP`, `excellent`
    /// and `good` mean lightly played.
    pub fn parse_lenient(text: &str) -> Option<Self> {
        let letters: String =
            text.chars().filter(char::is_ascii_alphabetic).collect::<String>().to_ascii_lowercase();
        Some(match letters.as_str() {
            "m" | "mt" | "mint" | "gem" | "gemmint" => Self::Mint,
            "nm" | "nearmint" | "nmm" | "nmmint" | "nearmintmint" | "mnm" | "neuwertig" => {
                Self::NearMint
            }
            "lp" | "sp" | "ex" | "gd" | "lightlyplayed" | "lightplayed" | "slightlyplayed"
            | "excellent" | "good" | "goodlightlyplayed" | "exzellent" | "gut"
            | "leichtgespielt" | "leichtbespielt" => Self::LightlyPlayed,
            "mp" | "pl" | "moderatelyplayed" | "moderateplayed" | "played" | "gespielt"
            | "bespielt" => Self::ModeratelyPlayed,
            "hp" | "heavilyplayed" | "heavyplayed" => Self::HeavilyPlayed,
            "d" | "dmg" | "dm" | "po" | "p" | "damaged" | "poor" | "schlecht" => Self::Damaged,
            _ => return None,
        })
    }
}

impl TryFrom<String> for Condition {
    type Error = ConditionError;

    fn try_from(code: String) -> Result<Self, ConditionError> {
        Self::parse(&code).ok_or(ConditionError)
    }
}

impl From<Condition> for &'static str {
    fn from(condition: Condition) -> Self {
        condition.as_str()
    }
}

/// Key of an entry of a collection.
pub type EntryKey = (PrintingId, Condition);

/// Adds to a count; `None`: the result is below 0 or above [`MAX_QUANTITY`].
pub fn add_to_count(count: i32, by: i32) -> Option<i32> {
    count.checked_add(by).filter(|count| (0..=MAX_QUANTITY).contains(count))
}

/// Whether an import adds to the counts or replaces them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ImportMode {
    /// The quantities in the file are added to the counts.
    #[default]
    Add,
    /// The counts are set to the quantities in the file; all other counts are removed.
    Replace,
}

impl ImportMode {
    /// Both modes.
    pub const ALL: [Self; 2] = [Self::Add, Self::Replace];

    /// The code on the wire and in the database.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Add => "add",
            Self::Replace => "replace",
        }
    }

    /// The mode with that code.
    pub fn parse(code: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|mode| mode.as_str() == code)
    }
}

/// Which of a player's two trade lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TradeListKind {
    /// Cards that the player wants.
    Want,
    /// Cards that the player offers.
    Have,
}

impl TradeListKind {
    /// The code in the database.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Want => "want",
            Self::Have => "have",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conditions_are_parsed_as_people_write_them() {
        for (text, condition) in [
            ("NM", Condition::NearMint),
            ("Neuwertig", Condition::NearMint),
            ("Exzellent", Condition::LightlyPlayed),
            ("Leicht gespielt", Condition::LightlyPlayed),
            ("Gespielt", Condition::ModeratelyPlayed),
            ("Schlecht", Condition::Damaged),
            ("Near Mint", Condition::NearMint),
            ("near_mint", Condition::NearMint),
            ("NM/M", Condition::NearMint),
            ("Mint", Condition::Mint),
            ("SP", Condition::LightlyPlayed),
            ("LP", Condition::LightlyPlayed),
            ("Good (Lightly Played)", Condition::LightlyPlayed),
            ("Played", Condition::ModeratelyPlayed),
            ("Heavily Played", Condition::HeavilyPlayed),
            ("Poor", Condition::Damaged),
        ] {
            assert_eq!(Condition::parse_lenient(text), Some(condition), "{text}");
        }
        for text in ["", "PSA 10", "new", "English"] {
            assert_eq!(Condition::parse_lenient(text), None, "{text}");
        }
        for condition in Condition::ALL {
            assert_eq!(Condition::parse_lenient(condition.as_str()), Some(condition));
            assert_eq!(Condition::parse(condition.as_str()), Some(condition));
        }
    }

    #[test]
    fn counts_stay_in_their_range() {
        assert_eq!(add_to_count(3, -3), Some(0));
        assert_eq!(add_to_count(3, -4), None);
        assert_eq!(add_to_count(1, MAX_QUANTITY), None);
        assert_eq!(add_to_count(i32::MAX, i32::MAX), None);
    }
}
