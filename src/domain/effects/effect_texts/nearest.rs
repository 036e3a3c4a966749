//! Finds finished sentences that are similar to a sentence that no template makes.

use std::collections::HashMap;
use std::time::Instant;

use cardscape_engine::effect_text::{Effects, PhraseRules};

/// Most combinations that are compared.
const MAX_COMPARED: usize = 50_000;
/// Most features of all sentences together, of four bytes each. When the limit is reached, no further sentences are compared.
const MAX_FEATURES: usize = 5_000_000;
/// Most similar sentences for each sentence.
const NEAREST_MAX: usize = 3;

/// The hash of a word or of two consecutive words, and how often the same hash occurs earlier in the sentence.
type Feature = (u64, u16);

/// The first finished sentences of a game, by their words and pairs of words. Rendering and splitting them costs more than a hundred searches, so this is
/// done once.
#[derive(Debug)]
pub(super) struct SimilarSentences {
    /// The number of the combination of each sentence.
    combinations: Vec<u32>,
    /// How many features each sentence has.
    sizes: Vec<u16>,
    /// The sentences that have a feature, as indices into the lists above, in ascending order.
    having: HashMap<Feature, Vec<u32>>,
}

impl SimilarSentences {
    pub(super) fn new(effects: &Effects, rules: &PhraseRules) -> Self {
        let (mut combinations, mut sizes) = (Vec::new(), Vec::new());
        let mut having: HashMap<Feature, Vec<u32>> = HashMap::new();
        let mut renderer = rules.renderer();
        let mut expansions = effects.expand();
        let (mut place, mut kept) = (0_u32, 0);
        for combination in (0..).take(MAX_COMPARED) {
            let Some((_, raw)) = expansions.next_text() else { break };
            let Some(rendered) = renderer.render(raw) else { continue };
            let features = features(rendered);
            kept += features.len();
            if kept > MAX_FEATURES {
                break;
            }
            combinations.push(combination);
            sizes.push(count(&features));
            for feature in features {
                having.entry(feature).or_default().push(place);
            }
            place += 1;
        }
        Self { combinations, sizes, having }
    }

    /// For each sentence, the finished sentences that have most words and pairs of words in common with it, the most similar first. After `until`, the
    /// remaining sentences get none.
    pub(super) fn nearest(
        &self,
        effects: &Effects,
        rules: &PhraseRules,
        sentences: &[&str],
        until: Instant,
    ) -> Vec<Vec<String>> {
        let nearest = sentences.iter().map(|sentence| {
            if Instant::now() >= until {
                Vec::new()
            } else {
                self.nearest_to(effects, rules, sentence)
            }
        });
        nearest.collect()
    }

    fn nearest_to(&self, effects: &Effects, rules: &PhraseRules, sentence: &str) -> Vec<String> {
        let wanted = features(sentence);
        let mut renderer = rules.renderer();
        let mut best: Vec<(f64, String)> = Vec::new();
        let candidates = self.shared_with(&wanted).into_iter().zip(&self.sizes);
        for ((shared, size), combination) in candidates.zip(&self.combinations) {
            let all = u32::from(count(&wanted)) + u32::from(*size);
            if !is_alike(shared, all) {
                continue;
            }
            let likeness = likeness(shared, all);
            if best.get(NEAREST_MAX - 1).is_some_and(|worst| likeness <= worst.0) {
                continue;
            }
            let Some(raw) = effects.nth((*combination).into()) else { continue };
            let Some(rendered) = renderer.render(&raw.text) else { continue };
            if best.iter().all(|(_, text)| text != rendered) {
                let place = best.partition_point(|(other, _)| *other >= likeness);
                best.insert(place, (likeness, rendered.to_owned()));
                best.truncate(NEAREST_MAX);
            }
        }
        best.into_iter().map(|(_, text)| text).collect()
    }

    /// How many of these features each sentence has.
    fn shared_with(&self, wanted: &[Feature]) -> Vec<u16> {
        let mut shared = vec![0; self.sizes.len()];
        for having in wanted.iter().filter_map(|feature| self.having.get(feature)) {
            for &place in having {
                shared[place as usize] += 1;
            }
        }
        shared
    }
}

/// The Sørensen–Dice coefficient: twice the number of shared features, divided by the features of both sentences. 1 means the same words in the same order.
fn likeness(shared: u16, all: u32) -> f64 {
    f64::from(shared) * 2.0 / f64::from(all.max(1))
}

/// Whether the likeness is at least a half, which is the minimum for a similar sentence.
fn is_alike(shared: u16, all: u32) -> bool {
    shared > 0 && u32::from(shared) * 4 >= all
}

/// The features of a sentence.
fn features(sentence: &str) -> Vec<Feature> {
    let mut hashes = Vec::new();
    let mut before = None;
    let words = sentence.split(|character: char| !character.is_alphanumeric());
    for word in words.filter(|word| !word.is_empty()) {
        let hash = hash_of(word);
        hashes.push(hash);
        hashes.extend(before.map(|before: u64| before.rotate_left(17) ^ hash));
        before = Some(hash);
    }
    hashes.sort_unstable();
    let same = hashes.chunk_by(|one, other| one == other);
    same.flat_map(|same| same.iter().copied().zip(0..)).collect()
}

fn count(features: &[Feature]) -> u16 {
    u16::try_from(features.len()).unwrap_or(u16::MAX)
}

