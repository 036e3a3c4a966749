//! When two cards do the same: their effects are the same sentences up to numbers, in whatever order.

use cardscape_engine::Effect;
use sha2::{Digest as _, Sha256};

/// Words that stand for a number.
const NUMBERS: [&str; 24] = [
    "a",
    "an",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
    "thirteen",
    "fourteen",
    "fifteen",
    "sixteen",
    "seventeen",
    "eighteen",
    "nineteen",
    "twenty",
    "both",
    "another",
];

/// What a sentence says without its numbers, and without what follows from them: "Draw two cards." and "draw one card" have the same.
///
/// ```
/// use cardscape::domain::designs::likeness::sentence_key;
/// assert_eq!(sentence_key("Draw two cards."), sentence_key("draw one card"));
/// assert_eq!(sentence_key("Gain 50 attack."), sentence_key("Gain 100 attack."));
/// assert_ne!(sentence_key("Gain 50 attack."), sentence_key("Gain 50 defense."));
/// ```
pub fn sentence_key(sentence: &str) -> String {
    let mut key = String::with_capacity(sentence.len());
    for (word, _) in words_of(sentence) {
        if !key.is_empty() {
            key.push(' ');
        }
        key.push_str(&word);
    }
    key
}

/// The beginnings of words that every sentence of the same key has, too: what an index is asked for.
pub fn fixed_words(sentence: &str) -> Vec<String> {
    words_of(sentence).filter(|(_, is_fixed)| *is_fixed).map(|(word, _)| word).collect()
}

/// The words in lower case and in the singular: `#` for a number. With whether every sentence of the same key has a word that begins so.
fn words_of(sentence: &str) -> impl Iterator<Item = (String, bool)> {
    let words = sentence.split(|letter: char| !letter.is_alphanumeric());
    words.filter(|word| !word.is_empty()).map(|word| {
        let word = word.to_lowercase();
        let is_number =
            word.bytes().all(|byte| byte.is_ascii_digit()) || NUMBERS.contains(&word.as_str());
        match word.as_str() {
            _ if is_number => ("#".to_owned(), false),
            "them" | "it" => ("it".to_owned(), false),
            "their" | "its" => ("its".to_owned(), false),
            _ => (singular(word), true),
        }
    })
}

/// Without the ending of a plural, as far as letters tell; what is compared is treated alike.
fn singular(word: String) -> String {
    match word.strip_suffix('s') {
        Some(stem) if stem.len() > 1 && !stem.ends_with('s') => stem.to_owned(),
        _ => word,
    }
}

/// What tells whether two cards of a kind do the same: a hash of the kind and of the keys of all effects with their styles, sorted. `None`: there are no
/// effects to compare.
pub fn effects_key(kind: &str, effects: &[Effect]) -> Option<[u8; 16]> {
    let mut keys: Vec<(&str, String)> = effects
        .iter()
        .map(|effect| (effect.style.as_deref().unwrap_or_default(), sentence_key(&effect.text)))
        .filter(|(_, key)| !key.is_empty())
        .collect();
    if keys.is_empty() {
        return None;
    }
    keys.sort_unstable();
    let mut hash = Sha256::new().chain_update(kind).chain_update([0]);
    for (style, key) in keys {
        hash.update(style);
        hash.update([0]);
        hash.update(key);
        hash.update([0]);
    }
    let mut first = [0; 16];
    first.copy_from_slice(&hash.finalize()[..16]);
    Some(first)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn effect(style: &str, text: &str) -> Effect {
        Effect { style: Some(style.to_owned()), slot: None, text: text.to_owned() }
    }

    #[test]
    fn numbers_do_not_count_and_all_else_does() {
        let search = "Search your deck for two rank 1 Earth units and add them to your hand.";
        let one = "Search your deck for one rank 3 Earth unit and add it to your hand.";
        assert_eq!(sentence_key(search), sentence_key(one));
        assert_eq!(
            fixed_words(search),
            [
                "search", "your", "deck", "for", "rank", "earth", "unit", "and", "add", "to",
                "your", "hand"
            ]
        );
        assert_ne!(sentence_key(one), sentence_key(&one.replace("Earth", "Water")));
        assert_eq!(sentence_key("… !"), "");
    }

    #[test]
    fn the_order_of_effects_does_not_count_and_kind_and_style_do() {
        let (draw, gain) = (effect("normal", "Draw one card."), effect("latent", "Gain 2 points."));
        let both = effects_key("unit", &[draw.clone(), gain.clone()]);
        assert!(both.is_some());
        assert_eq!(both, effects_key("unit", &[gain.clone(), effect("normal", "Draw 3 cards.")]));
        assert_ne!(both, effects_key("spell", &[draw.clone(), gain.clone()]));
        assert_ne!(both, effects_key("unit", std::slice::from_ref(&draw)));
        assert_ne!(both, effects_key("unit", &[draw, effect("normal", "Gain 2 points.")]));
        assert_eq!(effects_key("unit", &[]), None);
    }
}
