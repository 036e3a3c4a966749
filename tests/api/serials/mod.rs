//! Submissions, batches, reviews, attempts, unlocks, unlock policies, community.

mod attempts_in_flight;
mod codes_in_texts;
mod community;
pub mod permissions;
mod serial_look_ups;
mod submission_batches;
mod submission_groups;
mod submissions;
mod unlock_policies;
mod unlocks;
mod votes;
