//! Values that are one of a few words. The OpenAPI document lists the words, so that a wrong one is reported together
//! with faults of structure, and handlers parse them with the same messages.

use std::fmt;

use cardscape_search::{did_you_mean, near};
use utoipa::openapi::RefOr;
use utoipa::openapi::schema::{ObjectBuilder, Schema, Type};

/// A value that is written as one word.
pub(crate) trait Word: Sized + 'static {
    /// Each value with its word.
    fn words() -> Vec<(&'static str, Self)>;

    /// Parses a word, or returns which words are allowed.
    fn read(word: &str) -> Result<Self, NotOneOf> {
        let mut words = Self::words();
        match words.iter().position(|(known, _)| *known == word) {
            Some(at) => Ok(words.swap_remove(at).1),
            None => Err(must_be_one_of(word, words.into_iter().map(|(known, _)| known))),
        }
    }
}

/// A word that is not allowed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotOneOf {
    /// All allowed words.
    pub known: Vec<String>,
    /// Allowed words that are similar to the wrong word.
    pub near: Vec<String>,
}

impl fmt::Display for NotOneOf {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let near: Vec<&str> = self.near.iter().map(String::as_str).collect();
        write!(f, "must be one of {}{}", self.known.join(", "), did_you_mean(&near))
    }
}

/// The error about an unknown word.
pub(crate) fn must_be_one_of<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> NotOneOf {
    let known: Vec<&str> = known.into_iter().collect();
    let owned = |words: Vec<&str>| words.into_iter().map(str::to_owned).collect();
    NotOneOf { near: owned(near(word, known.iter().copied())), known: owned(known) }
}

/// A sentence about something that does not exist, followed by similar names that exist.
pub(crate) fn with_near<'a>(
    sentence: &str,
    typed: &str,
    known: impl IntoIterator<Item = &'a str>,
) -> String {
    let near = near(typed, known);
    if near.is_empty() {
        sentence.to_owned()
    } else {
        format!("{}{}", sentence.trim_end_matches('.'), did_you_mean(&near))
    }
}

/// The schema of a value that is one of a few words.
pub(crate) fn word_schema<const N: usize>(
    description: &str,
    words: [&'static str; N],
) -> RefOr<Schema> {
    ObjectBuilder::new()
        .schema_type(Type::String)
        .description(Some(description))
        .enum_values(Some(words))
        .into()
}

/// Implements [`Word`] and the OpenAPI schema for types that have `ALL` and `as_str`.
macro_rules! words {
    ($($type:ident: $description:literal;)+) => { $(
        impl $crate::app::words::Word for $type {
            fn words() -> Vec<(&'static str, Self)> {
                Self::ALL.into_iter().map(|value| (value.as_str(), value)).collect()
            }
        }

        impl utoipa::PartialSchema for $type {
            fn schema() -> utoipa::openapi::RefOr<utoipa::openapi::Schema> {
                $crate::app::words::word_schema($description, Self::ALL.map(Self::as_str))
            }
        }

        impl utoipa::ToSchema for $type {}
    )+ };
}
pub(crate) use words;
