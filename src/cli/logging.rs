//! Starts the log.

use std::io::{BufWriter, IsTerminal as _};

use tracing_appender::non_blocking::{NonBlockingBuilder, WorkerGuard};
use tracing_subscriber::EnvFilter;
use tracing_subscriber::fmt::format::FmtSpan;

use crate::config::{LogFormat, LogOptions};

/// Lines that may wait to be written. More than that are dropped: whoever reads the log slowly, or not at all, must not stop the service.
const WAITING: usize = 16_384;

/// Writes the log to standard error from now on, until the guard is dropped; what waits then is still written. Directives that
/// cannot be read fall back to `info`.
///
/// A thread of its own writes, as much at once as there is: a write for each line would be a fifth of what a small request costs.
pub(super) fn start(options: &LogOptions) -> WorkerGuard {
    let (writer, guard) = NonBlockingBuilder::default()
        .buffered_lines_limit(WAITING)
        .lossy(true)
        .thread_name("log")
        .finish(BufWriter::with_capacity(64 * 1024, std::io::stderr()));
    let filter = EnvFilter::try_new(&options.log).unwrap_or_else(|_| EnvFilter::new("info"));
    let builder = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_span_events(FmtSpan::NONE)
        .with_writer(writer);
    let terminal = std::io::stderr().is_terminal();
    let default = if terminal { LogFormat::Text } else { LogFormat::Json };
    match options.log_format.unwrap_or(default) {
        LogFormat::Text => builder.with_ansi(terminal).with_target(false).init(),
        LogFormat::Json => {
            builder.json().flatten_event(true).with_current_span(true).with_span_list(false).init();
        }
    }
    guard
}