/// The FNV-1a hash of a word in lower case.
fn hash_of(word: &str) -> u64 {
    let letters = word.chars().flat_map(char::to_lowercase);
    letters.fold(0xcbf2_9ce4_8422_2325, |hash, character| {
        (hash ^ u64::from(character)).wrapping_mul(0x0100_0000_01b3)
    })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::path::{Path, PathBuf};
    use std::time::Duration;

    use cardscape_engine::effect_text::{Placeholders, Template};
    use proptest::prelude::*;

    use super::*;
    use crate::domain::catalogue::import::SourceFile;
    use crate::domain::effects::effect_texts::EffectFiles;

    /// How often a sentence has each word and each pair of words.
    fn counted(sentence: &str) -> BTreeMap<Vec<String>, usize> {
        let words = sentence.split(|character: char| !character.is_alphanumeric());
        let words = words.filter(|word| !word.is_empty()).map(str::to_lowercase);
        let words: Vec<String> = words.collect();
        let mut counted = BTreeMap::new();
        for feature in words.chunks(1).chain(words.windows(2)) {
            *counted.entry(feature.to_vec()).or_default() += 1;
        }
        counted
    }

    /// Compares every sentence with every other one.
    fn by_comparing_all(effects: &Effects, rules: &PhraseRules, wanted: &str) -> Vec<String> {
        let wanted = counted(wanted);
        let mut best: Vec<(f64, String)> = Vec::new();
        for raw in effects.expand().take(MAX_COMPARED) {
            let Some(rendered) = rules.render(&raw.text) else { continue };
            let features = counted(&rendered);
            let both = features
                .iter()
                .map(|(feature, count)| wanted.get(feature).map_or(0, |other| *count.min(other)));
            let both = u32::try_from(both.sum::<usize>()).unwrap();
            let all = features.values().chain(wanted.values()).sum::<usize>();
            let all = u32::try_from(all).unwrap();
            let likeness = f64::from(both * 2) / f64::from(all.max(1));
            if likeness >= 0.5 && best.iter().all(|(_, text)| *text != rendered) {
                best.push((likeness, rendered));
            }
        }
        best.sort_by(|one, other| other.0.total_cmp(&one.0));
        best.into_iter().take(3).map(|(_, text)| text).collect()
    }

    fn assert_same(effects: &Effects, rules: &PhraseRules, sentences: &[&str]) {
        let until = Instant::now() + Duration::from_hours(1);
        let similar = SimilarSentences::new(effects, rules);
        let nearest = similar.nearest(effects, rules, sentences, until);
        for (sentence, nearest) in sentences.iter().zip(nearest) {
            assert_eq!(nearest, by_comparing_all(effects, rules, sentence), "{sentence}");
        }
    }

    /// Sentences of the shipped game, some changed slightly and some changed much.
    #[test]
    fn the_nearest_sentences_of_a_game_equal_a_full_comparison() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("seed-data/games/ttcg");
        let source =
            |path: PathBuf| SourceFile::new("a file", &std::fs::read_to_string(path).unwrap());
        let values = std::fs::read_dir(folder.join("placeholders")).unwrap();
        let values = values
            .map(|file| file.unwrap().path())
            .map(|path| (path.file_stem().unwrap().to_str().unwrap().to_owned(), source(path)));
        let files = EffectFiles {
            templates: source(folder.join("effects/all_effect_templates.txt")),
            placeholders: values.collect(),
        };
        let library = files.check().unwrap();
        let sentences = [
            "Draw two cards.",
            "draw TWO cards, draw two cards",
            "Discard one card.",
            "Discard one Fire card to draw one hundred cards.",
            "Gain 1 point for each of your Fire units, then gain 1 point for each of your Fire units.",
            "Destroy this card to destroy one enemy unit.",
            "Lorem ipsum dolor sit amet.",
            "unit",
            "...",
        ];
        assert_same(library.effects(), library.rules(), &sentences);
    }

    proptest! {
        /// Covers words that occur several times, and sentences that are removed, made twice, or equally similar.
        #[test]
        fn the_nearest_sentences_equal_a_full_comparison(
            templates in prop::collection::vec("((a|b|C|ä|<v>|<w>)[ ,]){1,5}", 1..6),
            values in prop::collection::vec("(a|b|c|d)( (a|b|c))?", 1..5),
            removal in "a [ab]|zz",
            sentences in prop::collection::vec("((A|b|c|d|ä) ){0,6}", 1..6),
        ) {
            let placeholders = Placeholders::new([("v", values.join("\n")), ("w", "b\nc a".to_owned())]);
            let templates = templates.iter().map(|template| Template::parse(template).unwrap());
            let effects = Effects::new(templates.collect(), &placeholders).unwrap();
            let rules = PhraseRules::parse(&removal, "b b: a\n");
            let sentences: Vec<&str> = sentences.iter().map(String::as_str).collect();
            assert_same(&effects, &rules, &sentences);
        }
    }

    #[test]
    fn after_the_deadline_no_sentence_gets_similar_ones() {
        let templates = vec![Template::parse("Draw a card").unwrap()];
        let effects = Effects::new(templates, &Placeholders::default()).unwrap();
        let rules = PhraseRules::default();
        let similar = SimilarSentences::new(&effects, &rules);
        let nearest = |until| similar.nearest(&effects, &rules, &["draw a card!"], until);
        assert_eq!(nearest(Instant::now() + Duration::from_hours(1)), [["Draw a card"]]);
        assert_eq!(nearest(Instant::now()), [[""; 0]]);
    }
}
