//! The connections: actix answers bytes that are no HTTP request by itself, before any middleware sees them. Here those answers
//! become problems too.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::io;
use std::net::{SocketAddr, TcpListener};
use std::pin::Pin;
use std::rc::Rc;
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
use tokio::time::Sleep;
use uuid::Uuid;

use super::middleware::observe;
use super::problem::{Problem, ProblemCode};
use super::server::build_app;
use super::state::AppState;

/// How long a client may take for the head of a request.
const HEAD_TIME: Duration = Duration::from_secs(5);

/// How long a client may take to close its side after the last answer.
const CLOSING_TIME: Duration = Duration::from_secs(1);

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
            .on_connect_ext(|wire: &Wire<TcpStream>, data| {
                data.insert(wire.traffic.clone());
            })
            .finish(map_config(build_app(state()), |()| AppConfig::default()));
        fn_service(async |stream: TcpStream| {
            let peer = stream.peer_addr().ok();
            Ok((Wire::new(stream), Protocol::Http1, peer))
        })
        .and_then(http)
    })?;
    Ok((address, server.run()))
}

/// What the application says of a connection's answers, shared between the connection and its requests.
#[derive(Clone, Debug, Default)]
pub struct Traffic(Rc<Counts>);

#[derive(Debug, Default)]
struct Counts {
    begun: Cell<u64>,
    answered: Cell<u64>,
    /// Of each answer whose head is not out yet: whether it answers a HEAD, and so has no body.
    waiting: RefCell<VecDeque<bool>>,
}

impl Traffic {
    /// A request has come.
    pub fn begin(&self) {
        self.0.begun.set(self.0.begun.get() + 1);
    }

    /// Its answer is made.
    pub fn answer(&self, to_head: bool) {
        self.0.answered.set(self.0.answered.get() + 1);
        self.0.waiting.borrow_mut().push_back(to_head);
    }

    /// Whether the answer at this place of those that wait answers a HEAD.
    fn is_to_head(&self, place: usize) -> bool {
        self.0.waiting.borrow().get(place).copied().unwrap_or(false)
    }

    /// The heads of the first answers are out.
    fn written(&self, answers: usize) {
        let mut waiting = self.0.waiting.borrow_mut();
        let known = answers.min(waiting.len());
        waiting.drain(..known);
    }

    fn is_idle(&self) -> bool {
        self.0.begun == self.0.answered && self.0.waiting.borrow().is_empty()
    }
}

/// A connection whose bare error answers leave as problems, and on which no head of a request takes too long.
///
/// Every answer of the application has a request id, so an error without one is the HTTP layer's own. It is the last of its
/// connection.
struct Wire<S> {
    stream: S,
    traffic: Traffic,
    answers: Answers,
    /// What goes out in place of a bare error, or before the connection is closed.
    replacement: Vec<u8>,
    /// How many bytes of it are out.
    sent: usize,
    /// How many bytes it stands for.
    replaced: usize,
    /// Runs from the first bytes of a head on; belongs to the request of this number.
    head: Option<(u64, Pin<Box<Sleep>>)>,
}

impl<S> Wire<S> {
    fn new(stream: S) -> Self {
        Self {
            stream,
            traffic: Traffic::default(),
            answers: Answers::default(),
            replacement: Vec::new(),
            sent: 0,
            replaced: 0,
            head: None,
        }
    }

    fn is_idle(&self) -> bool {
        self.traffic.is_idle() && self.answers.is_between()
    }
}

