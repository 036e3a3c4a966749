//! A game's effect texts: sentence templates, the values of their placeholders and the phrase rules, as one document that is checked as a
//! whole; and the operations on a valid document.
//!
//! The limits of the engine are made for local files. Documents that arrive over HTTP have lower limits, so that no document and no request
//! can keep a core busy for long: see the `MAX_` constants.

mod check;
mod choices;
mod diff;
mod files;
mod folded;
mod growth;
mod library;
mod nearest;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

pub use self::choices::{ChoiceStep, MAX_PICKS, NextChoice, counted};
pub use self::diff::{OutputChange, Sampled, TemplateChange};
pub use self::files::EffectFiles;
pub use self::library::{
    EffectLibrary, Found, RenderedSentence, SentencePage, SentenceSearch, Trial,
};

/// Most templates of a game.
pub const MAX_TEMPLATES: usize = 2_000;
/// Longest template, in characters.
pub const MAX_TEMPLATE: usize = 500;
/// Most placeholders of a game.
pub const MAX_PLACEHOLDERS: usize = 500;
/// Longest name of a placeholder, in characters.
pub const MAX_NAME: usize = 64;
/// Most values of all placeholders of a game together.
pub const MAX_VALUES: usize = 20_000;
/// Longest value, in characters.
pub const MAX_VALUE: usize = 300;
/// Most phrases to remove, and most to replace.
pub const MAX_RULES: usize = 300;
/// Longest phrase, in characters.
pub const MAX_PHRASE: usize = 200;
/// Most bytes of all texts together.
pub const MAX_BYTES: usize = 1024 * 1024;
/// Most values, counted once for each way in which a placeholder is written (`<n>`, `<n+1>`).
pub const MAX_CHOICES: usize = 200_000;
/// Most combinations: 2⁵³ − 1, which every JSON reader keeps exact.
pub const MAX_COMBINATIONS: u64 = (1 << 53) - 1;
/// Longest finished sentence, in bytes.
pub const MAX_SENTENCE: usize = 4_096;

/// The document as it is stored. Its texts have no white space around them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct EffectTexts {
    /// The templates, in order; people number them from 1.
    pub templates: Vec<String>,
    /// Values by the name of the placeholder, in order.
    pub placeholders: BTreeMap<String, Vec<String>>,
    /// Phrases: a sentence that contains one of them is removed.
    pub removals: Vec<String>,
    /// Replacements of phrases, in order.
    pub replacements: Vec<Replacement>,
}

/// The replacement of a phrase.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Replacement {
    /// The phrase to replace.
    pub old: String,
    /// The new text; empty: the phrase is deleted.
    pub new: String,
}

/// A fault of effect texts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EffectFault {
    /// JSON pointer into the document.
    pub pointer: String,
    /// The text as people count it, such as `template 2`; empty if the pointer says enough.
    pub place: String,
    /// The character in the text, from 1, if the fault is about one character.
    pub column: Option<usize>,
    /// What is wrong, for people.
    pub message: String,
}

impl EffectFault {
    fn new(pointer: impl Into<String>, message: impl Into<String>) -> Self {
        let (place, column) = (String::new(), None);
        Self { pointer: pointer.into(), place, column, message: message.into() }
    }

    /// What is wrong, and where: `template 2, column 4: <n> has no values`.
    pub fn detail(&self) -> String {
        let Self { place, message, .. } = self;
        match self.column {
            Some(column) if place.is_empty() => format!("column {column}: {message}"),
            Some(column) => format!("{place}, column {column}: {message}"),
            None if place.is_empty() => message.clone(),
            None => format!("{place}: {message}"),
        }
    }
}

impl std::fmt::Display for EffectFault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {}", self.pointer, self.detail())
    }
}
