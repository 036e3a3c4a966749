//! Pages of decks: lists are judged, public decks are found and shown, own ones are kept.

mod availability;
mod check;
mod deck;
mod edit;
mod faults;
mod files;
mod formats;
mod own;
mod public;
mod reading;
mod report;
mod sheet;
mod words;

pub(super) use check::{check, show_check};
pub(super) use deck::find_deck;
pub(super) use edit::{create, delete, save, show_edit, show_new, undelete};
pub(super) use files::{draw_chart, export};
pub(super) use own::list_own_decks;
pub(super) use public::list_decks;

use uuid::Uuid;

/// The page of a deck.
pub(super) fn deck_path(id: Uuid) -> String {
    format!("/decks/{id}")
}
