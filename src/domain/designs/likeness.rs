//! Equivalent effects: two cards have equivalent effects if their effects are the same sentences except for numbers, in any order.

use cardscape_engine::Effect;
use sha2::{Digest as _, Sha256};

/// Words for a number.
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

/// The key of a sentence: its words without numbers and plural endings. "Draw two cards." and "draw one card" have the same key.
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

/// Beginnings of words that every sentence with the same key has as well, for a search in an index.
pub fn fixed_words(sentence: &str) -> Vec<String> {
    words_of(sentence).filter(|(_, is_fixed)| *is_fixed).map(|(word, _)| word).collect()
}

/// The words in lower case and in the singular, `#` for a number; each with whether every sentence with the same key has a word with this beginning.
fn words_of(sentence: &str) -> impl Iterator<Item = (String, bool)> {
    let words = sentence.split(|character: char| !character.is_alphanumeric());
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

/// Removes a plural ending, guessed from the letters. A wrong guess does no harm, because both compared texts are treated alike.
fn singular(word: String) -> String {
    match word.strip_suffix('s') {
        Some(stem) if stem.len() > 1 && !stem.ends_with('s') => stem.to_owned(),
        _ => word,
    }
}

/// A hash that is equal for cards of a kind with equivalent effects: of the kind, and of the sorted keys and styles of all effects. `None`: there are no
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
    fn only_numbers_are_ignored() {
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
    fn kind_and_style_count_and_the_order_of_effects_does_not() {
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
