//! Processor time of processes, from `/proc`.

use std::path::Path;
use std::time::Duration;

use anyhow::Context as _;

/// Processor time that a process has used.
pub(crate) fn of_process(pid: u32) -> anyhow::Result<Duration> {
    Ok(ticks(&stat(pid)?, false))
}

/// Processor time of a Postgres server: the postmaster and all its child processes, including ended ones.
pub(crate) fn of_postgres(postmaster: u32) -> anyhow::Result<Duration> {
    let mut all = ticks(&stat(postmaster)?, true);
    for entry in std::fs::read_dir("/proc")? {
        let name = entry?.file_name();
        let Some(pid) = name.to_str().and_then(|name| name.parse().ok()) else { continue };
        // A process may end in the meantime.
        let Ok(fields) = stat(pid) else { continue };
        if fields.get(1).is_some_and(|parent| *parent == u64::from(postmaster)) {
            all += ticks(&fields, false);
        }
    }
    Ok(all)
}

/// The process id in `postmaster.pid`.
pub(crate) fn postmaster(data: &Path) -> anyhow::Result<u32> {
    let text = std::fs::read_to_string(data.join("postgres/postmaster.pid"))?;
    Ok(text.lines().next().context("a process id")?.trim().parse()?)
}

/// The fields of `/proc/PID/stat` as numbers, from the state on; the state itself becomes 0.
fn stat(pid: u32) -> anyhow::Result<Vec<u64>> {
    let text = std::fs::read_to_string(format!("/proc/{pid}/stat"))?;
    // The name of the program, in parentheses, may contain any characters.
    let (_, rest) = text.rsplit_once(')').context("a name")?;
    Ok(rest.split_whitespace().map(|field| field.parse().unwrap_or_default()).collect())
}

/// User and system time, optionally including ended children: fields 14 to 17 of proc(5), in hundredths of a second.
fn ticks(fields: &[u64], with_children: bool) -> Duration {
    let of = |field: usize| fields.get(field - 3).copied().unwrap_or_default();
    let own = of(14) + of(15);
    let all = if with_children { own + of(16) + of(17) } else { own };
    Duration::from_millis(all * 10)
}
