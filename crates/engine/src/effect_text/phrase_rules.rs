//! Phrase rules: how a sentence is finished when its places are filled.

use super::grammar::{LEAD, PLURALS, fix_plurals};
use super::lines::rule_lines;
use super::scanner::{LastScan, Scanner};

/// Removals, replacements and grammar fixes, in this order:
///
/// 1. Double spaces become single ones, once from left to right: an empty value leaves two.
/// 2. A sentence that contains a phrase to remove is dropped; any other is trimmed.
/// 3. Every replacement is done everywhere, in the order of the file, each on the result of the one before. What is replaced may leave spaces and
///    even an empty sentence; both stay.
/// 4. The grammar fixes: `one card`, not `one cards` (also of spells, creatures and targets).
///
/// [`PhraseRules::with_trimmed_ends`] adds a last step: sentences are trimmed again, and those that are empty are dropped.
///
/// All phrases are literal and case-sensitive. One scan for all phrases at once finds which rules can apply; most sentences need no other step.
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
    fixes_grammar: bool,
    trims_ends: bool,
    /// Finds the removals, the phrases that are replaced, the double space, the lead of the grammar fixes, and the plurals that they change. Phrases
    /// are numbered in this order.
    scanner: Scanner,
}

/// No phrases, only the grammar fixes.
impl Default for PhraseRules {
    fn default() -> Self {
        Self::new(Vec::new(), Vec::new(), Vec::new())
    }
}

/// A line of the replacements that is not a replacement.
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
    /// Reads the two files; an empty text is used for a missing one. Lines are trimmed; blank ones and those that begin with `#` are
    /// comments.
    ///
    /// A removal is a phrase. A replacement is `old: new`, split at the first `:` and trimmed on both sides; an empty right side deletes. A phrase that
    /// is replaced twice keeps its first place and its last value.
    pub fn parse(removals: &str, replacements: &str) -> Self {
        let removals = rule_lines(removals).map(|(_, phrase)| phrase.to_owned()).collect();
        let (mut replaced, mut ignored) = (Vec::new(), Vec::new());
        let mut places = std::collections::BTreeMap::new();
        for (number, line) in rule_lines(replacements) {
            match line.split_once(':').map(|(old, new)| (old.trim(), new.trim())) {
                None => ignored.push(IgnoredRule { line: number, replaces_nothing: false }),
                Some(("", _)) => ignored.push(IgnoredRule { line: number, replaces_nothing: true }),
                Some((old, new)) => {
                    let place = *places.entry(old).or_insert(replaced.len());
                    if place == replaced.len() {
                        replaced.push((old.to_owned(), String::new()));
                    }
                    new.clone_into(&mut replaced[place].1);
                }
            }
        }
        Self::new(removals, replaced, ignored)
    }

    fn new(
        removals: Vec<String>,
        replacements: Vec<(String, String)>,
        ignored: Vec<IgnoredRule>,
    ) -> Self {
        let scanner = Scanner::new(&phrases(&removals, &replacements));
        Self { removals, replacements, ignored, fixes_grammar: true, trims_ends: false, scanner }
    }

    /// The same phrases, with or without the grammar fixes. The fixes are not always right: they also remove the last `s` of `Discard one card to
    /// draw two cards`.
    #[must_use]
    pub fn with_grammar_fixes(mut self, fixes_grammar: bool) -> Self {
        self.fixes_grammar = fixes_grammar;
        self
    }

    /// The same phrases, with or without a last step that trims finished sentences and drops empty ones. It is for sentences that people send back:
    /// nobody sees a space at an end, and forms remove it.
    ///
    /// ```
    /// use cardscape_engine::effect_text::PhraseRules;
    ///
    /// let rules = PhraseRules::parse("", "Optional:\n");
    /// assert_eq!(rules.render("Optional draw one card.").as_deref(), Some(" draw one card."));
    /// let rules = rules.with_trimmed_ends(true);
    /// assert_eq!(rules.render("Optional draw one card.").as_deref(), Some("draw one card."));
    /// assert_eq!(rules.render("Optional"), None);
    /// ```
    #[must_use]
    pub fn with_trimmed_ends(mut self, trims_ends: bool) -> Self {
        self.trims_ends = trims_ends;
        self
    }

    /// Whether the last step removes white space that the replacements may have left. Only a phrase that is deleted leaves some at an end.
    pub(super) fn trims_after_replacing(&self) -> bool {
        self.trims_ends && self.replacements.iter().any(|(_, new)| new.is_empty())
    }

    /// Phrases of sentences that are dropped.
    pub fn removals(&self) -> &[String] {
        &self.removals
    }

    /// What is replaced, and by what, in order.
    pub fn replacements(&self) -> &[(String, String)] {
        &self.replacements
    }

    /// Lines of the replacements that are not replacements.
    pub fn ignored(&self) -> &[IgnoredRule] {
        &self.ignored
    }

    /// The finished sentence, or `None` when it is dropped. For many sentences use a [`Renderer`].
    pub fn render(&self, raw: &str) -> Option<String> {
        self.renderer().render(raw).map(str::to_owned)
    }

    /// A renderer for many sentences, which reuses its memory.
    pub fn renderer(&self) -> Renderer<'_> {
        let (last_scans, ends) = (Vec::new(), Vec::new());
        Renderer { rules: self, last_scans, ends, text: String::new(), buffer: String::new() }
    }

    /// Finds the phrases of a text; of the replacements only those from `from` on.
    fn scan(&self, text: &str, from: usize, last_scan: &mut LastScan) -> Scan {
        let mut scan = Scan::default();
        self.scanner.scan(text, last_scan, |phrase, end| self.record(&mut scan, phrase, end, from));
        scan
    }

    /// The index of the double space among the phrases.
    fn double_space(&self) -> usize {
        self.removals.len() + self.replacements.len()
    }

    /// Records a phrase that was found. Phrases come in the order of their ends.
    fn record(&self, scan: &mut Scan, phrase: usize, end: usize, from: usize) {
        let Some(rule) = phrase.checked_sub(self.removals.len()) else {
            scan.removed = true;
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
                scan.plurals[plural] |= scan.fixes_grammar(end - PLURALS[plural].len());
            }
        }
    }
}

