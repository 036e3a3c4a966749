//! Cards and printings. What a hidden card must not tell stays behind the door: all reads are its.

pub use super::door::cards::{
    CardPlace, CardView, HiddenCard, OpenCard, Printing, UnlockProgress, find, find_by_number,
    find_many, number_with_zeros, printings, printings_of,
};
pub use super::door::catalogue::{Release, held_hidden, records, releases, stretch, stretches};
pub use super::door::facets::facets;
pub use super::door::lookups::{
    CardIdentifier, NamePlace, NamedCard, look_up, named, suggest_names,
};
pub use super::door::search::{Found, count, is_cut, list, random};
pub use super::door::words::refresh as refresh_words;
pub use super::json::JsonText;
