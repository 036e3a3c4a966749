//! Regular expressions for Postgres: parsed, limited, and rewritten in the dialect of Postgres.

mod fault;

use regex_syntax::ast::{self, Ast};

use super::fold::{ends_with_symbol, is_inside, is_joiner, keycap, words};

pub use fault::{RegexFault, RegexSyntax};

/// Most characters of a regular expression.
const MAX_REGEX: usize = 100;
/// Highest counted repetition.
const MAX_COUNT: u32 = 50;
/// Most characters after all counted repetitions are expanded.
const MAX_SIZE: u32 = 1_000;
/// Most parts side by side that may be empty, after repetitions of such parts are written out. Postgres prepares `((a?){10}){10}` in milliseconds, `((a?){20}){20}` in
/// a second and `((a?){30}){30}` in half a minute.
const MAX_OPTIONAL: u32 = 100;
/// The parts that an assertion counts as: `(\b|a){10}` takes milliseconds, `(\b|a){15}` seconds, and more are "too complex" for Postgres.
const ASSERTION: u32 = 10;

/// The beginning of a part, in the dialect of Postgres.
pub(super) const PART_START: &str = "(?:^|(?<=[|]))";
/// The end of a part.
pub(super) const PART_END: &str = "(?:$|(?=[|]))";
/// The beginning or the end of a word.
pub(super) const WORD_EDGE: &str = "(?:^|$|(?=[ |])|(?<=[ |]))";

/// Rewrites a regular expression in the dialect of Postgres, for folded texts without the spaces around their parts: ` a b | c` is `a b|c`, so that a space in an
/// expression is one between words. The result contains only letters, digits, spaces and syntax written by this function.
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
    if EmptyRows::of(&tree).heaviest > MAX_OPTIONAL {
        return Err(RegexFault::TooManyOptional(MAX_OPTIONAL));
    }
    let mut writer = Writer::default();
    let size = writer.write(&tree)?;
    let out = writer.out;
    if size > MAX_SIZE {
        return Err(RegexFault::TooLarge { size, most: MAX_SIZE });
    }
    if out.is_empty() { Err(RegexFault::Empty) } else { Ok(out) }
}

/// An expression under construction.
#[derive(Default)]
struct Writer {
    out: String,
    /// The characters since the last syntax or white space.
    plain: String,
}

impl Writer {
    /// Appends a part; returns its size with expanded repetitions.
    fn write(&mut self, tree: &Ast) -> Result<u32, RegexFault> {
        match tree {
            Ast::Literal(literal) => {
                self.push_character(literal.c)?;
                Ok(1)
            }
            Ast::Concat(concat) => self.push_parts(&concat.asts),
            Ast::Repetition(repetition) => self.push_repetition(repetition),
            _ => {
                self.plain.clear();
                let size = self.push_syntax(tree);
                self.plain.clear();
                size
            }
        }
    }

    /// Appends parts side by side.
    fn push_parts(&mut self, parts: &[Ast]) -> Result<u32, RegexFault> {
        let mut size = 0_u32;
        let mut at = 0;
        while let Some(part) = parts.get(at) {
            let literals = parts[at..].iter().take(3).map_while(|part| match part {
                Ast::Literal(literal) => Some(literal.c),
                _ => None,
            });
            let literals: Vec<char> = literals.collect();
            if let Some((sign, length)) = keycap(&literals) {
                self.separate(&sign);
                self.out.push_str(&escaped_keycap(&sign));
                size = size.saturating_add(1);
                at += length;
            } else {
                size = size.saturating_add(self.write(part)?);
                at += 1;
            }
        }
        Ok(size)
    }

    fn push_character(&mut self, character: char) -> Result<(), RegexFault> {
        if is_joiner(character) && ends_with_symbol(&self.plain) {
            self.plain.push(character);
            self.out.push(character);
            return Ok(());
        }
        let folded = fold_character(character)?;
        if folded == " " {
            self.plain.clear();
        } else {
            self.separate(&character.to_string());
        }
        self.out.push_str(&folded);
        Ok(())
    }

    /// Appends a space if the next characters begin a word of their own: emoji, and letters of scripts without spaces.
    fn separate(&mut self, next: &str) {
        // Most characters, without dividing all before them into words.
        let is_plain = |character: char| character.is_ascii_alphanumeric();
        if self.plain.ends_with(is_plain) && next.chars().all(is_plain) {
            self.plain.push_str(next);
            return;
        }
        let before = words(&self.plain).len();
        self.plain.push_str(next);
        if before > 0 && words(&self.plain).len() > before {
            self.out.push(' ');
        }
    }