impl<S: AsyncWrite + Unpin> Wire<S> {
    fn poll_replacement(&mut self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        while self.sent < self.replacement.len() {
            let rest = &self.replacement[self.sent..];
            match ready!(Pin::new(&mut self.stream).poll_write(context, rest))? {
                0 => return Poll::Ready(Err(io::ErrorKind::WriteZero.into())),
                written => self.sent += written,
            }
        }
        self.replacement.clear();
        self.sent = 0;
        Poll::Ready(Ok(()))
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Wire<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let this = &mut *self;
        let begun = this.traffic.0.begun.get();
        if !this.is_idle() || this.head.as_ref().is_some_and(|(of, _)| *of != begun) {
            this.head = None;
        }
        let before = buffer.filled().len();
        let read = Pin::new(&mut this.stream).poll_read(context, buffer);
        if read.is_ready() {
            if buffer.filled().len() > before && this.head.is_none() && this.is_idle() {
                this.head = Some((begun, Box::pin(tokio::time::sleep(HEAD_TIME))));
            }
            return read;
        }
        let Some((_, time)) = &mut this.head else { return Poll::Pending };
        ready!(time.as_mut().poll(context));
        // To the HTTP layer the client is gone; before it closes, the client is told.
        this.head = None;
        if this.replacement.is_empty() && !this.answers.is_over() {
            this.replacement = problem(StatusCode::REQUEST_TIMEOUT);
            this.answers.end();
        }
        Poll::Ready(Ok(()))
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
            let seen = this.answers.look(bytes, &this.traffic);
            let ours = match seen.bare {
                Some((0, status)) => {
                    this.replacement = problem(status);
                    this.replaced = bytes.len();
                    this.answers.end();
                    ready!(this.poll_replacement(context))?;
                    return Poll::Ready(Ok(this.replaced));
                }
                // What stands before it goes out as it is; then it is the whole of the next call.
                Some((at, _)) => &bytes[..at],
                None => bytes,
            };
            let written = ready!(Pin::new(&mut this.stream).poll_write(context, ours))?;
            if written == bytes.len() {
                this.traffic.written(seen.answers);
                this.answers = seen.after;
            } else {
                this.answers.pass(bytes, written, &this.traffic);
            }
            return Poll::Ready(Ok(written));
        }
        ready!(this.poll_replacement(context))?;
        Poll::Ready(Ok(this.replaced.min(bytes.len())))
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        ready!(self.poll_replacement(context))?;
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}

/// Where in its answers a connection is: heads are looked at, bodies never, for they hold what anybody wrote.
#[derive(Clone, Debug, Default)]
struct Answers {
    /// Bytes until something has to be looked at again.
    skip: u64,
    then: Then,
}

/// What comes after the bytes that are skipped.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Then {
    /// The head of an answer.
    #[default]
    Head,
    /// A chunk of a body (RFC 9112, 7.1).
    Chunk,
    /// Nothing that has to be looked at: the rest of the connection is one body, or over.
    Rest,
}

impl Answers {
    /// Whether one answer is whole and the next has not begun.
    fn is_between(&self) -> bool {
        self.skip == 0 && self.then == Then::Head
    }

    fn is_over(&self) -> bool {
        self.then == Then::Rest
    }

    /// No further answer is looked for.
    fn end(&mut self) {
        *self = Self { skip: 0, then: Then::Rest };
    }

    /// Looks through bytes that are to be written.
    fn look(&self, bytes: &[u8], traffic: &Traffic) -> Seen {
        let (mut after, mut at, mut answers) = (self.clone(), 0, 0);
        loop {
            let step = after.skip.min((bytes.len() - at) as u64);
            after.skip -= step;
            at += usize::try_from(step).unwrap_or(usize::MAX);
            if at == bytes.len() || after.then == Then::Rest {
                return Seen { bare: None, answers, after };
            }
            match after.step(&bytes[at..], traffic.is_to_head(answers)) {
                Step::Bare(status) => return Seen { bare: Some((at, status)), answers, after },
                Step::Answer => answers += 1,
                Step::Other => {}
            }
        }
    }

    /// Goes on by the `written` first bytes.
    fn pass(&mut self, bytes: &[u8], written: usize, traffic: &Traffic) {
        let mut at = 0;
        while at < written && self.then != Then::Rest {
            if self.skip == 0
                && matches!(self.step(&bytes[at..], traffic.is_to_head(0)), Step::Answer)
            {
                traffic.written(1);
            }
            let step = self.skip.min((written - at) as u64);
            self.skip -= step;
            at += usize::try_from(step).unwrap_or(usize::MAX);
        }
    }

