//! The details of a deck apart from its cards: visibility, description, tags and folder.

use std::collections::BTreeSet;

use unicode_normalization::UnicodeNormalization as _;

use crate::domain::text::{self, TextError, without_serial};

/// Most tags of a deck.
pub const MAX_TAGS: usize = 20;
/// Most characters of a tag.
pub const MAX_TAG: usize = 30;
/// Most characters of a description.
pub const MAX_DESCRIPTION: usize = 5_000;
/// Most characters of a folder.
pub const MAX_FOLDER: usize = 100;

/// Who may read a deck.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DeckVisibility {
    /// Its owner.
    #[default]
    Private,
    /// Everybody who knows its id. The deck is in no list.
    Unlisted,
    /// Everybody.
    Public,
}

impl DeckVisibility {
    /// All values.
    pub const ALL: [Self; 3] = [Self::Private, Self::Unlisted, Self::Public];

    /// The name on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Private => "private",
            Self::Unlisted => "unlisted",
            Self::Public => "public",
        }
    }

    /// The visibility with that name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|visibility| visibility.as_str() == name)
    }
}

/// The owner's description of a deck, in the markup of lore and comments: up to 5,000 characters.
///
/// ```
/// use cardscape::domain::decks::details::DeckDescription;
/// assert_eq!(DeckDescription::parse(" Go *fast*. ").unwrap().as_str(), "Go *fast*.");
/// assert_eq!(DeckDescription::parse("").unwrap(), DeckDescription::default());
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DeckDescription(String);

impl DeckDescription {
    /// Parses what a person typed.
    pub fn parse(raw: &str) -> Result<Self, TextError> {
        if raw.trim().is_empty() {
            return Ok(Self::default());
        }
        text::prose_lines(raw, 1, MAX_DESCRIPTION).map(Self)
    }

    /// A description that was checked before it was stored, perhaps by an older version, which refused fewer texts.
    pub fn stored(text: &str) -> Self {
        Self(text.to_owned())
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// A tag of a deck: 1 to 30 characters, converted to lower case, so that `Aggro` and `aggro` are the same tag.
///
/// ```
/// use cardscape::domain::decks::details::DeckTag;
/// assert_eq!(DeckTag::parse(" Aggro ").unwrap().as_str(), "aggro");
/// assert!(DeckTag::parse(&"x".repeat(31)).is_err());
/// ```
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct DeckTag(String);

impl DeckTag {
    /// Parses what a person typed.
    pub fn parse(raw: &str) -> Result<Self, TextError> {
        without_serial(text::line(&Self::folded(raw), 1, MAX_TAG)?).map(Self)
    }

    /// Parses a tag to look for, which an older version may have stored: it refused fewer texts.
    pub fn parse_filter(raw: &str) -> Result<Self, TextError> {
        text::known_line(&Self::folded(raw), 1, MAX_TAG).map(Self)
    }

    /// A tag that was checked before it was stored, perhaps by an older version.
    pub fn stored(text: &str) -> Self {
        Self(text.to_owned())
    }

    fn folded(raw: &str) -> String {
        raw.to_lowercase().nfc().collect()
    }

    /// The tag.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Tags without repetitions, in their order.
pub fn without_repetitions(tags: Vec<DeckTag>) -> Vec<DeckTag> {
    let mut seen = BTreeSet::new();
    tags.into_iter().filter(|tag| seen.insert(tag.clone())).collect()
}

/// The folder of a deck: 1 to 100 characters on one line.
///
/// ```
/// use cardscape::domain::decks::details::DeckFolder;
/// assert_eq!(DeckFolder::parse(" For friday ").unwrap().as_str(), "For friday");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeckFolder(String);

impl DeckFolder {
    /// Parses what a person typed.
    pub fn parse(raw: &str) -> Result<Self, TextError> {
        let composed: String = raw.nfc().collect();
        without_serial(text::line(&composed, 1, MAX_FOLDER)?).map(Self)
    }

    /// Parses a folder to look for, which an older version may have stored: it refused fewer texts.
    pub fn parse_filter(raw: &str) -> Result<Self, TextError> {
        let composed: String = raw.nfc().collect();
        text::known_line(&composed, 1, MAX_FOLDER).map(Self)
    }

    /// A folder that was checked before it was stored, perhaps by an older version.
    pub fn stored(text: &str) -> Self {
        Self(text.to_owned())
    }

    /// The name.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}
