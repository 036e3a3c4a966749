//! The writer's side: adds cards, and merges old segments.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use chrono::NaiveDate;

use super::record::{CardRecord, Change};
use super::runner::{Runner, Sequential};
use super::segment::{Segment, SegmentBuilder};
use super::snapshot::{Part, Snapshot};

/// Segments of up to this many cards are merged with new cards at once: this takes a few milliseconds.
const MERGED_AT_ONCE: u64 = if cfg!(test) { 16 } else { 512 };
/// With more segments than this, a compaction is due.
const MAX_PARTS: usize = if cfg!(test) { 3 } else { 8 };
/// If one in this many cards was deleted, or is not in the first segment, a compaction of all segments is due.
const STALE: u64 = 8;
/// With fewer stale cards than this, it never is.
const FEW_STALE: u64 = if cfg!(test) { 20 } else { 10_000 };

/// Builds an index of many cards.
#[derive(Default)]
pub struct Builder {
    segment: SegmentBuilder,
    index: Index,
}

impl Builder {
    /// An empty builder.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a card, in any order. Of several with the same id, the last counts.
    pub fn push(&mut self, card: CardRecord) {
        self.segment.push(&card);
    }

    /// Records the release day of a set.
    pub fn released(&mut self, game: String, set: String, day: Option<NaiveDate>) {
        self.index.apply(vec![Change::Released { game, set, day }]);
    }

    /// Declares a sum of attributes that queries use ([`crate::Test::Number`], [`crate::SumOf`]), to be indexed. Other
    /// sums are computed card by card.
    pub fn sum(&mut self, attributes: Vec<String>) {
        self.index.sums.insert(attributes);
    }

    /// Builds the index on the calling thread.
    pub fn finish(self) -> Index {
        self.finish_with(&Sequential)
    }

    /// Builds the index with a runner: the same index as with [`Builder::finish`].
    pub fn finish_with(self, runner: &dyn Runner) -> Index {
        let Self { segment, mut index } = self;
        let segment = segment.finish(&index.sums, runner);
        let now = Arc::make_mut(&mut index.now);
        now.parts.extend(part_of(segment));
        index
    }
}

/// The cards, for their only writer; provides snapshots.
#[derive(Clone, Debug, Default)]
pub struct Index {
    now: Arc<Snapshot>,
    sums: BTreeSet<Vec<String>>,
}

/// A segment without deleted cards; `None`: it has no card.
fn part_of(segment: Segment) -> Option<Part> {
    let live = Arc::new(segment.all());
    (segment.len() > 0).then(|| Part { segment: Arc::new(segment), live })
}

impl Index {
    /// The current cards; this costs nothing.
    pub fn snapshot(&self) -> Arc<Snapshot> {
        Arc::clone(&self.now)
    }

    /// Applies changes in order; earlier snapshots do not see them. Applying a change twice has no further effect.
    pub fn apply(&mut self, changes: Vec<Change>) {
        let now = Arc::make_mut(&mut self.now);
        let mut cards: BTreeMap<u128, Option<Box<CardRecord>>> = BTreeMap::new();
        for change in changes {
            match change {
                Change::Put(card) => {
                    cards.insert(card.id, Some(card));
                }
                Change::Remove(id) => {
                    cards.insert(id, None);
                }
                Change::Released { game, set, day } => {
                    Arc::make_mut(&mut now.releases).insert(game, set, day);
                }
                Change::RemoveSet { game, set } => {
                    Arc::make_mut(&mut now.releases).remove(game, set);
                }
            }
        }
        for part in &mut now.parts {
            for at in cards.keys().filter_map(|id| part.segment.find(*id)) {
                if part.live.contains(at) {
                    Arc::make_mut(&mut part.live).remove(at);
                }
            }
        }
        now.parts.retain(|part| !part.live.is_empty());
        let mut segment = SegmentBuilder::default();
        let mut all = 0;
        for card in cards.into_values().flatten() {
            segment.push(&card);
            all += 1;
        }
        if all == 0 {
            return;
        }
        while let Some(last) = now.parts.last()
            && last.live.len() <= 2 * all
            && last.live.len() + all <= MERGED_AT_ONCE
        {
            for at in last.live.iter() {
                segment.push(&last.segment.record(at));
            }
            all += last.live.len();
            now.parts.pop();
        }
        now.parts.extend(part_of(segment.finish(&self.sums, &Sequential)));
    }

    /// A compaction that makes the index smaller and faster again, if one is due. To be called after changes.
    pub fn compaction(&self) -> Option<Compaction> {
        let parts = &self.now.parts;
        let live = |parts: &[Part]| parts.iter().map(|part| part.live.len()).sum::<u64>();
        let all: u64 = parts.iter().map(|part| part.segment.len() as u64).sum();
        let first = parts.first()?;
        let stale = all - first.live.len();
        let is_stale = stale > FEW_STALE && stale * STALE > live(parts);
        // The largest segment is kept, unless too many of its cards were deleted.
        let inputs = match (is_stale, parts.len() > MAX_PARTS) {
            (true, _) => parts.clone(),
            (false, true) => parts[usize::from(live(&parts[1..]) * STALE < live(parts))..].to_vec(),
            (false, false) => return None,
        };
        Some(Compaction { inputs, sums: self.sums.clone() })
    }

    /// Installs the result of a compaction. Changes since its start are kept.
    pub fn install(&mut self, compacted: Compacted) {
        let Compacted { inputs, segment } = compacted;
        let now = Arc::make_mut(&mut self.now);
        let mut live = segment.all();
        for input in &inputs {
            let same = |part: &Part| Arc::ptr_eq(&part.segment, &input.segment);
            let current = now.parts.iter().position(same).map(|at| now.parts.remove(at));
            // Later changes of a card are in a newer segment.
            let gone = match &current {
                Some(current) => &*input.live - &*current.live,
                None => (*input.live).clone(),
            };
            for at in gone.iter().filter_map(|at| segment.find(input.segment.id(at))) {
                live.remove(at);
            }
        }
        if !live.is_empty() {
            now.parts.insert(0, Part { segment, live: Arc::new(live) });
        }
        // The largest segment is the first, and the smallest the last, with which new cards are merged.
        now.parts.sort_by_key(|part| std::cmp::Reverse(part.live.len()));
    }
}

/// Segments to be merged into one. Changes may continue in the meantime.
#[derive(Debug)]
pub struct Compaction {
    inputs: Vec<Part>,
    sums: BTreeSet<Vec<String>>,
}

impl Compaction {
    /// Merges the segments on the calling thread: this takes about ten seconds for a million cards.
    pub fn run(self) -> Compacted {
        let mut segment = SegmentBuilder::default();
        for Part { segment: from, live } in &self.inputs {
            for at in live.iter() {
                segment.push(&from.record(at));
            }
        }
        Compacted {
            segment: Arc::new(segment.finish(&self.sums, &Sequential)),
            inputs: self.inputs,
        }
    }
}

/// The result of a compaction.
#[derive(Debug)]
pub struct Compacted {
    inputs: Vec<Part>,
    segment: Arc<Segment>,
}
