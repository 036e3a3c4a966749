//! All existing sets, with their release days.

use std::collections::BTreeMap;

use chrono::NaiveDate;

/// All sets of all games, with the release day of each, if known.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Releases(BTreeMap<(String, String), Option<NaiveDate>>);

impl Releases {
    /// Adds a set, or changes its release day.
    pub fn insert(&mut self, game: String, set: String, day: Option<NaiveDate>) {
        self.0.insert((game, set), day);
    }

    /// Removes a set that does not exist any more.
    pub fn remove(&mut self, game: String, set: String) {
        self.0.remove(&(game, set));
    }

    /// Whether a game has a set with that code, with or without cards.
    pub fn has_set(&self, game: &str, set: &str) -> bool {
        self.0.contains_key(&(game.to_owned(), set.to_owned()))
    }

    /// The codes of a game's sets, in their order.
    pub fn sets_of<'s>(&'s self, game: &'s str) -> impl Iterator<Item = &'s str> {
        let first = (game.to_owned(), String::new());
        let sets = self.0.range(first..).take_while(move |((of, _), _)| of == game);
        sets.map(|((_, set), _)| set.as_str())
    }

    /// The release day of a set.
    pub(super) fn day_of(&self, game: &str, set: &str) -> Option<NaiveDate> {
        self.0.get(&(game.to_owned(), set.to_owned())).copied().flatten()
    }
}
