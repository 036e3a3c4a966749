//! Searches sentences that contain a text; case is ignored.

use std::ops::Range;

use cardscape_engine::effect_text::{Effects, PhraseRules};
use memchr::memmem;

/// Most combinations whose sentences are cached.
const MAX_COMBINATIONS: u32 = 50_000;
/// Most bytes of cached sentences. When the limit is reached, no further sentences are cached.
const MAX_BYTES: usize = 4 * 1024 * 1024;
/// Ends each sentence. Neither sentences nor search texts contain control characters.
const END: char = '\n';

/// The first finished sentences of a game in lower case, one after the other. Searching them takes a tenth of the time that rendering them takes.
#[derive(Debug)]
pub(super) struct FoldedSentences {
    text: String,
    /// The end of each sentence in the text.
    ends: Vec<usize>,
    /// The number of the combination of each sentence, in order.
    combinations: Vec<u64>,
    /// The cache contains the sentences of all combinations before this one.
    pub(super) end: u64,
}

impl FoldedSentences {
    pub(super) fn new(effects: &Effects, rules: &PhraseRules) -> Self {
        let (text, ends, combinations) = (String::new(), Vec::new(), Vec::new());
        let mut folded = Self { text, ends, combinations, end: 0 };
        let mut renderer = rules.renderer();
        let mut expansions = effects.expand();
        while folded.end < MAX_COMBINATIONS.into() && folded.text.len() < MAX_BYTES {
            let Some((_, raw)) = expansions.next_text() else { break };
            if let Some(sentence) = renderer.render(raw) {
                folded.text.push_str(&sentence.to_lowercase());
                folded.text.push(END);
                folded.ends.push(folded.text.len());
                folded.combinations.push(folded.end);
            }
            folded.end += 1;
        }
        folded
    }

    /// The combinations of this range whose sentences contain a text in lower case, in order.
    pub(super) fn containing(&self, text: &str, range: Range<u64>) -> impl Iterator<Item = u64> {
        let finder = memmem::Finder::new(text).into_owned();
        let first = self.combinations.partition_point(|number| *number < range.start);
        let mut begin = first.checked_sub(1).map_or(0, |before| self.ends[before]);
        let found = std::iter::from_fn(move || {
            let at = begin + finder.find(&self.text.as_bytes()[begin..])?;
            let place = self.ends.partition_point(|end| *end <= at);
            begin = *self.ends.get(place)?;
            self.combinations.get(place).copied()
        });
        found.take_while(move |number| *number < range.end)
    }
}

#[cfg(test)]
mod tests {
    use cardscape_engine::effect_text::{Placeholders, Template};
    use proptest::prelude::*;

    use super::*;
    use crate::domain::effects::effect_texts::{EffectTexts, SentenceSearch};

    /// The list has more combinations than are cached, and more than are tested for one page.
    #[test]
    fn a_list_continues_after_the_cached_sentences() {
        let numbers = |end: u32| (1..=end).map(|number| number.to_string()).collect();
        let texts = EffectTexts {
            templates: vec!["Rest.".into(), "Draw <n> of <m> Cards.".into()],
            placeholders: [("n".into(), numbers(600)), ("m".into(), numbers(100))].into(),
            removals: vec!["Draw 77 of".into()],
            replacements: Vec::new(),
        };
        let library = texts.check().unwrap();
        let stretches = |text: &str, template, most| {
            let wanted = SentenceSearch { template, text: Some(text.to_owned()) };
            let (mut texts, mut from) = (Vec::new(), Some(0));
            while let Some(begin) = from {
                let page = library.list(&wanted, begin, most);
                assert!(page.rendered.len() <= most);
                assert!(page.next.is_none_or(|next| begin < next && next <= begin + 20_001));
                texts.extend(page.rendered.into_iter().map(|rendered| rendered.text));
                from = page.next;
            }
            texts
        };
        let all: Vec<String> = library
            .effects()
            .expand()
            .filter_map(|raw| library.rules().render(&raw.text))
            .collect();
        for text in
            ["rest", "77 of 5", "OF 100 cards", "draw 499 of 9", "draw 500 of 9", "draw 600", "x"]
        {
            let has = |sentence: &&String| sentence.to_lowercase().contains(&text.to_lowercase());
            let having: Vec<String> = all.iter().filter(has).cloned().collect();
            assert_eq!(stretches(text, None, 7), having, "{text}");
            let draws = having.into_iter().filter(|sentence| sentence.starts_with("Draw"));
            assert_eq!(stretches(text, Some(1), 100), draws.collect::<Vec<_>>(), "{text}");
        }
    }

    proptest! {
        #[test]
        fn the_cache_finds_the_same_sentences_as_a_full_search(
            templates in prop::collection::vec("(a|b|B|Ä|ß|<v>|<w>){1,5}", 1..6),
            text in "(a|b|ä|ß|c){1,3}",
            from in 0_u64..20,
            length in 0_u64..40,
        ) {
            let placeholders = Placeholders::new([("v", "a\nAB\nb c"), ("w", "İ\nb")]);
            let templates = templates.iter().map(|template| Template::parse(template).unwrap());
            let effects = Effects::new(templates.collect(), &placeholders).unwrap();
            let rules = PhraseRules::parse("aa", "b b: ac\n");
            let sentences = effects.expand().map(|raw| rules.render(&raw.text));
            let has = |sentence: Option<String>| {
                sentence.is_some_and(|sentence| sentence.to_lowercase().contains(&text))
            };
            let numbered = (0..).zip(sentences);
            let having = numbered.filter_map(|(number, sentence)| has(sentence).then_some(number));
            let range = from..from + length;
            let expected: Vec<u64> = having.filter(|number| range.contains(number)).collect();
            let folded = FoldedSentences::new(&effects, &rules);
            prop_assert_eq!(folded.containing(&text, range).collect::<Vec<_>>(), expected);
        }
    }
}
