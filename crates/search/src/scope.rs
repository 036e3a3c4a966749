//! The games that a query is about.

use cardscape_engine::{Game, has_search_key, search_key};

use super::attributes::{attributes, bare};
use super::fault::{Fault, QueryFault, near};
use super::fields::{Field, Subject};
use super::index::Releases;
use super::syntax::{Node, parse_with};

/// The games that a query is about, among all existing games, and whether the query searches cards or designs.
#[derive(Clone, Debug)]
pub struct Scope<'a> {
    known: Vec<&'a Game>,
    games: Vec<&'a Game>,
    subject: Subject,
}

impl<'a> Scope<'a> {
    /// Cards of all games.
    pub fn new(known: impl IntoIterator<Item = &'a Game>) -> Self {
        let known: Vec<&Game> = known.into_iter().collect();
        Self { games: known.clone(), known, subject: Subject::Cards }
    }

    /// Designs of these games.
    #[must_use]
    pub fn of_designs(self) -> Self {
        Self { subject: Subject::Designs, ..self }
    }

    /// What the query searches.
    pub(super) fn subject(&self) -> Subject {
        self.subject
    }

    /// The field with this name.
    pub(super) fn field(&self, name: &str) -> Option<&'static Field> {
        self.subject.field(name)
    }

    /// Parses a query for cards or designs. The attributes of all existing games are fields, also those whose codes have
    /// hyphens or begin with a digit.
    ///
    /// # Errors
    /// As those of [`parse`](crate::parse).
    pub fn parse(&self, text: &str) -> Result<Option<Node>, Vec<Fault>> {
        parse_with(text, &|name| !attributes(bare(name), &self.known).is_empty())
    }

    /// The same scope with only the game with this code.
    ///
    /// # Errors
    /// There is no such game.
    pub fn of_code(&self, code: &str) -> Result<Self, QueryFault> {
        Ok(self.only(self.find(code, |game| game.code() == code)?))
    }

    /// The game with this code, else the first whose code is written alike or whose name it is.
    pub(super) fn game(&self, text: &str) -> Result<&'a Game, QueryFault> {
        let is_code = |game: &&Game| game.code().eq_ignore_ascii_case(text);
        if let Some(game) = self.known.iter().copied().find(is_code) {
            return Ok(game);
        }
        let key = search_key(text);
        self.find(text, |game| {
            has_search_key(game.code(), &key) || has_search_key(game.name(), &key)
        })
    }

    /// The same scope with only this game.
    pub(super) fn only(&self, game: &'a Game) -> Self {
        Self { known: self.known.clone(), games: vec![game], subject: self.subject }
    }

    fn find(&self, text: &str, is_meant: impl Fn(&Game) -> bool) -> Result<&'a Game, QueryFault> {
        self.known.iter().find(|game| is_meant(game)).copied().ok_or_else(|| {
            let near = near(text, self.known.iter().map(|game| game.code()));
            QueryFault::NoGame { code: text.to_owned(), near }
        })
    }

    /// The games that the query is about.
    pub fn games(&self) -> &[&'a Game] {
        &self.games
    }

    /// All existing games.
    pub(super) fn known(&self) -> &[&'a Game] {
        &self.known
    }

    /// Whether the query is about this game.
    pub(super) fn includes(&self, game: &Game) -> bool {
        self.games.iter().any(|own| own.code() == game.code())
    }

    /// The fault that these games do not have a value, with similar ones among the existing `values`.
    pub fn lacks<'c>(
        &self,
        what: &str,
        value: &str,
        values: impl IntoIterator<Item = &'c str>,
    ) -> QueryFault {
        let game = match self.games.as_slice() {
            // Another game may have it.
            [game] if self.known.len() > 1 => Some(game.code().to_owned()),
            _ => None,
        };
        let near = near(value, values);
        QueryFault::NoValue { of: what.to_owned(), value: value.to_owned(), near, game }
    }

    /// Why no card of these games can be in a set with that code; `None`: some may be.
    pub fn unknown_set(&self, code: &str, sets: &Releases) -> Option<QueryFault> {
        let key = code.to_ascii_lowercase();
        if self.games.iter().any(|game| sets.has_set(game.code(), &key)) {
            return None;
        }
        Some(self.lacks("set", code, self.games.iter().flat_map(|game| sets.sets_of(game.code()))))
    }
}

#[cfg(test)]
mod tests {
    use cardscape_engine::Date;

    use super::*;
    use crate::{Predicate, Test, check};

    #[test]
    fn an_attribute_is_a_field_whatever_its_code_is() {
        let manifest = "code='em'\nname='Em'\nrules_version='1'\n[[kinds]]\ncode='x'\nname='X'\n\
                        [kinds.attributes]\n\
                        a-b = { type = 'choice', values = ['or', 'a b'] }\n\
                        1st = { type = 'integer', min = 0 }";
        let game = Game::from_toml(manifest).unwrap();
        let scope = Scope::new([&game]);
        let read = |text: &str| {
            let tree = scope.parse(text).unwrap().unwrap();
            check(&tree, &scope, None, Date::new(2026, 11, 25).unwrap())
        };
        let choice = |value: &str| {
            let values = vec![value.to_owned()];
            Predicate::content(Test::Choice {
                attribute: "a-b".to_owned(),
                per_printing: false,
                values,
            })
        };
        for (text, expected) in [
            ("a-b:or", choice("or")),
            ("A-B:\"a b\"", choice("a b")),
            ("attributes.a-b=or", choice("or")),
            ("-a-b:or", choice("or").negated()),
        ] {
            assert_eq!(read(text).unwrap().predicate, expected, "{text}");
        }
        for text in ["1st:3", "attributes.1st>=3", "-1st:1..3", "has:a-b"] {
            let checked = read(text).unwrap();
            assert!(checked.predicate.needs_content() && checked.warnings.is_empty(), "{text}");
        }
        for (text, name) in [("x-ray:fox", "x-ray"), ("12:30", "12"), ("a-c:or", "a-c")] {
            let faults = read(text).unwrap_err();
            let expected = format!("there is no field {name:?}; as text it needs quotation marks");
            assert!(faults[0].message().starts_with(&expected), "{faults:?}");
        }
        let no_attributes = Scope::new([]);
        assert_eq!(no_attributes.parse("x-ray a-b:or"), crate::parse("x-ray a-b:or"));
    }
}
