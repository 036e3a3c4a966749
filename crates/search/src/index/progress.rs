//! Counted submissions for the unlock of cards. They change without changes of the catalogue, so they are not stored in
//! the index: callers pass them with a query.

use std::collections::HashMap;
use std::sync::Arc;

use super::record::{CardRecord, Unlock};
use super::segment::{Keyed, Segment};
use super::snapshot::Part;

/// Number of counted submissions by card, for all cards with submissions.
pub type Counts = HashMap<u128, i64>;

/// The counts, looked up for the cards of a snapshot.
#[derive(Debug)]
pub(super) struct Progress {
    counts: Arc<Counts>,
    /// For each segment, the cards that started hidden, by count.
    segments: Vec<(Arc<Segment>, Keyed<i128>)>,
}

impl Progress {
    pub(super) fn new<'p>(counts: &Arc<Counts>, parts: impl Iterator<Item = &'p Part>) -> Self {
        let keyed = |part: &Part| {
            let count = |id| i128::from(counts.get(&id).copied().unwrap_or_default());
            (Arc::clone(&part.segment), part.segment.started_hidden_by(count))
        };
        Self { counts: Arc::clone(counts), segments: parts.map(keyed).collect() }
    }

    /// The count of one card; `None`: it was always open.
    pub(super) fn of(&self, card: &CardRecord) -> Option<i64> {
        let count = || self.counts.get(&card.id).copied().unwrap_or_default();
        (card.unlock != Unlock::Never).then(count)
    }

    /// The cards of a segment that started hidden, by their count.
    pub(super) fn of_segment(&self, segment: &Segment) -> Option<&Keyed<i128>> {
        let is_wanted = |(one, _): &&(Arc<Segment>, _)| std::ptr::eq(Arc::as_ptr(one), segment);
        self.segments.iter().find(is_wanted).map(|(_, keyed)| keyed)
    }
}
