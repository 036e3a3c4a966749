//! What may be a password, and how often secrets may be tried.

pub mod attempts;
pub mod password;