    fn push_repetition(&mut self, repetition: &ast::Repetition) -> Result<u32, RegexFault> {
        use ast::{RepetitionKind as Kind, RepetitionRange as Range};
        if let Ast::Literal(literal) = &*repetition.ast
            && !is_inside(literal.c)
        {
            self.separate(&literal.c.to_string());
        }
        self.plain.clear();
        self.out.push_str("(?:");
        let size = self.write(&repetition.ast)?;
        self.out.push(')');
        self.plain.clear();
        let text = match &repetition.op.kind {
            Kind::ZeroOrOne => "?".to_owned(),
            Kind::ZeroOrMore => "*".to_owned(),
            Kind::OneOrMore => "+".to_owned(),
            Kind::Range(Range::Exactly(count)) => format!("{{{count}}}"),
            Kind::Range(Range::AtLeast(count)) => format!("{{{count},}}"),
            Kind::Range(Range::Bounded(from, to)) => format!("{{{from},{to}}}"),
        };
        let most = match &repetition.op.kind {
            Kind::ZeroOrOne | Kind::ZeroOrMore | Kind::OneOrMore => 0,
            Kind::Range(
                Range::Exactly(count) | Range::AtLeast(count) | Range::Bounded(_, count),
            ) => *count,
        };
        if most > MAX_COUNT {
            return Err(RegexFault::Count(MAX_COUNT));
        }
        self.out.push_str(&text);
        let (_, times) = counts(&repetition.op.kind);
        Ok(size.saturating_mul(times))
    }

    /// Appends a part that is neither a character nor made of parts side by side.
    fn push_syntax(&mut self, tree: &Ast) -> Result<u32, RegexFault> {
        match tree {
            Ast::Flags(_) => Err(RegexFault::Flags),
            Ast::Empty(_) | Ast::Literal(_) | Ast::Concat(_) | Ast::Repetition(_) => Ok(0),
            Ast::Dot(_) => {
                self.out.push_str("[^|]");
                Ok(1)
            }
            Ast::Assertion(assertion) => {
                use ast::AssertionKind as Kind;
                self.out.push_str(match assertion.kind {
                    Kind::StartLine | Kind::StartText => PART_START,
                    Kind::EndLine | Kind::EndText => PART_END,
                    Kind::WordBoundary
                    | Kind::WordBoundaryStartAngle
                    | Kind::WordBoundaryEndAngle
                    | Kind::WordBoundaryStart
                    | Kind::WordBoundaryEnd => WORD_EDGE,
                    Kind::WordBoundaryStartHalf
                    | Kind::WordBoundaryEndHalf
                    | Kind::NotWordBoundary => {
                        return Err(RegexFault::Place);
                    }
                });
                Ok(1)
            }
            Ast::ClassUnicode(_) => Err(RegexFault::UnicodeClass),
            Ast::ClassPerl(class) => {
                self.out.push_str(&format!("[{}]", perl(class)));
                Ok(1)
            }
            Ast::ClassBracketed(class) => {
                let mut items = String::new();
                bracketed(&class.kind, &mut items)?;
                self.out.push_str(&if class.negated {
                    format!("[^|{items}]")
                } else {
                    format!("[{items}]")
                });
                Ok(1)
            }
            Ast::Group(group) => {
                if let ast::GroupKind::NonCapturing(flags) = &group.kind
                    && !flags.items.is_empty()
                {
                    return Err(RegexFault::Flags);
                }
                self.out.push_str("(?:");
                let size = self.write(&group.ast)?;
                self.out.push(')');
                Ok(size)
            }
            Ast::Alternation(alternation) => {
                self.out.push_str("(?:");
                let mut size = 0_u32;
                for (at, part) in alternation.asts.iter().enumerate() {
                    if at > 0 {
                        self.out.push('|');
                    }
                    self.plain.clear();
                    size = size.saturating_add(self.write(part)?);
                }
                self.out.push(')');
                Ok(size)
            }
        }
    }
}

