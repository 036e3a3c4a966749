//! The directory of the database cluster: finding, checking and creating it.

use std::fs;
use std::io::{self, Write as _};
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crate::account::Account;
use crate::binaries::Binaries;
use crate::error::Error;
use crate::log::{last_lines, says_that_the_disk_is_full};
use crate::processes::{self, Escalation};
use crate::{Durability, Settings, spawn};

/// Size of an empty cluster and its first write-ahead log, with a margin.
const ROOM_FOR_A_NEW_CLUSTER: u64 = 128 << 20;

/// Settings that are appended to `postgresql.conf` of a new cluster; operators may change them. With initdb's limit of
/// 1 GB, an import of a million large rows causes a checkpoint every few seconds, and after each checkpoint the first
/// change of a page writes the whole page to the log. With initdb's 128 MB of shared buffers, the indexes of a million
/// rows are copied to and from the system's cache all the time.
fn added_settings() -> String {
    format!(
        "\n# Added when the cluster was made, and not read again. It may be changed.\nmax_wal_size = 4GB\nshared_buffers = {}MB\n",
        shared_buffers_mib()
    )
}

/// An eighth of the machine's memory, in MiB, limited to a useful range. The system's cache uses the rest.
fn shared_buffers_mib() -> u64 {
    let memory = fs::read_to_string("/proc/meminfo").unwrap_or_default();
    let total = memory.lines().find_map(|line| line.strip_prefix("MemTotal:"));
    let kib = total.and_then(|rest| rest.split_whitespace().next()?.parse::<u64>().ok());
    (kib.unwrap_or_default() / 1024 / 8).clamp(128, 1024)
}

/// The path of the cluster, `<data_dir>/postgres`, whether or not it exists.
#[derive(Debug, Clone)]
pub(crate) struct Cluster {
    dir: PathBuf,
    /// The directory in which initdb works. A cluster is renamed only when it is complete, so content of this directory
    /// at a start is left from an interrupted attempt.
    unfinished: PathBuf,
}

impl Cluster {
    pub(crate) fn in_data_dir(data_dir: &Path) -> Self {
        Self { dir: data_dir.join("postgres"), unfinished: data_dir.join("postgres.unfinished") }
    }

    pub(crate) fn dir(&self) -> &Path {
        &self.dir
    }

    /// User and group that own the cluster; `None` when it does not exist.
    pub(crate) fn owner(&self) -> Result<Option<(u32, u32)>, Error> {
        let meta = match fs::metadata(&self.dir) {
            Ok(meta) => meta,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(source) => return Err(self.failed(source)),
        };
        match self.is_vacant() {
            Ok(true) => Ok(None),
            // Only its owner may look into a cluster.
            Err(source) if source.kind() != io::ErrorKind::PermissionDenied => {
                Err(self.failed(source))
            }
            _ => Ok(Some((meta.uid(), meta.gid()))),
        }
    }

