//! Patterns of `LIKE`.

/// Escapes a text for a `LIKE` pattern.
pub(in crate::store) fn escape_like(text: &str) -> String {
    let mut pattern = String::with_capacity(text.len() + 1);
    for character in text.chars() {
        if matches!(character, '%' | '_' | '\\') {
            pattern.push('\\');
        }
        pattern.push(character);
    }
    pattern
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_escaped() {
        assert_eq!(escape_like("ember"), "ember");
        assert_eq!(escape_like(r"50%_\"), r"50\%\_\\");
    }
}
