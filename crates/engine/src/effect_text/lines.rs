//! Lines of text files: they end in LF, CRLF or CR; there may be a byte order mark at the start.

/// The lines of a text with their numbers (from 1), trimmed, blank ones left out.
pub(super) fn filled_lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    numbered_lines(text)
        .map(|(number, line)| (number, line.trim()))
        .filter(|line| !line.1.is_empty())
}

/// Like [`filled_lines`], without comments: lines whose first character after spaces is `#`.
pub(super) fn rule_lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    filled_lines(text).filter(|(_, line)| !line.starts_with('#'))
}

/// All lines, unchanged, with their numbers (from 1).
pub(super) fn numbered_lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut rest = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut number = 0;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        number += 1;
        let (line, after) = match rest.find(['\n', '\r']) {
            None => (rest, ""),
            Some(end) => {
                let ending = if rest[end..].starts_with("\r\n") { 2 } else { 1 };
                (&rest[..end], &rest[end + ending..])
            }
        };
        rest = after;
        Some((number, line))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_ending_counts_once() {
        let text = "\u{feff}a\r\n\n  b \rc\n\r# d\n";
        let all: Vec<_> = numbered_lines(text).collect();
        assert_eq!(all, [(1, "a"), (2, ""), (3, "  b "), (4, "c"), (5, ""), (6, "# d")]);
        assert_eq!(filled_lines(text).map(|line| line.0).collect::<Vec<_>>(), [1, 3, 4, 6]);
        assert_eq!(rule_lines(text).last(), Some((4, "c")));
        assert_eq!(numbered_lines("").next(), None);
    }
}
