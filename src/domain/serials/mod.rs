//! Serial codes, their submissions, and the policies that unlock hidden cards.

pub mod serial;
pub mod serial_text;
pub mod submission;
pub mod unlock_policy;
