//! What runs beside requests for as long as the process does.

pub mod account_events;
pub mod card_index;
pub mod feed;
