//! The rows of the permission matrix for designs.

use serde_json::json;

use crate::permissions::Needs::{Admin, Anyone, Moderator, Scoped};
use crate::permissions::{Row, SOME, none};

/// An identifier that no design has.
const DESIGN: &str = "D-0000000000";

/// An id that no artwork has.
const ARTWORK: &str = "0000000000000000000000000000000000000000000000000000000000000000";

#[rustfmt::skip]
pub const ROWS: &[Row] = &[
    ("find_design_toolkit",      Anyone,                   "ttcg", none),
    ("create_design_suggestion", Anyone,                   "", || json!({ "game": "ttcg", "design": { "kind": "unit" } })),
    ("check_design",             Anyone,                   "", || json!({ "game": "none", "kind": "unit" })),
    ("list_shared_designs",      Anyone,                   "", none),
    ("list_design_facets",       Anyone,                   "ttcg", none),
    ("find_author",              Anyone,                   "ada", none),
    ("list_own_designs",         Scoped("designs:read"),   "", none),
    ("create_design",            Scoped("designs:write"),  "", || json!({ "game": "none", "kind": "unit" })),
    ("find_design",              Anyone,                   DESIGN, none),
    ("replace_design",           Scoped("designs:write"),  DESIGN, || json!({ "game": "none", "kind": "unit" })),
    ("delete_design",            Scoped("designs:write"),  DESIGN, none),
    ("draw_design_picture",      Anyone,                   DESIGN, none),
    ("share_design",             Scoped("designs:write"),  DESIGN, none),
    ("withdraw_design",          Scoped("designs:write"),  DESIGN, none),
    ("submit_design",            Scoped("designs:write"),  DESIGN, none),
    ("list_waiting_designs",     Moderator("admin:write"), "", none),
    ("claim_design",             Moderator("admin:write"), DESIGN, none),
    ("return_design",            Moderator("admin:write"), DESIGN, none),
    ("decide_design",            Moderator("admin:write"), DESIGN, || json!({ "decision": "approved", "reason": "r" })),
    ("revoke_approval",          Moderator("admin:write"), DESIGN, || json!({ "revision": 1, "reason": "r" })),
    ("release_design",           Admin("admin:write"),     DESIGN, || json!({ "set": "veil", "number": "900" })),
    ("list_designer_perks",      Admin("admin:read"),      "", none),
    ("find_designer_perk",       Scoped("designs:read"),   DESIGN, none),
    ("grant_reserved_copy",      Admin("admin:write"),     DESIGN, || json!({ "serial": "7KQ2-X0FM-93TD-AW5G" })),
    ("report_abuse",             Scoped("designs:write"),  "", || json!({ "design": DESIGN, "reason": "spam" })),
    ("list_abuse_reports",       Moderator("admin:write"), "", none),
    ("find_abuse_report",        Moderator("admin:write"), SOME, none),
    ("decide_abuse_report",      Moderator("admin:write"), SOME, || json!({ "decision": "dismissed", "note": "n" })),
    ("restore_design",           Scoped("designs:write"),  DESIGN, || json!({ "revision": 1 })),
    ("list_design_revisions",    Scoped("designs:read"),   DESIGN, none),
    ("find_design_revision",     Scoped("designs:read"),   "1", none),
    ("list_comments",            Anyone,                   DESIGN, none),
    ("find_comment",             Anyone,                   SOME, none),
    ("create_comment",           Scoped("designs:write"),  DESIGN, || json!({ "text": "t" })),
    ("replace_comment",          Scoped("designs:write"),  SOME, || json!({ "text": "t" })),
    ("delete_comment",           Scoped("designs:write"),  SOME, none),
    ("show_comment",             Scoped("designs:write"),  SOME, none),
    ("list_hidden_comments",     Scoped("designs:read"),   DESIGN, none),
    ("find_own_rating",          Scoped("designs:read"),   DESIGN, none),
    ("rate_design",              Scoped("designs:write"),  DESIGN, || json!({ "fun": 1, "balance": 1, "flavour": 1, "clarity": 1 })),
    ("delete_own_rating",        Scoped("designs:write"),  DESIGN, none),
    ("find_design_ratings",      Anyone,                   DESIGN, none),
    ("list_suggested_changes",   Scoped("designs:read"),   DESIGN, none),
    ("find_suggested_change",    Scoped("designs:read"),   SOME, none),
    ("create_suggested_change",  Scoped("designs:write"),  DESIGN, || json!({ "revision": 1, "message": "m", "design": { "game": "none", "kind": "unit" } })),
    ("take_suggested_change",    Scoped("designs:write"),  SOME, none),
    ("decline_suggested_change", Scoped("designs:write"),  SOME, none),
    ("withdraw_suggested_change", Scoped("designs:write"), SOME, none),
    ("upload_artwork",           Scoped("designs:write"),  "", none),
    ("download_artwork",         Anyone,                   ARTWORK, none),
    ("list_own_artworks",        Scoped("designs:read"),   "", none),
    ("delete_artwork",           Scoped("designs:write"),  ARTWORK, none),
    ("compare_design_revisions", Scoped("designs:read"),   DESIGN, none),
];
