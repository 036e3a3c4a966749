//! Print runs, plans, commitments, statistics, minting.

mod labels;
mod mint;
mod packs;
pub mod permissions;
mod print_commitments;
mod print_plans;
mod print_runs;
mod print_statistics;
