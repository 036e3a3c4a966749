//! A range of ordinals in which a condition is evaluated.
//!
//! A page of a list by place is often full after the first few thousand cards. So the entries are searched in one
//! window after the other, and the sets of a condition are read only that far.

use std::borrow::Cow;
use std::cmp::{max, min};
use std::ops::Range;

use roaring::RoaringBitmap;

use super::super::judge::Judge;
use super::super::position::After;
use super::Segment;
use super::lists::place;
use crate::{KnownTest, Predicate, SortKey};

/// Size of the first window: the ordinals of one bitmap container, so that cutting copies whole containers.
const FIRST: u32 = if cfg!(test) { 5 } else { 1 << 16 };

/// A window is small if it contains fewer than one in this many cards.
const SMALL: usize = 4;

/// Ordinals from the first up to but excluding the second.
#[derive(Debug)]
pub(in crate::index) struct Window {
    range: Range<u32>,
    /// The same range as a set; `None`: nothing is cut.
    cards: Option<RoaringBitmap>,
}

impl Window {
    pub(super) fn new(range: Range<u32>, segment: &Segment) -> Self {
        if range == (0..place(segment.len())) {
            return Self { range, cards: None };
        }
        let mut cards = RoaringBitmap::new();
        cards.insert_range(range.clone());
        // Intersecting two bitsets is faster than a bitset and a run.
        cards.remove_run_compression();
        Self { range, cards: Some(cards) }
    }

    /// The window to which a condition limits itself ([`Segment::bounds`]). Cutting sets is faster than reading them
    /// completely if the window is a small part.
    fn bounding(range: Range<u32>, segment: &Segment) -> Self {
        if range.len() > segment.len() / SMALL {
            return Self { range, cards: None };
        }
        Self::new(range, segment)
    }

    /// Every card.
    pub(super) const ALL: Self = Self { range: 0..u32::MAX, cards: None };

    /// The part of a set in the window.
    pub(in crate::index) fn within<'s>(&self, set: &'s RoaringBitmap) -> Cow<'s, RoaringBitmap> {
        match &self.cards {
            None => Cow::Borrowed(set),
            Some(cards) => Cow::Owned(set & cards),
        }
    }

    /// Like [`Self::within`], without a copy if the whole set is in the window.
    pub(super) fn restrict<'s>(&self, set: Cow<'s, RoaringBitmap>) -> Cow<'s, RoaringBitmap> {
        match &self.cards {
            None => set,
            Some(cards) => Cow::Owned(&*set & cards),
        }
    }

    /// Adds the part of a set in the window to another set.
    pub(super) fn add(&self, set: &RoaringBitmap, to: &mut RoaringBitmap) {
        match &self.cards {
            None => *to |= set,
            Some(cards) => *to |= set & cards,
        }
    }

    /// The part of a sorted list in the window.
    pub(super) fn of_list<'l>(&self, list: &'l [u32]) -> &'l [u32] {
        self.of_sorted(list, |one| *one)
    }

    /// The same for a list that is sorted by an ordinal.
    pub(super) fn of_sorted<'l, T>(&self, list: &'l [T], at: impl Fn(&T) -> u32) -> &'l [T] {
        if self.cards.is_none() {
            return list;
        }
        let start = list.partition_point(|one| at(one) < self.range.start);
        let length = list[start..].partition_point(|one| at(one) < self.range.end);
        &list[start..start + length]
    }

    /// Whether an ordinal is in the window.
    pub(super) fn contains(&self, at: u32) -> bool {
        self.range.contains(&at)
    }

    /// The part of a range in the window.
    pub(super) fn of_range(&self, range: Range<u32>) -> Range<u32> {
        intersection(&self.range, &range)
    }
}

impl Segment {
    /// All cards that may match, in one window.
    pub(in crate::index) fn window(&self, judge: &Judge<'_>) -> Window {
        Window::bounding(self.bounds(&judge.query.predicate), self)
    }

