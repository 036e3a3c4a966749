//! The sets of a game: their codes and names, and which of them have cards.

use crate::hash::FixedMap;
use crate::name::name_key;

/// A set, as deck lists may name it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KnownSet {
    /// Its code; deck lists may write it in any case.
    pub code: String,
    pub name: String,
    /// Whether it has cards, hidden ones included.
    pub has_cards: bool,
}

/// The sets of a game, by code and by name. Make it once and share it: a game may have thousands of sets.
///
/// ```
/// # use cardscape_engine::{KnownSet, KnownSets};
/// let shore = KnownSet { code: "shore".into(), name: "The Far Shore".into(), has_cards: true };
/// let sets = KnownSets::new([shore]);
/// assert_eq!(sets.find("SHORE").unwrap().name, "The Far Shore");
/// assert_eq!(sets.find("the far shore").unwrap().code, "shore");
/// assert_eq!(sets.find("near shore"), None);
/// ```
#[derive(Debug, Default)]
pub struct KnownSets {
    /// In the order in which they were given.
    sets: Vec<KnownSet>,
    /// Positions by code in lower case.
    by_code: FixedMap<String, usize>,
    /// Positions by name ([`name_key`]).
    by_name: FixedMap<String, usize>,
}

impl KnownSets {
    /// Of sets with the same code or the same name, the first is found.
    pub fn new(sets: impl IntoIterator<Item = KnownSet>) -> Self {
        let mut known = Self { sets: sets.into_iter().collect(), ..Self::default() };
        for (at, set) in known.sets.iter().enumerate() {
            known.by_code.entry(set.code.to_ascii_lowercase()).or_insert(at);
            let key = name_key(&set.name);
            if !key.is_empty() {
                known.by_name.entry(key).or_insert(at);
            }
        }
        known
    }

    /// The set of that code, in any case.
    pub fn with_code(&self, code: &str) -> Option<&KnownSet> {
        self.by_code.get(&code.trim().to_ascii_lowercase()).map(|at| &self.sets[*at])
    }

    /// The set that a deck list names by its code or, if no set has such a code, by its name.
    pub fn find(&self, written: &str) -> Option<&KnownSet> {
        self.with_code(written)
            .or_else(|| self.by_name.get(&name_key(written)).map(|at| &self.sets[*at]))
    }

    /// The set that a deck list names by its name and not by its code.
    pub fn with_name(&self, written: &str) -> Option<&KnownSet> {
        self.find(written).filter(|_| self.with_code(written).is_none())
    }

    /// Codes of the sets that have cards, in the order in which the sets were given.
    pub fn with_cards(&self) -> impl Iterator<Item = &str> {
        self.sets.iter().filter(|set| set.has_cards).map(|set| set.code.as_str())
    }

    /// Size in memory, in bytes, rounded up.
    pub fn weight(&self) -> usize {
        let text: usize = self.sets.iter().map(|set| set.code.len() + set.name.len()).sum();
        2 * text + self.sets.len() * (size_of::<KnownSet>() + 2 * size_of::<(String, usize)>() + 16)
    }
}
