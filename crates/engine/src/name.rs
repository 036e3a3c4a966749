//! When two spellings are the same card name.

use std::borrow::Cow;
use std::sync::LazyLock;

use caseless::Caseless;
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::{canonical_combining_class, is_combining_mark};

/// The identity of a card name: two names are the same card exactly when their keys are equal.
///
/// Compatibility-normalised (NFKC), case-folded, and without punctuation, white space and invisible characters, so `Ember’s  Fox`, `EMBER'S FOX` and
/// `embers-fox` agree. The letter `ʼ` (U+02BC) counts as an apostrophe. Accents count: `Café` is not `Cafe` (see [`search_key`]). A name that has only punctuation
/// keeps it. A keycap is a sign and a combining frame (U+20E3): digits stay distinct, but `#️⃣` and `*️⃣` are the same, because their signs are punctuation.
///
/// ```
/// use cardscape_engine::name_key;
/// assert_eq!(name_key("Ember’s  FOX!"), "embersfox");
/// assert_ne!(name_key("Café"), name_key("Cafe"));
/// ```
pub fn name_key(name: &str) -> String {
    let mut key = Vec::new();
    name_key_into(name, &mut key);
    // Keys are text, ASCII or collected from characters, so that the bytes are used as they are.
    String::from_utf8(key)
        .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
}

/// Whether `key` is the [`name_key`] of `name`: for names of ASCII characters faster than comparing the two, because no text is allocated.
///
/// ```
/// use cardscape_engine::{has_name_key, name_key};
/// assert!(has_name_key("Ember's FOX!", "embersfox"));
/// assert!(!has_name_key("Ember's FOX!", "embersfoxes"));
/// assert!(has_name_key("!?", &name_key("!?")));
/// ```
pub fn has_name_key(name: &str, key: &str) -> bool {
    if name.is_ascii() {
        let kept = name.bytes().map(|byte| ASCII_FOLDED[usize::from(byte)]);
        let mut kept = kept.filter(|folded| *folded != 0).peekable();
        if kept.peek().is_some() {
            return kept.eq(key.bytes());
        }
    }
    name_key(name) == key
}

/// [`name_key`] with the accents folded, too: for searching, not for identity.
///
/// ```
/// use cardscape_engine::search_key;
/// assert_eq!(search_key("Crème-Brûlée Ørk"), "cremebruleeork");
/// ```
pub fn search_key(name: &str) -> String {
    search_key_of_key(name_key(name).into()).into_owned()
}

/// Whether `key` is the [`search_key`] of `name`: for names of ASCII characters faster than comparing the two, because no text is allocated.
///
/// ```
/// use cardscape_engine::has_search_key;
/// assert!(has_search_key("Crème-Brûlée", "cremebrulee"));
/// assert!(has_search_key("Ember's FOX!", "embersfox"));
/// ```
pub fn has_search_key(name: &str, key: &str) -> bool {
    // A name without accents has one key.
    if name.is_ascii() { has_name_key(name, key) } else { search_key(name) == key }
}

