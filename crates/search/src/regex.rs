//! Regular expressions for Postgres: parsed, limited, and rewritten in the dialect of Postgres.

mod fault;

use regex_syntax::ast::{self, Ast};

use super::fold::words;

pub use fault::{RegexFault, RegexSyntax};

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
/// The fault of the expression.
pub(super) fn to_postgres(pattern: &str) -> Result<String, RegexFault> {
    if pattern.chars().count() > MAX_REGEX {
        return Err(RegexFault::TooLong(MAX_REGEX));
    }
    let tree = ast::parse::ParserBuilder::new()
        .nest_limit(20)
        .build()
        .parse(pattern)
        .map_err(|error| RegexFault::Syntax(error.kind().into()))?;
    let mut out = String::new();
    let size = write(&tree, &mut out)?;
    if size > MAX_SIZE {
        return Err(RegexFault::TooLarge { size, most: MAX_SIZE });
    }
    if out.is_empty() { Err(RegexFault::Empty) } else { Ok(out) }
}

/// Appends a part; returns its size with expanded repetitions.
fn write(tree: &Ast, out: &mut String) -> Result<u32, RegexFault> {
    match tree {
        Ast::Empty(_) => Ok(0),
        Ast::Flags(_) => Err(RegexFault::Flags),
        Ast::Literal(literal) => {
            out.push_str(&fold_character(literal.c)?);
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
                    return Err(RegexFault::Place);
                }
            });
            Ok(1)
        }
        Ast::ClassUnicode(_) => Err(RegexFault::UnicodeClass),
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
                return Err(RegexFault::Count(MAX_COUNT));
            }
            out.push_str(&text);
            Ok(size.saturating_mul(times.max(1)))
        }
        Ast::Group(group) => {
            if let ast::GroupKind::NonCapturing(flags) = &group.kind
                && !flags.items.is_empty()
            {
                return Err(RegexFault::Flags);
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
fn fold_character(character: char) -> Result<String, RegexFault> {
    if character.is_whitespace() || character == '-' {
        return Ok(" ".to_owned());
    }
    let folded = words(&character.to_string()).concat();
    if !folded.is_empty() {
        return Ok(folded);
    }
    if matches!(character, '\'' | '\u{2018}' | '\u{2019}' | '\u{fe0f}') {
        return Ok("(?:)".to_owned());
    }
    Err(RegexFault::NeverFits(character))
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

fn bracketed(set: &ast::ClassSet, out: &mut String) -> Result<(), RegexFault> {
    match set {
        ast::ClassSet::BinaryOp(_) => Err(RegexFault::CombinedClasses),
        ast::ClassSet::Item(item) => class_item(item, out),
    }
}

fn class_item(item: &ast::ClassSetItem, out: &mut String) -> Result<(), RegexFault> {
    use ast::ClassSetItem as Item;
    match item {
        Item::Empty(_) => Ok(()),
        Item::Literal(literal) => {
            let text = fold_character(literal.c)?;
            // A class can contain only single characters.
            if text.chars().count() == 1 {
                out.push_str(&text);
                Ok(())
            } else {
                Err(RegexFault::NotInClass(literal.c))
            }
        }
        Item::Range(range) => {
            let ends = [range.start.c, range.end.c].map(|end| end.to_ascii_lowercase());
            let same = |group: fn(&char) -> bool| ends.iter().all(group);
            if same(char::is_ascii_digit) || same(char::is_ascii_lowercase) {
                if ends[0] > ends[1] {
                    return Err(RegexFault::RangeBackwards);
                }
                out.push_str(&format!("{}-{}", ends[0], ends[1]));
                Ok(())
            } else {
                Err(RegexFault::RangeEnds)
            }
        }
        Item::Perl(class) if !perl(class).starts_with('^') => {
            out.push_str(perl(class));
            Ok(())
        }
        Item::Union(union) => union.items.iter().try_for_each(|item| class_item(item, out)),
        Item::Perl(_) | Item::Ascii(_) | Item::Unicode(_) | Item::Bracketed(_) => {
            Err(RegexFault::ClassContent)
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
            assert_eq!(to_postgres(pattern).as_deref(), Ok(postgres), "{pattern}");
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
