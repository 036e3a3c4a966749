//! Middleware for every request, regardless of its route.

pub mod cors;
pub mod deadline;
pub mod encoding;
pub mod frame;
pub mod head;
pub mod observe;
pub mod problems;
pub mod query;
pub mod rate_limit;
pub mod request;
