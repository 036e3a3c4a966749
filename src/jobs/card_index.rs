//! Builds the index, and keeps it as the catalogue is.
//!
//! No change is lost and none is applied stale:
//! - The feed is subscribed to first, and read to its end once. What was committed before that is in the database when the reading of the
//!   cards begins, and every stretch of cards is as the database is at its own moment, which is later.
//! - What is committed after that comes as a batch, which names the cards. They are read anew when the batch is applied, after their change
//!   was committed: so they are as that change left them, or a later one, whose batch is still to come.
//! - One task applies the batches, one after the other; the cards of one reading are put in before the next is begun.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::{Duration, Instant};

use futures_util::stream::{self, StreamExt as _};
use tokio::sync::mpsc::UnboundedReceiver;
use tokio::task::JoinHandle;

use crate::app::state::Shared;
use crate::auth::permission::Viewer;
use crate::domain::ids::CardId;
use crate::memory::catalogue::feed::Heard;
use crate::memory::catalogue::index::Catalogue;
use crate::search;
use crate::search::index::{Builder, CardRecord, Change, Compacted, Index};
use crate::store::catalogue::cards::{self, Release};
use crate::store::{Store, StoreResult, StoreSettings};

/// Cards that are read at once while the index is built.
const STRETCH: i64 = 2_000;
/// Stretches that are read at the same time.
const READERS: usize = 2;
/// Cards that are read at once to be put in anew, and show together.
const PIECE: usize = 500;
/// More changed cards than this, and than half of all, and the index is built anew: that is quicker.
const MANY: usize = 50_000;
/// Longest run of one statement.
const STATEMENT: Duration = Duration::from_secs(20);
/// How long after a failure it is tried again.
const PAUSE: Duration = Duration::from_millis(500);

/// Why the index is built anew.
enum Ended {
    /// The feed does not go on where it was.
    FeedBroke,
    /// It was behind by so much that this is quicker.
    FarBehind,
    /// The service stops.
    Draining,
}

/// What is still to be read anew.
#[derive(Default)]
struct Waiting {
    cards: BTreeSet<CardId>,
    sets: BTreeSet<(String, String)>,
}

impl Waiting {
    fn is_empty(&self) -> bool {
        self.cards.is_empty() && self.sets.is_empty()
    }
}

/// A store for [`follow`], with few connections: reading a stretch of all cards may take longer than a request may.
pub fn store(settings: &StoreSettings) -> StoreResult<Store> {
    Store::new(&StoreSettings {
        pool_size: READERS,
        statement_timeout: STATEMENT,
        answer_timeout: STATEMENT + Duration::from_secs(1),
        ..settings.clone()
    })
}

/// Builds the index and keeps it as the catalogue is, as long as the process runs.
pub async fn follow(shared: Arc<Shared>, store: Store) {
    let catalogue = &shared.catalogue;
    while !shared.is_draining() {
        catalogue.clock().forget();
        catalogue.hide();
        let mut feed = shared.feed.subscribe();
        let Some(began) = end_of_feed(&mut feed).await else {
            tokio::time::sleep(PAUSE).await;
            continue;
        };
        let started = Instant::now();
        let index = match build(&shared, &store).await {
            Ok(index) => index,
            Err(_) if shared.is_draining() => return,
            Err(error) => {
                tracing::warn!(%error, "cannot build the index of cards: searches go to the database");
                tokio::time::sleep(PAUSE).await;
                continue;
            }
        };
        let now = index.snapshot();
        let (cards, bytes) = (now.cards(), now.memory_bytes());
        catalogue.show(now);
        catalogue.clock().is_known_until(began);
        let seconds = started.elapsed().as_secs_f64();
        tracing::info!(cards, bytes, seconds, "the index of cards is ready");
        match apply_feed(&shared, &store, &mut feed, index).await {
            Ended::FeedBroke => tracing::warn!("the index of cards is built anew"),
            Ended::FarBehind => {
                tracing::info!("very many cards changed: the index of cards is built anew");
            }
            Ended::Draining => return,
        }
    }
}

/// Applies what the feed tells.
async fn apply_feed(
    shared: &Shared,
    store: &Store,
    feed: &mut UnboundedReceiver<Heard>,
    mut index: Index,
) -> Ended {
    let catalogue = &shared.catalogue;
    let mut waiting = Waiting::default();
    let mut compacting: Option<JoinHandle<Compacted>> = None;
    while let Some(first) = feed.recv().await {
        // What has come meanwhile is applied together: a card that changed twice is read once.
        let mut end = None;
        let mut next = Some(first);
        while let Some(Heard { batch, began }) = next {
            if batch.is_broken {
                return Ended::FeedBroke;
            }
            waiting.cards.extend(&batch.cards);
            waiting.sets.extend(batch.sets.iter().cloned());
            end = batch.is_last.then_some(began);
            next = feed.try_recv().ok();
        }
        if waiting.cards.len() > MANY.max(index.snapshot().cards() / 2) {
            return Ended::FarBehind;
        }
        while !waiting.is_empty() {
            match read_changes(store, &waiting).await {
                Ok(piece) => {
                    index = put(catalogue, index, &mut waiting, piece).await;
                }
                Err(_) if shared.is_draining() => return Ended::Draining,
                Err(error) => {
                    tracing::warn!(%error, "cannot read changed cards: searches go to the database");
                    tokio::time::sleep(PAUSE).await;
                }
            }
        }
        if let Some(end) = end {
            catalogue.clock().is_known_until(end);
        }
        // Changes lie beside what was built before until they are put together with it, on a thread of its own: it takes seconds.
        if compacting.as_ref().is_some_and(JoinHandle::is_finished)
            && let Some(done) = compacting.take()
        {
            index.install(done.await.unwrap_or_else(panicked));
            catalogue.show(index.snapshot());
        }
        if compacting.is_none() {
            let compaction = index.compaction();
            compacting =
                compaction.map(|compaction| tokio::task::spawn_blocking(move || compaction.run()));
        }
    }
    Ended::FeedBroke
}

