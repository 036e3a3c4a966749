//! The rows of the permission matrix for serial codes and unlocks.

use serde_json::json;

use crate::permissions::Needs::{Admin, Anyone, Login, Moderator, Scoped};
use crate::permissions::{Row, SOME, none};

#[rustfmt::skip]
pub const ROWS: &[Row] = &[
    ("list_submissions",    Scoped("serials:read"),   "", none),
    ("create_submission",   Scoped("serials:submit"), "", || json!({ "serial": "0", "name": "x" })),
    ("create_submissions",  Scoped("serials:submit"), "", || json!({ "submissions": [{ "serial": "0", "name": "x" }] })),
    ("find_submission",     Scoped("serials:read"),   SOME, none),
    ("review_submission",   Moderator("admin:write"), SOME, || json!({ "confirmed": true, "note": "seen" })),
    ("list_waiting_submissions", Moderator("admin:write"), "", none),
    ("find_game_policy",    Anyone,                   "ttcg", none),
    ("set_game_policy",     Admin("admin:write"),     "none", || json!({ "threshold": 3 })),
    ("remove_game_policy",  Admin("admin:write"),     "none", none),
    ("find_set_policy",     Anyone,                   "veil", none),
    ("set_set_policy",      Admin("admin:write"),     "none", || json!({ "threshold": 3 })),
    ("remove_set_policy",   Admin("admin:write"),     "none", none),
    ("list_set_unlocks",    Anyone,                   "veil", none),
    ("unlock_set",          Admin("admin:write"),     "none", || json!({ "reason": "none" })),
    ("unlock_card",         Admin("admin:write"),     SOME, || json!({ "reason": "none" })),
    ("find_unlock_statistics", Anyone,                "", none),
    ("find_leaderboard",    Anyone,                   "", none),
    ("change_listing",      Login,                    "", || json!({ "on_leaderboard": false })),
    ("list_unlocks",        Anyone,                   "", none),
    ("find_unlock",         Anyone,                   SOME, none),
];
