//! Cards and printings, read through `card_content`, which protects hidden content.

pub use crate::store::card_content::cards::{
    CardPlace, CardView, HiddenCard, OpenCard, Printing, UnlockProgress, find, find_by_number,
    find_many, find_numbers_beside, find_numbers_ignoring_zeros, find_printings, list_printings,
};
pub use crate::store::card_content::catalogue::{
    Release, list_held_hidden, load_range, load_records, load_releases, split_ids,
};
pub use crate::store::card_content::facets::count_facets;
pub use crate::store::card_content::identifier::CardIdentifier;
pub use crate::store::card_content::lookups::{
    NamePlace, NamedCard, find_named, look_up, suggest_names,
};
pub use crate::store::card_content::name_looks::fill_in as fill_in_name_looks;
pub use crate::store::card_content::search::{CardHit, count, draw, is_truncated, list};
pub use crate::store::card_content::words::refresh as refresh_words;
pub use crate::store::db::codecs::json::JsonText;