    /// The windows for a count, one after the other.
    pub(in crate::index) fn windows(
        &self,
        judge: &Judge<'_>,
    ) -> impl Iterator<Item = Window> + use<'_> {
        split(self.bounds(&judge.query.predicate), false).map(|range| Window::new(range, self))
    }

    /// The windows in which entries after a position are searched, one after the other.
    pub(in crate::index) fn windows_of_page(
        &self,
        judge: &Judge<'_>,
        after: Option<&After<'_>>,
    ) -> impl Iterator<Item = Window> + use<'_> {
        let query = judge.query;
        let is_by_place = query.sort == SortKey::Place;
        let mut bounds = self.bounds(&query.predicate);
        if is_by_place && let Some(after) = after {
            let at = self.first_from(after.place);
            let rest = if query.descending { 0..at.saturating_add(1) } else { at..u32::MAX };
            bounds = intersection(&bounds, &rest);
        }
        let whole = (!is_by_place).then(|| Window::bounding(bounds.clone(), self));
        let parts = is_by_place.then(|| split(bounds, query.descending));
        let parts = parts.into_iter().flatten().map(|range| Window::new(range, self));
        whole.into_iter().chain(parts)
    }

    /// The range of cards that may match, judged by the sets and games in the condition: the cards of a set are
    /// adjacent.
    fn bounds(&self, predicate: &Predicate) -> Range<u32> {
        let of_sets = |wanted: &dyn Fn(&super::SetRange) -> bool| {
            let sets = self.sets.iter().filter(|set| wanted(set));
            sets.map(|set| set.start..set.end).reduce(|all, one| hull(&all, &one))
        };
        let bounds = match predicate {
            Predicate::All(parts) => {
                let whole = 0..place(self.len());
                return parts
                    .iter()
                    .fold(whole, |all, part| intersection(&all, &self.bounds(part)));
            }
            Predicate::Any(parts) => {
                let parts = parts.iter().map(|part| self.bounds(part));
                parts.filter(|part| !part.is_empty()).reduce(|all, one| hull(&all, &one))
            }
            Predicate::Known { negated: false, test: KnownTest::Set(code) } => {
                of_sets(&|set| *set.set == **code)
            }
            Predicate::Known { negated: false, test: KnownTest::Game(code) } => {
                of_sets(&|set| *set.game == **code)
            }
            Predicate::Known { .. } | Predicate::Content { .. } => Some(0..place(self.len())),
        };
        bounds.unwrap_or(0..0)
    }
}

/// Parts of a range, in ascending or descending order; each is twice as long as the previous one, so that there are
/// few.
fn split(range: Range<u32>, descending: bool) -> impl Iterator<Item = Range<u32>> {
    let mut rest = range;
    let mut width = FIRST;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let part = if descending {
            let start = (rest.end - 1) / FIRST * FIRST;
            max(start.saturating_sub(width - FIRST), rest.start)..rest.end
        } else {
            let end = (rest.start / FIRST + 1).saturating_mul(FIRST);
            rest.start..min(end.saturating_add(width - FIRST), rest.end)
        };
        rest = if descending { rest.start..part.start } else { part.end..rest.end };
        width = width.saturating_mul(2);
        Some(part)
    })
}

fn intersection(one: &Range<u32>, other: &Range<u32>) -> Range<u32> {
    let start = max(one.start, other.start);
    start..max(start, min(one.end, other.end))
}

fn hull(one: &Range<u32>, other: &Range<u32>) -> Range<u32> {
    min(one.start, other.start)..max(one.end, other.end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_parts_cover_the_range_and_grow() {
        for start in 0..12 {
            for end in 0..60 {
                let up: Vec<_> = split(start..end, false).collect();
                let mut down: Vec<_> = split(start..end, true).collect();
                down.reverse();
                for parts in [&up, &down] {
                    let all: Vec<u32> = parts.iter().cloned().flatten().collect();
                    assert_eq!(all, (start..end).collect::<Vec<_>>());
                    assert!(parts.iter().all(|part| !part.is_empty()));
                }
                assert!(up.len() <= 5, "{up:?}");
                // Whole containers except at the ends.
                assert!(up.iter().skip(1).all(|part| part.start % FIRST == 0), "{up:?}");
                assert!(down.iter().skip(1).all(|part| part.start % FIRST == 0), "{down:?}");
            }
        }
    }
}
