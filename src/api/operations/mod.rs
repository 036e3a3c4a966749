//! Webhooks, deliveries, the audit log, health, retention.

pub mod audit_log;
pub mod health;
pub mod webhook_deliveries;
pub mod webhooks;

use super::routes::routes;

routes! {
    "/v1/webhooks" => get webhooks::list_webhooks, post webhooks::create_webhook;
    "/v1/webhooks/{webhook}" => get webhooks::find_webhook, put webhooks::replace_webhook, delete webhooks::delete_webhook;
    "/v1/webhooks/{webhook}/secret" => post webhooks::rotate_webhook_secret;
    "/v1/webhooks/{webhook}/ping" => post webhook_deliveries::ping_webhook;
    "/v1/webhooks/{webhook}/deliveries" => get webhook_deliveries::list_webhook_deliveries;
    "/v1/webhooks/{webhook}/deliveries/{delivery}" => get webhook_deliveries::find_webhook_delivery;
    "/v1/webhooks/{webhook}/deliveries/{delivery}/resend" => post webhook_deliveries::resend_webhook_delivery;
    "/v1/audit-log" => get audit_log::list_audit_log;
    "/healthz" => get health::healthz;
    "/readyz" => get health::readyz;
    "/metrics" => get health::metrics;
}
