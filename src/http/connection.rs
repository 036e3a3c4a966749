//! Closes idle and stalled connections.
//!
//! actix-web limits the time for the first head on a connection, and the silence between two requests. It does not limit the time that a client takes to finish
//! the head of a later request, to send the rest of a body that was answered early, or to read a response. One task for each connection does that: it knows
//! when the last response was handed over, and closes the socket if no request follows.

use std::any::Any;
use std::cell::Cell;
use std::convert::Infallible;
use std::os::fd::{AsFd as _, OwnedFd};
use std::pin::Pin;
use std::rc::Rc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::task::{Context, Poll};
use std::time::Duration;

use actix_web::body::{BodySize, MessageBody};
use actix_web::dev::{Extensions, ResponseHead};
use actix_web::http::header;
use actix_web::rt;
use actix_web::rt::net::TcpStream;
use actix_web::web::Bytes;
use rustix::net::{Shutdown, shutdown};
#[cfg(target_os = "linux")]
use socket2::SockRef;
use tokio::task::JoinHandle;
use tokio::time::Instant;

use crate::http::middleware::request::RequestId;

/// Time after a response within which the head of the next request must be complete; then the socket is closed for reading. actix-web closes a connection after
/// 5 s of silence, so a client that has begun a head has at least 5 s to finish it.
pub const IDLE: Duration = Duration::from_secs(10);

/// Time after a response was handed to the connection within which the client must have read it; then the connection is closed.
const READ_TIME: Duration = Duration::from_mins(1);

/// Time after which a connection is closed if the client does not acknowledge what was sent to it, or has no room for more. Without this limit, a client that was
/// cut off would count as connected for a quarter of an hour: what a stream sends meanwhile fits into the buffer of the kernel.
#[cfg(target_os = "linux")]
const SILENCE: Duration = Duration::from_secs(30);

/// The numbers of requests in progress, one for each worker thread.
static WORKERS: Mutex<Vec<Weak<AtomicUsize>>> = Mutex::new(Vec::new());

thread_local! {
    /// The number of requests in progress on this worker thread. Only this thread changes it, so that it stays in the cache of its core.
    static IN_PROGRESS: Arc<AtomicUsize> = {
        let requests = Arc::new(AtomicUsize::new(0));
        let mut workers = WORKERS.lock().unwrap_or_else(PoisonError::into_inner);
        workers.retain(|worker| worker.strong_count() > 0);
        workers.push(Arc::downgrade(&requests));
        requests
    };
}

/// The number of requests of this process that have begun and whose responses are not complete.
pub fn count_requests_in_progress() -> usize {
    let workers = WORKERS.lock().unwrap_or_else(PoisonError::into_inner);
    let requests = workers.iter().filter_map(Weak::upgrade);
    requests.map(|requests| requests.load(Ordering::Relaxed)).sum()
}

/// The activity of a connection, which its requests update.
#[derive(Debug)]
pub struct Connection {
    activity: Rc<Activity>,
    watcher: JoinHandle<()>,
}

#[derive(Debug)]
struct Activity {
    /// Number of requests that have begun and whose responses are not complete.
    open: Cell<usize>,
    /// When the last request ended.
    idle_since: Cell<Instant>,
    /// The number of requests in progress on the worker thread.
    on_worker: Arc<AtomicUsize>,
}

/// A request in progress; it ends when the last byte of the response is handed over.
#[derive(Debug)]
pub struct ActiveRequest(Rc<Activity>);

/// Starts the task that watches a new connection.
pub fn watch(io: &dyn Any, data: &mut Extensions) {
    let Some(stream) = io.downcast_ref::<TcpStream>() else { return };
    #[cfg(target_os = "linux")]
    let _ = SockRef::from(stream).set_tcp_user_timeout(Some(SILENCE));
    let Ok(socket) = stream.as_fd().try_clone_to_owned() else {
        // The process has no file descriptors left, so the connection could not be watched: close it.
        let _ = shutdown(stream.as_fd(), Shutdown::Both);
        return;
    };
    let activity = Rc::new(Activity {
        open: Cell::new(0),
        idle_since: Cell::new(Instant::now()),
        on_worker: IN_PROGRESS.with(Arc::clone),
    });
    let watcher = rt::spawn(end_when_idle(socket, activity.clone()));
    data.insert(Connection { activity, watcher });
}

async fn end_when_idle(socket: OwnedFd, activity: Rc<Activity>) {
    loop {
        let idle = activity.idle();
        if idle >= READ_TIME {
            let _ = shutdown(&socket, Shutdown::Both);
            return;
        }
        if idle >= IDLE {
            // Data that is still to be written is sent.
            let _ = shutdown(&socket, Shutdown::Read);
        }
        tokio::time::sleep(if idle < IDLE { IDLE } else { READ_TIME }.saturating_sub(idle)).await;
    }
}

impl Activity {
    /// Time since the last request ended; zero while a request is in progress.
    fn idle(&self) -> Duration {
        if self.open.get() > 0 { Duration::ZERO } else { self.idle_since.get().elapsed() }
    }
}

