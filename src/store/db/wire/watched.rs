//! The stream between driver and server. It fails when a response is late.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Instant, Sleep, sleep_until};
use tokio_postgres::tls::{ChannelBinding, TlsStream};

use super::frames::{Incoming, Outgoing, Received};
use super::pulse::Pulse;
use crate::store::db::health::Health;

/// A watched stream. It fails for all waiting users when a wait exceeds the limit of [`Pulse`].
pub(super) struct Watched<S> {
    stream: S,
    incoming: Incoming,
    outgoing: Outgoing,
    pulse: Arc<Pulse>,
    health: Arc<Health>,
    /// Wakes the driver when a response is late. It may fire too early, because it is not reset for each request.
    alarm: Pin<Box<Sleep>>,
}

impl<S> Watched<S> {
    pub(super) fn new(stream: S, pulse: Arc<Pulse>, health: Arc<Health>) -> Self {
        Self {
            stream,
            incoming: Incoming::default(),
            outgoing: Outgoing::default(),
            pulse,
            health,
            alarm: Box::pin(sleep_until(Instant::now())),
        }
    }

    fn record(&self, received: Received) {
        for code in &received.errors {
            self.health.record_error(code);
        }
        self.pulse.record_received(received.answers, received.process);
    }

    /// Ready when a response is late.
    fn poll_late(&mut self, cx: &mut Context<'_>) -> Poll<io::Error> {
        loop {
            let Some(deadline) = self.pulse.deadline() else { return Poll::Pending };
            if deadline <= Instant::now() {
                if let Some(since) = self.pulse.late_response().silent_since {
                    self.health.suspect(since);
                }
                metrics::counter!("database_connections_given_up_total", "reason" => "late")
                    .increment(1);
                let error = io::Error::new(io::ErrorKind::TimedOut, "no answer in time");
                return Poll::Ready(error);
            }
            if self.alarm.deadline() > deadline || self.alarm.is_elapsed() {
                self.alarm.as_mut().reset(deadline);
            }
            ready!(self.alarm.as_mut().poll(cx));
        }
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Watched<S> {
    fn poll_read(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        loop {
            if !this.incoming.ready().is_empty() {
                let count = this.incoming.ready().len().min(buf.remaining());
                buf.put_slice(&this.incoming.ready()[..count]);
                this.incoming.hand_on(count);
                return Poll::Ready(Ok(()));
            }
            let mut received = Received::default();
            let (read, is_end);
            if this.incoming.is_clear() {
                let before = buf.filled().len();
                read = Pin::new(&mut this.stream).poll_read(cx, buf);
                is_end = buf.filled().len() == before;
                let kept = this.incoming.pass(&buf.filled()[before..], &mut received);
                buf.set_filled(before + kept);
                if matches!(read, Poll::Ready(Ok(()))) && (kept > 0 || is_end) {
                    this.record(received);
                    return Poll::Ready(Ok(()));
                }
            } else {
                let mut space = [0; 1024];
                let mut space = ReadBuf::new(&mut space);
                read = Pin::new(&mut this.stream).poll_read(cx, &mut space);
                is_end = space.filled().is_empty();
                this.incoming.take(space.filled(), &mut received);
            }
            match read {
                Poll::Ready(Ok(())) if is_end => this.incoming.end(),
                Poll::Ready(Ok(())) => this.record(received),
                Poll::Ready(Err(error)) => return Poll::Ready(Err(error)),
                Poll::Pending => return this.poll_late(cx).map(Err),
            }
        }
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Watched<S> {
    fn poll_write(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &[u8],
    ) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        match Pin::new(&mut this.stream).poll_write(cx, buf) {
            Poll::Ready(Ok(written)) => {
                let requested = this.outgoing.count_requests(&buf[..written]);
                if requested > 0 {
                    this.pulse.record_sent(requested);
                    // Sets the timer: the driver reads before it writes, and may not read again.
                    if let Poll::Ready(error) = this.poll_late(cx) {
                        return Poll::Ready(Err(error));
                    }
                }
                Poll::Ready(Ok(written))
            }
            Poll::Pending => this.poll_late(cx).map(Err),
            failed => failed,
        }
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().stream).poll_flush(cx)
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().stream).poll_shutdown(cx)
    }
}

impl<S: TlsStream + Unpin> TlsStream for Watched<S> {
    fn channel_binding(&self) -> ChannelBinding {
        self.stream.channel_binding()
    }
}
