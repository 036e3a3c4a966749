//! Finds the programs of PostgreSQL.

use std::ffi::OsString;
use std::fs;
use std::io::Read;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::Settings;
use crate::account::Account;
use crate::error::Error;

/// The oldest major version that has the options in use.
pub(crate) const OLDEST_MAJOR: u32 = 13;

/// Where distributions install the programs of each major version: the part of the path before the version, and the
/// part after it.
const VERSIONED_PLACES: [(&str, &str); 4] = [
    ("/usr/lib/postgresql", "bin"),  // Debian, Ubuntu: …/15/bin
    ("/usr/pgsql-", "bin"),          // packages of the PostgreSQL project for RPM systems
    ("/usr/libexec/postgresql", ""), // Alpine: …/postgresql15
    ("/usr/local/pgsql", "bin"),     // PostgreSQL's own build instructions
];

/// A directory with working `postgres` and `initdb` programs of the same version.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Binaries {
    dir: PathBuf,
    /// The first part of the version: 15 in 15.18.
    pub(crate) major: u32,
    /// For programs unpacked outside their install path: the path of their libraries.
    library_path: Option<OsString>,
}

impl Binaries {
    /// A command for one of the programs, in an empty environment, as the given user.
    pub(crate) fn command(&self, program: &str, account: &Account) -> Command {
        let mut command = Command::new(self.dir.join(program));
        command.env_clear().env("PATH", "/usr/bin:/bin").current_dir("/").stdin(Stdio::null());
        if let Some(path) = &self.library_path {
            command.env("LD_LIBRARY_PATH", path);
        }
        account.apply(&mut command);
        command
    }

    /// The path of a program, for messages.
    pub(crate) fn path(&self, program: &str) -> PathBuf {
        self.dir.join(program)
    }

    /// Checks one directory: both programs exist, are not scripts (a wrapper script would hide the process that must be
    /// watched), can be run by that user, and have the same version, which is not older than `oldest_major`.
    fn inspect(dir: &Path, account: &Account, oldest_major: u32) -> Result<Self, String> {
        let dir = resolve(dir).ok_or("has no postgres")?;
        for program in ["postgres", "initdb"] {
            let path = dir.join(program);
            if !path.is_file() {
                return Err(format!("has no {program}"));
            }
            if !is_elf(&path) {
                return Err(format!("its {program} is a script"));
            }
        }
        let mut found = Self { library_path: unpacked_libraries(&dir), dir, major: 0 };
        found.major = found.version_of("postgres", account)?;
        let initdb = found.version_of("initdb", account)?;
        if initdb != found.major {
            return Err(format!("its postgres is version {}, its initdb {initdb}", found.major));
        }
        if found.major < oldest_major {
            return Err(format!("is PostgreSQL {}, older than {oldest_major}", found.major));
        }
        Ok(found)
    }

    fn version_of(&self, program: &str, account: &Account) -> Result<u32, String> {
        let output = self
            .command(program, account)
            .arg("--version")
            .output()
            .map_err(|error| format!("its {program} cannot be run: {error}"))?;
        let text = String::from_utf8_lossy(&output.stdout);
        parse_major(&text).ok_or_else(|| {
            let output_text = String::from_utf8_lossy(&output.stderr);
            format!("its {program} does not work: {}", output_text.trim())
        })
    }
}

/// Checks that the directory in the settings, if any, contains the programs, before anything is created.
pub(crate) fn check_bin_dir(settings: &Settings) -> Result<(), Error> {
    match &settings.bin_dir {
        Some(dir) if resolve(dir).is_none() => {
            Err(Error::NoBinaries { searched: dir.display().to_string() })
        }
        _ => Ok(()),
    }
}

/// Finds working programs, with the major version of the cluster if one exists. The first match counts, in this order: the
/// directory in the settings, the search path, `pg_config`, the directories of Linux distributions (newest version first),
/// and packages that were unpacked below the data directory.
pub(crate) fn find(
    settings: &Settings,
    data_dir: &Path,
    cluster_major: Option<u32>,
    account: &Account,
) -> Result<Binaries, Error> {
    let oldest_major = settings.oldest_major.max(OLDEST_MAJOR);
    // The programs that could open it are not accepted.
    if let Some(cluster) = cluster_major.filter(|major| *major < oldest_major) {
        let path = data_dir.join("postgres");
        return Err(Error::ClusterTooOld { path, cluster, oldest: oldest_major });
    }
    let mut rejected = Vec::new();
    let mut other_majors = Vec::new();
    let mut seen = Vec::new();
    for dir in candidates(settings, data_dir) {
        let Some(real) = resolve(&dir) else { continue };
        if seen.contains(&real) {
            continue;
        }
        seen.push(real);
        match Binaries::inspect(&dir, account, oldest_major) {
            Ok(found) if cluster_major.is_none_or(|major| major == found.major) => {
                return Ok(found);
            }
            Ok(found) => {
                other_majors.push(format!("version {} in {}", found.major, found.dir.display()));
            }
            Err(reason) => rejected.push(format!("{} ({reason})", dir.display())),
        }
    }
    match cluster_major {
        Some(cluster) if !other_majors.is_empty() => Err(Error::WrongMajor {
            path: data_dir.join("postgres"),
            cluster,
            found: other_majors.join(", "),
        }),
        _ => Err(Error::NoBinaries { searched: searched(settings, data_dir, rejected) }),
    }
}

