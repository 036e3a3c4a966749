//! Queries for public decks: the syntax is that of queries for cards, the fields are different.
//!
//! Fields of cards cannot be used for decks: `contains:` names a card.

use cardscape_engine::{Date, search_key};
use chrono::NaiveDate;

use super::comparison::Comparison;
use super::fault::{Fault, QueryFault, near};
use super::fold::words;
use super::legality::{FormatTerm, deck_format_names};
use super::scope::Scope;
use super::syntax::{Literal, Node, Operator, Span, Term};
use super::values::{day, nothing_to_find, sign_in_word, whole_number};

/// A condition on public decks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DeckPredicate {
    /// Every condition holds; if empty: always.
    All(Vec<Self>),
    /// One of the conditions holds; if empty: never.
    Any(Vec<Self>),
    /// The condition does not hold.
    Not(Box<Self>),
    /// A test of one property.
    Test(DeckTest),
}

/// A property of a public deck.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DeckTest {
    /// Code of its game.
    Game(String),
    /// All these words, as [`words`] folds them, are in its name or its tags.
    Words(Vec<String>),
    /// One of its tags, in lower case.
    Tag(String),
    /// Name of its owner.
    Author(String),
    /// It contains a card with this name, as [`search_key`].
    Contains(String),
    /// It is declared for one of these formats: `game/format`, or `game/format:variant`.
    Format(Vec<String>),
    /// It is legal in one of these formats, judged by public information.
    Legal(Vec<String>),
    /// Number of cards.
    Size(Comparison<i64>),
    /// The day on which it was published, in UTC.
    Published(Comparison<NaiveDate>),
    /// The day of its last change, in UTC.
    Updated(Comparison<NaiveDate>),
}

impl DeckPredicate {
    /// Holds for every deck.
    pub fn always() -> Self {
        Self::All(Vec::new())
    }
}

/// A checked query for decks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheckedDecks {
    /// The condition.
    pub predicate: DeckPredicate,
    /// The ignored terms, with reasons.
    pub warnings: Vec<Fault>,
    /// The terms that name a card or an author, whether or not such a name exists.
    pub names: Vec<NamedTerm>,
}

/// A term that names a card or an author.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedTerm {
    /// Its place.
    pub span: Span,
    /// Its text.
    pub term: String,
    /// What it names.
    pub of: NameOf,
    /// The name, as it was typed.
    pub name: String,
}

/// What a name is the name of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NameOf {
    /// A card.
    Card,
    /// The owner of a deck.
    Author,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Topic {
    Game,
    Name,
    Tag,
    Author,
    Contains,
    Format,
    Legal,
    Size,
    Published,
    Updated,
}

struct Field {
    name: &'static str,
    aliases: &'static [&'static str],
    topic: Topic,
    text: &'static str,
    example: &'static str,
}

const fn field(
    name: &'static str,
    aliases: &'static [&'static str],
    topic: Topic,
    text: &'static str,
    example: &'static str,
) -> Field {
    Field { name, aliases, topic, text, example }
}

#[rustfmt::skip]
const FIELDS: &[Field] = &[
    field("game", &["g"], Topic::Game, "The game, by code or name.", "game:ttcg"),
    field("name", &["n", "title"], Topic::Name, "Words of the name or of a tag. So are words without a field.", "name:embers"),
    field("tag", &["tags"], Topic::Tag, "A tag.", "tag:aggro"),
    field("by", &["author", "owner"], Topic::Author, "The owner, by name.", "by:ada"),
    field("contains", &["card", "c", "has"], Topic::Contains, "A card, by its whole name; case, accents and punctuation do not count.", "contains:\"kettle imp\""),
    field("format", &["f"], Topic::Format, "The format that it is meant for: `FORMAT` or `GAME/FORMAT`, with `:VARIANT` for another variant than the usual one.", "format:ttcg/standard"),
    field("legal", &[], Topic::Legal, "A format in which it is legal, as `format` names them: by the rules of the day in `judged_on`, for a reader who sees no hidden card.", "legal:standard"),
    field("size", &["cards"], Topic::Size, "How many cards it has, in all zones.", "size:40..60"),
    field("date", &["published"], Topic::Published, "The day on which it was published, `YYYY-MM-DD`, in UTC.", "date>=2026-11-01"),
    field("updated", &["changed"], Topic::Updated, "The day on which it was changed last, `YYYY-MM-DD`, in UTC.", "updated>=2026-11-01"),
];

