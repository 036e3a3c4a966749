//! Builds the index of cards, and keeps it up to date with the change feed.
//!
//! No change is lost and none is applied stale:
//! - The feed is subscribed to first, and read to its end once. What was committed before that is in the database when the cards are read: each range
//!   of cards is read in a later snapshot.
//! - What is committed afterwards comes as a batch that names the cards. They are read again when the batch is applied, after their change was
//!   committed: they are as that change left them, or as a later one did, whose batch is still to come.
//! - One task applies the batches, one after the other; the cards of one read are applied before the next read begins.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use futures_util::stream::{self, StreamExt as _};
use tokio::sync::mpsc::{self, UnboundedReceiver};
use tokio::task::JoinHandle;

use crate::app::state::Shared;
use crate::auth::permission::Viewer;
use crate::domain::ids::CardId;
use crate::memory::catalogue::feed::ReadBatch;
use crate::memory::catalogue::index::Catalogue;
use crate::search;
use crate::search::index::{Builder, CardRecord, Change, Compacted, Index, Runner, Task};
use crate::store::catalogue::cards::{self, Release};
use crate::store::{Store, StoreResult, StoreSettings};
use crate::work::back_off::BackOff;
use crate::work::cores;

/// Cards in one range while the index is built.
const RANGE_SIZE: i64 = 2_000;
/// Ranges that are read at the same time.
const MAX_READERS: usize = 2;
/// Changed cards that are read, applied and published together.
const BATCH: usize = 500;
/// With more changed cards than this, and than half of all cards, the index is built again, which is faster.
const REBUILD_ABOVE: usize = 50_000;
/// Time limit of one statement.
const STATEMENT_TIMEOUT: Duration = Duration::from_secs(20);
/// Time until a failure is tried again.
const RETRY_DELAY: Duration = Duration::from_millis(500);
/// Longest time until a failed build is tried again: each reads all cards.
const LONGEST_BUILD_DELAY: Duration = Duration::from_secs(30);

/// Why following the feed ended.
enum FollowEnd {
    /// The feed has a gap.
    FeedBroke,
    /// So many cards changed that building the index again is faster.
    FarBehind,
    /// The service stops.
    Draining,
}

/// Changes that are still to be read.
#[derive(Default)]
struct PendingChanges {
    cards: BTreeSet<CardId>,
    sets: BTreeSet<(String, String)>,
}

impl PendingChanges {
    fn is_empty(&self) -> bool {
        self.cards.is_empty() && self.sets.is_empty()
    }
}

/// A store for [`follow`], with few connections and a longer time limit: reading a range of cards may take longer than a request may.
pub fn store(settings: &StoreSettings) -> StoreResult<Store> {
    Store::new(&StoreSettings {
        pool_size: MAX_READERS,
        statement_timeout: STATEMENT_TIMEOUT,
        answer_timeout: STATEMENT_TIMEOUT + Duration::from_secs(1),
        ..settings.clone()
    })
}

