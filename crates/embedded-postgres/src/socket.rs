//! The private directory of the server's socket.

use std::fs::{self, DirBuilder, Permissions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, PermissionsExt, fchown};
use std::path::{Path, PathBuf};

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use rustix::fs::{Mode, OFlags};
use rustix::process::geteuid;
use sha2::{Digest, Sha256};

use crate::Settings;
use crate::account::Account;
use crate::error::Error;

/// The file name of Postgres's socket. It contains a port number, although the server does not listen on a port.
const SOCKET_NAME: &str = ".s.PGSQL.5432";

/// The longest path that fits into a Unix socket address (108 bytes with the zero at the end).
const MAX_PATH: usize = 107;

const URL_UNSAFE: AsciiSet = NON_ALPHANUMERIC.remove(b'-').remove(b'_').remove(b'.');

/// A directory of mode 0700 that belongs to the user who runs Postgres.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SocketDir {
    path: PathBuf,
    /// The role that connects.
    user: String,
    /// Whether the directory is outside the data directory and must be removed after use.
    elsewhere: bool,
}

impl SocketDir {
    /// Creates the directory: `<data_dir>/run`, or, if that path cannot be a socket address, one in the user's runtime
    /// directory or in `/tmp`.
    pub(crate) fn prepare(
        data_dir: &Path,
        settings: &Settings,
        account: &Account,
    ) -> Result<Self, Error> {
        let inside = data_dir.join("run");
        if suits_as_address(&inside) {
            return match secure(&inside, account) {
                Ok(()) => Ok(Self { path: inside, user: settings.name.clone(), elsewhere: false }),
                Err(reason) => {
                    Err(Error::SocketDir { reason: format!("{}: {reason}", inside.display()) })
                }
            };
        }
        let mut reasons = vec![format!("{}: too long for a socket", inside.display())];
        let name = fallback_name(&settings.name, data_dir, account);
        // A runtime directory is closed to all other users.
        let runtime_dir =
            settings.runtime_dir.as_deref().filter(|dir| !account.switched && dir.is_absolute());
        for base in runtime_dir.into_iter().chain([Path::new("/tmp")]) {
            // Other users may occupy a name in /tmp, but hardly all of them.
            for attempt in 0..5 {
                let path = base.join(format!("{name}-{attempt}"));
                if !suits_as_address(&path) {
                    reasons.push(format!("{}: too long for a socket", path.display()));
                    break;
                }
                match secure(&path, account) {
                    Ok(()) => {
                        return Ok(Self { path, user: settings.name.clone(), elsewhere: true });
                    }
                    Err(reason) => reasons.push(format!("{}: {reason}", path.display())),
                }
            }
        }
        Err(Error::SocketDir { reason: reasons.join("; ") })
    }

    /// The directory that a running server uses, from its pid file.
    pub(crate) fn of_running_server(path: PathBuf, user: &str) -> Self {
        Self { path, user: user.to_owned(), elsewhere: false }
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    pub(crate) fn socket(&self) -> PathBuf {
        self.path.join(SOCKET_NAME)
    }

    /// Postgres's lock file for the socket.
    pub(crate) fn lock_file(&self) -> PathBuf {
        self.path.join(format!("{SOCKET_NAME}.lock"))
    }

    pub(crate) fn url(&self, database: &str) -> String {
        // `suits_as_address` admits ASCII only.
        let host = self.path.to_string_lossy();
        format!(
            "postgres:///{}?host={}&user={}",
            utf8_percent_encode(database, &URL_UNSAFE),
            utf8_percent_encode(&host, &URL_UNSAFE),
            self.user,
        )
    }

    /// Removes a directory outside the data directory after the server has stopped.
    pub(crate) fn remove(&self) {
        if self.elsewhere {
            // It is not empty when the server was killed: the next start uses it again.
            let _ = fs::remove_dir(&self.path);
        }
    }
}

/// Whether the path is short enough, and free of characters that Postgres or clients would take for separators in a
/// list.
fn suits_as_address(dir: &Path) -> bool {
    let bytes = dir.as_os_str().as_encoded_bytes();
    let plain = |byte: &u8| byte.is_ascii_alphanumeric() || b"/._-+@~ ".contains(byte);
    bytes.len() + 1 + SOCKET_NAME.len() <= MAX_PATH
        && bytes.iter().all(plain)
        && !bytes.ends_with(b" ")
}

/// Returns the same name for the same data directory and user, so that a restart after `kill -9` finds the old
/// directory again.
fn fallback_name(program: &str, data_dir: &Path, account: &Account) -> String {
    let digest = Sha256::digest(data_dir.as_os_str().as_encoded_bytes());
    let digest: String = digest[..8].iter().map(|byte| format!("{byte:02x}")).collect();
    format!("{program}-{}-{digest}", account.uid)
}

/// Creates a directory for the account alone, or checks that an existing one is suitable: a real directory, not a
/// symbolic link, owned by the account or root, closed to everybody else. All checks and changes use one open handle,
/// so that the directory cannot be replaced in between.
fn secure(path: &Path, account: &Account) -> Result<(), String> {
    match DirBuilder::new().mode(0o700).create(path) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => {
            return Err(error.to_string());
        }
        _ => {}
    }
    let flags = OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let handle = rustix::fs::open(path, flags, Mode::empty())
        .map_err(|error| format!("is no directory ({error})"))?;
    let handle = fs::File::from(handle);
    let meta = handle.metadata().map_err(|error| error.to_string())?;
    if meta.uid() != account.uid && meta.uid() != geteuid().as_raw() {
        return Err(format!("belongs to user id {}", meta.uid()));
    }
    if account.switched {
        fchown(&handle, Some(account.uid), Some(account.gid)).map_err(|error| error.to_string())?;
    }
    handle.set_permissions(Permissions::from_mode(0o700)).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::{SocketDir, suits_as_address};

    #[test]
    fn an_address_has_at_most_107_bytes_with_the_socket_name() {
        let room = 107 - "/.s.PGSQL.5432".len();
        let fits = format!("/{}", "x".repeat(room - 1));
        assert!(suits_as_address(Path::new(&fits)));
        assert!(!suits_as_address(Path::new(&format!("{fits}x"))));
        for odd in ["/tmp/a,b", "/tmp/ä", "/tmp/\"", "/tmp/a\nb", "/tmp/a "] {
            assert!(!suits_as_address(Path::new(odd)), "{odd}");
        }
    }

    #[test]
    fn an_address_is_encoded_in_the_url() {
        let dir = SocketDir::of_running_server("/data dir/run".into(), "notes");
        assert_eq!(dir.url("a/b"), "postgres:///a%2Fb?host=%2Fdata%20dir%2Frun&user=notes");
    }
}
