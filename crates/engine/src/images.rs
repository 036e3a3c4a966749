//! The addresses of pictures of the real cards.

use std::fmt;

use serde::{Serialize, Serializer};
use thiserror::Error;

use crate::near::{did_you_mean, near};

/// What a manifest says about pictures. Empty if it says nothing.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Images {
    /// The address of the scan of each printing. Clients prefer a scan to a drawn picture.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scan: Option<ScanTemplate>,
}

impl Images {
    /// Whether the manifest says nothing about pictures.
    pub fn is_empty(&self) -> bool {
        self.scan.is_none()
    }
}

/// The address of a scan, with placeholders for what differs between printings. It is serialised as its text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScanTemplate {
    text: String,
    pieces: Vec<Piece>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Piece {
    Text(String),
    Value(Placeholder),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Placeholder {
    Game,
    Set,
    Number,
    Rarity,
    Id,
}

const PLACEHOLDERS: [(&str, Placeholder); 5] = [
    ("game", Placeholder::Game),
    ("set", Placeholder::Set),
    ("number", Placeholder::Number),
    ("rarity", Placeholder::Rarity),
    ("id", Placeholder::Id),
];

/// Maximum number of characters of a template.
pub(crate) const TEMPLATE_MAX: usize = 500;

/// Why a text is not a template of addresses.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum ScanTemplateError {
    /// It is too long.
    #[error("must have {TEMPLATE_MAX} characters at most")]
    Length,
    /// A character is not allowed in addresses.
    #[error("must not have the character {0:?}: write it as a browser's address bar does (`%20`)")]
    Character(char),
    /// It is neither an address nor a path.
    #[error(
        "must begin with https://, http:// and a host without placeholder, or be a path that begins with one slash"
    )]
    Beginning,
    /// A brace has no counterpart.
    #[error("has a brace without its other half: placeholders are written as {{number}}")]
    Brace,
    /// There is no such placeholder.
    #[error("there is no placeholder {{{name}}}{near}")]
    Unknown {
        /// The text between the braces.
        name: String,
        /// The placeholder that may be meant.
        near: String,
    },
    /// All cards would have the same scan.
    #[error("must have {{number}} or {{id}}: all cards would have the same picture otherwise")]
    Same,
}

/// Which printing a scan is of.
#[derive(Debug, Clone, Copy)]
pub struct ScannedPrinting<'a> {
    /// Code of the game.
    pub game: &'a str,
    /// Code of the set.
    pub set: &'a str,
    /// Number of the card in its set.
    pub number: &'a str,
    /// Code of the rarity.
    pub rarity: &'a str,
    /// Id of the card.
    pub id: &'a str,
}

impl ScanTemplate {
    /// Reads a template: an address (`https://cdn.example.org/{set}/{number}.jpg`) or the path of one, with the placeholders `{game}`, `{set}`,
    /// `{number}`, `{rarity}` and `{id}`.
    ///
    /// # Errors
    /// The first error that is found.
    pub fn parse(text: &str) -> Result<Self, ScanTemplateError> {
        if text.chars().count() > TEMPLATE_MAX {
            return Err(ScanTemplateError::Length);
        }
        let is_unfit = |one: &char| !one.is_ascii_graphic() || "\"<>\\^`|".contains(*one);
        if let Some(unfit) = text.chars().find(is_unfit) {
            return Err(ScanTemplateError::Character(unfit));
        }
        if !has_valid_start(text) {
            return Err(ScanTemplateError::Beginning);
        }
        let pieces = pieces(text)?;
        let tells_apart = [Placeholder::Number, Placeholder::Id].map(Piece::Value);
        if !tells_apart.iter().any(|wanted| pieces.contains(wanted)) {
            return Err(ScanTemplateError::Same);
        }
        Ok(Self { text: text.to_owned(), pieces })
    }

    /// The template as the manifest has it.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// The address of a scan. The values of placeholders are percent-encoded (RFC 3986), except letters, digits, `-`, `.`, `_` and `~`.
    ///
    /// ```
    /// use cardscape_engine::{ScanTemplate, ScannedPrinting};
    ///
    /// let template = ScanTemplate::parse("https://cdn.example.org/{set}/{number}-{rarity}.jpg")?;
    /// let printing = ScannedPrinting { game: "pond", set: "shore", number: "0/7", rarity: "plain", id: "1" };
    /// assert_eq!(template.fill(&printing), "https://cdn.example.org/shore/0%2F7-plain.jpg");
    /// # Ok::<(), cardscape_engine::ScanTemplateError>(())
    /// ```
    pub fn fill(&self, of: &ScannedPrinting<'_>) -> String {
        let mut address = String::with_capacity(self.text.len() + of.id.len());
        for piece in &self.pieces {
            match piece {
                Piece::Text(text) => address.push_str(text),
                Piece::Value(placeholder) => push_encoded(&mut address, placeholder.value(of)),
            }
        }
        address
    }
}

