//! Common parts of feedback on designs and on decks. The operations are with their subjects.

pub mod comments;
