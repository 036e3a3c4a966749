//! Finds many phrases at once.

use aho_corasick::automaton::OverlappingState;
use aho_corasick::{AhoCorasick, Input, MatchKind};

/// Maximum number of bytes of all phrases for a table, whose states have 16 bits.
const TABLE_MAX: usize = 8 * 1024;

/// Finds every phrase everywhere, also where phrases overlap. Phrases are identified by their index in the list.
#[derive(Clone, Debug)]
pub(super) enum Scanner {
    /// The fastest.
    Table(Box<Table>),
    /// For phrases with more than [`TABLE_MAX`] bytes.
    Library(Box<AhoCorasick>),
    /// Searches phrase by phrase: for more phrases than the library supports.
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

    pub(super) fn library(phrases: &[&str]) -> Option<Self> {
        let scanner = AhoCorasick::builder().match_kind(MatchKind::Standard).build(phrases).ok()?;
        Some(Self::Library(Box::new(scanner)))
    }

    fn plain(phrases: &[&str]) -> Self {
        Self::Plain(phrases.iter().map(|&phrase| phrase.to_owned()).collect())
    }

    /// Calls `each` with every phrase found and its end, in the order of the ends. `last_scan` is that of any earlier text.
    pub(super) fn scan(
        &self,
        text: &str,
        last_scan: &mut LastScan,
        mut each: impl FnMut(usize, usize),
    ) {
        match self {
            Self::Table(table) => {
                last_scan.update(table, text.as_bytes());
                for &Found { end, ending } in &last_scan.found {
                    table.phrases(ending).for_each(|phrase| each(phrase, end));
                }
            }
            Self::Library(scanner) => {
                let mut state = OverlappingState::start();
                let input = Input::new(text);
                // The match kind supports overlaps, so there is no error.
                while scanner.try_find_overlapping(input.clone(), &mut state).is_ok() {
                    let Some(found) = state.get_match() else { break };
                    each(found.pattern().as_usize(), found.end());
                }
            }
            Self::Plain(phrases) => {
                for end in 1..=text.len() {
                    let before = &text.as_bytes()[..end];
                    let ends = |phrase: &String| before.ends_with(phrase.as_bytes());
                    let phrases = phrases.iter().enumerate().filter(|(_, phrase)| ends(phrase));
                    phrases.for_each(|(phrase, _)| each(phrase, end));
                }
            }
        }
    }

    /// Collects the ends of a phrase in a text that was just scanned with this `last_scan`. Of matches that overlap some may be left out, but never
    /// the first.
    pub(super) fn ends_of(
        &self,
        (place, phrase): (usize, &str),
        text: &str,
        last_scan: &LastScan,
        ends: &mut Vec<usize>,
    ) {
        ends.clear();
        match self {
            Self::Table(table) => {
                let has = |found: &&Found| table.phrases(found.ending).any(|other| other == place);
                ends.extend(last_scan.found.iter().filter(has).map(|found| found.end));
            }
            // These keep no matches, which may take too much memory.
            Self::Library(_) | Self::Plain(_) => {
                ends.extend(text.match_indices(phrase).map(|(begin, _)| begin + phrase.len()));
            }
        }
    }
}

/// The automaton of Aho and Corasick (<https://doi.org/10.1145/360825.360855>), with all transitions in a table.
///
/// The library needs fifteen times as many steps to build its table, which for sixty phrases takes as long as expanding ten thousand raw sentences.
/// States are numbered by their distance from the first one, so that frequent states are close together in each row.
#[derive(Clone, Debug)]
pub(super) struct Table {
    /// Where the row of each byte begins. All bytes that no phrase has share the first row.
    rows: [u32; 256],
    /// For each row and state: the next state.
    next: Vec<u16>,
    /// For each state: the phrases that end there, as an index of `endings`. 0 is none.
    ending: Vec<u16>,
    endings: Vec<Ending>,
}

/// Phrases that end in the same states.
#[derive(Clone, Debug, Default)]
struct Ending {
    /// The longest of them: only one, unless it is in the list more than once.
    longest: Vec<usize>,
    /// The index in `endings` of the shorter ones.
    shorter: u16,
}

/// The state at the start of a text.
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
        // For each state: the state of the longest proper suffix of its text, and the phrases that are equal to its text.
        let mut fallbacks = vec![BEGIN];
        let mut own: Vec<Vec<usize>> = vec![Vec::new()];
        // Adds all phrases at the same time, byte by byte, so that shorter states exist before longer ones need them.
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
        let (mut ending, mut endings) = (Vec::with_capacity(own.len()), vec![Ending::default()]);
        for (longest, &fallback) in own.into_iter().zip(&fallbacks) {
            let shorter = ending.get(usize::from(fallback)).copied().unwrap_or(0);
            if longest.is_empty() {
                ending.push(shorter);
            } else {
                ending.push(u16::try_from(endings.len()).unwrap_or(u16::MAX));
                endings.push(Ending { longest, shorter });
            }
        }
        for row in next.chunks_exact_mut(width).skip(1) {
            for (state, &fallback) in fallbacks.iter().enumerate() {
                if row[state] == BEGIN {
                    row[state] = row[usize::from(fallback)];
                }
            }
        }
        Self { rows: rows.map(|row| u32::try_from(row).unwrap_or(u32::MAX)), next, ending, endings }
    }

    fn step(&self, state: u16, byte: u8) -> u16 {
        let row = &self.next[self.rows[usize::from(byte)] as usize..];
        row[usize::from(state)]
    }

    /// The phrases of an ending, the longest first.
    fn phrases(&self, ending: u16) -> impl Iterator<Item = usize> {
        let of = |ending: u16| (ending != 0).then(|| &self.endings[usize::from(ending)]);
        let endings = std::iter::successors(of(ending), move |ending| of(ending.shorter));
        endings.flat_map(|ending| ending.longest.iter().copied())
    }
}

