//! Values of the catalogue: set files, imports, edits, rulings, names, bulk files, synthetic catalogues.

pub mod bulk;
pub mod card_edit;
pub mod card_name;
pub mod import;
pub mod json_places;
pub mod migration;
pub mod ruling;
pub mod set_file;
pub mod synthetic;
