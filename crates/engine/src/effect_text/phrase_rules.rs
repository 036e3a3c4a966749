//! Phrase rules: what becomes of a sentence once its places are filled.

use aho_corasick::automaton::{Automaton as _, OverlappingState, StateID};
use aho_corasick::dfa::DFA;
use aho_corasick::{AhoCorasick, Anchored, Input, MatchKind, StartKind};

use memchr::memmem::Finder;

use super::grammar::{LEAD, PLURALS, mend};
use super::lines::rule_lines;

/// Up to so many bytes of phrases, the scan uses tables that are fast to read and slow to make.
const FAST_TABLES_MAX: usize = 8 * 1024;

/// Removals, replacements and grammar fixes, in this order:
///
/// 1. A sentence that contains a phrase to remove is dropped.
/// 2. Double spaces become single ones, once from left to right; then the sentence is trimmed.
/// 3. Every replacement is done everywhere, in the order of the file, each on the result of the one before. What is replaced may leave spaces and
///    even an empty sentence; both stay.
/// 4. The grammar fixes: `one card`, not `one cards` (also of spells, creatures and targets).
///
/// All phrases are literal and case-sensitive. One scan for all phrases at once tells which rules could apply at all; most sentences need no
/// other step.
///
/// ```
/// use cardscape_engine::effect_text::PhraseRules;
///
/// let rules = PhraseRules::parse("# too weak\nDraw 1 \n", "2 card: 2 cards\ncards cards: cards\nnothing here\n");
/// assert_eq!(rules.render("Draw 1 card"), None);
/// assert_eq!(rules.render(" Draw  2 card ").as_deref(), Some("Draw 2 cards"));
/// assert_eq!(rules.render("Draw 2 card cards").as_deref(), Some("Draw 2 cards"));
/// assert_eq!(rules.ignored()[0].to_string(), "line 3 has no `:`");
/// ```
#[derive(Clone, Debug)]
pub struct PhraseRules {
    removals: Vec<String>,
    replacements: Vec<(String, String)>,
    /// What is replaced, ready to be looked for.
    finders: Vec<Finder<'static>>,
    ignored: Vec<IgnoredRule>,
    mends: bool,
    scanner: Scanner,
}

/// Looks for removals, then what is replaced, then two spaces, then what every grammar fix begins with, then the plurals that they mend: numbered
/// in this order.
#[derive(Clone, Debug, Default)]
enum Scanner {
    /// Every phrase is looked for by itself.
    #[default]
    None,
    /// Tables that are fast to read.
    Fast(Box<DFA>),
    /// Smaller ones, for many phrases.
    Small(AhoCorasick),
}

/// No phrases, but the grammar fixes.
impl Default for PhraseRules {
    fn default() -> Self {
        Self {
            removals: Vec::new(),
            replacements: Vec::new(),
            finders: Vec::new(),
            ignored: Vec::new(),
            mends: true,
            scanner: Scanner::None,
        }
    }
}

/// A line of the replacements that is none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IgnoredRule {
    /// From 1.
    pub line: usize,
    /// Whether the line has a `:`, but nothing before it.
    pub replaces_nothing: bool,
}

impl std::fmt::Display for IgnoredRule {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let why = if self.replaces_nothing { "has nothing before the `:`" } else { "has no `:`" };
        write!(f, "line {} {why}", self.line)
    }
}

