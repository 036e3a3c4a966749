//! Cards and printings. What a hidden card must not tell stays behind the door: all reads are its.

pub use super::door::cards::{
    CardKey, CardPlace, CardView, HiddenCard, OpenCard, Printing, UnlockProgress, count, find,
    find_by_number, list, printings,
};
pub use super::door::facets::{FacetCount, FacetSource, facets};
pub use super::door::lookups::{
    CardIdentifier, NamePlace, NamedCard, RandomFilter, look_up, named, random, suggest_names,
};
