//! Folding of texts for searches: lower-case words without accents and punctuation. Done here and not in the database,
//! whose functions drop emoji or depend on its locale.

use cardscape_engine::{Effect, search_key};
use serde_json::{Map, Value};

/// Must be raised when the same content would be folded differently: stored words of an older version are then derived
/// again.
pub const WORDS_VERSION: i16 = 5;

/// Separates two parts of a folded text (such as two effects); folded texts never contain it.
const BETWEEN: &str = " |";

/// The words of a card, as they are stored beside its content. Every text is folded with [`folded`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Words {
    /// Name, effects, lore and the emoji of the attributes: where a plain word is searched.
    pub all: String,
    /// The name.
    pub name: String,
    /// The effects, one part each.
    pub effects: String,
    /// The background text.
    pub lore: String,
    /// Attributes that are texts, by code.
    pub attributes: Map<String, Value>,
}

impl Words {
    /// Folds the texts of a card.
    pub fn of(
        name: &str,
        effects: &[Effect],
        lore: Option<&str>,
        attributes: &Map<String, Value>,
    ) -> Self {
        let join = |parts: Vec<String>| {
            parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(BETWEEN)
        };
        let texts = || attributes.iter().filter_map(|(code, value)| Some((code, value.as_str()?)));
        let is_emoji = |word: &String| is_symbols(word) || is_keycap(word);
        let emoji = texts().flat_map(|(_, text)| words(text)).filter(is_emoji);
        let emoji: String = emoji.map(|word| format!(" {word}")).collect();
        let name = folded(name);
        let effects = join(effects.iter().map(|effect| folded(&effect.text)).collect());
        let lore = lore.map(folded).unwrap_or_default();
        Self {
            all: join(vec![name.clone(), effects.clone(), lore.clone(), emoji]),
            name,
            effects,
            lore,
            attributes: texts().map(|(code, text)| (code.clone(), folded(text).into())).collect(),
        }
    }
}

/// Separates the rarity of a printing from the code of its attribute ([`printing_words`]). No code contains it.
const OF_PRINTING: char = '/';

/// The folded texts that a printing has as attributes, as they are stored beside those of its card: `rare/motto`.
///
/// ```
/// use cardscape_search::printing_words;
/// let (motto, power) = ("All or Nothing".into(), 3.into());
/// let words = printing_words("rare", [("motto", &motto), ("power", &power)]);
/// assert_eq!(serde_json::json!(words), serde_json::json!({ "rare/motto": " all or nothing" }));
/// ```
pub fn printing_words<'a>(
    rarity: &str,
    attributes: impl IntoIterator<Item = (&'a str, &'a Value)>,
) -> Map<String, Value> {
    let folded = |(code, value): (&str, &Value)| {
        Some((format!("{rarity}{OF_PRINTING}{code}"), folded(value.as_str()?).into()))
    };
    attributes.into_iter().filter_map(folded).collect()
}

/// Removes the texts of printings ([`printing_words`]) from the folded attributes of a card.
pub fn remove_printing_words(attributes: &mut Map<String, Value>) {
    attributes.retain(|code, _| !code.contains(OF_PRINTING));
}

/// A text as words, each preceded by a space: so `LIKE '% fire%'` finds words that begin with `fire`.
///
/// ```
/// use cardscape_search::folded;
/// assert_eq!(folded("Nobody’s  Éclair-Fox, 🔥!"), " nobodys eclair fox 🔥");
/// ```
pub fn folded(text: &str) -> String {
    words(text).into_iter().map(|word| format!(" {word}")).collect()
}

/// The words of a text. Apostrophes belong to a word but leave no trace; an emoji is a word of its own, also the keycap of a digit or of a sign (`#️⃣`), and so is
/// each character of scripts that write no spaces.
pub fn words(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut word = String::new();
    let mut finish = |word: &mut String| {
        if is_keycap(word) {
            found.push(word.clone());
        } else if word.chars().any(|one| one.is_alphanumeric() && class(one) != Class::Inside) {
            let key = search_key(word);
            // Compatibility characters may be equivalent to several characters, U+FDFA to fifteen, or to one that is a word
            // of its own: so the key may be several words, or too long for one.
            let is_short = key.chars().nth(MAX_WORD).is_none();
            let is_plain = key.chars().all(|character| class(character) == Class::Letter);
            if is_short && (is_plain || key == *word) {
                found.extend(Some(key).filter(|key| !key.is_empty()));
            } else {
                found.extend(words(&key));
            }
        } else if word.chars().any(is_symbol) {
            let signs = |character: &char| is_symbol(*character) || *character == JOINER;
            let sign: String = word.chars().filter(signs).collect();
            found.push(sign.trim_end_matches(JOINER).to_owned());
        }
        word.clear();
    };
    let mut before = ' ';
    let mut letters = text.chars();
    while let Some(character) = letters.next() {
        if let Some(rest) = after_keycap(character, letters.as_str()) {
            finish(&mut word);
            word.extend([character, KEYCAP]);
            finish(&mut word);
            letters = rest.chars();
            before = KEYCAP;
            continue;
        }
        let joins = match class(character) {
            Class::Between => false,
            Class::Inside => !word.is_empty(),
            Class::Letter => {
                !word.is_empty() && !word.chars().any(is_symbol) && !is_unspaced(before)
            }
            Class::Unspaced => false,
            Class::Symbol => {
                before == JOINER && is_symbols(&word)
                    || is_skin_tone(character) && is_symbol(before)
                    || is_flag_letter(character)
                        && is_flag_letter(before)
                        && word.chars().count() == 1
            }
        };
        if !joins || word.chars().count() >= MAX_WORD {
            finish(&mut word);
        }
        if class(character) != Class::Between {
            word.push(character);
        }
        if character != VARIATION {
            before = character;
        }
    }
    finish(&mut word);
    found
}