/// The [`search_key`] of a name with this [`name_key`].
pub(crate) fn search_key_of_key(key: Cow<'_, str>) -> Cow<'_, str> {
    static OF_CHARACTERS: LazyLock<CharacterKeys> =
        LazyLock::new(|| CharacterKeys::new(without_accents));
    if key.is_ascii() {
        return key;
    }
    let mut folded = Vec::with_capacity(key.len());
    if OF_CHARACTERS.write(&key, &mut folded) {
        // Joined from texts.
        return String::from_utf8_lossy(&folded).into_owned().into();
    }
    without_accents(&key).into()
}

/// A key with the accents folded.
fn without_accents(key: &str) -> String {
    let mut folded = String::with_capacity(key.len());
    for character in key.nfd().filter(|character| !is_combining_mark(*character)) {
        match character {
            'ø' => folded.push('o'),
            'ł' => folded.push('l'),
            'đ' | 'ð' => folded.push('d'),
            'ħ' => folded.push('h'),
            'ı' => folded.push('i'),
            'æ' => folded.push_str("ae"),
            'œ' => folded.push_str("oe"),
            'þ' => folded.push_str("th"),
            other => folded.push(other),
        }
    }
    folded.nfc().collect()
}

/// Writes the bytes of [`name_key`] of `name` into `key`, whose old content is dropped: one buffer serves a whole deck.
pub(crate) fn name_key_into(name: &str, key: &mut Vec<u8>) {
    static OF_CHARACTERS: LazyLock<CharacterKeys> = LazyLock::new(|| CharacterKeys::new(stripped));
    key.clear();
    if name.is_ascii() {
        // Every byte is written, and kept only if it counts, so that there is no branch to mispredict.
        key.resize(name.len(), 0);
        let mut kept = 0;
        for byte in name.bytes() {
            let folded = ASCII_FOLDED[usize::from(byte)];
            key[kept] = folded;
            kept += usize::from(folded != 0);
        }
        key.truncate(kept);
    } else if !OF_CHARACTERS.write(name, key) {
        key.clear();
        key.extend(stripped(name).bytes());
    }
    if key.is_empty() {
        let kept: String = fold(name).filter(|character| !character.is_whitespace()).collect();
        key.extend(kept.nfc().collect::<String>().bytes());
    }
}

/// The key of any text, except that a text with only punctuation has an empty one.
fn stripped(name: &str) -> String {
    let folded: String = fold(name).filter(|character| !is_stripped(*character)).collect();
    without_letter_apostrophes(folded.nfc().collect())
}

/// A letter that many keyboards have as their apostrophe.
const LETTER_APOSTROPHE: char = '\u{2bc}';

/// A key without this letter, if anything else is left of it. The database does the same with keys that older programs write: see
/// `without_letter_apostrophes` in the migrations.
fn without_letter_apostrophes(key: String) -> String {
    if !key.contains(LETTER_APOSTROPHE) {
        return key;
    }
    let rest: String = key.replace(LETTER_APOSTROPHE, "").nfc().collect();
    if rest.is_empty() { key } else { rest }
}

/// The keys of single characters, for the characters of Latin script and the usual punctuation. Normalising a text takes several passes; the keys of such
/// characters can be joined instead, because none of them changes the character before it.
struct CharacterKeys(Vec<CharacterKey>);

#[derive(Clone, Copy)]
enum CharacterKey {
    /// The first bytes, as many as the number says.
    Text([u8; LONGEST], u8),
    /// The key is longer, or begins with a mark that is combined with the character before it.
    Unsuitable,
}

/// Most bytes of the key of a character.
const LONGEST: usize = 6;
/// Basic Latin to Latin Extended-B.
const LATIN: u32 = 0x250;
/// The first and the last character of General Punctuation.
const PUNCTUATION: (u32, u32) = (0x2000, 0x206f);

impl CharacterKeys {
    fn new(key_of: fn(&str) -> String) -> Self {
        let all = (0..LATIN).chain(PUNCTUATION.0..=PUNCTUATION.1).filter_map(char::from_u32);
        let key = |character: char| {
            let key = key_of(character.encode_utf8(&mut [0; 4]));
            let combines = key.chars().next().is_some_and(|first| {
                canonical_combining_class(first) != 0 || is_combining_mark(first)
            });
            let mut bytes = [0; LONGEST];
            match bytes.get_mut(..key.len()) {
                Some(written) if !combines => {
                    written.copy_from_slice(key.as_bytes());
                    CharacterKey::Text(bytes, u8::try_from(key.len()).unwrap_or_default())
                }
                _ => CharacterKey::Unsuitable,
            }
        };
        Self(all.map(key).collect())
    }

    /// Appends the keys of all characters to `key`; `false`: a character is not known or not suitable.
    fn write(&self, text: &str, key: &mut Vec<u8>) -> bool {
        for character in text.chars().map(u32::from) {
            let place = match character {
                ..LATIN => character,
                _ if (PUNCTUATION.0..=PUNCTUATION.1).contains(&character) => {
                    LATIN + character - PUNCTUATION.0
                }
                _ => return false,
            };
            let Some(CharacterKey::Text(bytes, length)) = self.0.get(place as usize) else {
                return false;
            };
            key.extend_from_slice(&bytes[..usize::from(*length)]);
        }
        true
    }
}

/// The byte of each ASCII character in a key; 0: it is stripped.
const ASCII_FOLDED: [u8; 128] = {
    let mut table = [0; 128];
    let mut byte = 0_u8;
    while byte < 128 {
        if !is_stripped_ascii(byte) {
            table[byte as usize] = byte.to_ascii_lowercase();
        }
        byte += 1;
    }
    table
};

const fn is_stripped_ascii(byte: u8) -> bool {
    !(byte.is_ascii_alphanumeric()
        || matches!(byte, b'$' | b'+' | b'<' | b'=' | b'>' | b'^' | b'|' | b'~'))
}

/// Compatibility decomposition and full case folding (the Unicode "compatibility caseless match").
fn fold(name: &str) -> impl Iterator<Item = char> + '_ {
    // NFKD turns an acute accent used as an apostrophe into a space and a combining mark, which would combine with the letter before it.
    name.chars()
        .map(|character| if character == '\u{b4}' { '\'' } else { character })
        .nfd()
        .default_case_fold()
        .nfkd()
        .default_case_fold()
        .nfkd()
}

