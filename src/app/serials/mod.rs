//! Serials: submissions of codes, single and in batches; their review by moderators; limits on guesses; the progress of
//! hidden cards, unlock policies, and community statistics.

pub mod community;
pub(in crate::app) mod serial_attempts;
pub mod submission_answers;
pub mod submission_batches;
pub mod submission_reviews;
pub mod submissions;
pub mod unlock_policies;
pub mod unlocks;
