//! Webhooks, deliveries, the audit log, health, retention.

pub mod permissions;
mod retention;
mod webhooks;
