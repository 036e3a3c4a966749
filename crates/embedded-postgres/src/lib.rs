//! A private PostgreSQL server for one program. The process creates a database cluster below a data directory, and
//! starts, watches, restarts and stops its server. The programs of PostgreSQL must be installed; nothing is downloaded.
//!
//! The server listens only on a Unix socket in a directory of mode 0700, so that the file permissions of the operating
//! system are its authentication. It ends with the process that owns it, also after `kill -9`. If only the server is
//! killed, it is restarted. Linux only: it needs `PR_SET_PDEATHSIG`, pidfds and `/proc`.
//!
//! ```no_run
//! use embedded_postgres::{EmbeddedPostgres, Settings};
//!
//! # fn main() -> Result<(), embedded_postgres::Error> {
//! let postgres = EmbeddedPostgres::start(Settings::new("notes", "/var/lib/notes"))?;
//! println!("psql '{}'", postgres.url("postgres"));
//! postgres.stop()
//! # }
//! ```
//!
//! Below the data directory:
//!
//! | Name | What it is |
//! |---|---|
//! | `postgres/` | the cluster |
//! | `run/` | the socket (elsewhere if its path would be too long, see [`EmbeddedPostgres::url`]) |
//! | `<name>.lock` | locked by the process that owns the cluster; contains its process id |
//! | `postgres.log`, `postgres.log.1` | the log of Postgres, at most 8 MiB each (checked every minute) |
//! | `pgsql/` | PostgreSQL's programs, if packages were unpacked there (see [`Settings::bin_dir`]) |

mod account;
mod attach;
mod binaries;
mod cluster;
mod error;
mod lock;
mod log;
mod ping;
mod processes;
mod server;
mod socket;
mod spawn;
mod supervisor;

use std::ffi::OsString;
use std::fs;
use std::io;
use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::time::Duration;

use rustix::process::geteuid;

pub use attach::{AttachedPostgres, Handle, attach, start_or_attach};
pub use error::Error;

use account::Account;
use cluster::Cluster;
use lock::DataDirLock;
use log::ServerLog;
use server::Server;
use socket::SocketDir;
use supervisor::Supervisor;

/// Settings of a private Postgres.
#[derive(Debug, Clone)]
pub struct Settings {
    /// The name of the program that owns the server: 1 to 32 lower-case ASCII letters, digits, `_` and `-`, a letter
    /// first, and not `pg_…`. It is also the name of the database superuser, which is the only role of a new cluster,
    /// and of the lock file. It must stay the same for a data directory.
    pub name: String,
    /// The program's data directory; created (mode 0700) when missing, and so are its parents: those that root creates have
    /// mode 0711, because another user, who runs Postgres, must pass through them.
    pub data_dir: PathBuf,
    /// The directory of `postgres` and `initdb`. If given, no other is searched. Otherwise these are searched: the
    /// search path, the directory that `pg_config` reports, the usual directories of Linux distributions, and
    /// `<data_dir>/pgsql/usr/lib/postgresql/*/bin`. Users who cannot install packages can unpack Debian's packages, with
    /// the libraries that they need, to `<data_dir>/pgsql`.
    pub bin_dir: Option<PathBuf>,
    /// The oldest major version of PostgreSQL that the program accepts. Programs of an older one are passed over, also
    /// those in `bin_dir`. This library itself needs 13.
    pub oldest_major: u32,
    /// The directories that are searched first for PostgreSQL's programs, in the syntax of `PATH`, usually its value.
    /// The usual directories of Linux distributions are searched in any case.
    pub search_path: Option<OsString>,
    /// The user's own directory for sockets (`XDG_RUNTIME_DIR`). It is used instead of `/tmp` if the path of the data
    /// directory is too long for a socket.
    pub runtime_dir: Option<PathBuf>,
    /// Whether acknowledged commits must survive a crash of the machine.
    pub durability: Durability,
    /// Most simultaneous connections; Postgres reserves three of them for the superuser.
    pub max_connections: u16,
    /// Size of Postgres' own cache, in MiB; `None`: as in `postgresql.conf`, which has an eighth of the memory for a new cluster. Postgres looks at the whole
    /// cache whenever a database is created or dropped, so a small one is faster for many small databases.
    pub shared_buffers_mib: Option<u32>,
    /// Time limit for a start, including crash recovery. After it the server is stopped, and the next start begins the
    /// recovery anew. During a long start, the log has a line every half minute.
    pub start_timeout: Duration,
}

impl Settings {
    /// Settings for the program `name`: a durable server in `data_dir` with 100 connections, a start timeout of 2
    /// minutes, and any version of PostgreSQL from 13 on.
    ///
    /// ```
    /// use std::time::Duration;
    /// use embedded_postgres::{Durability, Settings};
    ///
    /// let mut settings = Settings::new("notes", "/var/lib/notes");
    /// assert_eq!(settings.durability, Durability::Full);
    /// settings.max_connections = 20;
    /// settings.start_timeout = Duration::from_secs(30);
    /// ```
    pub fn new(name: impl Into<String>, data_dir: impl Into<PathBuf>) -> Self {
        Self {
            name: name.into(),
            data_dir: data_dir.into(),
            bin_dir: None,
            oldest_major: binaries::OLDEST_MAJOR,
            search_path: None,
            runtime_dir: None,
            durability: Durability::Full,
            max_connections: 100,
            shared_buffers_mib: None,
            start_timeout: Duration::from_mins(2),
        }
    }

    /// Refuses a name that cannot be the name of a role and of files.
    fn check_name(&self) -> Result<(), Error> {
        let allowed =
            |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"_-".contains(&byte);
        let fits = self.name.starts_with(|first: char| first.is_ascii_lowercase())
            && self.name.len() <= 32
            && self.name.bytes().all(allowed)
            && !self.name.starts_with("pg_");
        if fits { Ok(()) } else { Err(Error::Name { name: self.name.clone() }) }
    }
}

