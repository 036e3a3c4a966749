//! Sets of cards under construction. Ordinals must be added in ascending order; sets of later cards can be appended.

use std::collections::hash_map::Entry;
use std::hash::Hash;

use roaring::RoaringBitmap;
use rustc_hash::FxHashMap;

use super::lists::{Keyed, set_of};

/// From this size on a set is a bitmap: below it, a list of numbers is smaller.
const BITMAP_FROM: usize = if cfg!(test) { 12 } else { 512 };
/// Most numbers in a container that is a list.
const MAX_ARRAY: usize = if cfg!(test) { 8 } else { 4_096 };

/// A bitmap to which ordinals are added in ascending order.
///
/// The ordinals of one container (those with the same upper 16 bits) are collected in a list and stored together:
/// inserting them one by one would search the container each time.
#[derive(Debug, Default)]
pub(super) struct BitmapBuilder {
    stored: RoaringBitmap,
    /// The lower 16 bits of the latest ordinals.
    recent: Vec<u16>,
    /// Their upper 16 bits.
    container: u16,
}

/// The container of an ordinal, and the position in it.
#[expect(clippy::cast_possible_truncation, reason = "the two halves of the number")]
fn halves(ordinal: u32) -> (u16, u16) {
    ((ordinal >> 16) as u16, ordinal as u16)
}

impl BitmapBuilder {
    fn last(&self) -> Option<u32> {
        let recent = self.recent.last().map(|low| self.ordinal(*low));
        recent.or_else(|| self.stored.max())
    }

    fn ordinal(&self, low: u16) -> u32 {
        u32::from(self.container) << 16 | u32::from(low)
    }

    /// Adds an ordinal that is not below the last one; repetitions are allowed.
    pub(super) fn push(&mut self, ordinal: u32) {
        debug_assert!(self.last().is_none_or(|last| last <= ordinal), "out of order: {ordinal}");
        let (container, low) = halves(ordinal);
        if container != self.container {
            self.store();
            self.container = container;
        }
        if self.recent.last() != Some(&low) {
            self.recent.push(low);
        }
    }

    fn store(&mut self) {
        let ordinals = self.recent.iter().map(|low| self.ordinal(*low));
        self.stored |= if self.recent.len() <= MAX_ARRAY {
            RoaringBitmap::from_sorted_iter(ordinals).unwrap_or_default()
        } else {
            set_of(ordinals.collect())
        };
        self.recent.clear();
    }

    /// Appends ordinals that are all greater than those in this set.
    pub(super) fn append(&mut self, later: Self) {
        self.store();
        self.stored |= later.finish();
        self.container = self.stored.max().map_or(0, |last| halves(last).0);
    }

    pub(super) fn finish(mut self) -> RoaringBitmap {
        self.store();
        self.stored
    }
}

/// A set that grows in ascending order. Most words and names belong to one card only, and such a set needs no memory of
/// its own.
#[derive(Debug)]
pub(super) enum Growing {
    One(u32),
    Few(Vec<u32>),
    Many(Box<BitmapBuilder>),
}

impl Growing {
    /// Adds an ordinal that is not below the last one; repetitions are allowed.
    pub(super) fn push(&mut self, ordinal: u32) {
        match self {
            Self::One(one) if *one == ordinal => {}
            Self::One(one) => {
                debug_assert!(*one < ordinal, "out of order: {ordinal}");
                *self = Self::Few(vec![*one, ordinal]);
            }
            Self::Few(list) if list.last() == Some(&ordinal) => {}
            Self::Few(list) if list.len() < BITMAP_FROM => {
                debug_assert!(list.last().is_none_or(|last| *last < ordinal), "{ordinal}");
                list.push(ordinal);
            }
            Self::Few(list) => {
                let mut many = Box::<BitmapBuilder>::default();
                for one in list {
                    many.push(*one);
                }
                many.push(ordinal);
                *self = Self::Many(many);
            }
            Self::Many(many) => many.push(ordinal),
        }
    }

    /// Appends a set whose ordinals are all greater than those in this one.
    pub(super) fn append(&mut self, later: Self) {
        match later {
            Self::One(ordinal) => self.push(ordinal),
            Self::Few(list) => list.into_iter().for_each(|ordinal| self.push(ordinal)),
            Self::Many(later) => {
                let mut many = Box::<BitmapBuilder>::default();
                match self {
                    Self::One(one) => many.push(*one),
                    Self::Few(list) => list.iter().for_each(|one| many.push(*one)),
                    Self::Many(own) => std::mem::swap(own, &mut many),
                }
                many.append(*later);
                *self = Self::Many(many);
            }
        }
    }
}