fn searched(settings: &Settings, data_dir: &Path, rejected: Vec<String>) -> String {
    let places = match &settings.bin_dir {
        Some(dir) => dir.display().to_string(),
        None => format!(
            "PATH, pg_config --bindir, /usr/lib/postgresql/*/bin and {}",
            data_dir.join("pgsql").display()
        ),
    };
    if rejected.is_empty() { places } else { format!("{places}: {}", rejected.join("; ")) }
}

fn candidates(settings: &Settings, data_dir: &Path) -> Vec<PathBuf> {
    if let Some(dir) = &settings.bin_dir {
        return vec![dir.clone()];
    }
    let mut dirs: Vec<PathBuf> = settings
        .search_path
        .iter()
        .flat_map(std::env::split_paths)
        .filter(|dir| dir.is_absolute())
        .collect();
    dirs.extend(pg_config_bindir(&dirs));
    for (stem, suffix) in VERSIONED_PLACES {
        dirs.extend(versioned(Path::new(stem), suffix));
    }
    dirs.extend(["/usr/local/bin", "/usr/bin"].map(PathBuf::from));
    dirs.extend(versioned(&data_dir.join("pgsql/usr/lib/postgresql"), "bin"));
    dirs
}

/// The directories `stem/<version>/suffix`, `stem<version>/suffix` and `stem/suffix`, newest version
/// first.
fn versioned(stem: &Path, suffix: &str) -> Vec<PathBuf> {
    let mut found: Vec<(u32, PathBuf)> = Vec::new();
    let mut collect = |dir: &Path, prefix: &str| {
        for entry in fs::read_dir(dir).into_iter().flatten().flatten() {
            let name = entry.file_name();
            let version = name.to_str().and_then(|name| name.strip_prefix(prefix)?.parse().ok());
            if let Some(version) = version {
                found.push((version, entry.path().join(suffix)));
            }
        }
    };
    collect(stem, "");
    if let (Some(parent), Some(name)) = (stem.parent(), stem.file_name().and_then(|n| n.to_str())) {
        collect(parent, name);
    }
    found.sort_by_key(|(version, _)| std::cmp::Reverse(*version));
    found.into_iter().map(|(_, dir)| dir).chain([stem.join(suffix)]).collect()
}

/// The directory that `pg_config` reports, if it is in the search path.
fn pg_config_bindir(search_path: &[PathBuf]) -> Option<PathBuf> {
    // An empty PATH would mean the working directory.
    if search_path.is_empty() {
        return None;
    }
    let path = std::env::join_paths(search_path).ok()?;
    let mut command = Command::new("pg_config");
    command.env_clear().env("PATH", path).arg("--bindir").stderr(Stdio::null());
    let output = command.output().ok()?;
    let dir = PathBuf::from(String::from_utf8(output.stdout).ok()?.trim());
    dir.is_absolute().then_some(dir)
}

/// The directory of the programs without symbolic links: distributions link some programs into `/usr/bin`, but PostgreSQL
/// searches its other files next to the program that was started.
fn resolve(dir: &Path) -> Option<PathBuf> {
    let postgres = dir.join("postgres").canonicalize().ok()?;
    let real = postgres.parent()?;
    let executable = postgres.metadata().is_ok_and(|meta| meta.permissions().mode() & 0o111 != 0);
    (executable && postgres.is_file()).then(|| real.to_owned())
}

fn is_elf(path: &Path) -> bool {
    let mut magic = [0; 4];
    fs::File::open(path).and_then(|mut file| file.read_exact(&mut magic)).is_ok()
        && magic == *b"\x7fELF"
}

/// `15` from `postgres (PostgreSQL) 15.18 (Debian 15.18-0+deb12u1)`.
fn parse_major(text: &str) -> Option<u32> {
    let version = text.split("(PostgreSQL) ").nth(1)?;
    let digits = version.find(|c: char| !c.is_ascii_digit()).unwrap_or(version.len());
    version[..digits].parse().ok()
}

/// The library directories of packages that were unpacked to another root directory than `/`.
fn unpacked_libraries(dir: &Path) -> Option<OsString> {
    let version = dir.parent()?;
    let root = version.parent()?.to_str()?.strip_suffix("/usr/lib/postgresql")?;
    if root.is_empty() {
        return None;
    }
    let root = Path::new(root);
    let mut dirs = vec![version.join("lib")];
    for place in ["usr/lib", "lib"] {
        let place = root.join(place);
        let triplets = fs::read_dir(&place).into_iter().flatten().flatten();
        dirs.extend(
            triplets
                .filter(|entry| entry.file_name().to_string_lossy().contains("-linux-"))
                .map(|entry| entry.path()),
        );
        dirs.push(place);
    }
    std::env::join_paths(dirs).ok()
}

#[cfg(test)]
mod tests {
    use super::parse_major;

    #[test]
    fn the_major_version_is_the_first_number() {
        let debian = "postgres (PostgreSQL) 15.18 (Debian 15.18-0+deb12u1)\n";
        assert_eq!(parse_major(debian), Some(15));
        assert_eq!(parse_major("initdb (PostgreSQL) 19devel\n"), Some(19));
        assert_eq!(parse_major("initdb: error while loading shared libraries"), None);
        assert_eq!(parse_major(""), None);
    }
}
