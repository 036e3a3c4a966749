//! Attempts that could not be settled because the database was not there: they are settled as soon as it is. Nobody
//! waits for it, except a stop of the process.
//!
//! A unit must not be released twice: that would be a guess too many. So every try is a transaction, and is repeated
//! only if it is certain that the last one was not committed. Nor must a unit be released whose reservation was lost when
//! Postgres crashed: so nothing is released of an earlier epoch, unless the reservation was on the disk.

use std::collections::BTreeMap;
use std::ops::Bound;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use chrono::{DateTime, Utc};
use tokio::runtime::Handle;
use tokio::sync::Notify;
use tokio::time::{Instant, sleep};

use super::attempts::{self, AttemptRow, Epoch, Flush, Release};
use crate::store::{Connection, Store, StoreResult};

/// Pause after the first try; each further one is twice as long.
const FIRST_PAUSE: Duration = Duration::from_millis(100);

const LONGEST_PAUSE: Duration = Duration::from_secs(5);

/// How long a row is tried. A database that is away for longer fails all requests; its operator can release attempts.
const PATIENCE: Duration = Duration::from_mins(5);

/// Most rows that wait: accounts and networks that submitted codes or logged in when the database went away.
const MOST_ROWS: usize = 10_000;

/// Most rows of one transaction: they are locked until it is committed.
const MOST_AT_ONCE: usize = 200;

/// The attempts that wait; one collection per process.
#[derive(Clone)]
pub(super) struct UnsettledAttempts(Arc<Shared>);

struct Shared {
    store: Store,
    runtime: Handle,
    waiting: Mutex<Waiting>,
    /// Ends the pause of the task.
    hurry: Notify,
    /// Signals that nothing waits any more.
    done: Notify,
}

#[derive(Default)]
struct Waiting {
    rows: BTreeMap<Key, Units>,
    /// The last row that was tried: the next ones are those behind it, so that a row that stays locked does not hold up the others.
    tried: Option<Key>,
    /// Whether a task is settling them.
    has_task: bool,
}

/// Whether a crash of Postgres may have lost a reservation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Durability {
    /// It was on the disk before the secret was checked ([`attempts::reserve`]).
    OnDisk,
    /// A crash that ended this epoch may have lost it. `None`: the epoch is not known.
    OfEpoch(Option<Epoch>),
}

