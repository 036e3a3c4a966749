//! Webhooks, deliveries, the audit log, health, retention.

mod retention;
mod webhooks;
