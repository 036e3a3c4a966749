//! Pages of the catalogue: games, sets, cards and the search.

mod answers;
mod cards;
mod facets;
mod games;
mod lists;
mod marks;
mod printed;
mod search;
mod search_help;
mod sets;
mod tiles;
mod unlocks;
mod values;

pub(super) use cards::find_card;
pub(super) use games::find_game;
pub(super) use search::find_cards;
pub(super) use search_help::find_search_help;
pub(super) use sets::find_set;
pub(super) use unlocks::{NewUnlock, Wall, list_unlocks, list_walls};

pub(super) use answers::{Warning, card_path, game_path};
pub(super) use marks::{Piece, pieces};
pub(super) use search::faults_of as faults_of_query;
pub(super) use tiles::Progress;
pub(super) use values::rarity_name;
