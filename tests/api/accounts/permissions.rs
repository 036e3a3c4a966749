//! The rows of the permission matrix for accounts.

use serde_json::json;

use crate::permissions::Needs::{Admin, Anyone, Login, Moderator, Scoped};
use crate::permissions::{Row, SOME, none};

#[rustfmt::skip]
pub const ROWS: &[Row] = &[
    ("register",            Anyone,                   "", || json!({ "name": "a b c", "password": "tram window sonnet" })),
    ("list_accounts",       Moderator("admin:read"),  "", none),
    ("recover",             Anyone,                   "", || json!({ "name": "nobody", "recovery_code": "0", "new_password": "tram window sonnet" })),
    ("find_account",        Moderator("admin:read"),  SOME, none),
    ("change_account",      Admin("admin:write"),     SOME, || json!({ "banned": false })),
    ("remove_second_factor", Admin("admin:write"),    SOME, none),
    ("find_second_factor",  Login,                    "", none),
    ("begin_second_factor", Login,                    "", || json!({ "current_password": "x" })),
    ("confirm_second_factor", Login,                  "", || json!({ "code": "000000" })),
    ("switch_off_second_factor", Login,               "", || json!({ "current_password": "x", "code": "000000" })),
    ("replace_second_factor_codes", Login,            "", || json!({ "current_password": "x", "code": "000000" })),
    ("find_me",             Login,                    "", none),
    ("change_password",     Login,                    "", || json!({ "current_password": "x", "new_password": "short" })),
    ("replace_recovery_codes", Login,                 "", || json!({ "password": "x" })),
    ("list_sessions",       Login,                    "", none),
    ("log_in",              Anyone,                   "", || json!({ "name": "nobody", "password": "x" })),
    ("refresh",             Anyone,                   "", || json!({ "refresh_token": "x" })),
    ("log_out",             Login,                    "", none),
    ("end_session",         Login,                    SOME, none),
    ("list_tokens",         Login,                    "", none),
    ("create_token",        Login,                    "", || json!({ "name": "t", "scopes": ["decks:read"] })),
    ("revoke_token",        Login,                    SOME, none),
    ("list_account_events", Scoped("events:read"),    "", none),
    ("find_event_settings", Login,                    "", none),
    ("replace_event_settings", Login,                 "", || json!({ "muted": [] })),
    ("list_blocks",         Login,                    "", none),
    ("block_account",       Login,                    SOME, none),
    ("unblock_account",     Login,                    SOME, none),
    ("stream_account_events", Scoped("events:read"),  "", none),
];