impl Topic {
    fn operators(self) -> &'static [Operator] {
        use Operator::{AtLeast, AtMost, Equal, Greater, Has, Less, NotEqual};
        match self {
            Self::Size | Self::Published | Self::Updated => {
                &[Has, Equal, NotEqual, Less, AtMost, Greater, AtLeast]
            }
            _ => &[Has, Equal, NotEqual],
        }
    }
}

fn find_field(name: &str) -> Option<&'static Field> {
    let is = |other: &str| other.eq_ignore_ascii_case(name);
    FIELDS.iter().find(|field| is(field.name) || field.aliases.iter().any(|alias| is(alias)))
}

/// An example query for each field, with the field's name.
pub fn deck_examples() -> impl Iterator<Item = (&'static str, &'static str)> {
    FIELDS.iter().map(|field| (field.name, field.example))
}

/// The fields as Markdown, for the reference page.
pub fn deck_reference() -> String {
    let quoted = |words: Vec<&str>| {
        words.iter().map(|word| format!("`{word}`")).collect::<Vec<_>>().join(" ")
    };
    let mut page =
        String::from("| Field | Short | Operators | Meaning | Example |\n|---|---|---|---|---|\n");
    for Field { name, aliases, topic, text, example } in FIELDS {
        let operators = topic.operators().iter().map(|operator| operator.as_str()).collect();
        let (aliases, operators) = (quoted(aliases.to_vec()), quoted(operators));
        page.push_str(&format!("| `{name}` | {aliases} | {operators} | {text} | `{example}` |\n"));
    }
    page
}

/// Checks a query for decks against the games of `scope`. Unusable terms are ignored. Formats are those of `today`.
///
/// # Errors
/// Every fault, when no term is usable.
///
/// ```
/// use cardscape_engine::Date;
/// use cardscape_search::{DeckPredicate, DeckTest, Scope, check_decks, parse};
/// let tree = parse("contains:\"Kettle Imp\" attack>700").unwrap().unwrap();
/// let checked = check_decks(&tree, &Scope::new([]), Date::new(2026, 11, 26).unwrap()).unwrap();
/// assert_eq!(checked.predicate, DeckPredicate::Test(DeckTest::Contains("kettleimp".to_owned())));
/// assert!(checked.warnings[0].message().starts_with("there is no field \"attack\" of decks"));
/// ```
pub fn check_decks(
    tree: &Node,
    scope: &Scope<'_>,
    today: Date,
) -> Result<CheckedDecks, Vec<Fault>> {
    let mut checker = Checker { scope, today, warnings: Vec::new(), names: Vec::new() };
    match checker.node(tree) {
        Some(predicate) => {
            let Checker { warnings, names, .. } = checker;
            Ok(CheckedDecks { predicate, warnings, names })
        }
        None => Err(checker.warnings),
    }
}

struct Checker<'a> {
    scope: &'a Scope<'a>,
    today: Date,
    warnings: Vec<Fault>,
    names: Vec<NamedTerm>,
}

