//! Sentence templates: `Draw <number> cards`.

use std::fmt;

/// A sentence with places for values, as a typed tree.
///
/// A place is `<name>`, `<name+N>` or `<name-N>`, where a name is made of letters, digits and `_` of any script. `<>`, and a `<`
/// that no `>` follows, are text like any other.
///
/// ```
/// use cardscape_engine::effect_text::{Piece, Template};
///
/// let template = Template::parse("  Draw <number> cards ")?;
/// assert_eq!(template.source(), "Draw <number> cards");
/// let [Piece::Text(before), Piece::Placeholder(number), Piece::Text(_)] = template.pieces() else { panic!() };
/// assert_eq!((before.as_str(), number.name()), ("Draw ", "number"));
///
/// let error = Template::parse("Draw <a number> cards").unwrap_err();
/// assert_eq!(error.column, 6);
/// # Ok::<(), cardscape_engine::effect_text::TemplateError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Template {
    source: String,
    pieces: Vec<Piece>,
}

/// A part of a [`Template`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Piece {
    /// Words that stay as they are.
    Text(String),
    /// A place that takes values.
    Placeholder(Placeholder),
}

/// A place of a template. Two with the same spelling are linked: both take the same value. `<n>`, `<n+0>` and `<n+1>` are three spellings.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Placeholder {
    name: String,
    offset: Option<Offset>,
}

/// What is added to values that are integers, as it is written: `+1`, `-03`. It may have any number of digits.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Offset(String);

/// Something in brackets that is not a placeholder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TemplateError {
    /// Where the bracket opens, in characters from 1.
    pub column: usize,
    /// The text in the brackets.
    pub found: String,
}

impl TemplateError {
    /// What is wrong, without the column.
    pub fn message(&self) -> String {
        format!("<{}> is no placeholder: <name>, <name+N> or <name-N> is", self.found)
    }
}

/// The column and what is wrong there.
impl fmt::Display for TemplateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "column {}: {}", self.column, self.message())
    }
}

impl std::error::Error for TemplateError {}

impl Template {
    /// Reads a template. White space around it is ignored.
    pub fn parse(text: &str) -> Result<Self, TemplateError> {
        let indent = text.len() - text.trim_start().len();
        Self::parse_whole(text.trim()).map_err(|error| {
            let before = text[..indent].chars().count();
            TemplateError { column: error.column + before, ..error }
        })
    }

    /// Like [`Template::parse`], but keeps white space around it: for patterns that are searched in sentences.
    pub fn parse_whole(source: &str) -> Result<Self, TemplateError> {
        let mut pieces = Vec::new();
        let mut words = String::new();
        let mut rest = source;
        while let Some(open) = rest.find('<') {
            words.push_str(&rest[..open]);
            let after = &rest[open + 1..];
            let Some(close) = after.find('>') else {
                words.push_str(&rest[open..]);
                rest = "";
                break;
            };
            let inner = &after[..close];
            if inner.is_empty() {
                words.push_str("<>");
            } else {
                let placeholder = Placeholder::parse(inner).ok_or_else(|| {
                    let before = source.len() - rest.len() + open;
                    let column = source[..before].chars().count() + 1;
                    TemplateError { column, found: inner.to_owned() }
                })?;
                if !words.is_empty() {
                    pieces.push(Piece::Text(std::mem::take(&mut words)));
                }
                pieces.push(Piece::Placeholder(placeholder));
            }
            rest = &after[close + 1..];
        }
        words.push_str(rest);
        if !words.is_empty() {
            pieces.push(Piece::Text(words));
        }
        Ok(Self { source: source.to_owned(), pieces })
    }

    /// Reads a value. A `_` outside of brackets means nothing, so that a value of `_` alone is empty: a blank line cannot be a value. Names keep
    /// their underscores.
    pub(super) fn parse_value(text: &str) -> Result<Self, TemplateError> {
        let written = Self::parse(text)?;
        let stays = |piece: Piece| match piece {
            Piece::Text(words) => {
                Some(words.replace('_', "")).filter(|words| !words.is_empty()).map(Piece::Text)
            }
            place @ Piece::Placeholder(_) => Some(place),
        };
        let pieces: Vec<Piece> = written.pieces.into_iter().filter_map(stays).collect();
        let source = pieces.iter().map(ToString::to_string).collect();
        Ok(Self { source, pieces })
    }

    /// The template as it was written; trimmed, unless it was read whole.
    pub fn source(&self) -> &str {
        &self.source
    }

    /// Its parts, in order. Two texts are never adjacent.
    pub fn pieces(&self) -> &[Piece] {
        &self.pieces
    }

