//! Looking for many phrases at once.

use aho_corasick::automaton::OverlappingState;
use aho_corasick::{AhoCorasick, Input, MatchKind};

/// Up to so many bytes of phrases there is a table. States have 16 bits.
const TABLE_MAX: usize = 8 * 1024;

/// A phrase in a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Found {
    /// Where it ends, in bytes.
    pub(super) end: usize,
    /// Its place in the list of phrases.
    pub(super) phrase: usize,
}

/// Finds every phrase everywhere, also where phrases overlap.
#[derive(Clone, Debug)]
pub(super) enum Scanner {
    /// Fast.
    Table(Box<Table>),
    /// For more phrases than a table is good for.
    Library(Box<AhoCorasick>),
    /// Phrase by phrase: for more phrases than the library can number.
    Plain(Vec<String>),
}

impl Scanner {
    /// None of the phrases may be empty.
    pub(super) fn new(phrases: &[&str]) -> Self {
        let bytes: usize = phrases.iter().map(|phrase| phrase.len()).sum();
        if bytes <= TABLE_MAX {
            return Self::Table(Box::new(Table::new(phrases)));
        }
        Self::library(phrases).unwrap_or_else(|| Self::plain(phrases))
    }

    fn library(phrases: &[&str]) -> Option<Self> {
        let scanner = AhoCorasick::builder().match_kind(MatchKind::Standard).build(phrases).ok()?;
        Some(Self::Library(Box::new(scanner)))
    }

    fn plain(phrases: &[&str]) -> Self {
        Self::Plain(phrases.iter().map(|&phrase| phrase.to_owned()).collect())
    }

    /// The phrases of a text, in the order of their ends. `trail` is that of any text before.
    pub(super) fn scan<'a>(&self, text: &str, trail: &'a mut Trail) -> &'a [Found] {
        match self {
            Self::Table(table) => trail.follow(table, text.as_bytes()),
            Self::Library(scanner) => {
                trail.found.clear();
                let mut state = OverlappingState::start();
                let input = Input::new(text);
                // A match kind that knows overlaps was chosen, so there is no error.
                while scanner.try_find_overlapping(input.clone(), &mut state).is_ok() {
                    let Some(found) = state.get_match() else { break };
                    let phrase = found.pattern().as_usize();
                    trail.found.push(Found { end: found.end(), phrase });
                }
            }
            Self::Plain(phrases) => {
                trail.found.clear();
                for end in 1..=text.len() {
                    let before = &text.as_bytes()[..end];
                    let ends = |phrase: &String| before.ends_with(phrase.as_bytes());
                    let phrases = phrases.iter().enumerate().filter(|(_, phrase)| ends(phrase));
                    trail.found.extend(phrases.map(|(phrase, _)| Found { end, phrase }));
                }
            }
        }
        &trail.found
    }
}

/// The automaton of Aho and Corasick (<https://doi.org/10.1145/360825.360855>), every step of it written down.
///
/// The library's table is as fast to read, but takes fifteen times as long to make, and that is longer than ten thousand sentences
/// need to be put together. States are numbered by their distance from the first one, so that those which are seen all the time
/// stand together in each row.
#[derive(Clone, Debug)]
pub(super) struct Table {
    /// Where the row of each byte begins. All bytes that no phrase has share the first row.
    rows: [u32; 256],
    /// For each row and state: the next state.
    next: Vec<u16>,
    /// For each state: which phrases end there, as an index in `phrases`. 0 is none.
    ending: Vec<u16>,
    phrases: Vec<Vec<usize>>,
}

/// The state at the begin of a text.
const BEGIN: u16 = 0;

impl Table {
    fn new(phrases: &[&str]) -> Self {
        let width = phrases.iter().map(|phrase| phrase.len()).sum::<usize>() + 1;
        let mut rows = [0; 256];
        let mut size = width;
        for byte in phrases.iter().flat_map(|phrase| phrase.bytes()) {
            let row = &mut rows[usize::from(byte)];
            if *row == 0 {
                *row = size;
                size += width;
            }
        }
        let mut next = vec![BEGIN; size];
        // For each state the longest other one that its text ends with, and the phrases that are its text.
        let mut fallbacks = vec![BEGIN];
        let mut own: Vec<Vec<usize>> = vec![Vec::new()];
        // Byte by byte through all phrases, so that what is shorter is there before it is asked for.
        let mut open: Vec<_> = (0..phrases.len()).map(|phrase| (phrase, BEGIN)).collect();
        let mut depth = 0;
        while !open.is_empty() {
            open.retain_mut(|(phrase, state)| {
                let text = phrases[*phrase].as_bytes();
                let row = rows[usize::from(text[depth])];
                let place = row + usize::from(*state);
                if next[place] == BEGIN {
                    let mut shorter = *state;
                    let mut fallback = BEGIN;
                    while shorter != BEGIN && fallback == BEGIN {
                        shorter = fallbacks[usize::from(shorter)];
                        fallback = next[row + usize::from(shorter)];
                    }
                    next[place] = u16::try_from(own.len()).unwrap_or(u16::MAX);
                    fallbacks.push(fallback);
                    own.push(Vec::new());
                }
                *state = next[place];
                let goes_on = depth + 1 < text.len();
                if !goes_on {
                    own[usize::from(*state)].push(*phrase);
                }
                goes_on
            });
            depth += 1;
        }
        let (mut ending, mut phrases) = (Vec::with_capacity(own.len()), vec![Vec::new()]);
        for (mut own, &fallback) in own.into_iter().zip(&fallbacks) {
            let shorter = ending.get(usize::from(fallback)).copied().unwrap_or(0);
            if own.is_empty() {
                ending.push(shorter);
                continue;
            }
            own.extend_from_slice(&phrases[usize::from(shorter)]);
            ending.push(u16::try_from(phrases.len()).unwrap_or(u16::MAX));
            phrases.push(own);
        }
        for row in next.chunks_exact_mut(width).skip(1) {
            for (state, &fallback) in fallbacks.iter().enumerate() {
                if row[state] == BEGIN {
                    row[state] = row[usize::from(fallback)];
                }
            }
        }
        Self { rows: rows.map(|row| u32::try_from(row).unwrap_or(u32::MAX)), next, ending, phrases }
    }

