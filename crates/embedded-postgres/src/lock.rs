//! The lock that gives a data directory a single owner.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read, Seek, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crate::error::Error;

/// The lock file of a program in its data directory.
fn file_of(data_dir: &Path, name: &str) -> PathBuf {
    data_dir.join(format!("{name}.lock"))
}

/// How long a start tries to get the lock: [`is_held`] holds it for an instant, and a server that was just killed may
/// not have released it yet.
const LOCK_TIMEOUT: Duration = Duration::from_millis(500);

/// The lock on the cluster of a data directory. The kernel releases it when the process ends, in whatever way.
#[derive(Debug)]
pub(crate) struct DataDirLock {
    _file: File,
}

impl DataDirLock {
    /// Takes the lock, or reports its owner.
    pub(crate) fn acquire(data_dir: &Path, name: &str) -> Result<Self, Error> {
        let deadline = Instant::now() + LOCK_TIMEOUT;
        loop {
            match Self::try_acquire(data_dir, name) {
                Err(Error::AlreadyRunning { .. }) if Instant::now() < deadline => {
                    std::thread::sleep(Duration::from_millis(20));
                }
                outcome => return outcome,
            }
        }
    }

    /// Takes the lock if it is free now.
    pub(crate) fn try_acquire(data_dir: &Path, name: &str) -> Result<Self, Error> {
        let path = file_of(data_dir, name);
        let failed = |source| Error::DataDir { path: path.clone(), source };
        let mut file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .mode(0o600)
            .open(&path)
            .map_err(failed)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                return Err(Error::AlreadyRunning {
                    data_dir: data_dir.to_owned(),
                    pid: owner(&mut file),
                });
            }
            Err(TryLockError::Error(source)) => return Err(failed(source)),
        }
        let record = |file: &mut File| {
            file.set_len(0)?;
            writeln!(file, "{}", std::process::id())
        };
        record(&mut file).map_err(failed)?;
        Ok(Self { _file: file })
    }
}

/// Whether some process owns the data directory now.
pub(crate) fn is_held(data_dir: &Path, name: &str) -> Result<bool, Error> {
    let path = file_of(data_dir, name);
    let file = match OpenOptions::new().read(true).open(&path) {
        Ok(file) => file,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(false),
        Err(source) => return Err(Error::DataDir { path, source }),
    };
    match file.try_lock_shared() {
        Ok(()) => Ok(false),
        Err(TryLockError::WouldBlock) => Ok(true),
        Err(TryLockError::Error(source)) => Err(Error::DataDir { path, source }),
    }
}

fn owner(file: &mut File) -> Option<u32> {
    let mut text = String::new();
    file.rewind().ok()?;
    file.take(32).read_to_string(&mut text).ok()?;
    text.trim().parse().ok()
}
