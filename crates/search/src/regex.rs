//! Regular expressions for Postgres: parsed, limited, and rewritten in the dialect of Postgres.

use regex_syntax::ast::{self, Ast};

use super::fold::words;

/// Most characters of a regular expression.
const MAX_REGEX: usize = 100;
/// Highest counted repetition.
const MAX_COUNT: u32 = 50;
/// Most characters after all counted repetitions are expanded.
const MAX_SIZE: u32 = 1_000;

/// Rewrites a regular expression for folded texts in the dialect of Postgres. The result contains only letters, digits,
/// spaces and syntax written by this function.
///
/// # Errors
/// What is wrong with it, as a message for the user.
pub(super) fn to_postgres(pattern: &str) -> Result<String, String> {
    if pattern.chars().count() > MAX_REGEX {
        return Err(format!("a regular expression has at most {MAX_REGEX} characters"));
    }
    let tree = ast::parse::ParserBuilder::new()
        .nest_limit(20)
        .build()
        .parse(pattern)
        .map_err(|error| fault(error.kind()))?;
    let mut out = String::new();
    let size = write(&tree, &mut out)?;
    if size > MAX_SIZE {
        return Err(format!(
            "the regular expression is too large: {size} of {MAX_SIZE} characters when its repetitions are written out"
        ));
    }
    if out.is_empty() { Err("the regular expression is empty".to_owned()) } else { Ok(out) }
}

/// Describes a syntax error for the user.
fn fault(kind: &ast::ErrorKind) -> String {
    use ast::ErrorKind as Kind;
    let reason = match kind {
        Kind::ClassUnclosed => "a `[` is never closed; as a letter it is written `\\[`",
        Kind::ClassRangeInvalid => "a range runs from low to high",
        Kind::GroupUnclosed => "a `(` is never closed; as a letter it is written `\\(`",
        Kind::GroupUnopened => "a `)` closes nothing; as a letter it is written `\\)`",
        Kind::RepetitionMissing => {
            "`*`, `+`, `?` or `{` stands behind nothing that it could repeat"
        }
        Kind::RepetitionCountUnclosed => "a `{` is never closed; as a letter it is written `\\{`",
        Kind::RepetitionCountInvalid
        | Kind::RepetitionCountDecimalEmpty
        | Kind::DecimalEmpty
        | Kind::DecimalInvalid => "a repetition is written `{2}`, `{2,}` or `{2,5}`",
        Kind::EscapeUnexpectedEof => "there is nothing behind the last `\\`",
        Kind::UnsupportedLookAround => {
            "`(?=`, `(?!`, `(?<=` and `(?<!` look around, which is not possible here"
        }
        Kind::UnsupportedBackreference => {
            "`\\1` repeats what was found, which is not possible here"
        }
        Kind::FlagDanglingNegation
        | Kind::FlagDuplicate { .. }
        | Kind::FlagRepeatedNegation { .. }
        | Kind::FlagUnexpectedEof
        | Kind::FlagUnrecognized => "behind `(?` stands `:`",
        Kind::NestLimitExceeded(_) => "it has too many levels of brackets",
        _ => "a `\\` stands before a letter that has no meaning with it",
    };
    format!("the regular expression cannot be read: {reason}")
}

/// Appends a part; returns its size with expanded repetitions.
fn write(tree: &Ast, out: &mut String) -> Result<u32, String> {
    match tree {
        Ast::Empty(_) => Ok(0),
        Ast::Flags(_) => {
            Err("a regular expression has no flags here; case never counts".to_owned())
        }
        Ast::Literal(literal) => {
            out.push_str(&letter(literal.c)?);
            Ok(1)
        }
        Ast::Dot(_) => {
            out.push_str("[^|]");
            Ok(1)
        }
        Ast::Assertion(assertion) => {
            use ast::AssertionKind as Kind;
            out.push_str(match assertion.kind {
                Kind::StartLine | Kind::StartText => "(?:^|[|]) ",
                Kind::EndLine | Kind::EndText => "(?:$|(?= [|]))",
                Kind::WordBoundary
                | Kind::WordBoundaryStartAngle
                | Kind::WordBoundaryEndAngle
                | Kind::WordBoundaryStart
                | Kind::WordBoundaryEnd => "(?:^|$|(?= )|(?<= ))",
                Kind::WordBoundaryStartHalf | Kind::WordBoundaryEndHalf | Kind::NotWordBoundary => {
                    return Err("only ^, $ and \\b are known as places".to_owned());
                }
            });
            Ok(1)
        }
        Ast::ClassUnicode(_) => Err("\\p{…} is not known here".to_owned()),
        Ast::ClassPerl(class) => {
            out.push_str(&format!("[{}]", perl(class)));
            Ok(1)
        }
        Ast::ClassBracketed(class) => {
            let mut items = String::new();
            bracketed(&class.kind, &mut items)?;
            out.push_str(&if class.negated {
                format!("[^|{items}]")
            } else {
                format!("[{items}]")
            });
            Ok(1)
        }
        Ast::Repetition(repetition) => {
            use ast::{RepetitionKind as Kind, RepetitionRange as Range};
            out.push_str("(?:");
            let size = write(&repetition.ast, out)?;
            out.push(')');
            let (text, times) = match &repetition.op.kind {
                Kind::ZeroOrOne => ("?".to_owned(), 1),
                Kind::ZeroOrMore => ("*".to_owned(), 2),
                Kind::OneOrMore => ("+".to_owned(), 2),
                Kind::Range(Range::Exactly(count)) => (format!("{{{count}}}"), *count),
                Kind::Range(Range::AtLeast(count)) => {
                    (format!("{{{count},}}"), count.saturating_add(1))
                }
                Kind::Range(Range::Bounded(from, to)) => (format!("{{{from},{to}}}"), *to),
            };
            if times > MAX_COUNT + 1 {
                return Err(format!("a repetition counts to {MAX_COUNT} at most"));
            }
            out.push_str(&text);
            Ok(size.saturating_mul(times.max(1)))
        }
        Ast::Group(group) => {
            if let ast::GroupKind::NonCapturing(flags) = &group.kind
                && !flags.items.is_empty()
            {
                return Err("a regular expression has no flags here; case never counts".to_owned());
            }
            out.push_str("(?:");
            let size = write(&group.ast, out)?;
            out.push(')');
            Ok(size)
        }
        Ast::Alternation(alternation) => {
            out.push_str("(?:");
            let mut size = 0_u32;
            for (at, part) in alternation.asts.iter().enumerate() {
                if at > 0 {
                    out.push('|');
                }
                size = size.saturating_add(write(part, out)?);
            }
            out.push(')');
            Ok(size)
        }
        Ast::Concat(concat) => {
            let mut size = 0_u32;
            for part in &concat.asts {
                size = size.saturating_add(write(part, out)?);
            }
            Ok(size)
        }
    }
}

