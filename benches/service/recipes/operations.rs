//! Recipes for webhooks, the audit log and the state of the service.

use super::recipe::Caller::Admin;
use super::recipe::{Recipe, Yardstick};

const HOOK: &str = "SELECT id AS webhook FROM webhooks WHERE deleted_at IS NULL AND description = 'bench' ORDER BY id LIMIT :many";
const MAKE_HOOKS: &[&str] = &["SELECT bench.make_webhooks(20, 50, false)"];
/// Enabled webhooks; no server listens at their addresses.
const MAKE_OPEN_HOOKS: &[&str] = &["SELECT bench.make_webhooks(20, 50, true)"];
const NO_HOOKS: &[&str] = &["SELECT bench.make_webhooks(0, 0, false)"];
const FIND: &str = "SELECT * FROM webhooks WHERE id = :webhook::uuid AND deleted_at IS NULL";
const BODY: &str = "{\"url\": \"https://127.0.0.1:9/hook/<unique>\", \"kinds\": [\"card.unlocked\"], \"description\": \"bench\", \"enabled\": false}";
const EDITS: &[&str] = &[
    "UPDATE webhooks SET updated_at = now() WHERE id = :webhook::uuid",
    "INSERT INTO audit_log (id, action, target, details, created_at) VALUES (gen_random_uuid(), 'webhook.changed', :webhook, '{}', now())",
];

pub(super) const RECIPES: &[Recipe] = &[
    Recipe::get("list_webhooks", "webhooks", "/v1/webhooks").by(Admin).prepare(MAKE_HOOKS).reads(&["SELECT * FROM webhooks WHERE deleted_at IS NULL ORDER BY id"]),
    Recipe::post("create_webhook", "webhook made", "/v1/webhooks")
        .body(BODY)
        .by(Admin)
        .prepare(NO_HOOKS)
        .rows("SELECT generate_series(1, :many)::text AS webhook")
        .spends(15)
        .restore(NO_HOOKS)
        .writes(&["INSERT INTO audit_log (id, action, target, details, created_at) VALUES (gen_random_uuid(), 'webhook.made', :webhook, '{}', now())"])
        .why("there are few at most: an admin's work, one after the other"),
    Recipe::get("find_webhook", "webhook by id", "/v1/webhooks/<webhook>").by(Admin).prepare(MAKE_HOOKS).rows(HOOK).reads(&[FIND]),
    Recipe::put("replace_webhook", "webhook changed", "/v1/webhooks/<webhook>")
        .headers(&["if-match: *"])
        .body(BODY)
        .by(Admin)
        .prepare(MAKE_HOOKS)
        .rows(HOOK)
        .writes(EDITS)
        .why("changes of webhooks wait for each other, so that their number stays limited"),
    Recipe::delete("delete_webhook", "webhook deleted", "/v1/webhooks/<webhook>")
        .headers(&["if-match: *"])
        .by(Admin)
        .prepare(MAKE_HOOKS)
        .rows(HOOK)
        .spends(20)
        .writes(EDITS),
    Recipe::post("rotate_webhook_secret", "new secret of a webhook", "/v1/webhooks/<webhook>/secret")
        .body("{\"overlap_hours\": 0}")
        .by(Admin)
        .prepare(MAKE_HOOKS)
        .rows(HOOK)
        .writes(EDITS),
    Recipe::post("ping_webhook", "webhook pinged", "/v1/webhooks/<webhook>/ping")
        .by(Admin)
        .prepare(MAKE_OPEN_HOOKS)
        .rows(HOOK)
        .spends(20)
        .restore(NO_HOOKS)
        .writes(EDITS)
        .why("a webhook is pinged once until the ping has arrived"),
    Recipe::get("list_webhook_deliveries", "deliveries of a webhook", "/v1/webhooks/<webhook>/deliveries")
        .by(Admin)
        .prepare(MAKE_HOOKS)
        .rows(HOOK)
        .reads(&[FIND, "SELECT * FROM webhook_deliveries WHERE webhook_id = :webhook::uuid ORDER BY id DESC LIMIT 51"]),
    Recipe::get("find_webhook_delivery", "delivery by id", "/v1/webhooks/<webhook>/deliveries/<delivery>")
        .by(Admin)
        .prepare(MAKE_HOOKS)
        .rows(DELIVERY)
        .reads(&["SELECT * FROM webhook_deliveries WHERE id = :delivery::uuid AND webhook_id = :webhook::uuid"]),
    Recipe::post("resend_webhook_delivery", "delivery sent again", "/v1/webhooks/<webhook>/deliveries/<delivery>/resend")
        .by(Admin)
        .prepare(MAKE_OPEN_HOOKS)
        .rows(DELIVERY)
        .restore(NO_HOOKS)
        .spends(600)
        .writes(&[
            "UPDATE webhook_deliveries SET attempts = attempts WHERE id = :delivery::uuid",
            "INSERT INTO audit_log (id, action, target, details, created_at) VALUES (gen_random_uuid(), 'webhook.resent', :webhook, '{}', now())",
        ]),
    Recipe::get("list_audit_log", "audit log, newest first", "/v1/audit-log").by(Admin).reads(&["SELECT * FROM audit_log ORDER BY id DESC LIMIT 51"]),
    Recipe::get("list_problems", "problems", "/problems").like(Yardstick::Static),
    Recipe::get("find_problem", "one problem", "/problems/not_found").like(Yardstick::Static),
    Recipe::get("healthz", "frame of a request (healthz)", "/healthz").like(Yardstick::Static),
    Recipe::get("readyz", "readiness", "/readyz").reads(&["SELECT 1"]),
    Recipe::get("metrics", "metrics", "/metrics").like(Yardstick::Static),
    Recipe::get("find_document", "OpenAPI document", "/openapi.json").like(Yardstick::StaticFile),
];

const DELIVERY: &str = "SELECT d.id AS delivery, w.id AS webhook FROM webhook_deliveries d JOIN webhooks w ON w.id = d.webhook_id \
     WHERE w.description = 'bench' AND w.deleted_at IS NULL AND d.state = 'failed' ORDER BY d.id LIMIT :many";
