//! Webhooks, deliveries, the audit log, health, retention.

pub mod audit_log;
pub mod health;
pub mod webhook_deliveries;
pub mod webhooks;
