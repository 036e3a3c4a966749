//! Webhooks and their deliveries, the audit log, idempotency records, retention.

pub mod audit;
pub mod delivery_attempts;
pub mod delivery_queue;
pub mod delivery_requests;
pub mod idempotency;
pub mod retention;
pub(in crate::store) mod sweep_turn;
pub mod webhook_deliveries;
pub mod webhook_leases;
pub mod webhooks;
