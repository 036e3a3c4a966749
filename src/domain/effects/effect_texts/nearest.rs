//! Sentences that are like one that no template makes.

use std::time::Instant;

use cardscape_engine::effect_text::{Effects, PhraseRules};

/// Most combinations that are compared.
const MAX_COMPARED: usize = 50_000;
/// Sentences that are told for each.
const TOLD: usize = 3;
/// Least likeness of a sentence that is told: 1 is the same words in the same order.
const LEAST: f64 = 0.5;

/// A sentence, taken apart: its words, and its pairs of words that follow each other, as sorted hashes.
struct Features(Vec<u64>);

/// For each sentence those of the first combinations that have most words and pairs of words in common with it, the most alike first. Whoever
/// has no time any more at `until` gets what was found by then.
pub(super) fn nearest(
    effects: &Effects,
    rules: &PhraseRules,
    sentences: &[&str],
    until: Instant,
) -> Vec<Vec<String>> {
    let wanted: Vec<Features> = sentences.iter().map(|sentence| Features::of(sentence)).collect();
    let mut best: Vec<Vec<(f64, String)>> = sentences.iter().map(|_| Vec::new()).collect();
    let mut renderer = rules.renderer();
    for (at, expansion) in effects.expand().take(MAX_COMPARED).enumerate() {
        if at % 256 == 0 && Instant::now() >= until {
            break;
        }
        let Some(made) = renderer.render(&expansion.text) else { continue };
        let features = Features::of(made);
        for (wanted, best) in wanted.iter().zip(&mut best) {
            let worst = best.get(TOLD - 1).map_or(LEAST, |worst| worst.0);
            if wanted.likeness_at_most(&features) < worst {
                continue;
            }
            let likeness = wanted.likeness(&features);
            let beaten = likeness > worst || (likeness >= LEAST && best.len() < TOLD);
            if beaten && best.iter().all(|(_, text)| text != made) {
                let place = best.partition_point(|(other, _)| *other >= likeness);
                best.insert(place, (likeness, made.to_owned()));
                best.truncate(TOLD);
            }
        }
    }
    best.into_iter().map(|best| best.into_iter().map(|(_, text)| text).collect()).collect()
}

impl Features {
    fn of(sentence: &str) -> Self {
        let mut hashes = Vec::new();
        let mut before = None;
        let words = sentence.split(|letter: char| !letter.is_alphanumeric());
        for word in words.filter(|word| !word.is_empty()) {
            let hash = hash_of(word);
            hashes.push(hash);
            hashes.extend(before.map(|before: u64| before.rotate_left(17) ^ hash));
            before = Some(hash);
        }
        hashes.sort_unstable();
        Self(hashes)
    }

    /// Twice what both have, by what they have together (Sørensen and Dice).
    fn likeness(&self, other: &Self) -> f64 {
        let (mut one, mut two, mut shared) = (0, 0, 0_u32);
        while let (Some(left), Some(right)) = (self.0.get(one), other.0.get(two)) {
            shared += u32::from(left == right);
            one += usize::from(left <= right);
            two += usize::from(left >= right);
        }
        self.share(other, shared)
    }

    /// What the likeness would be if the shorter one were all in the longer one. It costs nothing, and rules most pairs of a short and a long
    /// sentence out.
    fn likeness_at_most(&self, other: &Self) -> f64 {
        let shorter = self.0.len().min(other.0.len());
        self.share(other, u32::try_from(shorter).unwrap_or(u32::MAX))
    }

    fn share(&self, other: &Self, shared: u32) -> f64 {
        let all = u32::try_from(self.0.len() + other.0.len()).unwrap_or(u32::MAX);
        f64::from(shared) * 2.0 / f64::from(all.max(1))
    }
}

/// FNV-1a of a word, whatever its case.
fn hash_of(word: &str) -> u64 {
    let letters = word.chars().flat_map(char::to_lowercase);
    letters.fold(0xcbf2_9ce4_8422_2325, |hash, letter| {
        (hash ^ u64::from(letter)).wrapping_mul(0x0100_0000_01b3)
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn no_likeness_is_beyond_its_bound(one in "[abc ]{0,20}", other in "[abc ]{0,20}") {
            let (one, other) = (Features::of(&one), Features::of(&other));
            prop_assert!(one.likeness(&other) <= one.likeness_at_most(&other));
            prop_assert!(one.likeness(&one) >= one.likeness_at_most(&one));
        }
    }
}