impl PhraseRules {
    /// Reads the two files; an empty text stands for a missing one. Lines are trimmed; blank ones and those that begin with `#` are
    /// comments.
    ///
    /// A removal is a phrase. A replacement is `old: new`, split at the first `:` and trimmed on both sides; an empty right side deletes. A phrase that
    /// is replaced twice keeps its first place and its last value.
    pub fn parse(removals: &str, replacements: &str) -> Self {
        let mut rules = Self {
            removals: rule_lines(removals).map(|(_, phrase)| phrase.to_owned()).collect(),
            ..Self::default()
        };
        let mut places = std::collections::BTreeMap::new();
        for (number, line) in rule_lines(replacements) {
            match line.split_once(':').map(|(old, new)| (old.trim(), new.trim())) {
                None => rules.ignored.push(IgnoredRule { line: number, replaces_nothing: false }),
                Some(("", _)) => {
                    rules.ignored.push(IgnoredRule { line: number, replaces_nothing: true });
                }
                Some((old, new)) => {
                    let next = rules.replacements.len();
                    let place = *places.entry(old).or_insert(next);
                    if place == next {
                        rules.replacements.push((old.to_owned(), String::new()));
                    }
                    new.clone_into(&mut rules.replacements[place].1);
                }
            }
        }
        let finder = |(old, _): &(String, String)| Finder::new(old).into_owned();
        rules.finders = rules.replacements.iter().map(finder).collect();
        rules.scanner = scanner(&rules.removals, &rules.replacements);
        rules
    }

    /// The same phrases, with or without the grammar fixes: they take the `s` from `Discard one card to draw two cards`, too.
    #[must_use]
    pub fn with_grammar_fixes(mut self, mends: bool) -> Self {
        self.mends = mends;
        self
    }

    /// Phrases of sentences that are dropped.
    pub fn removals(&self) -> &[String] {
        &self.removals
    }

    /// What is replaced, and by what, in order.
    pub fn replacements(&self) -> &[(String, String)] {
        &self.replacements
    }

    /// Lines of the replacements that say nothing.
    pub fn ignored(&self) -> &[IgnoredRule] {
        &self.ignored
    }

    /// The finished sentence, or `None` when it is dropped. For many sentences use a [`Renderer`].
    pub fn render(&self, raw: &str) -> Option<String> {
        self.renderer().render(raw).map(str::to_owned)
    }

    /// Something that finishes many sentences and keeps its memory in between.
    pub fn renderer(&self) -> Renderer<'_> {
        Renderer { rules: self, trails: Vec::new(), text: String::new(), spare: String::new() }
    }

    /// What a text holds: replacements from this one on, and, where asked for, phrases to remove. `trail` is that of a text like it.
    fn scan(&self, text: &str, from: usize, removals: bool, trail: &mut Trail) -> Scan {
        let mut scan = Scan::default();
        match &self.scanner {
            Scanner::None => {
                scan.removed = removals && self.removals.iter().any(|phrase| text.contains(phrase));
                let holds = |(old, _): &(String, String)| text.contains(old);
                scan.first = self.replacements[from..].iter().position(holds).map(|at| from + at);
                scan.double_space = text.contains(DOUBLE_SPACE);
                if let Some(lead) = text.find(LEAD) {
                    scan.lead = Some(lead + LEAD.len());
                    let follows =
                        |plural: &str| text.rfind(plural).is_some_and(|at| scan.mends(at));
                    scan.plurals = PLURALS.map(follows);
                }
            }
            Scanner::Fast(tables) => {
                trail.follow(tables, text.as_bytes());
                for &found in &trail.found {
                    self.note(&mut scan, found, from, removals);
                }
            }
            Scanner::Small(tables) => {
                let mut state = OverlappingState::start();
                let input = Input::new(text);
                // A match kind that knows overlaps was chosen, so there is no error.
                while tables.try_find_overlapping(input.clone(), &mut state).is_ok() {
                    let Some(found) = state.get_match() else { break };
                    let found = (found.end(), found.pattern().as_usize());
                    self.note(&mut scan, found, from, removals);
                }
            }
        }
        scan
    }

    /// Takes a phrase that ends at a place into account. They come in the order of their ends.
    fn note(&self, scan: &mut Scan, (end, phrase): (usize, usize), from: usize, removals: bool) {
        let Some(rule) = phrase.checked_sub(self.removals.len()) else {
            scan.removed |= removals;
            return;
        };
        match rule.checked_sub(self.replacements.len()) {
            None if rule >= from && scan.first.is_none_or(|first| rule < first) => {
                scan.first = Some(rule);
            }
            None => {}
            Some(0) => scan.double_space = true,
            Some(1) => scan.lead = scan.lead.or(Some(end)),
            Some(plural) => {
                let plural = plural - 2;
                scan.plurals[plural] |= scan.mends(end - PLURALS[plural].len());
            }
        }
    }
}

