//! Which cards somebody looks for, as a pure value; the store turns it into SQL.

use cardscape_engine::search_key;
use thiserror::Error;

/// Conditions on cards; all that are given must hold.
///
/// Game, set, number and whether it is hidden are known of every card. Everything else is content: a condition on content
/// never matches a card whose content the asker may not see, and neither would its negation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CardFilter {
    /// Game code.
    pub game: Option<String>,
    /// Set code.
    pub set: Option<String>,
    /// Collector number.
    pub number: Option<String>,
    /// Whether the card is hidden from the public.
    pub hidden: Option<bool>,
    /// Kind code.
    pub kind: Option<String>,
    /// What the name is or begins with.
    pub name: Option<NamePattern>,
    /// A rarity in which the card exists.
    pub rarity: Option<String>,
}

impl CardFilter {
    /// Whether any condition is on what a hidden card must not tell.
    pub fn asks_for_content(&self) -> bool {
        // Taken apart so that a new condition has to say on which side it stands.
        let Self { game: _, set: _, number: _, hidden: _, kind, name, rarity } = self;
        kind.is_some() || name.is_some() || rarity.is_some()
    }
}

/// A name to look for: case, punctuation and accents do not count.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NamePattern {
    /// The whole name, as [`search_key`].
    Exact(String),
    /// Its beginning, as [`search_key`].
    Prefix(String),
}

/// Longest pattern, in characters.
const MAX_PATTERN: usize = 200;

/// Why a text is no pattern.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
pub enum PatternError {
    /// Nothing in it counts.
    #[error("name must contain a letter, a digit or a symbol")]
    Empty,
    /// Longer than any name.
    #[error("name must be at most {MAX_PATTERN} characters long")]
    TooLong,
    /// NUL, newlines and the like.
    #[error("name must not contain control characters")]
    Control,
}

impl NamePattern {
    /// Reads `Ember Fox` as a whole name and `ember*` as a beginning.
    ///
    /// ```
    /// use cardscape::search::NamePattern;
    /// assert_eq!(NamePattern::parse("Émber  Fox!"), Ok(NamePattern::Exact("emberfox".to_owned())));
    /// assert_eq!(NamePattern::parse("ember *"), Ok(NamePattern::Prefix("ember".to_owned())));
    /// assert!(NamePattern::parse("*").is_err());
    /// ```
    pub fn parse(text: &str) -> Result<Self, PatternError> {
        if text.chars().nth(MAX_PATTERN).is_some() {
            return Err(PatternError::TooLong);
        }
        if text.chars().any(char::is_control) {
            return Err(PatternError::Control);
        }
        let trimmed = text.trim_end();
        let (text, make): (_, fn(String) -> Self) = trimmed
            .strip_suffix('*')
            .map_or((trimmed, Self::Exact), |beginning| (beginning, Self::Prefix));
        let key = search_key(text);
        if key.is_empty() { Err(PatternError::Empty) } else { Ok(make(key)) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_everybody_knows_is_not_content() {
        let known = CardFilter {
            game: Some("ttcg".to_owned()),
            set: Some("veil".to_owned()),
            number: Some("001".to_owned()),
            hidden: Some(true),
            ..CardFilter::default()
        };
        assert!(!known.asks_for_content());
        for content in [
            CardFilter { kind: Some("unit".to_owned()), ..known.clone() },
            CardFilter { name: NamePattern::parse("a*").ok(), ..known.clone() },
            CardFilter { rarity: Some("rare".to_owned()), ..known.clone() },
        ] {
            assert!(content.asks_for_content(), "{content:?}");
        }
    }
}