/// Builds the index and keeps it up to date until the service stops.
pub async fn follow(shared: Arc<Shared>, store: Store) {
    let catalogue = &shared.catalogue;
    // At the start, before there is much to answer, all cores build the index, because every search goes to the
    // database until it exists, at several times the cost. Later rebuilds happen under load, when the cores are needed
    // to answer requests.
    let mut threads = Threads(cores());
    let mut delays = BackOff::new(RETRY_DELAY, LONGEST_BUILD_DELAY);
    while !shared.is_draining() {
        catalogue.clock().reset();
        catalogue.unpublish();
        let mut feed = shared.feed.subscribe();
        let Some(ReadBatch { batch, began }) = wait_for_end(&mut feed).await else {
            tokio::time::sleep(RETRY_DELAY).await;
            continue;
        };
        let started = Instant::now();
        let index = match build(&shared, &store, threads).await {
            Ok(index) => index,
            Err(_) if shared.is_draining() => return,
            Err(error) => {
                tracing::warn!(%error, "cannot build the index of cards: searches go to the database");
                tokio::time::sleep(delays.next_wait()).await;
                continue;
            }
        };
        let snapshot = index.snapshot();
        let (cards, bytes) = (snapshot.cards(), snapshot.memory_bytes());
        catalogue.publish(snapshot);
        shared.feed.set_indexed(batch.up_to);
        catalogue.clock().advance_to(began);
        threads = Threads(1);
        delays.reset();
        let seconds = started.elapsed().as_secs_f64();
        tracing::info!(cards, bytes, seconds, "the index of cards is ready");
        match apply_feed(&shared, &store, &mut feed, index).await {
            FollowEnd::FeedBroke => {
                tracing::warn!("the change feed has a gap: rebuilding the index of cards")
            }
            FollowEnd::FarBehind => {
                tracing::info!("very many cards changed: rebuilding the index of cards");
            }
            FollowEnd::Draining => return,
        }
    }
}

/// Applies the batches of the feed, until the index must be built again or the service stops.
async fn apply_feed(
    shared: &Shared,
    store: &Store,
    feed: &mut UnboundedReceiver<ReadBatch>,
    mut index: Index,
) -> FollowEnd {
    let catalogue = &shared.catalogue;
    let mut pending = PendingChanges::default();
    let mut compacting: Option<JoinHandle<Compacted>> = None;
    while let Some(first) = feed.recv().await {
        // Batches that arrived in the meantime are applied together, so that a card that changed twice is read once.
        let mut end = None;
        let mut up_to = first.batch.up_to;
        let mut next = Some(first);
        while let Some(ReadBatch { batch, began }) = next {
            if batch.is_broken {
                return FollowEnd::FeedBroke;
            }
            pending.cards.extend(&batch.cards);
            pending.sets.extend(batch.sets.iter().cloned());
            end = batch.is_last.then_some(began);
            up_to = batch.up_to;
            next = feed.try_recv().ok();
        }
        if pending.cards.len() > REBUILD_ABOVE.max(index.snapshot().cards() / 2) {
            return FollowEnd::FarBehind;
        }
        while !pending.is_empty() {
            match read_changes(store, &pending).await {
                Ok(read) => {
                    index = apply_changes(catalogue, index, &mut pending, read).await;
                }
                Err(_) if shared.is_draining() => return FollowEnd::Draining,
                Err(error) => {
                    tracing::warn!(%error, "cannot read changed cards: searches go to the database");
                    tokio::time::sleep(RETRY_DELAY).await;
                }
            }
        }
        shared.feed.set_indexed(up_to);
        if let Some(end) = end {
            catalogue.clock().advance_to(end);
        }
        // Changes go into small segments, which are merged on a blocking thread: that takes seconds.
        if compacting.as_ref().is_some_and(JoinHandle::is_finished)
            && let Some(done) = compacting.take()
        {
            index.install(done.await.unwrap_or_else(resume_panic));
            catalogue.publish(index.snapshot());
        }
        if compacting.is_none() {
            let compaction = index.compaction();
            compacting =
                compaction.map(|compaction| tokio::task::spawn_blocking(move || compaction.run()));
        }
    }
    FollowEnd::FeedBroke
}

/// Applies changes to the index on a blocking thread, and publishes the result.
async fn apply_changes(
    catalogue: &Catalogue,
    mut index: Index,
    pending: &mut PendingChanges,
    read: ReadChanges,
) -> Index {
    let ReadChanges { cards, sets, changes } = read;
    let apply = move || {
        index.apply(changes);
        index
    };
    let index = tokio::task::spawn_blocking(apply).await.unwrap_or_else(resume_panic);
    catalogue.publish(index.snapshot());
    for set in &sets {
        pending.sets.remove(set);
    }
    for card in &cards {
        pending.cards.remove(card);
    }
    index
}

