//! The letters of names without accents and other decoration. Names are compared by how these look.

use std::borrow::Cow;

use unicode_normalization::UnicodeNormalization as _;

/// Whether the name has letters beyond ASCII, apart from accents, letters that count as accented ones, and punctuation. The database checks the same for stored
/// names: `OTHER_LETTER` in `store/card_content/name_looks.rs`.
pub fn has_other_letters(name: &str) -> bool {
    let is_other = |character: char| {
        let is_plain = character.is_ascii()
            || matches!(character, '\u{2000}'..='\u{206f}')
            || is_accent(character)
            || ACCENTED.iter().any(|(accented, _)| *accented == character);
        !is_plain
    };
    !name.is_ascii() && name.nfkd().any(is_other)
}

/// Combining marks of Latin, Greek and Cyrillic letters, and those around symbols.
const fn is_accent(mark: char) -> bool {
    matches!(mark,
        '\u{300}'..='\u{36f}' | '\u{1ab0}'..='\u{1aff}' | '\u{1dc0}'..='\u{1dff}' | '\u{20d0}'..='\u{20ff}' | '\u{fe20}'..='\u{fe2f}')
}

/// The first character of Hebrew, after those of the scripts whose marks are accents. In other scripts a mark can make another letter.
const AFTER_ACCENTED_SCRIPTS: char = '\u{590}';

/// The letters of a name as people read them: without accents, and plain in place of compatibility forms, small capitals, and letters in circles or squares. The
/// case stays, because looks depend on it.
pub(super) fn bare(name: &str) -> Cow<'_, str> {
    if name.is_ascii() {
        return name.into();
    }
    let mut bare = String::with_capacity(name.len());
    for character in name.nfkd() {
        let follows_accented =
            bare.chars().next_back().is_none_or(|before| before < AFTER_ACCENTED_SCRIPTS);
        if is_accent(character) && follows_accented {
            continue;
        }
        match plain_letters(character) {
            Some(plain) => bare.push_str(plain),
            None => bare.push(enclosed(character).unwrap_or(character)),
        }
    }
    bare.into()
}

fn plain_letters(character: char) -> Option<&'static str> {
    let of = |letters: &[(char, &'static str)]| {
        letters.iter().find(|(from, _)| *from == character).map(|(_, plain)| *plain)
    };
    if character.is_ascii() { None } else { of(&ACCENTED).or_else(|| of(&SMALL_CAPITALS)) }
}

/// The letter or digit in a filled circle or square. Unicode has no mapping for them, unlike for those in an empty circle or square.
fn enclosed(character: char) -> Option<char> {
    let (first, plain) = match character {
        '\u{1f150}'..='\u{1f169}' => ('\u{1f150}', 'A'),
        '\u{1f170}'..='\u{1f189}' => ('\u{1f170}', 'A'),
        '\u{2776}'..='\u{277e}' => ('\u{2776}', '1'),
        '\u{2780}'..='\u{2788}' => ('\u{2780}', '1'),
        '\u{278a}'..='\u{2792}' => ('\u{278a}', '1'),
        '\u{24ff}' => ('\u{24ff}', '0'),
        _ => return None,
    };
    char::from_u32(u32::from(plain) + u32::from(character) - u32::from(first))
}

/// Letters with a stroke and the like, which do not decompose, as `search_key` folds them.
const ACCENTED: [(char, &str); 17] = [
    ('\u{d8}', "O"),
    ('\u{f8}', "o"),
    ('\u{141}', "L"),
    ('\u{142}', "l"),
    ('\u{110}', "D"),
    ('\u{111}', "d"),
    ('\u{d0}', "D"),
    ('\u{f0}', "d"),
    ('\u{126}', "H"),
    ('\u{127}', "h"),
    ('\u{131}', "i"),
    ('\u{c6}', "AE"),
    ('\u{e6}', "ae"),
    ('\u{152}', "OE"),
    ('\u{153}', "oe"),
    ('\u{de}', "TH"),
    ('\u{fe}', "th"),
];

/// Small capitals with the letters that they are capitals of. Unicode has no mapping for them: they are letters of their own, from phonetic alphabets, and
/// few of them are in the tables of look-alikes.
const SMALL_CAPITALS: [(char, &str); 32] = [
    ('\u{1d00}', "a"),
    ('\u{1d01}', "ae"),
    ('\u{299}', "b"),
    ('\u{1d04}', "c"),
    ('\u{1d05}', "d"),
    ('\u{1d06}', "d"),
    ('\u{1d07}', "e"),
    ('\u{a730}', "f"),
    ('\u{262}', "g"),
    ('\u{29c}', "h"),
    ('\u{26a}', "i"),
    ('\u{1d0a}', "j"),
    ('\u{1d0b}', "k"),
    ('\u{29f}', "l"),
    ('\u{1d0c}', "l"),
    ('\u{1d0d}', "m"),
    ('\u{274}', "n"),
    ('\u{1d0f}', "o"),
    ('\u{276}', "oe"),
    ('\u{1d18}', "p"),
    ('\u{a7af}', "q"),
    ('\u{280}', "r"),
    ('\u{a731}', "s"),
    ('\u{1d1b}', "t"),
    ('\u{1d1c}', "u"),
    ('\u{1d20}', "v"),
    ('\u{1d21}', "w"),
    ('\u{28f}', "y"),
    ('\u{1d22}', "z"),
    ('\u{1d26}', "γ"),
    ('\u{1d28}', "π"),
    ('\u{1d2b}', "л"),
];
