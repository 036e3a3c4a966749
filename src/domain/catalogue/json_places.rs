//! Finds the places of values in the text of a JSON document, so that a fault with a pointer can be shown with its line.

use std::collections::BTreeMap;

use crate::domain::pointer::push_token;

/// How deep a document is followed. The readers of documents refuse deeper ones.
const MAX_DEPTH: usize = 128;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TextPlace {
    /// Line, from 1.
    pub line: usize,
    /// Character of the line, from 1.
    pub column: usize,
}

impl TextPlace {
    /// The place of a byte in the text.
    fn of(text: &str, at: usize) -> Self {
        let before = text.get(..at).unwrap_or(text);
        let begin = before.rfind('\n').map_or(0, |end| end + 1);
        let line = before.bytes().filter(|byte| *byte == b'\n').count() + 1;
        Self { line, column: before[begin..].chars().count() + 1 }
    }
}

/// The places of the values that JSON pointers name. A missing value has the place of the object or list that should contain it; `None`: there is a
/// syntax error before the value.
pub fn places(text: &str, pointers: &[&str]) -> Vec<Option<TextPlace>> {
    let mut wanted: BTreeMap<&str, Option<usize>> = BTreeMap::new();
    for pointer in pointers {
        for around in upwards(pointer) {
            wanted.insert(around, None);
        }
    }
    Walk { text: text.as_bytes(), at: 0, pointer: String::new(), wanted: &mut wanted }.value(0);
    let place = |pointer: &&str| {
        let found = upwards(pointer).find_map(|around| wanted.get(around).copied().flatten());
        found.map(|at| TextPlace::of(text, at))
    };
    pointers.iter().map(place).collect()
}

/// A pointer, and the pointers to all objects and lists that contain its value.
fn upwards(pointer: &str) -> impl Iterator<Item = &str> {
    std::iter::successors(Some(pointer), |inner| inner.rfind('/').map(|end| &inner[..end]))
}

/// A walk through a text, which ends at the first syntax error.
struct Walk<'a, 'p> {
    text: &'a [u8],
    at: usize,
    pointer: String,
    /// The byte at which each wanted value begins, if the value was found.
    wanted: &'a mut BTreeMap<&'p str, Option<usize>>,
}

impl Walk<'_, '_> {
    /// Reads a value. `None`: there is a syntax error, and the walk ends.
    fn value(&mut self, depth: usize) -> Option<()> {
        self.skip_blanks();
        let begin = self.at;
        if let Some(place) = self.wanted.get_mut(self.pointer.as_str()) {
            place.get_or_insert(begin);
        }
        match *self.text.get(self.at)? {
            _ if depth > MAX_DEPTH => None,
            b'{' => self.entries(b'}', |walk, _| {
                let key = walk.string()?;
                walk.skip_blanks();
                walk.take(b':')?;
                walk.within(&key, depth)
            }),
            b'[' => self.entries(b']', |walk, index| walk.within(&index.to_string(), depth)),
            b'"' => self.string().map(drop),
            _ => {
                let is_part =
                    |byte: &u8| !matches!(byte, b',' | b']' | b'}') && !byte.is_ascii_whitespace();
                self.at += self.text[self.at..].iter().take_while(|byte| is_part(byte)).count();
                (self.at > begin).then_some(())
            }
        }
    }

    /// Reads an object or a list from its first bracket to its last.
    fn entries(
        &mut self,
        end: u8,
        mut entry: impl FnMut(&mut Self, usize) -> Option<()>,
    ) -> Option<()> {
        self.at += 1;
        for index in 0.. {
            self.skip_blanks();
            if index == 0 && self.take(end).is_some() {
                return Some(());
            }
            entry(self, index)?;
            self.skip_blanks();
            if self.take(end).is_some() {
                return Some(());
            }
            self.take(b',')?;
        }
        None
    }

    fn within(&mut self, token: &str, depth: usize) -> Option<()> {
        let length = self.pointer.len();
        push_token(&mut self.pointer, token);
        let read = self.value(depth + 1);
        self.pointer.truncate(length);
        read
    }

    /// Reads a string, with its quotation marks.
    fn string(&mut self) -> Option<String> {
        self.take(b'"')?;
        let begin = self.at;
        loop {
            match *self.text.get(self.at)? {
                b'\\' => self.at += 2,
                b'"' => break,
                _ => self.at += 1,
            }
        }
        self.at += 1;
        let raw = self.text.get(begin - 1..self.at)?;
        serde_json::from_slice(raw).ok()
    }

    fn skip_blanks(&mut self) {
        let is_blank = |byte: &&u8| byte.is_ascii_whitespace();
        self.at += self.text.get(self.at..).unwrap_or_default().iter().take_while(is_blank).count();
    }

    fn take(&mut self, byte: u8) -> Option<()> {
        let is_next = self.text.get(self.at) == Some(&byte);
        self.at += usize::from(is_next);
        is_next.then_some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SET: &str = "{\n  \"code\": \"x\",\n  \"cards\": [\n    { \"name\": \"Ä, \\\"b\\\"\", \"a/b\": 1 },\n    { \"attributes\": { \"attack\": -3 } }\n  ]\n}\n";

    #[test]
    fn pointers_are_converted_to_lines() {
        let place =
            |pointer| places(SET, &[pointer])[0].map(|TextPlace { line, column }| (line, column));
        assert_eq!(place(""), Some((1, 1)));
        assert_eq!(place("/code"), Some((2, 11)));
        assert_eq!(place("/cards/0"), Some((4, 5)));
        assert_eq!(place("/cards/0/a~1b"), Some((4, 34)));
        assert_eq!(place("/cards/1/attributes/attack"), Some((5, 33)));
        // A missing value has the place of the object or list that should contain it.
        assert_eq!(place("/cards/1/attributes/defense"), Some((5, 21)));
        assert_eq!(place("/cards/7/name"), Some((3, 12)));
    }

    #[test]
    fn a_text_with_a_syntax_error_has_places_before_it() {
        let text = "{ \"a\": [1, 2,\n \"b\" ";
        let found = places(text, &["/a/1", "/a/2", "/a/3", "/b"]);
        let lines: Vec<Option<usize>> =
            found.iter().map(|place| place.map(|place| place.line)).collect();
        assert_eq!(lines, [Some(1), Some(2), Some(1), Some(1)]);
        for text in
            ["", "{", "[", "\"", "\"\\", "{\"a\"", "{\"a\":", "[1,", "]", "nul", &"[".repeat(9_000)]
        {
            places(text, &["", "/a", "/0/0"]);
        }
    }
}
