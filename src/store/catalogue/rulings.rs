//! Rulings and errata. What is said of a hidden card stays behind the door with the card.

pub use crate::store::card_content::rulings::{
    RulingCreated, RulingEdited, RulingRow, create, edit, find, list,
};
