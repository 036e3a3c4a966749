//! The HTTP interface of the service: server, router, middleware, extractors, conditional requests, and the form of failures. Only this module, `api` and `web` use
//! actix-web.

mod cached_answers;
pub mod connection;
pub mod disposition;
pub mod extract;
pub mod failures;
mod gzip;
pub mod middleware;
pub mod picture;
pub mod place;
pub mod problem;
pub mod problem_members;
pub mod router;
pub mod same_origin;
pub mod server;
pub mod sse;
