//! The connections: actix answers bytes that are no HTTP request by itself, before any middleware sees them. Here those answers
//! become problems too.

use std::io;
use std::net::{SocketAddr, TcpListener};
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use actix_http::{HttpService, Protocol};
use actix_service::{ServiceFactoryExt as _, fn_service, map_config};
use actix_web::body::MessageBody as _;
use actix_web::dev::{AppConfig, Server};
use actix_web::http::StatusCode;
use actix_web::http::header::{CONNECTION, DATE, HeaderValue};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use uuid::Uuid;

use super::middleware::observe;
use super::problem::{Problem, ProblemCode};
use super::server::build_app;
use super::state::AppState;

/// How long a client may take for the head of a request.
const HEAD_TIME: Duration = Duration::from_secs(5);

/// How long a client may take to close its side after the last answer.
const CLOSING_TIME: Duration = Duration::from_secs(1);

/// More than actix writes as the head of an answer of its own.
const LONGEST_BARE_HEAD: usize = 256;

/// A server that listens, and where. It answers as soon as it is awaited; it does not handle signals.
///
/// `state` makes the state of each of the `workers` threads. `shutdown_timeout`: seconds that accepted requests have to end
/// after a graceful stop.
///
/// # Errors
/// The address is taken, or not ours.
pub fn listen(
    address: SocketAddr,
    workers: usize,
    shutdown_timeout: u64,
    state: impl Fn() -> AppState + Clone + Send + 'static,
) -> io::Result<(SocketAddr, Server)> {
    let listener = TcpListener::bind(address)?;
    let address = listener.local_addr()?;
    let builder = actix_server::Server::build()
        .workers(workers)
        .shutdown_timeout(shutdown_timeout)
        .disable_signals();
    let stopping = builder.graceful_shutdown_signal();
    let server = builder.listen("cardscape", listener, move || {
        let stopping = stopping.clone();
        let http = HttpService::build()
            .client_request_timeout(HEAD_TIME)
            .client_disconnect_timeout(CLOSING_TIME)
            .graceful_shutdown_signal(move || {
                let stopping = stopping.clone();
                async move { stopping.notified().await }
            })
            .local_addr(address)
            .finish(map_config(build_app(state()), |()| AppConfig::default()));
        fn_service(async |stream: TcpStream| {
            let peer = stream.peer_addr().ok();
            Ok((Wire::new(stream), Protocol::Http1, peer))
        })
        .and_then(http)
    })?;
    Ok((address, server.run()))
}

/// A connection whose bare error answers leave as problems.
///
/// Every answer of the application has a request id, so an error without one is the HTTP layer's own. It is the last of its
/// connection and has no body, so that it stands at the end of what is written.
struct Wire<S> {
    stream: S,
    /// What goes out in place of a bare error.
    replacement: Vec<u8>,
    /// How many bytes of it are out.
    sent: usize,
    /// How many bytes it stands for.
    replaced: usize,
}