    /// The major version that created the cluster; `None` when it does not exist.
    pub(crate) fn major(&self) -> Result<Option<u32>, Error> {
        match fs::read_to_string(self.dir.join("PG_VERSION")) {
            Ok(text) => match text.trim().parse() {
                Ok(major) => Ok(Some(major)),
                Err(_) => Err(Error::NotACluster { path: self.dir.clone() }),
            },
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                if self.is_vacant().map_err(|source| self.failed(source))? {
                    Ok(None)
                } else {
                    Err(Error::NotACluster { path: self.dir.clone() })
                }
            }
            Err(source) => Err(self.failed(source)),
        }
    }

    /// Creates the cluster if it does not exist, and removes an unfinished one. Blocks for about a second. The calling
    /// thread must outlive the call, because `initdb` is killed when the thread ends.
    pub(crate) fn create_if_missing(
        &self,
        binaries: &Binaries,
        account: &Account,
        settings: &Settings,
    ) -> Result<(), Error> {
        self.clear_unfinished()?;
        if self.major()?.is_some() {
            return Ok(());
        }
        let data_dir = self.dir.parent().unwrap_or(Path::new("/"));
        if rustix::fs::statvfs(data_dir)
            .is_ok_and(|disk| disk.f_bavail.saturating_mul(disk.f_frsize) < ROOM_FOR_A_NEW_CLUSTER)
        {
            return Err(Error::DiskFull { path: data_dir.to_owned() });
        }
        fs::DirBuilder::new()
            .mode(0o700)
            .create(&self.unfinished)
            .and_then(|()| account.give(&self.unfinished))
            .map_err(|error| self.failed(error))?;
        self.run_initdb(binaries, account, settings)?;
        self.tune().map_err(|error| self.failed(error))?;
        self.publish(data_dir).map_err(|error| self.failed(error))
    }

    fn run_initdb(
        &self,
        binaries: &Binaries,
        account: &Account,
        settings: &Settings,
    ) -> Result<(), Error> {
        let mut initdb = binaries.command("initdb", account);
        initdb
            .arg("--pgdata")
            .arg(&self.unfinished)
            .args(["--encoding=UTF8", "--locale=C.UTF-8", "--auth-local=trust"])
            .args(["--auth-host=reject", "--username", &settings.name])
            .arg(match settings.durability {
                Durability::Full => "--data-checksums",
                Durability::Off => "--no-sync",
            });
        // On a gentler signal, initdb would finish its current step and then clean up in a directory that may already
        // belong to the next attempt.
        spawn::tie_to_this_thread(&mut initdb, rustix::process::Signal::KILL);
        let output = initdb
            .output()
            .map_err(|source| Error::Spawn { program: binaries.path("initdb"), source })?;
        if output.status.success() {
            return Ok(());
        }
        let messages = String::from_utf8_lossy(&output.stderr);
        if says_that_the_disk_is_full(&messages) {
            return Err(Error::DiskFull { path: self.dir.clone() });
        }
        Err(Error::InitFailed {
            output: format!("{} ({})", last_lines(&messages, 8), output.status),
        })
    }

    /// Appends settings that suit a private server better than those of initdb.
    fn tune(&self) -> io::Result<()> {
        let path = self.unfinished.join("postgresql.conf");
        let mut file = fs::OpenOptions::new().append(true).open(path)?;
        file.write_all(added_settings().as_bytes())?;
        file.sync_all()
    }

    /// Renames the finished cluster, so that after a power failure either all of it exists or nothing.
    fn publish(&self, data_dir: &Path) -> io::Result<()> {
        match fs::remove_dir(&self.dir) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        fs::rename(&self.unfinished, &self.dir)?;
        fs::File::open(data_dir)?.sync_all()
    }

    /// Removes the remains of an interrupted initdb, after the end of any process that may still write there.
    fn clear_unfinished(&self) -> Result<(), Error> {
        if !self.unfinished.exists() {
            return Ok(());
        }
        tracing::warn!(dir = %self.unfinished.display(), "removing an unfinished database cluster");
        let mut escalation = Escalation::of_deleted_cluster();
        while let Some(process) = processes::working_in(&self.unfinished).into_iter().next() {
            escalation.send_due_signal(&process, &self.unfinished)?;
        }
        let deadline = Instant::now() + Duration::from_secs(2);
        loop {
            match fs::remove_dir_all(&self.unfinished) {
                Ok(()) => return Ok(()),
                Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
                Err(error) if Instant::now() > deadline => return Err(self.failed(error)),
                Err(_) => std::thread::sleep(Duration::from_millis(50)),
            }
        }
    }

    fn is_vacant(&self) -> io::Result<bool> {
        match fs::read_dir(&self.dir) {
            Ok(mut entries) => Ok(entries.next().is_none()),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(true),
            Err(error) => Err(error),
        }
    }

    fn failed(&self, source: io::Error) -> Error {
        Error::of_file(&self.dir, source)
    }
}
