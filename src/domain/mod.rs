//! The service's own values and decisions: what a serial code is, when a card unlocks, how long a password must be.
//!
//! Everything here is pure: no SQL, no HTTP, no clock of its own. Values are parsed once, at the door; who holds one need
//! not check it again.

pub mod accounts;
pub mod catalogue;
pub mod clock;
pub mod code;
pub mod collection;
pub mod copies;
pub mod crockford;
pub mod csv_lines;
pub mod decks;
pub mod designs;
pub mod draw;
pub mod effects;
pub mod feedback;
pub mod hex;
pub mod ids;
pub mod network;
pub mod operations;
pub mod pointer;
pub mod printing;
pub mod serials;
pub mod text;