impl<S> Wire<S> {
    fn new(stream: S) -> Self {
        Self { stream, replacement: Vec::new(), sent: 0, replaced: 0 }
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Wire<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Wire<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let this = &mut *self;
        if this.replacement.is_empty() {
            match bare_error(bytes) {
                None => return Pin::new(&mut this.stream).poll_write(context, bytes),
                Some((0, status)) => {
                    this.replacement = problem(status);
                    this.replaced = bytes.len();
                }
                // What stands before it goes out as it is; then it is the whole of the next call.
                Some((at, _)) => {
                    return Pin::new(&mut this.stream).poll_write(context, &bytes[..at]);
                }
            }
        }
        while this.sent < this.replacement.len() {
            let rest = &this.replacement[this.sent..];
            match ready!(Pin::new(&mut this.stream).poll_write(context, rest))? {
                0 => return Poll::Ready(Err(io::ErrorKind::WriteZero.into())),
                written => this.sent += written,
            }
        }
        this.replacement.clear();
        this.sent = 0;
        Poll::Ready(Ok(this.replaced))
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}

/// Where in the bytes the head of an error without request id and body begins, if they end with one.
fn bare_error(bytes: &[u8]) -> Option<(usize, StatusCode)> {
    if !bytes.ends_with(b"\r\n\r\n") {
        return None;
    }
    let tail = bytes.len().saturating_sub(LONGEST_BARE_HEAD);
    let at = tail + bytes[tail..].windows(7).rposition(|window| window == b"HTTP/1.")?;
    let head = std::str::from_utf8(&bytes[at..]).ok()?;
    let status = StatusCode::from_bytes(head.get(9..12)?.as_bytes()).ok()?;
    let fields = head.to_ascii_lowercase();
    let has = |field: &str| fields.contains(field);
    let bare = has("\r\ncontent-length: 0\r\n") && !has("\r\nx-request-id:");
    (bare && (status.is_client_error() || status.is_server_error())).then_some((at, status))
}

/// The whole answer, head and body, in place of a bare one; the request gets its id and its line in the log here.
fn problem(status: StatusCode) -> Vec<u8> {
    let code = match status {
        StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE => ProblemCode::HeadTooLarge,
        StatusCode::REQUEST_TIMEOUT => ProblemCode::HeadTooSlow,
        status if status.is_client_error() => ProblemCode::InvalidRequest,
        _ => ProblemCode::Internal,
    };
    let id = Uuid::now_v7().to_string();
    tracing::info!(request_id = %id, status = code.status().as_u16(), "answered what is no request");
    observe::count("none", "none", code.status());
    let mut response = Problem::new(code).respond(Some(&id));
    let headers = response.headers_mut();
    observe::stamp(headers, Some(&id));
    headers.insert(CONNECTION, HeaderValue::from_static("close"));
    if let Ok(date) = httpdate::fmt_http_date(std::time::SystemTime::now()).parse() {
        headers.insert(DATE, date);
    }
    let mut bytes = format!("HTTP/1.1 {}\r\n", code.status()).into_bytes();
    for (name, value) in response.headers() {
        bytes.extend_from_slice(name.as_str().as_bytes());
        bytes.extend_from_slice(b": ");
        bytes.extend_from_slice(value.as_bytes());
        bytes.extend_from_slice(b"\r\n");
    }
    let body = response.into_body().try_into_bytes().unwrap_or_default();
    bytes.extend_from_slice(format!("content-length: {}\r\n\r\n", body.len()).as_bytes());
    bytes.extend_from_slice(&body);
    bytes
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

    use super::*;

    const BARE: &[u8] =
        b"HTTP/1.1 400 Bad Request\r\ncontent-length: 0\r\nconnection: close\r\ndate: Sat, 21 Nov 2026 09:00:00 GMT\r\n\r\n";

    #[test]
    fn only_an_error_that_nobody_answered_is_bare() {
        assert_eq!(bare_error(BARE), Some((0, StatusCode::BAD_REQUEST)));
        let earlier = [b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nhi", BARE].concat();
        assert_eq!(
            bare_error(&earlier),
            Some((earlier.len() - BARE.len(), StatusCode::BAD_REQUEST))
        );
        for answered in [
            &b"HTTP/1.1 204 No Content\r\ncontent-length: 0\r\n\r\n"[..],
            b"HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\nx-request-id: 1\r\n\r\n",
            b"HTTP/1.1 404 Not Found\r\ncontent-length: 120\r\n\r\n",
            b"\r\n\r\n",
            b"",
            &BARE[1..],
        ] {
            assert_eq!(bare_error(answered), None);
        }
    }

    /// A client that reads a few bytes at a time gets the same bytes, in order, and nothing of the bare answer.
    #[tokio::test]
    async fn a_slow_reader_gets_the_problem_whole() {
        let (client, server) = tokio::io::duplex(7);
        let (mut read, _write) = tokio::io::split(client);
        let earlier = b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nhi";
        let sent = tokio::spawn(async move {
            let mut wire = Wire::new(server);
            wire.write_all(&[earlier, BARE].concat()).await.unwrap();
            wire.shutdown().await.unwrap();
        });
        let mut text = String::new();
        read.read_to_string(&mut text).await.unwrap();
        sent.await.unwrap();
        let rest = text.strip_prefix(std::str::from_utf8(earlier).unwrap()).unwrap();
        let (head, body) = rest.split_once("\r\n\r\n").unwrap();
        assert!(head.starts_with("HTTP/1.1 400 Bad Request\r\n"), "{head}");
        assert!(head.contains(&format!("content-length: {}", body.len())), "{head}");
        assert!(!head.contains("content-length: 0"), "{head}");
        let problem: serde_json::Value = serde_json::from_str(body).unwrap();
        assert_eq!(problem["code"], "invalid_request");
    }
}
