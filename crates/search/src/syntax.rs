//! The text of a query and its syntax tree.

use std::fmt;

use super::fault::{Fault, QueryFault};
use super::regex::RegexFault;

/// Most characters of a query.
pub const MAX_LENGTH: usize = 1_000;
/// Most levels of parentheses and negations.
pub const MAX_DEPTH: usize = 32;
/// Most terms.
pub const MAX_TERMS: usize = 50;

/// A place in the text of a query.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Span {
    /// Number of characters before it.
    pub position: usize,
    /// Number of characters.
    pub length: usize,
}

/// How a field is compared with a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operator {
    /// `:`, whose meaning depends on the field: contains for texts and lists, equals for everything else.
    Has,
    /// `=`
    Equal,
    /// `!=`
    NotEqual,
    /// `<`
    Less,
    /// `<=`
    AtMost,
    /// `>`
    Greater,
    /// `>=`
    AtLeast,
}

impl Operator {
    /// Longer operators first: `<=` must not be read as `<`.
    const ALL: [Self; 7] = [
        Self::AtMost,
        Self::AtLeast,
        Self::NotEqual,
        Self::Less,
        Self::Greater,
        Self::Equal,
        Self::Has,
    ];

    /// As it is written.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Has => ":",
            Self::Equal => "=",
            Self::NotEqual => "!=",
            Self::Less => "<",
            Self::AtMost => "<=",
            Self::Greater => ">",
            Self::AtLeast => ">=",
        }
    }
}

/// A value in a query.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Literal {
    /// Without quotes.
    Word(String),
    /// In quotes.
    Phrase(String),
    /// Between slashes.
    Regex(String),
}

impl Literal {
    /// The text without its delimiters.
    pub fn text(&self) -> &str {
        match self {
            Self::Word(text) | Self::Phrase(text) | Self::Regex(text) => text,
        }
    }
}

/// One term: `attack>700`, `"draw a card"`, `fox`.
#[derive(Clone, Debug)]
pub struct Term {
    /// Field and operator; `None`: names and texts are searched.
    pub field: Option<(String, Operator)>,
    /// The value.
    pub value: Literal,
    /// Its place in the query.
    pub span: Span,
}

/// Terms are compared without their places.
impl PartialEq for Term {
    fn eq(&self, other: &Self) -> bool {
        (&self.field, &self.value) == (&other.field, &other.value)
    }
}

/// A syntax tree.
#[derive(Clone, Debug, PartialEq)]
pub enum Node {
    /// Every one holds; at least two.
    And(Vec<Self>),
    /// One holds; at least two.
    Or(Vec<Self>),
    /// It does not hold.
    Not(Box<Self>),
    /// A term.
    Term(Term),
}

/// Displays a node as text that parses into the same node, with the same fields.
impl fmt::Display for Node {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let list = |f: &mut fmt::Formatter<'_>, nodes: &[Self], between: &str| {
            nodes.iter().enumerate().try_for_each(|(at, node)| {
                f.write_str(if at == 0 { "" } else { between })?;
                match node {
                    Self::Or(_) => write!(f, "({node})"),
                    _ => write!(f, "{node}"),
                }
            })
        };
        match self {
            Self::And(nodes) => list(f, nodes, " "),
            Self::Or(nodes) => list(f, nodes, " or "),
            Self::Not(node) => match **node {
                Self::And(_) | Self::Or(_) => write!(f, "-({node})"),
                Self::Not(_) | Self::Term(_) => write!(f, "-{node}"),
            },
            Self::Term(term) => write!(f, "{term}"),
        }
    }
}

impl fmt::Display for Term {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some((field, operator)) = &self.field {
            write!(f, "{field}{}", operator.as_str())?;
        }
        match &self.value {
            Literal::Word(text) => f.write_str(text),
            Literal::Phrase(text) => {
                write!(f, "\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
            }
            Literal::Regex(text) => {
                f.write_str("/")?;
                let mut letters = text.chars();
                while let Some(character) = letters.next() {
                    match character {
                        '/' => f.write_str("\\/")?,
                        '\\' => write!(f, "\\{}", letters.next().unwrap_or('\\'))?,
                        other => write!(f, "{other}")?,
                    }
                }
                f.write_str("/")
            }
        }
    }
}