impl Checker<'_> {
    /// `None`: no part is usable.
    fn node(&mut self, node: &Node) -> Option<DeckPredicate> {
        match node {
            Node::And(nodes) => joined(self.list(nodes), DeckPredicate::All),
            Node::Or(nodes) => joined(self.list(nodes), DeckPredicate::Any),
            Node::Not(inner) => Some(DeckPredicate::Not(Box::new(self.node(inner)?))),
            Node::Term(term) => match self.term(term) {
                Ok(predicate) => Some(predicate),
                Err(reason) => {
                    let (span, term) = (term.span, term.to_string());
                    self.warnings.push(Fault { span, term, reason });
                    None
                }
            },
        }
    }

    fn list(&mut self, nodes: &[Node]) -> Vec<DeckPredicate> {
        nodes.iter().filter_map(|node| self.node(node)).collect()
    }

    fn term(&mut self, term: &Term) -> Result<DeckPredicate, QueryFault> {
        if matches!(term.value, Literal::Regex(_)) {
            return Err(QueryFault::NoRegexForDecks);
        }
        let text = term.value.text();
        let Some((name, operator)) = &term.field else {
            if let Literal::Word(word) = &term.value
                && let Some(fault) = sign_in_word(word)
            {
                return Err(fault);
            }
            return Ok(DeckPredicate::Test(some_words(text)?));
        };
        let Some(field) = find_field(name) else {
            let names = FIELDS.iter().map(|field| field.name);
            return Err(QueryFault::NoFieldOfDecks { name: name.clone(), near: near(name, names) });
        };
        let known = field.topic.operators();
        if !known.contains(operator) {
            let (field, operator) = (name.clone(), *operator);
            return Err(QueryFault::NoSuchComparison { field, operator, known });
        }
        if text.is_empty() {
            return Err(QueryFault::ValueMissing { field: name.clone(), operator: *operator });
        }
        // `a!=b` is `-a=b`, of ranges as well.
        let (negated, operator) = match operator {
            Operator::NotEqual => (true, Operator::Equal),
            other => (false, *other),
        };
        let test = self.test(field.topic, operator, &term.value)?;
        let of = match test {
            DeckTest::Contains(_) => Some(NameOf::Card),
            DeckTest::Author(_) => Some(NameOf::Author),
            _ => None,
        };
        self.names.extend(of.map(|of| NamedTerm {
            span: term.span,
            term: term.to_string(),
            of,
            name: text.to_owned(),
        }));
        let test = DeckPredicate::Test(test);
        Ok(if negated { DeckPredicate::Not(Box::new(test)) } else { test })
    }

    fn test(
        &self,
        topic: Topic,
        operator: Operator,
        value: &Literal,
    ) -> Result<DeckTest, QueryFault> {
        let text = value.text();
        match topic {
            Topic::Game => Ok(DeckTest::Game(self.scope.game(text)?.code().to_owned())),
            Topic::Name => some_words(text),
            Topic::Tag => Ok(DeckTest::Tag(text.to_lowercase())),
            Topic::Author => Ok(DeckTest::Author(text.to_owned())),
            Topic::Contains => match search_key(text) {
                key if key.is_empty() => Err(nothing_to_find(text)),
                key => Ok(DeckTest::Contains(key)),
            },
            Topic::Format => self.formats(text).map(DeckTest::Format),
            Topic::Legal => self.formats(text).map(DeckTest::Legal),
            Topic::Size => compared(operator, value, whole_number).map(DeckTest::Size),
            Topic::Published => compared(operator, value, day).map(DeckTest::Published),
            Topic::Updated => compared(operator, value, day).map(DeckTest::Updated),
        }
    }

    fn formats(&self, text: &str) -> Result<Vec<String>, QueryFault> {
        if text.contains('@') {
            return Err(QueryFault::FormatOfDay);
        }
        let formats = FormatTerm::read(text, self.today)?.find(self.scope)?;
        Ok(formats.iter().flat_map(|(game, format)| deck_format_names(game, format)).collect())
    }
}

fn joined(
    mut parts: Vec<DeckPredicate>,
    join: fn(Vec<DeckPredicate>) -> DeckPredicate,
) -> Option<DeckPredicate> {
    if parts.len() > 1 { Some(join(parts)) } else { parts.pop() }
}

fn some_words(text: &str) -> Result<DeckTest, QueryFault> {
    let words = words(text);
    if words.is_empty() { Err(nothing_to_find(text)) } else { Ok(DeckTest::Words(words)) }
}

