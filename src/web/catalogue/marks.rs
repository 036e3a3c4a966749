//! A query with marks at the parts that were ignored or refused.

use super::answers::Warning;

/// A part of a query.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::web) struct Piece {
    pub(in crate::web) text: String,
    pub(in crate::web) is_marked: bool,
}

/// Splits the query into marked and other pieces. Warnings have positions in characters.
pub(in crate::web) fn pieces(query: &str, warnings: &[Warning]) -> Vec<Piece> {
    let is_marked = |at: usize| {
        warnings.iter().any(|warning| {
            let end = warning.position.saturating_add(warning.length);
            (warning.position..end).contains(&at)
        })
    };
    let mut pieces: Vec<Piece> = Vec::new();
    for (at, character) in query.chars().enumerate() {
        let is_marked = is_marked(at);
        match pieces.last_mut() {
            Some(last) if last.is_marked == is_marked => last.text.push(character),
            _ => pieces.push(Piece { text: character.to_string(), is_marked }),
        }
    }
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    fn warning(position: usize, length: usize) -> Warning {
        Warning { position, length, text: String::new() }
    }

    #[test]
    fn positions_of_marks_count_characters() {
        let marked = |query: &str, warnings: &[Warning]| -> Vec<(String, bool)> {
            let pieces = pieces(query, warnings).into_iter();
            pieces.map(|piece| (piece.text, piece.is_marked)).collect()
        };
        let text = |text: &str, is_marked| (text.to_owned(), is_marked);
        assert_eq!(
            marked("é atack>3 x", &[warning(2, 7)]),
            [text("é ", false), text("atack>3", true), text(" x", false)]
        );
        assert_eq!(marked("ab", &[warning(0, 1), warning(1, 9)]), [text("ab", true)]);
        assert_eq!(marked("ab", &[warning(9, usize::MAX)]), [text("ab", false)]);
        assert_eq!(marked("", &[warning(0, 0)]), []);
    }
}
