//! Print runs: planning, announcements, the list of runs, and statistics that compare registered copies with printed
//! ones. Serial codes are generated only on the command line.

pub mod print_commitments;
pub mod print_plans;
pub mod print_promises;
pub mod print_runs;
pub mod print_statistics;
