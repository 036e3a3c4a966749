//! Buffers log lines and writes them in batches, on a separate thread.
//!
//! Writing each line separately, or waking a thread for each, would be a fifth of the cost of a small request
//! (docs/decisions/0166-keep-own-log-writer.md).

use std::io::{self, Write};
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tracing_subscriber::fmt::MakeWriter;

/// How long a line waits for further lines.
const BATCH_TIME: Duration = Duration::from_millis(20);
/// A batch of this many bytes is written at once.
const BATCH_BYTES: usize = 64 * 1024;
/// Most bytes in the buffer. Further lines are dropped and counted: a slow reader of the log must not stop the service.
const MAX_BYTES: usize = 4 * 1024 * 1024;

/// Adds lines to the buffer.
#[derive(Clone)]
pub(super) struct LogWriter(Arc<Shared>);

/// How long the end of the program waits until the buffer is written.
const FLUSH_TIMEOUT: Duration = Duration::from_secs(1);

/// Flushes the buffer when it is dropped, if the log is being read.
pub(super) struct LogGuard {
    shared: Arc<Shared>,
    /// Closed when the thread has written everything.
    finished: Receiver<()>,
}

#[derive(Default)]
struct Shared {
    buffer: Mutex<Buffer>,
    /// Notified at the first line of a batch, when a batch is full, and at the end.
    wake: Condvar,
}

#[derive(Default)]
struct Buffer {
    lines: Vec<u8>,
    dropped: u64,
    has_ended: bool,
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Buffer> {
        self.buffer.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn write_out(&self, mut sink: impl Write) {
        let mut lines = Vec::with_capacity(BATCH_BYTES);
        loop {
            let is_empty = |buffer: &mut Buffer| buffer.lines.is_empty() && !buffer.has_ended;
            let buffer = self.wake.wait_while(self.lock(), is_empty);
            let is_small =
                |buffer: &mut Buffer| buffer.lines.len() < BATCH_BYTES && !buffer.has_ended;
            let buffer = self.wake.wait_timeout_while(
                buffer.unwrap_or_else(PoisonError::into_inner),
                BATCH_TIME,
                is_small,
            );
            let (mut buffer, _) = buffer.unwrap_or_else(PoisonError::into_inner);
            std::mem::swap(&mut lines, &mut buffer.lines);
            let (dropped, has_ended) = (std::mem::take(&mut buffer.dropped), buffer.has_ended);
            drop(buffer);
            // A log that cannot be written leaves no place to report this.
            let _ = sink.write_all(&lines).and_then(|()| sink.flush());
            lines.clear();
            if dropped > 0 {
                tracing::warn!(
                    dropped,
                    "lines of the log were dropped: nobody reads them fast enough"
                );
            }
            if has_ended && self.lock().lines.is_empty() {
                return;
            }
        }
    }
}

/// Starts a thread that writes to `sink` until the guard is dropped.
pub(super) fn start(sink: impl Write + Send + 'static) -> io::Result<(LogWriter, LogGuard)> {
    let shared = Arc::new(Shared::default());
    let for_thread = shared.clone();
    let (done, finished) = channel();
    std::thread::Builder::new().name("log".to_owned()).spawn(move || {
        for_thread.write_out(sink);
        drop(done);
    })?;
    Ok((LogWriter(shared.clone()), LogGuard { shared, finished }))
}

impl Drop for LogGuard {
    fn drop(&mut self) {
        self.shared.lock().has_ended = true;
        self.shared.wake.notify_one();
        // Nothing is ever sent: this waits until the thread ends, or until the timeout.
        let _ = self.finished.recv_timeout(FLUSH_TIMEOUT);
    }
}

impl Write for &LogWriter {
    /// Takes one whole line.
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        let mut buffer = self.0.lock();
        let before = buffer.lines.len();
        if before + line.len() > MAX_BYTES {
            buffer.dropped += 1;
            return Ok(line.len());
        }
        buffer.lines.extend_from_slice(line);
        let after = buffer.lines.len();
        drop(buffer);
        if before == 0 || before < BATCH_BYTES && after >= BATCH_BYTES {
            self.0.wake.notify_one();
        }
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl<'a> MakeWriter<'a> for LogWriter {
    type Writer = &'a Self;

    fn make_writer(&'a self) -> Self::Writer {
        self
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::Sender;

    use super::*;

    /// A sink that signals each write, and performs it when it is allowed to.
    struct Slow {
        begun: Sender<()>,
        allowed: Receiver<()>,
        written: Sender<Vec<u8>>,
    }

    impl Write for Slow {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            let _ = self.begun.send(());
            let _ = self.allowed.recv();
            self.written.send(bytes.to_vec()).map_err(io::Error::other)?;
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn every_line_is_written_in_order_before_the_end() {
        let (allow, allowed) = channel();
        let (written, pieces) = channel();
        drop(allow);
        let (writer, guard) = start(Slow { begun: channel().0, allowed, written }).unwrap();
        let lines: Vec<String> = (0..10_000).map(|number| format!("line {number}\n")).collect();
        for line in &lines {
            (&writer).write_all(line.as_bytes()).unwrap();
        }
        drop(guard);
        let pieces: Vec<Vec<u8>> = pieces.try_iter().collect();
        assert!(pieces.len() < lines.len() / 10, "{} pieces", pieces.len());
        assert_eq!(String::from_utf8(pieces.concat()).unwrap(), lines.concat());
    }

    #[test]
    fn a_blocked_reader_of_the_log_blocks_nothing() {
        let (allow, allowed) = channel();
        let (written, pieces) = channel();
        let (begun, begins) = channel();
        let (writer, guard) = start(Slow { begun, allowed, written }).unwrap();
        let line = [b'x'; 1024];
        (&writer).write_all(&line).unwrap();
        begins.recv().unwrap();
        let lines = 3 * MAX_BYTES / line.len();
        for _ in 0..lines {
            (&writer).write_all(&line).unwrap();
        }
        assert!(writer.0.lock().dropped > 0);
        // The end of the program does not wait either.
        drop(guard);
        drop(allow);
        let kept: usize = pieces.iter().map(|piece| piece.len()).sum();
        assert!(kept >= MAX_BYTES - line.len() && kept < lines * line.len(), "{kept}");
        assert_eq!(kept % line.len(), 0, "whole lines");
    }
}