/// Where a scan begins. The tables are made for scans that may begin anywhere, so there is such a state.
fn start(tables: &DFA) -> Option<StateID> {
    tables.start_state(Anchored::No).ok()
}

/// Equal when they say the same.
impl PartialEq for PhraseRules {
    fn eq(&self, other: &Self) -> bool {
        (&self.removals, &self.replacements, self.mends)
            == (&other.removals, &other.replacements, other.mends)
    }
}

fn scanner(removals: &[String], replacements: &[(String, String)]) -> Scanner {
    let phrases = phrases(removals, replacements);
    let bytes: usize = phrases.iter().map(|phrase| phrase.len()).sum();
    if bytes <= FAST_TABLES_MAX {
        let mut tables = DFA::builder();
        tables.match_kind(MatchKind::Standard).start_kind(StartKind::Unanchored);
        if let Ok(tables) = tables.build(&phrases) {
            return Scanner::Fast(Box::new(tables));
        }
    }
    let tables = AhoCorasick::builder().match_kind(MatchKind::Standard).build(&phrases);
    tables.map_or(Scanner::None, Scanner::Small)
}

/// What is looked for, as [`Scanner`] numbers it.
fn phrases<'a>(removals: &'a [String], replacements: &'a [(String, String)]) -> Vec<&'a str> {
    let replaced = replacements.iter().map(|(old, _)| old.as_str());
    let removed = removals.iter().map(String::as_str);
    removed.chain(replaced).chain([DOUBLE_SPACE, LEAD]).chain(PLURALS).collect()
}

const DOUBLE_SPACE: &str = "  ";

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

/// How the last sentence was scanned. Most sentences begin as the one before: only what is new is scanned.
#[derive(Clone, Debug, Default)]
struct Trail {
    text: Vec<u8>,
    /// The state after each byte.
    states: Vec<StateID>,
    /// Phrases that were found, with where they end.
    found: Vec<(usize, usize)>,
}

impl Trail {
    /// Goes on from where the sentence differs from the one before.
    fn follow(&mut self, tables: &DFA, text: &[u8]) {
        let common = common_begin(&self.text, text);
        self.text.truncate(common);
        self.text.extend_from_slice(&text[common..]);
        self.states.truncate(common);
        while self.found.pop_if(|&mut (end, _)| end > common).is_some() {}
        let Some(mut state) = self.states.last().copied().or_else(|| start(tables)) else { return };
        // Every step waits for the one before: what is found is looked for in a loop of its own.
        self.states.extend(text[common..].iter().map(|&byte| {
            state = tables.next_state(Anchored::No, state, byte);
            state
        }));
        for (&state, end) in self.states[common..].iter().zip(common + 1..) {
            if tables.is_special(state) && tables.is_match(state) {
                let phrases = 0..tables.match_len(state);
                let phrases = phrases.map(|phrase| tables.match_pattern(state, phrase).as_usize());
                self.found.extend(phrases.map(|phrase| (end, phrase)));
            }
        }
    }
}

#[derive(Default)]
struct Scan {
    removed: bool,
    /// The first replacement that finds something.
    first: Option<usize>,
    double_space: bool,
    /// Where what every grammar fix begins with ends first.
    lead: Option<usize>,
    /// Which plurals stand behind it.
    plurals: [bool; PLURALS.len()],
}

impl Scan {
    /// Whether a plural that begins there may be mended.
    fn mends(&self, begin: usize) -> bool {
        self.lead.is_some_and(|lead| lead < begin)
    }
}

