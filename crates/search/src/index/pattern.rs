//! Phrases and regular expressions, run on folded texts.

use std::collections::BTreeMap;

use memchr::memmem::Finder;
use regex_automata::meta::Regex;
use regex_automata::nfa::thompson::WhichCaptures;
use regex_syntax::hir::literal::Extractor;
use regex_syntax::hir::{Hir, HirKind};

use crate::regex::{PART_END, PART_START, WORD_EDGE};
use crate::{CardQuery, Case, Predicate, Test};

/// Whether the words occur next to each other in a folded text; the last may be a prefix.
pub(super) fn contains_words(text: &str, words: &[String]) -> bool {
    let pattern: String = words.iter().map(|word| format!(" {word}")).collect();
    text.contains(&pattern)
}

/// Most bytes of an automaton.
const MAX_AUTOMATON: usize = 4 << 20;
/// Most bytes of an automaton's cache while it runs.
const MAX_REMEMBERED: usize = 256 << 10;
/// Approximate limit of the states of all regular expressions in one query, because they are compiled for each request.
const MAX_STATES: u64 = 4_000;

/// Most states that count for a text in which an expression cannot begin, because the automaton is not run there.
const MAX_UNUSED_STATES: u64 = 12;

/// The compiled regular expressions of a query, by their text. `None`: it could not be compiled.
#[derive(Default)]
pub(super) struct Patterns(BTreeMap<String, Option<Pattern>>);

struct Pattern {
    regex: Regex,
    /// Approximate number of states, with repetitions expanded.
    states: u64,
    /// The text with which each match begins, if there is one.
    beginning: Option<Finder<'static>>,
}

impl Patterns {
    /// Compiles those of a query.
    pub(super) fn of(query: &CardQuery) -> Self {
        let mut patterns = Self::default();
        patterns.collect(&query.predicate);
        patterns
    }

    fn collect(&mut self, predicate: &Predicate) {
        match predicate {
            Predicate::All(parts) | Predicate::Any(parts) => {
                for part in parts {
                    self.collect(part);
                }
            }
            Predicate::Known { .. } => {}
            Predicate::Content { cases, .. } => {
                for case in cases {
                    self.collect_test(&case.test);
                }
            }
        }
    }

    fn collect_test(&mut self, test: &Test) {
        match test {
            Test::Any(tests) => tests.iter().for_each(|test| self.collect_test(test)),
            Test::Regex(_, pattern) if !self.0.contains_key(pattern) => {
                let used: u64 = self.0.values().flatten().map(|pattern| pattern.states).sum();
                let compiled = compiled(pattern, MAX_STATES.saturating_sub(used));
                self.0.insert(pattern.clone(), compiled);
            }
            _ => {}
        }
    }

    /// Whether a pattern matches somewhere in a folded text.
    pub(super) fn fits(&self, pattern: &str, folded: &str) -> bool {
        self.fits_marked(pattern, marked(folded).as_bytes())
    }

    /// Like [`Self::fits`], for a text that is already [`marked`].
    pub(super) fn fits_marked(&self, pattern: &str, marked: &[u8]) -> bool {
        self.find(pattern).is_some_and(|pattern| pattern.regex.is_match(marked))
    }

    /// Most steps that a byte of text costs: each may visit all states of an automaton.
    pub(super) fn cost(&self, pattern: &str) -> u64 {
        3 + self.find(pattern).map_or(0, |pattern| pattern.states)
    }

    /// Most steps that a [`marked`] text costs: fewer if it does not have the letters with which each match begins.
    pub(super) fn cost_of(&self, pattern: &str, marked: &[u8]) -> u64 {
        let states = self.find(pattern).map_or(0, |pattern| match &pattern.beginning {
            Some(beginning) if beginning.find(marked).is_none() => {
                pattern.states.min(MAX_UNUSED_STATES)
            }
            _ => pattern.states,
        });
        (3 + states) * marked.len() as u64
    }

    fn find(&self, pattern: &str) -> Option<&Pattern> {
        self.0.get(pattern)?.as_ref()
    }

    /// Whether one of them could not be compiled: neither it nor its negation finds a card by it, and the result is
    /// incomplete.
    pub(super) fn is_incomplete(&self) -> bool {
        self.0.values().any(Option::is_none)
    }

    /// Whether one of these cases has an expression that could not be compiled.
    pub(super) fn lacks(&self, cases: &[Case]) -> bool {
        let is_lacking =
            |test: &Test| matches!(test, Test::Regex(_, pattern) if self.find(pattern).is_none());
        self.is_incomplete() && cases.iter().any(|case| case.test.has(&is_lacking))
    }
}

/// Approximate number of states of an automaton for the expression: counted repetitions multiply the states of their
/// content.
fn states_of(expression: &Hir) -> u64 {
    let all = |parts: &[Hir]| parts.iter().map(states_of).fold(1, u64::saturating_add);
    match expression.kind() {
        HirKind::Empty | HirKind::Look(_) => 1,
        HirKind::Literal(literal) => literal.0.len() as u64,
        // Characters beyond ASCII have several bytes.
        HirKind::Class(class) => {
            class.minimum_len().map_or(1, |_| class.maximum_len().unwrap_or(1) as u64)
        }
        HirKind::Repetition(repetition) => {
            let times = repetition.max.unwrap_or(repetition.min.saturating_add(1)).max(1);
            states_of(&repetition.sub).saturating_mul(times.into())
        }
        HirKind::Capture(capture) => states_of(&capture.sub),
        HirKind::Concat(parts) | HirKind::Alternation(parts) => all(parts),
    }
}