/// Most characters of a word, before and after it is folded: a longer one counts as several. The database takes words of up to 2,046 bytes.
const MAX_WORD: usize = 100;
/// Joins emoji: 😮‍💨.
const JOINER: char = '\u{200d}';
/// Selects the coloured form of the preceding character.
const VARIATION: char = '\u{fe0f}';

/// Makes a keycap of the preceding digit or sign.
const KEYCAP: char = '\u{20e3}';

/// The keycap that a text begins with, as it is stored, and its number of characters.
pub(super) fn keycap(text: &[char]) -> Option<(String, usize)> {
    let (first, rest) = text.split_first()?;
    let rest: String = rest.iter().take(2).collect();
    let left = after_keycap(*first, &rest)?;
    Some((format!("{first}{KEYCAP}"), 1 + rest.chars().count() - left.chars().count()))
}

/// Whether a character joins the emoji before and after it.
pub(super) fn is_joiner(character: char) -> bool {
    character == JOINER
}

/// Whether a character belongs to the preceding one or to the word, and is stored only between emoji: accents,
/// apostrophes, the joiner.
pub(super) fn is_inside(character: char) -> bool {
    class(character) == Class::Inside && character != KEYCAP
}

/// Whether a text ends with an emoji or another sign that is a word.
pub(super) fn ends_with_symbol(text: &str) -> bool {
    text.trim_end_matches(VARIATION).ends_with(is_symbol)
}

/// The text after the keycap that a character begins; `rest` follows the character.
fn after_keycap(character: char, rest: &str) -> Option<&str> {
    if !character.is_ascii_digit() && !matches!(character, '#' | '*') {
        return None;
    }
    rest.strip_prefix(VARIATION).unwrap_or(rest).strip_prefix(KEYCAP)
}

/// Whether a word is a keycap, without its variation selector.
fn is_keycap(word: &str) -> bool {
    let mut letters = word.chars();
    letters.next().is_some_and(|first| after_keycap(first, letters.as_str()) == Some(""))
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    /// Letters, digits.
    Letter,
    /// A letter that is a whole word.
    Unspaced,
    /// Emoji and other signs.
    Symbol,
    /// A part of the preceding character or of the word: accents, apostrophes, the joiner.
    Inside,
    /// White space, punctuation, everything else.
    Between,
}

fn class(character: char) -> Class {
    match character {
        '\'' | '`' | '\u{b4}' | '\u{2bc}' | '\u{2018}' | '\u{2019}' | '\u{201b}' | '\u{2032}'
        | '\u{ff07}' | '\u{ad}' => Class::Inside,
        JOINER | '\u{fe00}'..='\u{fe0f}' => Class::Inside,
        '\u{300}'..='\u{36f}'
        | '\u{1ab0}'..='\u{1aff}'
        | '\u{1dc0}'..='\u{1dff}'
        | '\u{20d0}'..='\u{20ff}'
        | '\u{fe20}'..='\u{fe2f}' => Class::Inside,
        _ if is_unspaced(character) => Class::Unspaced,
        _ if is_flag_letter(character) || is_symbol(character) => Class::Symbol,
        _ if character.is_alphanumeric() => Class::Letter,
        _ => Class::Between,
    }
}

/// Han, Hiragana, Katakana: written without spaces.
fn is_unspaced(character: char) -> bool {
    character.is_alphanumeric()
        && matches!(character, '\u{3005}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}')
}

/// Signs with a meaning of their own, emoji above all; neither letters nor punctuation.
fn is_symbol(character: char) -> bool {
    is_flag_letter(character)
        || !character.is_alphanumeric()
            && (matches!(character, '\u{2190}'..='\u{2bff}' | '\u{1f000}'..='\u{1faff}' | '\u{e000}'..='\u{f8ff}')
                || matches!(
                    character,
                    '\u{203c}' | '\u{2049}' | '\u{3030}' | '\u{303d}' | '\u{a9}' | '\u{ae}'
                ))
}

