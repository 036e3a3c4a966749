//! The rows of the permission matrix for operations.

use serde_json::json;

use crate::permissions::Needs::{Admin, Anyone};
use crate::permissions::{Row, SOME, none};

#[rustfmt::skip]
pub const ROWS: &[Row] = &[
    ("list_webhooks",       Admin("admin:read"),      "", none),
    ("create_webhook",      Admin("admin:write"),     "", || json!({ "url": "https://hooks.example/", "kinds": ["card.unlocked"] })),
    ("find_webhook",        Admin("admin:read"),      SOME, none),
    ("replace_webhook",     Admin("admin:write"),     SOME, || json!({ "url": "https://hooks.example/", "kinds": ["card.unlocked"] })),
    ("delete_webhook",      Admin("admin:write"),     SOME, none),
    ("rotate_webhook_secret", Admin("admin:write"),   SOME, || json!({})),
    ("ping_webhook",        Admin("admin:write"),     SOME, none),
    ("list_webhook_deliveries", Admin("admin:read"),  SOME, none),
    ("find_webhook_delivery", Admin("admin:read"),    SOME, none),
    ("resend_webhook_delivery", Admin("admin:write"), SOME, none),
    ("list_audit_log",      Admin("admin:read"),      "", none),
    ("healthz",             Anyone,                   "", none),
    ("readyz",              Anyone,                   "", none),
    ("metrics",             Anyone,                   "", none),
];
