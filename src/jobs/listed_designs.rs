//! Updates what is in memory of listed designs: names and effects, and what the gallery shows of them. Drops cached pages
//! of the gallery when their content changes.

use std::sync::Arc;
use std::time::{Duration, Instant};

use chrono::{DateTime, Utc};
use tokio::time::timeout;
use uuid::Uuid;

use crate::app::state::Shared;
use crate::domain::ids::DesignId;
use crate::memory::listed_designs::MAX_IN_MEMORY;
use crate::store::designs::design_changes::{self, DesignChanges, RETENTION, Snapshot};
use crate::store::designs::{design_search, gallery_entries};
use crate::store::effects::effect_texts;
use crate::store::{Connection, Store, StoreResult, StoreSettings};
use crate::work::back_off::BackOff;

/// How often changes are read, unless a change is signalled.
const READ_INTERVAL: Duration = Duration::from_millis(300);
/// Longest time that pages of the gallery are cached: their content also depends on the date, and on search rows that
/// are renewed after a manifest changes.
const PAGE_LIFETIME: Duration = Duration::from_secs(20);
/// Designs that one statement reads.
const PAGE: i64 = 5_000;
/// Changed designs that are read and applied to the gallery at once: searches wait while they are applied.
const CHANGED: usize = 500;
/// Time limit of one statement: it reads a page, or all changes since a long pause.
const STATEMENT_TIMEOUT: Duration = Duration::from_secs(20);
/// Shortest and longest time until a failure is tried again: each attempt reads all listed designs.
const RETRY_DELAYS: (Duration, Duration) = (Duration::from_millis(500), Duration::from_secs(30));
/// Shortest time until it is checked again whether there are still too many designs for the memory.
const TOO_MANY_DELAY: Duration = Duration::from_mins(10);

/// A store of one connection for [`follow`].
pub fn store(settings: &StoreSettings) -> StoreResult<Store> {
    Store::new(&StoreSettings {
        pool_size: 1,
        statement_timeout: STATEMENT_TIMEOUT,
        answer_timeout: STATEMENT_TIMEOUT + Duration::from_secs(1),
        ..settings.clone()
    })
}

/// Why changes are not followed any more.
enum StopReason {
    /// There are more designs than [`MAX_IN_MEMORY`].
    TooMany,
    /// Notes of changes may have been deleted before they were read.
    Late,
}

/// Reads all listed designs, and then their changes, until the service stops.
pub async fn follow(shared: Arc<Shared>, store: Store) {
    let (first, longest) = RETRY_DELAYS;
    let mut delays = BackOff::new(first, longest);
    while !shared.is_draining() {
        forget(&shared);
        let delay = match follow_changes(&shared, &store, &mut delays).await {
            Ok(StopReason::TooMany) => {
                tracing::warn!(
                    "too many listed designs for the memory: the database is searched for similar designs"
                );
                TOO_MANY_DELAY
            }
            Ok(StopReason::Late) => {
                tracing::info!(
                    "changes of listed designs were not read for long: all designs are read again"
                );
                Duration::ZERO
            }
            // The private Postgres ends with the service.
            Err(_) if shared.is_draining() => return,
            Err(error) => {
                tracing::warn!(%error, "cannot follow listed designs: the database is searched for similar designs");
                delays.next_wait()
            }
        };
        forget(&shared);
        tokio::time::sleep(delay).await;
    }
}

fn forget(shared: &Shared) {
    shared.listed_designs.forget();
    shared.gallery_designs.forget();
    shared.gallery_pages.clock().reset();
    shared.gallery_pages.forget();
}

/// Since when the memory does not suffice for what the gallery shows.
struct Full {
    at: DateTime<Utc>,
    /// Listed designs at that time.
    designs: usize,
}

impl Full {
    /// Whether to try again. An attempt reads up to all designs, and nothing counts as up to date meanwhile. So it waits
    /// until there are clearly fewer.
    fn may_be_over(&self, now: DateTime<Utc>, designs: usize) -> bool {
        let passed = (now - self.at).to_std().is_ok_and(|passed| passed > TOO_MANY_DELAY);
        passed && designs < self.designs - self.designs / 8
    }
}

/// Keeps the designs up to date until a failure, or until it cannot go on. Resets `delays` when they are up to date.
async fn follow_changes(
    shared: &Shared,
    store: &Store,
    delays: &mut BackOff,
) -> StoreResult<StopReason> {
    let designs = &shared.listed_designs;
    let mut dropped_at = Instant::now();
    // Not by `Instant`, which stands still while the machine is suspended: other instances go on deleting notes.
    let mut read_at = shared.clock.now();
    let Some(Loaded { mut snapshot, mut in_gallery }) = load(shared, store).await? else {
        return Ok(StopReason::TooMany);
    };
    let (mut listed, mut full) = (0, None::<Full>);
    tracing::info!("listed designs are in memory");
    loop {
        let (began, now) = (Instant::now(), shared.clock.now());
        let mut conn = store.connection().await?;
        // Changes since the snapshot are applied afterwards.
        if full.as_ref().is_some_and(|full| full.may_be_over(now, listed)) {
            in_gallery = load_gallery(shared, &mut conn).await?;
            full = None;
        }
        let changes = design_changes::list_since(&mut conn, &snapshot).await?;
        // Notes of old changes are deleted after the retention time. Half of it is a safe limit. After the read, so that no
        // pause before it is missed.
        if shared.clock.now() - read_at > RETENTION / 2 {
            return Ok(StopReason::Late);
        }
        designs.set_effect_texts(effect_texts::list_revisions(&mut conn).await?);
        in_gallery = in_gallery && apply_to_gallery(shared, &mut conn, &changes).await?;
        drop(conn);
        listed = designs.apply(&changes);
        if listed > MAX_IN_MEMORY {
            return Ok(StopReason::TooMany);
        }
        if !in_gallery && full.is_none() {
            full = Some(Full { at: now, designs: listed });
        }
        read_at = now;
        prepare_for_search(shared, store, &changes).await;
        if !changes.is_empty() || began.duration_since(dropped_at) > PAGE_LIFETIME {
            shared.gallery_pages.forget();
            dropped_at = began;
        }
        if in_gallery {
            shared.gallery_designs.clock().advance_to(began);
        }
        designs.clock().advance_to(began);
        shared.gallery_pages.clock().advance_to(began);
        snapshot = changes.snapshot;
        delays.reset();
        // A timeout is the normal case.
        let _ = timeout(READ_INTERVAL, designs.hurried()).await;
    }
}

