//! The catalogue: what games, sets and cards are, as everybody may see them.

pub mod changes;
pub mod codes;