/// The rows of parts side by side of an expression that may all be empty, after repetitions of such parts are written out. A weight is the number of the parts.
#[derive(Clone, Copy, Default)]
struct EmptyRows {
    /// The weight of the expression, if all of it may be empty.
    whole: Option<u32>,
    /// The weight of the row at its beginning.
    first: u32,
    /// The weight of the row at its end.
    last: u32,
    /// The weight of the heaviest row.
    heaviest: u32,
}

impl EmptyRows {
    /// Of an expression that may be empty.
    fn of_empty(weight: u32) -> Self {
        Self { whole: Some(weight), first: weight, last: weight, heaviest: weight }
    }

    /// Of an expression and what stands after it.
    fn then(self, next: Self) -> Self {
        let first = self.whole.map_or(self.first, |weight| weight.saturating_add(next.first));
        let last = next.whole.map_or(next.last, |weight| weight.saturating_add(self.last));
        let between = self.last.saturating_add(next.first);
        Self {
            whole: self.whole.zip(next.whole).map(|(one, other)| one.saturating_add(other)),
            first,
            last,
            heaviest: self.heaviest.max(next.heaviest).max(between),
        }
    }

    /// Of one of two expressions. They do not stand side by side, but what stands beside one of them stands beside both.
    fn or(self, other: Self) -> Self {
        let whole = match (self.whole, other.whole) {
            (Some(one), Some(other)) => Some(one.saturating_add(other)),
            (one, other) => one.or(other),
        };
        let least = whole.unwrap_or(0);
        Self {
            whole,
            first: self.first.max(other.first).max(least),
            last: self.last.max(other.last).max(least),
            heaviest: self.heaviest.max(other.heaviest).max(least),
        }
    }

    /// Of a repetition.
    fn repeated(self, kind: &ast::RepetitionKind) -> Self {
        let (least, times) = counts(kind);
        if let Some(weight) = self.whole {
            let weight = weight.max(self.first).max(self.last).max(1).saturating_mul(times);
            return Self::of_empty(weight.max(self.heaviest));
        }
        let again = if times > 1 { self.last.saturating_add(self.first) } else { 0 };
        let once = Self { heaviest: self.heaviest.max(again), ..self };
        if least == 0 { once.or(Self::of_empty(1)) } else { once }
    }

    fn of(tree: &Ast) -> Self {
        match tree {
            Ast::Empty(_) | Ast::Flags(_) => Self::of_empty(0),
            Ast::Assertion(_) => Self::of_empty(ASSERTION),
            Ast::Literal(_)
            | Ast::Dot(_)
            | Ast::ClassUnicode(_)
            | Ast::ClassPerl(_)
            | Ast::ClassBracketed(_) => Self::default(),
            Ast::Group(group) => Self::of(&group.ast),
            Ast::Concat(concat) => {
                concat.asts.iter().map(Self::of).fold(Self::of_empty(0), Self::then)
            }
            Ast::Alternation(alternation) => {
                alternation.asts.iter().map(Self::of).fold(Self::default(), Self::or)
            }
            Ast::Repetition(repetition) => Self::of(&repetition.ast).repeated(&repetition.op.kind),
        }
    }
}

/// How often a repetition occurs at least, and how many copies of what it repeats an expression without it has.
fn counts(kind: &ast::RepetitionKind) -> (u32, u32) {
    use ast::{RepetitionKind as Kind, RepetitionRange as Range};
    match kind {
        Kind::ZeroOrOne => (0, 1),
        Kind::ZeroOrMore => (0, 2),
        Kind::OneOrMore => (1, 2),
        Kind::Range(Range::Exactly(count)) => (*count, (*count).max(1)),
        Kind::Range(Range::AtLeast(count)) => (*count, count.saturating_add(1)),
        Kind::Range(Range::Bounded(from, to)) => (*from, (*to).max(1)),
    }
}

/// A keycap in an expression: `*` is a repetition.
fn escaped_keycap(sign: &str) -> String {
    let (first, rest) = sign.split_at(1);
    format!("[{first}]{rest}")
}

