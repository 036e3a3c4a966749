//! Words in the index of the words of designs and cards.

use crate::search::{Case, Place, Predicate, Test};

/// The lexemes of all words of `content`, in the form of the index.
pub(in crate::store) const LEXEMES: &str =
    "array_to_tsvector(string_to_array(ltrim(content.words), ' '))";

/// Whether the index of words has the texts of a place: those of attributes are not part of `words`.
pub(in crate::store) fn is_indexed(place: &Place) -> bool {
    !matches!(place, Place::Attribute { .. })
}

/// Queries of [`LEXEMES`], in the form of `tsquery`: all rows that meet the condition match each of them. Those with the
/// most letters are first, because they probably match the fewest rows. Empty: the condition requires no words.
pub(in crate::store) fn required_words(predicate: &Predicate) -> Vec<String> {
    let mut required = Vec::new();
    add_required_words(&mut required, predicate);
    required.sort_by_key(|query| std::cmp::Reverse(query.len()));
    required
}

fn add_required_words(required: &mut Vec<String>, predicate: &Predicate) {
    match predicate {
        Predicate::All(parts) => parts.iter().for_each(|part| add_required_words(required, part)),
        Predicate::Content { negated: false, cases } => {
            // A row that passes the only case passes its test, in whatever games the case applies.
            if let [Case { test: Test::Words(place, words), .. }] = cases.as_slice()
                && is_indexed(place)
            {
                required.push(phrase_tsquery(words));
            }
        }
        Predicate::Content { negated: true, .. } | Predicate::Any(_) | Predicate::Known { .. } => {}
    }
}

/// A `tsquery` for all of the words; the last may be a prefix.
pub(in crate::store) fn phrase_tsquery(words: &[String]) -> String {
    let quoted = |word: &String| format!("'{}'", word.replace('\\', "\\\\").replace('\'', "''"));
    let list: Vec<String> = words.iter().map(quoted).collect();
    list.join(" & ") + ":*"
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(place: Place, words: &[&str]) -> Predicate {
        let words = words.iter().map(|word| (*word).to_owned()).collect();
        Predicate::content(Test::Words(place, words))
    }

    #[test]
    fn only_words_that_every_row_must_have_are_required() {
        let (rare, phrase) =
            (words(Place::Everywhere, &["heron"]), words(Place::Name, &["a", "b"]));
        let emoji = Place::Attribute { attribute: "emoji".to_owned(), per_printing: false };
        let attribute = words(emoji, &["heron"]);
        let all = |parts: &[&Predicate]| Predicate::All(parts.iter().copied().cloned().collect());
        assert_eq!(required_words(&rare), ["'heron':*"]);
        let nested = all(&[&phrase, &all(&[&rare]), &attribute]);
        assert_eq!(required_words(&nested), ["'a' & 'b':*", "'heron':*"]);
        for weaker in [
            Predicate::always(),
            attribute,
            rare.clone().negated(),
            Predicate::Any(vec![rare.clone(), phrase]),
            Predicate::Any(vec![rare]),
        ] {
            assert!(required_words(&weaker).is_empty(), "{weaker:?}");
        }
    }

    #[test]
    fn words_are_quoted() {
        assert_eq!(phrase_tsquery(&["it's".to_owned(), r"a\b".to_owned()]), r"'it''s' & 'a\\b':*");
    }
}
