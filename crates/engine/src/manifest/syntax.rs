//! Describes TOML syntax errors in plain words: the parser's messages are for readers who know its grammar.

use toml::de::DeValue;

/// What is wrong with a number that is out of range. The parser names types of the language it is written in.
pub(super) fn number_fault(value: &DeValue<'_>) -> Option<String> {
    match value {
        DeValue::Integer(number) => {
            let digits = number.as_str();
            i64::from_str_radix(digits, number.radix()).err()?;
            Some(if digits.starts_with('-') {
                format!("the number is too small: at least {}", i64::MIN)
            } else {
                format!("the number is too large: at most {}", i64::MAX)
            })
        }
        DeValue::Float(number) => {
            let digits = number.as_str();
            let read: f64 = digits.parse().ok()?;
            let is_beyond = read.is_infinite() && !digits.contains("inf");
            is_beyond.then(|| "the number is too large".to_owned())
        }
        _ => None,
    }
}

/// The parser's message in our words, or unchanged if we have none for it.
pub(super) fn in_words(reason: &str) -> String {
    // The expected tokens are named as in the parser's grammar.
    let reason = reason.split(", expected ").next().unwrap_or(reason);
    let plain = match reason {
        "string values must be quoted" => {
            "a value is missing here, or quotation marks around a text"
        }
        "invalid basic string" | "invalid literal string" | "invalid string" => {
            "a text is not closed, or has a character that is not allowed in it: is a quotation mark missing?"
        }
        "invalid multi-line basic string" | "invalid multi-line literal string" => {
            "a text of several lines is not closed, or has a character that is not allowed in it: are three quotation marks missing?"
        }
        "missing opening quote" => "a quotation mark is missing here",
        "missing escaped value" | "too few unicode value digits" => {
            "a `\\` in a text begins nothing that TOML knows: write `\\\\`, or put the text into single quotation marks"
        }
        "duplicate key" => "the key stands twice",
        "missing assignment between key-value pairs" | "key with no value" => {
            "a `=` and a value are missing after the key"
        }
        "missing value for key" | "missing value" => "a value is missing after the `=`",
        "extra `=`" | "extra assignment between key-value pairs" => "there is one `=` too many",
        "invalid value" | "unexpected content" => "no value is written like this",
        "unexpected key or value" => {
            "a line break is missing before this, or quotation marks around a text"
        }
        "invalid key-value pair" | "unexpected content between comment and newline" => {
            "no line is written like this: write `key = value`, or `#` before a comment"
        }
        "invalid unquoted key" => {
            "a key has letters, digits, `-` and `_`: others need quotation marks"
        }
        "unquoted keys cannot be empty" => "a key is missing here",
        "keys cannot be multi-line basic strings" | "keys cannot be multi-line literal strings" => {
            "a key stands on one line"
        }
        "unclosed array" => "a list is not closed: a `]` is missing",
        "missing array opening" => "a `]` closes no list",
        "missing comma between array elements" => {
            "a comma is missing between the entries of a list"
        }
        "extra comma in array" => "a list has a comma without an entry",
        "unexpected `=` in array" => {
            "an entry of a list has no key: write `{ key = value }` for a table"
        }
        "unclosed inline table" => "a table in braces is not closed: a `}` is missing",
        "missing inline table opening" => "a `}` closes no table",
        "missing comma between key-value pairs" => {
            "a comma is missing between the keys of a table in braces"
        }
        "extra comma in inline table" => "a table in braces has a comma without a key",
        "invalid inline table element" | "missing key for inline table element" => {
            "a table in braces has keys with values: write `{ key = value }`"
        }
        "unclosed table" => "the header of a table is not closed: a `]` is missing",
        "unclosed array table" => "the header of a list of tables is not closed: a `]]` is missing",
        "missing table open" => "a `]` closes no header",
        "missing comment start" | "invalid comment character" => {
            "a comment begins with `#` and has no control characters"
        }
        "carriage return must be followed by newline" => {
            "lines end with LF or CR LF, not with CR alone"
        }
        "cannot recurse further; max recursion depth met" | "recursion limit" => {
            "lists and tables are nested too deeply"
        }
        "invalid boolean" => "true and false are written in small letters",
        "invalid date-time" => "a day is written \"2026-01-31\", in quotation marks",
        "invalid integer number"
        | "invalid float"
        | "invalid mantissa"
        | "invalid fraction"
        | "invalid exponent"
        | "invalid hexadecimal number"
        | "invalid octal number"
        | "invalid binary number"
        | "`_` may only go between digits"
        | "radix must be lowercase"
        | "integers with a radix cannot be signed"
        | "redundant integer number prefix"
        | "redundant numeric sign"
        | "unexpected sign" => "a number is written wrongly",
        "unexpected leading zero" => {
            "a number has no zeros before it: a code such as 007 is a text, in quotation marks"
        }
        _ if reason.starts_with("cannot extend value of type") => {
            "a key with points leads into a value that is no table"
        }
        reason => reason,
    };
    plain.to_owned()
}

