//! Words side by side and regular expressions, tried on folded texts.

use std::collections::BTreeMap;

use regex_automata::meta::Regex;
use regex_automata::nfa::thompson::WhichCaptures;

use crate::{CardQuery, Predicate, Test};

/// Whether the words stand side by side in a folded text; the last may go on.
pub(super) fn holds_words(text: &str, words: &[String]) -> bool {
    let pattern: String = words.iter().map(|word| format!(" {word}")).collect();
    text.contains(&pattern)
}

/// Most bytes of an automaton, and of what it remembers while it runs.
const MAX_AUTOMATON: usize = 4 << 20;

/// The regular expressions of a query, ready to run; by what the query says.
#[derive(Default)]
pub(super) struct Patterns(BTreeMap<String, Option<Regex>>);

impl Patterns {
    /// Those of a query.
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
                self.0.insert(pattern.clone(), compiled(pattern));
            }
            _ => {}
        }
    }

    /// Whether a pattern fits somewhere in a folded text.
    pub(super) fn fits(&self, pattern: &str, folded: &str) -> bool {
        self.fits_marked(pattern, marked(folded).as_bytes())
    }

    /// The same for a text in which spaces are marked already ([`marked`]).
    pub(super) fn fits_marked(&self, pattern: &str, marked: &[u8]) -> bool {
        self.0.get(pattern).and_then(Option::as_ref).is_some_and(|regex| regex.is_match(marked))
    }

    /// Whether one of them could not be made: it fits nothing, and the answer is not whole.
    pub(super) fn is_incomplete(&self) -> bool {
        self.0.values().any(Option::is_none)
    }
}

/// Steps that a byte of text costs at most: with every one all states of a large automaton may be looked at.
pub(super) fn cost_of(pattern: &str) -> u64 {
    3 + pattern.len() as u64 / 20 + repetitions(pattern)
}

/// What counted repetitions add to an automaton.
fn repetitions(pattern: &str) -> u64 {
    let counts = pattern.split('{').skip(1).filter_map(|part| part.split(['}', ',']).next());
    counts.filter_map(|count| count.parse::<u64>().ok()).sum()
}

fn compiled(pattern: &str) -> Option<Regex> {
    let config = Regex::config()
        .nfa_size_limit(Some(MAX_AUTOMATON))
        .onepass(false)
        .hybrid_cache_capacity(MAX_AUTOMATON)
        .which_captures(WhichCaptures::None);
    Regex::builder().configure(config).build(&for_automata(pattern)).ok()
}

/// What a space is while regular expressions run: automata know the two ends of lines as places, and so the ends of words and of parts
/// can be told without looking around.
pub(super) const SPACE: u8 = b'\r';
/// The same, for the space before the `|` between two parts.
pub(super) const SPACE_BETWEEN: u8 = b'\n';

/// A folded text with its spaces marked.
pub(super) fn marked(folded: &str) -> String {
    folded.replace(" |", "\n|").replace(' ', "\r")
}

/// What [`crate::regex`] writes for Postgres, written for automata that run over marked texts.
fn for_automata(postgres: &str) -> String {
    const WORD_EDGE: &str = "(?:^|$|(?= )|(?<= ))";
    const PART_START: &str = "(?:^|[|]) ";
    const PART_END: &str = "(?:$|(?= [|]))";
    let mut out = String::with_capacity(postgres.len() * 2);
    let mut rest = postgres;
    while let Some(letter) = rest.chars().next() {
        let places = [
            (WORD_EDGE, r"(?:(?mR:^)|(?mR:$))"),
            (PART_START, r"(?:\A|\|)\r"),
            (PART_END, r"(?m:$)"),
        ];
        if let Some((place, written)) = places.iter().find(|(place, _)| rest.starts_with(place)) {
            out.push_str(written);
            rest = &rest[place.len()..];
            continue;
        }
        if letter == '[' {
            let end = rest.find(']').map_or(rest.len(), |end| end + 1);
            out.push_str(&rest[..end].replace(' ', r"\r\n"));
            rest = &rest[end..];
            continue;
        }
        if letter == ' ' {
            out.push_str(r"[\r\n]")
        } else {
            out.push(letter)
        }
        rest = &rest[letter.len_utf8()..];
    }
    out
}
