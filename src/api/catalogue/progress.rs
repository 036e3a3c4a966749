//! Counted submissions, for lists of cards that ask for them.
//!
//! They change with every submission and stand in no change feed. So all of them are read, when somebody asks and those that were read last are
//! older than [`FRESH`]: there are as many as cards that started hidden and were submitted.

use std::sync::{Arc, PoisonError, RwLock};
use std::time::{Duration, Instant};

use actix_web::web;
use tokio::sync::Mutex;

use crate::api::problem::Problem;
use crate::search::index::{Counts, Snapshot};
use crate::store::{Store, unlocks};

/// How old they may be: a change shows within a second.
const FRESH: Duration = Duration::from_millis(500);
/// Of more cards they are not kept, and the database answers.
const MOST_CARDS: i64 = 250_000;

/// Counted submissions, as they were a moment ago.
#[derive(Default)]
pub(super) struct Progress {
    kept: RwLock<Option<Kept>>,
    /// Who reads them. Others wait for her.
    reader: Mutex<()>,
}

#[derive(Clone)]
struct Kept {
    read_at: Instant,
    /// `None`: there are too many.
    counts: Option<Arc<Counts>>,
    /// The cards that they were looked up for.
    cards: Arc<Snapshot>,
    with_progress: Arc<Snapshot>,
}

impl Progress {
    /// The cards with their counted submissions; without them when there are too many.
    pub(in crate::api) async fn added_to(
        &self,
        cards: Arc<Snapshot>,
        store: &Store,
    ) -> Result<Arc<Snapshot>, Problem> {
        if let Some(found) = self.kept(&cards) {
            return Ok(found);
        }
        let _reading = self.reader.lock().await;
        if let Some(found) = self.kept(&cards) {
            return Ok(found);
        }
        let (read_at, counts) = match self.newest() {
            Some(kept) => (kept.read_at, kept.counts),
            None => {
                let read_at = Instant::now();
                let find = async |conn: &_| unlocks::counted(conn, MOST_CARDS).await;
                let counts = store.read(find).await?;
                (read_at, counts.map(|counts| Arc::new(counts.into_iter().collect())))
            }
        };
        let with_progress = match &counts {
            None => Arc::clone(&cards),
            Some(counts) => {
                let (cards, counts) = (Arc::clone(&cards), Arc::clone(counts));
                let with_progress = web::block(move || cards.with_progress(&counts)).await;
                Arc::new(with_progress.map_err(Problem::internal)?)
            }
        };
        let found = Arc::clone(&with_progress);
        let kept = Kept { read_at, counts, cards, with_progress };
        *self.kept.write().unwrap_or_else(PoisonError::into_inner) = Some(kept);
        Ok(found)
    }

    /// What is kept, if it is fresh.
    fn newest(&self) -> Option<Kept> {
        let kept = self.kept.read().unwrap_or_else(PoisonError::into_inner).clone();
        kept.filter(|kept| kept.read_at.elapsed() < FRESH)
    }

    /// These cards with what is kept, if it is fresh.
    fn kept(&self, cards: &Arc<Snapshot>) -> Option<Arc<Snapshot>> {
        let kept = self.newest().filter(|kept| Arc::ptr_eq(&kept.cards, cards));
        kept.map(|kept| kept.with_progress)
    }
}