/// Equal if the phrases and the steps are equal; ignored lines do not count.
impl PartialEq for PhraseRules {
    fn eq(&self, other: &Self) -> bool {
        (&self.removals, &self.replacements, self.fixes_grammar, self.trims_ends)
            == (&other.removals, &other.replacements, other.fixes_grammar, other.trims_ends)
    }
}

/// All phrases, in the order of the scanner.
fn phrases<'a>(removals: &'a [String], replacements: &'a [(String, String)]) -> Vec<&'a str> {
    let replaced = replacements.iter().map(|(old, _)| old.as_str());
    let removed = removals.iter().map(String::as_str);
    removed.chain(replaced).chain([DOUBLE_SPACE, LEAD]).chain(PLURALS).collect()
}

const DOUBLE_SPACE: &str = "  ";

#[derive(Default)]
struct Scan {
    /// Whether there is a phrase to remove. It counts only before replacements.
    removed: bool,
    /// The first replacement that finds something.
    first: Option<usize>,
    double_space: bool,
    /// The end of the first lead of a grammar fix.
    lead: Option<usize>,
    /// Which plurals there are behind the lead.
    plurals: [bool; PLURALS.len()],
}

impl Scan {
    /// Whether a plural that begins there may be changed.
    fn fixes_grammar(&self, begin: usize) -> bool {
        self.lead.is_some_and(|lead| lead < begin)
    }
}

/// Finishes sentences by [`PhraseRules`].
#[derive(Clone, Debug)]
pub struct Renderer<'a> {
    rules: &'a PhraseRules,
    /// The last scans of the raw sentence and of its text after each step.
    last_scans: Vec<LastScan>,
    /// The ends of the phrase that is replaced.
    ends: Vec<usize>,
    text: String,
    buffer: String,
}