/// Changed cards and sets, as they were read from the database.
struct ReadChanges {
    cards: Vec<CardId>,
    sets: Vec<(String, String)>,
    changes: Vec<Change>,
}

/// Reads some of the cards and sets that changed.
async fn read_changes(store: &Store, pending: &PendingChanges) -> StoreResult<ReadChanges> {
    let sets: Vec<_> = pending.sets.iter().take(BATCH).cloned().collect();
    let cards: Vec<CardId> = pending.cards.iter().take(BATCH).copied().collect();
    let mut conn = store.connection().await?;
    let releases = match &*sets {
        [] => Vec::new(),
        some => cards::load_releases(&mut conn, Some(some)).await?,
    };
    let records = cards::load_records(&mut conn, Viewer::stranger(), &cards).await?;
    let found: BTreeSet<u128> = records.iter().map(|record| record.id).collect();
    let gone = cards.iter().map(|card| card.0.as_u128()).filter(|card| !found.contains(card));
    let exists = |game: &str, set: &str| {
        releases
            .iter()
            .any(|release| (release.game_code.as_str(), release.code.as_str()) == (game, set))
    };
    let deleted = sets.iter().filter(|(game, set)| !exists(game, set));
    let deleted: Vec<Change> = deleted
        .map(|(game, set)| Change::RemoveSet { game: game.clone(), set: set.clone() })
        .collect();
    let changes = deleted
        .into_iter()
        .chain(releases.into_iter().map(release_change))
        .chain(gone.map(Change::Remove))
        .chain(records.into_iter().map(|record| Change::Put(Box::new(record))))
        .collect();
    Ok(ReadChanges { cards, sets, changes })
}

fn release_change(release: Release) -> Change {
    Change::Released { game: release.game_code, set: release.code, day: release.released_on }
}

/// Resumes the panic of a blocking task: this task ends, and is started again with a new index.
fn resume_panic<T>(error: tokio::task::JoinError) -> T {
    match error.try_into_panic() {
        Ok(panic) => std::panic::resume_unwind(panic),
        Err(error) => panic!("{error}"),
    }
}

/// Waits until the feed was read to its end, and returns the last batch. `None`: the reader of the feed
/// restarted.
async fn wait_for_end(feed: &mut UnboundedReceiver<ReadBatch>) -> Option<ReadBatch> {
    loop {
        let read = feed.recv().await?;
        if read.batch.is_last {
            return Some(read);
        }
    }
}

/// Runs tasks on a number of threads, for the build of the index.
#[derive(Clone, Copy)]
struct Threads(usize);

impl Runner for Threads {
    fn threads(&self) -> usize {
        self.0
    }

    fn run(&self, tasks: Vec<Task<'_>>) {
        let most = self.0.min(tasks.len());
        let tasks = Mutex::new(tasks.into_iter());
        let next = || tasks.lock().unwrap_or_else(PoisonError::into_inner).next();
        let work = || {
            // Not `while let`, which would hold the lock while the task runs.
            std::iter::from_fn(next).for_each(|task| task());
        };
        thread::scope(|scope| {
            for _ in 1..most {
                scope.spawn(work);
            }
            work();
        });
    }
}

/// An index to which a blocking thread adds cards. A build that fails or is broken off while it reads cards is dropped, and
/// so is not finished: that would take all cores for a while, and a stop waits for blocking threads.
struct IndexBuild<R> {
    ranges: mpsc::Sender<Vec<CardRecord>>,
    adding: JoinHandle<Builder>,
    runner: R,
}

