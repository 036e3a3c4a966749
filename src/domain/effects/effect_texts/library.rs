//! The library of a valid document: listing, drawing, matching and trying out sentences.

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::{Arc, OnceLock};
use std::time::Instant;

use cardscape_engine::effect_text::{
    Binding, Effects, Match, Matcher, PhraseRules, Placeholder, Placeholders, Template,
};
use cardscape_engine::rng::{RandomNumbers as _, SplitMix64};

use super::check::put_together;
use super::choices::counted;
use super::folded::FoldedSentences;
use super::nearest::SimilarSentences;
use super::{EffectFault, EffectTexts, MAX_TEMPLATE};
use crate::domain::text;

/// Most combinations in the index of the matcher; the index takes 24 bytes for each.
const MAX_INDEXED: usize = 200_000;
/// Most bytes of sentences that are rendered for the index.
const MAX_INDEXED_BYTES: usize = 64 * 1024 * 1024;
/// Most combinations that are tested for one page of a list.
const MAX_SCANNED: usize = 20_000;
/// Most different placeholders of a template on trial.
const MAX_TRIED_PLACES: usize = 20;
/// Most ways to make a sentence that are returned.
const MAX_MATCHES: usize = 10;

/// Effect texts without a fault. Only [`EffectTexts::check`] and [`EffectTexts::stored`] create a library.
#[derive(Debug)]
pub struct EffectLibrary {
    texts: EffectTexts,
    placeholders: Placeholders,
    effects: Arc<Effects>,
    rules: Arc<PhraseRules>,
    /// The factor by which the rules can lengthen a sentence at most.
    growth: f64,
    /// The number of the first combination of each template, followed by the number of all combinations.
    starts: Vec<u64>,
    /// Built when a sentence is first matched.
    matcher: OnceLock<Matcher>,
    /// Built when similar sentences are first searched.
    similar: OnceLock<SimilarSentences>,
    /// Built when sentences with a text are first searched.
    folded: OnceLock<FoldedSentences>,
}

/// A finished sentence, with its template and values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RenderedSentence {
    /// Number of its combination in the whole list, from 0.
    pub number: u64,
    /// Place of its template, from 0.
    pub template: usize,
    /// The sentence.
    pub text: String,
    /// The value of each place of the template.
    pub bindings: Vec<Binding>,
}

#[derive(Clone, Debug, Default)]
pub struct SentenceSearch {
    /// Place of a template, from 0; `None`: all.
    pub template: Option<usize>,
    /// A text that the sentence must contain; case is ignored.
    pub text: Option<String>,
}

/// A part of the list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SentencePage {
    /// Sentences, in order.
    pub rendered: Vec<RenderedSentence>,
    /// The combination at which the list continues; `None`: the list ends here.
    pub next: Option<u64>,
}

/// The result of matching a sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// The ways to make the sentence, at most 10.
    pub matches: Vec<Match>,
    /// Whether `matches` contains all ways to make the sentence.
    pub complete: bool,
}

/// The sentences that a template on trial would make.
#[derive(Debug)]
pub struct Trial {
    /// How many combinations the template has, including those that the rules remove.
    pub combinations: u64,
    /// The first sentences.
    pub rendered: Vec<RenderedSentence>,
    /// Whether there may be more sentences.
    pub more: bool,
    /// How many of the tested combinations the rules remove.
    pub removed: usize,
}

impl EffectLibrary {
    pub(super) fn new(
        texts: EffectTexts,
        placeholders: Placeholders,
        effects: Effects,
        rules: PhraseRules,
        growth: f64,
    ) -> Self {
        let mut starts = vec![0];
        for template in 0..effects.templates().len() {
            starts.push(starts[template] + counted(effects.count_of(template)));
        }
        Self {
            texts,
            placeholders,
            effects: Arc::new(effects),
            rules: Arc::new(rules),
            growth,
            starts,
            matcher: OnceLock::new(),
            similar: OnceLock::new(),
            folded: OnceLock::new(),
        }
    }

    /// The document.
    pub fn texts(&self) -> &EffectTexts {
        &self.texts
    }

    /// The parsed templates with their values.
    pub fn effects(&self) -> &Effects {
        &self.effects
    }

    pub fn rules(&self) -> &PhraseRules {
        &self.rules
    }

    /// Whether the replacements of the document are applied: see [`EffectTexts::stored`].
    pub fn applies_replacements(&self) -> bool {
        self.texts.replacements.is_empty() || !self.rules.replacements().is_empty()
    }

    /// How many combinations all templates have.
    pub fn count(&self) -> u64 {
        self.starts.last().copied().unwrap_or(0)
    }

    /// How many combinations a template has.
    pub fn count_of(&self, template: usize) -> u64 {
        let range = self.range(Some(template));
        range.end - range.start
    }