#[cfg(test)]
mod tests {
    use crate::Game;

    #[test]
    fn numbers_out_of_range_are_described_with_their_places() {
        let text = "code = \"pond\"\nsize = 9999999999999999999\n[[kinds]]\n\
            [kinds.attributes.age]\nmin = -99999999999999999999\nmax = 99999999999999999999\n\
            values = [1, 0xFFFFFFFFFFFFFFFFFFFF, 1e400, inf]\n";
        let faults = Game::from_toml(text).unwrap_err().faults;
        let found: Vec<String> = faults.iter().map(ToString::to_string).collect();
        let large = "the number is too large: at most 9223372036854775807";
        let small = "the number is too small: at least -9223372036854775808";
        assert_eq!(
            found,
            [
                format!("line 2, column 8: size: {large}"),
                format!("line 5, column 7: kinds[0].attributes.age.min: {small}"),
                format!("line 6, column 7: kinds[0].attributes.age.max: {large}"),
                format!("line 7, column 14: kinds[0].attributes.age.values[1]: {large}"),
                "line 7, column 38: kinds[0].attributes.age.values[2]: the number is too large"
                    .to_owned(),
            ]
        );
    }

    #[test]
    fn toml_syntax_errors_are_described_in_plain_words() {
        let mut wrong = Vec::new();
        for (text, line, column, expected) in [
            ("code = pond\n", 1, 8, "quotation marks around a text"),
            ("code = \"pond\nname = 1\n", 1, 13, "is a quotation mark missing?"),
            ("code = \"a\\q\"\n", 1, 11, "a `\\` in a text begins nothing"),
            ("a = 1\na = 2\n", 2, 1, "the key stands twice"),
            ("code\n", 1, 5, "a `=` and a value are missing"),
            ("code =\n", 1, 7, "a value is missing here"),
            ("a = 1 b = 2\n", 1, 9, "a line break is missing"),
            ("a = [1, 2\n", 1, 10, "a `]` is missing"),
            ("a = [\"1\" \"2\"]\n", 1, 10, "a comma is missing between the entries"),
            ("a = { b = 1\n", 1, 12, "a `}` is missing"),
            ("[[kinds]\n", 1, 9, "a `]]` is missing"),
            ("[kinds\n", 1, 7, "a `]` is missing"),
            ("a = 007\n", 1, 5, "a number has no zeros before it"),
            ("a = 1\na.b = 2\n", 2, 1, "leads into a value that is no table"),
        ] {
            let faults = Game::from_toml(text).unwrap_err().faults;
            let found: Vec<String> = faults.iter().map(ToString::to_string).collect();
            let place = format!("line {line}, column {column}: ");
            let is_told = found.iter().any(|one| one.starts_with(&place) && one.contains(expected));
            let own = ["expected", "array", "inline", "string", "basic", "radix", "unquoted"];
            let is_plain = !found.iter().any(|one| own.iter().any(|word| one.contains(word)));
            if !is_told || !is_plain {
                wrong.push((text, found));
            }
        }
        assert!(wrong.is_empty(), "{wrong:#?}");
    }
}
