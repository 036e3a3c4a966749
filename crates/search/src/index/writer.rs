//! The writer's side: cards are put in, and old segments merged.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use chrono::NaiveDate;

use super::record::{CardRecord, Change};
use super::runner::{Runner, Sequential};
use super::segment::{Segment, SegmentBuilder};
use super::snapshot::{Part, Snapshot};

/// Segments up to so many cards are merged at once with new cards: that takes a few milliseconds.
const MERGED_AT_ONCE: u64 = if cfg!(test) { 16 } else { 512 };
/// With more segments than this a compaction is due.
const MAX_PARTS: usize = if cfg!(test) { 3 } else { 8 };
/// One in so many cards that is gone, or not in the first segment, makes a compaction of all due.
const STALE: u64 = 8;
/// Fewer stale cards than this never do.
const FEW_STALE: u64 = if cfg!(test) { 20 } else { 10_000 };

/// Makes an index of many cards.
#[derive(Default)]
pub struct Builder {
    segment: SegmentBuilder,
    index: Index,
}

impl Builder {
    /// An empty one.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a card; the order does not matter. Of several with one id the last counts.
    pub fn push(&mut self, card: CardRecord) {
        self.segment.push(&card);
    }

    /// Notes when a set came out.
    pub fn released(&mut self, game: String, set: String, day: Option<NaiveDate>) {
        self.index.apply(vec![Change::Released { game, set, day }]);
    }

    /// Notes attributes that queries add up ([`crate::Test::Number`], [`crate::SumOf`]). Other sums are answered too, card by card.
    pub fn sum(&mut self, attributes: Vec<String>) {
        self.index.sums.insert(attributes);
    }

    /// The index, made on the thread that calls.
    pub fn finish(self) -> Index {
        self.finish_with(&Sequential)
    }

    /// The index, made by the runner: the same one as that of [`Builder::finish`].
    pub fn finish_with(self, runner: &dyn Runner) -> Index {
        let Self { segment, mut index } = self;
        let segment = segment.finish(&index.sums, runner);
        let now = Arc::make_mut(&mut index.now);
        now.parts.extend(part_of(segment));
        index
    }
}

/// The cards, for the one who changes them; hands out snapshots.
#[derive(Clone, Debug, Default)]
pub struct Index {
    now: Arc<Snapshot>,
    sums: BTreeSet<Vec<String>>,
}

/// A segment of which every card is alive; `None`: it has no card.
fn part_of(segment: Segment) -> Option<Part> {
    let live = Arc::new(segment.all());
    (segment.len() > 0).then(|| Part { segment: Arc::new(segment), live })
}

impl Index {
    /// The cards as they are now; costs nothing.
    pub fn snapshot(&self) -> Arc<Snapshot> {
        Arc::clone(&self.now)
    }

    /// Notes attributes that queries add up, for the cards that come from now on, and for all with the next compaction.
    pub fn sum(&mut self, attributes: Vec<String>) {
        self.sums.insert(attributes);
    }

    /// Carries changes out, in their order; snapshots that were taken before do not see them. Doing one twice changes nothing.
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

    /// Work that makes the index smaller and faster again, when some is due. Ask after changes.
    pub fn compaction(&self) -> Option<Compaction> {
        let parts = &self.now.parts;
        let live = |parts: &[Part]| parts.iter().map(|part| part.live.len()).sum::<u64>();
        let all: u64 = parts.iter().map(|part| part.segment.len() as u64).sum();
        let first = parts.first()?;
        let stale = all - first.live.len();
        let is_stale = stale > FEW_STALE && stale * STALE > live(parts);
        // The largest is left as it is, unless too little of it is left.
        let inputs = match (is_stale, parts.len() > MAX_PARTS) {
            (true, _) => parts.clone(),
            (false, true) => parts[usize::from(live(&parts[1..]) * STALE < live(parts))..].to_vec(),
            (false, false) => return None,
        };
        Some(Compaction { inputs, sums: self.sums.clone() })
    }

    /// Puts in what a compaction made. Changes since it began are kept.
    pub fn install(&mut self, compacted: Compacted) {
        let Compacted { inputs, segment } = compacted;
        let now = Arc::make_mut(&mut self.now);
        let mut live = segment.all();
        for input in &inputs {
            let same = |part: &Part| Arc::ptr_eq(&part.segment, &input.segment);
            let current = now.parts.iter().position(same).map(|at| now.parts.remove(at));
            // What became of a card since stands in a newer segment.
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
        // The largest stands first, the smallest last, where new cards are merged with it.
        now.parts.sort_by_key(|part| std::cmp::Reverse(part.live.len()));
    }
}

/// Segments that are to become one. Changes may go on meanwhile.
#[derive(Debug)]
pub struct Compaction {
    inputs: Vec<Part>,
    sums: BTreeSet<Vec<String>>,
}

impl Compaction {
    /// Does the work: some ten seconds for a million cards, on the thread that calls it.
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

/// What a compaction made.
#[derive(Debug)]
pub struct Compacted {
    inputs: Vec<Part>,
    segment: Arc<Segment>,
}