    /// Looks at what stands here, and knows from it what to skip.
    fn step(&mut self, bytes: &[u8], to_head: bool) -> Step {
        let rest = Self { skip: 0, then: Then::Rest };
        let (next, step) = match self.then {
            Then::Rest => (rest, Step::Other),
            Then::Chunk => (Self::chunk(bytes).unwrap_or(rest), Step::Other),
            Then::Head => match Head::read(bytes) {
                None => (rest, Step::Other),
                Some(head) => {
                    let skip = head.length as u64;
                    let next = match head.body(to_head) {
                        Body::None => Self { skip, then: Then::Head },
                        Body::Sized(length) => Self { skip: skip + length, then: Then::Head },
                        Body::Chunked => Self { skip, then: Then::Chunk },
                        Body::Endless => rest,
                    };
                    (next, head.kind())
                }
            },
        };
        *self = next;
        step
    }

    /// The chunk at the beginning of the bytes; the last one has size 0 and an empty line after it.
    fn chunk(bytes: &[u8]) -> Option<Self> {
        let line = bytes.windows(2).take(20).position(|pair| pair == b"\r\n")?;
        let size = std::str::from_utf8(&bytes[..line]).ok()?;
        let size = u64::from_str_radix(size.trim(), 16).ok()?;
        let then = if size == 0 { Then::Head } else { Then::Chunk };
        Some(Self { skip: line as u64 + 2 + size + 2, then })
    }
}

/// What was found in bytes that are to be written.
struct Seen {
    /// Where an error of the HTTP layer begins, if there is one.
    bare: Option<(usize, StatusCode)>,
    /// How many answers of the application begin before it.
    answers: usize,
    /// Where the connection is when all bytes are written.
    after: Answers,
}

/// What stands at a place.
enum Step {
    /// The head of an answer of the application.
    Answer,
    /// The head of an error that the HTTP layer made.
    Bare(StatusCode),
    /// A chunk, a head that no final answer follows yet, or what nobody looks at.
    Other,
}

/// The head of an answer.
struct Head<'a> {
    text: &'a str,
    /// Bytes up to the body.
    length: usize,
    status: StatusCode,
}

/// What follows a head.
enum Body {
    None,
    Sized(u64),
    Chunked,
    /// Until the connection is closed.
    Endless,
}

impl<'a> Head<'a> {
    /// The head at the beginning of the bytes. The HTTP layer hands over heads whole.
    fn read(bytes: &'a [u8]) -> Option<Self> {
        let length = bytes.windows(4).position(|window| window == b"\r\n\r\n")? + 4;
        let text = std::str::from_utf8(&bytes[..length]).ok()?;
        let status = text.strip_prefix("HTTP/1.")?.get(2..5)?;
        Some(Self { text, length, status: StatusCode::from_bytes(status.as_bytes()).ok()? })
    }

    fn field(&self, name: &str) -> Option<&str> {
        self.text.lines().skip(1).find_map(|line| {
            let (field, value) = line.split_once(':')?;
            field.eq_ignore_ascii_case(name).then(|| value.trim())
        })
    }

    fn kind(&self) -> Step {
        let is_error = self.status.is_client_error() || self.status.is_server_error();
        match self.field("x-request-id") {
            Some(_) => Step::Answer,
            None if is_error => Step::Bare(self.status),
            None => Step::Other,
        }
    }

    fn body(&self, to_head: bool) -> Body {
        let bodiless = [StatusCode::NO_CONTENT, StatusCode::NOT_MODIFIED];
        if to_head || self.status.is_informational() || bodiless.contains(&self.status) {
            return Body::None;
        }
        if self.field("transfer-encoding").is_some() {
            return Body::Chunked;
        }
        let length = self.field("content-length").and_then(|length| length.parse().ok());
        length.map_or(Body::Endless, Body::Sized)
    }
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