/// Finishes sentences by [`PhraseRules`].
#[derive(Clone, Debug)]
pub struct Renderer<'a> {
    rules: &'a PhraseRules,
    /// For raw sentences, and for what they are after each step.
    trails: Vec<Trail>,
    text: String,
    spare: String,
}

impl Renderer<'_> {
    /// The finished sentence, or `None` when it is dropped.
    pub fn render<'a>(&'a mut self, raw: &'a str) -> Option<&'a str> {
        let Self { rules, trails, text, spare } = self;
        let mut steps = 0;
        let mut scan = |text: &str, from: usize| {
            if trails.len() == steps {
                trails.push(Trail::default());
            }
            steps += 1;
            rules.scan(text, from, steps == 1, &mut trails[steps - 1])
        };
        let mut found = scan(raw, 0);
        if found.removed {
            return None;
        }
        // No phrase has white space at its ends, so none is lost here.
        let trimmed = raw.trim();
        let mends = |found: &Scan| rules.mends && found.plurals.contains(&true);
        if !found.double_space && found.first.is_none() && !mends(&found) {
            return Some(trimmed);
        }
        if found.double_space {
            replace(raw, &Finder::new(DOUBLE_SPACE), " ", spare);
            text.clear();
            text.push_str(spare.trim());
            found = scan(text, 0);
        } else {
            text.clear();
            text.push_str(trimmed);
        }
        while let Some(first) = found.first {
            replace(text, &rules.finders[first], &rules.replacements[first].1, spare);
            std::mem::swap(text, spare);
            found = scan(text, first + 1);
        }
        if mends(&found) {
            mend(text, spare, found.plurals);
        }
        Some(text)
    }
}

/// Writes `text` with every `old` made `new`, found from left to right, to `result`.
fn replace(text: &str, old: &Finder<'_>, new: &str, result: &mut String) {
    result.clear();
    let mut done = 0;
    for at in old.find_iter(text.as_bytes()) {
        result.push_str(&text[done..at]);
        result.push_str(new);
        done = at + old.needle().len();
    }
    result.push_str(&text[done..]);
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn texts() -> impl Strategy<Value = Vec<String>> {
        let piece = prop::sample::select(vec![
            "a", "b", "ab", " ", "  ", "one ", "one", " cards", " spells", "red", "é", "s",
        ]);
        let text = prop::collection::vec(piece, 0..9).prop_map(|pieces| pieces.concat());
        prop::collection::vec(text, 0..8)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4096))]
        /// What a renderer knows from the sentences before changes nothing, nor do the tables.
        #[test]
        fn sentences_do_not_depend_on_those_before(
            texts in texts(),
            removals in prop::collection::vec("[ab]{2,4}", 0..2),
            replacements in prop::collection::vec(("[abé]{1,2}( [abs])?", "[ab ]{0,3}|one|cards|red spells"), 0..4),
        ) {
            let file: String = replacements.iter().map(|(old, new)| format!("{old}: {new}\n")).collect();
            let rules = PhraseRules::parse(&removals.join("\n"), &file);
            prop_assert!(matches!(rules.scanner, Scanner::Fast(_)));
            let plain = PhraseRules { scanner: Scanner::None, ..rules.clone() };
            let phrases = phrases(&rules.removals, &rules.replacements);
            let tables = AhoCorasick::builder().match_kind(MatchKind::Standard).build(phrases).unwrap();
            let small = PhraseRules { scanner: Scanner::Small(tables), ..rules.clone() };
            let mut renderer = rules.renderer();
            for text in &texts {
                let expected = plain.render(text);
                let unmended = plain.clone().with_grammar_fixes(false).render(text);
                let mended = unmended.map(|mut text| {
                    mend(&mut text, &mut String::new(), [true; PLURALS.len()]);
                    text
                });
                prop_assert_eq!(&expected, &mended);
                prop_assert_eq!(renderer.render(text), expected.as_deref());
                prop_assert_eq!(small.render(text), expected);
            }
        }
    }
}
