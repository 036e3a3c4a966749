//! The server's log file.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

/// The size above which the log is rotated.
const LIMIT: u64 = 8 << 20;

/// `<data_dir>/postgres.log` and its predecessor `postgres.log.1`.
#[derive(Debug, Clone)]
pub(crate) struct ServerLog {
    path: PathBuf,
}

impl ServerLog {
    pub(crate) fn in_data_dir(data_dir: &Path) -> Self {
        Self { path: data_dir.join("postgres.log") }
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Opens the log for a server to write to. A new file is readable only by this user.
    pub(crate) fn open(&self) -> io::Result<File> {
        OpenOptions::new().append(true).create(true).mode(0o600).open(&self.path)
    }

    /// The current length, in bytes. [`Self::since`] returns what was written after it.
    pub(crate) fn len(&self) -> u64 {
        fs::metadata(&self.path).map_or(0, |meta| meta.len())
    }

    /// The end of what was written after the log had that length, at most 64 KiB.
    pub(crate) fn since(&self, len: u64) -> String {
        let read = || -> io::Result<String> {
            let mut file = File::open(&self.path)?;
            let end = file.metadata()?.len();
            file.seek(SeekFrom::Start(len.min(end).max(end.saturating_sub(64 << 10))))?;
            let mut bytes = Vec::new();
            file.read_to_end(&mut bytes)?;
            Ok(String::from_utf8_lossy(&bytes).into_owned())
        };
        read().unwrap_or_default()
    }

    /// Rotates the log when it is too long. It is copied and then truncated, because Postgres keeps it open; lines
    /// written in that instant may be lost.
    pub(crate) fn rotate(&self) {
        if self.len() <= LIMIT {
            return;
        }
        let rotated = self.path.with_extension("log.1");
        let outcome = fs::copy(&self.path, &rotated)
            .and_then(|_| OpenOptions::new().write(true).open(&self.path)?.set_len(0));
        if let Err(error) = outcome {
            tracing::warn!(%error, log = %self.path.display(), "cannot rotate Postgres's log");
        }
    }
}

/// The last lines of a text, joined into one.
pub(crate) fn last_lines(text: &str, count: usize) -> String {
    let lines: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    lines[lines.len().saturating_sub(count)..].join(" / ")
}

/// Whether messages of a program of PostgreSQL report a full disk.
pub(crate) fn says_that_the_disk_is_full(messages: &str) -> bool {
    ["No space left on device", "Disk quota exceeded"].iter().any(|text| messages.contains(text))
}

#[cfg(test)]
mod tests {
    use super::{LIMIT, ServerLog, last_lines};

    #[test]
    fn the_end_of_a_text_is_one_line() {
        assert_eq!(last_lines("a\n\n b \nc\n", 2), "b / c");
        assert_eq!(last_lines("", 2), "");
    }

    #[test]
    fn a_long_log_is_rotated_while_it_is_open() {
        use std::io::Write;
        let dir = tempfile::tempdir().unwrap();
        let log = ServerLog::in_data_dir(dir.path());
        let mut writer = log.open().unwrap();
        let length = usize::try_from(LIMIT).unwrap() + 1;
        writer.write_all(&vec![b'x'; length]).unwrap();
        log.rotate();
        writer.write_all(b"after").unwrap();
        assert_eq!(log.since(0), "after");
        let rotated = std::fs::metadata(dir.path().join("postgres.log.1")).unwrap().len();
        assert_eq!(rotated, LIMIT + 1);
    }
}
