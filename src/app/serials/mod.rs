//! Serials: submissions of codes, one by one and in batches, the moderators' reviews of them, the limits on guesses; how far hidden cards are, what
//! unlocks them, and what the community did for it.

pub mod community;
pub(in crate::app) mod serial_attempts;
pub mod submission_answers;
pub mod submission_batches;
pub mod submission_reviews;
pub mod submissions;
pub mod unlock_policies;
pub mod unlocks;
