//! Phrase rules: what becomes of a sentence once its places are filled.

use aho_corasick::automaton::OverlappingState;
use aho_corasick::{AhoCorasick, AhoCorasickKind, Input, MatchKind};

use super::grammar::{LEAD, mend};
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
    ignored: Vec<IgnoredRule>,
    mends: bool,
    /// Removals, then what is replaced, then two spaces, then what every grammar fix begins with. `None`: every rule is tried by itself.
    scanner: Option<AhoCorasick>,
}

/// No phrases, but the grammar fixes.
impl Default for PhraseRules {
    fn default() -> Self {
        Self {
            removals: Vec::new(),
            replacements: Vec::new(),
            ignored: Vec::new(),
            mends: true,
            scanner: None,
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
        Renderer { rules: self, text: String::new(), spare: String::new() }
    }

    /// What a text holds: replacements from this one on, and, where asked for, phrases to remove.
    fn scan(&self, text: &str, from: usize, removals: bool) -> Scan {
        let mut scan = Scan::default();
        let Some(scanner) = &self.scanner else {
            scan.removed = removals && self.removals.iter().any(|phrase| text.contains(phrase));
            let holds = |(old, _): &(String, String)| text.contains(old);
            scan.first = self.replacements[from..].iter().position(holds).map(|at| from + at);
            scan.double_space = text.contains("  ");
            scan.lead = text.contains(LEAD);
            return scan;
        };
        let mut state = OverlappingState::start();
        let input = Input::new(text);
        // A match kind that knows overlaps was chosen, so there is no error.
        while scanner.try_find_overlapping(input.clone(), &mut state).is_ok() {
            let Some(found) = state.get_match() else { break };
            let pattern = found.pattern().as_usize();
            match pattern.checked_sub(self.removals.len()) {
                None => {
                    scan.removed = removals;
                    if removals {
                        break;
                    }
                }
                Some(rule) if rule == self.replacements.len() => scan.double_space = true,
                Some(rule) if rule > self.replacements.len() => scan.lead = true,
                Some(rule) if rule >= from && scan.first.is_none_or(|first| rule < first) => {
                    scan.first = Some(rule);
                }
                Some(_) => {}
            }
        }
        scan
    }
}

/// Equal when they say the same.
impl PartialEq for PhraseRules {
    fn eq(&self, other: &Self) -> bool {
        (&self.removals, &self.replacements, self.mends)
            == (&other.removals, &other.replacements, other.mends)
    }
}

fn scanner(removals: &[String], replacements: &[(String, String)]) -> Option<AhoCorasick> {
    let replaced = replacements.iter().map(|(old, _)| old.as_str());
    let phrases: Vec<&str> =
        removals.iter().map(String::as_str).chain(replaced).chain(["  ", LEAD]).collect();
    let bytes: usize = phrases.iter().map(|phrase| phrase.len()).sum();
    let kind = (bytes <= FAST_TABLES_MAX).then_some(AhoCorasickKind::DFA);
    AhoCorasick::builder().match_kind(MatchKind::Standard).kind(kind).build(phrases).ok()
}

#[derive(Default)]
struct Scan {
    removed: bool,
    /// The first replacement that finds something.
    first: Option<usize>,
    double_space: bool,
    /// What every grammar fix begins with.
    lead: bool,
}

/// Finishes sentences by [`PhraseRules`].
#[derive(Clone, Debug)]
pub struct Renderer<'a> {
    rules: &'a PhraseRules,
    text: String,
    spare: String,
}

impl Renderer<'_> {
    /// The finished sentence, or `None` when it is dropped.
    pub fn render(&mut self, raw: &str) -> Option<&str> {
        let Self { rules, text, spare } = self;
        let mut scan = rules.scan(raw, 0, true);
        if scan.removed {
            return None;
        }
        if scan.double_space {
            replace(raw, "  ", " ", spare);
            text.clear();
            text.push_str(spare.trim());
            scan = rules.scan(text, 0, false);
        } else {
            text.clear();
            // No phrase has white space at its ends, so none is lost here.
            text.push_str(raw.trim());
        }
        while let Some(first) = scan.first {
            let (old, new) = &rules.replacements[first];
            replace(text, old, new, spare);
            std::mem::swap(text, spare);
            scan = rules.scan(text, first + 1, false);
        }
        if rules.mends && scan.lead {
            mend(text, spare);
        }
        Some(text)
    }
}

/// Writes `text` with every `old` made `new`, found from left to right, to `result`.
fn replace(text: &str, old: &str, new: &str, result: &mut String) {
    result.clear();
    let mut done = 0;
    for (at, _) in text.match_indices(old) {
        result.push_str(&text[done..at]);
        result.push_str(new);
        done = at + old.len();
    }
    result.push_str(&text[done..]);
}
