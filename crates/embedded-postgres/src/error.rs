//! Errors of the private Postgres, with advice.

use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Why the private Postgres could not be started, reached or stopped.
///
/// Every message is one paragraph for the user at the terminal and says what to do.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The name in the settings cannot be the name of a role and of files.
    #[error(
        "{name:?} cannot be the name of the program that owns a server: use 1 to 32 lower-case \
         letters, digits, `_` and `-`, with a letter first, and not `pg_`"
    )]
    Name { name: String },
    /// Another process owns the data directory.
    #[error(
        "the data directory {} is already in use by {}. Stop that process first, or choose another \
         data directory",
        data_dir.display(),
        pid.map_or_else(|| "another process".to_owned(), |pid| format!("process {pid}"))
    )]
    AlreadyRunning {
        /// The data directory.
        data_dir: PathBuf,
        /// The owner's process id, if its lock file contains it.
        pid: Option<u32>,
    },
    /// The data directory, or something in it, cannot be created, read or written.
    #[error(
        "cannot use {} in the data directory: {source}. Check that it exists, that this user may \
         write there and that the disk is not full or read-only, or choose another",
        path.display()
    )]
    DataDir {
        /// The file or directory.
        path: PathBuf,
        /// The error of the operating system.
        source: io::Error,
    },
    /// The cluster belongs to a user that Postgres cannot run as here.
    #[error(
        "the database files in {} belong to user id {owner}, but Postgres would have to run as \
         user id {user}. Start the program as their owner, or hand them over: \
         chown -R {user} {}",
        path.display(), path.display()
    )]
    ForeignCluster {
        /// The cluster.
        path: PathBuf,
        /// The owner of the cluster.
        owner: u32,
        /// The user that would run it.
        user: u32,
    },
    /// The process runs as root, but there is no ordinary user to run Postgres as.
    #[error(
        "Postgres refuses to run as root, and this system has neither a user `postgres` nor \
         `nobody` to run it as. Create one (useradd --system postgres) or start the program as \
         an ordinary user"
    )]
    NoAccount,
    /// The operating system user that runs Postgres cannot get to its files.
    #[error(
        "Postgres runs as the user `{user}`, who cannot enter {}. Choose a data directory that \
         this user can reach, for example one below /var/lib, or open the way: \
         chmod o+x {}",
        path.display(), path.display()
    )]
    Unreachable {
        /// The user's name.
        user: String,
        /// The directory that denies access.
        path: PathBuf,
    },
    /// PostgreSQL is not installed.
    #[error(
        "PostgreSQL's server programs (postgres, initdb) were not found; looked in {searched}. \
         Install them (apt-get install postgresql), or name their directory"
    )]
    NoBinaries {
        /// The searched places, with the problems of possible candidates.
        searched: String,
    },
    /// The installed PostgreSQL cannot open the existing cluster.
    #[error(
        "the database files in {} were made by PostgreSQL {cluster}, but only {found} was found, \
         and a major version cannot open another's files. Install PostgreSQL {cluster} again \
         (apt-get install postgresql-{cluster}), or carry the data over with pg_upgrade or \
         pg_dump",
        path.display()
    )]
    WrongMajor {
        /// The cluster.
        path: PathBuf,
        /// The major version that made it.
        cluster: u32,
        /// The installed versions.
        found: String,
    },
    /// The existing cluster is older than what the program accepts.
    #[error(
        "the database files in {} were made by PostgreSQL {cluster}, but PostgreSQL {oldest} or \
         newer is needed, and it cannot open them. Carry the data over with pg_upgrade or pg_dump, \
         or, if there is none in them, move them away",
        path.display()
    )]
    ClusterTooOld {
        /// The cluster.
        path: PathBuf,
        /// The major version that made it.
        cluster: u32,
        /// The oldest major version that is accepted.
        oldest: u32,
    },
    /// The path of the cluster contains something else.
    #[error(
        "{} is not empty and is no PostgreSQL cluster (it has no PG_VERSION). Move it away, or \
         choose another data directory",
        path.display()
    )]
    NotACluster {
        /// The directory.
        path: PathBuf,
    },
    /// There is no safe place for the socket.
    #[error("no private directory for Postgres's socket can be made: {reason}")]
    SocketDir {
        /// Each place that was tried, and the problem with it.
        reason: String,
    },
    /// The disk is full.
    #[error(
        "the disk that holds {} is full (or its quota is used up): Postgres needs room for its \
         files and its write-ahead log, at least 128 MiB at first. Free some space and start \
         again; nothing that was committed is lost",
        path.display()
    )]
    DiskFull {
        /// The directory.
        path: PathBuf,
    },
    /// A program of PostgreSQL's cannot be executed.
    #[error("cannot run {}: {source}. Check that PostgreSQL is installed completely", program.display())]
    Spawn {
        program: PathBuf,
        /// The error of the operating system.
        source: io::Error,
    },
    /// `initdb` failed.
    #[error("PostgreSQL's initdb could not create the database files. It said: {output}")]
    InitFailed {
        /// The end of its output.
        output: String,
    },
    /// Postgres exited during the start.
    #[error("Postgres did not start. The end of {}: {tail}", log.display())]
    StartFailed {
        /// The log file.
        log: PathBuf,
        /// The log lines of this start.
        tail: String,
    },
    /// Postgres runs, but did not accept connections in time.
    #[error(
        "Postgres did not accept connections within {} s. It may be recovering from a crash: see \
         {}, and start again",
        limit.as_secs(), log.display()
    )]
    TooSlow {
        /// The limit from the settings.
        limit: Duration,
        /// The log file.
        log: PathBuf,
    },
    /// A server of an earlier run does not stop.
    #[error(
        "Postgres process {pid} of an earlier run still works on {} and does not end. Wait for \
         it or stop it (kill -INT {pid}), then start again",
        cluster.display()
    )]
    StillRunning {
        /// Its process id.
        pid: u32,
        cluster: PathBuf,
    },
    /// Postgres does not start while a pid file exists that may not be stale.
    #[error(
        "the pid file {} keeps Postgres from starting: it {}. If no Postgres works on {} (ps -C postgres -f), on any \
         machine or in any container that shares it, remove the file and start again: rm '{}'",
        path.display(),
        pid.map_or_else(
            || "holds no process id".to_owned(),
            |pid| format!("names process {pid}, which this user may not look at")
        ),
        cluster.display(),
        path.display()
    )]
    PidFile {
        /// The file.
        path: PathBuf,
        /// The process id in it; `None` when it contains something else.
        pid: Option<u32>,
        cluster: PathBuf,
    },
    /// The thread that watches Postgres cannot be created, or has ended.
    #[error("the thread that watches over Postgres failed: {0}")]
    Supervisor(String),
}

impl Error {
    /// Why a file or directory of the data directory cannot be used.
    pub(crate) fn of_file(path: &Path, source: io::Error) -> Self {
        let path = path.to_owned();
        match source.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => Self::DiskFull { path },
            _ => Self::DataDir { path, source },
        }
    }
}
