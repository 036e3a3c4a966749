//! Puts the application together, for `serve` and for tests.

use std::io;
use std::net::SocketAddr;
use std::time::Duration;

use actix_web::body::MessageBody;
use actix_web::dev::{Server, ServiceFactory, ServiceRequest, ServiceResponse};
use actix_web::middleware::{Compress, from_fn};
use actix_web::web::ServiceConfig;
use actix_web::{App, Error, HttpServer, web};

use super::connection;

use crate::app::problem::Problem;
use crate::app::state::AppState;
use crate::http::middleware::{frame, problems};

/// How long a client may take for the head of the first request on a connection. The heads of later ones: [`connection::IDLE`].
const HEAD_TIME: Duration = Duration::from_secs(5);

/// How long a client may take to close its side after the last answer.
const CLOSING_TIME: Duration = Duration::from_secs(1);

/// A server that listens, and where. It answers as soon as it is awaited; it does not handle signals.
///
/// Each of `configure` mounts a part of what it answers. `state` makes the state of each of the `workers` threads. `shutdown_timeout`: seconds that accepted requests have to end
/// after a graceful stop.
///
/// # Errors
/// The address is taken, or does not belong to this machine.
pub fn listen(
    address: SocketAddr,
    workers: usize,
    shutdown_timeout: u64,
    state: impl Fn() -> AppState + Clone + Send + 'static,
    configure: &'static [fn(&mut ServiceConfig)],
) -> io::Result<(SocketAddr, Server)> {
    let server = HttpServer::new(move || build_app(state(), configure))
        .workers(workers)
        .shutdown_timeout(shutdown_timeout)
        .disable_signals()
        .client_request_timeout(HEAD_TIME)
        .client_disconnect_timeout(CLOSING_TIME)
        // Compressed answers are written in several parts. Without this, the last part waits until the client has acknowledged the others, which it delays by 40 ms.
        .tcp_nodelay(true)
        .on_connect(connection::watch)
        .bind(address)?;
    let address = server.addrs().first().copied().unwrap_or(address);
    Ok((address, server.run()))
}

/// The application of one worker thread.
pub fn build_app(
    state: AppState,
    configure: &[fn(&mut ServiceConfig)],
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
    configure
        .iter()
        .fold(app, |app, mount| app.configure(mount))
        .default_service(web::to(async || Err::<&str, Problem>(Problem::not_found())))
        // The last is the outermost.
        .wrap(from_fn(problems::render))
        .wrap(Compress::default())
        .wrap(from_fn(move |req, next| frame::surround(surrounding.clone(), req, next)))
}
