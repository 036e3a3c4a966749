//! Index of cards by name.

use cardscape_engine::search_key;

use super::super::Names;
use super::super::growing::{KeyedBuilder, in_order};
use super::super::lists::{Keyed, place};
use super::super::named::hash_of_key;
use crate::index::names::{Trigram, trigrams_into};

/// The sort key of a name.
struct NameEntry {
    /// The first bytes of the key, which decide most comparisons.
    beginning: u64,
    /// Offset of the key in the keys.
    start: u32,
    end: u32,
    at: u32,
    hash: u32,
}

/// Everything that names are found by.
pub(super) struct NameFacts {
    /// The first card of the range.
    first: u32,
    /// All keys, concatenated.
    keys: String,
    names: Vec<NameEntry>,
    trigrams: KeyedBuilder<Trigram>,
    /// Number of trigrams in the name of each card, from the first card of the range.
    sizes: Vec<u8>,
    /// Buffer for the trigrams of one name.
    buffer: Vec<Trigram>,
}

impl NameFacts {
    pub(super) fn new(first: u32) -> Self {
        Self {
            first,
            keys: String::new(),
            names: Vec::new(),
            trigrams: KeyedBuilder::default(),
            sizes: Vec::new(),
            buffer: Vec::new(),
        }
    }

    pub(super) fn add(&mut self, at: u32, name: &str) {
        let key = search_key(name);
        let Self { first, keys, names, trigrams, sizes, buffer } = self;
        trigrams_into(&key, buffer);
        // Cards without content have no name, and so no trigrams.
        sizes.resize((at - *first) as usize, 0);
        sizes.push(u8::try_from(buffer.len()).unwrap_or(u8::MAX));
        for trigram in buffer {
            trigrams.push(*trigram, at);
        }
        let mut beginning = [0; 8];
        beginning.iter_mut().zip(key.bytes()).for_each(|(to, byte)| *to = byte);
        let start = place(keys.len());
        keys.push_str(&key);
        names.push(NameEntry {
            beginning: u64::from_be_bytes(beginning),
            start,
            end: place(keys.len()),
            at,
            hash: hash_of_key(&key),
        });
    }

    /// Appends the names of the next range.
    pub(super) fn append(&mut self, later: Self) {
        let moved = place(self.keys.len());
        self.keys.push_str(&later.keys);
        self.names.extend(later.names.into_iter().map(|name| NameEntry {
            start: name.start + moved,
            end: name.end + moved,
            ..name
        }));
        self.trigrams.append(later.trigrams);
        self.sizes.resize((later.first - self.first) as usize, 0);
        self.sizes.extend(later.sizes);
    }

    pub(super) fn finish(self, cards: usize) -> Names {
        let Self { keys, mut names, trigrams, mut sizes, .. } = self;
        let key = |name: &NameEntry| &keys[name.start as usize..name.end as usize];
        names.sort_unstable_by(|one, other| {
            let beginning = one.beginning.cmp(&other.beginning);
            beginning.then_with(|| key(one).cmp(key(other))).then_with(|| one.at.cmp(&other.at))
        });
        let mut by_hash: Vec<(u32, u32)> = names.iter().map(|name| (name.hash, name.at)).collect();
        by_hash.sort_unstable();
        let mut places = vec![u32::MAX; cards];
        for (stands, name) in (0..).zip(&names) {
            places[name.at as usize] = stands;
        }
        sizes.resize(cards, 0);
        sizes.shrink_to_fit();
        Names {
            by_key: names.iter().map(|name| name.at).collect(),
            places,
            by_hash,
            trigrams: Keyed::without_ranges(in_order(trigrams.sets(|trigram| trigram).collect())),
            sizes,
        }
    }
}
