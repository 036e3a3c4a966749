//! Crockford's Base32, for codes that people copy by hand: digits and letters without I, L, O and U.

/// The symbols, by their values.
const ALPHABET: &[u8; 32] = b"0123456789ABCDEFGHJKMNPQRSTVWXYZ";

/// What the full-width form of a character of ASCII is farther on in Unicode.
const FULL_WIDTH: u32 = 0xFEE0;

/// The symbol for the low five bits of a value.
pub fn symbol(value: u8) -> char {
    char::from(ALPHABET[usize::from(value & 31)])
}

/// The symbol that a typed character means: its capital letter, 0 for O, 1 for I and L, and the usual form of a full-width one, as keyboards for Chinese and
/// Japanese type them. Other characters are returned unchanged, even if they are no symbols.
pub fn normalise(typed: char) -> char {
    match usual_width(typed).to_ascii_uppercase() {
        'O' => '0',
        'I' | 'L' => '1',
        other => other,
    }
}

/// The usual form of a full-width character of ASCII.
fn usual_width(typed: char) -> char {
    match typed {
        '\u{FF01}'..='\u{FF5E}' => char::from_u32(u32::from(typed) - FULL_WIDTH).unwrap_or(typed),
        other => other,
    }
}

/// The value of the symbol that a typed character means.
pub fn value(typed: char) -> Option<u8> {
    let normalised = normalise(typed);
    (0..32).find(|&value| symbol(value) == normalised)
}

/// The value of the check symbol for these values (Luhn mod 32): with it, the weighted sum of all values is a multiple of 32. It detects every single
/// wrong symbol, and every swap of neighbours except 0 and Z.
pub fn check_value(payload: &[u8]) -> u8 {
    let sum: u32 = payload
        .iter()
        .rev()
        .enumerate()
        .map(|(place, &v)| {
            let addend = u32::from(v) * if place % 2 == 0 { 2 } else { 1 };
            addend / 32 + addend % 32
        })
        .sum();
    u8::try_from((32 - sum % 32) % 32).unwrap_or_default()
}

/// Whether the character is no symbol but stands between symbols, before or after them: white space, dashes, punctuation that people or programs write instead of them,
/// and characters without a shape, which copied texts have and nobody sees.
///
/// ```
/// use cardscape::domain::crockford::is_separator;
/// assert!("- –ー－.．·_／:,;|｜\u{200b}\u{feff}\u{202a}\u{3164}".chars().all(is_separator));
/// assert!(!"0oZ*#?!".chars().any(is_separator));
/// ```
pub fn is_separator(typed: char) -> bool {
    let typed = usual_width(typed);
    typed.is_whitespace() || is_dash(typed) || is_unseen(typed) || is_punctuation(typed)
}

/// A hyphen or dash, also in full width, and the sign that Japanese keyboards have in its place.
pub fn is_dash(character: char) -> bool {
    matches!(
        character,
        '-' | '\u{2010}'
            ..='\u{2015}'
                | '\u{2212}'
                | '\u{30FC}'
                | '\u{FE58}'
                | '\u{FE63}'
                | '\u{FF0D}'
                | '\u{FF70}'
    )
}

/// Characters without a shape of their own: soft hyphens, joiners, fillers, marks of direction and selectors of other forms.
pub fn is_unseen(character: char) -> bool {
    matches!(
        character,
        '\u{AD}' | '\u{34F}' | '\u{115F}' | '\u{1160}' | '\u{180B}'..='\u{180F}' | '\u{200B}'..='\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2060}'..='\u{2069}' | '\u{2800}' | '\u{3164}'
            | '\u{FE00}'..='\u{FE0F}' | '\u{FEFF}' | '\u{FFA0}'
    )
}

fn is_punctuation(character: char) -> bool {
    matches!(
        character,
        '.' | '_'
            | '/'
            | ':'
            | ','
            | ';'
            | '|'
            | '·'
            | '•'
            | '\u{2027}'
            | '\u{2219}'
            | '\u{22C5}'
            | '\u{30FB}'
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The alphabet must not change, because printed codes depend on it.
    #[test]
    fn symbols_match_the_published_table() {
        let all: String = (0..32).map(symbol).collect();
        assert_eq!(all, "0123456789ABCDEFGHJKMNPQRSTVWXYZ");
        assert_eq!(symbol(32 + 17), 'H');
        for (value_of, c) in (0..).zip(all.chars()) {
            assert_eq!((value(c), value(c.to_ascii_lowercase())), (Some(value_of), Some(value_of)));
        }
        assert_eq!("oOiIlL".chars().map(normalise).collect::<String>(), "001111");
        assert_eq!("uU-*é＊".chars().find_map(value), None);
        assert_eq!("ｏＬ７ｚ".chars().map(normalise).collect::<String>(), "017Z");
    }
}
