//! Access to a server that another process owns.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crate::error::Error;
use crate::lock::{self, DataDirLock};
use crate::socket::SocketDir;
use crate::{EmbeddedPostgres, Settings, binaries, ping, prepare_data_dir};

/// How long to wait for a process that holds the data directory but whose server does not answer yet.
const ATTACH_TIMEOUT: Duration = Duration::from_secs(15);

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

/// A private Postgres, whichever process runs it.
#[derive(Debug)]
pub enum Handle {
    /// This process runs it, and it stops when this value is dropped.
    Owned(EmbeddedPostgres),
    /// Another process runs it, and it keeps running.
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

    /// Stops the server if this process runs it.
    pub fn stop(self) -> Result<(), Error> {
        match self {
            Self::Owned(postgres) => postgres.stop(),
            Self::Attached(_) => Ok(()),
        }
    }
}

/// The server of the data directory, if another process owns it and it accepts connections now. Only the name and the
/// data directory in the settings are used.
pub fn attach(settings: &Settings) -> Result<Option<AttachedPostgres>, Error> {
    settings.check_name()?;
    let Settings { name, data_dir, .. } = settings;
    if !lock::is_held(data_dir, name)? {
        return Ok(None);
    }
    let Some(path) = recorded_socket_dir(data_dir) else { return Ok(None) };
    let socket = SocketDir::of_running_server(path, name);
    Ok(ping::answers(&socket.socket(), name).then_some(AttachedPostgres { socket }))
}

/// For commands that need the database whether or not another process runs it: uses that server, or starts one for the
/// duration of the command. While another process is starting or stopping its server, waits up to 15 s.
pub fn start_or_attach(settings: Settings) -> Result<Handle, Error> {
    binaries::check_bin_dir(&settings)?;
    let data_dir = prepare_data_dir(&settings)?;
    let deadline = Instant::now() + ATTACH_TIMEOUT;
    loop {
        let held = match DataDirLock::try_acquire(&data_dir, &settings.name) {
            Ok(lock) => {
                let postgres = EmbeddedPostgres::start_locked(settings, data_dir, lock)?;
                return Ok(Handle::Owned(postgres));
            }
            Err(held @ Error::AlreadyRunning { .. }) => held,
            Err(other) => return Err(other),
        };
        if let Some(attached) = attach(&settings)? {
            return Ok(Handle::Attached(attached));
        }
        if Instant::now() > deadline {
            return Err(held);
        }
        std::thread::sleep(Duration::from_millis(50));
    }
}

/// The socket directory of the running server: the fifth line of its pid file.
fn recorded_socket_dir(data_dir: &Path) -> Option<PathBuf> {
    let text = fs::read_to_string(data_dir.join("postgres/postmaster.pid")).ok()?;
    text.lines().nth(4).map(PathBuf::from).filter(|path| path.is_absolute())
}
