//! The rows of the permission matrix for collections.

use serde_json::json;

use crate::permissions::Needs::Scoped;
use crate::permissions::{Row, SOME, none};

#[rustfmt::skip]
pub const ROWS: &[Row] = &[
    ("list_collection",     Scoped("collection:read"), "", none),
    ("change_counts",       Scoped("collection:write"), "", || json!({ "changes": [{ "printing": SOME, "add": 1 }] })),
    ("read_import",         Scoped("collection:write"), "", || json!([])),
    ("commit_import",       Scoped("collection:write"), SOME, || json!({})),
    ("export_collection",   Scoped("collection:read"), "", none),
    ("find_completion",     Scoped("collection:read"), "", none),
    ("list_duplicates",     Scoped("collection:read"), "", none),
    ("set_count",           Scoped("collection:write"), SOME, || json!({ "quantity": 1 })),
];