/// An offset in a text where phrases end. One record represents all of these phrases, which may be many.
#[derive(Clone, Copy, Debug)]
struct Found {
    /// In bytes.
    end: usize,
    /// Index in [`Table::endings`].
    ending: u16,
}

/// The scan of the last text. Most sentences begin like the one before, so only the rest of them is scanned.
#[derive(Clone, Debug, Default)]
pub(super) struct LastScan {
    text: Vec<u8>,
    /// The state after each byte.
    states: Vec<u16>,
    found: Vec<Found>,
}

impl LastScan {
    /// Scans the text from where it differs from the last one.
    fn update(&mut self, table: &Table, text: &[u8]) {
        let common = common_prefix(&self.text, text);
        self.text.truncate(common);
        self.text.extend_from_slice(&text[common..]);
        while self.found.pop_if(|found| found.end > common).is_some() {}
        let mut state = common.checked_sub(1).map_or(BEGIN, |last| self.states[last]);
        self.states.resize(text.len(), BEGIN);
        // A loop, because a closure would keep `state` in memory. Each step depends on the one before, so memory access would slow down each step.
        let new = text[common..].iter().zip(&mut self.states[common..]);
        for ((&byte, after), end) in new.zip(common + 1..) {
            state = table.step(state, byte);
            *after = state;
            let ending = table.ending[usize::from(state)];
            if ending != 0 {
                self.found.push(Found { end, ending });
            }
        }
    }
}

/// Length in bytes of the common prefix of two texts.
fn common_prefix(one: &[u8], other: &[u8]) -> usize {
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

    /// Every phrase with its end, sorted.
    fn scanned(scanner: &Scanner, text: &str, last_scan: &mut LastScan) -> Vec<(usize, usize)> {
        let mut found = Vec::new();
        scanner.scan(text, last_scan, |phrase, end| found.push((end, phrase)));
        assert!(found.is_sorted_by_key(|(end, _)| end));
        found.sort_unstable();
        found
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4096))]
        /// Phrases that are parts of each other, occur twice, share bytes with other characters, or are the whole text.
        #[test]
        fn all_scanners_find_the_same(
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
            let mut last_scans = [(); 3].map(|()| LastScan::default());
            for text in &texts {
                let mut found = scanners.iter().zip(&mut last_scans).map(|(scanner, last_scan)| {
                    let found = scanned(scanner, text, last_scan);
                    for (place, &phrase) in phrases.iter().enumerate() {
                        let mut ends = Vec::new();
                        scanner.ends_of((place, phrase), text, last_scan, &mut ends);
                        let first = text.find(phrase).map(|begin| begin + phrase.len());
                        assert_eq!(ends.first(), first.as_ref());
                        assert!(ends.is_sorted());
                        assert!(ends.iter().all(|&end| found.contains(&(end, place))));
                    }
                    found
                });
                let (table, library, plain) = (found.next(), found.next(), found.next());
                prop_assert_eq!(&table, &plain, "{}", text);
                prop_assert_eq!(&library, &plain, "{}", text);
            }
        }
    }

    /// As many bytes of phrases as a table may have, and one more.
    #[test]
    fn a_full_table_finds_what_the_library_finds() {
        let letters: String = ('\u{1}'..='\u{7ff}').step_by(3).collect();
        let mut words: Vec<String> =
            letters.chars().map(|character| format!("{character}ab")).collect();
        let rest = TABLE_MAX - words.iter().map(String::len).sum::<usize>();
        words.push("x".repeat(rest));
        let phrases: Vec<&str> = words.iter().map(String::as_str).collect();
        let scanner = Scanner::new(&phrases);
        assert!(matches!(scanner, Scanner::Table(_)));
        let text = format!("{}{}{letters}", words.concat(), "x".repeat(TABLE_MAX));
        let library = Scanner::library(&phrases).unwrap();
        let found = scanned(&scanner, &text, &mut LastScan::default());
        assert!(found.len() > TABLE_MAX - rest);
        assert_eq!(found, scanned(&library, &text, &mut LastScan::default()));

        words.push("y".to_owned());
        let phrases: Vec<&str> = words.iter().map(String::as_str).collect();
        assert!(matches!(Scanner::new(&phrases), Scanner::Library(_)));
    }

    /// A phrase that is a suffix of many others and many times in the list takes no more memory than it needs once.
    #[test]
    fn repeated_findings_take_memory_once() {
        let longer: Vec<String> =
            ('\u{100}'..'\u{300}').map(|character| format!("{character}a")).collect();
        let mut phrases: Vec<&str> = longer.iter().map(String::as_str).collect();
        phrases.resize(longer.len() + 4_000, "a");
        let Scanner::Table(table) = Scanner::new(&phrases) else { panic!() };
        let listed: usize = table.endings.iter().map(|ending| ending.longest.len()).sum();
        assert_eq!(listed, phrases.len());
        let mut last_scan = LastScan::default();
        last_scan.update(&table, "a".repeat(1_000).as_bytes());
        assert_eq!(last_scan.found.len(), 1_000);
        assert_eq!(scanned(&Scanner::Table(table), "\u{100}a", &mut last_scan).len(), 4_001);
    }
}
