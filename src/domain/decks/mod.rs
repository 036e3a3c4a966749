//! Deck lists as players store them.

pub mod deck;
