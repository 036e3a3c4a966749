//! Submissions, batches, reviews, unlocks, unlock policies, community.

pub mod community;
pub mod submission_batches;
pub mod submission_reviews;
pub mod submissions;
pub mod unlock_policies;
pub mod unlocks;
