//! What webhooks and the audit log are told, and where webhooks may be posted to.

pub mod audit;
pub mod webhook;
mod webhook_address;
pub mod webhook_target;