/// A character in its folded form.
fn fold_character(character: char) -> Result<String, RegexFault> {
    if character.is_whitespace() || character == '-' {
        return Ok(" ".to_owned());
    }
    let folded = words(&character.to_string()).join(" ");
    if !folded.is_empty() {
        return Ok(folded);
    }
    if is_inside(character) {
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
    fn long_literals_have_the_spaces_of_long_texts() {
        for part in ["火", "火on", "on🔥", "🔥❤", "😮\u{200d}💨", "fire", "ж火"] {
            let text = part.repeat(16);
            assert_eq!(to_postgres(&text).unwrap(), words(&text).join(" "), "{part}");
        }
    }

    #[test]
    fn only_known_syntax_is_passed_on() {
        for (pattern, postgres) in [
            ("Draw (one|two) Cards?$", "draw (?:(?:one|two)) card(?:s)?(?:$|(?=[|]))"),
            ("^é[a-cXé]\\d{2}", "(?:^|(?<=[|]))e[a-cxe](?:[0-9]){2}"),
            ("^ \\bx", "(?:^|(?<=[|])) (?:^|$|(?=[ |])|(?<=[ |]))x"),
            ("nobody's x-ray", "nobody(?:)s x ray"),
            ("nobody\u{2bc}s", "nobody(?:)s"),
            ("🔥+", "(?:🔥)+"),
            ("😮\u{200d}💨", "😮\u{200d}💨"),
            ("❤\u{fe0f}\u{200d}🔥 x\u{200d}", "❤(?:)\u{200d}🔥 x(?:)"),
            ("😮\u{200d}💨+🔥", "😮\u{200d}(?:💨)+🔥"),
            ("#\u{fe0f}\u{20e3}", "[#]\u{20e3}"),
            ("a\\*\u{20e3}|1\u{20e3}2", "(?:a [*]\u{20e3}|[1]\u{20e3} 2)"),
            ("火竜 (?:火|水)竜", "火 竜 (?:(?:火|水))竜"),
            ("火竜+on🔥fire", "火 (?:竜)+on 🔥 fire"),
            ("🇩🇪🇫🇷👍🏽", "🇩🇪 🇫🇷 👍🏽"),
            ("e\u{301}clair", "e(?:)clair"),
            ("a{50}b{50,}c{0,50}", "(?:a){50}(?:b){50,}(?:c){0,50}"),
        ] {
            assert_eq!(to_postgres(pattern).as_deref(), Ok(postgres), "{pattern}");
        }
        for bad in [
            "",
            "(",
            "a{60}",
            "a{51}",
            "a{51,}",
            "a{0,51}",
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
            "((a?){11}){10}",
            "((?:a|b*){25}c?){5}|(x*y*z?){50}",
            "(|a){50}(b*){51}",
        ] {
            assert!(to_postgres(bad).is_err(), "{bad}: {:?}", to_postgres(bad));
        }
    }

    #[test]
    fn parts_that_may_be_empty_are_limited() {
        let many_edges = "\\ba".repeat(30);
        let many_starts = vec!["^a"; 30].join("|");
        for pattern in [
            "a.{0,50}b.{0,50}c.{0,50}d",
            "((a?){10}){10}",
            "(a*){50}(b*){50}",
            "(\\w+ ?){20}z",
            "(ab?c?){30}",
            "(a*)*b",
            "(\\b.)*(\\b.)*x",
            "(\\b.){50}",
            "(\\b|a){10}",
            "^\\bfire\\b.*\\bwater\\b$",
            &many_edges,
            &many_starts,
            "\\bfoe\\b|\\borc\\b|\\belf\\b|\\bimp\\b|\\bcat\\b|\\bdog\\b|\\bowl\\b|\\bfox\\b|\\bbat\\b|\\bgnu\\b|\\byak\\b",
        ] {
            assert!(to_postgres(pattern).is_ok(), "{pattern}: {:?}", to_postgres(pattern));
        }
        let refused = Err(RegexFault::TooManyOptional(MAX_OPTIONAL));
        let edges = "\\b".repeat(20);
        for pattern in [
            "((a?){30}){30}",
            "((a?){20}){20}b",
            "((a*|b){20}){6}",
            "(a?b?c?){34}",
            "(\\b){20}",
            "(\\b)*{20}",
            "(\\b|a){15}",
            "(\\b|a){30}",
            "(\\ba?){20}",
            "(\\ba*){25}",
            "(^|$|a){20}",
            "(^|$|a){33}",
            "(x(a?b?){30}|y)((b?){50}z|(c?){30}w)",
            "((a?b?){30}x(b?){50}){2}",
            &edges,
        ] {
            assert_eq!(to_postgres(pattern), refused, "{pattern}");
        }
    }

    proptest! {
        #[test]
        fn no_pattern_panics(pattern in any::<String>()) {
            let _ = to_postgres(&pattern);
        }
    }
}
