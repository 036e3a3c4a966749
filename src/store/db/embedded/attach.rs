//! Using a server that another process owns.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::error::EmbeddedError;
use super::lock::{self, DataDirLock};
use super::socket::SocketDir;
use super::{EmbeddedPostgres, EmbeddedSettings, binaries, ping, prepare_data_dir};

/// How long a command waits for a service that holds the data directory but does not answer yet.
const PATIENCE: Duration = Duration::from_secs(15);

/// A private Postgres that another process runs.
#[derive(Debug)]
pub struct AttachedPostgres {
    socket: SocketDir,
}

impl AttachedPostgres {
    /// The address of a database, as [`EmbeddedPostgres::url`] gives it.
    pub fn url(&self, database: &str) -> String {
        self.socket.url(database)
    }
}

/// A private Postgres, whoever runs it.
#[derive(Debug)]
pub enum Handle {
    /// We do, and it stops when this value is dropped.
    Owned(EmbeddedPostgres),
    /// A service does, and it stays.
    Attached(AttachedPostgres),
}

impl Handle {
    /// The address of a database, as [`EmbeddedPostgres::url`] gives it.
    pub fn url(&self, database: &str) -> String {
        match self {
            Self::Owned(postgres) => postgres.url(database),
            Self::Attached(postgres) => postgres.url(database),
        }
    }

    /// Stops the server if we run it.
    pub fn stop(self) -> Result<(), EmbeddedError> {
        match self {
            Self::Owned(postgres) => postgres.stop(),
            Self::Attached(_) => Ok(()),
        }
    }
}

/// The server of a data directory, if another process owns it and it accepts connections at this
/// moment.
pub fn attach(data_dir: &Path) -> Result<Option<AttachedPostgres>, EmbeddedError> {
    if !lock::is_held(data_dir)? {
        return Ok(None);
    }
    let Some(path) = noted_socket_dir(data_dir) else { return Ok(None) };
    let socket = SocketDir::of_running_server(path);
    Ok(ping::answers(&socket.socket()).then_some(AttachedPostgres { socket }))
}

/// For commands that need the database whether or not the service runs: uses its server, or starts
/// one for the time of the command. While the service starts or stops, waits up to 15 s.
pub fn start_or_attach(settings: EmbeddedSettings) -> Result<Handle, EmbeddedError> {
    binaries::look_at_named(&settings)?;
    let data_dir = prepare_data_dir(&settings.data_dir)?;
    let deadline = Instant::now() + PATIENCE;
    loop {
        let held = match DataDirLock::try_acquire(&data_dir) {
            Ok(lock) => {
                let postgres = EmbeddedPostgres::start_locked(settings, data_dir, lock)?;
                return Ok(Handle::Owned(postgres));
            }
            Err(held @ EmbeddedError::AlreadyRunning { .. }) => held,
            Err(other) => return Err(other),
        };
        if let Some(attached) = attach(&data_dir)? {
            return Ok(Handle::Attached(attached));
        }
        if Instant::now() > deadline {
            return Err(held);
        }
        std::thread::sleep(Duration::from_millis(50));
    }
}

/// Where the running server has its socket: the fifth line of its pid file.
fn noted_socket_dir(data_dir: &Path) -> Option<PathBuf> {
    let text = fs::read_to_string(data_dir.join("postgres/postmaster.pid")).ok()?;
    text.lines().nth(4).map(PathBuf::from).filter(|path| path.is_absolute())
}