/// The comparison in `>=40`, `:40`, `:40..60`, `:40..` and `:..60`.
fn compared<T: Ord>(
    operator: Operator,
    value: &Literal,
    read: impl Fn(&str) -> Result<T, QueryFault>,
) -> Result<Comparison<T>, QueryFault> {
    let text = value.text();
    let is_equality = matches!(operator, Operator::Has | Operator::Equal);
    let Some((low, high)) = text.split_once("..").filter(|_| is_equality) else {
        return Ok(Comparison::Is(operator, read(text)?));
    };
    match (low.is_empty(), high.is_empty()) {
        (true, true) => Err(QueryFault::RangeOpen(text.to_owned())),
        (false, true) => Ok(Comparison::Is(Operator::AtLeast, read(low)?)),
        (true, false) => Ok(Comparison::Is(Operator::AtMost, read(high)?)),
        (false, false) => match (read(low)?, read(high)?) {
            (low, high) if low <= high => Ok(Comparison::Between(low, high)),
            // The ends are shown as they were typed.
            _ => Err(QueryFault::RangeBackwards { instead: format!("{high}..{low}") }),
        },
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::parse;

    fn read(text: &str) -> Result<CheckedDecks, Vec<Fault>> {
        let tree = parse(text).unwrap().unwrap();
        check_decks(&tree, &Scope::new([]), Date::new(2026, 11, 26).unwrap())
    }

    fn test(text: &str) -> DeckPredicate {
        read(text).unwrap().predicate
    }

    #[test]
    fn every_name_means_one_field() {
        let names = || {
            FIELDS
                .iter()
                .flat_map(|field| std::iter::once(field.name).chain(field.aliases.iter().copied()))
        };
        assert_eq!(names().collect::<BTreeSet<_>>().len(), names().count());
    }

    #[test]
    fn terms_are_read() {
        use Operator::{AtLeast, AtMost, Has};
        for (text, expected) in [
            ("contains:\"Émber  Fox!\"", DeckTest::Contains("emberfox".to_owned())),
            ("TAG:Aggro", DeckTest::Tag("aggro".to_owned())),
            ("by:Ada", DeckTest::Author("Ada".to_owned())),
            ("\"Embers, and Bones\"", DeckTest::Words(words("embers and bones"))),
            ("size>=40", DeckTest::Size(Comparison::Is(AtLeast, 40))),
            ("size:40", DeckTest::Size(Comparison::Is(Has, 40))),
            ("size:40..60", DeckTest::Size(Comparison::Between(40, 60))),
            ("size:..60", DeckTest::Size(Comparison::Is(AtMost, 60))),
            ("date:2026-11-01..", {
                let day = NaiveDate::from_ymd_opt(2026, 11, 1).unwrap();
                DeckTest::Published(Comparison::Is(AtLeast, day))
            }),
        ] {
            assert_eq!(test(text), DeckPredicate::Test(expected), "{text}");
        }
    }

    #[test]
    fn names_of_cards_and_authors_are_listed_with_their_places() {
        let names = read("embers contains:\"Kettle Inp\" by!=adda size:2").unwrap().names;
        let shown = |name: &NamedTerm| (name.span.position, name.of, name.name.clone());
        assert_eq!(
            names.iter().map(shown).collect::<Vec<_>>(),
            [(7, NameOf::Card, "Kettle Inp".to_owned()), (29, NameOf::Author, "adda".to_owned())]
        );
    }

    #[test]
    fn conditions_are_joined_and_negated() {
        let size =
            |value| DeckPredicate::Test(DeckTest::Size(Comparison::Is(Operator::Equal, value)));
        let not = |inner| DeckPredicate::Not(Box::new(inner));
        assert_eq!(test("size!=40"), not(size(40)));
        assert_eq!(
            test("-(size=40 or size=50) size=60"),
            DeckPredicate::All(vec![not(DeckPredicate::Any(vec![size(40), size(50)])), size(60)])
        );
        let range = DeckPredicate::Test(DeckTest::Size(Comparison::Between(40, 60)));
        assert_eq!(test("size!=40..60"), not(range));
    }

    #[test]
    fn unusable_terms_are_reported() {
        for (text, message) in [
            ("t:fire", "there is no field \"t\" of decks; contains:"),
            ("contian:imp", "there is no field \"contian\" of decks; did you mean contains?"),
            ("by>ada", "by is not compared with >, only with : = !="),
            ("size:many", "\"many\" is no whole number"),
            (
                "size>99999999999999999999",
                "numbers are from -9223372036854775808 to 9223372036854775807, and 99999999999999999999 is not",
            ),
            ("size:60..40", "no value lies in this range: write 40..60"),
            // The range is shown as it was typed, also if its numbers have leading zeros.
            ("size:060..40", "no value lies in this range: write 40..060, the lower end first"),
            ("size:..", "\"..\" has neither end of a range"),
            ("date:yesterday", "\"yesterday\" is not a day of the form 2026-11-21"),
            ("contains:\" \"", "there is no letter, digit or sign in"),
            ("name:/em.*/", "decks are not searched with regular expressions"),
            ("legal:standard@2026-11-01", "decks are judged by the rules of today"),
            ("legal:modern", "there is no format \"modern\""),
            ("game:chess", "there is no game \"chess\""),
        ] {
            let faults = read(text).unwrap_err();
            assert!(faults[0].message().starts_with(message), "{text}: {faults:?}");
            // Together with a usable term, the term is ignored with a warning.
            assert_eq!(read(&format!("size=40 {text}")).unwrap().warnings.len(), 1, "{text}");
        }
    }
}