    /// A length in bytes that no sentence exceeds, before the rules and after them.
    pub fn longest(&self) -> usize {
        let longest = u32::try_from(self.effects.longest()).map_or(f64::INFINITY, f64::from);
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a length within the bound of the check"
        )]
        let finished = (longest * self.growth).ceil() as usize;
        finished
    }

    /// The names of the placeholders of a template, each once, in order.
    pub fn names_of(&self, template: usize) -> Vec<String> {
        let read = self.effects.templates().get(template);
        let mut known = BTreeSet::new();
        let names = read.into_iter().flat_map(Template::placeholders).map(Placeholder::name);
        names.filter(|name| known.insert(*name)).map(str::to_owned).collect()
    }

    /// Up to `most` sentences of the list, from the combination `from` on. The page ends early when many combinations make no wanted sentence.
    pub fn list(&self, wanted: &SentenceSearch, from: u64, most: usize) -> SentencePage {
        let range = self.range(wanted.template);
        let folded = wanted.text.as_ref().map(|text| text.to_lowercase());
        let mut renderer = self.rules.renderer();
        let mut rendered = Vec::new();
        let mut at = from.max(range.start);
        let last = range.end.min(at.saturating_add(MAX_SCANNED as u64));
        if let Some(text) = &folded {
            let kept = self.folded();
            let known = at..last.min(kept.end).max(at);
            at = known.end;
            for number in kept.containing(text, known) {
                let Some(raw) = self.effects.nth(number.into()) else { break };
                let text = renderer.render(&raw.text).map(str::to_owned);
                rendered.extend(text.map(|text| self.rendered(number, raw.template, text)));
                if rendered.len() == most {
                    at = number + 1;
                    break;
                }
            }
        }
        let mut expansions = self.effects.expand_from(at.into());
        while at < last && rendered.len() < most {
            let Some((template, raw)) = expansions.next_text() else { break };
            let sentence = renderer.render(raw);
            let fits = |sentence: &&str| {
                folded.as_ref().is_none_or(|text| sentence.to_lowercase().contains(text))
            };
            let text = sentence.filter(fits).map(str::to_owned);
            rendered.extend(text.map(|text| self.rendered(at, template, text)));
            at += 1;
        }
        SentencePage { rendered, next: (at < range.end).then_some(at) }
    }

    fn folded(&self) -> &FoldedSentences {
        self.folded.get_or_init(|| FoldedSentences::new(&self.effects, &self.rules))
    }

    /// Draws up to `most` different combinations with a seed. Every combination that the rules do not remove has the same probability. Returns fewer if
    /// there are fewer.
    pub fn draw(&self, template: Option<usize>, seed: u64, most: usize) -> Vec<RenderedSentence> {
        let range = self.range(template);
        let count = range.end - range.start;
        let mut renderer = self.rules.renderer();
        let mut draws = SplitMix64::new(seed);
        let (mut rendered, mut seen) = (Vec::new(), BTreeSet::new());
        // Enough draws to find every one of a few hundred combinations. The limit ends the loop when the rules remove nearly all of them.
        for _ in 0..most.saturating_mul(50).saturating_add(5_000) {
            if rendered.len() == most || seen.len() as u64 == count {
                break;
            }
            let drawn = range.start + u64::try_from(draws.below(count.into())).unwrap_or(0);
            if !seen.insert(drawn) {
                continue;
            }
            let Some(raw) = self.effects.nth(drawn.into()) else { continue };
            let text = renderer.render(&raw.text).map(str::to_owned);
            rendered.extend(text.map(|text| self.rendered(drawn, raw.template, text)));
        }
        rendered
    }

    /// The ways to make a sentence, taking removals, replacements and grammar fixes into account.
    pub fn find(&self, sentence: &str) -> Found {
        let found = self.matcher().find(sentence, MAX_MATCHES);
        Found { matches: found.matches, complete: found.complete }
    }

    /// Builds the index that [`Self::find`] uses, unless it exists.
    pub fn make_index(&self) {
        self.matcher();
    }

    fn matcher(&self) -> &Matcher {
        self.matcher.get_or_init(|| {
            let room = MAX_INDEXED_BYTES / self.longest().max(1);
            let (effects, rules) = (Arc::clone(&self.effects), Arc::clone(&self.rules));
            Matcher::new(effects, rules, room.min(MAX_INDEXED))
        })
    }

    /// For each sentence, the most similar finished sentences, the most similar first.
    pub fn nearest(&self, sentences: &[&str], until: Instant) -> Vec<Vec<String>> {
        let (effects, rules) = (&self.effects, &self.rules);
        let similar = self.similar.get_or_init(|| SimilarSentences::new(effects, rules));
        similar.nearest(effects, rules, sentences, until)
    }

    /// Tries a template with the values and rules of this library.
    pub fn try_template(&self, source: &str, most: usize) -> Result<Trial, Vec<EffectFault>> {
        let at = |message: String| EffectFault::new("/template", message);
        let source =
            text::line(source, 1, MAX_TEMPLATE).map_err(|error| vec![at(error.to_string())])?;
        let in_column = |column, message| EffectFault { column: Some(column), ..at(message) };
        let template = Template::parse(&source)
            .map_err(|error| vec![in_column(error.column, error.message())])?;
        let places: BTreeSet<_> = template.placeholders().collect();
        if places.len() > MAX_TRIED_PLACES {
            let message = format!("must have at most {MAX_TRIED_PLACES} different placeholders");
            return Err(vec![at(message)]);
        }
        let unknown = self.texts.without_values(&template).into_iter();
        let unknown: Vec<EffectFault> =
            unknown.map(|(column, message)| in_column(column, message)).collect();
        if !unknown.is_empty() {
            return Err(unknown);
        }
        let effects = put_together(vec![template], &self.placeholders, self.growth, "/template");
        let effects = effects.map_err(|fault| vec![fault])?;
        Ok(self.trial(&effects, most))
    }

    fn trial(&self, effects: &Effects, most: usize) -> Trial {
        let combinations = counted(effects.count());
        let mut renderer = self.rules.renderer();
        let (mut rendered, mut removed) = (Vec::new(), 0);
        let mut at = 0_u64;
        for expansion in effects.expand().take(MAX_SCANNED) {
            if rendered.len() == most {
                break;
            }
            match renderer.render(&expansion.text) {
                None => removed += 1,
                Some(text) => rendered.push(RenderedSentence {
                    number: at,
                    template: 0,
                    text: text.to_owned(),
                    bindings: effects.bindings(0, at.into()).unwrap_or_default(),
                }),
            }
            at += 1;
        }
        Trial { combinations, rendered, more: at < combinations, removed }
    }

    /// The number in the whole list of a combination of a template.
    pub fn number_of(&self, template: usize, combination: u64) -> Option<u64> {
        Some(self.starts.get(template)? + combination)
    }

    /// The combinations of a template, or of all templates; empty if the template does not exist.
    fn range(&self, template: Option<usize>) -> Range<u64> {
        let Some(template) = template else { return 0..self.count() };
        let end = self.starts.get(template + 1);
        end.map_or(0..0, |end| self.starts[template]..*end)
    }

    fn rendered(&self, number: u64, template: usize, text: String) -> RenderedSentence {
        let combination = number - self.starts[template];
        let bindings = self.effects.bindings(template, combination.into()).unwrap_or_default();
        RenderedSentence { number, template, text, bindings }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;
    use crate::domain::effects::effect_texts::{MAX_SENTENCE, Replacement};

    fn texts(
        templates: Vec<String>,
        values: Vec<String>,
        replacements: BTreeMap<String, String>,
    ) -> EffectTexts {
        let replacements = replacements.into_iter().map(|(old, new)| Replacement { old, new });
        EffectTexts {
            templates,
            placeholders: [("v".to_owned(), values)].into(),
            replacements: replacements.collect(),
            ..EffectTexts::default()
        }
        .trimmed()
    }

    proptest! {
        /// Each listed sentence is found as a form or a request sends it, which is without white space around it.
        #[test]
        fn all_listed_sentences_are_found(
            templates in prop::collection::vec("(a|b|<v>)((a|b| |  |<v>|<v\\+1>){0,5}(a|b|<v>))?", 1..5),
            values in prop::collection::vec("_|a|b|a b|[0-9]|a  b", 1..5),
            replacements in prop::collection::btree_map("a|b|ab|a b|1", "(a|b b)?", 0..4),
        ) {
            let library = texts(templates, values, replacements).check().unwrap();
            let listed = library.list(&SentenceSearch::default(), 0, MAX_SCANNED).rendered;
            for rendered in listed {
                let sent = text::line(&rendered.text, 1, MAX_SENTENCE);
                prop_assert_eq!(sent.as_ref(), Ok(&rendered.text));
                let found = library.find(&rendered.text).matches;
                prop_assert!(!found.is_empty(), "{:?}", rendered.text);
                let drawn = library.draw(Some(rendered.template), 7, 1);
                let mut texts = drawn.iter().map(|drawn| drawn.text.as_str());
                prop_assert!(texts.all(|text| text.trim() == text && !text.is_empty()));
            }
        }
    }

    /// What is left of a sentence is trimmed; a sentence of which nothing is left is removed. Spaces in the middle stay.
    #[test]
    fn deleted_phrases_leave_no_space_at_the_ends() {
        let deleted = ["Optional", "today.", "Rest."].map(|old| (old.to_owned(), String::new()));
        let templates =
            ["Optional draw one card.", "Draw one card today.", "Rest.", "Be Optional or <v>."];
        let values = vec!["glad".to_owned()];
        let library = texts(templates.map(str::to_owned).into(), values, deleted.into());
        let library = library.check().unwrap();
        let listed = library.list(&SentenceSearch::default(), 0, 10).rendered;
        let listed: Vec<(u64, &str)> =
            listed.iter().map(|one| (one.number, one.text.as_str())).collect();
        assert_eq!(listed, [(0, "draw one card."), (1, "Draw one card"), (3, "Be  or glad.")]);
        let tried = library.try_template("Rest.", 10).unwrap();
        assert_eq!((tried.removed, tried.rendered), (1, Vec::new()));
        let tried = library.try_template("Optional <v> Optional", 10).unwrap();
        assert_eq!(tried.rendered[0].text, "glad");
    }
}
