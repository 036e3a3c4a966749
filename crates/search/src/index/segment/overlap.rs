//! Counts how many trigrams the names of cards share with a typed one.
//!
//! A name of `m` trigrams is similar to a typed one of `n` when they share at least 3/13 of `n + m`, which is never
//! less than 3/10 of `n`. So fewer than that many of the most common trigrams need not be counted for every card: a
//! similar name also has a rarer one, and the common trigrams are looked up only for the few cards that share enough of
//! the others.

use std::ops::Range;

use roaring::RoaringBitmap;

use super::super::names::{Trigram, is_shared_enough, least_shared};
use super::Segment;
use super::lists::Set;

/// Most cards that are counted at a time. The counters of a million cards would not fit into the processor's cache.
const BLOCK: u32 = if cfg!(test) { 16 } else { 1 << 16 };
/// Counting this many cards of a set takes as long as looking up one card in it.
const LOOK_UP: usize = if cfg!(test) { 2 } else { 8 };

/// The sets of a typed name's trigrams, with buffers for counting their cards.
pub(super) struct Overlap<'s> {
    /// Number of trigrams in the name of each card.
    sizes: &'s [u8],
    /// The rarest first.
    rare: Vec<Set<'s>>,
    common: Vec<Set<'s>>,
    /// Number of trigrams in the typed name.
    typed: usize,
    /// Number of shared trigrams for each card of a block.
    counts: Vec<u8>,
    /// The cards that share any of the rare trigrams, relative to the beginning of the block.
    touched: Vec<u32>,
}

impl<'s> Overlap<'s> {
    pub(super) fn new(segment: &'s Segment, typed: &[Trigram]) -> Self {
        let keyed = &segment.names.trigrams;
        let sets = typed.iter().filter_map(|one| keyed.find(one));
        let mut rare: Vec<Set<'_>> = sets.map(|at| keyed.lists().get(at)).collect();
        rare.sort_by_cached_key(Set::len);
        // A similar name has at least one trigram that is not among the most common ones.
        let end = rare.len().saturating_sub(least_shared(typed.len()) - 1);
        let common = rare.split_off(end);
        let (counts, touched) = (Vec::new(), Vec::new());
        Self { sizes: &segment.names.sizes, rare, common, typed: typed.len(), counts, touched }
    }

    /// Reports the number of shared trigrams for each similar card of a window, and for each card of `wanted` in it. No
    /// card is reported twice.
    pub(super) fn count(
        &mut self,
        wanted: &RoaringBitmap,
        window: Range<u32>,
        mut report: impl FnMut(u32, usize),
    ) {
        if self.rare.is_empty() && wanted.is_empty() {
            return;
        }
        let mut candidates: Vec<u32> = Vec::new();
        let mut start = window.start;
        while start < window.end {
            // Blocks end where containers of bitmaps end.
            let end = (start / BLOCK + 1).saturating_mul(BLOCK).min(window.end);
            let touched = self.count_rare(&(start..end));
            candidates.clear();
            candidates.extend(wanted.range(start..end).map(|at| at - start));
            let kept = candidates.len();
            let many = self.common.len();
            let is_new = |slot: u32| kept == 0 || !wanted.contains(start + slot);
            let fits = |slot: &u32| self.may_be_alike(start, *slot, many) && is_new(*slot);
            candidates.extend(self.touched[..touched].iter().copied().filter(fits));
            self.count_common(start..end, &mut candidates, kept);
            for slot in &candidates {
                report(start + slot, self.counts[*slot as usize].into());
            }
            start = end;
        }
    }

    /// Counts the rare trigrams of each card of a block, and collects the cards that have any; returns their number.
    fn count_rare(&mut self, block: &Range<u32>) -> usize {
        let Self { rare, counts, touched, .. } = self;
        counts.clear();
        counts.resize(block.len(), 0);
        // One extra slot: cards that are not new are written there, and overwritten.
        if touched.len() <= block.len() {
            touched.resize(block.len() + 1, 0);
        }
        let mut many = 0;
        for set in rare {
            set.each_within(block, |cards| {
                // A local variable stays in a register; a field would be loaded and stored for each card.
                let mut end = many;
                for at in cards {
                    let slot = at - block.start;
                    let count = &mut counts[slot as usize];
                    touched[end] = slot;
                    end += usize::from(*count == 0);
                    *count = count.saturating_add(1);
                }
                many = end;
            });
        }
        many
    }

    /// Adds the common trigrams of the candidates, and drops those that cannot be similar any more; the first `kept`
    /// stay.
    fn count_common(&mut self, block: Range<u32>, candidates: &mut Vec<u32>, kept: usize) {
        for at in 0..self.common.len() {
            if candidates.is_empty() {
                return;
            }
            let (set, counts) = (self.common[at], &mut self.counts);
            if set.about_within(&block, self.sizes.len()) < candidates.len() * LOOK_UP {
                set.each_within(&block, |cards| {
                    for at in cards {
                        let count = &mut counts[(at - block.start) as usize];
                        *count = count.saturating_add(1);
                    }
                });
            } else {
                for slot in &*candidates {
                    let count = &mut counts[*slot as usize];
                    *count = count.saturating_add(u8::from(set.contains(block.start + slot)));
                }
            }
            let left = self.common.len() - at - 1;
            let mut place = 0;
            candidates.retain(|slot| {
                place += 1;
                place <= kept || self.may_be_alike(block.start, *slot, left)
            });
        }
    }

    /// Whether a card can still be similar when this many trigrams are not counted yet.
    fn may_be_alike(&self, start: u32, slot: u32, left: usize) -> bool {
        let size = self.sizes[(start + slot) as usize];
        let shared = usize::from(self.counts[slot as usize]) + left;
        is_shared_enough(shared, self.typed, size.into())
    }
}
