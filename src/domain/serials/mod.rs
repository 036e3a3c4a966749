//! Serial codes, submissions of them, and what unlocks hidden cards.

pub mod serial;
pub mod submission;
pub mod unlock_policy;
