//! The catalogue: what games, sets and cards are, as everybody may see them.

pub mod card_migrations;
pub mod cards;
pub mod codes;
