//! Where lines of the log wait until a thread of their own writes them, as many at once as have come together.
//!
//! To write each line by itself, or to wake a thread for each, would be a fifth of what a small request costs.

use std::io::{self, Write};
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tracing_subscriber::fmt::MakeWriter;

/// How long a line may wait for others.
const GATHERING: Duration = Duration::from_millis(20);
/// So many bytes are written at once, however early it is.
const FULL: usize = 64 * 1024;
/// Most bytes that wait. Lines beyond are dropped and counted: whoever reads the log slowly, or not at all, must not stop the service.
const MOST: usize = 4 * 1024 * 1024;

/// Takes lines in.
#[derive(Clone)]
pub(super) struct LogWriter(Arc<Shared>);

/// How long the end of the program waits for what is still to be written.
const FAREWELL: Duration = Duration::from_secs(1);

/// Writes what still waits when it is dropped, if somebody reads it.
pub(super) struct LogGuard {
    shared: Arc<Shared>,
    /// Closed when all is written.
    written: Receiver<()>,
}

#[derive(Default)]
struct Shared {
    waiting: Mutex<Waiting>,
    /// Told of the first line, of enough lines, and of the end.
    news: Condvar,
}

#[derive(Default)]
struct Waiting {
    lines: Vec<u8>,
    dropped: u64,
    ended: bool,
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn write_out(&self, mut sink: impl Write) {
        let mut lines = Vec::with_capacity(FULL);
        loop {
            let nothing = |waiting: &mut Waiting| waiting.lines.is_empty() && !waiting.ended;
            let waiting = self.news.wait_while(self.lock(), nothing);
            let too_few = |waiting: &mut Waiting| waiting.lines.len() < FULL && !waiting.ended;
            let waiting = self.news.wait_timeout_while(
                waiting.unwrap_or_else(PoisonError::into_inner),
                GATHERING,
                too_few,
            );
            let (mut waiting, _) = waiting.unwrap_or_else(PoisonError::into_inner);
            std::mem::swap(&mut lines, &mut waiting.lines);
            let (dropped, ended) = (std::mem::take(&mut waiting.dropped), waiting.ended);
            drop(waiting);
            // Nobody reads the log any more: there is nobody to tell.
            let _ = sink.write_all(&lines).and_then(|()| sink.flush());
            lines.clear();
            if dropped > 0 {
                tracing::warn!(
                    dropped,
                    "lines of the log were dropped: nobody reads them fast enough"
                );
            }
            if ended && self.lock().lines.is_empty() {
                return;
            }
        }
    }
}

/// Writes to `sink` from a thread, until the guard is dropped.
pub(super) fn start(sink: impl Write + Send + 'static) -> io::Result<(LogWriter, LogGuard)> {
    let shared = Arc::new(Shared::default());
    let writing = shared.clone();
    let (done, written) = channel();
    std::thread::Builder::new().name("log".to_owned()).spawn(move || {
        writing.write_out(sink);
        drop(done);
    })?;
    Ok((LogWriter(shared.clone()), LogGuard { shared, written }))
}

impl Drop for LogGuard {
    fn drop(&mut self) {
        self.shared.lock().ended = true;
        self.shared.news.notify_one();
        // Nothing is ever sent: this waits for the thread's end, or gives up.
        let _ = self.written.recv_timeout(FAREWELL);
    }
}

impl Write for &LogWriter {
    /// Takes a whole line.
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        let mut waiting = self.0.lock();
        let before = waiting.lines.len();
        if before + line.len() > MOST {
            waiting.dropped += 1;
            return Ok(line.len());
        }
        waiting.lines.extend_from_slice(line);
        let after = waiting.lines.len();
        drop(waiting);
        if before == 0 || before < FULL && after >= FULL {
            self.0.news.notify_one();
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

    /// A sink that tells when it is about to write, and hands on each piece once it is allowed to.
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
    fn nobody_waits_for_a_reader_that_does_not_read() {
        let (allow, allowed) = channel();
        let (written, pieces) = channel();
        let (begun, begins) = channel();
        let (writer, guard) = start(Slow { begun, allowed, written }).unwrap();
        let line = [b'x'; 1024];
        (&writer).write_all(&line).unwrap();
        begins.recv().unwrap();
        let lines = 3 * MOST / line.len();
        for _ in 0..lines {
            (&writer).write_all(&line).unwrap();
        }
        assert!(writer.0.lock().dropped > 0);
        // Nor does the end of the program.
        drop(guard);
        drop(allow);
        let kept: usize = pieces.iter().map(|piece| piece.len()).sum();
        assert!(kept >= MOST - line.len() && kept < lines * line.len(), "{kept}");
        assert_eq!(kept % line.len(), 0, "whole lines");
    }
}
