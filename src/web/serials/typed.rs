//! A serial code and the name of a card, as they were typed.

use serde::Deserialize;

use super::words as serial_words;
use crate::app::serials::submissions::NamedSerial;
use crate::domain::serials::serial::{SerialCode, SerialError};
use crate::web::forms::Faults;

/// A serial code and the name of a card, as they were typed. Without `Debug`, because the code is a secret.
#[derive(Clone, Default, Deserialize)]
pub(in crate::web) struct TypedCode {
    #[serde(default)]
    pub(in crate::web) serial: String,
    #[serde(default)]
    pub(in crate::web) card: String,
}

/// A code with the position of an invalid character.
pub(super) struct Marked {
    /// Starts at 1; separators do not count.
    pub(super) place: usize,
    pub(super) before: String,
    pub(super) wrong: String,
    pub(super) after: String,
}

impl Marked {
    /// The code with its first invalid character, if there is one.
    pub(super) fn of(code: &str) -> Option<Self> {
        let Err(SerialError::Symbol(place)) = SerialCode::parse(code) else { return None };
        let code = SerialCode::in_address(code);
        // Separators do not count for the position.
        let mut symbols = code.char_indices().filter(|(_, c)| SerialCode::counts(*c));
        let (at, wrong) = symbols.nth(place - 1)?;
        Some(Self {
            place,
            before: code[..at].to_owned(),
            wrong: wrong.to_string(),
            after: code[at + wrong.len_utf8()..].to_owned(),
        })
    }
}

impl TypedCode {
    /// Reads both values, or returns the faults of each.
    pub(super) fn read(&self) -> Result<NamedSerial, Faults> {
        let (code, name) = NamedSerial::read(&self.serial, &self.card);
        let mut faults = Faults::none();
        if let Err(error) = &code {
            faults.add("serial", serial_words::code_fault(*error));
        }
        if let Err(error) = &name {
            faults.add("card", serial_words::name_fault(error));
        }
        match (code, name) {
            (Ok(code), Ok(name)) => Ok(NamedSerial { code, name, game: None }),
            _ => Err(faults),
        }
    }

    /// The code with its first invalid character, if there is one.
    pub(super) fn marked(&self) -> Option<Marked> {
        Marked::of(&self.serial)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_wrong_character_is_marked_at_its_position() {
        let typed =
            TypedCode { serial: "7KQ2-X0FM-9\u{e4}TD-AW5G".to_owned(), card: String::new() };
        let marked = typed.marked().unwrap();
        assert_eq!(
            (marked.before.as_str(), marked.wrong.as_str(), marked.after.as_str()),
            ("7KQ2-X0FM-9", "\u{e4}", "TD-AW5G")
        );
        assert_eq!(typed.read().err().unwrap().all().len(), 2);
    }
}
