//! Games, sets, cards and printings, look-ups, facets, rulings, history, edits, moves, imports, bulk files, the change feed.

pub mod bulk_files;
pub mod card_edits;
pub mod card_legalities;
pub mod card_list;
pub mod card_lookups;
pub mod card_migrations;
mod card_names;
pub(in crate::api) mod card_search;
mod card_text;
pub mod cards;
pub mod changes;
pub mod facets;
pub mod games;
pub mod history;
pub mod import;
pub mod rulings;
pub mod sets;
