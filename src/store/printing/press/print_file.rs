//! The print file: the only place where plain codes exist.

use std::fs::{File, OpenOptions};
use std::io::{self, Read as _, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

use sha2::{Digest as _, Sha256};
use zeroize::Zeroizing;

use crate::domain::csv_lines::CsvLines;

/// Format of a print file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PrintFormat {
    /// A header line, then one line for each code.
    Csv,
    /// One JSON object per line.
    Ndjson,
}

/// Names of the columns, and of the JSON members. The last one is used only with addresses.
const COLUMNS: [&str; 6] = ["code", "game", "set", "number", "rarity", "address"];
/// Bytes per write. The buffer is wiped when it is dropped and never grows, so no copy of it is left in memory.
const BUFFER: usize = 64 * 1024;
/// Longest line.
const MAX_LINE: usize = 512;

/// A file for the printer or the packer: readable only by its owner, hashed while it is written, and synced at the end.
pub(super) struct HashedFile {
    file: File,
    path: PathBuf,
    buffer: Zeroizing<Vec<u8>>,
    hash: Sha256,
}

impl HashedFile {
    /// Creates the file, readable only by its owner; fails if it exists.
    pub(super) fn create(path: &Path) -> io::Result<Self> {
        let file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)?;
        let buffer = Zeroizing::new(Vec::with_capacity(BUFFER));
        Ok(Self { file, path: path.to_owned(), buffer, hash: Sha256::new() })
    }

    /// Makes room in the buffer for a line.
    fn make_room(&mut self, line: usize) -> io::Result<()> {
        if self.buffer.len() + line > BUFFER { self.flush() } else { Ok(()) }
    }

    /// Writes the rest, syncs the file and its directory, and returns the file's SHA-256.
    pub(super) fn finish(mut self) -> io::Result<[u8; 32]> {
        self.flush()?;
        self.file.sync_all()?;
        let parent =
            self.path.parent().filter(|dir| !dir.as_os_str().is_empty()).unwrap_or(Path::new("."));
        File::open(parent)?.sync_all()?;
        Ok(self.hash.finalize().into())
    }
}

impl io::Write for HashedFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let bytes = &bytes[..bytes.len().min(BUFFER)];
        self.make_room(bytes.len())?;
        self.buffer.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.hash.update(&self.buffer);
        self.file.write_all(&self.buffer)?;
        self.buffer.clear();
        Ok(())
    }
}

/// A print file that is being written.
pub(super) struct PrintFile {
    file: HashedFile,
    format: PrintFormat,
    /// The public URL of the service, without a slash at its end.
    public_url: Option<String>,
}

impl PrintFile {
    /// Begins the file. With `public_url`, each line has the address that the QR code on the card contains.
    pub(super) fn new(mut file: HashedFile, format: PrintFormat, public_url: Option<&str>) -> Self {
        if format == PrintFormat::Csv {
            let columns = COLUMNS.len() - usize::from(public_url.is_none());
            CsvLines::lf().push(COLUMNS.into_iter().take(columns), &mut file.buffer);
        }
        Self { file, format, public_url: public_url.map(str::to_owned) }
    }

    /// Adds a code with the codes of its game and set, its card's number and its rarity. The database guarantees that
    /// these contain only letters, digits, hyphens and underscores, so they need no quotes.
    pub(super) fn write_line(&mut self, code: &str, fields: &[&str; 4]) -> io::Result<()> {
        self.file.make_room(MAX_LINE + 2 * self.public_url.as_ref().map_or(0, String::len))?;
        let buffer = &mut self.file.buffer;
        let address = self.public_url.as_ref().map(|public| submit_address(public, code));
        let address = address.as_ref().map(|address| address.as_str());
        let values = std::iter::once(code).chain(fields.iter().copied()).chain(address);
        match self.format {
            PrintFormat::Csv => CsvLines::lf().push(values, buffer),
            PrintFormat::Ndjson => {
                for (place, (name, value)) in COLUMNS.iter().zip(values).enumerate() {
                    let open = if place == 0 { "{\"" } else { ",\"" };
                    for text in [open, name, "\":\"", value, "\""] {
                        buffer.extend_from_slice(text.as_bytes());
                    }
                }
                buffer.extend_from_slice(b"}\n");
            }
        }
        Ok(())
    }

