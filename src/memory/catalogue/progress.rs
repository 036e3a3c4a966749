//! Counted submissions of cards, for searches that need them.
//!
//! Counts change with every submission and are not in the change feed. When a search needs them and the last load is
//! older than [`MAX_AGE`], all of them are loaded. There is one count for each card that started hidden and has
//! submissions.

use std::sync::{Arc, PoisonError, RwLock, RwLockWriteGuard};
use std::time::{Duration, Instant};

use tokio::sync::{Mutex, OwnedMutexGuard};

use crate::memory::MemoryError;
use crate::search::index::{Counts, Snapshot};
use crate::store::Store;
use crate::store::serials::unlocks;
use crate::work::on_blocking_thread;

/// How old the counts may be: a change shows within a second.
const MAX_AGE: Duration = Duration::from_millis(500);
/// If more cards have counts, they are not loaded, and the database answers the searches.
const MAX_CARDS: i64 = 250_000;
/// How long until it is checked again whether there are too many.
const MAX_AGE_OF_TOO_MANY: Duration = Duration::from_mins(1);

/// The counts that were loaded last.
#[derive(Default)]
pub(crate) struct Progress {
    loaded: RwLock<Option<LoadedCounts>>,
    /// Locked while a request loads the counts; others wait for it. The jobs of a request that is broken off hold it until
    /// their end, so that only one runs at a time.
    reader: Arc<Mutex<()>>,
}

#[derive(Clone)]
struct LoadedCounts {
    read_at: Instant,
    /// `None`: there are too many.
    counts: Option<Arc<Counts>>,
    /// The snapshot that the counts were added to last, and the result.
    for_cards: Option<(Arc<Snapshot>, Arc<Snapshot>)>,
}

impl LoadedCounts {
    fn is_fresh(&self) -> bool {
        self.read_at.elapsed() < if self.counts.is_some() { MAX_AGE } else { MAX_AGE_OF_TOO_MANY }
    }

    /// The snapshot with its counts, if they were added to it before.
    fn find_for(&self, cards: &Arc<Snapshot>) -> Option<Arc<Snapshot>> {
        if self.counts.is_none() {
            return Some(Arc::clone(cards));
        }
        let (of, with_progress) = self.for_cards.as_ref()?;
        Arc::ptr_eq(of, cards).then(|| Arc::clone(with_progress))
    }
}

impl Progress {
    /// Adds the counted submissions to a snapshot; returns the snapshot unchanged when too many cards have counts. The
    /// result is cached only if `is_published` returns true for the snapshot.
    pub(crate) async fn add_to(
        &self,
        cards: Arc<Snapshot>,
        store: &Store,
        is_published: impl Fn(&Arc<Snapshot>) -> bool,
    ) -> Result<Arc<Snapshot>, MemoryError> {
        let find = || self.find_fresh().and_then(|loaded| loaded.find_for(&cards));
        if let Some(found) = find() {
            return Ok(found);
        }
        let locked = async { Ok(self.reader.clone().lock_owned().await) };
        let reading = store.wait_for(locked).await?;
        if let Some(found) = find() {
            return Ok(found);
        }
        let (reading, loaded) = match self.find_fresh() {
            Some(loaded) => (reading, loaded),
            None => self.load(store, reading).await?,
        };
        let Some(counts) = loaded.counts.clone() else { return Ok(cards) };
        let of = Arc::clone(&cards);
        let job = on_blocking_thread(reading, move || of.with_progress(&counts));
        let (_reading, with_progress) = job.await?;
        let with_progress = Arc::new(with_progress);
        // The lock is held during the check and the write: a snapshot that is published later clears the slot
        // afterwards.
        let mut slot = self.write();
        if is_published(&cards) {
            let for_cards = Some((cards, Arc::clone(&with_progress)));
            *slot = Some(LoadedCounts { for_cards, ..loaded });
        }
        Ok(with_progress)
    }

    /// Loads the counts and caches them.
    async fn load(
        &self,
        store: &Store,
        reading: OwnedMutexGuard<()>,
    ) -> Result<(OwnedMutexGuard<()>, LoadedCounts), MemoryError> {
        let read_at = Instant::now();
        let counts = unlocks::load_counts(&mut *store.connection().await?, MAX_CARDS).await?;
        let collect = move || counts.map(|counts| Arc::new(counts.collect()));
        let (reading, counts) = on_blocking_thread(reading, collect).await?;
        let loaded = LoadedCounts { read_at, counts, for_cards: None };
        *self.write() = Some(loaded.clone());
        Ok((reading, loaded))
    }

    /// Drops the cached snapshot but not the counts, because the published snapshot has changed.
    pub(crate) fn forget_cards(&self) {
        if let Some(loaded) = &mut *self.write() {
            loaded.for_cards = None;
        }
    }

    fn write(&self) -> RwLockWriteGuard<'_, Option<LoadedCounts>> {
        self.loaded.write().unwrap_or_else(PoisonError::into_inner)
    }

    /// The loaded counts, if they are fresh.
    fn find_fresh(&self) -> Option<LoadedCounts> {
        let loaded = self.loaded.read().unwrap_or_else(PoisonError::into_inner);
        loaded.as_ref().filter(|loaded| loaded.is_fresh()).cloned()
    }
}
