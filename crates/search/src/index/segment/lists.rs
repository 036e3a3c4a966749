//! Sets of cards by key: bitmaps for frequent keys, plain lists for rare ones, and unions of adjacent sets, so that
//! ranges of keys are fast.

use std::ops::Range;

use roaring::RoaringBitmap;

use super::growing::Growing;
use super::window::Window;

/// From this many ordinals on, a set is collected in a bit array.
const MANY: usize = if cfg!(test) { 8 } else { 1_024 };
/// Most unions of adjacent sets.
const MAX_BLOCKS: usize = 32;
/// Fewest sets in a union.
const MIN_BLOCK: usize = if cfg!(test) { 2 } else { 8 };

/// Sets by key, in the order of the keys.
#[derive(Debug)]
pub(in crate::index) struct Keyed<K> {
    keys: Vec<K>,
    lists: Lists,
}

impl<K: Ord> Keyed<K> {
    /// From sets in the order of their keys.
    pub(super) fn new(sets: impl IntoIterator<Item = (K, Growing)>) -> Self {
        let mut keyed = Self::without_ranges(sets);
        keyed.lists.unite_neighbours();
        keyed
    }

    /// The same without unions, for keys that are never queried by range.
    pub(super) fn without_ranges(sets: impl IntoIterator<Item = (K, Growing)>) -> Self {
        let mut keys = Vec::new();
        let mut lists = Lists::default();
        for (key, set) in sets {
            keys.push(key);
            lists.push(set);
        }
        keys.shrink_to_fit();
        lists.finish();
        Self { keys, lists }
    }

    pub(super) fn keys(&self) -> &[K] {
        &self.keys
    }

    pub(super) fn lists(&self) -> &Lists {
        &self.lists
    }

    pub(super) fn find<Q: Ord + ?Sized>(&self, key: &Q) -> Option<usize>
    where
        K: std::borrow::Borrow<Q>,
    {
        self.keys.binary_search_by(|one| one.borrow().cmp(key)).ok()
    }

    /// The cards with one of the keys, in a window.
    pub(super) fn any_of<'q, Q: Ord + ?Sized + 'q>(
        &self,
        keys: impl IntoIterator<Item = &'q Q>,
        window: &Window,
    ) -> RoaringBitmap
    where
        K: std::borrow::Borrow<Q>,
    {
        let found = keys.into_iter().filter_map(|key| self.find(key));
        self.lists.union(found, window)
    }

    /// Heap size in bytes, without what keys own elsewhere.
    pub(super) fn bytes(&self) -> usize {
        self.keys.capacity() * size_of::<K>() + self.lists.bytes()
    }
}

/// Sets of cards by index.
#[derive(Debug, Default)]
pub(super) struct Lists {
    /// Start of each set in `flat`, and the end of the last.
    starts: Vec<u32>,
    /// The cards of the sets that are lists.
    flat: Vec<u32>,
    /// The sets that are bitmaps, by index.
    bitmaps: Vec<(u32, RoaringBitmap)>,
    /// Unions of adjacent sets.
    blocks: Vec<RoaringBitmap>,
    block: usize,
}

impl Lists {
    fn push(&mut self, set: Growing) {
        let at = self.starts.len();
        self.starts.push(place(self.flat.len()));
        match set {
            Growing::One(one) => self.flat.push(one),
            Growing::Few(list) => self.flat.extend(list),
            // A copy has no spare capacity, while the grown bitmap has up to twice its size.
            Growing::Many(many) => {
                self.bitmaps.push((place(at), RoaringBitmap::clone(&many.finish())));
            }
        }
    }

    fn finish(&mut self) {
        self.starts.push(place(self.flat.len()));
        self.starts.shrink_to_fit();
        self.flat.shrink_to_fit();
        self.bitmaps.shrink_to_fit();
        self.block = self.len().max(1);
    }

