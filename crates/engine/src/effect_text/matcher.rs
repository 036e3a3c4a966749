//! From a finished sentence back to the templates and values that make it.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use std::sync::Arc;

use super::cascade::{Buffers, Cascade, StreamState, comparable};
use super::cursor::{Cursor, Place};
use super::effects::{Binding, Choice, Effects, Part};
use super::phrase_rules::PhraseRules;

/// Maximum number of steps of one search through templates that are not in the index. Steps are places reached, choices tried and pieces added. The
/// pieces alone would not limit a search: a path through values that are only a placeholder adds no piece, and there may be 2⁴⁵ such paths.
const STEPS_MAX: usize = 1_000_000;
/// Maximum number of failures that a search remembers.
const FAILURES_MAX: usize = 20_000;
/// Maximum number of pieces of a sentence in a search.
const PIECES_MAX: usize = 400;

/// Finds which templates make a finished sentence, and with which values. Removals, replacements and grammar fixes are taken into account exactly.
///
/// Templates with few combinations are expanded into an index, which takes 24 bytes for each; a look-up takes microseconds. The others are searched:
/// a sentence is built piece by piece and rejected as soon as it differs. All results of index and search are rendered again and compared, so that
/// every answer is right.
///
/// ```
/// use std::sync::Arc;
/// use cardscape_engine::effect_text::{Effects, Matcher, PhraseRules, Placeholders, Template};
///
/// let placeholders = Placeholders::new([("n", "1\n2\n3\n"), ("pet", "cat\nowl\n")]);
/// let templates = vec![Template::parse("Wake <n> <pet>s")?, Template::parse("Wake 2 <pet>s or <n+1> owls")?];
/// let effects = Arc::new(Effects::new(templates, &placeholders)?);
/// let rules = Arc::new(PhraseRules::parse("", "1 cats: a cat\n1 owls: an owl\n"));
/// for index_max in [1_000, 0] {
///     let matcher = Matcher::new(Arc::clone(&effects), Arc::clone(&rules), index_max);
///     let found = matcher.find("Wake an owl", 10);
///     assert!(found.complete);
///     let [only] = &found.matches[..] else { panic!("{found:?}") };
///     assert_eq!((only.template, only.index, only.raw.as_str()), (0, Some(1), "Wake 1 owls"));
///     assert_eq!((only.bindings[1].placeholder.as_str(), only.bindings[1].value.as_str()), ("<pet>", "owl"));
///     assert!(matcher.find("Wake 1 owls", 10).matches.is_empty());
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Matcher {
    effects: Arc<Effects>,
    rules: Arc<PhraseRules>,
    /// Hash of a finished sentence, template and number of the combination, sorted.
    index: Vec<(u64, u32, u64)>,
    cascade: Cascade,
    /// Templates that are not in the index, by the prefix of their finished sentences.
    searched: BTreeMap<Vec<u8>, Vec<usize>>,
    /// Length of the longest of these prefixes.
    longest: usize,
}

/// All combinations that make a sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Matches {
    /// In the order of templates and, within one, of combinations.
    pub matches: Vec<Match>,
    /// Whether these are all. `false` if the search became too long, or found more answers than were asked for.
    pub complete: bool,
}

/// The templates that make a sentence, by their places in the list, from 0.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Makers {
    /// Those that make it.
    pub templates: BTreeSet<usize>,
    /// Those for which the search became too long before it found a combination: they may make it, too.
    pub undecided: BTreeSet<usize>,
}

/// A combination that makes a sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Match {
    /// Place of the template in the list, from 0.
    pub template: usize,
    /// Number of the combination, for [`Effects::nth_of`]; `None` when it is more than 2¹²⁸ − 1.
    pub index: Option<u128>,
    /// The sentence before the phrase rules.
    pub raw: String,
    /// The value of each place of the template, in the order of the places.
    pub bindings: Vec<Binding>,
}