    /// Where a bare error begins in what a connection writes; `heads` tells which answers are to HEAD.
    fn bare(written: &[u8], heads: &[bool]) -> Option<usize> {
        let made = || {
            let traffic = Traffic::default();
            for head in heads {
                traffic.answer(*head);
            }
            traffic
        };
        let traffic = made();
        let found = Answers::default().look(written, &traffic).bare.map(|(at, _)| at);
        // However the bytes are cut, the same is found.
        for cut in 1..written.len() {
            let traffic = made();
            let mut answers = Answers::default();
            if found.is_some_and(|at| cut > at) {
                break;
            }
            answers.pass(written, cut, &traffic);
            let then = answers.look(&written[cut..], &traffic).bare.map(|(at, _)| at + cut);
            assert_eq!(then, found, "cut at {cut}");
        }
        found
    }

    fn answer(head: &str, body: &str) -> Vec<u8> {
        format!("HTTP/1.1 {head}\r\nx-request-id: 1\r\n\r\n{body}").into_bytes()
    }

    #[test]
    fn only_an_error_that_nobody_answered_is_bare() {
        assert_eq!(bare(BARE, &[]), Some(0));
        let known = [
            answer("200 OK\r\ncontent-length: 2", "hi"),
            answer("204 No Content", ""),
            answer("404 Not Found\r\ncontent-length: 2", "{}"),
            answer("304 Not Modified\r\ncontent-length: 70", ""),
            answer(
                "200 OK\r\ntransfer-encoding: chunked",
                "3\r\nabc\r\n10\r\n0123456789abcdef\r\n0\r\n\r\n",
            ),
            b"HTTP/1.1 100 Continue\r\n\r\n".to_vec(),
            answer("200 OK\r\nContent-Length: 0", ""),
        ]
        .concat();
        assert_eq!(bare(&known, &[]), None);
        assert_eq!(bare(&[&known, BARE].concat(), &[]), Some(known.len()));
        let to_head = answer("200 OK\r\ncontent-length: 70", "");
        assert_eq!(bare(&[&to_head, BARE].concat(), &[true]), Some(to_head.len()));
    }

    /// A body says what somebody wrote. It must never be taken for an answer.
    #[test]
    fn what_looks_like_an_error_in_a_body_is_a_body() {
        let body = std::str::from_utf8(BARE).unwrap();
        let sized = answer(&format!("200 OK\r\ncontent-length: {}", body.len()), body);
        assert_eq!(bare(&sized, &[]), None);
        let chunk = format!("{:x}\r\n{body}\r\n0\r\n\r\n", body.len());
        let chunked = answer("200 OK\r\ntransfer-encoding: chunked", &chunk);
        assert_eq!(bare(&chunked, &[]), None);
        assert_eq!(
            bare(&[&sized[..], &chunked, BARE].concat(), &[]),
            Some(sized.len() + chunked.len())
        );
        assert_eq!(bare(&answer("200 OK", body), &[]), None, "a body until the end");
        assert_eq!(bare(b"rubbish", &[]), None);
    }

    /// A client that reads a few bytes at a time gets the same bytes, in order, and nothing of the bare answer.
    #[tokio::test]
    async fn a_slow_reader_gets_the_problem_whole() {
        let (client, server) = tokio::io::duplex(7);
        let (mut read, _write) = tokio::io::split(client);
        let earlier = b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\nx-request-id: 1\r\n\r\nhi";
        let send = async {
            let mut wire = Wire::new(server);
            wire.write_all(&[earlier, BARE].concat()).await.unwrap();
            wire.shutdown().await.unwrap();
        };
        let mut text = String::new();
        let ((), read) = tokio::join!(send, read.read_to_string(&mut text));
        read.unwrap();
        let rest = text.strip_prefix(std::str::from_utf8(earlier).unwrap()).unwrap();
        let (head, body) = rest.split_once("\r\n\r\n").unwrap();
        assert!(head.starts_with("HTTP/1.1 400 Bad Request\r\n"), "{head}");
        assert!(head.contains(&format!("content-length: {}", body.len())), "{head}");
        assert!(!head.contains("content-length: 0"), "{head}");
        let problem: serde_json::Value = serde_json::from_str(body).unwrap();
        assert_eq!(problem["code"], "invalid_request");
    }
}