/// Parses a query; `None`: it is empty.
///
/// # Errors
/// Every fault that makes the meaning unclear, with its place.
///
/// ```
/// use cardscape_search::parse;
/// let tree = parse("t:fire (attack>700 or \"draw a card\") -fox").unwrap().unwrap();
/// assert_eq!(tree.to_string(), "t:fire (attack>700 or \"draw a card\") -fox");
/// let faults = parse("fox (").unwrap_err();
/// assert_eq!((faults[0].span.position, faults[0].term.as_str()), (4, "("));
/// ```
pub fn parse(text: &str) -> Result<Option<Node>, Vec<Fault>> {
    parse_with(text, &|_| false)
}

/// Parses a query like [`parse`]. Names with hyphens, and names that do not begin with a letter, are fields, too, if
/// `is_field` accepts them. All others are texts: `x-ray:`, `12:30`.
///
/// # Errors
/// As those of [`parse`].
///
/// ```
/// use cardscape_search::parse_with;
/// let tree = parse_with("-a-b:or 1st>=3", &|name| ["a-b", "1st"].contains(&name)).unwrap().unwrap();
/// assert_eq!(tree.to_string(), "-a-b:or 1st>=3");
/// ```
pub fn parse_with(text: &str, is_field: &dyn Fn(&str) -> bool) -> Result<Option<Node>, Vec<Fault>> {
    let letters: Vec<char> = text.chars().take(MAX_LENGTH + 1).collect();
    let mut parser = Parser { letters, at: 0, terms: 0, faults: Vec::new(), is_field };
    if parser.letters.len() > MAX_LENGTH {
        parser.fault(MAX_LENGTH, MAX_LENGTH + 1, QueryFault::TooLong);
        return Err(parser.faults);
    }
    if let Some(at) = parser
        .letters
        .iter()
        .position(|character| character.is_control() && !character.is_whitespace())
    {
        parser.fault(at, at + 1, QueryFault::ControlCharacter);
        return Err(parser.faults);
    }
    let mut tree = parser.any(0);
    // The rest begins with an unmatched closing parenthesis.
    while parser.peek().is_some() && parser.faults.is_empty() {
        parser.fault(parser.at, parser.at + 1, QueryFault::ClosesNothing);
        parser.at += 1;
        tree = None;
    }
    if parser.faults.is_empty() { Ok(tree) } else { Err(parser.faults) }
}

struct Parser<'f> {
    letters: Vec<char>,
    at: usize,
    terms: usize,
    faults: Vec<Fault>,
    /// Whether a name is a field although it has hyphens or does not begin with a letter.
    is_field: &'f dyn Fn(&str) -> bool,
}

