//! Cards and printings, read through `card_content`, which keeps hidden content from viewers.

pub use crate::store::card_content::cards::{
    CardPlace, CardView, HiddenCard, OpenCard, Printing, UnlockProgress, find, find_by_number,
    find_many, number_with_zeros, printings, printings_of,
};
pub use crate::store::card_content::catalogue::{
    Release, held_hidden, records, releases, stretch, stretches,
};
pub use crate::store::card_content::facets::facets;
pub use crate::store::card_content::identifier::CardIdentifier;
pub use crate::store::card_content::lookups::{
    NamePlace, NamedCard, look_up, named, suggest_names,
};
pub use crate::store::card_content::search::{Found, count, is_cut, list, random};
pub use crate::store::card_content::words::refresh as refresh_words;
pub use crate::store::db::codecs::json::JsonText;
