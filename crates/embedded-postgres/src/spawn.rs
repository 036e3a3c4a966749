//! Child processes that end with this process.

use std::io;
use std::os::unix::process::CommandExt;
use std::process::Command;

use rustix::process::{Pid, Signal, getpid, getppid, set_parent_process_death_signal};

/// Makes the kernel send `signal` to the spawned process as soon as the *thread* that spawns it ends, even after `kill
/// -9`. Also puts the process into its own process group, so that Ctrl-C in a terminal reaches only this process, which
/// stops the server after its own work.
pub(crate) fn tie_to_this_thread(command: &mut Command, signal: Signal) {
    let parent = getpid();
    command.process_group(0);
    // SAFETY: between fork and exec only async-signal-safe calls are allowed. The closure makes two
    // plain system calls (prctl, getppid), allocates nothing and takes no lock.
    #[allow(unsafe_code)]
    unsafe {
        command.pre_exec(move || die_with(parent, signal));
    }
}

/// Runs in the child, after any change of user (which would clear the setting).
fn die_with(parent: Pid, signal: Signal) -> io::Result<()> {
    set_parent_process_death_signal(Some(signal))?;
    // If the parent had died before that call, the signal would never be sent.
    if getppid() == Some(parent) { Ok(()) } else { Err(io::ErrorKind::Interrupted.into()) }
}