impl Parser<'_> {
    fn fault(&mut self, start: usize, end: usize, reason: QueryFault) {
        let end = end.min(self.letters.len()).max(start);
        let term = self.text(start, end);
        let span = Span { position: start, length: end - start };
        self.faults.push(Fault { span, term, reason });
    }

    fn text(&self, start: usize, end: usize) -> String {
        self.letters.get(start..end).unwrap_or_default().iter().collect()
    }

    /// The next character that is not white space.
    fn peek(&mut self) -> Option<char> {
        while self.letters.get(self.at).is_some_and(|character| character.is_whitespace()) {
            self.at += 1;
        }
        self.letters.get(self.at).copied()
    }

    /// Whether the keyword `word` comes next, as a separate word.
    fn is_keyword(&mut self, word: &str) -> bool {
        self.peek();
        self.has_keyword(self.at, word)
    }

    /// Whether the keyword `word` is at this place, as a separate word.
    fn has_keyword(&self, at: usize, word: &str) -> bool {
        let rest = &self.letters[at..];
        let length = word.len();
        rest.len() >= length
            && rest
                .iter()
                .zip(word.chars())
                .all(|(character, wanted)| character.eq_ignore_ascii_case(&wanted))
            && rest.get(length).is_none_or(|next| ends_word(*next))
    }

    /// The length of the `or` or `|` that comes next.
    fn or_here(&mut self) -> Option<usize> {
        if self.peek() == Some('|') {
            return Some(1);
        }
        self.is_keyword("or").then_some(2)
    }

    /// Whether no term can begin here.
    fn is_end(&mut self) -> bool {
        matches!(self.peek(), None | Some(')'))
            || self.or_here().is_some()
            || self.is_keyword("and")
    }

    /// Terms joined by `or`.
    fn any(&mut self, depth: usize) -> Option<Node> {
        let mut nodes = Vec::new();
        // Start and end of the previous `or`.
        let mut before: Option<(usize, usize)> = None;
        loop {
            match (self.all(depth), self.or_here(), before) {
                (Some(Node::Or(inner)), ..) => nodes.extend(inner),
                (Some(node), ..) => nodes.push(node),
                (None, Some(length), _) => {
                    let or = self.text(self.at, self.at + length);
                    self.fault(self.at, self.at + length, QueryFault::NothingBefore(or));
                }
                (None, None, Some((start, end))) => {
                    let or = self.text(start, end);
                    self.fault(start, self.at, QueryFault::NothingAfter(or));
                }
                (None, None, None) => {}
            }
            let Some(length) = self.or_here().filter(|_| self.faults.is_empty()) else { break };
            before = Some((self.at, self.at + length));
            self.at += length;
        }
        if nodes.len() > 1 { Some(Node::Or(nodes)) } else { nodes.pop() }
    }

    /// Adjacent terms.
    fn all(&mut self, depth: usize) -> Option<Node> {
        let mut nodes = Vec::new();
        while self.faults.is_empty() {
            match self.peek() {
                None | Some(')') => break,
                Some(_) if self.or_here().is_some() => break,
                Some(_) if self.is_keyword("and") => {
                    if nodes.is_empty() {
                        self.fault(
                            self.at,
                            self.at + 3,
                            QueryFault::NothingBefore("and".to_owned()),
                        );
                    }
                    let keyword = self.at;
                    self.at += 3;
                    if self.is_end() {
                        self.fault(
                            keyword,
                            keyword + 3,
                            QueryFault::NothingAfter("and".to_owned()),
                        );
                    }
                }
                Some(_) => match self.one(depth) {
                    Some(Node::And(inner)) => nodes.extend(inner),
                    node => nodes.extend(node),
                },
            }
        }
        if nodes.len() > 1 { Some(Node::And(nodes)) } else { nodes.pop() }
    }

    /// A term, a negation, or a group in parentheses.
    fn one(&mut self, depth: usize) -> Option<Node> {
        let (start, character) = (self.at, self.letters.get(self.at).copied()?);
        let not = self.is_keyword("not");
        let next = self.letters.get(start + 1);
        let minus =
            is_minus(character) && next.is_some_and(|next| *next != ')' && !next.is_whitespace());
        if depth >= MAX_DEPTH && (character == '(' || minus || not) {
            self.fault(start, start + 1, QueryFault::TooDeep);
            return None;
        }
        match character {
            '(' => {
                self.at += 1;
                let inner = self.any(depth + 1);
                if !self.faults.is_empty() {
                    return None;
                }
                if self.peek() != Some(')') {
                    self.fault(start, start + 1, QueryFault::ParenthesisOpen);
                    return None;
                }
                self.at += 1;
                if inner.is_none() {
                    self.fault(start, self.at, QueryFault::EmptyParentheses);
                }
                inner
            }
            _ if minus || not => {
                let end = start + if not { 3 } else { 1 };
                self.at = end;
                if self.is_end() {
                    let sign = if not { self.text(start, end) } else { "-".to_owned() };
                    self.fault(start, end, QueryFault::NothingAfter(sign));
                    return None;
                }
                self.one(depth + 1).map(|node| Node::Not(Box::new(node)))
            }
            _ => self.term(depth),
        }
    }

    /// A term, or several with `|` between their values: `t:fire|water`, `fox|-owl`.
    fn term(&mut self, depth: usize) -> Option<Node> {
        let start = self.at;
        let field = self.field();
        let first = self.value(start, field.clone())?;
        let mut nodes = vec![Node::Term(first)];
        while let Some(minuses) = self.alternative(field.is_some()) {
            let bar = self.at;
            self.at += 1 + minuses;
            // One level more than minus signs: when displayed, the alternatives are in parentheses.
            if minuses > 0 && depth + minuses >= MAX_DEPTH {
                self.fault(bar + 1, self.at, QueryFault::TooDeep);
                return None;
            }
            let start = self.at;
            let own = self.field();
            let term = self.value(start, own.or_else(|| field.clone()))?;
            let not = |node, _| Node::Not(Box::new(node));
            nodes.push((0..minuses).fold(Node::Term(term), not));
        }
        if nodes.len() == 1 {
            return nodes.pop();
        }
        // All values are excluded: `t!=fire|water` is `-(t=fire or t=water)`.
        let excludes = |node: &Node| {
            let Node::Term(Term { field: Some((_, operator)), .. }) = node else { return false };
            *operator == Operator::NotEqual
        };
        if !nodes.iter().all(excludes) {
            return Some(Node::Or(nodes));
        }
        for node in &mut nodes {
            if let Node::Term(Term { field: Some((_, operator)), .. }) = node {
                *operator = Operator::Equal;
            }
        }
        Some(Node::Not(Box::new(Node::Or(nodes))))
    }

    /// Number of minus signs before the value that follows the `|` here; `None`: there is no `|`, or no value follows,
    /// so that it means `or`. After a field, a minus sign belongs to the value, which may be a number.
    fn alternative(&mut self, has_field: bool) -> Option<usize> {
        if self.letters.get(self.at) != Some(&'|') {
            return None;
        }
        let begin = self.at + 1;
        let excludes = |character: &&char| is_minus(**character) && !has_field;
        let minuses = self.letters[begin..].iter().take_while(excludes).count();
        let value = begin + minuses;
        let character = *self.letters.get(value)?;
        let is_value = !ends_word(character) || is_quotation_mark(character);
        let is_keyword =
            !has_field && ["or", "and", "not"].iter().any(|word| self.has_keyword(value, word));
        (is_value && !is_keyword).then_some(minuses)
    }

    /// The value of a term that began at `start`.
    fn value(&mut self, start: usize, field: Option<(String, Operator)>) -> Option<Term> {
        self.terms += 1;
        if self.terms > MAX_TERMS {
            self.fault(start, self.letters.len(), QueryFault::TooManyTerms);
            return None;
        }
        let value = match self.letters.get(self.at).copied() {
            Some('/') => {
                let pattern = self.enclosed('/', QueryFault::RegexOpen)?;
                if self.has_flags() {
                    self.fault(start, self.at, QueryFault::Regex(RegexFault::Flags));
                    return None;
                }
                Literal::Regex(pattern)
            }
            Some(mark) if is_quotation_mark(mark) => {
                Literal::Phrase(self.enclosed(mark, QueryFault::QuotationOpen)?)
            }
            _ => {
                let from = self.at;
                while self.letters.get(self.at).is_some_and(|character| !ends_word(*character)) {
                    self.at += 1;
                }
                Literal::Word(self.text(from, self.at))
            }
        };
        Some(Term { field, value, span: Span { position: start, length: self.at - start } })
    }

    /// A name followed by an operator.
    fn field(&mut self) -> Option<(String, Operator)> {
        let rest = &self.letters[self.at..];
        let begins_with_letter = rest.first()?.is_ascii_alphabetic();
        let (name, operator, length) =
            named(rest, false).filter(|_| begins_with_letter).or_else(|| {
                // Only some game's attributes have such names.
                let is_field = |name: &str| !name.starts_with('-') && (self.is_field)(name);
                named(rest, true).filter(|(name, ..)| is_field(name))
            })?;
        self.at += length;
        Some((name, operator))
    }

    /// Skips letters after a regular expression that are flags elsewhere: `/fox/i`. Returns whether there are any.
    fn has_flags(&mut self) -> bool {
        let rest = &self.letters[self.at..];
        let is_flag =
            |letter: &&char| matches!(letter, 'd' | 'g' | 'i' | 'm' | 's' | 'u' | 'v' | 'x' | 'y');
        let flags = rest.iter().take_while(is_flag).count();
        let is_word = rest.get(flags).is_none_or(|next| ends_word(*next));
        if flags > 0 && is_word {
            self.at += flags;
        }
        flags > 0 && is_word
    }

    /// The text between two delimiters. A backslash escapes the delimiter; in quotes, it escapes every character. Any
    /// quotation mark ends what a typographic one begins, because languages use the same signs on different sides.
    fn enclosed(&mut self, mark: char, unclosed: QueryFault) -> Option<String> {
        let start = self.at;
        self.at += 1;
        let mut text = String::new();
        while let Some(&character) = self.letters.get(self.at) {
            self.at += 1;
            match character {
                '\\' => {
                    let Some(&next) = self.letters.get(self.at) else { break };
                    self.at += 1;
                    if mark == '/' && next != '/' {
                        text.push('\\');
                    }
                    text.push(next);
                }
                _ if character == mark => return Some(text),
                _ if is_typographic(mark) && is_quotation_mark(character) => return Some(text),
                _ => text.push(character),
            }
        }
        self.fault(start, self.letters.len(), unclosed);
        None
    }
}

