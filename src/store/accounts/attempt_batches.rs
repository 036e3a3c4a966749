//! Reserves and releases attempts of many requests in batches: one commit serves all requests of the process that
//! arrived during the previous commit. So an account or network with many submissions does not wait, commit by commit,
//! for the lock of its own row.
//!
//! The guarantees are those of [`attempts`]: a unit is committed before the secret is looked at, and on the disk before a
//! client learns the result; a limit is never exceeded, whatever number of requests and instances reserve at the same time. A unit that one request of a batch
//! releases may go to another request of the batch; it stays reserved in the database. When a request ends before it
//! receives its reservation, its units are released.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use tokio::sync::oneshot;

use super::attempts::{self, AttemptRow, AttemptSubject, Flush};
use crate::store::db::batch_queue::{BatchQueue, BatchWorker};
use crate::store::{Store, StoreError, StoreResult};

/// How many units were reserved, and, if fewer than wanted, the subject whose limit is reached.
pub type Taken = (u32, Option<AttemptSubject>);

/// The queue of attempts to reserve and release; one per process, shared by its worker threads.
#[derive(Clone)]
pub struct AttemptBatches {
    orders: BatchQueue<AttemptJob>,
    /// For the task that processes the queue.
    store: Store,
}

/// A request to reserve or release attempts.
pub(in crate::store) struct AttemptJob {
    subjects: Vec<AttemptSubject>,
    at: DateTime<Utc>,
    units: u32,
    answer: Answer,
}

enum Answer {
    Taken(oneshot::Sender<StoreResult<Reservation>>),
    GivenBack(oneshot::Sender<StoreResult<()>>),
}

/// Units that were reserved for a request and are being sent to it. If this is dropped before it arrives, the units are
/// released.
struct Reservation {
    taken: Taken,
    subjects: Vec<AttemptSubject>,
    at: DateTime<Utc>,
    batches: AttemptBatches,
    arrived: bool,
}

impl Reservation {
    fn accept(mut self) -> Taken {
        self.arrived = true;
        self.taken
    }
}

impl Drop for Reservation {
    fn drop(&mut self) {
        let (units, _) = self.taken;
        if !self.arrived && units > 0 {
            let (answer, _) = oneshot::channel();
            let (subjects, answer) =
                (std::mem::take(&mut self.subjects), Answer::GivenBack(answer));
            self.batches.push(AttemptJob { subjects, at: self.at, units, answer });
        }
    }
}

impl AttemptBatches {
    /// Attempts in the database of `store`, which must have its own connections. Must be called in a tokio runtime that
    /// outlives all requests.
    pub fn new(store: Store) -> Self {
        Self { orders: BatchQueue::new(), store }
    }

    /// Reserves up to `wanted` units of each of the distinct subjects, as far as all limits allow; committed when this
    /// returns.
    pub async fn reserve_up_to(
        &self,
        store: &Store,
        subjects: &[AttemptSubject],
        wanted: u32,
        at: DateTime<Utc>,
    ) -> StoreResult<Taken> {
        if wanted == 0 {
            return Ok((0, None));
        }
        let (answer, receiver) = oneshot::channel();
        let answer = Answer::Taken(answer);
        self.push(AttemptJob { subjects: subjects.to_vec(), at, units: wanted, answer });
        Ok(store.wait_for(receive(receiver)).await?.accept())
    }

    /// Releases `units` of each subject, after correct attempts. `reserved_at` is the time given to
    /// [`Self::reserve_up_to`].
    pub async fn release(
        &self,
        store: &Store,
        subjects: &[AttemptSubject],
        units: u32,
        reserved_at: DateTime<Utc>,
    ) -> StoreResult<()> {
        if units == 0 {
            return Ok(());
        }
        let (answer, receiver) = oneshot::channel();
        let answer = Answer::GivenBack(answer);
        self.push(AttemptJob { subjects: subjects.to_vec(), at: reserved_at, units, answer });
        store.wait_for(receive(receiver)).await
    }

    /// Waits until the queue is empty.
    pub(in crate::store) async fn wait_until_empty(&self) {
        self.orders.wait_until_empty().await;
    }

    fn push(&self, order: AttemptJob) {
        self.orders.push(order, self);
    }
}

impl BatchWorker for AttemptBatches {
    type Job = AttemptJob;

    /// Most orders in a batch: its rows are locked until it is committed.
    const MAX_BATCH: usize = 200;

    async fn work(&self, orders: Vec<AttemptJob>) {
        settle(self, orders).await;
    }
}

async fn receive<T>(answer: oneshot::Receiver<StoreResult<T>>) -> StoreResult<T> {
    answer
        .await
        .unwrap_or_else(|_| Err(StoreError::Unavailable("attempts were not counted".into())))
}

