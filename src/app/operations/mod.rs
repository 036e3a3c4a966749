//! For operators and admins: the audit log, webhooks, and health checks.

pub mod audit_log;
pub mod health;
pub mod webhook_deliveries;
pub mod webhook_requests;
pub mod webhooks;
