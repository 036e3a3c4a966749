//! Cards and printings. What a hidden card must not tell stays behind the door: all reads are its.

pub use super::door::cards::{
    CardKey, CardPlace, CardView, HiddenCard, OpenCard, Printing, UnlockProgress, count, find,
    find_by_number, list, printings,
};