fn is_symbols(word: &str) -> bool {
    word.chars().any(is_symbol)
}

fn is_skin_tone(character: char) -> bool {
    matches!(character, '\u{1f3fb}'..='\u{1f3ff}')
}

fn is_flag_letter(character: char) -> bool {
    matches!(character, '\u{1f1e6}'..='\u{1f1ff}')
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn accents_case_and_punctuation_are_ignored() {
        for same in ["Éclair", "ECLAIR", "e\u{301}clair", "Ｅclair!", "(éclair)"] {
            assert_eq!(words(same), ["eclair"], "{same}");
        }
        for same in
            ["Nobody's", "nobody’s", "NOBODY´S", "Nobody\u{2bc}s", "nobody\u{2032}s", "nobodys"]
        {
            assert_eq!(words(same), ["nobodys"], "{same}");
        }
        assert_eq!(words("\u{2bc} \u{2bc}tis \u{2032}"), ["tis"]);
        assert_eq!(words("Straße—ÆON, ½ 'tis"), ["strasse", "aeon", "12", "tis"]);
        assert_eq!(words(" … ' \u{301} "), Vec::<String>::new());
    }

    #[test]
    fn an_emoji_is_a_word() {
        assert_eq!(words("on🔥fire❤\u{fe0f}"), ["on", "🔥", "fire", "❤"]);
        assert_eq!(words("😮\u{200d}💨👍🏽🇩🇪🇫🇷"), ["😮\u{200d}💨", "👍🏽", "🇩🇪", "🇫🇷"]);
        assert_eq!(words("火竜 カ"), ["火", "竜", "カ"]);
        assert_eq!(words("#\u{fe0f}\u{20e3}*\u{20e3}🔥"), ["#\u{20e3}", "*\u{20e3}", "🔥"]);
        assert_eq!(words("No 1\u{fe0f}\u{20e3}2 #3"), ["no", "1\u{20e3}", "2", "3"]);
        let keycap = serde_json::json!({ "emoji": "#\u{fe0f}\u{20e3}" });
        let card = Words::of("Hashtag", &[], None, keycap.as_object().unwrap());
        assert_eq!(card.all, " hashtag | #\u{20e3}");
        assert_eq!(card.attributes["emoji"], " #\u{20e3}");
        let attributes = serde_json::json!({ "emoji": "🔥", "type": "fire", "power": 3 });
        let card = Words::of("Ember", &[], Some("Warm. Very."), attributes.as_object().unwrap());
        assert_eq!(card.all, " ember | warm very | 🔥");
        assert_eq!(card.attributes["type"], " fire");
    }

    /// Words have a bounded length, and folding them again changes nothing.
    fn check(text: &str) -> Vec<String> {
        let words = words(text);
        for word in &words {
            assert!(word.chars().count() <= MAX_WORD, "{word:?} of {text:?}");
        }
        let once = folded(text);
        assert!(!once.contains(['|', '\0', '\'', '\\', '%']), "{once:?} of {text:?}");
        assert_eq!(folded(&once), once, "{text:?}");
        words
    }

    #[test]
    fn words_of_characters_that_stand_for_several_have_a_bounded_length() {
        assert_eq!(check(&"\u{fdfa}".repeat(69)).len(), 11);
        assert_eq!(check(&"\u{df}".repeat(60)), ["s".repeat(100), "s".repeat(20)]);
        assert_eq!(check(&"a".repeat(150)), ["a".repeat(100), "a".repeat(50)]);
        let compatible = ('\u{2000}'..='\u{33ff}').chain('\u{fb00}'..='\u{ffff}');
        for character in compatible.map(String::from) {
            if search_key(&character).chars().nth(3).is_some() {
                check(&format!("a{}b", character.repeat(MAX_WORD)));
            }
        }
    }

    /// Runs of the same character, some of which stand for several.
    fn runs() -> impl Strategy<Value = String> {
        let several =
            vec!["\u{fdfa}", "\u{fdf2}", "\u{fb03}", "\u{df}", "\u{ff76}", "\u{1100}\u{1161}"];
        let part = prop_oneof![
            prop::sample::select(several).prop_map(str::to_owned),
            any::<char>().prop_map(String::from),
        ];
        let run = (part, 1..120_usize).prop_map(|(part, times)| part.repeat(times));
        prop::collection::vec(run, 1..4).prop_map(|runs| runs.concat())
    }

    proptest! {
        #[test]
        fn folding_twice_changes_nothing(text in any::<String>()) {
            check(&text);
        }

        #[test]
        fn folding_runs_of_a_character_twice_changes_nothing(text in runs()) {
            check(&text);
        }
    }
}
