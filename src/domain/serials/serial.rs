//! Serial codes: the secret printed on a physical card.
//!
//! A code has sixteen symbols of Crockford Base32 in four groups of four, `7KQ2-X0FM-93TD-AW5G`: two symbols identify the
//! print run, thirteen are random (65 bits), and the last is a check symbol (Luhn mod 32, which detects every single wrong
//! symbol and nearly every swap of neighbours). Case, spaces, hyphens and other separators are ignored ([`is_separator`]); O is read as 0, I and L as 1.

use std::fmt;

use thiserror::Error;
use zeroize::Zeroize;

use crate::domain::crockford::{check_value, is_separator, symbol, value};

/// Symbols in a code.
const LENGTH: usize = 16;

/// A well-formed serial code with a correct check symbol. It is a bearer secret: neither `Debug` nor `Display` shows it.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SerialCode([u8; LENGTH]);

/// The first two symbols of a code, which all codes of a print run share. They improve locality in the index; two runs may have the same prefix.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RunPrefix([u8; 2]);

/// Why a text is not a serial code. The reason is found without the database.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
pub enum SerialError {
    /// The text does not have 16 symbols, apart from separators.
    #[error("a serial code has 16 symbols, this has {0}")]
    Length(usize),
    /// A character outside the alphabet, at this position (from 1, without separators).
    #[error("the character at position {0} cannot occur in a serial code")]
    Symbol(usize),
    /// All symbols are in the alphabet, but the check symbol does not fit the others: a typing error.
    #[error("this looks like a typing error: the check symbol does not fit")]
    Check,
}

impl SerialCode {
    /// Parses what a person typed: a code, or the whole address that a QR code has, with the code after its `#`.
    ///
    /// ```
    /// use cardscape::domain::serials::serial::{RunPrefix, SerialCode, SerialError};
    /// let code = SerialCode::assemble(RunPrefix::parse("7K").unwrap(), &[5; 13]);
    /// let printed = code.reveal();
    /// assert_eq!(printed.len(), 19);
    /// assert!(SerialCode::parse(&printed.to_lowercase().replace('-', " ")).as_ref() == Ok(&code));
    /// assert!(SerialCode::parse(&format!("https://cards.example/submit#{printed}")) == Ok(code));
    /// assert_eq!(SerialCode::parse("7KQ2"), Err(SerialError::Length(4)));
    /// ```
    pub fn parse(text: &str) -> Result<Self, SerialError> {
        let symbols = || Self::in_address(text).chars().filter(|c| !is_separator(*c));
        let count = symbols().count();
        if count != LENGTH {
            return Err(SerialError::Length(count));
        }
        let mut values = [0; LENGTH];
        for (place, c) in symbols().enumerate() {
            values[place] = value(c).ok_or(SerialError::Symbol(place + 1))?;
        }
        if check_value(&values[..LENGTH - 1]) == values[LENGTH - 1] {
            Ok(Self(values))
        } else {
            Err(SerialError::Check)
        }
    }

    /// The text from where a code should begin: after the `#` of an address, else all of it.
    pub fn in_address(text: &str) -> &str {
        match text.split_once('#') {
            Some((address, code)) if address.contains("://") || address.trim().is_empty() => code,
            _ => text,
        }
    }

    /// Whether a character counts as a symbol of a code, even if it is not in the alphabet; separators do not count.
    pub fn counts(character: char) -> bool {
        !is_separator(character)
    }

    /// Makes a code from its prefix and 13 random values; the low five bits of each value count.
    pub fn assemble(prefix: RunPrefix, random: &[u8; 13]) -> Self {
        let mut values = [0; LENGTH];
        values[..2].copy_from_slice(&prefix.0);
        for (place, byte) in random.iter().enumerate() {
            values[2 + place] = byte & 31;
        }
        values[LENGTH - 1] = check_value(&values[..LENGTH - 1]);
        Self(values)
    }

    /// The prefix that identifies the print run.
    pub fn prefix(&self) -> RunPrefix {
        RunPrefix([self.0[0], self.0[1]])
    }

    /// The sixteen values as bytes, for the keyed hash by which the database identifies the copy.
    pub fn as_bytes(&self) -> &[u8; LENGTH] {
        &self.0
    }

    /// The plain code as it is printed, `7KQ2-X0FM-93TD-AW5G`. Only the print file may contain it.
    pub fn reveal(&self) -> String {
        let mut text = String::with_capacity(LENGTH + 3);
        for (place, &v) in self.0.iter().enumerate() {
            if place > 0 && place % 4 == 0 {
                text.push('-');
            }
            text.push(symbol(v));
        }
        text
    }
}

impl fmt::Debug for SerialCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SerialCode(…)")
    }
}

impl Drop for SerialCode {
    fn drop(&mut self) {
        self.0.zeroize();
    }
}

impl RunPrefix {
    /// Parses two symbols of the alphabet.
    pub fn parse(text: &str) -> Option<Self> {
        let values: Vec<u8> = text.chars().map(value).collect::<Option<_>>()?;
        Some(Self(values.try_into().ok()?))
    }

    /// Makes a prefix from two random bytes; the low five bits of each byte count.
    pub fn from_random(bytes: [u8; 2]) -> Self {
        Self([bytes[0] & 31, bytes[1] & 31])
    }
}

impl fmt::Display for RunPrefix {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for v in self.0 {
            write!(f, "{}", symbol(v))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn any_code() -> impl Strategy<Value = SerialCode> {
        (any::<[u8; 2]>(), any::<[u8; 13]>()).prop_map(|(prefix, random)| {
            SerialCode::assemble(RunPrefix::from_random(prefix), &random)
        })
    }

    proptest! {
        #[test]
        fn every_code_reads_back(code in any_code()) {
            prop_assert!(SerialCode::parse(&code.reveal()) == Ok(code));
        }

        #[test]
        fn every_single_wrong_symbol_is_noticed(code in any_code(), place in 0usize..16, by in 1u8..32) {
            let mut values = code.0;
            values[place] = (values[place] + by) % 32;
            let typed: String = values.iter().map(|&v| symbol(v)).collect();
            prop_assert_eq!(SerialCode::parse(&typed), Err(SerialError::Check));
        }

        #[test]
        fn no_text_panics(text in ".{0,40}") {
            let _ = SerialCode::parse(&text);
        }
    }

    #[test]
    fn nearly_every_swap_of_neighbours_is_detected() {
        // Luhn mod 32 misses only the swap of 0 and 31.
        let missed = (0..32u8)
            .flat_map(|a| (0..32u8).map(move |b| (a, b)))
            .filter(|(a, b)| a != b && check_value(&[*a, *b]) == check_value(&[*b, *a]))
            .collect::<Vec<_>>();
        assert_eq!(missed, [(0, 31), (31, 0)]);
    }

    #[test]
    fn common_typing_variants_are_accepted() {
        let code = SerialCode::assemble(
            RunPrefix::parse("01").unwrap(),
            &[0, 1, 0, 1, 9, 9, 9, 9, 9, 9, 9, 9, 9],
        );
        let printed = code.reveal();
        let typed = printed.replacen('0', "o", 1).replacen('1', "l", 1).replace('-', " – ");
        assert!(SerialCode::parse(&typed) == Ok(code.clone()));
        assert_eq!(SerialCode::parse(&printed.replace('9', "U")), Err(SerialError::Symbol(7)));
        assert_eq!(format!("{code:?}"), "SerialCode(…)");
    }
}
