//! Cards and printings. What a hidden card must not tell stays behind the door: all reads are its.

pub use super::door::cards::{
    CardPlace, CardView, HiddenCard, OpenCard, Printing, UnlockProgress, find, find_by_number,
    printings,
};
pub use super::door::facets::{FacetCount, FacetSource, facets};
pub use super::door::lookups::{
    CardIdentifier, NamePlace, NamedCard, look_up, named, suggest_names,
};
pub use super::door::search::{Effort, Found, Position, count, is_cut, list, random};
pub use super::door::words::{common as common_words, refresh as refresh_words};
pub use super::json::JsonText;