    fn unite_neighbours(&mut self) {
        self.block = self.len().div_ceil(MAX_BLOCKS).max(MIN_BLOCK);
        if self.len() <= 2 * MIN_BLOCK {
            return;
        }
        for from in (0..self.len()).step_by(self.block) {
            let to = (from + self.block).min(self.len());
            let mut union = self.union(from..to, &Window::ALL);
            union.optimize();
            self.blocks.push(union.clone());
        }
    }

    pub(super) fn len(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }

    /// The set at an index, as a list or a bitmap.
    pub(super) fn get(&self, at: usize) -> Set<'_> {
        let list = &self.flat[self.starts[at] as usize..self.starts[at + 1] as usize];
        if list.is_empty()
            && let Ok(found) = self.bitmaps.binary_search_by_key(&place(at), |(at, _)| *at)
        {
            return Set::Bitmap(&self.bitmaps[found].1);
        }
        Set::List(list)
    }

    /// The cards of some sets, in a window.
    pub(super) fn union(
        &self,
        places: impl IntoIterator<Item = usize>,
        window: &Window,
    ) -> RoaringBitmap {
        let mut union = RoaringBitmap::default();
        let mut few: Vec<u32> = Vec::new();
        for at in places {
            match self.get(at) {
                Set::List(list) => few.extend(window.of_list(list)),
                Set::Bitmap(bitmap) => window.add(bitmap, &mut union),
            }
        }
        union |= set_of(few);
        union
    }

    /// The cards of adjacent sets, in a window.
    pub(super) fn range(&self, places: Range<usize>, window: &Window) -> RoaringBitmap {
        let Range { start, end } = places;
        if start >= end {
            return RoaringBitmap::default();
        }
        let (first, last) = (start.div_ceil(self.block), end / self.block);
        if self.blocks.is_empty() || first >= last {
            return self.union(start..end, window);
        }
        let edges = (start..first * self.block).chain(last * self.block..end);
        let mut union = self.union(edges, window);
        for block in &self.blocks[first..last] {
            window.add(block, &mut union);
        }
        union
    }

    pub(super) fn bytes(&self) -> usize {
        let bitmaps = self.bitmaps.iter().map(|(_, bitmap)| bitmap).chain(&self.blocks);
        let bitmaps: usize = bitmaps.map(bitmap_bytes).sum();
        (self.starts.capacity() + self.flat.capacity()) * size_of::<u32>()
            + self.bitmaps.capacity() * size_of::<(u32, RoaringBitmap)>()
            + self.blocks.capacity() * size_of::<RoaringBitmap>()
            + bitmaps
    }
}

/// The set of some ordinals, in any order.
pub(super) fn set_of(mut ordinals: Vec<u32>) -> RoaringBitmap {
    if ordinals.len() < MANY {
        ordinals.sort_unstable();
        ordinals.dedup();
        return RoaringBitmap::from_sorted_iter(ordinals).unwrap_or_default();
    }
    // Setting a bit for each is faster than sorting them.
    let ends = ordinals.iter().copied().min().zip(ordinals.iter().copied().max());
    let Some((first, last)) = ends else { return RoaringBitmap::new() };
    let first = first / u8::BITS * u8::BITS;
    let mut bits = vec![0_u8; ((last - first) / u8::BITS) as usize + 1];
    for one in ordinals {
        bits[((one - first) / u8::BITS) as usize] |= 1 << ((one - first) % u8::BITS);
    }
    RoaringBitmap::from_lsb0_bytes(first, &bits)
}

/// Bytes of a bitmap on the heap.
pub(super) fn bitmap_bytes(bitmap: &RoaringBitmap) -> usize {
    let stored = bitmap.statistics();
    let containers = stored.n_containers as usize;
    stored.n_values_array_containers as usize * size_of::<u16>()
        + stored.n_bitset_containers as usize * BITSET
        + usize::try_from(stored.n_bytes_run_containers).unwrap_or(usize::MAX)
        // Each is a separate allocation with its own header.
        + containers * CONTAINER
}

