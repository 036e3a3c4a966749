//! Look-ups of cards by name.

use std::cmp::{Ordering, Reverse};

use cardscape_engine::search_key;

use super::record::{CardContent, CardRecord};

/// A name as somebody typed it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NameQuery {
    /// The name as [`search_key`].
    pub search_key: String,
    /// Its words ([`crate::words`]).
    pub words: Vec<String>,
    /// Whether similar names, and names that contain it, are searched.
    pub near: bool,
}

/// Where names are searched.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NamePlace<'a> {
    /// Code of a game; `None`: all games.
    pub game: Option<&'a str>,
    /// Code of a set; `None`: all sets.
    pub set: Option<&'a str>,
}

impl NamePlace<'_> {
    pub(super) fn holds(&self, card: &CardRecord) -> bool {
        self.game.is_none_or(|game| card.game == game) && self.set.is_none_or(|set| card.set == set)
    }
}

/// A card that a name may mean.
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
    /// Whether the name contains the typed words, or words that begin with them, in this order.
    pub has_words: bool,
}

/// Most candidates for one name.
pub const MAX_NAMED: usize = if cfg!(test) { 3 } else { 20 };

/// Most cards that are ranked by set and number; far more than share one name.
pub(super) const MAX_ALIKE: usize = if cfg!(test) { 30 } else { 1_000 };

/// Lowest similarity of similar names: the default of Postgres' `pg_trgm`.
const ALIKE: f64 = 0.3;

/// Names are compared by their trigrams, three characters each.
pub(super) type Trigram = [char; 3];

/// The trigrams of a key, sorted, as `pg_trgm` makes them: for each word, with two spaces before and one after it.
pub(super) fn trigrams(key: &str) -> Vec<Trigram> {
    let mut found = Vec::new();
    trigrams_into(key, &mut found);
    found
}

/// Like [`trigrams`]; replaces the content of `found`.
pub(super) fn trigrams_into(key: &str, found: &mut Vec<Trigram>) {
    found.clear();
    let words = key.split(|character: char| !character.is_alphanumeric());
    for word in words.filter(|word| !word.is_empty()) {
        let mut three = [' '; 3];
        for character in word.chars().chain([' ']) {
            three = [three[1], three[2], character];
            found.push(three);
        }
    }
    found.sort_unstable();
    found.dedup();
}

/// The similarity of two sets of trigrams, from 0 to 1.
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

/// The lowest number of trigrams that a similar name shares with a typed one of `typed` trigrams.
pub(super) fn least_shared(typed: usize) -> usize {
    (typed * 3).div_ceil(10).max(1)
}

/// Whether `shared` common trigrams make two names similar: at least 3/10 of all trigrams that either has. Integer
/// arithmetic with the same result as [`is_alike`] of their [`likeness`].
pub(super) fn is_shared_enough(shared: usize, typed: usize, own: usize) -> bool {
    13 * shared >= 3 * (typed + own)
}

/// Whether the name contains words that begin with the typed ones, in their order. False when there is no word.
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

/// How well the name of a card matches a typed one.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fit {
    /// Whether their keys are equal.
    pub(super) is_same: bool,
    /// Whether it has the typed words ([`NamedCard::has_words`]).
    pub(super) has_words: bool,
    /// Share of common trigrams among all that either has, from 0 to 1.
    pub(super) likeness: f32,
}

impl Fit {
    /// `None`: it does not match.
    pub(super) fn new(query: &NameQuery, typed: &[Trigram], content: &CardContent) -> Option<Self> {
        let key = search_key(&content.name);
        let is_same = key == query.search_key;
        let has_words = has_words(&content.words.name, &query.words);
        let likeness = similarity(&trigrams(&key), typed);
        let fits = is_same || query.near && (has_words || is_alike(likeness));
        fits.then_some(Self { is_same, has_words, likeness })
    }

    /// The better match first.
    pub(super) fn order(self, other: Self) -> Ordering {
        let rank = |one: Self| Reverse((one.is_same, one.has_words));
        rank(self).cmp(&rank(other)).then_with(|| other.likeness.total_cmp(&self.likeness))
    }
}

/// A completion of a typed beginning with its sort key: kind of match, key, name.
pub(super) type Suggestion = (u8, String, String);

/// The kind of match: 0: the name begins with the text; 1: a word does; 2: the name contains it. `None`: no match.
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