/// Durability of the reservation, scope, subject, beginning of the window.
type Key = (Durability, &'static str, [u8; 16], DateTime<Utc>);

#[derive(Clone, Copy)]
struct Units {
    released: u32,
    decided: u32,
    /// When they were added.
    since: Instant,
}

impl UnsettledAttempts {
    /// Settles attempts in the database of `store`, in the tokio runtime in which this is called.
    pub(super) fn new(store: Store) -> Self {
        Self(Arc::new(Shared {
            store,
            runtime: Handle::current(),
            waiting: Mutex::default(),
            hurry: Notify::new(),
            done: Notify::new(),
        }))
    }

    /// Settles these rows, at once if the database is there.
    pub(super) fn add(&self, rows: impl IntoIterator<Item = AttemptRow>, reserved: Durability) {
        let mut waiting = self.waiting();
        for AttemptRow { scope, mac, start, units: released, decided } in rows {
            let units = Units { released, decided, since: Instant::now() };
            waiting.add((reserved, scope, mac, start), units);
        }
        if !waiting.rows.is_empty() && !std::mem::replace(&mut waiting.has_task, true) {
            drop(waiting);
            // The guard is created here, so that it is dropped even if the task never runs.
            let task = RunningTask { attempts: self.clone(), has_ended: false };
            self.0.runtime.spawn(task.run());
        }
    }

    /// Waits until nothing is left. The next try begins at once.
    pub(super) async fn wait_until_empty(&self) {
        self.0.hurry.notify_one();
        loop {
            let done = self.0.done.notified();
            tokio::pin!(done);
            done.as_mut().enable();
            if !self.waiting().has_task {
                return;
            }
            done.await;
        }
    }

    /// The rows that wait: durability, first byte of the hash, released and decided units.
    #[cfg(test)]
    pub(super) fn rows(&self) -> Vec<(Durability, u8, u32, u32)> {
        let row = |((reserved, _, mac, _), units): (&Key, &Units)| {
            (*reserved, mac[0], units.released, units.decided)
        };
        self.waiting().rows.iter().map(row).collect()
    }

    fn waiting(&self) -> MutexGuard<'_, Waiting> {
        self.0.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn settle_all(&self) {
        let mut pause = FIRST_PAUSE;
        while let Some(rows) = self.next() {
            match self.settle(&rows).await {
                Ok(()) => {
                    pause = FIRST_PAUSE;
                }
                Err(error) if error.is_rolled_back() => {
                    tracing::debug!(%error, limits = rows.len(), "attempts are settled later");
                    self.put_back(rows);
                    tokio::select! {
                        () = sleep(pause) => {}
                        () = self.0.hurry.notified() => {}
                    }
                    pause = (pause * 2).min(LONGEST_PAUSE);
                }
                Err(error) => {
                    tracing::warn!(%error, limits = rows.len(), "it is unknown whether attempts were given back");
                }
            }
        }
    }

    /// Takes the next rows, all of one durability; `None`: there are none, and the task ends.
    fn next(&self) -> Option<Vec<(Key, Units)>> {
        let mut waiting = self.waiting();
        let Some(first) = waiting.first() else {
            waiting.has_task = false;
            self.0.done.notify_waiters();
            return None;
        };
        let is_alike = |key: &&Key| key.0 == first.0;
        let behind = waiting.rows.range(first..).map(|(key, _)| key);
        let keys: Vec<Key> = behind.take_while(is_alike).take(MOST_AT_ONCE).copied().collect();
        waiting.tried = keys.last().copied();
        Some(keys.iter().filter_map(|key| waiting.rows.remove_entry(key)).collect())
    }

    /// Puts rows back that were not settled, apart from those that were tried for too long.
    fn put_back(&self, rows: Vec<(Key, Units)>) {
        let all = rows.len();
        let late: Vec<_> =
            rows.into_iter().filter(|(_, units)| units.since.elapsed() < PATIENCE).collect();
        if late.len() < all {
            tracing::warn!(
                limits = all - late.len(),
                "the database is away for too long: attempts that were not guesses stay used"
            );
        }
        let mut waiting = self.waiting();
        for (key, units) in late {
            waiting.add(key, units);
        }
    }

    async fn settle(&self, rows: &[(Key, Units)]) -> StoreResult<()> {
        let row = |((_, scope, mac, start), units): &(Key, Units)| AttemptRow {
            scope,
            mac: *mac,
            start: *start,
            units: units.released,
            decided: units.decided,
        };
        let Some(((reserved, ..), _)) = rows.first() else { return Ok(()) };
        let rows: Vec<AttemptRow> = rows.iter().map(row).collect();
        let mut begun = self.0.store.begin().await?;
        let settled = settle_in(begun.conn(), *reserved, &rows).await;
        begun.end(settled).await
    }
}

/// The running task. If it is dropped before its end, by a panic or with its runtime, nobody waits for it, and the next
/// rows start another task, which settles those that still wait, too.
struct RunningTask {
    attempts: UnsettledAttempts,
    has_ended: bool,
}

impl RunningTask {
    async fn run(mut self) {
        self.attempts.settle_all().await;
        self.has_ended = true;
    }
}

impl Drop for RunningTask {
    fn drop(&mut self) {
        if !self.has_ended {
            self.attempts.waiting().has_task = false;
            self.attempts.0.done.notify_waiters();
        }
    }
}

/// Settles rows, unless a crash may have lost their reservations.
async fn settle_in(
    conn: &mut Connection,
    reserved: Durability,
    rows: &[AttemptRow],
) -> StoreResult<()> {
    let release = match reserved {
        Durability::OnDisk => Release::All,
        Durability::OfEpoch(epoch) => {
            if epoch.is_none() || attempts::find_epoch(conn).await? != epoch {
                tracing::warn!(
                    limits = rows.len(),
                    "Postgres has crashed since attempts were reserved: those that were not decided stay used"
                );
                return Ok(());
            }
            Release::Reserved
        }
    };
    Ok(attempts::settle_rows(conn, rows, release, Flush::AsBegun).await?)
}

impl Waiting {
    /// The row to begin with; `None`: there are none.
    fn first(&self) -> Option<Key> {
        let mut behind = self
            .tried
            .into_iter()
            .flat_map(|tried| self.rows.range((Bound::Excluded(tried), Bound::Unbounded)));
        let first = behind.next().or_else(|| self.rows.first_key_value());
        first.map(|(key, _)| *key)
    }

    fn add(&mut self, key: Key, added: Units) {
        if let Some(units) = self.rows.get_mut(&key) {
            units.released = units.released.saturating_add(added.released);
            units.decided = units.decided.saturating_add(added.decided);
        } else if self.rows.len() < MOST_ROWS {
            self.rows.insert(key, added);
        } else {
            tracing::warn!(
                scope = key.1,
                "too many attempts wait to be given back: those of a limit stay used"
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt as _;

    use super::*;
    use crate::store::StoreSettings;

    fn row(mac: u8, units: u32) -> AttemptRow {
        let start = DateTime::UNIX_EPOCH;
        AttemptRow { scope: "serial_account", mac: [mac; 16], start, units, decided: 0 }
    }

    const UNKNOWN: Durability = Durability::OfEpoch(None);

    /// Attempts in a database that does not exist.
    fn without_database() -> UnsettledAttempts {
        let settings = StoreSettings::new("postgres://nobody@127.0.0.1:1/nothing".to_owned());
        UnsettledAttempts::new(Store::new(&settings).unwrap())
    }

    /// A task that ends early would otherwise be waited for at each stop, and no other would begin.
    #[tokio::test]
    async fn a_task_that_is_dropped_is_followed_by_another_one() {
        let attempts = without_database();
        attempts.waiting().has_task = true;
        attempts.add([row(1, 2)], UNKNOWN);
        let task = RunningTask { attempts: attempts.clone(), has_ended: false };
        let mut stop = Box::pin(attempts.wait_until_empty());
        assert!(stop.as_mut().now_or_never().is_none(), "it waits for the task");
        drop(task.run());
        stop.await;
        assert!(!attempts.waiting().has_task);
        attempts.add([row(2, 1)], UNKNOWN);
        assert!(attempts.waiting().has_task, "a task begins");
        assert_eq!(attempts.rows(), [(UNKNOWN, 1, 2, 0), (UNKNOWN, 2, 1, 0)], "nothing is lost");
    }

    /// A release of an earlier epoch is not added to those of the present one.
    #[tokio::test]
    async fn units_of_one_limit_are_told_apart_by_epoch() {
        let attempts = without_database();
        let epoch = |number| Durability::OfEpoch(Some(Epoch(uuid::Uuid::from_u128(number))));
        attempts.waiting().has_task = true;
        attempts.add([row(1, 2)], epoch(1));
        attempts.add([row(1, 3)], epoch(2));
        attempts.add([row(1, 4)], epoch(1));
        attempts.add([row(1, 1)], Durability::OnDisk);
        let on_disk = (Durability::OnDisk, 1, 1, 0);
        assert_eq!(attempts.rows(), [on_disk, (epoch(1), 1, 6, 0), (epoch(2), 1, 3, 0)]);
        let keys = |rows: Vec<(Key, Units)>| rows.iter().map(|(key, _)| key.0).collect::<Vec<_>>();
        let first = attempts.next().map(keys);
        assert_eq!(first, Some(vec![Durability::OnDisk]), "one transaction for each");
    }

    fn key(mac: [u8; 16]) -> Key {
        (UNKNOWN, "serial_account", mac, DateTime::UNIX_EPOCH)
    }

    fn units(released: u32) -> Units {
        Units { released, decided: 1, since: Instant::now() }
    }

    #[test]
    fn units_of_one_limit_are_added_up() {
        let mut waiting = Waiting::default();
        for (mac, released) in [(1, 2), (2, 5), (1, 3)] {
            waiting.add(key([mac; 16]), units(released));
        }
        let units: Vec<_> =
            waiting.rows.values().map(|units| (units.released, units.decided)).collect();
        assert_eq!(units, [(5, 2), (5, 1)]);
    }

    #[test]
    fn the_number_of_limits_is_bounded() {
        let mut waiting = Waiting::default();
        for number in 0..=u128::try_from(MOST_ROWS).unwrap() {
            waiting.add(key(number.to_be_bytes()), units(1));
        }
        assert_eq!(waiting.rows.len(), MOST_ROWS);
        waiting.add(key([0; 16]), units(1));
        assert_eq!(waiting.rows[&key([0; 16])].released, 2);
    }
}
