//! Which Postgres processes work on our cluster, and how to end those that outlived their owner.
//!
//! Process ids are reused, so the number in a pid file proves nothing: a process is believed to be
//! Postgres on our cluster only after a look at its program and its working directory, and signals
//! go through a pidfd taken before that look, which can never come to mean another process.

use std::fs;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::time::{Duration, Instant};

use rustix::process::{Pid, PidfdFlags, Signal, pidfd_open, pidfd_send_signal};

use crate::error::Error;

/// A live Postgres process that was seen to work on a certain cluster.
#[derive(Debug)]
pub(crate) struct ClusterProcess {
    pub(crate) pid: u32,
    handle: Option<OwnedFd>,
}

/// What is known about a process id.
#[derive(Debug)]
pub(crate) enum Verdict {
    /// It is Postgres on this cluster.
    Ours(ClusterProcess),
    /// There is no such process (or only a zombie), or it is something else.
    Unrelated,
    /// This user may not look closely enough.
    Unknown,
}

/// Looks at one process.
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

/// Every Postgres process that works on this cluster (as far as this user may look).
pub(crate) fn working_in(cluster: &Path) -> Vec<ClusterProcess> {
    let pids = fs::read_dir("/proc").into_iter().flatten().flatten();
    pids.filter_map(|entry| entry.file_name().to_str()?.parse().ok())
        .filter_map(|pid| match examine(pid, cluster) {
            Verdict::Ours(process) => Some(process),
            Verdict::Unrelated | Verdict::Unknown => None,
        })
        .collect()
}

/// The program's name and the process's state, from `/proc/<pid>/stat`.
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
    let at_home = fs::metadata(format!("/proc/{pid}/cwd"))
        .map(|cwd| (cwd.dev(), cwd.ino()) == (ours.dev(), ours.ino()));
    match (runs_postgres, at_home) {
        (Ok(runs_postgres), Ok(at_home)) => Some(runs_postgres && at_home),
        (Err(error), _) | (_, Err(error)) if error.kind() == io::ErrorKind::PermissionDenied => {
            // In a container root may lack the right to look at another user's process this way,
            // but anyone may read its arguments.
            let arguments = fs::read(format!("/proc/{pid}/cmdline")).ok()?;
            let needle = cluster.as_os_str().as_encoded_bytes();
            // Postgres's children replace their arguments by a title; its first process keeps them.
            let titled = arguments.starts_with(b"postgres: ");
            let named = arguments.split(|byte| *byte == 0).any(|argument| argument == needle);
            if titled { None } else { Some(named) }
        }
        _ => Some(false), // it ended while we looked
    }
}

/// Waits for processes of an earlier run, and asks more firmly as time goes by.
#[derive(Debug)]
pub(crate) struct Escalation {
    steps: Steps,
    since: Instant,
    sent: Option<(u32, Signal)>,
}

/// What to send after which time.
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
    const NO_VALUE: Steps = &[(Duration::ZERO, Signal::KILL)];

    /// For a whole server: it is most likely stopping already, since its owner is gone. Then a fast
    /// shutdown, an immediate one (crash recovery makes up for it), and at last the end.
    pub(crate) fn of_a_server() -> Self {
        Self::with(Self::SERVER)
    }

    /// For connections whose server is dead: most notice it by themselves, and what they have not
    /// acknowledged may be lost.
    pub(crate) fn of_orphans() -> Self {
        Self::with(Self::ORPHANS)
    }

    /// For whatever writes to a cluster that is thrown away.
    pub(crate) fn of_no_value() -> Self {
        Self::with(Self::NO_VALUE)
    }

    fn with(steps: Steps) -> Self {
        Self { steps, since: Instant::now(), sent: None }
    }

    /// Does what is due for this process and waits a moment; an error when it has been too long.
    pub(crate) fn press(&mut self, process: &ClusterProcess, cluster: &Path) -> Result<(), Error> {
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
            // It may have ended in between, which is what we want.
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
    fn this_very_process_is_not_postgres_though_it_may_be_at_home() {
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
