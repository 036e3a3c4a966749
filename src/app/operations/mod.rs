//! What operators and admins can do: read the audit log, look after webhooks, see whether the service is well.

pub mod audit_log;
pub mod health;
pub mod webhook_deliveries;
pub mod webhook_requests;
pub mod webhooks;