    /// Writes the rest, syncs the file and its directory, and returns the file's SHA-256.
    pub(super) fn finish(self) -> io::Result<[u8; 32]> {
        self.file.finish()
    }
}

/// The address that the QR code on a card contains: the page on which a code is typed, with the code in the fragment,
/// which browsers do not send to the server.
pub(super) fn submit_address(public_url: &str, code: &str) -> Zeroizing<String> {
    let mut address = Zeroizing::new(String::with_capacity(public_url.len() + code.len() + 16));
    address.push_str(public_url);
    address.push_str("/submit#");
    address.extend(code.chars().filter(|symbol| *symbol != '-'));
    address
}

/// SHA-256 of a file as it is on the disk now.
pub(super) fn sha256(path: &Path) -> io::Result<[u8; 32]> {
    let mut file = File::open(path)?;
    let mut buffer = Zeroizing::new(vec![0; BUFFER]);
    let mut hash = Sha256::new();
    loop {
        match file.read(&mut buffer)? {
            0 => return Ok(hash.finalize().into()),
            count => hash.update(&buffer[..count]),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt as _;

    fn write(path: &Path, format: PrintFormat, lines: usize) -> [u8; 32] {
        let mut file = PrintFile::new(HashedFile::create(path).unwrap(), format, None);
        for number in 0..lines {
            file.write_line(
                "0000-0000-0000-0000",
                &["ttcg", "veil", &format!("{number:03}"), "common"],
            )
            .unwrap();
        }
        file.finish().unwrap()
    }

    #[test]
    fn the_file_has_every_line_and_its_hash() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("codes");
        for (format, first) in [
            (PrintFormat::Csv, "code,game,set,number,rarity"),
            (
                PrintFormat::Ndjson,
                r#"{"code":"0000-0000-0000-0000","game":"ttcg","set":"veil","number":"000","rarity":"common"}"#,
            ),
        ] {
            let hash = write(&path, format, 5000);
            let text = std::fs::read_to_string(&path).unwrap();
            let header = usize::from(format == PrintFormat::Csv);
            assert_eq!(text.lines().count(), 5000 + header);
            assert_eq!(text.lines().next(), Some(first));
            assert!(
                text.lines()
                    .skip(header)
                    .enumerate()
                    .all(|(n, line)| line.contains(&format!("{n:03}")))
            );
            assert_eq!(sha256(&path).unwrap(), hash);
            assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
            let again = HashedFile::create(&path).err().unwrap();
            assert_eq!(again.kind(), io::ErrorKind::AlreadyExists);
            std::fs::remove_file(&path).unwrap();
        }
    }

    #[test]
    fn each_line_has_the_address_of_its_code() {
        let folder = tempfile::tempdir().unwrap();
        for (format, lines) in [
            (
                PrintFormat::Csv,
                "code,game,set,number,rarity,address\n\
                 7KQ2-X0FM-93TD-AW5G,ttcg,veil,001,common,https://cards.example/submit#7KQ2X0FM93TDAW5G\n",
            ),
            (
                PrintFormat::Ndjson,
                "{\"code\":\"7KQ2-X0FM-93TD-AW5G\",\"game\":\"ttcg\",\"set\":\"veil\",\"number\":\"001\",\
                 \"rarity\":\"common\",\"address\":\"https://cards.example/submit#7KQ2X0FM93TDAW5G\"}\n",
            ),
        ] {
            let path = folder.path().join("codes");
            let file = HashedFile::create(&path).unwrap();
            let mut file = PrintFile::new(file, format, Some("https://cards.example"));
            file.write_line("7KQ2-X0FM-93TD-AW5G", &["ttcg", "veil", "001", "common"]).unwrap();
            file.finish().unwrap();
            assert_eq!(std::fs::read_to_string(&path).unwrap(), lines);
            std::fs::remove_file(&path).unwrap();
        }
    }
}