    fn step(&self, state: u16, byte: u8) -> u16 {
        let row = &self.next[self.rows[usize::from(byte)] as usize..];
        row[usize::from(state)]
    }

    /// The phrases that end in a state.
    fn phrases(&self, state: u16) -> &[usize] {
        &self.phrases[usize::from(self.ending[usize::from(state)])]
    }
}

/// How the last text was scanned. Most sentences begin as the one before: only what is new is scanned.
#[derive(Clone, Debug, Default)]
pub(super) struct Trail {
    text: Vec<u8>,
    /// The state after each byte.
    states: Vec<u16>,
    found: Vec<Found>,
}

impl Trail {
    /// Where a phrase ends in the text that was scanned last.
    pub(super) fn of(&self, phrase: usize) -> impl Iterator<Item = usize> {
        self.found.iter().filter(move |found| found.phrase == phrase).map(|found| found.end)
    }

    /// Goes on from where the text differs from the one before.
    fn follow(&mut self, table: &Table, text: &[u8]) {
        let common = common_begin(&self.text, text);
        self.text.truncate(common);
        self.text.extend_from_slice(&text[common..]);
        while self.found.pop_if(|found| found.end > common).is_some() {}
        let mut state = common.checked_sub(1).map_or(BEGIN, |last| self.states[last]);
        self.states.resize(text.len(), BEGIN);
        // A loop, not a closure over `state`: every step waits for the one before, and would wait for its way through memory, too.
        let mut end = common;
        for (&byte, after) in text[common..].iter().zip(&mut self.states[common..]) {
            state = table.step(state, byte);
            *after = state;
            end += 1;
            if table.ending[usize::from(state)] != 0 {
                let phrases = table.phrases(state).iter();
                self.found.extend(phrases.map(|&phrase| Found { end, phrase }));
            }
        }
    }
}

/// How many bytes two texts begin with alike.
fn common_begin(one: &[u8], other: &[u8]) -> usize {
    let (blocks, other_blocks) = (one.as_chunks::<8>().0, other.as_chunks::<8>().0);
    let pairs = blocks.iter().zip(other_blocks);
    for (at, (one, other)) in pairs.enumerate() {
        let differing = u64::from_le_bytes(*one) ^ u64::from_le_bytes(*other);
        if differing != 0 {
            return at * 8 + differing.trailing_zeros() as usize / 8;
        }
    }
    let equal = blocks.len().min(other_blocks.len()) * 8;
    let rest = one[equal..].iter().zip(&other[equal..]);
    equal + rest.take_while(|(one, other)| one == other).count()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn sorted(found: &[Found]) -> Vec<Found> {
        assert!(found.is_sorted_by_key(|found| found.end));
        let mut found = found.to_vec();
        found.sort_unstable();
        found
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4096))]
        /// Phrases that are parts of each other, come twice, share bytes with letters that they are not, and fill the text.
        #[test]
        fn all_ways_to_look_find_the_same(
            phrases in prop::collection::vec("(a|b|ab|é|è|👻| ){1,6}", 0..12),
            texts in prop::collection::vec("(a|b|ab|aab|é|è|👻|c| ){0,12}", 1..8),
        ) {
            let phrases: Vec<&str> = phrases.iter().map(String::as_str).collect();
            let scanners = [
                Scanner::new(&phrases),
                Scanner::library(&phrases).unwrap(),
                Scanner::plain(&phrases),
            ];
            prop_assert!(matches!(scanners[0], Scanner::Table(_)));
            let mut trails = [(); 3].map(|()| Trail::default());
            for text in &texts {
                let mut found = scanners.iter().zip(&mut trails).map(|(scanner, trail)| sorted(scanner.scan(text, trail)));
                let (table, library, plain) = (found.next(), found.next(), found.next());
                prop_assert_eq!(&table, &plain, "{}", text);
                prop_assert_eq!(&library, &plain, "{}", text);
            }
        }
    }

    /// As many states as there can be, and all bytes that UTF-8 has.
    #[test]
    fn a_full_table_finds_what_the_library_finds() {
        let letters: String = ('\u{1}'..='\u{7ff}').step_by(3).collect();
        let mut words: Vec<String> = letters.chars().map(|letter| format!("{letter}ab")).collect();
        let rest = TABLE_MAX - words.iter().map(String::len).sum::<usize>();
        words.push("x".repeat(rest));
        let phrases: Vec<&str> = words.iter().map(String::as_str).collect();
        let scanner = Scanner::new(&phrases);
        assert!(matches!(scanner, Scanner::Table(_)));
        let text = format!("{}{}{letters}", words.concat(), "x".repeat(TABLE_MAX));
        let (mut one, mut other) = (Trail::default(), Trail::default());
        let library = Scanner::library(&phrases).unwrap();
        let found = sorted(scanner.scan(&text, &mut one));
        assert!(found.len() > TABLE_MAX - rest);
        assert_eq!(found, sorted(library.scan(&text, &mut other)));

        words.push("y".to_owned());
        let phrases: Vec<&str> = words.iter().map(String::as_str).collect();
        assert!(matches!(Scanner::new(&phrases), Scanner::Library(_)));
    }
}
