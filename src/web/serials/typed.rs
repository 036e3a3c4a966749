//! A code and a name, as they were typed.

use serde::Deserialize;

use super::words as serial_words;
use crate::app::serials::submissions::NamedSerial;
use crate::domain::serials::serial::{SerialCode, SerialError};
use crate::web::forms::Faults;

/// A code and a name, as they were typed. Without `Debug`: the code is a secret.
#[derive(Clone, Default, Deserialize)]
pub(in crate::web) struct TypedCode {
    #[serde(default)]
    pub(in crate::web) serial: String,
    #[serde(default)]
    pub(in crate::web) card: String,
}

/// A code with the place of a character that cannot be in one.
pub(super) struct Marked {
    /// From 1; separators do not count.
    pub(super) place: usize,
    pub(super) before: String,
    pub(super) wrong: String,
    pub(super) after: String,
}

impl Marked {
    /// A code with the character that cannot be in one, if it has such a one.
    pub(super) fn of(code: &str) -> Option<Self> {
        let Err(SerialError::Symbol(place)) = SerialCode::parse(code) else { return None };
        // Separators do not count for the place.
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
    /// Reads both, or says what is wrong with each.
    pub(super) fn read(&self) -> Result<NamedSerial, Faults> {
        let (code, name) = NamedSerial::read(&self.serial, &self.card);
        let mut faults = Faults::none();
        if let Err(error) = &code {
            faults.add("serial", serial_words::code_fault(*error));
        }
        if name.is_err() {
            faults.add("card", serial_words::NAME_FAULT);
        }
        match (code, name) {
            (Ok(code), Ok(name)) => Ok(NamedSerial { code, name, game: None }),
            _ => Err(faults),
        }
    }

    /// The code with the character that cannot be in one, if it has such a one.
    pub(super) fn marked(&self) -> Option<Marked> {
        Marked::of(&self.serial)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_wrong_character_is_marked_where_it_stands() {
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
