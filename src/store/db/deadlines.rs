//! Time limits of statements in work that is not an ordinary request
//! ([`Store::with_deadline`](crate::store::Store::with_deadline)). Each is slightly longer than the time limit that the
//! work sets on the server, so that the server's error arrives first.

use std::time::Duration;

/// Imports, edits, moves and merges of cards, which wait for each other: 125 s.
pub const CATALOGUE: Duration = Duration::from_secs(125);

/// Bulk files, unlocking many cards, bans: 65 s.
pub const BATCH: Duration = Duration::from_secs(65);

/// Deleting a batch of the copies of a discarded print run: 35 s.
pub const DELETION: Duration = Duration::from_secs(35);

/// Large requests of many short statements, such as collection imports: each statement has the usual limit, and all of
/// them together have more time: 2.4 s.
pub const LARGE: Duration = Duration::from_millis(2_400);