/// Puts changes in, on a thread that answers no requests, and shows them.
async fn put(
    catalogue: &Catalogue,
    mut index: Index,
    waiting: &mut Waiting,
    piece: Piece,
) -> Index {
    let Piece { cards, sets, changes } = piece;
    let put = move || {
        index.apply(changes);
        index
    };
    let index = tokio::task::spawn_blocking(put).await.unwrap_or_else(panicked);
    catalogue.show(index.snapshot());
    for set in &sets {
        waiting.sets.remove(set);
    }
    for card in &cards {
        waiting.cards.remove(card);
    }
    index
}

/// Cards and sets that were read anew.
struct Piece {
    cards: Vec<CardId>,
    sets: Vec<(String, String)>,
    changes: Vec<Change>,
}

/// Reads some of the cards and sets that changed.
async fn read_changes(store: &Store, waiting: &Waiting) -> StoreResult<Piece> {
    let sets: Vec<_> = waiting.sets.iter().take(PIECE).cloned().collect();
    let cards: Vec<CardId> = waiting.cards.iter().take(PIECE).copied().collect();
    let mut conn = store.connection().await?;
    let releases = match &*sets {
        [] => Vec::new(),
        some => cards::load_releases(&mut conn, Some(some)).await?,
    };
    let records = cards::load_records(&mut conn, Viewer::stranger(), &cards).await?;
    let there: BTreeSet<u128> = records.iter().map(|record| record.id).collect();
    let gone = cards.iter().map(|card| card.0.as_u128()).filter(|card| !there.contains(card));
    let changes = releases
        .into_iter()
        .map(released)
        .chain(gone.map(Change::Remove))
        .chain(records.into_iter().map(|record| Change::Put(Box::new(record))))
        .collect();
    Ok(Piece { cards, sets, changes })
}

fn released(release: Release) -> Change {
    Change::Released { game: release.game_code, set: release.code, day: release.released_on }
}

/// The index broke off half-way: the task ends, and is started again with a new one.
fn panicked<T>(error: tokio::task::JoinError) -> T {
    match error.try_into_panic() {
        Ok(panic) => std::panic::resume_unwind(panic),
        Err(error) => panic!("{error}"),
    }
}

/// Waits until the feed was read to its end; the moment before that. `None`: the follower began anew.
async fn end_of_feed(feed: &mut UnboundedReceiver<Heard>) -> Option<Instant> {
    loop {
        let heard = feed.recv().await?;
        if heard.batch.is_last {
            return Some(heard.began);
        }
    }
}

/// Reads all cards, and builds an index of them beside, on a thread of its own.
async fn build(shared: &Shared, store: &Store) -> StoreResult<Index> {
    // Two stretches wait while a third is put in: what is read and not yet put in is bounded.
    let (send, mut receive) = tokio::sync::mpsc::channel::<Vec<CardRecord>>(2);
    let mut conn = store.connection().await?;
    let releases = cards::load_releases(&mut conn, None).await?;
    // A game that begins to add up others later has these answered by the database until the index is built anew.
    let games = shared.games.read_list(&mut conn).await?;
    let games: Vec<_> = games.iter().map(|loaded| &loaded.game).collect();
    let sums = search::sums(&games);
    let builder = tokio::task::spawn_blocking(move || {
        let mut builder = Builder::new();
        for sum in sums {
            builder.sum(sum);
        }
        for Release { game_code, code, released_on } in releases {
            builder.released(game_code, code, released_on);
        }
        while let Some(records) = receive.blocking_recv() {
            for record in records {
                builder.push(record);
            }
        }
        builder.finish()
    });
    let stretches = cards::split_ids(&mut conn, STRETCH).await?;
    drop(conn);
    // The database reads one while another is taken apart here.
    let read = async |range| cards::load_range(&mut *store.connection().await?, range).await;
    let mut read = stream::iter(stretches).map(read).buffer_unordered(READERS);
    while let Some(records) = read.next().await {
        if send.send(records?).await.is_err() {
            break;
        }
    }
    drop((send, read));
    Ok(builder.await.unwrap_or_else(panicked))
}