impl Connection {
    /// Records the start of a request.
    pub fn begin(&self) -> ActiveRequest {
        self.activity.open.set(self.activity.open.get() + 1);
        self.activity.on_worker.fetch_add(1, Ordering::Relaxed);
        ActiveRequest(self.activity.clone())
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        // The watcher keeps the socket open until it is aborted.
        self.watcher.abort();
    }
}

impl Drop for ActiveRequest {
    fn drop(&mut self) {
        self.0.open.set(self.0.open.get() - 1);
        self.0.on_worker.fetch_sub(1, Ordering::Relaxed);
        self.0.idle_since.set(Instant::now());
    }
}

/// The body of a response. Its request ends when the body is dropped.
#[derive(Debug)]
pub struct Answer<B> {
    body: B,
    id: RequestId,
    _turn: Option<ActiveRequest>,
}

impl<B> Answer<B> {
    /// The body of the response to the request with this id and turn.
    pub fn new(body: B, id: RequestId, turn: Option<ActiveRequest>) -> Self {
        Self { body, id, _turn: turn }
    }
}

impl<B: MessageBody + Unpin> MessageBody for Answer<B> {
    type Error = B::Error;

    fn size(&self) -> BodySize {
        self.body.size()
    }

    fn poll_next(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Bytes, B::Error>>> {
        self.id.enter(|| Pin::new(&mut self.body).poll_next(context))
    }
}

/// The body of an answer to HEAD: none, with the size of the body that GET has as a header. The server would read the body to its end, and a stream of events has
/// none. It also forgets that a request is a HEAD as soon as it has read the next one of the connection, and then counts the bytes of a body whose size it knows.
#[derive(Debug)]
pub struct Unread(BodySize);

impl Unread {
    /// The body in place of this one.
    pub fn of(head: &mut ResponseHead, body: &impl MessageBody) -> Self {
        match body.size() {
            size @ (BodySize::None | BodySize::Sized(0)) => return Self(size),
            BodySize::Sized(length) => {
                head.headers_mut().insert(header::CONTENT_LENGTH, length.into());
            }
            BodySize::Stream => {}
        }
        // Neither a length to keep nor chunks to end.
        head.no_chunking(true);
        Self(BodySize::Stream)
    }
}

impl MessageBody for Unread {
    type Error = Infallible;

    fn size(&self) -> BodySize {
        self.0
    }

    fn poll_next(
        self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Bytes, Infallible>>> {
        Poll::Ready(None)
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Read as _, Write as _};
    use std::os::unix::net::UnixStream;

    use super::*;

    /// A connection whose last response was handed over this long ago, and the client's end of it.
    fn idle_for(time: Duration) -> (UnixStream, OwnedFd, Rc<Activity>, UnixStream) {
        let (ours, theirs) = UnixStream::pair().unwrap();
        let watched = ours.as_fd().try_clone_to_owned().unwrap();
        let idle_since = Cell::new(Instant::now().checked_sub(time).unwrap());
        let on_worker = Arc::new(AtomicUsize::new(1));
        (ours, watched, Rc::new(Activity { open: Cell::new(0), idle_since, on_worker }), theirs)
    }

    /// Lets a watcher run until it waits. Returns whether it still waits.
    async fn act(watched: OwnedFd, activity: Rc<Activity>) -> bool {
        let watcher = end_when_idle(watched, activity);
        tokio::time::timeout(Duration::from_millis(1), watcher).await.is_ok()
    }

    #[tokio::test]
    async fn first_reading_stops_and_then_writing() {
        let (mut ours, watched, activity, mut theirs) = idle_for(IDLE);
        assert!(!act(watched, activity).await, "it waits until the client has read the answer");
        assert_eq!(ours.read(&mut [0; 9]).unwrap(), 0, "end of file");
        ours.write_all(b"the rest").unwrap();
        let mut taken = [0; 8];
        theirs.read_exact(&mut taken).unwrap();
        assert_eq!(&taken, b"the rest");

        let (mut ours, watched, activity, mut theirs) = idle_for(READ_TIME);
        assert!(act(watched, activity).await);
        assert!(ours.write_all(b"the rest").is_err());
        assert_eq!(theirs.read(&mut [0; 9]).unwrap(), 0, "end of file");
    }

    #[cfg(target_os = "linux")]
    #[actix_web::test]
    async fn an_accepted_connection_ends_if_its_client_acknowledges_nothing() {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let (_client, accepted) = tokio::join!(TcpStream::connect(address), listener.accept());
        let (stream, _) = accepted.unwrap();
        assert_eq!(SockRef::from(&stream).tcp_user_timeout().unwrap(), None);
        let mut data = Extensions::new();
        watch(&stream, &mut data);
        assert_eq!(SockRef::from(&stream).tcp_user_timeout().unwrap(), Some(SILENCE));
    }

    #[tokio::test]
    async fn a_request_in_progress_is_not_idle() {
        let (mut ours, watched, activity, mut theirs) = idle_for(READ_TIME);
        activity.open.set(1);
        assert!(!act(watched, activity.clone()).await);
        theirs.write_all(b"more").unwrap();
        ours.read_exact(&mut [0; 4]).unwrap();
        drop(ActiveRequest(activity.clone()));
        assert!(activity.open.get() == 0 && activity.idle() < IDLE, "idle time starts at the end");
        assert_eq!(activity.on_worker.load(Ordering::Relaxed), 0);
    }
}
