//! Rulings and errata, read through `card_content`.

pub use crate::store::card_content::rulings::{
    RulingCreated, RulingEdited, RulingRow, create, edit, find, list,
};