/// Punctuation, white space, controls and invisible format characters. Symbols that carry meaning (`+`, `$`, emoji)
/// stay.
fn is_stripped(character: char) -> bool {
    if let (true, Ok(byte)) = (character.is_ascii(), u8::try_from(character)) {
        return is_stripped_ascii(byte);
    }
    character.is_whitespace()
        || character.is_control()
        || matches!(character,
            '\u{a1}' | '\u{a7}' | '\u{ab}' | '\u{ad}' | '\u{b6}' | '\u{b7}' | '\u{bb}' | '\u{bf}'
            | '\u{2000}'..='\u{206f}'
            | '\u{2e00}'..='\u{2e7f}'
            | '\u{3000}'..='\u{3003}' | '\u{3008}'..='\u{3011}' | '\u{3014}'..='\u{301f}' | '\u{30fb}'
            | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{e0000}'..='\u{e007f}')
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn differences_in_spelling_do_not_count() {
        for same in [
            "Don’t Panic",
            "don't panic",
            "DON`T  PANIC",
            "Don\u{b4}t\u{a0}Panic",
            "Don\u{2bc}t Panic",
            "Don\u{2032}t Panic",
            "Ｄont Panic",
        ] {
            assert_eq!(name_key(same), "dontpanic", "{same}");
            assert!(has_name_key(same, "dontpanic"), "{same}");
        }
        assert_eq!(name_key("\u{149}a e\u{2bc}\u{301}"), "naé");
        assert_eq!(search_key("e\u{2bc}\u{301} \u{2bc}"), "e");
        assert_eq!(name_key("\u{2bc}!"), "\u{2bc}");
        // The signs of these keycaps are punctuation.
        assert_eq!(name_key("#\u{fe0f}\u{20e3} Party"), name_key("*\u{fe0f}\u{20e3} Party"));
        assert_eq!(name_key("Straße"), name_key("STRASSE"));
        assert_eq!(name_key("Cafe\u{301}"), name_key("CAFÉ"));
    }

    #[test]
    fn differences_in_meaning_count() {
        assert_ne!(name_key("Wild +4"), name_key("Wild 4"));
        assert_ne!(name_key("é"), name_key("e"));
        assert_eq!(search_key("é"), search_key("e"));
        assert_eq!(name_key("?!"), "?!");
        assert_eq!(name_key("🔥"), "🔥");
        assert_ne!(name_key("1\u{fe0f}\u{20e3} Party"), name_key("2\u{fe0f}\u{20e3} Party"));
        assert_ne!(name_key("#\u{fe0f}\u{20e3} Party"), name_key("Party"));
        assert_eq!(name_key(" \t"), "");
    }

    #[test]
    fn keys_of_characters_are_known_for_latin_text_and_its_punctuation() {
        let keys = CharacterKeys::new(stripped);
        for (text, expected) in [
            ("Él–Dragón “Ñandú” d’Été…", Some("éldragónñandúdété")),
            ("Straße Ǆ ½", Some("strassedž12")),
            ("a\u{a8}", None),
            ("ae\u{301}", None),
            ("Ω", None),
        ] {
            let mut key = Vec::new();
            let known = keys.write(text, &mut key);
            assert_eq!(known.then_some(&*key), expected.map(str::as_bytes), "{text}");
        }
    }

    proptest! {
        #[test]
        fn a_key_is_its_own_key(name in any::<String>()) {
            let key = name_key(&name);
            prop_assert_eq!(name_key(&key), key);
        }

        #[test]
        fn the_ascii_path_agrees_with_the_general_one(name in "[ -~]{0,20}") {
            let general = stripped(&name);
            if !general.is_empty() {
                prop_assert_eq!(name_key(&name), general);
            }
        }

        /// Also with marks that are combined with the character before them, with or without stripped characters in between.
        #[test]
        fn keys_of_characters_agree_with_the_general_path(
            name in "[a-zA-Z \u{00}-\u{24f}\u{2bc}\u{2000}-\u{206f}\u{300}-\u{310}\u{1100}-\u{1175}]{0,12}",
        ) {
            let general = stripped(&name);
            if !general.is_empty() {
                let searched = without_accents(&general);
                prop_assert_eq!(search_key(&name), searched);
                prop_assert_eq!(name_key(&name), general);
            }
        }
    }
}
