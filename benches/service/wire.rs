//! Counts the messages of the service to Postgres: a relay between the two reads the types of the messages.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use serde::{Deserialize, Serialize};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::unix::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{UnixListener, UnixStream};
use tokio::task::JoinHandle;

/// A relay with its own socket. It ends when it is dropped.
pub(crate) struct Relay {
    folder: PathBuf,
    counts: Arc<Counts>,
    task: JoinHandle<()>,
}

#[derive(Default)]
struct Counts {
    executed: AtomicU64,
    prepared: AtomicU64,
    round_trips: AtomicU64,
}

/// The counts so far.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub(crate) struct MessageCounts {
    /// Number of statements that were run.
    pub executed: u64,
    /// Number of statements that Postgres had to parse and plan again.
    pub prepared: u64,
    /// Number of round trips: messages of a connection after an answer.
    pub round_trips: u64,
}

impl MessageCounts {
    pub(crate) fn since(self, earlier: Self) -> Self {
        Self {
            executed: self.executed - earlier.executed,
            prepared: self.prepared - earlier.prepared,
            round_trips: self.round_trips - earlier.round_trips,
        }
    }
}

impl Relay {
    /// Starts a relay to the server whose socket is in the folder `to`.
    pub(crate) fn start(to: &Path) -> anyhow::Result<Self> {
        let folder = tempfile::Builder::new().prefix("cardscape-relay-").tempdir()?.keep();
        let listener = UnixListener::bind(folder.join(".s.PGSQL.5432"))?;
        let counts = Arc::new(Counts::default());
        let (counted, to) = (counts.clone(), to.to_owned());
        let task = tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                let Ok(server) = UnixStream::connect(&to).await else { continue };
                let (from_client, to_client) = client.into_split();
                let (from_server, to_server) = server.into_split();
                let answered = Arc::new(AtomicBool::new(true));
                tokio::spawn(forward(from_client, to_server, answered.clone(), counted.clone()));
                tokio::spawn(back(from_server, to_client, answered));
            }
        });
        Ok(Self { folder, counts, task })
    }

    /// The URL of the database through the relay.
    pub(crate) fn url(&self) -> String {
        format!("postgres:///cardscape?host={}&user=cardscape", self.folder.display())
    }

    pub(crate) fn counts(&self) -> MessageCounts {
        let of = |count: &AtomicU64| count.load(Ordering::SeqCst);
        let Counts { executed, prepared, round_trips } = &*self.counts;
        MessageCounts {
            executed: of(executed),
            prepared: of(prepared),
            round_trips: of(round_trips),
        }
    }
}

impl Drop for Relay {
    fn drop(&mut self) {
        self.task.abort();
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

async fn back(mut from: OwnedReadHalf, mut to: OwnedWriteHalf, answered: Arc<AtomicBool>) {
    let mut buffer = vec![0; 64 * 1024];
    while let Ok(length @ 1..) = from.read(&mut buffer).await {
        answered.store(true, Ordering::SeqCst);
        if to.write_all(&buffer[..length]).await.is_err() {
            return;
        }
    }
}

async fn forward(
    mut from: OwnedReadHalf,
    mut to: OwnedWriteHalf,
    answered: Arc<AtomicBool>,
    counts: Arc<Counts>,
) {
    let mut buffer = vec![0; 64 * 1024];
    let mut reader = Messages::default();
    while let Ok(length @ 1..) = from.read(&mut buffer).await {
        if answered.swap(false, Ordering::SeqCst) {
            counts.round_trips.fetch_add(1, Ordering::SeqCst);
        }
        reader.read(&buffer[..length], |kind| {
            let count = match kind {
                // `Execute`, and `Query` (a simple query in one message).
                b'E' | b'Q' => &counts.executed,
                b'P' => &counts.prepared,
                _ => return,
            };
            count.fetch_add(1, Ordering::SeqCst);
        });
        if to.write_all(&buffer[..length]).await.is_err() {
            return;
        }
    }
}

/// Finds the types of messages in a stream that arrives in arbitrary pieces.
#[derive(Default)]
struct Messages {
    /// Type and length of the current message, as far as they were received.
    head: Vec<u8>,
    /// Number of its bytes that were not received yet.
    rest: usize,
    /// Whether the first message, which has no type, is complete.
    begun: bool,
}

impl Messages {
    fn read(&mut self, mut bytes: &[u8], mut on_message: impl FnMut(u8)) {
        while !bytes.is_empty() {
            if self.rest > 0 {
                let skipped = self.rest.min(bytes.len());
                self.rest -= skipped;
                bytes = &bytes[skipped..];
                continue;
            }
            self.head.push(bytes[0]);
            bytes = &bytes[1..];
            let of_kind = usize::from(self.begun);
            if let Some(length) = self.head[of_kind.min(self.head.len())..].first_chunk::<4>() {
                self.rest = usize::try_from(u32::from_be_bytes(*length))
                    .unwrap_or_default()
                    .saturating_sub(4);
                if self.begun {
                    on_message(self.head[0]);
                }
                self.begun = true;
                self.head.clear();
            }
        }
    }
}
