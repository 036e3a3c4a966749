//! Who may do what with it: rows of the permission matrix.

use serde_json::json;

use crate::permissions::Needs::{Anyone, Scoped};
use crate::permissions::{Row, SOME, none};

#[rustfmt::skip]
pub const ROWS: &[Row] = &[
    ("list_decks",          Scoped("decks:read"),     "", none),
    ("create_deck",         Scoped("decks:write"),    "", || json!({ "name": "d", "format": "none/none", "entries": [] })),
    ("find_deck",           Anyone,                   SOME, none),
    ("replace_deck",        Scoped("decks:write"),    SOME, || json!({ "name": "d", "format": "none/none", "entries": [] })),
    ("delete_deck",         Scoped("decks:write"),    SOME, none),
    ("undelete_deck",       Scoped("decks:write"),    SOME, none),
    ("export_deck",         Anyone,                   SOME, none),
    ("clone_deck",          Scoped("decks:write"),    SOME, none),
    ("list_deck_revisions", Anyone,                   SOME, none),
    ("find_deck_revision",  Anyone,                   "1", none),
    ("restore_deck",        Scoped("decks:write"),    SOME, || json!({ "revision": 1 })),
    ("compare_decks",       Anyone,                   SOME, none),
    ("like_deck",           Scoped("decks:write"),    SOME, none),
    ("unlike_deck",         Scoped("decks:write"),    SOME, none),
    ("watch_deck",          Scoped("decks:write"),    SOME, none),
    ("unwatch_deck",        Scoped("decks:write"),    SOME, none),
    ("find_deck_watch",     Scoped("decks:read"),     SOME, none),
    ("list_watched_decks",  Scoped("decks:read"),     "", none),
    ("list_liked_decks",    Scoped("decks:read"),     "", none),
    ("list_deck_comments",  Anyone,                   SOME, none),
    ("find_deck_comment",   Anyone,                   SOME, none),
    ("create_deck_comment", Scoped("decks:write"),    SOME, || json!({ "text": "t" })),
    ("replace_deck_comment", Scoped("decks:write"),   SOME, || json!({ "text": "t" })),
    ("delete_deck_comment", Scoped("decks:write"),    SOME, none),
    ("list_author_decks",   Anyone,                   "ada", none),
    ("follow_author",       Scoped("decks:write"),    "ada", none),
    ("unfollow_author",     Scoped("decks:write"),    "ada", none),
    ("list_followed_authors", Scoped("decks:read"),   "", none),
    ("list_followed_decks", Scoped("decks:read"),     "", none),
    ("list_deck_folders",   Scoped("decks:read"),     "", none),
    ("find_deck_report",    Anyone,                   SOME, none),
    ("find_deck_availability", Scoped("collection:read"), SOME, none),
    ("find_deck_statistics", Anyone,                  SOME, none),
    ("draw_deck_chart",     Anyone,                   SOME, none),
    ("find_draw_odds",      Anyone,                   SOME, none),
    ("find_sample_hand",    Anyone,                   SOME, none),
    ("find_deck_legalities", Anyone,                  SOME, none),
    ("list_public_decks",   Anyone,                   "", none),
    ("list_similar_decks",  Anyone,                   SOME, none),
    ("list_cards_played_with", Anyone,                SOME, none),
    ("create_deck_reports", Anyone,                   "", || json!({ "format": "none/none", "decks": [{ "entries": [] }] })),
    ("create_deck_report",  Anyone,                   "", || json!({ "format": "none/none", "entries": [] })),
];
