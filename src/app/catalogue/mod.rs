//! The catalogue: what games, sets and cards are, as everybody may see them.

pub mod card_search;
pub mod changes;
pub mod codes;
mod set_totals;
