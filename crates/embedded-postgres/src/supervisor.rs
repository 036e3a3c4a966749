//! The thread that starts the server, restarts it when it ends, and stops it.
//!
//! A single thread does all this, because the kernel ties the server's life to the thread that spawned it.

use std::io::Write;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::process::Child;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc::{self, SyncSender};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, PidfdFlags, pidfd_open};

use crate::error::Error;
use crate::server::{Server, shut_down};

/// The pause before a restart grows from the first to the second value.
const BACKOFF: (Duration, Duration) = (Duration::from_millis(100), Duration::from_secs(5));

/// A server that ran this long was healthy: the pause before its next restart is short again.
const HEALTHY_AFTER: Duration = Duration::from_secs(30);

/// How often the length of the log is checked.
const LOG_CHECK: Duration = Duration::from_mins(1);

/// The owner's handle of the thread.
#[derive(Debug)]
pub(crate) struct Supervisor {
    /// Zero while no server accepts connections.
    postmaster: Arc<AtomicU32>,
    stop: UnixStream,
    thread: Option<JoinHandle<()>>,
}

impl Supervisor {
    /// Starts the thread, which creates the cluster if needed and starts the server; returns when the server accepts
    /// connections.
    pub(crate) fn start(server: Server) -> Result<Self, Error> {
        let broken = |error: std::io::Error| Error::Supervisor(error.to_string());
        let (stop, stop_requested) = UnixStream::pair().map_err(broken)?;
        let postmaster = Arc::new(AtomicU32::new(0));
        let (first_start, outcome) = mpsc::sync_channel(1);
        let watch = Watch {
            server,
            postmaster: Arc::clone(&postmaster),
            stop_requested,
            backoff: BACKOFF.0,
        };
        let thread = std::thread::Builder::new()
            .name("pg-supervisor".to_owned())
            .spawn(move || watch.run(&first_start))
            .map_err(broken)?;
        let mut supervisor = Self { postmaster, stop, thread: Some(thread) };
        match outcome.recv() {
            Ok(Ok(())) => Ok(supervisor),
            Ok(Err(error)) => Err(error),
            Err(_) => Err(supervisor
                .stop()
                .err()
                .unwrap_or_else(|| Error::Supervisor("it ended without an answer".to_owned()))),
        }
    }

    pub(crate) fn postmaster_pid(&self) -> Option<u32> {
        Some(self.postmaster.load(Ordering::Acquire)).filter(|pid| *pid != 0)
    }

    /// Stops the server and the thread, and waits for both; a second call has no effect.
    pub(crate) fn stop(&mut self) -> Result<(), Error> {
        let Some(thread) = self.thread.take() else { return Ok(()) };
        // Fails only when the thread has already ended.
        let _ = self.stop.write_all(b"s");
        thread.join().map_err(|_| Error::Supervisor("it panicked".to_owned()))
    }
}

/// The thread's own state.
struct Watch {
    server: Server,
    postmaster: Arc<AtomicU32>,
    stop_requested: UnixStream,
    backoff: Duration,
}

/// Why a wait ended.
enum WaitEnd {
    Stop,
    ServerEnded,
    TimeUp,
}

impl Watch {
    fn run(mut self, first_start: &SyncSender<Result<(), Error>>) {
        let Server { cluster, binaries, account, settings, .. } = &self.server;
        let started =
            cluster.create_if_missing(binaries, account, settings).and_then(|()| self.start());
        let mut child = match started {
            Ok(child) => {
                let _ = first_start.send(Ok(()));
                child
            }
            Err(error) => {
                let _ = first_start.send(Err(error));
                return;
            }
        };
        loop {
            let since = Instant::now();
            if self.watch(&mut child) {
                self.postmaster.store(0, Ordering::Release);
                if !shut_down(&mut child) {
                    tracing::warn!("Postgres ended without a checkpoint; the next start recovers");
                }
                return;
            }
            self.postmaster.store(0, Ordering::Release);
            if since.elapsed() > HEALTHY_AFTER {
                self.backoff = BACKOFF.0;
            }
            match self.restart() {
                Some(restarted) => child = restarted,
                None => return,
            }
        }
    }

    fn start(&self) -> Result<Child, Error> {
        let child = self.server.start(|| self.stop_is_requested())?;
        self.postmaster.store(child.id(), Ordering::Release);
        Ok(child)
    }

    /// Waits while the server runs; returns true when it has to be stopped, false when it ended by itself.
    fn watch(&self, child: &mut Child) -> bool {
        let handle = i32::try_from(child.id())
            .ok()
            .and_then(Pid::from_raw)
            .and_then(|pid| pidfd_open(pid, PidfdFlags::empty()).ok());
        // A kernel without pidfds cannot signal the end of the server: poll.
        let interval = if handle.is_some() { LOG_CHECK } else { Duration::from_millis(250) };
        loop {
            if let Ok(Some(status)) = child.try_wait() {
                tracing::error!(%status, pid = child.id(), "Postgres ended unexpectedly");
                return false;
            }
            match self.wait(handle.as_ref(), interval) {
                WaitEnd::Stop => return true,
                WaitEnd::ServerEnded => {}
                WaitEnd::TimeUp => self.server.log.rotate(),
            }
        }
    }

    /// Starts the server, with retries; `None` when it has to be stopped instead.
    fn restart(&mut self) -> Option<Child> {
        loop {
            if let WaitEnd::Stop = self.wait(None, self.backoff) {
                return None;
            }
            self.backoff = (self.backoff * 2).min(BACKOFF.1);
            match self.start() {
                Ok(child) => {
                    tracing::info!(pid = child.id(), "Postgres runs again");
                    return Some(child);
                }
                Err(_) if self.stop_is_requested() => return None,
                Err(error) => tracing::error!(%error, "Postgres could not be restarted"),
            }
        }
    }

    fn wait(&self, server: Option<&OwnedFd>, at_most: Duration) -> WaitEnd {
        let timeout = Timespec {
            tv_sec: i64::try_from(at_most.as_secs()).unwrap_or(i64::MAX),
            tv_nsec: at_most.subsec_nanos().into(),
        };
        let mut fds = vec![PollFd::new(&self.stop_requested, PollFlags::IN)];
        fds.extend(server.map(|handle| PollFd::new(handle, PollFlags::IN)));
        match poll(&mut fds, Some(&timeout)) {
            Ok(0) => return WaitEnd::TimeUp,
            Ok(_) => {}
            Err(rustix::io::Errno::INTR) => return WaitEnd::ServerEnded, // look again
            Err(error) => {
                tracing::warn!(%error, "cannot wait for Postgres");
                std::thread::sleep(at_most.min(Duration::from_millis(250)));
                return WaitEnd::TimeUp;
            }
        }
        if fds[0].revents().is_empty() { WaitEnd::ServerEnded } else { WaitEnd::Stop }
    }

    fn stop_is_requested(&self) -> bool {
        // The request is not consumed, so that later checks see it, too.
        matches!(self.wait(None, Duration::ZERO), WaitEnd::Stop)
    }
}