/// Sets by key, under construction.
#[derive(Debug)]
pub(super) struct KeyedBuilder<K>(FxHashMap<K, Growing>);

impl<K> Default for KeyedBuilder<K> {
    fn default() -> Self {
        Self(FxHashMap::default())
    }
}

impl<K: Eq + Hash> KeyedBuilder<K> {
    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    pub(super) fn contains(&self, key: &K) -> bool {
        self.0.contains_key(key)
    }

    /// Cards must come in ascending order.
    pub(super) fn push(&mut self, key: K, ordinal: u32) {
        match self.0.entry(key) {
            Entry::Occupied(mut set) => set.get_mut().push(ordinal),
            Entry::Vacant(none) => {
                none.insert(Growing::One(ordinal));
            }
        }
    }

    /// Appends sets whose cards all come after those in this one.
    pub(super) fn append(&mut self, later: Self) {
        self.0.reserve(later.len().saturating_sub(self.len()));
        for (key, set) in later.0 {
            match self.0.entry(key) {
                Entry::Occupied(mut own) => own.get_mut().append(set),
                Entry::Vacant(none) => {
                    none.insert(set);
                }
            }
        }
    }

    /// The sets, in any order; `to_key` converts the keys.
    pub(super) fn sets<T>(self, to_key: impl Fn(K) -> T) -> impl Iterator<Item = (T, Growing)> {
        self.0.into_iter().map(move |(key, set)| (to_key(key), set))
    }

    /// The sets, in the order of the keys; `to_key` converts the keys.
    pub(super) fn finish_as<T: Ord>(self, to_key: impl Fn(K) -> T) -> Keyed<T> {
        Keyed::new(in_order(self.sets(to_key).collect()))
    }

    pub(super) fn finish(self) -> Keyed<K>
    where
        K: Ord,
    {
        self.finish_as(|key| key)
    }
}

/// Sorts the sets by their keys, which are distinct.
pub(super) fn in_order<K: Ord>(mut sets: Vec<(K, Growing)>) -> Vec<(K, Growing)> {
    sets.sort_unstable_by(|(one, _), (other, _)| one.cmp(other));
    sets
}

#[cfg(test)]
mod tests {
    use super::super::lists::Set;
    use super::super::window::Window;
    use super::*;

    /// Ordinals of several containers, with few and with many in one.
    fn ordinals() -> Vec<u32> {
        let sparse = (0..6).map(|one| one * 40_000);
        let dense = (300_000..300_000 + 9_000).step_by(2);
        sparse.chain(dense).chain([1 << 20, u32::MAX]).collect()
    }

    #[test]
    fn ascending_ordinals_become_their_set() {
        let expected: RoaringBitmap = ordinals().into_iter().collect();
        let mut ascending = BitmapBuilder::default();
        for one in ordinals() {
            ascending.push(one);
            ascending.push(one);
        }
        assert_eq!(ascending.finish(), expected);
    }

    #[test]
    fn appended_sets_equal_sets_built_at_once() {
        let all = ordinals();
        let sets = |ordinals: &[u32]| {
            let mut sets = KeyedBuilder::default();
            for one in ordinals {
                sets.push("key", *one);
            }
            sets
        };
        for many in [1, 2, 5, 40, all.len()] {
            let all = &all[..many];
            let expected = sets(all).finish();
            for cut in (0..=many).step_by(1 + many / 50) {
                let mut first = sets(&all[..cut]);
                first.append(sets(&all[cut..]));
                let found = first.finish();
                assert_eq!(found.keys(), expected.keys());
                let cards = |keyed: &Keyed<&str>| keyed.any_of(["key"], &Window::ALL);
                assert_eq!(cards(&found), cards(&expected), "{cut} of {many}");
                assert_eq!(found.lists().get(0).len(), all.len() as u64);
                let is_list = |keyed: &Keyed<&str>| matches!(keyed.lists().get(0), Set::List(_));
                assert_eq!(is_list(&found), is_list(&expected), "{cut} of {many}");
            }
        }
    }
}
