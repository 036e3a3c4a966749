//! Output files that are replaced as a whole or not at all.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::os::unix::fs::{FileTypeExt as _, MetadataExt as _, PermissionsExt as _, fchown};
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use rustix::fs::{Access, AtFlags, CWD, Mode, OFlags, access, linkat, openat};
use tempfile::{NamedTempFile, TempPath};

const BUFFER: usize = 1 << 16;

/// The target of the results. A file appears only when [`Output::commit`] returns; standard output, pipes and devices
/// get the data as it is written.
pub(super) struct Output {
    shown: PathBuf,
    writer: BufWriter<Target>,
}

enum Target {
    Stdout(io::Stdout),
    /// A pipe or device: there is nothing to replace.
    Direct(File),
    Beside(ReplacementFile),
}

/// A new file in the folder of the file that it will replace.
struct ReplacementFile {
    file: File,
    /// Its name, if it has one. Where the system allows it, the file has no name until it is complete, so that nothing
    /// is left if the program is killed.
    named: Option<TempPath>,
    target: PathBuf,
}

impl Output {
    /// Opens the output at a path, following links; `-` is standard output.
    pub(super) fn open(path: &Path) -> anyhow::Result<Self> {
        let target = open(path).with_context(|| format!("cannot write {}", path.display()))?;
        let writer = BufWriter::with_capacity(BUFFER, target);
        Ok(Self { shown: path.to_owned(), writer })
    }

    pub(super) fn stdout() -> Self {
        let writer = BufWriter::with_capacity(BUFFER, Target::Stdout(io::stdout()));
        Self { shown: PathBuf::from("standard output"), writer }
    }

    /// The folder for temporary files: that of the output file.
    pub(super) fn folder(&self) -> PathBuf {
        match self.writer.get_ref() {
            Target::Beside(beside) => folder(&beside.target).to_owned(),
            Target::Stdout(_) | Target::Direct(_) => std::env::temp_dir(),
        }
    }

    pub(super) fn write(&mut self, bytes: &[u8]) -> anyhow::Result<()> {
        self.writer.write_all(bytes).with_context(|| cannot(&self.shown))
    }

    /// Flushes the output and moves the file to its place.
    pub(super) fn commit(mut self) -> anyhow::Result<()> {
        self.writer.flush().with_context(|| cannot(&self.shown))?;
        let (target, _) = self.writer.into_parts();
        match target {
            Target::Stdout(_) | Target::Direct(_) => Ok(()),
            Target::Beside(beside) => beside.commit().with_context(|| cannot(&self.shown)),
        }
    }
}

fn cannot(path: &Path) -> String {
    format!("cannot write {}", path.display())
}

fn open(path: &Path) -> anyhow::Result<Target> {
    if path == Path::new("-") {
        return Ok(Target::Stdout(io::stdout()));
    }
    let before = match fs::metadata(path) {
        Ok(known) if known.is_dir() => anyhow::bail!("it is a directory"),
        Ok(known) => Some(known),
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        Err(error) => return Err(error.into()),
    };
    if let Some(known) = &before {
        let kind = known.file_type();
        if kind.is_char_device() || kind.is_block_device() || kind.is_fifo() || kind.is_socket() {
            // Opened by the given path: `/dev/stdout` and a shell's `>(…)` are links to an open pipe, which has no path
            // of its own.
            return Ok(Target::Direct(fs::OpenOptions::new().write(true).open(path)?));
        }
    }
    let target = follow(path)?;
    if let Some(known) = &before {
        // A writable directory allows to replace a file that is read-only.
        let writable = known.permissions().mode() & 0o222 != 0;
        anyhow::ensure!(writable && access(&target, Access::WRITE_OK).is_ok(), "it is read-only");
    }
    let folder = folder(&target);
    anyhow::ensure!(folder.is_dir(), "there is no directory {}", folder.display());
    let beside = ReplacementFile::create(target.clone())?;
    if let Some(known) = before {
        // Only root may change owners. The mode is set afterwards, because a change of owner clears bits of it.
        let _ = fchown(&beside.file, Some(known.uid()), Some(known.gid()));
        beside.file.set_permissions(fs::Permissions::from_mode(known.mode() & 0o7777))?;
    }
    Ok(Target::Beside(beside))
}

/// Follows symbolic links.
fn follow(path: &Path) -> anyhow::Result<PathBuf> {
    let mut target = path.to_owned();
    for _ in 0..40 {
        match fs::read_link(&target) {
            Ok(next) => target = folder(&target).join(next),
            Err(_) => return Ok(target),
        }
    }
    anyhow::bail!("too many links")
}

/// The folder that contains a path.
fn folder(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if parent != Path::new("") => parent,
        _ => Path::new("."),
    }
}

/// A file without a name (`O_TMPFILE`) in a folder; `None` where the system does not support it.
fn nameless(folder: &Path) -> Option<File> {
    let flags = OFlags::WRONLY | OFlags::TMPFILE | OFlags::CLOEXEC;
    let file = openat(CWD, folder, flags, Mode::from_raw_mode(0o666)).ok()?;
    Some(File::from(file))
}

/// Creates something under a random hidden name in the folder of `path`. It is deleted unless it is renamed to `path`.
fn beside<T>(
    path: &Path,
    make: impl FnMut(&Path) -> io::Result<T>,
) -> io::Result<NamedTempFile<T>> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let prefix = format!(".{name}.");
    tempfile::Builder::new().prefix(&prefix).suffix(".tmp").make_in(folder(path), make)
}

/// A temporary file that is deleted when it is closed.
pub(super) fn temporary(folder: &Path) -> io::Result<File> {
    tempfile::tempfile_in(folder)
}

impl ReplacementFile {
    fn create(target: PathBuf) -> io::Result<Self> {
        // A file without a name gets one by linking its entry in /proc.
        if Path::new("/proc/self/fd").is_dir()
            && let Some(file) = nameless(folder(&target))
        {
            return Ok(Self { file, named: None, target });
        }
        let create = |path: &Path| File::options().write(true).create_new(true).open(path);
        let (file, name) = beside(&target, create)?.into_parts();
        Ok(Self { file, named: Some(name), target })
    }

    fn commit(self) -> io::Result<()> {
        self.file.sync_all()?;
        let name = match self.named {
            Some(name) => name,
            None => {
                use std::os::fd::AsRawFd as _;
                let entry = format!("/proc/self/fd/{}", self.file.as_raw_fd());
                let link =
                    |name: &Path| Ok(linkat(CWD, &entry, CWD, name, AtFlags::SYMLINK_FOLLOW)?);
                beside(&self.target, link)?.into_temp_path()
            }
        };
        name.persist(&self.target)?;
        File::open(folder(&self.target))?.sync_all()
    }
}

impl Write for Target {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::Stdout(stdout) => stdout.write(bytes),
            Self::Direct(file) | Self::Beside(ReplacementFile { file, .. }) => file.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::Stdout(stdout) => stdout.flush(),
            Self::Direct(_) | Self::Beside(_) => Ok(()),
        }
    }
}
