//! Codes for people and URLs: codes of games, sets, kinds, rarities and formats, and the numbers of cards.

use std::ops::Deref;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};
use smol_str::SmolStr;
use thiserror::Error;

/// A code or collector number: 1 to 64 ASCII letters, digits, hyphens and underscores. All stored codes have this form, so a
/// text with another form can be refused without a query of the database.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "SmolStr")]
pub struct Code(SmolStr);

/// The text is not a code.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
#[error(
    "a code has only letters, digits, hyphens and underscores, at most 64, such as ttcg or 001"
)]
pub struct CodeError;

impl Code {
    /// Reads a code that a client sends in a body: white space at both ends is no part of it.
    pub fn parse_typed(text: &str) -> Result<Self, CodeError> {
        text.trim().try_into()
    }

    /// Deserializes an optional code like [`Code::parse_typed`].
    pub fn deserialize_typed<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Self>, D::Error> {
        let text = Option::<SmolStr>::deserialize(from)?;
        text.map(|text| Self::parse_typed(&text)).transpose().map_err(D::Error::custom)
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The code in lower case, as codes of games, sets, kinds and rarities are stored.
    #[must_use]
    pub fn lower_case(&self) -> Self {
        Self(self.0.to_ascii_lowercase().into())
    }

    /// The text.
    pub fn into_string(self) -> String {
        self.0.into()
    }
}

impl Deref for Code {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

impl TryFrom<String> for Code {
    type Error = CodeError;

    fn try_from(text: String) -> Result<Self, CodeError> {
        SmolStr::from(text).try_into()
    }
}

impl TryFrom<&str> for Code {
    type Error = CodeError;

    fn try_from(text: &str) -> Result<Self, CodeError> {
        SmolStr::from(text).try_into()
    }
}

impl TryFrom<SmolStr> for Code {
    type Error = CodeError;

    fn try_from(text: SmolStr) -> Result<Self, CodeError> {
        let allowed = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
        let fits = (1..=64).contains(&text.len()) && text.bytes().all(allowed);
        if fits { Ok(Self(text)) } else { Err(CodeError) }
    }
}

impl std::fmt::Display for Code {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_texts_are_refused_as_codes() {
        for good in ["ttcg", "ultra_rare", "001", "A-1"] {
            assert!(Code::try_from(good.to_owned()).is_ok(), "{good}");
        }
        for bad in ["", "a b", "a\0", "é", "a/b", "a'", &"a".repeat(65)] {
            assert_eq!(Code::try_from(bad.to_owned()), Err(CodeError), "{bad}");
        }
    }

    #[test]
    fn white_space_around_typed_codes_does_not_count() {
        let code = Code::parse_typed(" ttcg\u{3000}\n").unwrap();
        assert_eq!(code.as_str(), "ttcg");
        for bad in ["", " ", "t tcg"] {
            assert_eq!(Code::parse_typed(bad), Err(CodeError), "{bad}");
        }
        let read =
            |json: &str| Code::deserialize_typed(&mut serde_json::Deserializer::from_str(json));
        assert_eq!(read("\" ttcg \"").unwrap(), Some(code));
        assert_eq!(read("null").unwrap(), None);
        assert!(read("\"t tcg\"").unwrap_err().to_string().contains("such as ttcg"));
    }
}
