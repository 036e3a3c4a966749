//! What players say of what others made, whatever it is: designs and decks.

pub mod comment;
pub mod subject;
