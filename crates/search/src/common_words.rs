//! Which words many cards have: a search for any other finds few, however it is carried out.

use std::collections::BTreeSet;
use std::ops::Bound;

use super::predicate::{Place, Predicate, Test};

/// The shortest beginning of a word, in letters, that is taken for rare when no common word begins with it: many rare words may begin
/// with two letters.
const SHORTEST: usize = 5;

/// The words that the most cards have, as the database has counted them. Everything else is in few.
#[derive(Clone, Debug, Default)]
pub struct CommonWords(Option<BTreeSet<String>>);

impl CommonWords {
    /// The words that were counted. None at all: nothing was counted yet, and nothing is known.
    pub fn new(words: Vec<String>) -> Self {
        Self((!words.is_empty()).then(|| words.into_iter().collect()))
    }

    /// Whether every card that fits has one of a few rare words.
    pub fn are_rare_in(&self, predicate: &Predicate) -> bool {
        match predicate {
            Predicate::All(parts) => parts.iter().any(|part| self.are_rare_in(part)),
            Predicate::Any(parts) => {
                !parts.is_empty() && parts.iter().all(|part| self.are_rare_in(part))
            }
            Predicate::Content { negated: false, cases } => {
                cases.iter().all(|case| self.are_rare(&case.test))
            }
            Predicate::Known { .. } | Predicate::Content { .. } => false,
        }
    }

    fn are_rare(&self, test: &Test) -> bool {
        match test {
            Test::Any(tests) => tests.iter().all(|test| self.are_rare(test)),
            // The attributes' words are not among those that are counted.
            Test::Words(Place::Attribute(_), _) => false,
            Test::Words(_, words) => self.has_rare(words),
            _ => false,
        }
    }

    /// Whether one of the words is rare; the last may go on.
    fn has_rare(&self, words: &[String]) -> bool {
        let (Some(common), Some((last, whole))) = (&self.0, words.split_last()) else {
            return false;
        };
        let from_here_on = (Bound::Included(last.as_str()), Bound::Unbounded);
        let goes_on = || common.range::<str, _>(from_here_on).next();
        let is_rare_beginning = last.chars().count() >= SHORTEST
            && goes_on().is_none_or(|next| !next.starts_with(last.as_str()));
        is_rare_beginning || whole.iter().any(|word| !common.contains(word))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn common() -> CommonWords {
        CommonWords::new(["attack", "draw", "of", "the"].map(str::to_owned).into())
    }

    fn words(text: &str) -> Predicate {
        let words = text.split(' ').map(str::to_owned).collect();
        Predicate::content(Test::Words(Place::Everywhere, words))
    }

    #[test]
    fn a_word_that_was_not_counted_is_rare() {
        for rare in ["kettle", "draws", "kettle the", "kettle imp", "attacker"] {
            assert!(common().are_rare_in(&words(rare)), "{rare}");
        }
        for common_or_short in ["attack", "attac", "draw", "the", "imp", "of the", "the imp"] {
            assert!(!common().are_rare_in(&words(common_or_short)), "{common_or_short}");
        }
        assert!(!CommonWords::default().are_rare_in(&words("kettle")), "nothing is known");
    }

    #[test]
    fn one_rare_word_is_enough_where_all_must_be_there() {
        let all = |texts: &[&str]| Predicate::All(texts.iter().map(|text| words(text)).collect());
        let any = |texts: &[&str]| Predicate::Any(texts.iter().map(|text| words(text)).collect());
        assert!(common().are_rare_in(&all(&["draw", "kettle"])));
        assert!(!common().are_rare_in(&any(&["draw", "kettle"])));
        assert!(common().are_rare_in(&any(&["teapot", "kettle"])));
        assert!(!common().are_rare_in(&any(&[])));
        assert!(!common().are_rare_in(&all(&[])));
        let Predicate::Content { cases, .. } = words("kettle") else { unreachable!() };
        assert!(!common().are_rare_in(&Predicate::Content { negated: true, cases }));
        let place = Place::Attribute("about".to_owned());
        let attribute = Predicate::content(Test::Words(place, vec!["kettle".to_owned()]));
        assert!(!common().are_rare_in(&attribute));
    }
}
