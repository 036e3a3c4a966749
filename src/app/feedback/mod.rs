//! Feedback for several capabilities: comments on designs and decks.

pub mod comments;
pub mod hidden_comments;
pub mod problems;
