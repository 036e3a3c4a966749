//! What can be asked of printing: runs, plans, announcements, and whether what players register looks like what was printed. Codes are made on the command
//! line alone.

pub mod print_commitments;
pub mod print_plans;
pub mod print_runs;
pub mod print_statistics;
