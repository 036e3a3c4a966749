//! Deck lists, their revisions and reports, and feedback on them.

pub mod deck_availability;
pub mod deck_charts;
pub mod deck_comments;
pub mod deck_deletions;
pub mod deck_edits;
pub mod deck_exports;
pub mod deck_likes;
pub mod deck_lists;
pub mod deck_pick_lists;
pub mod deck_reports;
pub mod deck_reservations;
pub mod deck_revisions;
pub mod deck_statistics;
pub mod deck_trades;
pub mod deck_watches;
pub mod followed_authors;
pub mod public_decks;
pub mod shared_decks;

use super::route_table::routes;

routes! {
    "/v1/decks" => get deck_lists::list_decks, post deck_lists::create_deck;
    "/v1/decks/{deck}" => get deck_lists::find_deck, put deck_lists::replace_deck, patch deck_edits::edit_deck, delete deck_deletions::delete_deck;
    "/v1/decks/{deck}/undelete" => post deck_deletions::undelete_deck;
    "/v1/decks/{deck}/export" => get deck_exports::export_deck;
    "/v1/decks/{deck}/clones" => post deck_revisions::clone_deck;
    "/v1/decks/{deck}/revisions" => get deck_revisions::list_deck_revisions;
    "/v1/decks/{deck}/revisions/{revision}" => get deck_revisions::find_deck_revision;
    "/v1/decks/{deck}/restore" => post deck_revisions::restore_deck;
    "/v1/decks/{deck}/diff" => get deck_revisions::compare_decks;
    "/v1/decks/{deck}/report" => get deck_reports::find_deck_report;
    "/v1/decks/{deck}/availability" => get deck_availability::find_deck_availability;
    "/v1/decks/{deck}/reservation" => get deck_reservations::find_deck_reservation, put deck_reservations::reserve_deck, delete deck_reservations::release_deck;
    "/v1/decks/{deck}/pick-list" => get deck_pick_lists::find_deck_pick_list;
    "/v1/trades/{trade}/decks" => get deck_trades::find_trade_decks;
    "/v1/decks/{deck}/statistics" => get deck_statistics::find_deck_statistics;
    "/v1/decks/{deck}/chart" => get deck_charts::draw_deck_chart;
    "/v1/decks/{deck}/draw-odds" => get deck_statistics::find_draw_odds;
    "/v1/decks/{deck}/sample-hand" => get deck_statistics::find_sample_hand;
    "/v1/decks/{deck}/legalities" => get deck_reports::find_deck_legalities;
    "/v1/decks/{deck}/like" => put deck_likes::like_deck, delete deck_likes::unlike_deck;
    "/v1/decks/{deck}/watch" => get deck_watches::find_deck_watch, put deck_watches::watch_deck, delete deck_watches::unwatch_deck;
    "/v1/decks/{deck}/comments" => get deck_comments::list_deck_comments, post deck_comments::create_deck_comment;
    "/v1/decks/{deck}/comments/{comment}" => get deck_comments::find_deck_comment, put deck_comments::replace_deck_comment, delete deck_comments::delete_deck_comment;
    "/v1/decks/{deck}/comments/{comment}/show" => post deck_comments::show_deck_comment;
    "/v1/decks/{deck}/hidden-comments" => get deck_comments::list_hidden_deck_comments;
    "/v1/authors/{author}/decks" => get shared_decks::list_author_decks;
    "/v1/authors/{author}/follow" => put followed_authors::follow_author, delete followed_authors::unfollow_author;
    "/v1/me/liked-decks" => get deck_likes::list_liked_decks;
    "/v1/me/watched-decks" => get deck_watches::list_watched_decks;
    "/v1/me/followed-authors" => get followed_authors::list_followed_authors;
    "/v1/me/followed-decks" => get shared_decks::list_followed_decks;
    "/v1/deck-folders" => get deck_lists::list_deck_folders;
    "/v1/decks/{deck}/similar" => get public_decks::list_similar_decks;
    "/v1/public-decks" => get public_decks::list_public_decks;
    "/v1/cards/{card}/played-with" => get public_decks::list_cards_played_with;
    "/v1/deck-reports" => post deck_reports::create_deck_report;
    "/v1/deck-reports/batch" => post deck_reports::create_deck_reports;
}
