//! Games, sets, cards and printings, look-ups, facets, rulings, history, edits, moves, imports, bulk files, and the
//! change feed.

pub mod bulk_files;
mod card_bodies;
pub mod card_edits;
pub mod card_legalities;
pub mod card_list;
pub mod card_lookups;
pub mod card_migrations;
mod card_names;
pub mod card_neighbours;
pub mod card_overview;
pub mod card_pictures;
pub mod card_query;
pub(crate) mod card_search;
mod card_text;
pub mod cards;
pub mod changes;
pub mod codes;
pub mod facets;
pub mod games;
pub mod history;
pub mod image_uris;
pub mod import;
pub mod import_faults;
pub mod import_places;
pub mod query_warning;
pub mod rulings;
mod set_totals;
pub mod sets;
