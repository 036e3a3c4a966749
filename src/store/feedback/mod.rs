//! Feedback that several capabilities take: comments, on what, and whose of it counts.

pub(super) mod bans_and_blocks;
pub mod comments;
pub(super) mod holds;
pub mod subject;
