//! Why a text is not JSON, and where, for people who do not know the parser.

use cardscape_engine::Position;
use serde_json::Error;

/// What is wrong with a `\u` that begins a pair of two, or ends one, alone.
pub const LONE_SURROGATE: &str =
    "a `\\u` in a text is one half of a surrogate pair, without the other half";

/// The message of the parser, or of the type that was read, without the place at its end, which counts bytes.
pub fn reason_of(error: &Error) -> String {
    let mut message = error.to_string();
    if let Some(end) = message.rfind(" at line ") {
        message.truncate(end);
    }
    message
}

/// The position of an error, in characters. The parser counts bytes, and reports 0 for the end of a text that is empty or ends with a line break.
pub fn position_of(text: &[u8], error: &Error) -> Position {
    let line =
        text.split(|byte| *byte == b'\n').nth(error.line().saturating_sub(1)).unwrap_or_default();
    let read = String::from_utf8_lossy(line.get(..error.column()).unwrap_or(line));
    Position { line: error.line().max(1), column: read.chars().count().max(1) }
}

/// Why a text is not JSON, in words. A message of the type that was read stays as it is.
pub fn in_words(error: &Error) -> String {
    let reason = reason_of(error);
    let plain = match reason.as_str() {
        "EOF while parsing a value" => "the JSON ends where a value is expected",
        "EOF while parsing a string" => "the JSON ends inside a text: a quotation mark is missing",
        "EOF while parsing a list" => "the JSON ends inside a list: a `]` is missing",
        "EOF while parsing an object" => "the JSON ends inside an object: a `}` is missing",
        "trailing characters" => "something follows after the end of the value",
        "trailing comma" => "a comma stands before a closing bracket",
        "expected value" => "a value is expected here",
        "expected ident" => "true, false or null is written wrongly",
        "expected `,` or `}`" => "a `,` or `}` is missing here",
        "expected `,` or `]`" => "a `,` or `]` is missing here",
        "expected `:`" => "a `:` is missing after the name of a member",
        "key must be a string" => "the name of a member is expected here, in quotation marks",
        "invalid number" => "a number is written wrongly",
        "invalid escape" => "a `\\` in a text begins nothing that JSON knows",
        // The parser reports the first half of a pair without the second by what is missing after it.
        "unexpected end of hex escape" | "lone leading surrogate in hex escape" => LONE_SURROGATE,
        "invalid unicode code point" => "a text is not UTF-8",
        "recursion limit exceeded" => "lists and objects are nested too deeply",
        reason if reason.starts_with("control character") => {
            "a text has a control character in it: write a line break as \\n"
        }
        reason => reason,
    };
    plain.to_owned()
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    #[test]
    fn positions_count_characters_from_1() {
        let position = |text: &str| {
            let error = serde_json::from_str::<Value>(text).unwrap_err();
            let Position { line, column } = position_of(text.as_bytes(), &error);
            (line, column)
        };
        assert_eq!(position("\n"), (2, 1));
        assert_eq!(position("{\n"), (2, 1));
        assert_eq!(position("{\n \"é\": x}"), (2, 7));
        assert_eq!(position(""), (1, 1));
    }

    #[test]
    fn no_message_of_the_parser_is_shown_as_it_is() {
        for text in [
            "",
            "\"a",
            "[1",
            "{\"a\":1",
            "1 2",
            "[1,]",
            "x",
            "tru",
            "{\"a\":1 \"b\":2}",
            "[1 2]",
            "{\"a\" 1}",
            "{1:1}",
            "01",
            "\"\\x\"",
            "\"\\ud800\"",
            "\"\\ud800\\u0061\"",
            "\"\t\"",
            &"[".repeat(200),
        ] {
            let error = serde_json::from_str::<Value>(text).unwrap_err();
            assert_ne!(in_words(&error), reason_of(&error), "{text}");
        }
    }
}
