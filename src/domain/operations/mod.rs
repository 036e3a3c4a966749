//! Events of webhooks, entries of the audit log, and the addresses to which webhooks may post.

pub mod audit;
pub mod webhook;
mod webhook_address;
pub mod webhook_target;