impl Matcher {
    /// Builds the index. The combinations of a template go into it if all of them fit, up to `index_max` combinations in all; each of them is
    /// rendered once. Those that the rules remove count, too, because they take as long. 0 makes no index.
    pub fn new(effects: Arc<Effects>, rules: Arc<PhraseRules>, index_max: usize) -> Self {
        let cascade = Cascade::new(&rules);
        let mut index = Vec::new();
        let mut searched: BTreeMap<Vec<u8>, Vec<usize>> = BTreeMap::new();
        let mut renderer = rules.renderer();
        let mut rendered = 0_usize;
        for template in 0..effects.templates().len() {
            let capacity_left = index_max.saturating_sub(rendered) as u128;
            let place = u32::try_from(template);
            let (Ok(place), true) =
                (place, effects.count_of(template).is_some_and(|count| count <= capacity_left))
            else {
                searched.entry(begin(&effects, &cascade, template)).or_default().push(template);
                continue;
            };
            let mut expansions = effects.expand_of(template);
            let mut number = 0_u64;
            while let Some((_, raw)) = expansions.next_text() {
                if let Some(sentence) = renderer.render(raw) {
                    index.push((hash(sentence), place, number));
                }
                number += 1;
            }
            rendered = rendered.saturating_add(usize::try_from(number).unwrap_or(usize::MAX));
        }
        index.sort_unstable();
        let longest = searched.keys().map(Vec::len).max().unwrap_or(0);
        Self { effects, rules, index, cascade, searched, longest }
    }

    /// The templates and their values.
    pub fn effects(&self) -> &Effects {
        &self.effects
    }

    /// The rules that finish their sentences.
    pub fn rules(&self) -> &PhraseRules {
        &self.rules
    }

    /// Finds the combinations that make this finished sentence, at most `max_matches`.
    pub fn find(&self, sentence: &str, max_matches: usize) -> Matches {
        let cursor =
            |(template, number)| Some((template, self.effects.cursor_at(template, number)?));
        let indexed = self.indexed(sentence).filter_map(cursor);
        let mut found: Vec<(usize, Cursor)> = indexed.take(max_matches.saturating_add(1)).collect();
        let target = comparable(sentence);
        let mut search = Search::new(self, sentence, &target, max_matches.saturating_add(1));
        for template in self.searched_for(&target) {
            search.template(template);
        }
        let mut complete = search.complete;
        found.append(&mut search.found);
        let matched = found.into_iter().filter_map(|(template, cursor)| {
            let raw = self.effects.text_of(&cursor);
            (self.rules.render(&raw)? == sentence).then(|| Match {
                template,
                index: self.effects.rank(&cursor),
                bindings: self.effects.bindings_of(&cursor),
                raw,
            })
        });
        let mut matches: Vec<Match> = matched.collect();
        matches.sort_by_key(|matched| (matched.template, matched.index.unwrap_or(u128::MAX)));
        if matches.len() > max_matches {
            matches.truncate(max_matches);
            complete = false;
        }
        Matches { matches, complete }
    }

