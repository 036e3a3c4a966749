//! Pages of the catalogue: games, sets, cards and the search.

mod answers;
mod card_text;
mod cards;
mod facets;
mod field_words;
mod games;
mod history;
mod history_words;
mod lists;
mod marks;
mod policy_words;
mod printed;
mod promises;
pub(super) mod query_words;
mod results;
mod rules;
mod search;
mod search_help;
mod sets;
mod tiles;
mod unlocks;
pub(super) mod values;

pub(super) use answers::{Warning, card_path, game_path, set_path};
pub(super) use facets::{Narrowing, design_narrowings};
pub(super) use marks::{Piece, pieces};
pub(super) use rules::RuleLinks;
pub(super) use search::faults_of as faults_of_query;
pub(super) use tiles::Progress;
pub(super) use unlocks::{NewUnlock, SetWithHiddenCards, list_unlocks, list_walls};
pub(super) use values::{Fact, facts, kind_name, label, rarity_name, text, zone_name};

use crate::http::router::Mounts;

use cards::find_card;
use games::find_game;
use search::find_cards;
use search_help::find_search_help;
use sets::find_set;

/// Mounts the routes of this module.
pub(super) fn configure(config: &mut Mounts<'_>) {
    config
        .service(page!("/cards/{game}/{set}/{number}", find_card))
        .service(page!("/search", find_cards))
        .service(page!("/search/help", find_search_help))
        .service(page!("/sets/{game}/{set}", find_set))
        .service(page!("/games/{game}", find_game));
}
