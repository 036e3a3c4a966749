//! A game's effect texts: sentence templates, the values of their placeholders and the phrase rules, as one document that is checked
//! whole; and what can be asked of it once it is sound.
//!
//! The engine's own bounds are for files at somebody's desk. What comes over HTTP is held to smaller ones, so that no document and no
//! question can keep a core busy for long: see the `MAX_` constants.

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
pub use self::library::{EffectLibrary, Found, RenderedSentence, Stretch, Trial, Wanted};

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
/// Most bytes of everything together.
pub const MAX_BYTES: usize = 1024 * 1024;
/// Most values, counted for each writing of a placeholder (`<n>`, `<n+1>`) that takes them.
pub const MAX_CHOICES: usize = 200_000;
/// Most combinations: 2⁵³ − 1, which every JSON reader keeps exact.
pub const MAX_COMBINATIONS: u64 = (1 << 53) - 1;
/// Longest sentence that may come out, in bytes.
pub const MAX_SENTENCE: usize = 4_096;

/// The document, as it is stored. Texts have no white space around them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct EffectTexts {
    /// The templates, in order; people number them from 1.
    pub templates: Vec<String>,
    /// Values by the name of the placeholder, in order.
    pub placeholders: BTreeMap<String, Vec<String>>,
    /// A sentence that contains one of these phrases is left out.
    pub removals: Vec<String>,
    /// What is replaced, in order.
    pub replacements: Vec<Replacement>,
}

/// A phrase, and what stands in its place.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Replacement {
    /// What is looked for.
    pub old: String,
    /// What it becomes; empty: it goes.
    pub new: String,
}

/// Something that is wrong with effect texts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EffectFault {
    /// JSON pointer into the document.
    pub pointer: String,
    /// Where in the text, in characters from 1, when it is about one place of it.
    pub column: Option<usize>,
    /// What is wrong, for people.
    pub message: String,
}

impl EffectFault {
    fn new(pointer: impl Into<String>, message: impl Into<String>) -> Self {
        Self { pointer: pointer.into(), column: None, message: message.into() }
    }
}

impl std::fmt::Display for EffectFault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {}", self.pointer, self.message)
    }
}
