//! The open streams of account events. One poll of the database, twice a second, serves all streams of the process: it asks which accounts have new
//! events, and which credentials have ended.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use chrono::{DateTime, Utc};
use tokio::sync::{Semaphore, SemaphorePermit, watch};

use crate::auth::ending::CredentialEnd;
use crate::auth::permission::{Credential, Granted, ReadOwnEvents};
use crate::auth::second_factor::SecondFactorDemand;
use crate::domain::ids::AccountId;
use crate::memory::places::{NoPlace, Place, Places};
use crate::store::accounts::{account_events, credentials};
use crate::store::{Store, StoreResult};

/// A stream ends if the database could not be polled for this long. A stream of an account must not go on without checks of its credential.
pub(crate) const MAX_SILENCE: Duration = Duration::from_secs(5);
/// Most streams of one account.
const PER_ACCOUNT: usize = 10;
/// Most streams of a process.
const MAX_STREAMS: usize = 2_000;
/// Most streams of a process that read the database at the same time: one event may concern all streams, and requests
/// need connections, too.
const MAX_READS: usize = 4;

/// Why a stream ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StreamEnd {
    /// The credential that it was opened with has ended.
    Credential(CredentialEnd),
    /// The instance is stopping; clients reconnect to another one.
    Shutdown,
    /// The database does not answer.
    Unavailable,
}

impl StreamEnd {
    /// The name in the stream's last message.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Credential(end) => end.as_str(),
            Self::Shutdown => "shutdown",
            Self::Unavailable => "unavailable",
        }
    }
}

/// The open streams of the process.
#[derive(Debug)]
pub struct EventWatch {
    places: Places<AccountId>,
    streams: Arc<Mutex<Streams>>,
    reads: Semaphore,
}

impl Default for EventWatch {
    fn default() -> Self {
        Self {
            places: Places::new(MAX_STREAMS, "account_event_streams"),
            streams: Arc::default(),
            reads: Semaphore::new(MAX_READS),
        }
    }
}

#[derive(Debug, Default)]
struct Streams {
    open: HashMap<u64, Stream>,
    next: u64,
    /// The instance is stopping: new streams end at once.
    is_closing: bool,
}

#[derive(Debug)]
struct Stream {
    account: AccountId,
    credential: Credential,
    /// When the access token expires; `None`: the credential is not an access token.
    until: Option<DateTime<Utc>>,
    signal: watch::Sender<Signal>,
}

/// The result of the poll for one stream.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Signal {
    newest: i64,
    end: Option<StreamEnd>,
}

/// A stream's subscription. Counts as a stream until it is dropped.
#[derive(Debug)]
pub struct Watcher {
    streams: Arc<Mutex<Streams>>,
    id: u64,
    signal: watch::Receiver<Signal>,
    _place: Place<AccountId>,
}

impl EventWatch {
    /// Opens a stream.
    pub fn subscribe(
        &self,
        by: &Granted<ReadOwnEvents>,
        until: Option<DateTime<Utc>>,
    ) -> Result<Watcher, NoPlace> {
        self.open(by.account(), by.credential().clone(), until)
    }

    fn open(
        &self,
        account: AccountId,
        credential: Credential,
        until: Option<DateTime<Utc>>,
    ) -> Result<Watcher, NoPlace> {
        let place = self.places.take(account, PER_ACCOUNT)?;
        let mut streams = lock(&self.streams);
        let end = streams.is_closing.then_some(StreamEnd::Shutdown);
        let (sender, signal) = watch::channel(Signal { newest: 0, end });
        let id = streams.next;
        streams.next += 1;
        streams.open.insert(id, Stream { account, credential, until, signal: sender });
        Ok(Watcher { streams: self.streams.clone(), id, signal, _place: place })
    }

