//! The index of all cards in memory, for the whole query language.
//!
//! [`Index`] belongs to one writer, which applies changes. Readers take a [`Snapshot`], which never changes and blocks no other reader or writer. The content
//! of hidden cards is not in the index: it knows only their place and unlock state. The few hidden cards that a requester may see are passed with the query
//! ([`View`]) and tested separately.
//!
//! Results equal those of the database: a missing value makes a test fail and its negation hold, and texts are ordered
//! by bytes.

mod answer;
mod judge;
mod naive;
#[cfg(test)]
mod name_tests;
mod names;
mod nearest;
#[cfg(test)]
mod page_tests;
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

pub use answer::{
    Count, FacetAttribute, FacetCount, FacetSource, Facets, Hit, MAX_FACET_VALUES, Page,
};
pub use names::{MAX_NAMED, NamePlace, NameQuery, NamedCard};
pub use position::Position;
pub use progress::Counts;
pub use record::{CardContent, CardRecord, Change, EffectTags, PrintingRecord, Unlock};
pub use releases::Releases;
pub use runner::{Runner, Task};
pub use snapshot::{OpenName, Snapshot, View, needs_progress};
pub use writer::{Builder, Compacted, Compaction, Index};