/// The name at the beginning of a text, the operator after it, and the number of characters of both.
fn named(text: &[char], with_hyphens: bool) -> Option<(String, Operator, usize)> {
    let is_part = |character: &&char| {
        character.is_ascii_alphanumeric()
            || matches!(**character, '_' | '.')
            || with_hyphens && **character == '-'
    };
    let length = text.iter().take_while(is_part).count();
    let (operator, signs) = operator_at(&text[length..])?;
    let name: String = text[..length].iter().collect();
    (length > 0).then_some((name, operator, length + signs))
}

/// The operator at the beginning of a text, and its number of characters.
fn operator_at(text: &[char]) -> Option<(Operator, usize)> {
    // Word processors and phones write one sign for two.
    let typographic = match text.first()? {
        '≤' => Some(Operator::AtMost),
        '≥' => Some(Operator::AtLeast),
        '≠' => Some(Operator::NotEqual),
        _ => None,
    };
    let plain = || {
        let begins = |operator: &Operator| {
            let signs = operator.as_str();
            signs.chars().eq(text.iter().take(signs.len()).copied())
        };
        let found = Operator::ALL.into_iter().find(begins)?;
        Some((found, found.as_str().len()))
    };
    typographic.map(|operator| (operator, 1)).or_else(plain)
}

