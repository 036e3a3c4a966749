//! The cards in memory, found by everything that the query language knows.
//!
//! [`Index`] belongs to one writer, who puts changes into it; readers take a [`Snapshot`], which never changes and blocks nobody. What a
//! hidden card says is not in it: such a card is known by place and unlocking alone. The few hidden cards that one asker may see come with
//! the question ([`View`]), and are judged beside the index.
//!
//! Answers are those of the database: a missing value makes a test fail and its negation hold, texts are ordered by their bytes.

mod answer;
mod judge;
mod naive;
#[cfg(test)]
mod name_tests;
mod names;
mod nearest;
mod pattern;
#[cfg(test)]
mod phrase_tests;
mod position;
mod progress;
mod record;
mod releases;
mod runner;
mod segment;
mod snapshot;
#[cfg(test)]
mod tests;
mod writer;

pub use answer::{Count, FacetCount, FacetSource, Facets, Hit, Page};
pub use names::{MAX_NAMED, NamePlace, NameQuery, NamedCard};
pub use position::Position;
pub use progress::Counts;
pub use record::{CardContent, CardRecord, Change, EffectTags, PrintingRecord, Unlock};
pub use releases::Releases;
pub use runner::{Runner, Task};
pub use snapshot::{Snapshot, View, needs_progress};
pub use writer::{Builder, Compacted, Compaction, Index};