/// Copies an error for several requests of a failed batch.
fn shared(error: &StoreError) -> StoreError {
    StoreError::Unavailable(format!("attempts were not counted: {error}"))
}

/// A row of `attempts`: scope, subject, beginning of the window.
type Key = (&'static str, [u8; 16], DateTime<Utc>);

fn key(subject: &AttemptSubject, at: DateTime<Utc>) -> Key {
    (subject.scope.as_str(), subject.mac, subject.limit.window_start(at))
}

/// The units of one row in a batch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Stock {
    limit: u32,
    wanted: u32,
    /// Committed units that no request has: released in this batch, or reserved by it.
    at_hand: u32,
}

impl Stock {
    /// Released units that no request wants.
    fn spare(self) -> u32 {
        self.at_hand.saturating_sub(self.wanted)
    }

    /// Units that must be reserved in the database; at most what the limit leaves.
    fn missing(self) -> u32 {
        self.wanted.saturating_sub(self.at_hand).min(self.limit)
    }
}

type Stocks = BTreeMap<Key, Stock>;

fn stocks(orders: &[AttemptJob]) -> Stocks {
    let mut stocks = Stocks::new();
    for order in orders {
        let abandoned = matches!(&order.answer, Answer::Taken(answer) if answer.is_closed());
        for subject in &order.subjects {
            let stock = stocks.entry(key(subject, order.at)).or_default();
            stock.limit = subject.limit.limit;
            match order.answer {
                Answer::Taken(_) if abandoned => {}
                Answer::Taken(_) => stock.wanted = stock.wanted.saturating_add(order.units),
                Answer::GivenBack(_) => stock.at_hand = stock.at_hand.saturating_add(order.units),
            }
        }
    }
    stocks
}

/// Distributes the units in the order of the requests: each gets the smallest number that is left of any of its
/// subjects, and takes the same number of all of them.
fn hand_out(stocks: &mut Stocks, orders: &[AttemptJob]) -> Vec<Taken> {
    let hand_out = |order: &AttemptJob| {
        let Answer::Taken(answer) = &order.answer else { return (0, None) };
        if answer.is_closed() {
            return (0, None);
        }
        let mut short = None;
        let mut units = order.units;
        for subject in &order.subjects {
            let at_hand = stocks.get(&key(subject, order.at)).map_or(0, |stock| stock.at_hand);
            if at_hand < units {
                (units, short) = (at_hand, Some(*subject));
            }
        }
        for subject in &order.subjects {
            if let Some(stock) = stocks.get_mut(&key(subject, order.at)) {
                stock.at_hand -= units;
            }
        }
        (units, short)
    };
    orders.iter().map(hand_out).collect()
}

fn rows(stocks: &Stocks, units: impl Fn(Stock) -> u32) -> Vec<AttemptRow> {
    let row = |(key, stock): (&Key, &Stock)| {
        let (scope, mac, start) = *key;
        AttemptRow { scope, mac, start, units: units(*stock) }
    };
    stocks.iter().map(row).filter(|row| row.units > 0).collect()
}

async fn settle(batches: &AttemptBatches, orders: Vec<AttemptJob>) {
    let store = &batches.store;
    let mut stocks = stocks(&orders);
    let spare = rows(&stocks, Stock::spare);
    for stock in stocks.values_mut() {
        stock.at_hand -= stock.spare();
    }
    let promised = rows(&stocks, |stock| stock.at_hand);
    // The two statements concern different rows, so neither waits for the other.
    let (taken, mut released) =
        tokio::join!(take(store, &mut stocks, &orders), release(store, &spare));
    if taken.is_err() {
        // Units that one request released and that were promised to another one.
        released = released.and(release(store, &promised).await);
    } else if released.is_ok() {
        // Units that one request released and that no other request wanted after all.
        released = release(store, &rows(&stocks, |stock| stock.at_hand)).await;
    }
    let mut taken = taken.map(Vec::into_iter);
    for order in orders {
        let taken = match &mut taken {
            Ok(taken) => Ok(taken.next().unwrap_or_default()),
            Err(error) => Err(shared(error)),
        };
        match order.answer {
            Answer::GivenBack(answer) => {
                let released = released.as_ref().map_err(shared).copied();
                let _ = answer.send(released);
            }
            Answer::Taken(answer) => {
                let (subjects, at, batches) = (order.subjects, order.at, batches.clone());
                let delivery = |taken| Reservation { taken, subjects, at, batches, arrived: false };
                let _ = answer.send(taken.map(delivery));
            }
        }
    }
}

async fn release(store: &Store, rows: &[AttemptRow]) -> StoreResult<()> {
    if rows.is_empty() {
        return Ok(());
    }
    attempts::release_rows(&mut *store.connection().await?, rows, Flush::Later).await
}

