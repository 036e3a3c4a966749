//! Connections on which nothing happens.
//!
//! actix-web limits the time of the first head on a connection, and of the silence between two requests. It does not limit how long a
//! client may take for a later head that it has begun, for the rest of a body that was answered early, or for taking an answer. One
//! task for each connection does: it knows when the last answer was handed over, and closes the socket when no request follows.

use std::any::Any;
use std::cell::Cell;
use std::os::fd::{AsFd as _, OwnedFd};
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll};
use std::time::Duration;

use actix_web::body::{BodySize, MessageBody};
use actix_web::dev::Extensions;
use actix_web::rt;
use actix_web::rt::net::TcpStream;
use actix_web::web::Bytes;
use rustix::net::{Shutdown, shutdown};
use tokio::task::JoinHandle;
use tokio::time::Instant;

use crate::http::middleware::request::RequestId;

/// How long after an answer the head of the next request must be complete: nothing more is read then. actix-web closes after 5 s of
/// silence, so whoever has begun a head has 5 s at least.
pub const IDLE: Duration = Duration::from_secs(10);

/// How long after an answer was handed to the connection the client must have taken it: the connection is closed then.
const TAKEN: Duration = Duration::from_mins(1);

/// A connection, as its requests see it.
#[derive(Debug)]
pub struct Connection {
    activity: Rc<Activity>,
    watcher: JoinHandle<()>,
}

#[derive(Debug)]
struct Activity {
    /// Requests that began and are not answered to the end.
    open: Cell<usize>,
    /// When the last of them ended.
    idle_since: Cell<Instant>,
}

/// A request that is being answered, until the last byte of the answer is handed over.
#[derive(Debug)]
pub struct Turn(Rc<Activity>);

/// Watches over a new connection.
pub fn watch(io: &dyn Any, data: &mut Extensions) {
    let Some(stream) = io.downcast_ref::<TcpStream>() else { return };
    let Ok(socket) = stream.as_fd().try_clone_to_owned() else {
        // The process has no file descriptors left. Nobody could watch over this connection.
        let _ = shutdown(stream.as_fd(), Shutdown::Both);
        return;
    };
    let activity = Rc::new(Activity { open: Cell::new(0), idle_since: Cell::new(Instant::now()) });
    let watcher = rt::spawn(end_when_idle(socket, activity.clone()));
    data.insert(Connection { activity, watcher });
}

async fn end_when_idle(socket: OwnedFd, activity: Rc<Activity>) {
    loop {
        let idle = activity.idle();
        if idle >= TAKEN {
            let _ = shutdown(&socket, Shutdown::Both);
            return;
        }
        if idle >= IDLE {
            // What is still to be written goes out.
            let _ = shutdown(&socket, Shutdown::Read);
        }
        tokio::time::sleep(if idle < IDLE { IDLE } else { TAKEN }.saturating_sub(idle)).await;
    }
}

impl Activity {
    /// How long there has been no request.
    fn idle(&self) -> Duration {
        if self.open.get() > 0 { Duration::ZERO } else { self.idle_since.get().elapsed() }
    }
}

impl Connection {
    /// A request has come.
    pub fn begin(&self) -> Turn {
        self.activity.open.set(self.activity.open.get() + 1);
        Turn(self.activity.clone())
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        // The socket is open for as long as the watcher has it.
        self.watcher.abort();
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        self.0.open.set(self.0.open.get() - 1);
        self.0.idle_since.set(Instant::now());
    }
}

/// The body of an answer. Its request ends with it.
#[derive(Debug)]
pub struct Answer<B> {
    body: B,
    id: RequestId,
    _turn: Option<Turn>,
}

impl<B> Answer<B> {
    /// The body of the answer to the request of that id and turn.
    pub fn new(body: B, id: RequestId, turn: Option<Turn>) -> Self {
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

#[cfg(test)]
mod tests {
    use std::io::{Read as _, Write as _};
    use std::os::unix::net::UnixStream;

    use super::*;

    /// A connection whose last answer was handed over so long ago, and its client.
    fn idle_for(time: Duration) -> (UnixStream, OwnedFd, Rc<Activity>, UnixStream) {
        let (ours, theirs) = UnixStream::pair().unwrap();
        let watched = ours.as_fd().try_clone_to_owned().unwrap();
        let idle_since = Cell::new(Instant::now().checked_sub(time).unwrap());
        (ours, watched, Rc::new(Activity { open: Cell::new(0), idle_since }), theirs)
    }

    /// Lets a watcher act, and leaves it waiting.
    async fn act(watched: OwnedFd, activity: Rc<Activity>) -> bool {
        let watcher = end_when_idle(watched, activity);
        tokio::time::timeout(Duration::from_millis(1), watcher).await.is_ok()
    }

    #[tokio::test]
    async fn first_nothing_is_read_then_nothing_is_written() {
        let (mut ours, watched, activity, mut theirs) = idle_for(IDLE);
        assert!(!act(watched, activity).await, "it waits for the client to take the answer");
        assert_eq!(ours.read(&mut [0; 9]).unwrap(), 0, "the end");
        ours.write_all(b"the rest").unwrap();
        let mut taken = [0; 8];
        theirs.read_exact(&mut taken).unwrap();
        assert_eq!(&taken, b"the rest");

        let (mut ours, watched, activity, mut theirs) = idle_for(TAKEN);
        assert!(act(watched, activity).await);
        assert!(ours.write_all(b"the rest").is_err());
        assert_eq!(theirs.read(&mut [0; 9]).unwrap(), 0, "the end");
    }

    #[tokio::test]
    async fn a_request_that_is_answered_is_nothing_idle() {
        let (mut ours, watched, activity, mut theirs) = idle_for(TAKEN);
        activity.open.set(1);
        assert!(!act(watched, activity.clone()).await);
        theirs.write_all(b"more").unwrap();
        ours.read_exact(&mut [0; 4]).unwrap();
        drop(Turn(activity.clone()));
        assert!(activity.open.get() == 0 && activity.idle() < IDLE, "its time begins with the end");
    }
}
