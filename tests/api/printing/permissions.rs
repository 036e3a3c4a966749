//! Rows of the permission matrix for printing.

use serde_json::json;

use crate::permissions::Needs::{Admin, Anyone};
use crate::permissions::{Row, SOME, none};

#[rustfmt::skip]
pub const ROWS: &[Row] = &[
    ("list_print_runs",     Admin("admin:read"),      "", none),
    ("find_print_run",      Admin("admin:read"),      SOME, none),
    ("create_print_plan",   Admin("admin:read"),      "hearth", || json!({ "copies_per_card": 1 })),
    ("list_print_commitments", Anyone,                "hearth", none),
    ("create_print_commitment", Admin("admin:write"), "hearth", || json!({ "copies_per_card": 1 })),
    ("find_print_commitment", Anyone,                 SOME, none),
    ("reveal_print_commitment", Admin("admin:write"), SOME, none),
    ("find_print_statistics", Anyone,                 "hearth", none),
];