/// Whether acknowledged commits survive a crash of the operating system.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Durability {
    /// `fsync`, `full_page_writes` and `synchronous_commit` are on.
    Full,
    /// They are off: this is fast, but a power failure may damage the cluster. For tests only.
    Off,
}

/// A Postgres server that runs and is owned by this process.
///
/// Dropping it stops the server as [`EmbeddedPostgres::stop`] does.
#[derive(Debug)]
pub struct EmbeddedPostgres {
    data_dir: PathBuf,
    // The order of the fields matters: first the server stops, then its socket directory is removed, then the lock is
    // released.
    supervisor: Supervisor,
    socket: SocketDir,
    _lock: DataDirLock,
}

impl EmbeddedPostgres {
    /// Starts the server of a data directory and waits until it accepts connections. Creates the cluster if it does not
    /// exist or was not completed.
    ///
    /// Blocks for about a second on the first start and 0.2 s on later ones; longer after a crash.
    pub fn start(settings: Settings) -> Result<Self, Error> {
        binaries::check_bin_dir(&settings)?;
        let data_dir = prepare_data_dir(&settings)?;
        let lock = DataDirLock::acquire(&data_dir, &settings.name)?;
        Self::start_locked(settings, data_dir, lock)
    }

    fn start_locked(
        settings: Settings,
        data_dir: PathBuf,
        lock: DataDirLock,
    ) -> Result<Self, Error> {
        let cluster = Cluster::in_data_dir(&data_dir);
        let account = Account::for_cluster(&cluster)?;
        account.allow_access_to(&data_dir)?;
        let binaries = binaries::find(&settings, &data_dir, cluster.major()?, &account)?;
        let socket = SocketDir::prepare(&data_dir, &settings, &account)?;
        let log = ServerLog::in_data_dir(&data_dir);
        let server = Server { settings, cluster, account, binaries, socket: socket.clone(), log };
        let supervisor = Supervisor::start(server)?;
        Ok(Self { data_dir, supervisor, socket, _lock: lock })
    }

    /// The address of a database on this server, for tokio-postgres, diesel and psql alike:
    /// `postgres:///database?host=/socket/directory&user=name`, percent-encoded.
    ///
    /// A new cluster has only the database `postgres`. The socket is in `run/` below the data directory, or, if its path
    /// would have more than 107 bytes or unusual characters, in a private directory below the runtime directory or
    /// `/tmp`.
    pub fn url(&self, database: &str) -> String {
        self.socket.url(database)
    }

    /// The data directory, absolute and without symbolic links.
    pub fn data_dir(&self) -> &Path {
        &self.data_dir
    }

    /// The process id of the server; `None` while it is being restarted.
    pub fn postmaster_pid(&self) -> Option<u32> {
        self.supervisor.postmaster_pid()
    }

    /// Stops the server: open transactions are rolled back, and all committed data is written to the disk. Waits for the
    /// end, at most 40 s. After 30 s, the server stops without a checkpoint; then the next start must recover, but no data
    /// is lost.
    pub fn stop(mut self) -> Result<(), Error> {
        self.supervisor.stop()
    }
}

impl Drop for EmbeddedPostgres {
    fn drop(&mut self) {
        if let Err(error) = self.supervisor.stop() {
            tracing::error!(%error, "the private Postgres did not stop cleanly");
        }
        self.socket.remove();
    }
}

/// Whether the data directory has a cluster, or another process is about to create one. Creates nothing.
pub fn exists(settings: &Settings) -> Result<bool, Error> {
    settings.check_name()?;
    let data_dir = &settings.data_dir;
    Ok(Cluster::in_data_dir(data_dir).major()?.is_some()
        || lock::is_held(data_dir, &settings.name)?)
}

/// Creates the data directory with mode 0700 if it does not exist, and resolves its path.
fn prepare_data_dir(settings: &Settings) -> Result<PathBuf, Error> {
    settings.check_name()?;
    let path = settings.data_dir.as_path();
    let failed = |source| Error::of_file(path, source);
    // Root's data directory is opened for the user who runs Postgres, who must be able to reach it.
    let mode_of_parents = if geteuid().as_raw() == 0 { 0o711 } else { 0o700 };
    if let Some(parent) = path.parent() {
        create_directories(parent, mode_of_parents).map_err(failed)?;
    }
    create_directories(path, 0o700).map_err(failed)?;
    path.canonicalize().map_err(failed)
}

/// Creates a directory and its missing parents with this mode, whatever the umask is.
fn create_directories(dir: &Path, mode: u32) -> io::Result<()> {
    if dir.as_os_str().is_empty() || dir.is_dir() {
        return Ok(());
    }
    if let Some(parent) = dir.parent() {
        create_directories(parent, mode)?;
    }
    match fs::DirBuilder::new().mode(mode).create(dir) {
        Ok(()) => fs::set_permissions(dir, fs::Permissions::from_mode(mode)),
        // Another process has created it meanwhile.
        Err(_) if dir.is_dir() => Ok(()),
        Err(error) => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_must_be_valid_for_a_role_and_a_file() {
        for good in ["a", "notes", "my-notes_2", &"x".repeat(32)] {
            assert!(Settings::new(good, "/data").check_name().is_ok(), "{good}");
        }
        for bad in ["", "Notes", "2notes", "pg_notes", "a/b", "a b", "ä", &"x".repeat(33)] {
            let error = Settings::new(bad, "/data").check_name().unwrap_err();
            assert!(matches!(error, Error::Name { .. }), "{bad}");
            assert!(exists(&Settings::new(bad, "/data")).is_err(), "{bad}");
        }
    }
}
