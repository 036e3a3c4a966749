//! Values of webhooks and the audit log.

pub mod audit;
pub mod webhook;
