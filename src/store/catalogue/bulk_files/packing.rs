//! Compresses rows into gzip chunks, and hashes them. Memory contains one batch of rows and their chunks, never a whole
//! file.

use std::io::{self, Write};

use flate2::write::GzEncoder;
use flate2::{Compression, GzBuilder};
use sha2::{Digest as _, Sha256};

use super::Page;
use crate::domain::catalogue::bulk::BulkKind;
use crate::store::{StoreError, StoreResult};

/// Size of a chunk in bytes. Each download has one in memory, and there may be thousands of downloads.
pub const CHUNK: usize = 64 * 1024;

/// A file that is being built.
pub(super) struct Packing<R> {
    pub(super) kind: BulkKind,
    page: Box<dyn Page<R>>,
    /// Text that is not compressed yet.
    text: Vec<u8>,
    packer: GzEncoder<Chunks>,
    pub(super) row_count: i64,
    pub(super) unpacked_size: u64,
}

impl<R> Packing<R> {
    /// A file that begins with the heading of `page`.
    pub(super) fn new(kind: BulkKind, page: Box<dyn Page<R>>) -> Self {
        let mut text = Vec::new();
        page.heading(&mut text);
        // The gzip header contains neither time nor operating system: equal rows give equal bytes.
        let packer = GzBuilder::new().mtime(0).operating_system(255);
        let packer = packer.write(Chunks::default(), Compression::default());
        Self { kind, page, text, packer, row_count: 0, unpacked_size: 0 }
    }

    /// Writes and compresses rows. Too slow for an async worker thread.
    pub(super) fn add(&mut self, rows: &[R]) -> StoreResult<()> {
        for row in rows {
            self.row_count += self.page.write(row, &mut self.text).map_err(fault)?;
        }
        self.unpacked_size += self.text.len() as u64;
        self.packer.write_all(&self.text).map_err(fault)?;
        self.text.clear();
        Ok(())
    }

    /// Ends the file.
    pub(super) fn finish(&mut self) -> StoreResult<()> {
        self.packer.try_finish().map_err(fault)?;
        self.packer.get_mut().close();
        Ok(())
    }

    /// Removes and returns the complete chunks.
    pub(super) fn take_chunks(&mut self) -> Vec<Vec<u8>> {
        std::mem::take(&mut self.packer.get_mut().full)
    }

    /// Size and SHA-256 of all chunks so far.
    pub(super) fn seal(&self) -> (u64, Vec<u8>) {
        let chunks = self.packer.get_ref();
        (chunks.size, chunks.digest.clone().finalize().to_vec())
    }
}

fn fault(error: impl std::error::Error + Send + Sync + 'static) -> StoreError {
    StoreError::Fault(diesel::result::Error::SerializationError(Box::new(error)))
}

/// Splits the compressed data into chunks.
#[derive(Default)]
struct Chunks {
    full: Vec<Vec<u8>>,
    open: Vec<u8>,
    size: u64,
    digest: Sha256,
}

impl Chunks {
    fn close(&mut self) {
        if !self.open.is_empty() {
            self.full.push(std::mem::take(&mut self.open));
        }
    }
}

impl Write for Chunks {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let fits = bytes.len().min(CHUNK - self.open.len());
        let taken = &bytes[..fits];
        self.open.extend_from_slice(taken);
        self.size += fits as u64;
        self.digest.update(taken);
        if self.open.len() == CHUNK {
            self.close();
        }
        Ok(fits)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_chunks_except_the_last_are_full() {
        for size in [1, CHUNK - 1, CHUNK, CHUNK + 1, 3 * CHUNK, 3 * CHUNK + 5] {
            let bytes: Vec<u8> = (0..size).map(|at| u8::try_from(at % 251).unwrap()).collect();
            let mut chunks = Chunks::default();
            for part in bytes.chunks(40_000) {
                chunks.write_all(part).unwrap();
            }
            chunks.close();
            assert_eq!(chunks.full.concat(), bytes, "{size}");
            assert_eq!(chunks.full.len(), size.div_ceil(CHUNK), "{size}");
            let (last, others) = chunks.full.split_last().unwrap();
            assert!(others.iter().all(|chunk| chunk.len() == CHUNK) && !last.is_empty());
            assert_eq!(chunks.size, size as u64);
            assert_eq!(chunks.digest.finalize(), Sha256::digest(&bytes));
        }
    }
}