/// A character in its folded form.
fn letter(letter: char) -> Result<String, String> {
    if letter.is_whitespace() || letter == '-' {
        return Ok(" ".to_owned());
    }
    let folded = words(&letter.to_string()).concat();
    if !folded.is_empty() {
        return Ok(folded);
    }
    if matches!(letter, '\'' | '\u{2018}' | '\u{2019}' | '\u{fe0f}') {
        return Ok("(?:)".to_owned());
    }
    Err(format!("{letter:?} never fits: texts are searched without punctuation"))
}

/// The content of a character class (`\\d`, `\\s`, `\\w`) for a class in brackets.
fn perl(class: &ast::ClassPerl) -> &'static str {
    use ast::ClassPerlKind as Kind;
    match (&class.kind, class.negated) {
        (Kind::Digit, false) => "0-9",
        (Kind::Digit, true) => "^|0-9",
        (Kind::Space, false) => " ",
        (Kind::Space, true) => "^| ",
        (Kind::Word, false) => "^| ",
        (Kind::Word, true) => " ",
    }
}

fn bracketed(set: &ast::ClassSet, out: &mut String) -> Result<(), String> {
    match set {
        ast::ClassSet::BinaryOp(_) => Err("classes cannot be combined here".to_owned()),
        ast::ClassSet::Item(item) => class_item(item, out),
    }
}

fn class_item(item: &ast::ClassSetItem, out: &mut String) -> Result<(), String> {
    use ast::ClassSetItem as Item;
    match item {
        Item::Empty(_) => Ok(()),
        Item::Literal(literal) => {
            let text = letter(literal.c)?;
            // A class can contain only single characters.
            if text.chars().count() == 1 {
                out.push_str(&text);
                Ok(())
            } else {
                Err(format!("{:?} cannot stand in a class", literal.c))
            }
        }
        Item::Range(range) => {
            let ends = [range.start.c, range.end.c].map(|end| end.to_ascii_lowercase());
            let same = |group: fn(&char) -> bool| ends.iter().all(group);
            if same(char::is_ascii_digit) || same(char::is_ascii_lowercase) {
                if ends[0] > ends[1] {
                    return Err("a range runs from low to high".to_owned());
                }
                out.push_str(&format!("{}-{}", ends[0], ends[1]));
                Ok(())
            } else {
                Err("a range runs from letter to letter or from digit to digit".to_owned())
            }
        }
        Item::Perl(class) if !perl(class).starts_with('^') => {
            out.push_str(perl(class));
            Ok(())
        }
        Item::Union(union) => union.items.iter().try_for_each(|item| class_item(item, out)),
        Item::Perl(_) | Item::Ascii(_) | Item::Unicode(_) | Item::Bracketed(_) => {
            Err("a class holds letters, digits, ranges, \\d and \\s".to_owned())
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn only_known_syntax_is_passed_on() {
        for (pattern, postgres) in [
            ("Draw (one|two) Cards?$", "draw (?:(?:one|two)) card(?:s)?(?:$|(?= [|]))"),
            ("^é[a-cXé]\\d{2}", "(?:^|[|]) e[a-cxe](?:[0-9]){2}"),
            ("nobody's x-ray", "nobody(?:)s x ray"),
            ("🔥+", "(?:🔥)+"),
        ] {
            assert_eq!(
                to_postgres(pattern).as_deref().map_err(String::as_str),
                Ok(postgres),
                "{pattern}"
            );
        }
        for bad in [
            "",
            "(",
            "a{60}",
            "((a{50}){50}){50}",
            "(a)\\1",
            "(?=a)",
            "a.b\\.",
            "[[:alpha:]]",
            "\\pL",
            "(?i)a",
            "[z-a]",
            "[!-~]",
            "a{2}{3}{50}{50}",
            "***=a",
            &"a".repeat(101),
        ] {
            assert!(to_postgres(bad).is_err(), "{bad}: {:?}", to_postgres(bad));
        }
    }

    proptest! {
        #[test]
        fn no_pattern_panics(pattern in any::<String>()) {
            let _ = to_postgres(&pattern);
        }
    }
}
