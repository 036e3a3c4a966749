//! Submissions and what follows from them: registrations, votes, reviews, unlocks, unlock policies, community statistics.

pub mod community;
pub mod registration_groups;
mod registrations;
pub mod submission_reviews;
pub mod submissions;
pub mod unlock_policies;
pub mod unlocks;
pub(in crate::store) mod votes;
