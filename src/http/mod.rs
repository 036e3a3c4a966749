//! How the service is spoken to: the only room, with `api` and `web`, that knows actix-web. Server, middleware, extractors, conditional requests, and how failures are
//! told.

pub mod connection;
pub mod extract;
pub mod failures;
mod kept_answers;
pub mod middleware;
pub mod picture;
pub mod place;
pub mod problem;
pub mod server;
pub mod sse;