    /// Finds the templates that make this finished sentence. Those that are not in the index are searched one by one, each until its first result or
    /// a million steps: a long search does not shorten the others.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use cardscape_engine::effect_text::{Effects, Matcher, PhraseRules, Placeholders, Template};
    ///
    /// let placeholders = Placeholders::new([("n", "1\n2\n3\n"), ("few", "1\n2\n")]);
    /// let templates = ["Draw <n> cards", "Draw <few> cards", "Rest"].map(Template::parse);
    /// let effects = Effects::new(templates.into_iter().collect::<Result<_, _>>()?, &placeholders)?;
    /// let rules = PhraseRules::parse("", "1 cards: a card\n");
    /// let matcher = Matcher::new(Arc::new(effects), Arc::new(rules), 1_000);
    /// assert!(matcher.makers("Draw a card").templates.into_iter().eq([0, 1]));
    /// assert!(matcher.makers("Draw 3 cards").templates.into_iter().eq([0]));
    /// let none = matcher.makers("Draw 1 cards");
    /// assert!(none.templates.is_empty() && none.undecided.is_empty());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn makers(&self, sentence: &str) -> Makers {
        let mut makers = Makers::default();
        for (template, number) in self.indexed(sentence) {
            if makers.templates.contains(&template) {
                continue;
            }
            let matched =
                self.effects.nth_of(template, number).and_then(|raw| self.rules.render(&raw));
            if matched.is_some_and(|matched| matched == sentence) {
                makers.templates.insert(template);
            }
        }
        if self.searched.is_empty() {
            return makers;
        }
        let target = comparable(sentence);
        for template in self.searched_for(&target) {
            let mut search = Search::new(self, sentence, &target, 1);
            search.template(template);
            if !search.found.is_empty() {
                makers.templates.insert(template);
            } else if !search.complete {
                makers.undecided.insert(template);
            }
        }
        makers
    }

    /// Combinations in the index that may make this sentence: template and number.
    fn indexed(&self, sentence: &str) -> impl Iterator<Item = (usize, u128)> {
        let key = hash(sentence);
        let first = self.index.partition_point(|entry| entry.0 < key);
        let alike = self.index[first..].iter().take_while(move |entry| entry.0 == key);
        alike.map(|&(_, template, number)| (template as usize, number.into()))
    }

    /// Templates that are not in the index and whose prefix this sentence has.
    fn searched_for(&self, target: &[u8]) -> impl Iterator<Item = usize> {
        let begins = (0..=target.len().min(self.longest)).map(|length| &target[..length]);
        begins.filter_map(|begin| self.searched.get(begin)).flatten().copied()
    }
}

/// FNV-1a: the same on every machine. Collisions are found by rendering.
fn hash(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

/// A prefix of all finished sentences of a template, in the form for comparisons.
fn begin(effects: &Effects, cascade: &Cascade, template: usize) -> Vec<u8> {
    let first = effects.root(template).and_then(|root| effects.sequence(root).parts.first());
    let mut output = Buffers::default();
    if let Some(Part::Text(words)) = first {
        cascade.push(&mut cascade.begin(), words, &mut output);
    }
    output.added
}

/// A search for one sentence.
struct Search<'a> {
    matcher: &'a Matcher,
    sentence: &'a str,
    target: &'a [u8],
    max_matches: usize,
    steps: usize,
    depth: usize,
    complete: bool,
    /// The outer sequences that continue when this one ends, and at which part.
    frames: Vec<(u32, usize)>,
    /// States in which nothing was found: the outer sequences, and the progress of the sentence.
    failures: BTreeSet<(Vec<(u32, usize)>, Progress)>,
    buffers: Buffers,
    found: Vec<(usize, Cursor)>,
}

/// The state after a prefix of a raw sentence, and how many bytes of the finished one it gives.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Progress {
    state: StreamState,
    matched_length: usize,
}

/// The content of a place, and its text for the other places of the same spelling.
#[derive(Clone)]
struct Bound {
    place: Place,
    text: Rc<str>,
}

type Bindings = Vec<Option<Bound>>;
type Continuation<'t, 'a> = &'t mut dyn FnMut(&mut Search<'a>, &Progress, &mut Bindings);

impl<'a> Search<'a> {
    /// A search that ends after `max_matches` answers; `target` is the sentence in the form for comparisons.
    fn new(matcher: &'a Matcher, sentence: &'a str, target: &'a [u8], max_matches: usize) -> Self {
        Self {
            matcher,
            sentence,
            target,
            max_matches,
            steps: 0,
            depth: 0,
            complete: true,
            frames: Vec::new(),
            failures: BTreeSet::new(),
            buffers: Buffers::default(),
            found: Vec::new(),
        }
    }

    fn template(&mut self, template: usize) {
        let Some(root) = self.matcher.effects.root(template) else { return };
        let progress = Progress { state: self.matcher.cascade.begin(), matched_length: 0 };
        let mut bindings = vec![None; self.matcher.effects.sequence(root).slots.len()];
        self.failures.clear();
        self.parts(root, 0, &mut bindings, &progress, &mut |search, progress, bindings| {
            search.end(template, root, progress, bindings);
        });
    }

