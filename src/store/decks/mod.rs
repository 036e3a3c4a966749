//! Deck lists, and the cards that judging them needs.

pub mod deck_lists;
pub mod deck_pool;