    /// Its places, in order, repeated ones too.
    pub fn placeholders(&self) -> impl Iterator<Item = &Placeholder> {
        self.pieces.iter().filter_map(|piece| match piece {
            Piece::Text(_) => None,
            Piece::Placeholder(placeholder) => Some(placeholder),
        })
    }

    /// Its places with the columns where their brackets open, in characters of [`Template::source`] from 1.
    ///
    /// ```
    /// use cardscape_engine::effect_text::Template;
    ///
    /// let template = Template::parse("Été: <a> or <b+1>")?;
    /// let columns: Vec<(usize, &str)> =
    ///     template.positions().map(|(column, place)| (column, place.name())).collect();
    /// assert_eq!(columns, [(6, "a"), (13, "b")]);
    /// # Ok::<(), cardscape_engine::effect_text::TemplateError>(())
    /// ```
    pub fn positions(&self) -> impl Iterator<Item = (usize, &Placeholder)> {
        let mut column = 1;
        self.pieces.iter().filter_map(move |piece| {
            let begin = column;
            column += piece.to_string().chars().count();
            match piece {
                Piece::Text(_) => None,
                Piece::Placeholder(placeholder) => Some((begin, placeholder)),
            }
        })
    }
}

/// As it was written.
impl fmt::Display for Piece {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text(words) => f.write_str(words),
            Self::Placeholder(placeholder) => placeholder.fmt(f),
        }
    }
}

impl fmt::Display for Template {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.source)
    }
}

impl Placeholder {
    /// Reads the text between the brackets.
    fn parse(inner: &str) -> Option<Self> {
        let end = inner.find(['+', '-']).unwrap_or(inner.len());
        let (name, offset) = inner.split_at(end);
        let offset = match offset.get(1..) {
            None => None,
            Some(digits) => {
                let sound = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
                Some(sound.then(|| Offset(offset.to_owned()))?)
            }
        };
        (!name.is_empty() && name.chars().all(is_word))
            .then(|| Self { name: name.to_owned(), offset })
    }

    /// The name of the values, without brackets and offset.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What is added to values that are integers.
    pub fn offset(&self) -> Option<&Offset> {
        self.offset.as_ref()
    }
}

/// In brackets, as it was written.
impl fmt::Display for Placeholder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.offset {
            None => write!(f, "<{}>", self.name),
            Some(offset) => write!(f, "<{}{}>", self.name, offset.as_str()),
        }
    }
}

impl Offset {
    /// As it is written, with its sign.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Whether a character is part of a word: a letter, a digit of any script, or `_`.
pub(super) fn is_word(character: char) -> bool {
    character.is_alphanumeric() || character == '_'
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shape(text: &str) -> Vec<String> {
        let template = Template::parse(text).unwrap();
        let shape = |piece: &Piece| match piece {
            Piece::Text(text) => text.clone(),
            Piece::Placeholder(placeholder) => format!("[{placeholder}]"),
        };
        template.pieces().iter().map(shape).collect()
    }

    #[test]
    fn places_and_text() {
        assert_eq!(shape("<a><b+1> c <größe_2-03>"), ["[<a>]", "[<b+1>]", " c ", "[<größe_2-03>]"]);
        assert_eq!(shape("a <> b >c< d"), ["a <> b >c< d"]);
        assert_eq!(shape("<>a>"), ["<>a>"]);
        assert_eq!(shape(" \t "), Vec::<String>::new());
        assert_eq!(shape("<0>"), ["[<0>]"]);
    }

    #[test]
    fn an_underscore_in_a_value_stands_for_nothing() {
        for (text, source, pieces) in [
            (" _ ", "", 0),
            ("snow_ball", "snowball", 1),
            ("_<low_rank>__<n_2+1>_ or <> <_", "<low_rank><n_2+1> or <> <", 3),
        ] {
            let value = Template::parse_value(text).unwrap();
            assert_eq!((value.source(), value.pieces().len()), (source, pieces), "{text}");
            assert_eq!(Template::parse(value.source()), Ok(value), "{text}");
        }
        assert!(Template::parse_value("_<a b>").is_err());
    }

    #[test]
    fn anything_else_in_brackets_is_an_error_with_its_column() {
        for (text, column) in [
            ("< a>", 1),
            ("é <a >", 3),
            ("  <a+>", 3),
            ("<n> <+1>", 5),
            ("<a+1+2>", 1),
            ("<a+x>", 1),
            ("<a <b>", 1),
            ("<a*2>", 1),
            ("<a.b>", 1),
        ] {
            let error = Template::parse(text).unwrap_err();
            assert_eq!(error.column, column, "{text}");
        }
        let error = Template::parse("Draw <1 card>").unwrap_err();
        assert_eq!(
            error.to_string(),
            "column 6: <1 card> is no placeholder: <name>, <name+N> or <name-N> is"
        );
    }
}
