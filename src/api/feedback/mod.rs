//! Common parts of feedback on designs and on decks. The operations are in the modules of designs and decks.

pub mod comments;