/// Whether an unquoted word ends before this character.
fn ends_word(character: char) -> bool {
    character.is_whitespace()
        || matches!(character, '(' | ')' | '|')
        || is_quotation_mark(character)
}

/// Whether a phrase may begin or end with this character.
fn is_quotation_mark(character: char) -> bool {
    character == '"' || is_typographic(character)
}

/// Whether this is a quotation mark that keyboards and word processors write in place of `"`.
fn is_typographic(mark: char) -> bool {
    matches!(mark, '“' | '”' | '„' | '‟' | '«' | '»')
}

/// Whether this character before a term excludes what the term finds: a minus sign, or a dash that keyboards and word
/// processors write in its place.
fn is_minus(character: char) -> bool {
    matches!(character, '-' | '\u{2010}' | '\u{2011}' | '–' | '—' | '−' | '\u{FF0D}')
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn rendered(text: &str) -> String {
        parse(text).unwrap_or_else(|faults| panic!("{text}: {faults:?}")).unwrap().to_string()
    }

    #[test]
    fn a_query_is_a_tree() {
        for (text, tree) in [
            ("a b or c d", "a b or c d"),
            ("a AND (b Or (c))", "a (b or c)"),
            ("-(a or b) --c", "-(a or b) --c"),
            ("  attack>=700   t:fire ", "attack>=700 t:fire"),
            ("((a b) c)", "a b c"),
            ("o:\"say \\\"hi\\\" \\\\\" /a\\/b\\d/", "o:\"say \\\"hi\\\" \\\\\" /a\\/b\\d/"),
            ("a\"b c\"d", "a \"b c\" d"),
            ("orb android - x:", "orb android - x:"),
            ("name!=fox 3:1 émile:x", "name!=fox 3:1 émile:x"),
            ("not a NOT (b or c) not:hidden", "-a -(b or c) not:hidden"),
            ("a -not b", "a --b"),
            ("t:fire|water x", "(t:fire or t:water) x"),
            ("x t:\"a b\"|c|rank>2", "x (t:\"a b\" or t:c or rank>2)"),
            ("-fox|owl", "-(fox or owl)"),
            ("t!=fire|water", "-(t=fire or t=water)"),
            ("fox | owl x", "fox or owl x"),
            ("x fox|-owl", "x (fox or -owl)"),
            ("fox|-owl|--\"a b\"|-t:fire", "fox or -owl or --\"a b\" or -t:fire"),
            ("rank:5|-5", "rank:5 or rank:-5"),
            ("fox|--", "fox or --"),
            ("fox|not owl", "fox or -owl"),
            ("fox|-(a b)", "fox or -(a b)"),
            ("/a|b/|c", "/a|b/ or c"),
            ("/a/b /a/it's", "/a/ b /a/ it's"),
        ] {
            assert_eq!(rendered(text), tree, "{text}");
        }
        for empty in ["", "   ", "\t\n"] {
            assert_eq!(parse(empty), Ok(None), "{empty:?}");
        }
    }

    #[test]
    fn typographic_signs_mean_the_same_as_plain_ones() {
        for (text, tree) in [
            ("“draw a”", "\"draw a\""),
            ("„draw a“ x", "\"draw a\" x"),
            ("«draw a»", "\"draw a\""),
            ("»draw a«", "\"draw a\""),
            ("“draw a\" x", "\"draw a\" x"),
            ("\"say “hi”\"", "\"say “hi”\""),
            ("o:“draw a”|”fox”", "o:\"draw a\" or o:\"fox\""),
            ("a“b c”d", "a \"b c\" d"),
            ("“a \\” b”", "\"a ” b\""),
            ("–fire", "-fire"),
            ("\u{2010}fire \u{2011}fox －owl", "-fire -fox -owl"),
            ("—fire —(a b)", "-fire -(a b)"),
            ("−“draw a” fox|–owl", "-\"draw a\" (fox or -owl)"),
            ("fox – owl", "fox – owl"),
            ("jack–o–lantern rank:–", "jack–o–lantern rank:–"),
            ("/“a”–b/", "/“a”–b/"),
            ("attack≥500 def≤3 t≠fire|water", "attack>=500 def<=3 -(t=fire or t=water)"),
            ("o:\"a≥b\" é≥5 ≥500", "o:\"a≥b\" é≥5 ≥500"),
        ] {
            assert_eq!(rendered(text), tree, "{text}");
        }
        let faults = parse("x “open").unwrap_err();
        assert_eq!((faults[0].span.position, &faults[0].reason), (2, &QueryFault::QuotationOpen));
        let faults = parse("a —or b").unwrap_err();
        assert_eq!(faults[0].reason, QueryFault::NothingAfter("-".to_owned()));
    }

    #[test]
    fn names_with_hyphens_are_fields_only_if_they_are_known() {
        let known = ["a-b", "1st", "attributes.a-b", "2"];
        let with_known = |text: &str| {
            parse_with(text, &|name| known.contains(&name)).unwrap().unwrap().to_string()
        };
        // In each case: the tree with these fields, and the one without them.
        for (text, tree, plain) in [
            ("a-b:\"or and\"", "a-b:\"or and\"", "a-b: \"or and\""),
            ("-a-b:x|y", "-(a-b:x or a-b:y)", "-(a-b:x or y)"),
            ("attributes.a-b:/(x|y)/", "attributes.a-b:/(x|y)/", ""),
            ("1st>=3 fox|1st:2", "1st>=3 (fox or 1st:2)", "1st>=3 (fox or 1st:2)"),
            ("2:30 12:30", "2:30 12:30", "2:30 12:30"),
        ] {
            assert_eq!(with_known(text), tree, "{text}");
            match parse(text) {
                Ok(Some(found)) => assert_eq!(found.to_string(), plain, "{text}"),
                other => assert!(plain.is_empty(), "{text}: {other:?}"),
            }
        }
        let field_of =
            |text: &str| match parse_with(text, &|name| known.contains(&name)).unwrap().unwrap() {
                Node::Term(term) => term.field.map(|(name, _)| name),
                other => panic!("{text}: {other:?}"),
            };
        for text in ["a-b:x", "attributes.a-b=x", "1st<3", "2:30"] {
            assert!(field_of(text).is_some(), "{text}");
        }
        for text in [
            "x-ray:",
            "x-ray",
            "a-b",
            "5..7",
            "1-2",
            "12:30",
            "2026-01-01",
            "a-b-c:x",
            "a–b:x",
            "3:1",
            "\"a-b:x\"",
        ] {
            assert_eq!(field_of(text), None, "{text}");
            assert_eq!(parse(text).unwrap().unwrap().to_string(), text);
        }
        assert_eq!(field_of("rank:1-2"), Some("rank".to_owned()));
        let Node::Not(inner) =
            parse_with("-a-b:x", &|name| known.contains(&name)).unwrap().unwrap()
        else {
            panic!("the first hyphen is a minus sign");
        };
        assert_eq!(inner.to_string(), "a-b:x");
    }

    #[test]
    fn faults_have_places() {
        for (text, position, length, term) in [
            ("fox (", 4, 1, "("),
            ("fox )", 4, 1, ")"),
            ("a (b (c) d", 2, 1, "("),
            ("é \"open", 2, 5, "\"open"),
            ("t:/open", 2, 5, "/open"),
            ("or a", 0, 2, "or"),
            ("a or", 2, 2, "or"),
            ("a or or b", 5, 2, "or"),
            ("(a or )", 3, 3, "or "),
            ("and a", 0, 3, "and"),
            ("a and", 2, 3, "and"),
            ("()", 0, 2, "()"),
            ("a -or b", 2, 1, "-"),
            ("a not", 2, 3, "not"),
            ("not or a", 0, 3, "not"),
            ("t:fire|", 6, 1, "|"),
            ("| a", 0, 1, "|"),
            ("fox|or", 4, 2, "or"),
            ("fox|-or", 4, 1, "-"),
            ("a\u{1}", 1, 1, "\u{1}"),
            ("owl /fox/i", 4, 6, "/fox/i"),
            ("n:/fox/gi|owl", 0, 9, "n:/fox/gi"),
        ] {
            let faults = parse(text).unwrap_err();
            let Fault { span, term: found, .. } = &faults[0];
            assert_eq!(
                (span.position, span.length, found.as_str()),
                (position, length, term),
                "{text}: {faults:?}"
            );
        }
    }

    #[test]
    fn everything_is_bounded() {
        assert!(parse(&"a".repeat(MAX_LENGTH)).is_ok());
        assert!(parse(&"a".repeat(MAX_LENGTH + 1)).is_err());
        let nested = |depth: usize| format!("{}a{}", "(".repeat(depth), ")".repeat(depth));
        assert!(parse(&nested(MAX_DEPTH)).is_ok());
        assert!(parse(&nested(MAX_DEPTH + 1)).is_err());
        assert!(parse(&("-".repeat(MAX_DEPTH + 1) + "a")).is_err());
        assert!(parse(&"a ".repeat(MAX_TERMS)).is_ok());
        assert!(parse(&"a ".repeat(MAX_TERMS + 1)).is_err());
    }

    fn query() -> impl Strategy<Value = String> {
        let piece = prop_oneof![
            "[a-zé🔥]{1,4}",
            "[a-z]{1,3}(:|=|!=|<|<=|>|>=)[0-9a-z\\-]{0,3}",
            "\"[a-z \\\\\"]{0,5}\"",
            "[“„«][a-z –\\\\”]{0,5}[”“»\"]",
            "[–—−]",
            "/[a-z\\\\/.]{0,5}/",
            Just("(".to_owned()),
            Just(")".to_owned()),
            Just("-".to_owned()),
            Just(" or ".to_owned()),
            Just(" and ".to_owned()),
            Just(" not ".to_owned()),
            Just("|".to_owned()),
            Just(" ".to_owned()),
        ];
        proptest::collection::vec(piece, 0..20).prop_map(|pieces| pieces.concat())
    }

    proptest! {
        #[test]
        fn no_text_panics(text in any::<String>()) {
            let _ = parse(&text);
        }

        #[test]
        fn a_rendered_tree_parses_into_itself(text in query()) {
            if let Ok(Some(tree)) = parse(&text) {
                let again = parse(&tree.to_string());
                prop_assert_eq!(again, Ok(Some(tree)), "{}", text);
            }
        }

        #[test]
        fn faults_lie_inside_the_text(text in query()) {
            let length = text.chars().count();
            for fault in parse(&text).err().unwrap_or_default() {
                prop_assert!(fault.span.position + fault.span.length <= length, "{:?}", fault);
            }
        }
    }
}
