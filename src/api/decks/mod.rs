//! Deck lists and reports.

pub mod deck_lists;
pub mod deck_reports;

use super::routes::routes;

routes! {
    "/v1/decks" => get deck_lists::list_decks, post deck_lists::create_deck;
    "/v1/decks/{deck}" => get deck_lists::find_deck, put deck_lists::replace_deck, delete deck_lists::delete_deck;
    "/v1/decks/{deck}/report" => get deck_reports::find_deck_report;
    "/v1/deck-reports" => post deck_reports::create_deck_report;
}
