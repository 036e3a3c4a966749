//! Builds the application, for `serve` and for tests.

use std::io;
use std::net::SocketAddr;
use std::time::Duration;

use actix_web::body::MessageBody;
use actix_web::dev::{Server, ServerHandle, ServiceFactory, ServiceRequest, ServiceResponse};
use actix_web::middleware::{Compress, from_fn};
use actix_web::web::ServiceConfig;
use actix_web::{App, Error, HttpServer, web};

use super::connection;

use crate::app::problem::Problem;
use crate::app::state::AppState;
use crate::http::middleware::{frame, problems};
use crate::http::router::Mounts;

/// Time limit for the head of the first request on a connection. For later requests: [`connection::IDLE`].
const HEAD_TIME: Duration = Duration::from_secs(5);

/// Time limit for the client to close its side after the last response.
const CLOSING_TIME: Duration = Duration::from_secs(1);

/// Seconds by which the time limit of the server itself for a graceful stop is longer than that of [`stop`]: only `stop` counts the requests that are broken off.
const LONGER: u64 = 2;

/// A server that listens, and its address. It serves requests as soon as it is awaited; it does not handle signals.
///
/// Each function in `parts` mounts some of the resources. `state` creates the state of each of the `workers` threads. `shutdown_timeout`: seconds that
/// accepted requests have to finish after a graceful stop.
///
/// # Errors
/// The address is in use, or does not belong to this machine.
pub fn listen(
    address: SocketAddr,
    workers: usize,
    shutdown_timeout: u64,
    state: impl Fn() -> AppState + Clone + Send + 'static,
    parts: &'static [fn(&mut Mounts<'_>)],
) -> io::Result<(SocketAddr, Server)> {
    let server = HttpServer::new(move || build_app(state(), parts))
        .workers(workers)
        .shutdown_timeout(shutdown_timeout.saturating_add(LONGER))
        .disable_signals()
        .client_request_timeout(HEAD_TIME)
        .client_disconnect_timeout(CLOSING_TIME)
        // Compressed responses are written in several parts. Without this, the last part waits until the client has acknowledged the others, which takes 40 ms
        // because of delayed acknowledgements.
        .tcp_nodelay(true)
        .on_connect(connection::watch)
        .bind(address)?;
    let address = server.addrs().first().copied().unwrap_or(address);
    Ok((address, server.run()))
}

/// Stops a server gracefully: it accepts no more connections, and finishes the requests that it has accepted, for at most `shutdown_timeout` seconds (one second
/// with 0). Returns the number of requests that were not finished. They are broken off when the server is dropped: its workers, which still wait for them, then stop at once.
pub async fn stop(server: ServerHandle, shutdown_timeout: u64) -> usize {
    // The server itself looks once a second whether all connections are closed.
    let limit = Duration::from_secs(shutdown_timeout.max(1));
    match tokio::time::timeout(limit, server.stop(true)).await {
        Ok(()) => 0,
        Err(_) => connection::count_requests_in_progress(),
    }
}

/// The application of one worker thread.
pub fn build_app(
    state: AppState,
    parts: &'static [fn(&mut Mounts<'_>)],
) -> App<
    impl ServiceFactory<
        ServiceRequest,
        Config = (),
        Response = ServiceResponse<impl MessageBody>,
        Error = Error,
        InitError = (),
    >,
> {
    let state = web::Data::new(state);
    let surrounding = state.clone();
    let app = App::new()
        .app_data(state)
        .app_data(web::PathConfig::default().error_handler(|_, _| Problem::not_found().into()));
    let mount = |config: &mut ServiceConfig| {
        let mut mounts = Mounts::new(config);
        for part in parts {
            part(&mut mounts);
        }
        mounts.finish();
    };
    app.configure(mount)
        // The last one is the outermost.
        .wrap(from_fn(problems::render))
        .wrap(Compress::default())
        .wrap(from_fn(move |req, next| frame::surround(surrounding.clone(), req, next)))
}