/// `None`: it has too many states, or its automaton too many bytes.
fn compiled(pattern: &str, most_states: u64) -> Option<Pattern> {
    let expression = regex_syntax::parse(&for_automata(pattern)).ok()?;
    let states = states_of(&expression);
    if states > most_states {
        return None;
    }
    let config = Regex::config()
        .nfa_size_limit(Some(MAX_AUTOMATON))
        .onepass(false)
        .hybrid_cache_capacity(MAX_REMEMBERED)
        .which_captures(WhichCaptures::None);
    let regex = Regex::builder().configure(config).build_from_hir(&expression).ok()?;
    let beginnings = Extractor::new().extract(&expression);
    let beginning = beginnings.longest_common_prefix().filter(|letters| !letters.is_empty());
    let beginning = beginning.map(|letters| Finder::new(letters).into_owned());
    Some(Pattern { regex, states, beginning })
}

/// Replaces spaces between words while regular expressions run: automata support assertions for line ends, so the ends of words and
/// parts can be detected without look-around.
pub(super) const SPACE: u8 = b'\r';
/// The same for the `|` between two parts, with the spaces around it.
pub(super) const BETWEEN: u8 = b'\n';

/// A folded text with marked spaces, and without the one before it.
pub(super) fn marked(folded: &str) -> String {
    folded.strip_prefix(' ').unwrap_or(folded).replace(" | ", "\n").replace(' ', "\r")
}

/// Converts an expression that [`crate::regex`] writes for Postgres to one for automata on marked texts.
fn for_automata(postgres: &str) -> String {
    let mut out = String::with_capacity(postgres.len() * 2);
    let mut rest = postgres;
    while let Some(character) = rest.chars().next() {
        let places =
            [(WORD_EDGE, r"(?:(?mR:^)|(?mR:$))"), (PART_START, r"(?m:^)"), (PART_END, r"(?m:$)")];
        if let Some((place, written)) = places.iter().find(|(place, _)| rest.starts_with(place)) {
            out.push_str(written);
            rest = &rest[place.len()..];
            continue;
        }
        if character == '[' {
            let end = rest.find(']').map_or(rest.len(), |end| end + 1);
            out.push_str(&rest[..end].replace(' ', r"\r").replace('|', r"\n"));
            rest = &rest[end..];
            continue;
        }
        if character == ' ' {
            out.push_str(r"\r")
        } else {
            out.push(character)
        }
        rest = &rest[character.len_utf8()..];
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn repetitions_multiply_the_states_of_an_expression() {
        let states = |pattern: &str| states_of(&regex_syntax::parse(pattern).unwrap());
        assert!(states("(?:.{30}){30}") >= 900, "{}", states("(?:.{30}){30}"));
        assert!(states("draw [a-z]+ cards?") < 40);
        assert!(compiled("draw", 100).is_some());
        assert!(compiled("(?:a{30}){30}", 100).is_none());
        let mut patterns = Patterns::default();
        let regex = |pattern: &str| Test::Regex(crate::Place::Name, pattern.to_owned());
        patterns.collect_test(&regex("(?:a{50}){70}"));
        assert!(!patterns.is_incomplete());
        patterns.collect_test(&regex("(?:b{50}){70}"));
        assert!(patterns.is_incomplete(), "the limit is for all expressions of a query together");
        assert!(patterns.cost("(?:a{50}){70}") > 3_000);
    }

    #[test]
    fn expressions_do_not_see_the_spaces_around_parts() {
        let fits = |pattern: &str, text: &str| {
            let pattern = crate::regex::to_postgres(pattern).unwrap();
            let mut patterns = Patterns::default();
            patterns.collect_test(&Test::Regex(crate::Place::Name, pattern.clone()));
            patterns.fits(&pattern, text)
        };
        for pattern in [" ", "\\s", "-", " fox", "[ x]f", "[^a]fox", ".fox"] {
            assert!(!fits(pattern, " fox"), "{pattern}");
            assert!(!fits(pattern, " fox | foxes"), "{pattern}");
            assert!(fits(pattern, " a | red fox"), "{pattern}");
        }
        for pattern in ["^ ", " $", "  ", "^\\s", "a.b", "a$^b", "^$"] {
            assert!(!fits(pattern, " a | b c | d"), "{pattern}");
        }
        for pattern in ["^a$", "^b", "c$", "^b c$", "\\bc\\b", "\\bd", "b c", "^.c|^.$"] {
            assert!(fits(pattern, " a | b c | d"), "{pattern}");
        }
        assert!(fits("^$", "") && fits("a*", "") && !fits(".", ""));
    }

    #[test]
    fn a_text_in_which_no_match_begins_costs_little() {
        let mut patterns = Patterns::default();
        let cost = |patterns: &mut Patterns, pattern: &str, text: &str| {
            patterns.collect_test(&Test::Regex(crate::Place::Name, pattern.to_owned()));
            let marked = marked(text);
            assert!(!patterns.fits_marked(pattern, marked.as_bytes()), "{pattern}: {text}");
            patterns.cost_of(pattern, marked.as_bytes()) / marked.len() as u64
        };
        let gap = "when [^|]{30,50} card";
        assert!(cost(&mut patterns, gap, " draw a card") < 20);
        assert!(cost(&mut patterns, gap, " when you draw a card") > 200);
        for any in ["[^|]{50}card", "(?:when|if)[^|]{50}", "(?:^|(?<=[|]))(?:a|b)[^|]{50}"] {
            assert!(cost(&mut patterns, any, " draw a card") > 150, "{any}");
        }
        assert!(cost(&mut patterns, "zz[^|]*zz", " draw a card") < 15);
    }
}
