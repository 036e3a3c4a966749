//! What can be wrong with JSON, in words that do not need knowledge of a programming language.

use serde_json::error::Category;
use thiserror::Error;

/// What is wrong with JSON that is not a deck.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum JsonFault {
    #[error("it ends before it is complete")]
    Incomplete,
    #[error("a value is missing, or a text has no double quotes")]
    Value,
    #[error("a comma or a closing bracket is missing")]
    Comma,
    #[error("a colon is missing")]
    Colon,
    #[error("the name of a member has no double quotes")]
    Key,
    #[error("a comma stands before a closing bracket")]
    TrailingComma,
    #[error("there is more text after its end")]
    TextAfterEnd,
    #[error("a text has a line break or another control character")]
    ControlCharacter,
    #[error("a text has a backslash before a character that needs none")]
    Escape,
    #[error("a number is not written as JSON needs it")]
    Number,
    #[error("it is nested too deeply")]
    TooDeep,
    /// It cannot be read for another reason.
    #[error("it is not written as JSON needs it")]
    Other,
    /// An element of a list of entries is not an object.
    #[error("an entry must be an object, as in {{\"quantity\": 2, \"name\": \"Kettle Imp\"}}")]
    EntryNotObject,
    #[error("a zone must be a list of entries in square brackets")]
    ListMissing,
    #[error("an entry has no \"quantity\"")]
    QuantityMissing,
    /// An entry names no card.
    #[error("entry {entry} of a list has no \"name\"")]
    NameMissing {
        /// Its number in its list, from 1.
        entry: usize,
    },
    #[error("the quantity of an entry must be a whole number of copies, as in \"quantity\": 2")]
    QuantityNotWhole,
    #[error("the quantity of an entry is far too large")]
    QuantityTooLarge,
    #[error("the name, set, number or rarity of a card must be a text")]
    NotText,
    #[error(
        "it has no list of entries, as in {{\"entries\": [{{\"quantity\": 2, \"name\": \"Kettle Imp\"}}]}}"
    )]
    NoEntries,
}

impl JsonFault {
    /// The faults of entries, which the reader of decks itself finds.
    const OF_ENTRIES: [Self; 6] = [
        Self::ListMissing,
        Self::QuantityMissing,
        Self::QuantityNotWhole,
        Self::QuantityTooLarge,
        Self::NotText,
        Self::NoEntries,
    ];

    /// The beginnings of the parser's messages, and what they mean.
    const OF_SYNTAX: [(&str, Self); 13] = [
        ("expected value", Self::Value),
        ("expected ident", Self::Value),
        ("expected `,`", Self::Comma),
        ("expected `:`", Self::Colon),
        ("key must be a string", Self::Key),
        ("trailing comma", Self::TrailingComma),
        ("trailing characters", Self::TextAfterEnd),
        ("control character", Self::ControlCharacter),
        ("invalid escape", Self::Escape),
        ("lone leading surrogate", Self::Escape),
        ("unexpected end of hex escape", Self::Escape),
        ("invalid number", Self::Number),
        ("number out of range", Self::Number),
    ];

    /// The fault for an error of the parser.
    pub(super) fn of(error: &serde_json::Error) -> Self {
        let message = error.to_string();
        match error.classify() {
            Category::Eof => Self::Incomplete,
            Category::Data => Self::OF_ENTRIES
                .into_iter()
                .find(|fault| message.starts_with(&fault.to_string()))
                .or_else(|| name_missing(&message))
                .unwrap_or(Self::EntryNotObject),
            _ if message.starts_with("recursion limit") => Self::TooDeep,
            _ => Self::OF_SYNTAX
                .into_iter()
                .find(|(begins, _)| message.starts_with(begins))
                .map_or(Self::Other, |(_, fault)| fault),
        }
    }
}

/// The fault of an entry without a name, whose message has the number of the entry.
fn name_missing(message: &str) -> Option<JsonFault> {
    let (number, _) = message.strip_prefix("entry ")?.split_once(' ')?;
    let fault = JsonFault::NameMissing { entry: number.parse().ok()? };
    message.starts_with(&fault.to_string()).then_some(fault)
}
