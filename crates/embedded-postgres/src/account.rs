//! The operating system user that Postgres runs as.

use std::fs::{self, Metadata};
use std::io;
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use rustix::process::{getegid, geteuid};

use crate::cluster::Cluster;
use crate::error::Error;

/// A user that may run Postgres: the current user, or, because Postgres refuses to run as root, an ordinary user that
/// root switches to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Account {
    pub(crate) name: String,
    pub(crate) uid: u32,
    pub(crate) gid: u32,
    /// Whether this process has to change its user.
    pub(crate) switched: bool,
}

impl Account {
    /// The user for a cluster: the owner of an existing one, else the current user or, as root, `postgres` or `nobody`.
    pub(crate) fn for_cluster(cluster: &Cluster) -> Result<Self, Error> {
        let (uid, gid) = (geteuid().as_raw(), getegid().as_raw());
        let owner = cluster.owner()?;
        if uid != 0 {
            return match owner {
                Some((owner, _)) if owner != uid => {
                    Err(Error::ForeignCluster { path: cluster.dir().to_owned(), owner, user: uid })
                }
                _ => Ok(Self { name: name_of(uid), uid, gid, switched: false }),
            };
        }
        match owner {
            None => Self::unprivileged().ok_or(Error::NoAccount),
            Some((0, _)) => {
                let user = Self::unprivileged().ok_or(Error::NoAccount)?;
                Err(Error::ForeignCluster {
                    path: cluster.dir().to_owned(),
                    owner: 0,
                    user: user.uid,
                })
            }
            Some((uid, gid)) => Ok(Self { name: name_of(uid), uid, gid, switched: true }),
        }
    }

    fn unprivileged() -> Option<Self> {
        let passwd = fs::read_to_string("/etc/passwd").ok()?;
        ["postgres", "nobody"].into_iter().find_map(|wanted| {
            let mut fields = passwd
                .lines()
                .map(|line| line.split(':'))
                .find(|f| f.clone().next() == Some(wanted))?;
            let uid = fields.nth(2)?.parse().ok().filter(|uid| *uid != 0)?;
            let gid = fields.next()?.parse().ok()?;
            Some(Self { name: wanted.to_owned(), uid, gid, switched: true })
        })
    }

    /// Makes a command run as this user, without root's supplementary groups (the standard library
    /// drops them together with the user id).
    pub(crate) fn apply(&self, command: &mut Command) {
        if self.switched {
            command.gid(self.gid).uid(self.uid);
        }
    }

    /// Gives a file or directory to this user.
    pub(crate) fn give(&self, path: &Path) -> io::Result<()> {
        if self.switched { chown(path, Some(self.uid), Some(self.gid)) } else { Ok(()) }
    }

    /// Gives this user search permission on root's private data directory, without access to its other content; names
    /// the directory that denies access when the problem is further up.
    pub(crate) fn allow_access_to(&self, data_dir: &Path) -> Result<(), Error> {
        if !self.switched {
            return Ok(());
        }
        let failed = |source| Error::DataDir { path: data_dir.to_owned(), source };
        // If group or others have permissions already, the owner has decided about access.
        let meta = fs::metadata(data_dir).map_err(failed)?;
        if meta.uid() == 0 && meta.mode().trailing_zeros() >= 6 {
            chown(data_dir, None, Some(self.gid)).map_err(failed)?;
            fs::set_permissions(data_dir, fs::Permissions::from_mode(0o710)).map_err(failed)?;
        }
        // Testing with the kernel respects access control lists, which the mode bits do not show.
        let mut probe = Command::new("/bin/true");
        probe.env_clear().current_dir(data_dir);
        self.apply(&mut probe);
        match probe.status() {
            Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
                Err(Error::Unreachable {
                    user: self.name.clone(),
                    path: self.first_barrier(data_dir),
                })
            }
            // Other errors (such as a missing /bin/true) will show when Postgres is started.
            _ => Ok(()),
        }
    }

    fn first_barrier(&self, dir: &Path) -> PathBuf {
        let mut way: Vec<&Path> = dir.ancestors().collect();
        way.reverse();
        way.into_iter()
            .find(|step| fs::metadata(step).is_ok_and(|meta| !self.may_enter(&meta)))
            .unwrap_or(dir)
            .to_owned()
    }

    fn may_enter(&self, meta: &Metadata) -> bool {
        let bit = if meta.uid() == self.uid {
            0o100
        } else if meta.gid() == self.gid {
            0o010
        } else {
            0o001
        };
        meta.mode() & bit != 0
    }
}

fn name_of(uid: u32) -> String {
    let passwd = fs::read_to_string("/etc/passwd").unwrap_or_default();
    passwd
        .lines()
        .map(|line| line.split(':'))
        .find(|fields| fields.clone().nth(2) == Some(uid.to_string().as_str()))
        .and_then(|mut fields| fields.next().map(str::to_owned))
        .unwrap_or_else(|| uid.to_string())
}
