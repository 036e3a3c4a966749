//! The rows of the permission matrix for the catalogue.

use serde_json::json;

use crate::permissions::Needs::{Admin, Anyone};
use crate::permissions::{Row, SOME, none};

#[rustfmt::skip]
pub const ROWS: &[Row] = &[
    ("list_games",          Anyone,                   "", none),
    ("find_game",           Anyone,                   "ttcg", none),
    ("find_manifest",       Anyone,                   "ttcg", none),
    ("replace_manifest",    Admin("admin:write"),     "ttcg", || json!({})),
    ("find_schema",         Anyone,                   "ttcg", none),
    ("list_formats",        Anyone,                   "ttcg", none),
    ("find_format",         Anyone,                   "standard", none),
    ("list_sets",           Anyone,                   "ttcg", none),
    ("list_all_sets",       Anyone,                   "", none),
    ("create_set",          Admin("admin:write"),     "ttcg", || json!({ "code": "empty", "name": "Empty" })),
    ("find_set",            Anyone,                   "hearth", none),
    ("replace_set",         Admin("admin:write"),     "hearth", || json!({})),
    ("edit_set",            Admin("admin:write"),     "hearth", || json!({})),
    ("delete_set",          Admin("admin:write"),     "hearth", none),
    ("list_rulings",        Anyone,                   SOME, none),
    ("create_ruling",       Admin("admin:write"),     SOME, || json!({ "kind": "ruling", "text": "x", "published_on": "2026-11-21" })),
    ("find_ruling",         Anyone,                   SOME, none),
    ("replace_ruling",      Admin("admin:write"),     SOME, || json!({ "kind": "ruling", "text": "x", "published_on": "2026-11-21" })),
    ("delete_ruling",       Admin("admin:write"),     SOME, none),
    ("list_history",        Anyone,                   SOME, none),
    ("move_card",           Admin("admin:write"),     SOME, || json!({ "number": "001" })),
    ("merge_card",          Admin("admin:write"),     SOME, || json!({ "into": SOME })),
    ("list_card_migrations", Anyone,                  "", none),
    ("find_card_migration", Anyone,                   SOME, none),
    ("edit_card",           Admin("admin:write"),     SOME, || json!({})),
    ("find_card_by_number", Anyone,                   "001", none),
    ("list_facets",         Anyone,                   "ttcg", none),
    ("list_cards",          Anyone,                   "", none),
    ("find_named_card",     Anyone,                   "", none),
    ("suggest_card_names",  Anyone,                   "", none),
    ("draw_card",           Anyone,                   "", none),
    ("look_up_cards",       Anyone,                   "", || json!({ "identifiers": [{ "id": SOME }] })),
    ("find_card",           Anyone,                   SOME, none),
    ("list_printings",      Anyone,                   SOME, none),
    ("draw_card_picture",   Anyone,                   SOME, none),
    ("list_legalities",     Anyone,                   SOME, none),
    ("list_bulk_files",     Anyone,                   "", none),
    ("download_bulk_file",  Anyone,                   "ttcg-cards.ndjson.gz", none),
    ("list_changes",        Anyone,                   "", none),
    ("stream_changes",      Anyone,                   "", none),
];
