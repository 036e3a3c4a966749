//! Stores copies with COPY, on a separate connection that holds the press lock.

use std::io::Cursor;
use std::pin::pin;
use std::time::Duration;

use diesel::result::Error as DieselError;
use futures_util::SinkExt as _;
use tokio_postgres::{Client, Error};
use uuid::Uuid;

use super::MintError;
use crate::domain::ids::{PrintRunId, PrintingId};
use crate::domain::serials::serial::RunPrefix;
use crate::store::db::wire::{Line, dial};
use crate::store::printing::press_locks::{PRESS_LOCK, lock_of_set};
use crate::store::{StoreError, StoreResult, StoreSettings};

/// One copy, ready to be stored: 20 bytes, since a run has millions.
#[derive(Clone, Copy, Debug)]
pub(super) struct CopyRow {
    /// Keyed hash of the code.
    pub mac: [u8; 16],
    /// Index of its printing in the plan.
    pub printing: u32,
}

/// Rows of one COPY statement: each is a transaction.
const BATCH: usize = 200_000;
/// Bytes that are sent to the connection at once.
const CHUNK: usize = 128 * 1024;
/// A killed mint holds the lock for a moment longer.
const LOCK_TRIES: u32 = 20;
/// Header of the binary COPY format: signature, flags, length of the extension.
const HEADER: &[u8; 19] = b"PGCOPY\n\xff\r\n\0\0\0\0\0\0\0\0\0";
/// End of the binary COPY format.
const TRAILER: [u8; 2] = (-1i16).to_be_bytes();

/// Longest wait for the response to one statement, including the COPY of a batch.
const STATEMENT: Duration = Duration::from_mins(10);

/// A connection that holds the press lock, and the lock of the minted set, until it is dropped.
pub(super) struct CopyIn {
    client: Client,
    line: Line,
}

impl CopyIn {
    /// Connects and takes the lock; `None`: another mint is running. Session locks need a direct connection, not a
    /// pooler in transaction mode.
    pub(super) async fn connect(settings: &StoreSettings) -> Result<Option<Self>, MintError> {
        let time_limit = settings.acquire_timeout;
        let dialled = dial(&settings.url, "cardscape mint", time_limit, &settings.health).await?;
        dialled.line.pulse.lend(STATEMENT, None);
        let press = Self { client: dialled.client, line: dialled.line };
        press.client.batch_execute("SET statement_timeout = 0; SET lock_timeout = '30s'").await?;
        for _ in 0..LOCK_TRIES {
            let row =
                press.client.query_one("SELECT pg_try_advisory_lock($1)", &[&PRESS_LOCK]).await?;
            if row.get(0) {
                return Ok(Some(press));
            }
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
        Ok(None)
    }

    /// Takes the lock of the set, so that cards of other sets can be moved and merged during the mint.
    pub(super) async fn lock_set(&self, set: Uuid) -> Result<(), Error> {
        let (class, key) = lock_of_set(set);
        let lock = "SELECT pg_advisory_lock($1, $2)";
        self.client.execute(lock, &[&class.cast_signed(), &key.cast_signed()]).await?;
        Ok(())
    }

    /// Stores `rows`, which must be sorted by hash, the order of the index; returns how many Postgres accepted.
    pub(super) async fn store_copies(
        &self,
        run: PrintRunId,
        prefix: RunPrefix,
        rows: &[CopyRow],
        printings: &[PrintingId],
        mut progress: impl FnMut(u64),
    ) -> Result<u64, MintError> {
        let prefix = prefix.to_string();
        let mut stored = 0;
        for batch in rows.chunks(BATCH) {
            let sink = self
                .client
                .copy_in("COPY copies (code_prefix, code_mac, print_run_id, printing_id) FROM STDIN (FORMAT binary)")
                .await?;
            let mut sink = pin!(sink);
            let mut chunk = Vec::with_capacity(CHUNK + 128);
            chunk.extend_from_slice(HEADER);
            for row in batch {
                let printing = find_printing(row, printings)?.0;
                chunk.extend_from_slice(&4i16.to_be_bytes());
                let fields: [&[u8]; 4] =
                    [prefix.as_bytes(), &row.mac, run.0.as_bytes(), printing.as_bytes()];
                for field in fields {
                    // Fields have at most 16 bytes.
                    chunk.extend_from_slice(&[0, 0, 0, field.len().to_le_bytes()[0]]);
                    chunk.extend_from_slice(field);
                }
                if chunk.len() >= CHUNK {
                    sink.feed(Cursor::new(std::mem::replace(
                        &mut chunk,
                        Vec::with_capacity(CHUNK + 128),
                    )))
                    .await?;
                }
            }
            chunk.extend_from_slice(&TRAILER);
            sink.feed(Cursor::new(chunk)).await?;
            stored += sink.finish().await?;
            progress(stored);
        }
        Ok(stored)
    }
}

/// The printing of a copy. A copy without one is a fault of the program, and is never stored.
fn find_printing(row: &CopyRow, printings: &[PrintingId]) -> StoreResult<PrintingId> {
    printings.get(row.printing as usize).copied().ok_or_else(|| {
        let fault = format!("the plan has no printing {}", row.printing);
        StoreError::Fault(DieselError::SerializationError(fault.into()))
    })
}

impl Drop for CopyIn {
    fn drop(&mut self) {
        // Closes the connection; Postgres releases the lock.
        self.line.disconnect();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_copy_without_a_printing_of_the_plan_is_an_error() {
        let printings = [PrintingId::generate(), PrintingId::generate()];
        let row = |printing| CopyRow { mac: [0; 16], printing };
        assert_eq!(find_printing(&row(1), &printings).unwrap(), printings[1]);
        assert!(matches!(find_printing(&row(2), &printings), Err(StoreError::Fault(_))));
    }
}
