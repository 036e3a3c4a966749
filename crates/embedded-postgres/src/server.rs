//! One start of the server: removes obstacles, spawns it, and waits until it accepts connections.

use std::fs;
use std::io;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use rustix::process::Signal;

use crate::account::Account;
use crate::binaries::Binaries;
use crate::cluster::Cluster;
use crate::error::Error;
use crate::log::{ServerLog, last_lines, says_that_the_disk_is_full};
use crate::processes::{self, Escalation, Verdict};
use crate::socket::SocketDir;
use crate::{Durability, Settings, ping, spawn};

/// How long a start is repeated while remains of an earlier server prevent it.
const RETRY_TIMEOUT: Duration = Duration::from_secs(10);

/// How often a start that takes long is mentioned in the log.
const PROGRESS: Duration = Duration::from_secs(30);

/// Messages of Postgres about remains of an earlier server.
const REMAINS: [&str; 3] = ["lock file \"", "pre-existing shared memory block", "still in use"];

/// The parameters of a start.
#[derive(Debug)]
pub(crate) struct Server {
    pub(crate) settings: Settings,
    pub(crate) cluster: Cluster,
    pub(crate) account: Account,
    pub(crate) binaries: Binaries,
    pub(crate) socket: SocketDir,
    pub(crate) log: ServerLog,
}

impl Server {
    /// Starts a server and waits until it accepts connections. The server is tied to the calling thread: it ends when
    /// the thread ends. `give_up` is polled during the wait.
    pub(crate) fn start(&self, give_up: impl Fn() -> bool) -> Result<Child, Error> {
        let deadline = Instant::now() + RETRY_TIMEOUT;
        loop {
            self.clear_remains()?;
            self.log.rotate();
            let log_start = self.log.len();
            match self.try_start(log_start, &give_up) {
                Err(Error::StartFailed { .. } | Error::PidFile { .. })
                    if Instant::now() < deadline
                        && !give_up()
                        && REMAINS.iter().any(|text| self.log.since(log_start).contains(text)) =>
                {
                    tracing::debug!("remains of an earlier Postgres are in the way, trying again");
                    std::thread::sleep(Duration::from_millis(200));
                }
                outcome => return outcome,
            }
        }
    }

