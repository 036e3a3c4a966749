//! Print runs, plans, commitments, statistics, minting.

pub mod print_commitments;
pub mod print_plans;
pub mod print_runs;
pub mod print_statistics;
