//! Feedback of players on designs and decks.

pub mod comment;
pub mod subject;