    /// Searches the parts of a sequence from `at` on; `continuation` continues after the end of the sequence.
    fn parts(
        &mut self,
        sequence: u32,
        at: usize,
        bindings: &mut Bindings,
        progress: &Progress,
        continuation: Continuation<'_, 'a>,
    ) {
        if self.steps >= STEPS_MAX
            || self.depth >= PIECES_MAX
            || self.found.len() >= self.max_matches
        {
            self.complete = false;
            return;
        }
        self.steps += 1;
        self.depth += 1;
        let matcher = self.matcher;
        let known = matcher.effects.sequence(sequence);
        match known.parts.get(at) {
            None => continuation(self, progress, bindings),
            Some(Part::Text(words)) => {
                if let Some(next) = self.step(progress, words) {
                    self.parts(sequence, at + 1, bindings, &next, continuation);
                }
            }
            Some(&Part::Slot(slot)) => match bindings[slot].clone() {
                Some(bound) => {
                    if let Some(next) = self.step(progress, &bound.text) {
                        self.parts(sequence, at + 1, bindings, &next, continuation);
                    }
                }
                None => self.open_place(sequence, at, slot, bindings, progress, continuation),
            },
        }
        self.depth -= 1;
    }

    /// Tries a place, unless the same state failed before. States are not remembered where a place occurs twice: there the result also depends on the
    /// values before.
    fn open_place(
        &mut self,
        sequence: u32,
        at: usize,
        slot: usize,
        bindings: &mut Bindings,
        progress: &Progress,
        continuation: Continuation<'_, 'a>,
    ) {
        let effects = &self.matcher.effects;
        self.frames.push((sequence, at));
        let free = self.frames.iter().all(|&(sequence, _)| !effects.sequence(sequence).linked);
        let known = free.then(|| (self.frames.clone(), progress.clone()));
        self.frames.pop();
        if known.as_ref().is_some_and(|known| self.failures.contains(known)) {
            return;
        }
        let before = self.found.len();
        self.choices(sequence, at, slot, bindings, progress, continuation);
        let failed = self.complete && self.found.len() == before;
        if failed && self.failures.len() < FAILURES_MAX {
            self.failures.extend(known);
        }
    }

    /// Whether the search is too long, or has as many answers as were asked for.
    fn is_over(&self) -> bool {
        self.steps >= STEPS_MAX || self.found.len() >= self.max_matches
    }

    /// Tries every possible content of a place.
    fn choices(
        &mut self,
        sequence: u32,
        at: usize,
        slot: usize,
        bindings: &mut Bindings,
        progress: &Progress,
        continuation: Continuation<'_, 'a>,
    ) {
        let effects = &self.matcher.effects;
        let known = effects.sequence(sequence).slots[slot];
        for (choice, what) in effects.slot(known).choices.iter().enumerate() {
            if self.is_over() {
                self.complete = false;
                return;
            }
            self.steps += 1;
            match what {
                Choice::Text(words) => {
                    if let Some(next) = self.step(progress, words) {
                        let place = Place { choice, within: None };
                        bindings[slot] = Some(Bound { place, text: Rc::from(&**words) });
                        self.parts(sequence, at + 1, bindings, &next, continuation);
                    }
                }
                Choice::Number(inner, _) => {
                    // A prefix of the number does not give a prefix of the sum, so all combinations are tried.
                    let mut within = Box::new(effects.unrank(*inner, 0));
                    let mut more = true;
                    while more && !self.is_over() {
                        self.steps += 1;
                        let place = Place { choice, within: Some(within.clone()) };
                        let mut text = String::new();
                        effects.render_place(known, &place, &mut text);
                        if let Some(next) = self.step(progress, &text) {
                            bindings[slot] = Some(Bound { place, text: text.into() });
                            self.parts(sequence, at + 1, bindings, &next, continuation);
                            bindings[slot] = None;
                        }
                        more = effects.advance(&mut within).is_some();
                    }
                    self.complete &= !more;
                }
                Choice::Sequence(inner) => {
                    let mut within = vec![None; effects.sequence(*inner).slots.len()];
                    self.frames.push((sequence, at));
                    self.parts(
                        *inner,
                        0,
                        &mut within,
                        progress,
                        &mut |search, progress, within| {
                            let frame = search.frames.pop();
                            let place =
                                Place { choice, within: Some(Box::new(cursor(*inner, within))) };
                            let mut text = String::new();
                            effects.render_place(known, &place, &mut text);
                            bindings[slot] = Some(Bound { place, text: text.into() });
                            search.parts(sequence, at + 1, bindings, progress, continuation);
                            bindings[slot] = None;
                            search.frames.extend(frame);
                        },
                    );
                    self.frames.pop();
                }
            }
            bindings[slot] = None;
        }
    }