    /// Waits for the permit to read, which the stream holds while it reads.
    pub async fn acquire_read(&self) -> Option<SemaphorePermit<'_>> {
        // The semaphore is never closed.
        self.reads.acquire().await.ok()
    }

    /// Ends every stream: the instance is about to stop.
    pub fn shut_down(&self) {
        lock(&self.streams).is_closing = true;
        self.end_all(StreamEnd::Shutdown);
    }

    /// Ends every stream, for that reason.
    pub(crate) fn end_all(&self, end: StreamEnd) {
        for stream in lock(&self.streams).open.values() {
            stream.end(end);
        }
    }

    /// Polls the database once for all streams: announces new events, and ends streams whose credentials have ended. `demand`: which accounts must
    /// have a second factor.
    pub(crate) async fn poll(
        &self,
        store: &Store,
        demand: SecondFactorDemand,
        now: DateTime<Utc>,
    ) -> StoreResult<()> {
        let open: Vec<(u64, AccountId, Credential)> = lock(&self.streams)
            .open
            .iter()
            .map(|(id, stream)| (*id, stream.account, stream.credential.clone()))
            .collect();
        if open.is_empty() {
            return Ok(());
        }
        self.end_expired(now);
        let credentials: Vec<&Credential> =
            open.iter().map(|(_, _, credential)| credential).collect();
        let mut conn = store.connection().await?;
        let ended = credentials::find_ended(&mut conn, &credentials, demand, now).await?;
        drop(conn);
        for (place, end) in ended {
            if let Some((id, ..)) = open.get(place)
                && let Some(stream) = lock(&self.streams).open.get(id)
            {
                stream.end(StreamEnd::Credential(end));
            }
        }
        let accounts: Vec<AccountId> = open.iter().map(|(_, account, _)| *account).collect();
        let newest = account_events::newest(store, &accounts, now).await?;
        for stream in lock(&self.streams).open.values() {
            if let Some(newest) = newest.get(&stream.account) {
                stream.announce(*newest);
            }
        }
        Ok(())
    }

    fn end_expired(&self, now: DateTime<Utc>) {
        for stream in lock(&self.streams).open.values() {
            if stream.until.is_some_and(|until| until <= now) {
                stream.end(StreamEnd::Credential(CredentialEnd::Expired));
            }
        }
    }
}

impl Stream {
    /// Ends the stream. A later reason does not replace the first one.
    fn end(&self, end: StreamEnd) {
        self.signal.send_if_modified(|signal| {
            let is_first = signal.end.is_none();
            signal.end = signal.end.or(Some(end));
            is_first
        });
    }

    fn announce(&self, newest: i64) {
        self.signal.send_if_modified(|signal| {
            let is_new = signal.newest < newest;
            signal.newest = signal.newest.max(newest);
            is_new
        });
    }
}

impl Watcher {
    /// The number of the account's newest event at the last poll.
    pub fn newest(&self) -> i64 {
        self.signal.borrow().newest
    }

    /// Why the stream has to end; `None`: it may go on.
    pub fn end(&self) -> Option<StreamEnd> {
        self.signal.borrow().end
    }

    /// Completes when there are new events, or the stream is to end.
    pub async fn changed(&mut self) {
        // The map of streams holds the sender until this watcher is dropped.
        let _ = self.signal.changed().await;
    }
}

impl Drop for Watcher {
    fn drop(&mut self) {
        lock(&self.streams).open.remove(&self.id);
    }
}

fn lock(streams: &Mutex<Streams>) -> MutexGuard<'_, Streams> {
    streams.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::clock::Clock;
    use crate::domain::ids::SessionId;

    fn open(watch: &EventWatch, account: AccountId) -> Result<Watcher, NoPlace> {
        watch.open(account, Credential::Session(SessionId::generate()), None)
    }

    #[test]
    fn streams_of_an_account_are_limited() {
        let watch = EventWatch::default();
        let ada = AccountId::generate();
        let mut held: Vec<Watcher> =
            (0..PER_ACCOUNT).map(|_| open(&watch, ada).expect("there is room")).collect();
        assert_eq!(open(&watch, ada).unwrap_err(), NoPlace::Holder);
        held.pop();
        held.push(open(&watch, ada).expect("a stream that ended frees its place"));
        assert!(open(&watch, AccountId::generate()).is_ok(), "each account has its own limit");
        drop(held);
        assert!(watch.places.is_empty() && lock(&watch.streams).open.is_empty());
    }

    #[test]
    fn the_first_reason_for_the_end_counts() {
        let watch = EventWatch::default();
        let now = Clock::system().now();
        let session = Credential::Session(SessionId::generate());
        let first = watch.open(AccountId::generate(), session, Some(now)).unwrap();
        assert_eq!(first.end(), None);
        watch.end_expired(now);
        watch.shut_down();
        assert_eq!(first.end(), Some(StreamEnd::Credential(CredentialEnd::Expired)));
        let late = open(&watch, AccountId::generate()).unwrap();
        assert_eq!(late.end(), Some(StreamEnd::Shutdown), "a new stream ends at once");
    }
}
