//! Codes for people and URLs: codes of games, sets, kinds, rarities and formats, and the numbers of cards.

use std::ops::Deref;

use serde::{Deserialize, Serialize};
use smol_str::SmolStr;
use thiserror::Error;

/// A code or collector number: 1 to 64 ASCII letters, digits, hyphens and underscores. All stored codes have this form, so a
/// text with another form can be refused without a query of the database.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "SmolStr")]
pub struct Code(SmolStr);

/// The text is not a code.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
#[error("a code is 1 to 64 letters, digits, hyphens and underscores")]
pub struct CodeError;

impl Code {
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
}