impl<R: Runner + Send + 'static> IndexBuild<R> {
    fn begin(mut builder: Builder, runner: R) -> Self {
        // A bounded channel: at most two ranges wait while a third is added to the index.
        let (ranges, mut receive) = mpsc::channel::<Vec<CardRecord>>(2);
        let adding = tokio::task::spawn_blocking(move || {
            while let Some(records) = receive.blocking_recv() {
                for record in records {
                    builder.push(record);
                }
            }
            builder
        });
        Self { ranges, adding, runner }
    }

    /// The index with all cards that were added.
    async fn finish(self) -> Index {
        let Self { ranges, adding, runner } = self;
        drop(ranges);
        let builder = adding.await.unwrap_or_else(resume_panic);
        let finish = move || builder.finish_with(&runner);
        tokio::task::spawn_blocking(finish).await.unwrap_or_else(resume_panic)
    }
}

/// Reads all cards while a blocking thread adds them to the index; then finishes the index on `threads`.
async fn build(shared: &Shared, store: &Store, threads: Threads) -> StoreResult<Index> {
    let mut conn = store.connection().await?;
    let releases = cards::load_releases(&mut conn, None).await?;
    // Sums that a game defines later are searched in the database until the index is rebuilt.
    let games = shared.games.read_list(&mut conn).await?;
    let games: Vec<_> = games.iter().map(|loaded| &loaded.game).collect();
    let mut builder = Builder::new();
    for sum in search::sums(&games) {
        builder.sum(sum);
    }
    for Release { game_code, code, released_on } in releases {
        builder.released(game_code, code, released_on);
    }
    let build = IndexBuild::begin(builder, threads);
    let ranges = cards::split_ids(&mut conn, RANGE_SIZE).await?;
    drop(conn);
    // The database reads one range while another is decoded here.
    let read = async |range| cards::load_range(&mut *store.connection().await?, range).await;
    let mut read = stream::iter(ranges).map(read).buffer_unordered(MAX_READERS);
    while let Some(records) = read.next().await {
        // After a panic of the other thread, which is resumed at the end.
        if build.ranges.send(records?).await.is_err() {
            break;
        }
    }
    drop(read);
    Ok(build.finish().await)
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    /// Sends a message when it is used.
    struct WatchedRunner(std::sync::mpsc::Sender<()>);

    impl Runner for WatchedRunner {
        fn threads(&self) -> usize {
            1
        }

        fn run(&self, tasks: Vec<Task<'_>>) {
            self.0.send(()).unwrap();
            Threads(1).run(tasks);
        }
    }

    #[tokio::test]
    async fn a_build_that_is_broken_off_is_not_finished() {
        let begin = || {
            let (send, used) = std::sync::mpsc::channel();
            (IndexBuild::begin(Builder::new(), WatchedRunner(send)), used)
        };
        let (build, used) = begin();
        build.ranges.send(Vec::new()).await.unwrap();
        drop(build);
        // Fails when the runner is dropped.
        assert!(used.recv().is_err());
        let (build, used) = begin();
        assert_eq!(build.finish().await.snapshot().cards(), 0);
        assert!(used.recv().is_ok());
    }

    #[test]
    fn each_task_is_run_once_by_no_more_threads_than_allowed() {
        for threads in [0, 1, 2, 5] {
            for many in [0, 1, 2, 9] {
                let ran: Vec<AtomicUsize> = (0..many).map(|_| AtomicUsize::new(0)).collect();
                let (running, most) = (AtomicUsize::new(0), AtomicUsize::new(0));
                let task = |ran| -> Task<'_> {
                    let (running, most) = (&running, &most);
                    Box::new(move || {
                        let now = running.fetch_add(1, Ordering::SeqCst) + 1;
                        most.fetch_max(now, Ordering::SeqCst);
                        thread::yield_now();
                        AtomicUsize::fetch_add(ran, 1, Ordering::SeqCst);
                        running.fetch_sub(1, Ordering::SeqCst);
                    })
                };
                Threads(threads).run(ran.iter().map(task).collect());
                let ran: Vec<usize> = ran.into_iter().map(AtomicUsize::into_inner).collect();
                assert_eq!(ran, vec![1; many]);
                assert!(most.into_inner() <= threads.max(1), "{threads} {many}");
            }
        }
    }
}
