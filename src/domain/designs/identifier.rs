//! The identifier of a design: public, unique and permanent, even after the design becomes an official card.

use std::fmt;

use serde::Deserialize;
use thiserror::Error;
use uuid::Uuid;

use crate::domain::crockford::{check_value, is_dash, symbol, value};

/// Symbols of an identifier, without its `D-`.
const LENGTH: usize = 10;

/// An identifier, `D-7KQ2X0FM9F`: ten symbols of Crockford Base32, of which nine are random (45 bits) and the last checks them (Luhn mod 32, as in
/// serial codes). It is not a secret, and does not reveal when the design was created or how many designs exist.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Deserialize)]
#[serde(try_from = "String")]
pub struct DesignCode([u8; LENGTH]);

/// Why a text is not the identifier of a design.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
pub enum DesignCodeError {
    /// The text is not `D-` with ten symbols of the alphabet, apart from spaces and further hyphens.
    #[error("it must be D- and ten letters and digits, for example D-7KQ2X0FM9F")]
    Form,
    /// The last symbol does not fit the others.
    #[error("its check symbol does not fit, as after a typing error")]
    Check,
}

impl DesignCode {
    /// Makes an identifier from random bytes; the low five bits of each byte count.
    pub fn from_random(bytes: [u8; LENGTH - 1]) -> Self {
        let mut values = [0; LENGTH];
        for (value, byte) in values.iter_mut().zip(bytes) {
            *value = byte & 31;
        }
        values[LENGTH - 1] = check_value(&values[..LENGTH - 1]);
        Self(values)
    }

    /// A new random identifier.
    pub fn generate() -> Self {
        // Some bits in the middle of a random UUID (RFC 9562, version 4) are fixed; only the other bits are used.
        let random = Uuid::new_v4().into_bytes();
        let mut bytes = [0; LENGTH - 1];
        bytes[..6].copy_from_slice(&random[..6]);
        bytes[6..].copy_from_slice(&random[10..13]);
        Self::from_random(bytes)
    }

    /// Parses a typed identifier. Case, spaces and hyphens are ignored; the `D` may be left out; O is read as 0, I and L as 1.
    ///
    /// ```
    /// use cardscape::domain::designs::identifier::{DesignCode, DesignCodeError};
    /// let code = DesignCode::from_random([7; 9]);
    /// let text = code.to_string();
    /// assert!(text.starts_with("D-") && text.len() == 12);
    /// assert_eq!(DesignCode::parse(&text.to_lowercase()), Ok(code));
    /// assert_eq!(DesignCode::parse(&text[2..]), Ok(code));
    /// assert_eq!(DesignCode::parse("D-0000000001"), Err(DesignCodeError::Check));
    /// assert_eq!(DesignCode::parse("veil"), Err(DesignCodeError::Form));
    /// ```
    pub fn parse(text: &str) -> Result<Self, DesignCodeError> {
        let mut typed = Vec::with_capacity(LENGTH + 1);
        let is_separator = |character: char| character.is_whitespace() || is_dash(character);
        for character in text.chars().filter(|character| !is_separator(*character)) {
            if typed.len() > LENGTH {
                return Err(DesignCodeError::Form);
            }
            typed.push(value(character).ok_or(DesignCodeError::Form)?);
        }
        let symbols = match typed.as_slice() {
            [first, rest @ ..] if rest.len() == LENGTH && symbol(*first) == 'D' => rest,
            whole => whole,
        };
        let values: [u8; LENGTH] = symbols.try_into().map_err(|_| DesignCodeError::Form)?;
        if check_value(&values[..LENGTH - 1]) == values[LENGTH - 1] {
            Ok(Self(values))
        } else {
            Err(DesignCodeError::Check)
        }
    }
}

impl fmt::Display for DesignCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("D-")?;
        self.0.iter().try_for_each(|value| write!(f, "{}", symbol(*value)))
    }
}

impl TryFrom<String> for DesignCode {
    type Error = DesignCodeError;

    fn try_from(text: String) -> Result<Self, DesignCodeError> {
        Self::parse(&text)
    }
}

impl serde::Serialize for DesignCode {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn every_identifier_reads_back(bytes in any::<[u8; 9]>()) {
            let code = DesignCode::from_random(bytes);
            prop_assert_eq!(DesignCode::parse(&code.to_string()), Ok(code));
            prop_assert_eq!(DesignCode::parse(&format!(" {} ", code.to_string().to_lowercase())), Ok(code));
        }

        #[test]
        fn every_single_wrong_symbol_is_noticed(bytes in any::<[u8; 9]>(), place in 0usize..10, by in 1u8..32) {
            let mut values = DesignCode::from_random(bytes).0;
            values[place] = (values[place] + by) % 32;
            let typed: String = values.iter().map(|&value| symbol(value)).collect();
            prop_assert_eq!(DesignCode::parse(&typed), Err(DesignCodeError::Check));
        }

        #[test]
        fn no_text_panics(text in ".{0,40}") {
            let _ = DesignCode::parse(&text);
        }
    }

    /// Ten symbols that begin with D are a complete identifier without the prefix `D-`, not a prefix with nine symbols.
    #[test]
    fn the_letter_d_may_be_the_first_symbol() {
        let code = DesignCode::from_random([13; 9]);
        assert!(code.to_string().starts_with("D-DDDDDDDDD"));
        assert_eq!(DesignCode::parse(&code.to_string()[2..]), Ok(code));
        assert_eq!(DesignCode::parse("DDDDDDDDD"), Err(DesignCodeError::Form));
    }
}
