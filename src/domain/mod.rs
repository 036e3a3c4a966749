//! The service's own values and decisions: what a serial code is, when a card unlocks, how long a password must be.
//!
//! Everything here is pure: no SQL, no HTTP, no clock of its own. Values are parsed once, at the door; who holds one need
//! not check it again.

pub mod attempts;
pub mod audit;
pub mod bulk;
pub mod card_edit;
pub mod card_name;
pub mod clock;
pub mod code;
pub mod collection;
pub mod commitment;
pub mod crockford;
pub mod csv_lines;
pub mod deck;
pub mod dispute;
pub mod draw;
pub mod effect_texts;
pub mod hex;
pub mod ids;
pub mod import;
pub mod ledger;
pub mod minting;
pub mod network;
pub mod packs;
pub mod password;
pub mod pointer;
pub mod registration_test;
pub mod ruling;
pub mod serial;
pub mod set_file;
pub mod submission;
pub mod synthetic;
pub mod text;
pub mod trade;
pub mod unknown;
pub mod unlock_policy;
pub mod webhook;
