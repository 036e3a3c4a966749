//! Finds the categories of sentences.

use aho_corasick::AhoCorasick;
use aho_corasick::automaton::OverlappingState;
use aho_corasick::{Input, MatchKind};
use thiserror::Error;

/// Finds the categories whose phrases a sentence contains, all in one pass. Phrases are literal and case-sensitive.
///
/// Phrases with places are expanded first: [`Effects::expand`](super::Effects::expand).
///
/// ```
/// use cardscape_engine::effect_text::Tagger;
///
/// let tagger = Tagger::new([vec!["Draw 1", "Draw 2"], vec!["card"], vec![]])?;
/// assert_eq!(tagger.tags("Draw 2 cards"), [true, true, false]);
/// assert_eq!(tagger.tags("draw 2 creatures"), [false, false, false]);
/// # Ok::<(), cardscape_engine::effect_text::TaggerError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Tagger {
    categories: usize,
    /// Categories with an empty phrase: every sentence contains it.
    always: Vec<usize>,
    scanner: AhoCorasick,
    /// The category of each phrase.
    owners: Vec<usize>,
}

/// The phrases take more memory than a search for all of them supports.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("the phrases are too many or too long to be looked for together")]
pub struct TaggerError;

impl Tagger {
    /// Creates a tagger from the phrases of each category.
    pub fn new<C: IntoIterator<Item = P>, P: AsRef<str>>(
        categories: impl IntoIterator<Item = C>,
    ) -> Result<Self, TaggerError> {
        let (mut phrases, mut owners, mut always) = (Vec::new(), Vec::new(), Vec::new());
        let mut count = 0;
        for category in categories {
            for phrase in category {
                if phrase.as_ref().is_empty() {
                    always.push(count);
                } else {
                    phrases.push(phrase);
                    owners.push(count);
                }
            }
            count += 1;
        }
        let phrases = phrases.iter().map(P::as_ref);
        let scanner = AhoCorasick::builder()
            .match_kind(MatchKind::Standard)
            .build(phrases)
            .map_err(|_| TaggerError)?;
        Ok(Self { categories: count, always, scanner, owners })
    }

    /// For each category whether the sentence contains one of its phrases.
    pub fn tags(&self, sentence: &str) -> Vec<bool> {
        let mut tags = vec![false; self.categories];
        self.tag(sentence, &mut tags);
        tags
    }

    /// Like [`Tagger::tags`], but overwrites `tags`, which has one element for each category.
    pub fn tag(&self, sentence: &str, tags: &mut [bool]) {
        tags.fill(false);
        for &category in &self.always {
            tags[category] = true;
        }
        let mut state = OverlappingState::start();
        let input = Input::new(sentence);
        // The match kind supports overlaps, so there is no error.
        while self.scanner.try_find_overlapping(input.clone(), &mut state).is_ok() {
            let Some(found) = state.get_match() else { break };
            tags[self.owners[found.pattern().as_usize()]] = true;
        }
    }
}
