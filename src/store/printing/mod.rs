//! Print runs: `press` mints them, under the locks of `press_locks`; the other modules store plans, commitments, statistics
//! and the keys that they depend on.

pub mod discarded_runs;
pub mod key_fingerprints;
pub mod press;
pub(in crate::store) mod press_locks;
pub mod print_commitments;
pub mod print_runs;
pub mod print_statistics;
