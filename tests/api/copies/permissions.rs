//! The rows of the permission matrix for copies, trades and disputes.

use serde_json::json;

use crate::permissions::Needs::{Anyone, Login, Moderator, Scoped};
use crate::permissions::{Row, SOME, none};

#[rustfmt::skip]
pub const ROWS: &[Row] = &[
    ("change_trading",      Login,                    "", || json!({ "trading": "offers" })),
    ("find_wants",          Scoped("collection:read"), "", none),
    ("replace_wants",       Scoped("collection:write"), "", || json!({ "items": [] })),
    ("find_haves",          Scoped("collection:read"), "", none),
    ("replace_haves",       Scoped("collection:write"), "", || json!({ "items": [] })),
    ("list_player_wants",   Anyone,                   "nobody", none),
    ("list_player_haves",   Anyone,                   "nobody", none),
    ("list_trade_matches",  Scoped("collection:read"), "", none),
    ("list_copies",         Scoped("serials:read"),   "", none),
    ("find_copy",           Scoped("serials:read"),   SOME, none),
    ("list_copy_history",   Scoped("serials:read"),   SOME, none),
    ("freeze_copy",         Moderator("admin:write"), SOME, || json!({ "reason": "r" })),
    ("unfreeze_copy",       Moderator("admin:write"), SOME, || json!({ "reason": "r" })),
    ("void_copy",           Moderator("admin:write"), SOME, || json!({ "reason": "r" })),
    ("list_player_copies",  Scoped("trades:read"),    "nobody", none),
    ("list_trades",         Scoped("trades:read"),    "", none),
    ("create_trade",        Scoped("trades:write"),   "", || json!({ "with": "nobody", "give": [SOME] })),
    ("find_trade",          Scoped("trades:read"),    SOME, none),
    ("accept_trade",        Scoped("trades:write"),   SOME, none),
    ("decline_trade",       Scoped("trades:write"),   SOME, none),
    ("cancel_trade",        Scoped("trades:write"),   SOME, none),
    ("counter_trade",       Scoped("trades:write"),   SOME, || json!({ "give": [SOME] })),
    ("list_disputes",       Scoped("serials:read"),   "", none),
    ("find_dispute",        Scoped("serials:read"),   SOME, none),
    ("create_statement",    Scoped("serials:submit"), SOME, || json!({ "text": "x" })),
    ("withdraw_dispute",    Scoped("serials:submit"), SOME, none),
    ("decide_dispute",      Moderator("admin:write"), SOME, || json!({ "outcome": "for_owner", "reason": "r" })),
];