/// Writes the search rows of designs that were listed without one: a design that was never shared becomes official in the
/// transaction that unlocks its card, which has no time for that. Only these, because the memory counts as behind until
/// they are written. Housekeeping writes the others, and those that fail here.
async fn prepare_for_search(shared: &Shared, store: &Store, changes: &DesignChanges) {
    let listed = changes.listed.iter();
    let unsearched: Vec<DesignId> =
        listed.filter(|design| !design.searched).map(|design| design.id).collect();
    if unsearched.is_empty() {
        return;
    }
    let prepare = async || -> StoreResult<usize> {
        let mut conn = store.connection().await?;
        let games = shared.games.read_list(&mut conn).await?;
        drop(conn);
        design_search::fill_in_these(store, &games, &unsearched).await
    };
    if let Err(error) = prepare().await {
        tracing::warn!(%error, "could not prepare designs for the search");
    }
}

/// What was read of all listed designs.
struct Loaded {
    /// Changes during the read are not in this snapshot.
    snapshot: Snapshot,
    /// Whether the memory suffices for what the gallery shows of them.
    in_gallery: bool,
}

/// Reads all listed designs; `None`: there are too many.
async fn load(shared: &Shared, store: &Store) -> StoreResult<Option<Loaded>> {
    let designs = &shared.listed_designs;
    designs.forget();
    let mut conn = store.connection().await?;
    let snapshot = design_changes::take_snapshot(&mut conn).await?;
    designs.add_banned(design_changes::list_banned(&mut conn).await?);
    let mut after = DesignId(Uuid::nil());
    loop {
        let page = design_changes::list(&mut conn, after, PAGE).await?;
        let Some(last) = page.last() else { break };
        after = last.id;
        if designs.add(&page) > MAX_IN_MEMORY {
            return Ok(None);
        }
    }
    let in_gallery = load_gallery(shared, &mut conn).await?;
    Ok(Some(Loaded { snapshot, in_gallery }))
}

/// Reads what the gallery shows of all listed designs; returns whether the memory suffices.
async fn load_gallery(shared: &Shared, conn: &mut Connection) -> StoreResult<bool> {
    let designs = &shared.gallery_designs;
    designs.forget();
    let mut after = DesignId(Uuid::nil());
    loop {
        let page = gallery_entries::list(conn, after, PAGE).await?;
        let Some(last) = page.last() else { return Ok(true) };
        after = last.design.listed.design.id;
        if !designs.add(&page) {
            leave_to_database(shared);
            return Ok(false);
        }
    }
}

/// Applies changes to what the gallery shows; returns whether the memory suffices.
async fn apply_to_gallery(
    shared: &Shared,
    conn: &mut Connection,
    changes: &DesignChanges,
) -> StoreResult<bool> {
    let designs = &shared.gallery_designs;
    let mut fits = true;
    for changed in changes.designs.chunks(CHANGED) {
        let listed = gallery_entries::list_these(conn, changed).await?;
        fits = designs.apply(changed, &listed, &[]);
        if !fits {
            break;
        }
    }
    if fits {
        // Read after the designs, so that the last state of the authors is applied last.
        let authors = gallery_entries::list_authors(conn, &changes.accounts).await?;
        fits = designs.apply(&[], &[], &authors);
    }
    if !fits {
        leave_to_database(shared);
    }
    Ok(fits)
}

fn leave_to_database(shared: &Shared) {
    shared.gallery_designs.forget();
    tracing::warn!(
        "the memory for listed designs is full: the database is searched for words of designs"
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each attempt reads hundreds of thousands of designs.
    #[test]
    fn a_gallery_that_was_too_large_is_tried_again_only_with_clearly_fewer_designs() {
        let full = Full { at: DateTime::UNIX_EPOCH, designs: 800 };
        for (minutes, designs, is_tried) in
            [(11, 800, false), (11, 700, false), (11, 699, true), (9, 0, false), (-11, 0, false)]
        {
            let now = full.at + chrono::Duration::minutes(minutes);
            assert_eq!(full.may_be_over(now, designs), is_tried, "{minutes} minutes, {designs}");
        }
        let of_one = Full { designs: 1, ..full };
        assert!(of_one.may_be_over(of_one.at + chrono::Duration::minutes(11), 0));
    }
}
