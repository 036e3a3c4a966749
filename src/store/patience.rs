//! How long one statement of work that is no ordinary request may take ([`Store::patient`](super::Store::patient)). Each is a little more than the
//! time limit that the work sets on the server, which is to speak first.

use std::time::Duration;

/// Imports, edits, moves and merges of cards, which wait for each other: 125 s.
pub const CATALOGUE: Duration = Duration::from_secs(125);

/// Bulk files, unlocking many cards, housekeeping: 65 s.
pub const BATCH: Duration = Duration::from_secs(65);

/// Discarding the copies of a print run: an hour.
pub const MINT: Duration = Duration::from_hours(1);

/// Large requests of many short statements, collection imports say: each may take as long as any, and all of them together longer: 2.4 s.
pub const LARGE: Duration = Duration::from_millis(2_400);
