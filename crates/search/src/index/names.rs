//! Cards by name: what the look-ups ask.

use std::cmp::{Ordering, Reverse};

use cardscape_engine::search_key;

use super::record::{CardContent, CardRecord};

/// A name as somebody typed it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NameQuery {
    /// It, as [`search_key`].
    pub search_key: String,
    /// Its words ([`crate::words`]).
    pub words: Vec<String>,
    /// Whether names that are like it, or have it in them, are looked for.
    pub near: bool,
}

/// Where names are looked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NamePlace<'a> {
    /// Code of a game; `None`: in all of them.
    pub game: Option<&'a str>,
    /// Code of a set; `None`: in all of them.
    pub set: Option<&'a str>,
}

impl NamePlace<'_> {
    pub(super) fn holds(&self, card: &CardRecord) -> bool {
        self.game.is_none_or(|game| card.game == game) && self.set.is_none_or(|set| card.set == set)
    }
}

/// A card that may be meant by a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedCard {
    /// Id.
    pub id: u128,
    /// Game code.
    pub game: String,
    /// Set code.
    pub set: String,
    /// Collector number.
    pub number: String,
    /// Name.
    pub name: String,
    /// Whether the typed words, or words that begin with them, are in the name in this order.
    pub has_words: bool,
}

/// Most candidates for one name.
pub const MAX_NAMED: usize = if cfg!(test) { 3 } else { 20 };

/// Most cards that are ranked by set and number; far more than one name has.
pub(super) const MAX_ALIKE: usize = if cfg!(test) { 30 } else { 1_000 };

/// Least similarity of names that are alike: the default of Postgres' `pg_trgm`.
const ALIKE: f64 = 0.3;

/// Names are compared by their trigrams, three characters each.
pub(super) type Trigram = [char; 3];

/// The trigrams of a key as `pg_trgm` takes them, in order: of each word, with two spaces before and one after it.
pub(super) fn trigrams(key: &str) -> Vec<Trigram> {
    let mut found = Vec::new();
    trigrams_into(key, &mut found);
    found
}

/// The same; what `found` had before is dropped.
pub(super) fn trigrams_into(key: &str, found: &mut Vec<Trigram>) {
    found.clear();
    let words = key.split(|letter: char| !letter.is_alphanumeric());
    for word in words.filter(|word| !word.is_empty()) {
        let mut three = [' '; 3];
        for letter in word.chars().chain([' ']) {
            three = [three[1], three[2], letter];
            found.push(three);
        }
    }
    found.sort_unstable();
    found.dedup();
}

/// How alike two sets of trigrams are, from 0 to 1.
pub(super) fn similarity(one: &[Trigram], other: &[Trigram]) -> f32 {
    let shared = one.iter().filter(|trigram| other.binary_search(trigram).is_ok()).count();
    likeness(shared, one.len(), other.len())
}

#[expect(clippy::cast_precision_loss, reason = "names have a few hundred trigrams at most")]
pub(super) fn likeness(shared: usize, one: usize, other: usize) -> f32 {
    match one + other - shared {
        0 => 0.0,
        all => shared as f32 / all as f32,
    }
}

pub(super) fn is_alike(likeness: f32) -> bool {
    f64::from(likeness) >= ALIKE
}

/// Fewest trigrams that a name shares with a typed one of so many, when it is alike.
pub(super) fn least_shared(typed: usize) -> usize {
    (typed * 3).div_ceil(10).max(1)
}

/// Whether so many are enough for names of so many trigrams to be alike: 3/10 of all that either has. It reckons without fractions what
/// [`is_alike`] says of their [`likeness`].
pub(super) fn is_shared_enough(shared: usize, typed: usize, own: usize) -> bool {
    13 * shared >= 3 * (typed + own)
}

/// Whether words that begin with the typed ones stand in the name in their order. Never when there is no word.
pub(super) fn has_words(name_words: &str, typed: &[String]) -> bool {
    let mut typed = typed.iter().peekable();
    if typed.peek().is_none() {
        return false;
    }
    for word in name_words.split(' ').skip(1) {
        typed.next_if(|beginning| word.starts_with(beginning.as_str()));
    }
    typed.peek().is_none()
}

/// How the name of a card fits a typed one.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fit {
    /// Whether its key is the same.
    pub(super) is_same: bool,
    /// Whether it has the typed words ([`NamedCard::has_words`]).
    pub(super) has_words: bool,
    /// How many of the trigrams that either has both have, from 0 to 1.
    pub(super) likeness: f32,
}

impl Fit {
    /// `None`: it does not fit.
    pub(super) fn new(query: &NameQuery, typed: &[Trigram], content: &CardContent) -> Option<Self> {
        let key = search_key(&content.name);
        let is_same = key == query.search_key;
        let has_words = has_words(&content.words.name, &query.words);
        let likeness = similarity(&trigrams(&key), typed);
        let fits = is_same || query.near && (has_words || is_alike(likeness));
        fits.then_some(Self { is_same, has_words, likeness })
    }

    /// The better first.
    pub(super) fn order(self, other: Self) -> Ordering {
        let rank = |one: Self| Reverse((one.is_same, one.has_words));
        rank(self).cmp(&rank(other)).then_with(|| other.likeness.total_cmp(&self.likeness))
    }
}

/// A name that a typed beginning may become, as such are sorted: how it fits, its key, the name.
pub(super) type Suggestion = (u8, String, String);

/// How a name fits a typed beginning: 0: begins with it; 1: a word does; 2: it is in it. `None`: not at all.
pub(super) fn suggestion(query: &NameQuery, content: &CardContent) -> Option<Suggestion> {
    let key = search_key(&content.name);
    let rank = if key.starts_with(&query.search_key) {
        0
    } else if has_words(&content.words.name, &query.words) {
        1
    } else if query.near && key.contains(&query.search_key) {
        2
    } else {
        return None;
    };
    Some((rank, key, content.name.clone()))
}