    fn try_start(&self, log_start: u64, give_up: impl Fn() -> bool) -> Result<Child, Error> {
        let mut child = self
            .command()?
            .spawn()
            .map_err(|source| Error::Spawn { program: self.binaries.path("postgres"), source })?;
        let limit = self.settings.start_timeout;
        let deadline = Instant::now() + limit;
        let mut next_line = Instant::now() + PROGRESS;
        loop {
            if let Ok(Some(status)) = child.try_wait() {
                return Err(self.start_error(log_start, status));
            }
            if self.accepts_connections(&child) {
                return Ok(child);
            }
            if Instant::now() > deadline || give_up() {
                shut_down(&mut child);
                return Err(Error::TooSlow { limit, log: self.log.path().to_owned() });
            }
            if Instant::now() > next_line {
                next_line += PROGRESS;
                let log = self.log.path().display();
                tracing::warn!(%log, "Postgres accepts no connections yet; it may be recovering from a crash");
            }
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    /// Whether this server accepts connections: its pid file names it and says so (an earlier connection attempt would
    /// leave errors in its log), and it answers.
    fn accepts_connections(&self, child: &Child) -> bool {
        let pid_file = self.cluster.dir().join("postmaster.pid");
        let recorded = fs::read_to_string(pid_file).unwrap_or_default();
        let mut lines = recorded.lines().map(str::trim);
        lines.next() == Some(&*child.id().to_string())
            && lines.nth(6) == Some("ready")
            && ping::answers(&self.socket.socket(), &self.settings.name)
    }

    fn command(&self) -> Result<Command, Error> {
        let log = self.log.open().map_err(|source| Error::of_file(self.log.path(), source))?;
        let mut command = self.binaries.command("postgres", &self.account);
        command.arg("-D").arg(self.cluster.dir()).current_dir(self.cluster.dir());
        for (name, value) in self.options() {
            command.arg("-c").arg(format!("{name}={value}"));
        }
        command.stdout(Stdio::null()).stderr(log);
        // On SIGINT, Postgres makes a fast shutdown.
        spawn::tie_to_this_thread(&mut command, Signal::INT);
        Ok(command)
    }

    /// Options that override `postgresql.conf`; all others may be changed there.
    fn options(&self) -> Vec<(&'static str, String)> {
        let durable = match self.settings.durability {
            Durability::Full => "on",
            Durability::Off => "off",
        };
        let max_connections = self.settings.max_connections.to_string();
        let shared_buffers = self.settings.shared_buffers_mib;
        let shared_buffers = shared_buffers.map(|size| ("shared_buffers", format!("{size}MB")));
        let fixed = [
            ("listen_addresses", ""),
            ("port", "5432"),
            ("unix_socket_directories", &*self.socket.path().to_string_lossy()),
            ("unix_socket_permissions", "0700"),
            ("max_connections", &max_connections),
            ("fsync", durable),
            ("full_page_writes", durable),
            ("synchronous_commit", durable),
            // Short statements do not profit from it, and an unpacked PostgreSQL has no LLVM.
            ("jit", "off"),
            // The only time zone that Postgres knows on a machine without tzdata.
            ("timezone", "GMT"),
            ("log_timezone", "GMT"),
            ("log_destination", "stderr"),
            ("logging_collector", "off"),
            ("log_line_prefix", "%m [%p] "),
            // Statements and key values may contain data that must not be logged.
            ("log_min_error_statement", "panic"),
            ("log_error_verbosity", "terse"),
            ("lc_messages", "C"),
        ]
        .map(|(name, value)| (name, value.to_owned()));
        fixed.into_iter().chain(shared_buffers).collect()
    }

    /// Handles remains of an earlier server: waits for one that is still stopping, and removes pid files that are
    /// certainly stale. This process holds the lock of the data directory, so no other server can start.
    fn clear_remains(&self) -> Result<(), Error> {
        let cluster = self.cluster.dir();
        let mut escalation = Escalation::of_a_server();
        for pid_file in self.pid_files() {
            while let Some(pid) = recorded_pid(&pid_file) {
                match processes::examine(pid, cluster) {
                    Verdict::Ours(process) => escalation.send_due_signal(&process, cluster)?,
                    Verdict::Unknown => break, // Postgres itself will judge
                    Verdict::Unrelated => {
                        self.wait_for_orphans()?;
                        remove_stale(&pid_file, pid)?;
                    }
                }
            }
        }
        self.wait_for_orphans()?;
        self.remove_empty_pid_files()?;
        match self
            .pid_files()
            .into_iter()
            .find(|path| path.exists() && recorded_pid(path).is_none())
        {
            // Postgres would refuse it, with a message without advice.
            Some(garbage) => Err(self.pid_file_error(garbage)),
            None => Ok(()),
        }
    }

    /// The pid files of Postgres: for the cluster and for the socket.
    fn pid_files(&self) -> [PathBuf; 2] {
        [self.cluster.dir().join("postmaster.pid"), self.socket.lock_file()]
    }

    fn pid_file_error(&self, path: PathBuf) -> Error {
        let cluster = self.cluster.dir().to_owned();
        Error::PidFile { pid: recorded_pid(&path), path, cluster }
    }

    /// Connections of a killed server continue for a while, and Postgres must not start beside them.
    fn wait_for_orphans(&self) -> Result<(), Error> {
        let cluster = self.cluster.dir();
        let mut escalation = Escalation::of_orphans();
        while let Some(process) = processes::working_in(cluster).into_iter().next() {
            escalation.send_due_signal(&process, cluster)?;
        }
        Ok(())
    }

    /// A crash of the machine can leave an empty pid file, which Postgres refuses.
    fn remove_empty_pid_files(&self) -> Result<(), Error> {
        for path in self.pid_files() {
            if fs::metadata(&path).is_ok_and(|meta| meta.len() == 0) {
                fs::remove_file(&path)
                    .map_err(|source| Error::DataDir { path: path.clone(), source })?;
            }
        }
        Ok(())
    }

    fn start_error(&self, log_start: u64, status: std::process::ExitStatus) -> Error {
        let messages = self.log.since(log_start);
        if says_that_the_disk_is_full(&messages) {
            return Error::DiskFull { path: self.cluster.dir().to_owned() };
        }
        let refused = |path: &&PathBuf| {
            // Postgres names the file in the cluster without its directory.
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            path.exists() && messages.contains("lock file \"") && messages.contains(&*name)
        };
        if let Some(path) = self.pid_files().iter().find(refused) {
            return self.pid_file_error(path.clone());
        }
        let ended = match status.signal() {
            Some(signal) => format!("killed by signal {signal}"),
            None => status.to_string(),
        };
        Error::StartFailed {
            log: self.log.path().to_owned(),
            tail: format!("{} ({ended})", last_lines(&messages, 8)),
        }
    }
}

/// Stops a server that is a child of this process: waits for half a second until its connections have ended, because a
/// server learns a moment later than its clients that they have left; then rolls back open transactions and writes
/// everything out; after 30 s, an immediate shutdown; after 5 more seconds, a kill. Returns whether the final checkpoint
/// was made.
pub(crate) fn shut_down(child: &mut Child) -> bool {
    const GRACE: Duration = Duration::from_millis(500);
    let seconds = Duration::from_secs;
    let steps = [
        (Signal::TERM, GRACE),
        (Signal::INT, seconds(30)),
        (Signal::QUIT, seconds(5)),
        (Signal::KILL, seconds(5)),
    ];
    for (signal, time_limit) in steps {
        // The id of a child that was not reaped is not reused, so this cannot hit another process.
        let Ok(pid) = i32::try_from(child.id()) else { return false };
        if matches!(child.try_wait(), Ok(None))
            && let Some(pid) = rustix::process::Pid::from_raw(pid)
        {
            let _ = rustix::process::kill_process(pid, signal);
        }
        let deadline = Instant::now() + time_limit;
        while Instant::now() < deadline {
            match child.try_wait() {
                Ok(None) => std::thread::sleep(Duration::from_millis(5)),
                Ok(Some(status)) => return status.success(),
                Err(_) => return false,
            }
        }
        // Connections of others may stay for as long as they like.
        if signal != Signal::TERM {
            tracing::warn!(?signal, ?time_limit, "Postgres did not stop in time");
        }
    }
    false
}

/// The process id in the first line of a pid file.
fn recorded_pid(path: &Path) -> Option<u32> {
    // Postgres writes a minus sign before the id of a server in single-user mode.
    fs::read_to_string(path).ok()?.lines().next()?.trim().trim_start_matches('-').parse().ok()
}

fn remove_stale(path: &Path, pid: u32) -> Result<(), Error> {
    tracing::info!(file = %path.display(), pid, "removing a stale pid file");
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            Err(Error::DataDir { path: path.to_owned(), source: error })
        }
        _ => Ok(()),
    }
}
