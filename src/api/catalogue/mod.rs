//! Games, sets, cards and printings, look-ups, facets, rulings, history, edits, moves, imports, bulk files, and the
//! change feed.

pub mod bulk_files;
pub mod card_edits;
pub mod card_legalities;
pub mod card_lookups;
pub mod card_migrations;
pub mod card_pictures;
pub mod cards;
pub mod changes;
pub mod facets;
pub mod games;
pub mod history;
pub mod import;
pub mod rulings;
pub mod sets;

use super::route_table::routes;

routes! {
    "/v1/cards" => get cards::list_cards;
    "/v1/cards/named" => get card_lookups::find_named_card;
    "/v1/cards/autocomplete" => get card_lookups::suggest_card_names;
    "/v1/cards/random" => get card_lookups::draw_card;
    "/v1/cards/lookup" => post card_lookups::look_up_cards;
    "/v1/cards/{card}" => get cards::find_card, patch card_edits::edit_card;
    "/v1/cards/{card}/printings" => get cards::list_printings;
    "/v1/cards/{card}/picture" => get card_pictures::draw_card_picture;
    "/v1/cards/{card}/legalities" => get card_legalities::list_legalities;
    "/v1/cards/{card}/rulings" => get rulings::list_rulings, post rulings::create_ruling;
    "/v1/cards/{card}/history" => get history::list_history;
    "/v1/cards/{card}/move" => post card_migrations::move_card;
    "/v1/cards/{card}/merge" => post card_migrations::merge_card;
    "/v1/rulings/{ruling}" => get rulings::find_ruling, put rulings::replace_ruling, delete rulings::delete_ruling;
    "/v1/card-migrations" => get card_migrations::list_card_migrations;
    "/v1/card-migrations/{migration}" => get card_migrations::find_card_migration;
    "/v1/games" => get games::list_games;
    "/v1/games/{game}" => get games::find_game;
    "/v1/games/{game}/manifest" => get games::find_manifest, put games::replace_manifest;
    "/v1/games/{game}/schema" => get games::find_schema;
    "/v1/games/{game}/formats" => get games::list_formats;
    "/v1/games/{game}/formats/{format}" => get games::find_format;
    "/v1/games/{game}/sets" => get sets::list_sets, post sets::create_set;
    "/v1/sets" => get sets::list_all_sets;
    "/v1/games/{game}/sets/{set}" => get sets::find_set, put sets::replace_set, patch sets::edit_set, delete sets::delete_set;
    "/v1/games/{game}/sets/{set}/cards/{number}" => get cards::find_card_by_number;
    "/v1/games/{game}/facets" => get facets::list_facets;
    "/v1/bulk-files" => get bulk_files::list_bulk_files;
    "/v1/bulk-files/{name}" => get bulk_files::download_bulk_file;
    "/v1/changes" => get changes::list_changes;
    "/v1/changes/stream" => get changes::stream_changes;
}
