//! Names and sentences of synthetic cards, made from word lists and invented words.

use super::dice::Dice;

#[rustfmt::skip]
const ADJECTIVES: [&str; 64] = [
    "quiet", "old", "bright", "hollow", "red", "patient", "salt", "lost", "golden", "bitter", "winter",
    "iron", "gentle", "broken", "early", "silver", "deep", "stray", "hungry", "green", "late", "brave",
    "paper", "grey", "wild", "humble", "thorny", "blue", "crooked", "sleepless", "amber", "narrow", "rusty",
    "merry", "cold", "velvet", "northern", "smoky", "stubborn", "pale", "copper", "restless", "mossy",
    "sunken", "clever", "frosted", "violet", "dusty", "wandering", "proud", "ashen", "drowsy", "glass",
    "feathered", "tidal", "blind", "scarlet", "leaden", "barefoot", "honeyed", "moonlit", "knotted",
    "sevenfold", "unnamed",
];

#[rustfmt::skip]
const NOUNS: [&str; 96] = [
    "lantern", "river", "fox", "keeper", "stone", "bell", "garden", "ferry", "moth", "ember", "warden",
    "kettle", "storm", "gate", "raven", "orchard", "hammer", "tide", "shepherd", "mirror", "root", "engine",
    "heron", "candle", "giant", "thimble", "harbour", "wolf", "scribe", "bridge", "beetle", "crown", "meadow",
    "anchor", "witness", "drum", "glacier", "spider", "baker", "tower", "cloud", "needle", "badger", "choir",
    "furnace", "pilgrim", "feather", "cellar", "comet", "miller", "toad", "ladder", "juggler", "reef",
    "sparrow", "archive", "wheel", "mason", "willow", "puppet", "cavern", "otter", "sail", "oracle",
    "bramble", "clock", "smith", "marsh", "falcon", "quilt", "ghost", "mountain", "tailor", "beacon", "snail",
    "vault", "dancer", "hedge", "sphinx", "cartographer", "plough", "dune", "weaver", "stag", "cradle",
    "abbey", "whale", "tinker", "prism", "usher", "barrow", "lark", "quarry", "mosaic", "cicada", "zephyr",
];

#[rustfmt::skip]
const DEEDS: [&str; 24] = [
    "draw a card", "gain a point", "look at the next card", "return a card to your hand", "wait a turn",
    "choose again", "shuffle your deck", "lose a point", "turn it over", "move it one place", "show a card",
    "discard a card", "take the first turn", "double the sum", "name a number", "keep it", "swap two cards",
    "start over", "count to three", "put it aside", "ask the other player", "look under the deck",
    "undo the last move", "guess a colour",
];

#[rustfmt::skip]
const GLYPHS: [&str; 24] = [
    "🔥", "🌊", "🦊", "🌿", "⭐", "🍄", "🐉", "🌙", "🗝️", "🐚", "🪶", "🎲", "🧭", "🍂", "🐝", "🌵", "🦉", "🎈", "🧊", "🪁", "🐢",
    "🌻", "🏮", "🎻",
];

const CONSONANTS: [char; 16] =
    ['b', 'd', 'f', 'g', 'j', 'k', 'l', 'm', 'n', 'p', 'r', 's', 't', 'v', 'w', 'z'];
const VOWELS: [char; 5] = ['a', 'e', 'i', 'o', 'u'];
const ACCENTED: [char; 5] = ['á', 'ê', 'ï', 'ö', 'ù'];
const SYLLABLES: u64 = 80;

/// Syllables of the invented word in a name.
const NAME_SYLLABLES: u32 = 4;
/// Number of different names.
pub(super) const NAMES: u64 = SYLLABLES.pow(NAME_SYLLABLES);
/// Has no common divisor with [`NAMES`], so that its multiples reach every name before a name is repeated.
const STRIDE: u64 = 23_456_789;

/// The name of the card at a place of the catalogue. The names of two places never have the same key, whatever `start` is.
///
/// Each name contains a unique invented word of eight letters. The word is at the beginning of the name, or at the end if the name begins with `The`; no
/// invented word begins with these letters. The other words therefore cannot make two names equal.
pub(super) fn name(start: u64, place: u64, dice: &mut Dice) -> String {
    let own = (place % NAMES * STRIDE + start % NAMES) % NAMES;
    let mut word = invented(own, NAME_SYLLABLES);
    if dice.one_in(8) {
        word = accented(&word, dice);
    }
    let adjective = capital(common(&ADJECTIVES, dice));
    let noun = capital(common(&NOUNS, dice));
    let name = match dice.below(5) {
        0 => format!("{word}, {adjective} {noun}"),
        1 => format!("{word} the {adjective}"),
        2 => format!("{word}’s {noun}"),
        3 => format!("The {noun} of {word}"),
        _ => format!("The {adjective} {noun} of {word}"),
    };
    if dice.one_in(24) { format!("{name} {}", glyph(dice)) } else { name }
}

/// An invented word: the syllables of a number, the first letter a capital.
fn invented(mut number: u64, syllables: u32) -> String {
    let mut word = String::new();
    for _ in 0..syllables {
        let syllable = usize::try_from(number % SYLLABLES).unwrap_or_default();
        number /= SYLLABLES;
        word.push(CONSONANTS[syllable / VOWELS.len()]);
        word.push(VOWELS[syllable % VOWELS.len()]);
    }
    capital(&word)
}