/// Reserves the missing units in the database, and commits before the requests continue. Units beyond the limits,
/// or that no request can use, are not reserved.
async fn take(
    store: &Store,
    stocks: &mut Stocks,
    orders: &[AttemptJob],
) -> StoreResult<Vec<Taken>> {
    let missing = rows(stocks, Stock::missing);
    if missing.is_empty() {
        return Ok(hand_out(stocks, orders));
    }
    let mut begun = store.begin().await?;
    let result = take_in(&mut begun, stocks, orders, &missing).await;
    begun.end(result).await
}

async fn take_in(
    begun: &mut crate::store::db::pool::OpenTransaction,
    stocks: &mut Stocks,
    orders: &[AttemptJob],
    missing: &[AttemptRow],
) -> StoreResult<Vec<Taken>> {
    let used = attempts::take_rows(begun.conn(), missing).await?;
    let mut too_many = BTreeMap::new();
    for (row, used) in missing.iter().zip(used) {
        let key = (row.scope, row.mac, row.start);
        if let Some(stock) = stocks.get_mut(&key) {
            let over = used.saturating_sub(stock.limit).min(row.units);
            stock.at_hand += row.units - over;
            too_many.insert(key, over);
        }
    }
    let taken = hand_out(stocks, orders);
    // A refused request reserves nothing; otherwise a flood of refused requests would use up the units that others
    // share. All these rows are locked already.
    let mut left = Vec::new();
    for row in missing {
        let key = (row.scope, row.mac, row.start);
        if let Some(stock) = stocks.get_mut(&key) {
            let units = stock.at_hand + too_many.get(&key).copied().unwrap_or_default();
            stock.at_hand = 0;
            left.push(AttemptRow { units, ..*row });
        }
    }
    left.retain(|row| row.units > 0);
    if !left.is_empty() {
        attempts::release_rows(begun.conn(), &left, Flush::AsBegun).await?;
    }
    Ok(taken)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::accounts::attempts::{AttemptLimit, AttemptScope};

    fn subject(mac: u8, limit: u32) -> AttemptSubject {
        let limit = AttemptLimit { limit, window: chrono::Duration::hours(1) };
        AttemptSubject { scope: AttemptScope::SerialAccount, mac: [mac; 16], limit }
    }

    fn wants(
        subjects: &[AttemptSubject],
        units: u32,
    ) -> (AttemptJob, oneshot::Receiver<StoreResult<Reservation>>) {
        let (answer, receiver) = oneshot::channel();
        let (subjects, at, answer) =
            (subjects.to_vec(), DateTime::UNIX_EPOCH, Answer::Taken(answer));
        (AttemptJob { subjects, at, units, answer }, receiver)
    }

    fn gives(subjects: &[AttemptSubject], units: u32) -> AttemptJob {
        let (answer, _) = oneshot::channel();
        let (subjects, at, answer) =
            (subjects.to_vec(), DateTime::UNIX_EPOCH, Answer::GivenBack(answer));
        AttemptJob { subjects, at, units, answer }
    }

    #[test]
    fn released_units_go_to_others_without_the_database() {
        let (mine, yours, shared) = (subject(1, 5), subject(2, 5), subject(3, 5));
        let (order, _receiver) = wants(&[yours, shared], 2);
        let orders = [gives(&[mine, shared], 3), order];
        let stocks = stocks(&orders);
        let missing = rows(&stocks, Stock::missing);
        assert_eq!(missing.iter().map(|row| (row.mac[0], row.units)).collect::<Vec<_>>(), [(2, 2)]);
        let spare = rows(&stocks, Stock::spare);
        let spare: Vec<_> = spare.iter().map(|row| (row.mac[0], row.units)).collect();
        assert_eq!(spare, [(1, 3), (3, 1)]);
    }

    #[test]
    fn the_first_requests_get_the_rest_and_refused_ones_take_nothing() {
        let (mine, yours, shared) = (subject(1, 9), subject(2, 9), subject(3, 9));
        let (first, _first) = wants(&[mine, shared], 2);
        let (gone, dropped) = wants(&[mine, shared], 9);
        drop(dropped);
        let (second, _second) = wants(&[yours, shared], 3);
        let (third, _third) = wants(&[yours, shared], 1);
        let orders = [first, gone, second, third];
        let mut stocks = stocks(&orders);
        assert_eq!(stocks[&key(&shared, DateTime::UNIX_EPOCH)].wanted, 6, "one request has ended");
        for (of, at_hand) in [(mine, 2), (yours, 4), (shared, 4)] {
            stocks.get_mut(&key(&of, DateTime::UNIX_EPOCH)).unwrap().at_hand = at_hand;
        }
        let taken = hand_out(&mut stocks, &orders);
        assert_eq!(taken, [(2, None), (0, None), (2, Some(shared)), (0, Some(shared))]);
        assert_eq!(stocks[&key(&yours, DateTime::UNIX_EPOCH)].at_hand, 2, "for other requests");
    }
}
