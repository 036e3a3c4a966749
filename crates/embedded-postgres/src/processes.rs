//! Finds the Postgres processes of a cluster, and ends those that outlived their owner.
//!
//! Process ids are reused, so the number in a pid file proves nothing: a process counts as Postgres of this cluster
//! only after a check of its program and its working directory, and signals are sent through a pidfd that was opened
//! before that check, so that they cannot reach another process.

use std::fs;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::time::{Duration, Instant};

use rustix::process::{Pid, PidfdFlags, Signal, pidfd_open, pidfd_send_signal};

use crate::error::Error;

/// A running Postgres process of a certain cluster.
#[derive(Debug)]
pub(crate) struct ClusterProcess {
    pub(crate) pid: u32,
    handle: Option<OwnedFd>,
}

/// The result of examining a process id.
#[derive(Debug)]
pub(crate) enum Verdict {
    /// It is Postgres of this cluster.
    Ours(ClusterProcess),
    /// There is no such process (or only a zombie), or it is another program.
    Unrelated,
    /// This user has no permission to find out.
    Unknown,
}

/// Examines one process.
pub(crate) fn examine(pid: u32, cluster: &Path) -> Verdict {
    let Some(raw) = i32::try_from(pid).ok().and_then(Pid::from_raw) else {
        return Verdict::Unrelated;
    };
    let handle = match pidfd_open(raw, PidfdFlags::empty()) {
        Ok(handle) => Some(handle),
        Err(rustix::io::Errno::SRCH) => return Verdict::Unrelated,
        Err(_) => None, // a kernel before 5.3: it can be watched, but will not be signalled
    };
    let Some((name, state)) = name_and_state(pid) else { return Verdict::Unrelated };
    if name != "postgres" || matches!(state, 'Z' | 'X' | 'x') {
        return Verdict::Unrelated;
    }
    match works_in(pid, cluster) {
        Some(true) => Verdict::Ours(ClusterProcess { pid, handle }),
        Some(false) => Verdict::Unrelated,
        None => Verdict::Unknown,
    }
}

/// All Postgres processes of this cluster that this user may examine.
pub(crate) fn working_in(cluster: &Path) -> Vec<ClusterProcess> {
    let pids = fs::read_dir("/proc").into_iter().flatten().flatten();
    pids.filter_map(|entry| entry.file_name().to_str()?.parse().ok())
        .filter_map(|pid| match examine(pid, cluster) {
            Verdict::Ours(process) => Some(process),
            Verdict::Unrelated | Verdict::Unknown => None,
        })
        .collect()
}

/// The program name and the state of a process, from `/proc/<pid>/stat`.
fn name_and_state(pid: u32) -> Option<(String, char)> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    let (head, tail) = stat.rsplit_once(')')?;
    Some((head.split_once('(')?.1.to_owned(), tail.trim_start().chars().next()?))
}

fn works_in(pid: u32, cluster: &Path) -> Option<bool> {
    let ours = fs::metadata(cluster).ok()?;
    let runs_postgres = fs::read_link(format!("/proc/{pid}/exe")).map(|exe| {
        let name = exe.file_name().unwrap_or_default().to_string_lossy().into_owned();
        name == "postgres" || name == "postgres (deleted)" // the latter after a package upgrade
    });
    let is_in_cluster = fs::metadata(format!("/proc/{pid}/cwd"))
        .map(|cwd| (cwd.dev(), cwd.ino()) == (ours.dev(), ours.ino()));
    match (runs_postgres, is_in_cluster) {
        (Ok(runs_postgres), Ok(is_in_cluster)) => Some(runs_postgres && is_in_cluster),
        (Err(error), _) | (_, Err(error)) if error.kind() == io::ErrorKind::PermissionDenied => {
            // In a container, root may lack the permission to examine processes of other users in this way, but
            // arguments are readable for all.
            let arguments = fs::read(format!("/proc/{pid}/cmdline")).ok()?;
            let needle = cluster.as_os_str().as_encoded_bytes();
            // Child processes of Postgres replace their arguments by a title; the first process keeps them.
            let titled = arguments.starts_with(b"postgres: ");
            let named = arguments.split(|byte| *byte == 0).any(|argument| argument == needle);
            if titled { None } else { Some(named) }
        }
        _ => Some(false), // it ended while we looked
    }
}

/// Waits for processes of an earlier run, and sends stronger signals over time.
#[derive(Debug)]
pub(crate) struct Escalation {
    steps: Steps,
    since: Instant,
    sent: Option<(u32, Signal)>,
}

/// Which signal is sent after which time.
type Steps = &'static [(Duration, Signal)];

impl Escalation {
    const GIVE_UP: Duration = Duration::from_secs(10);

    const SERVER: Steps = &[
        (Duration::from_secs(1), Signal::INT),
        (Duration::from_secs(4), Signal::QUIT),
        (Duration::from_secs(7), Signal::KILL),
    ];
    const ORPHANS: Steps =
        &[(Duration::from_millis(500), Signal::QUIT), (Duration::from_secs(3), Signal::KILL)];
    const DELETED_CLUSTER: Steps = &[(Duration::ZERO, Signal::KILL)];

    /// For a whole server: it is probably stopping already, because its owner has ended. Then a fast shutdown, an
    /// immediate one (crash recovery repairs its effects), and finally a kill.
    pub(crate) fn of_a_server() -> Self {
        Self::with(Self::SERVER)
    }

    /// For connections whose server has been killed: most of them end by themselves, and unacknowledged work may be
    /// lost.
    pub(crate) fn of_orphans() -> Self {
        Self::with(Self::ORPHANS)
    }

    /// For processes that write to a cluster that will be deleted.
    pub(crate) fn of_deleted_cluster() -> Self {
        Self::with(Self::DELETED_CLUSTER)
    }

    fn with(steps: Steps) -> Self {
        Self { steps, since: Instant::now(), sent: None }
    }

    /// Sends the signal that is due to this process and waits a moment; fails when the time limit is over.
    pub(crate) fn send_due_signal(
        &mut self,
        process: &ClusterProcess,
        cluster: &Path,
    ) -> Result<(), Error> {
        let waited = self.since.elapsed();
        if waited > Self::GIVE_UP {
            return Err(Error::StillRunning { pid: process.pid, cluster: cluster.to_owned() });
        }
        let due = self.steps.iter().rev().find(|(after, _)| waited >= *after).copied();
        if let (Some((_, signal)), Some(handle)) = (due, &process.handle)
            && self.sent != Some((process.pid, signal))
        {
            tracing::warn!(
                pid = process.pid,
                ?signal,
                "ending a Postgres process of an earlier run"
            );
            // The process may have ended in between, which is the aim.
            let _ = pidfd_send_signal(handle, signal);
            self.sent = Some((process.pid, signal));
        }
        std::thread::sleep(Duration::from_millis(20));
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::{Verdict, examine, working_in};

    #[test]
    fn this_process_is_not_postgres() {
        let here = std::env::current_dir().unwrap();
        assert!(matches!(examine(std::process::id(), &here), Verdict::Unrelated));
        assert!(working_in(&here).is_empty());
    }

    #[test]
    fn ids_without_a_process_are_unrelated() {
        for pid in [0, u32::MAX, i32::MAX.unsigned_abs()] {
            assert!(matches!(examine(pid, Path::new("/")), Verdict::Unrelated));
        }
    }
}
