//! Deck lists as players store them.

pub mod allocation;
pub mod availability;
pub mod content;
pub mod deck;
pub mod details;
pub mod diff;
pub mod follows;
pub mod judging;
pub mod list;
pub mod list_addition;
pub mod named_copies;
pub mod own;
pub mod public;
pub mod rarities;
pub mod reservation;
pub mod set_codes;
pub mod trade_effect;
pub mod zones;
