//! Games, sets, cards and printings, rulings, history, edits, moves, imports, bulk files, the change feed. The content
//! of hidden cards is in `card_content`.

pub mod bulk_files;
pub mod card_migrations;
pub mod cards;
pub mod changes;
pub mod games;
pub mod history;
pub mod import;
pub mod rulings;
pub mod seed_loads;
pub mod sets;
