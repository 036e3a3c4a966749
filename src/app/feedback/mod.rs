//! Feedback that several capabilities take: comments on designs and decks.

pub mod comments;
pub mod problems;
