//! The values and decisions of the service, for example the form of serial codes, when a card unlocks, and the length of passwords.
//!
//! Everything here is pure: no SQL, no HTTP, no reading of the clock. Values are parsed once, when they enter the service;
//! code that has such a value need not check it again.

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
pub mod json_errors;
pub mod network;
pub mod operations;
pub mod pointer;
pub mod printing;
pub mod serials;
pub mod text;
