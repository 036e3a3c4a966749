//! Feedback for several capabilities: comments on designs and decks, and takedowns of them.

pub mod comments;
pub mod hidden_comments;
pub mod problems;
pub mod takedowns;
