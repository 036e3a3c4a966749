//! The numbered rules about cards and decks of the five games, against the shipped manifests.
//!
//! Tests are named after the rules; `index.toml` lists them all, and `index.rs` checks that each has a test.

mod emoji_tcg;
mod emojito;
mod emojo_dojo;
mod index;
mod ttcg_cards;
mod ttcg_decks;
mod ttcg_spells;
mod uno_emoji;