/// An invented place name. There are half a million, so most of them occur on only a few cards.
fn somewhere(dice: &mut Dice) -> String {
    invented(dice.below(SYLLABLES.pow(3)), 3)
}

/// The word with an accent on one of its vowels.
fn accented(word: &str, dice: &mut Dice) -> String {
    let at = dice.place(word.len() / 2) * 2 + 1;
    let accent = |(place, character): (usize, char)| {
        let vowel = VOWELS.iter().position(|vowel| *vowel == character);
        vowel.filter(|_| place == at).map_or(character, |vowel| ACCENTED[vowel])
    };
    word.chars().enumerate().map(accent).collect()
}

/// A word of the list; early words are more frequent than late ones.
fn common(list: &[&'static str], dice: &mut Dice) -> &'static str {
    list[dice.frequent_index(list.len())]
}

/// A word of the list; all words are equally frequent.
fn any(list: &[&'static str], dice: &mut Dice) -> &'static str {
    list[dice.place(list.len())]
}

fn capital(word: &str) -> String {
    let mut letters = word.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

/// An emoji.
pub(super) fn glyph(dice: &mut Dice) -> &'static str {
    common(&GLYPHS, dice)
}

pub(super) fn set_name(dice: &mut Dice) -> String {
    let (adjective, noun) = (any(&ADJECTIVES, dice), any(&NOUNS, dice));
    format!("{} {}s of {}", capital(adjective), capital(noun), somewhere(dice))
}

/// A sentence for an effect.
pub(super) fn effect(dice: &mut Dice) -> String {
    let (adjective, noun) = (common(&ADJECTIVES, dice), common(&NOUNS, dice));
    let (first, second) = (common(&DEEDS, dice), common(&DEEDS, dice));
    let number = dice.between(2, 9);
    match dice.below(8) {
        0 => format!("When a {adjective} {noun} comes into play, {first}."),
        1 => format!("If you hold {number} cards or more, {first}; if not, {second}."),
        2 => format!("Once in a turn, you may {first}. If you do, {second}."),
        3 => format!("As long as the {noun} lasts, nobody may {first}."),
        4 => format!("{} for each {noun} that you see.", capital(first)),
        5 => format!("Name a {noun}. Whoever has it must {first} or {second}."),
        6 => format!("At the end of turn {number}, {first}, then {second}."),
        _ => format!("{} 🎲: with {number} or more, {second}.", capital(first)),
    }
}

/// One or two lines of lore.
pub(super) fn lore(dice: &mut Dice) -> String {
    let (adjective, noun) = (common(&ADJECTIVES, dice), common(&NOUNS, dice));
    let other = common(&NOUNS, dice);
    let place = somewhere(dice);
    match dice.below(5) {
        0 => format!("In {place} they still leave a {adjective} {noun} at the door."),
        1 => format!("“Never lend a {noun} to a {other},” they say in {place}."),
        2 => format!("It came from {place} with a {noun}, and left with a {adjective} {other}."),
        3 => {
            let home = somewhere(dice);
            format!("Between {place} and {home} there is one {noun}. It is {adjective}.")
        }
        _ => format!("The {other} remembers. The {adjective} {noun} of {place} does not."),
    }
}

/// Some words with at most `most` characters in total, or an emoji if there is too little room. Some emoji have two characters, of which the first is enough.
pub(super) fn short_text(most: u32, dice: &mut Dice) -> String {
    let text = if most <= 16 {
        glyph(dice).to_owned()
    } else {
        format!("{} {}", common(&ADJECTIVES, dice), common(&NOUNS, dice))
    };
    text.chars().take(usize::try_from(most).unwrap_or(usize::MAX)).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use cardscape_engine::{name_key, search_key};

    use super::*;

    #[test]
    fn no_two_names_are_the_same() {
        for start in [0, 7, u64::MAX] {
            let places = (0..20_000).chain(NAMES - 20_000..NAMES);
            let name = |place| name(start, place, &mut Dice::of(&[start, place]));
            let names: Vec<String> = places.map(name).collect();
            let keys: BTreeSet<String> = names.iter().map(|name| name_key(name)).collect();
            assert_eq!(keys.len(), names.len());
            let found: BTreeSet<String> = names.iter().map(|name| search_key(name)).collect();
            assert_eq!(found.len(), names.len(), "not even without their accents");
        }
    }

    #[test]
    fn some_names_have_accents_and_some_have_emoji() {
        let names: Vec<String> =
            (0..500).map(|place| name(0, place, &mut Dice::of(&[place]))).collect();
        let with = |letters: &dyn Fn(char) -> bool| {
            names.iter().filter(|name| name.chars().any(letters)).count()
        };
        assert!((30..120).contains(&with(&|character| ACCENTED.contains(&character))));
        assert!((5..60).contains(&with(&|character| u32::from(character) > 0x2600)));
    }

    #[test]
    fn short_texts_keep_their_limit() {
        let mut dice = Dice::of(&[]);
        for most in [1, 2, 8, 16, 17, 60, 2000] {
            for _ in 0..100 {
                let text = short_text(most, &mut dice);
                assert!((1..=most as usize).contains(&text.chars().count()), "{text:?} in {most}");
            }
        }
    }
}
