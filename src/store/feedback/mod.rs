//! Feedback for several capabilities: comments, their subjects, and whose feedback counts.

pub(super) mod banned_works;
pub(super) mod bans_and_blocks;
pub mod comments;
pub mod hidden_comments;
pub(super) mod locks;
pub mod subject;
