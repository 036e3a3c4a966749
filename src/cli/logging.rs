//! Starts logging.

use std::io::IsTerminal as _;

use tracing_subscriber::EnvFilter;
use tracing_subscriber::fmt::format::FmtSpan;

use super::log_format::{JsonLines, TextFields};
use super::log_writer::{self, LogGuard};
use crate::config::{LogFormat, LogOptions};
use crate::http::middleware::observe;

/// Writes the log to standard error until the guard is dropped; buffered lines are still written then.
pub(super) fn start(options: &LogOptions) -> std::io::Result<LogGuard> {
    let (writer, guard) = log_writer::start(std::io::stderr())?;
    // Notices of Postgres ("relation already exists, skipping") mean nothing to an operator; later directives can
    // enable them.
    let directives = format!("tokio_postgres=warn,{}", options.log);
    let filter = EnvFilter::try_new(observe::without_data_of_requests(&directives))
        .map_err(std::io::Error::other)?;
    let builder = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_span_events(FmtSpan::NONE)
        .with_writer(writer);
    let terminal = std::io::stderr().is_terminal();
    let default = if terminal { LogFormat::Text } else { LogFormat::Json };
    match options.log_format.unwrap_or(default) {
        LogFormat::Text => {
            builder.with_ansi(terminal).with_target(false).fmt_fields(TextFields::new()).init();
        }
        LogFormat::Json => builder.json().event_format(JsonLines::new()).init(),
    }
    Ok(guard)
}