    /// Adds a piece; `None` when the finished sentence then differs from the target.
    fn step(&mut self, progress: &Progress, piece: &str) -> Option<Progress> {
        let cascade = &self.matcher.cascade;
        self.steps += 1;
        let Some(&first) = piece.as_bytes().first() else {
            // The value is empty.
            return Some(progress.clone());
        };
        if self.target.get(progress.matched_length) != Some(&first)
            && cascade.passes(&progress.state, first)
        {
            return None;
        }
        let mut next = progress.clone();
        cascade.push(&mut next.state, piece, &mut self.buffers);
        let rest = &self.target[next.matched_length..];
        rest.starts_with(&self.buffers.added).then(|| {
            next.matched_length += self.buffers.added.len();
            next
        })
    }

    fn end(&mut self, template: usize, root: u32, progress: &Progress, bindings: &Bindings) {
        let matcher = self.matcher;
        let mut state = progress.state.clone();
        matcher.cascade.finish(&mut state, &mut self.buffers);
        if self.target[progress.matched_length..] != self.buffers.added {
            return;
        }
        let found = cursor(root, bindings);
        let raw = matcher.effects.text_of(&found);
        if matcher.rules.render(&raw).is_some_and(|matched| matched == self.sentence) {
            self.found.push((template, found));
        }
    }
}

/// The combination that the places of a sequence make.
fn cursor(sequence: u32, bindings: &Bindings) -> Cursor {
    let places = bindings.iter().flatten().map(|bound| bound.place.clone());
    Cursor { sequence, places: places.collect() }
}

#[cfg(test)]
mod tests {
    use super::super::{Placeholders, Template};
    use super::*;

    /// A search of all templates for each sentence would end as well, after thousands of times as many steps.
    #[test]
    fn only_templates_with_the_beginning_of_a_sentence_are_searched() {
        let files = Placeholders::new([("n", "1\n2\n3\n")]);
        let templates: Vec<Template> = (0..3_000)
            .map(|at| Template::parse(&format!("Take way {at} to <n> cards")).unwrap())
            .collect();
        let effects = Arc::new(Effects::new(templates, &files).unwrap());
        let matcher = Matcher::new(effects, Arc::default(), 0);
        let searched =
            |sentence: &str| matcher.searched_for(&comparable(sentence)).collect::<Vec<usize>>();
        assert_eq!(searched("Take way 217 to 3 cards"), [217]);
        assert!(searched("Take way 3000 to 3 cards").is_empty());
        let sentence = "Take way 217 to 3 cards";
        let target = comparable(sentence);
        let mut search = Search::new(&matcher, sentence, &target, 2);
        search.template(217);
        assert!(search.complete && search.found.len() == 1);
        assert!(search.steps < 20, "{}", search.steps);
    }

    /// Otherwise a removal that all sentences contain would allow any number of them.
    #[test]
    fn removed_sentences_count_towards_the_index() {
        let files = Placeholders::new([("n", "1\n2\n3\n")]);
        let templates: Vec<Template> =
            (0..5).map(|at| Template::parse(&format!("Way {at} to <n> cards")).unwrap()).collect();
        let effects = Arc::new(Effects::new(templates, &files).unwrap());
        let rules = Arc::new(PhraseRules::parse("Way\n", ""));
        let matcher = Matcher::new(effects, rules, 7);
        assert!(matcher.index.is_empty());
        let searched: Vec<usize> = matcher.searched.values().flatten().copied().collect();
        assert_eq!(searched, [2, 3, 4]);
    }
}