impl Placeholder {
    fn value<'a>(self, of: &ScannedPrinting<'a>) -> &'a str {
        match self {
            Self::Game => of.game,
            Self::Set => of.set,
            Self::Number => of.number,
            Self::Rarity => of.rarity,
            Self::Id => of.id,
        }
    }
}

impl Serialize for ScanTemplate {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.text)
    }
}

impl fmt::Display for ScanTemplate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// Whether it is a path, or an address with a host. The host must not have a placeholder, nor a user name and password: everybody who sees cards
/// could read them.
fn has_valid_start(text: &str) -> bool {
    let Some(rest) = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://")) else {
        return text.starts_with('/') && !text.starts_with("//");
    };
    let host = rest.split_once('/').map(|(host, _)| host);
    host.is_some_and(|host| !host.is_empty() && !host.contains(['{', '}', '@', '?', '#']))
}

fn pieces(text: &str) -> Result<Vec<Piece>, ScanTemplateError> {
    let (mut pieces, mut rest) = (Vec::new(), text);
    while let Some(at) = rest.find(['{', '}']) {
        let (before, brace) = rest.split_at(at);
        let inside = brace.strip_prefix('{').and_then(|inside| inside.split_once('}'));
        let (name, after) = inside.ok_or(ScanTemplateError::Brace)?;
        if name.contains('{') {
            return Err(ScanTemplateError::Brace);
        }
        if !before.is_empty() {
            pieces.push(Piece::Text(before.to_owned()));
        }
        pieces.push(Piece::Value(placeholder(name)?));
        rest = after;
    }
    if !rest.is_empty() {
        pieces.push(Piece::Text(rest.to_owned()));
    }
    Ok(pieces)
}

fn placeholder(name: &str) -> Result<Placeholder, ScanTemplateError> {
    let known = PLACEHOLDERS.iter().find(|(known, _)| *known == name);
    known.map(|(_, placeholder)| *placeholder).ok_or_else(|| ScanTemplateError::Unknown {
        name: name.to_owned(),
        near: did_you_mean(&near(name, PLACEHOLDERS.map(|(known, _)| known))),
    })
}

fn push_encoded(address: &mut String, value: &str) {
    for byte in value.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            address.push(char::from(byte));
        } else {
            address.push_str(&format!("%{byte:02X}"));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PRINTING: ScannedPrinting<'_> = ScannedPrinting {
        game: "pond",
        set: "shore",
        number: "007",
        rarity: "plain",
        id: "0199-a",
    };

    #[test]
    fn every_placeholder_is_filled_wherever_it_stands() {
        for (template, filled) in [
            ("/{number}", "/007"),
            ("/{id}?of={game}#{set}", "/0199-a?of=pond#shore"),
            (
                "http://[::1]:8080/{number}{number}-{rarity}.jpg",
                "http://[::1]:8080/007007-plain.jpg",
            ),
            ("https://example.org/a%20b/{id}/", "https://example.org/a%20b/0199-a/"),
        ] {
            let template = ScanTemplate::parse(template).unwrap();
            assert_eq!(template.fill(&PRINTING), filled);
        }
    }

    #[test]
    fn values_of_placeholders_are_escaped() {
        let template = ScanTemplate::parse("/{set}/{number}").unwrap();
        let odd = ScannedPrinting { set: "../x?", number: "é {id}%", ..PRINTING };
        assert_eq!(template.fill(&odd), "/..%2Fx%3F/%C3%A9%20%7Bid%7D%25");
    }

    #[test]
    fn invalid_templates_are_reported() {
        let long = format!("/{{number}}{}", "x".repeat(TEMPLATE_MAX - 8));
        assert_eq!(long.len(), TEMPLATE_MAX + 1);
        assert!(ScanTemplate::parse(&long[..TEMPLATE_MAX]).is_ok());
        for (template, expected) in [
            (long.as_str(), "must have 500 characters at most"),
            ("/{number} .jpg", "must not have the character ' '"),
            ("/{number}\n", "must not have the character '\\n'"),
            ("/ä{number}", "must not have the character 'ä'"),
            ("/\"{number}", "must not have the character '\"'"),
            ("", "must begin with"),
            ("cdn/{number}", "must begin with"),
            ("//cdn.example.org/{number}", "must begin with"),
            ("ftp://example.org/{number}", "must begin with"),
            ("javascript:{number}", "must begin with"),
            ("https:///{number}", "must begin with"),
            ("https://{set}.example.org/{number}", "must begin with"),
            ("https://me:secret@example.org/{number}", "must begin with"),
            ("https://example.org?{number}/", "must begin with"),
            ("/{number", "has a brace without its other half"),
            ("/number}/{id}", "has a brace without its other half"),
            ("/{{number}}", "has a brace without its other half"),
            ("/{numbr}", "there is no placeholder {numbr}; did you mean number?"),
            ("/{}/{id}", "there is no placeholder {}"),
            ("/{game}/{set}/{rarity}.jpg", "must have {number} or {id}"),
        ] {
            let error = ScanTemplate::parse(template).unwrap_err().to_string();
            assert!(error.starts_with(expected), "{template}: {error}");
        }
    }
}
