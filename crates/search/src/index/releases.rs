//! Which sets there are, and when they came out.

use std::collections::BTreeMap;

use chrono::NaiveDate;

/// All sets of all games, and the day on which each came out, if that is known.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Releases(BTreeMap<(String, String), Option<NaiveDate>>);

impl Releases {
    /// Notes a set, or another day of it.
    pub fn insert(&mut self, game: String, set: String, day: Option<NaiveDate>) {
        self.0.insert((game, set), day);
    }

    /// Whether a game has a set of that code, with cards or without.
    pub fn has_set(&self, game: &str, set: &str) -> bool {
        self.0.contains_key(&(game.to_owned(), set.to_owned()))
    }

    /// The codes of a game's sets, in their order.
    pub fn sets_of<'s>(&'s self, game: &'s str) -> impl Iterator<Item = &'s str> {
        let first = (game.to_owned(), String::new());
        let sets = self.0.range(first..).take_while(move |((of, _), _)| of == game);
        sets.map(|((_, set), _)| set.as_str())
    }

    /// The day on which a set came out.
    pub(super) fn day_of(&self, game: &str, set: &str) -> Option<NaiveDate> {
        self.0.get(&(game.to_owned(), set.to_owned())).copied().flatten()
    }
}