impl Renderer<'_> {
    /// The finished sentence, or `None` when it is dropped.
    pub fn render<'a>(&'a mut self, raw: &'a str) -> Option<&'a str> {
        let trims_ends = self.rules.trims_ends;
        let finished = self.finish(raw)?;
        if trims_ends {
            Some(finished.trim()).filter(|sentence| !sentence.is_empty())
        } else {
            Some(finished)
        }
    }

    /// The sentence after the grammar fixes.
    fn finish<'a>(&'a mut self, raw: &'a str) -> Option<&'a str> {
        let Self { rules, last_scans, ends, text, buffer } = self;
        let mut step = 0;
        let mut scan = rules.scan(raw, 0, last_scan(last_scans, step));
        // If there are double spaces, removals are decided after these are single.
        if scan.removed && !scan.double_space {
            return None;
        }
        // Trimming loses no phrase, because the user's phrases have no white space at their ends.
        let trimmed = raw.trim();
        let fixes_grammar = |scan: &Scan| rules.fixes_grammar && scan.plurals.contains(&true);
        if !scan.double_space && scan.first.is_none() && !fixes_grammar(&scan) {
            return Some(trimmed);
        }
        text.clear();
        if scan.double_space || trimmed.len() < raw.len() {
            let double_space = (rules.double_space(), DOUBLE_SPACE);
            rules.scanner.ends_of(double_space, raw, &last_scans[step], ends);
            replace(raw, ends, DOUBLE_SPACE, " ", buffer);
            text.push_str(buffer.trim());
            step += 1;
            scan = rules.scan(text, 0, last_scan(last_scans, step));
            if scan.removed {
                return None;
            }
        } else {
            text.push_str(raw);
        }
        while let Some(first) = scan.first {
            let (old, new) = &rules.replacements[first];
            let phrase = (rules.removals.len() + first, old.as_str());
            rules.scanner.ends_of(phrase, text, &last_scans[step], ends);
            replace(text, ends, old, new, buffer);
            std::mem::swap(text, buffer);
            step += 1;
            scan = rules.scan(text, first + 1, last_scan(last_scans, step));
        }
        if fixes_grammar(&scan) {
            fix_plurals(text, buffer, scan.plurals);
        }
        Some(text)
    }
}

/// The last scan of a step.
fn last_scan(last_scans: &mut Vec<LastScan>, step: usize) -> &mut LastScan {
    if last_scans.len() == step {
        last_scans.push(LastScan::default());
    }
    &mut last_scans[step]
}

/// Writes `text` to `result` with each `old` replaced by `new`, from left to right; `ends` has the ends of all `old`.
fn replace(text: &str, ends: &[usize], old: &str, new: &str, result: &mut String) {
    result.clear();
    let mut copied = 0;
    for &end in ends {
        let begin = end - old.len();
        // A match that overlaps the one before is skipped.
        if begin >= copied {
            result.push_str(&text[copied..begin]);
            result.push_str(new);
            copied = end;
        }
    }
    result.push_str(&text[copied..]);
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn texts() -> impl Strategy<Value = Vec<String>> {
        let piece = prop::sample::select(vec![
            "a", "b", "ab", "aa", " ", "  ", "one ", "one", " cards", " spells", "red", "é", "s",
        ]);
        let text = prop::collection::vec(piece, 0..9).prop_map(|pieces| pieces.concat());
        prop::collection::vec(text, 0..8)
    }

    fn fixed(mut text: String) -> String {
        fix_plurals(&mut text, &mut String::new(), [true; PLURALS.len()]);
        text
    }

    /// The steps exactly as the documentation of [`PhraseRules`] says.
    fn step_by_step(rules: &PhraseRules, raw: &str) -> Option<String> {
        let text = raw.replace(DOUBLE_SPACE, " ");
        if rules.removals.iter().any(|phrase| text.contains(phrase)) {
            return None;
        }
        let text = text.trim().to_owned();
        let replaced =
            rules.replacements.iter().fold(text, |text, (old, new)| text.replace(old, new));
        Some(fixed(replaced))
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4096))]
        /// Neither what a renderer keeps from earlier sentences nor the steps that it skips change the result.
        #[test]
        fn sentences_do_not_depend_on_those_before(
            texts in texts(),
            removals in prop::collection::vec("[ab]{2,4}|[ab]( {1,2}[ab]){1,2}", 0..2),
            replacements in prop::collection::vec(("[abé]{1,2}( [abs])?", "[ab ]{0,3}|one|cards|red spells"), 0..4),
        ) {
            let file: String = replacements.iter().map(|(old, new)| format!("{old}: {new}\n")).collect();
            let rules = PhraseRules::parse(&removals.join("\n"), &file);
            let phrases = phrases(&rules.removals, &rules.replacements);
            let library =
                PhraseRules { scanner: Scanner::library(&phrases).unwrap(), ..rules.clone() };
            let (mut renderer, mut by_library) = (rules.renderer(), library.renderer());
            for text in &texts {
                let expected = step_by_step(&rules, text);
                prop_assert_eq!(renderer.render(text), expected.as_deref());
                prop_assert_eq!(by_library.render(text), expected.as_deref());
                let trimmed = rules.clone().with_trimmed_ends(true).render(text);
                let ends = expected.as_deref().map(str::trim).filter(|text| !text.is_empty());
                prop_assert_eq!(trimmed.as_deref(), ends);
                let unfixed = rules.clone().with_grammar_fixes(false).render(text);
                prop_assert_eq!(unfixed.map(fixed), expected);
            }
        }
    }
}
