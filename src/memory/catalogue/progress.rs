//! Counted submissions, for lists of cards that ask for them.
//!
//! They change with every submission and stand in no change feed. So all of them are read, when somebody asks and those that were read last are
//! older than [`FRESH`]: there are as many as cards that started hidden and were submitted.

use std::sync::{Arc, PoisonError, RwLock, RwLockWriteGuard};
use std::time::{Duration, Instant};

use tokio::sync::Mutex;

use crate::memory::MemoryError;
use crate::search::index::{Counts, Snapshot};
use crate::store::Store;
use crate::store::serials::unlocks;
use crate::work::on_blocking_thread;

/// How old they may be: a change shows within a second.
const FRESH: Duration = Duration::from_millis(500);
/// Of more cards they are not kept, and the database answers.
const MOST_CARDS: i64 = 250_000;
/// How long it is believed that there are more.
const TOO_MANY: Duration = Duration::from_mins(1);

/// Counted submissions, as they were a moment ago.
#[derive(Default)]
pub(crate) struct Progress {
    kept: RwLock<Option<Kept>>,
    /// Who reads them. Others wait for her.
    reader: Mutex<()>,
}

#[derive(Clone)]
struct Kept {
    read_at: Instant,
    /// `None`: there are too many.
    counts: Option<Arc<Counts>>,
    /// The cards that they were looked up for last, and these with them.
    shown: Option<(Arc<Snapshot>, Arc<Snapshot>)>,
}

impl Kept {
    fn is_fresh(&self) -> bool {
        self.read_at.elapsed() < if self.counts.is_some() { FRESH } else { TOO_MANY }
    }

    /// These cards with the counts, if they were looked up for them.
    fn of(&self, cards: &Arc<Snapshot>) -> Option<Arc<Snapshot>> {
        if self.counts.is_none() {
            return Some(Arc::clone(cards));
        }
        let (of, with_progress) = self.shown.as_ref()?;
        Arc::ptr_eq(of, cards).then(|| Arc::clone(with_progress))
    }
}

impl Progress {
    /// The cards with their counted submissions; without them when there are too many. `are_shown` tells whether cards are the ones that all requests
    /// get now: others are not kept.
    pub(crate) async fn added_to(
        &self,
        cards: Arc<Snapshot>,
        store: &Store,
        are_shown: impl Fn(&Arc<Snapshot>) -> bool,
    ) -> Result<Arc<Snapshot>, MemoryError> {
        let find = || self.fresh().and_then(|kept| kept.of(&cards));
        if let Some(found) = find() {
            return Ok(found);
        }
        let _reading = store.wait_for(async { Ok(self.reader.lock().await) }).await?;
        if let Some(found) = find() {
            return Ok(found);
        }
        let kept = match self.fresh() {
            Some(kept) => kept,
            None => self.read(store).await?,
        };
        let Some(counts) = kept.counts.clone() else { return Ok(cards) };
        let of = Arc::clone(&cards);
        let with_progress = on_blocking_thread(move || of.with_progress(&counts)).await?;
        let with_progress = Arc::new(with_progress);
        // Locked until it is in: whoever shows other cards drops it afterwards.
        let mut kept_now = self.kept();
        if are_shown(&cards) {
            let shown = Some((cards, Arc::clone(&with_progress)));
            *kept_now = Some(Kept { shown, ..kept });
        }
        Ok(with_progress)
    }

    /// Reads the counts, and keeps them.
    async fn read(&self, store: &Store) -> Result<Kept, MemoryError> {
        let read_at = Instant::now();
        let counts = unlocks::load_counts(&mut *store.connection().await?, MOST_CARDS).await?;
        let counts = on_blocking_thread(move || counts.map(|counts| Arc::new(counts.collect())));
        let counts = counts.await?;
        let kept = Kept { read_at, counts, shown: None };
        *self.kept() = Some(kept.clone());
        Ok(kept)
    }

    /// Drops the cards, not the counts: others are shown from now on.
    pub(crate) fn forget_cards(&self) {
        if let Some(kept) = &mut *self.kept() {
            kept.shown = None;
        }
    }

    fn kept(&self) -> RwLockWriteGuard<'_, Option<Kept>> {
        self.kept.write().unwrap_or_else(PoisonError::into_inner)
    }

    /// What is kept, if it is fresh.
    fn fresh(&self) -> Option<Kept> {
        let kept = self.kept.read().unwrap_or_else(PoisonError::into_inner);
        kept.as_ref().filter(|kept| kept.is_fresh()).cloned()
    }
}
