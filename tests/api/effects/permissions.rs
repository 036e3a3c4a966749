//! The rows of the permission matrix for effect texts.

use serde_json::json;

use crate::permissions::Needs::{Admin, Anyone};
use crate::permissions::{Row, none};

#[rustfmt::skip]
pub const ROWS: &[Row] = &[
    ("list_effect_templates", Anyone,                 "ttcg", none),
    ("replace_effect_templates", Admin("admin:write"), "none", || json!({ "templates": [] })),
    ("create_effect_template", Admin("admin:write"),  "none", || json!({ "template": "Rest." })),
    ("find_effect_template", Anyone,                  "1", none),
    ("find_effect_choices", Anyone,                   "1", none),
    ("replace_effect_template", Admin("admin:write"), "1", || json!({ "template": "Rest." })),
    ("delete_effect_template", Admin("admin:write"),  "1", none),
    ("list_effect_placeholders", Anyone,              "ttcg", none),
    ("find_effect_placeholder", Anyone,               "fodder", none),
    ("replace_effect_placeholder", Admin("admin:write"), "fodder", || json!({ "values": ["one card"] })),
    ("delete_effect_placeholder", Admin("admin:write"), "fodder", none),
    ("find_phrase_rules",   Anyone,                   "ttcg", none),
    ("replace_phrase_rules", Admin("admin:write"),    "none", || json!({ "removals": [], "replacements": [] })),
    ("list_effects",        Anyone,                   "ttcg", none),
    ("draw_effects",        Anyone,                   "ttcg", none),
    ("match_effects",       Anyone,                   "ttcg", || json!({ "sentences": ["Rest."] })),
    ("expand_template",     Anyone,                   "ttcg", || json!({ "template": "Rest." })),
];
