//! Games, sets, cards and printings, look-ups, facets, rulings, history, edits, moves, imports, bulk files, the change feed.

mod attribute_searches;
pub mod bulk_files;
mod cached_answers;
pub mod card_cache;
mod card_edits;
mod card_index;
mod card_legalities;
mod card_lookups;
mod card_migrations;
mod card_names;
pub mod card_pictures;
mod cards;
pub mod catalogue_imports;
mod changes;
mod codes;
mod facets;
mod games;
mod history;
mod image_uris;
mod import;
mod new_sets;
mod open_imports;
pub mod permissions;
mod rulings;
mod search;
mod sets;
mod stored_words;
