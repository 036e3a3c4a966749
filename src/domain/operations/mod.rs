//! What is told to webhooks and to the audit log.

pub mod audit;
pub mod webhook;