/// Size of a container with a bit for each of its 65,536 numbers, in bytes.
const BITSET: usize = 8_192;
/// Overhead of a container besides its numbers, in bytes.
const CONTAINER: usize = 56;

/// A set as it is stored.
#[derive(Clone, Copy)]
pub(super) enum Set<'a> {
    List(&'a [u32]),
    Bitmap(&'a RoaringBitmap),
}

impl Set<'_> {
    /// Number of ordinals.
    pub(super) fn len(&self) -> u64 {
        match self {
            Self::List(list) => list.len() as u64,
            Self::Bitmap(bitmap) => bitmap.len(),
        }
    }

    pub(super) fn contains(&self, one: u32) -> bool {
        match self {
            Self::List(list) => list.binary_search(&one).is_ok(),
            Self::Bitmap(bitmap) => bitmap.contains(one),
        }
    }

    /// Passes the ordinals in a range to `report`, in order and in chunks, so that the kind of set or container is not
    /// checked for each ordinal.
    pub(super) fn each_within(&self, range: &Range<u32>, mut report: impl FnMut(&[u32])) {
        match self {
            Self::List(list) => report(of_range(list, range)),
            Self::Bitmap(bitmap) => {
                let (mut buffer, mut rest) = ([0; 256], bitmap.range(range.clone()));
                loop {
                    let next = rest.next_many(&mut buffer);
                    if next.is_empty() {
                        return;
                    }
                    report(next);
                }
            }
        }
    }

    /// Approximate number of ordinals in a range, out of `all` cards.
    pub(super) fn about_within(&self, range: &Range<u32>, all: usize) -> usize {
        match self {
            Self::List(list) => of_range(list, range).len(),
            Self::Bitmap(bitmap) => {
                let many = bitmap.len() * range.len() as u64 / all.max(1) as u64;
                usize::try_from(many).unwrap_or(usize::MAX)
            }
        }
    }

    /// How many of them are in another set.
    pub(super) fn count_in(&self, other: &RoaringBitmap) -> u64 {
        match self {
            Self::List(list) => {
                between(list, other).iter().filter(|one| other.contains(**one)).count() as u64
            }
            Self::Bitmap(bitmap) => bitmap.intersection_len(other),
        }
    }

    /// Those that are also in another set, from a card on, in order.
    pub(super) fn both<'s>(
        &'s self,
        other: &'s RoaringBitmap,
        from: u32,
    ) -> Box<dyn Iterator<Item = u32> + 's> {
        match self {
            Self::List(list) => {
                let list = between(list, other);
                let start = list.partition_point(|one| *one < from);
                Box::new(list[start..].iter().copied().filter(|one| other.contains(*one)))
            }
            Self::Bitmap(bitmap) if bitmap.len() <= other.len() => {
                Box::new(bitmap.range(from..).filter(|one| other.contains(*one)))
            }
            Self::Bitmap(bitmap) => {
                Box::new(other.range(from..).filter(|one| bitmap.contains(*one)))
            }
        }
    }
}

/// The part of a sorted list that is in a range.
fn of_range<'l>(list: &'l [u32], range: &Range<u32>) -> &'l [u32] {
    let start = list.partition_point(|one| *one < range.start);
    let length = list[start..].partition_point(|one| *one < range.end);
    &list[start..start + length]
}

/// The part of a sorted list between the ends of a set: empty for most lists, when the cards of one set are counted.
fn between<'l>(list: &'l [u32], other: &RoaringBitmap) -> &'l [u32] {
    let (Some(first), Some(last)) = (other.min(), other.max()) else { return &[] };
    let start = list.partition_point(|one| *one < first);
    let length = list[start..].partition_point(|one| *one <= last);
    &list[start..start + length]
}

#[expect(clippy::cast_possible_truncation, reason = "an index has fewer than 2^32 entries")]
pub(super) fn place(at: usize) -> u32 {
    at as u32
}
