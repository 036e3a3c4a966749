//! Crockford's Base32, for codes that people copy by hand: digits and letters without I, L, O and U.

/// The symbols, by their values.
const ALPHABET: &[u8; 32] = b"0123456789ABCDEFGHJKMNPQRSTVWXYZ";

/// The symbol for the low five bits of a value.
pub fn symbol(value: u8) -> char {
    char::from(ALPHABET[usize::from(value & 31)])
}

/// The symbol that a typed character means: its capital letter, 0 for O, 1 for I and L. Other characters are returned unchanged, even if they are no
/// symbols.
pub fn normalise(typed: char) -> char {
    match typed.to_ascii_uppercase() {
        'O' => '0',
        'I' | 'L' => '1',
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

/// Whether the character is a separator between the groups of a code.
pub fn is_separator(typed: char) -> bool {
    typed.is_whitespace() || matches!(typed, '-' | '\u{2010}'..='\u{2015}' | '\u{2212}')
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
        assert_eq!("uU-*é".chars().find_map(value), None);
    }
}
