//! Reserves and releases attempts of many requests in batches: one commit serves all requests of the process that
//! arrived during the previous commit. So an account or network with many submissions does not wait, commit by commit,
//! for the lock of its own row.
//!
//! The guarantees are those of [`attempts`]: a unit is committed before the secret is looked at, and on the disk before a
//! client learns the result; a limit is never exceeded, whatever number of requests and instances reserve at the same time. A unit that one request of a batch
//! releases may go to another request of the batch; it stays reserved in the database. When a request ends before it
//! receives its reservation, its units are released.
//!
//! Units that are reserved for attempts which are not decided yet are told apart from those of guesses, so that a request
//! that finds none learns whether some may be released in a moment ([`Shortage`]). What cannot be released because the
//! database is not there is released later ([`UnsettledAttempts`]).

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use chrono::{DateTime, Utc};
use tokio::sync::oneshot;
use tokio::time::timeout;

use super::attempts::{
    self, AttemptRow, AttemptSubject, Epoch, Flush, FullSubject, Release, Shortage, WantedUnits,
};
use super::unsettled_attempts::{Durability, UnsettledAttempts};
use crate::store::db::batch_queue::{BatchQueue, BatchWorker};
use crate::store::db::error::is_refused;
use crate::store::{OpenTransaction, Store, StoreError, StoreResult};

/// Longest wait for attempts that are not settled yet when the process stops.
const STOP: Duration = Duration::from_secs(5);

/// How many units a request gets, and, if fewer than wanted, why.
type Share = (u32, Option<Shortage>);

/// Units that were reserved for a request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Taken {
    /// How many.
    pub units: u32,
    /// Why they are fewer than wanted.
    pub short: Option<Shortage>,
    /// The epoch in which they were reserved.
    pub epoch: Option<Epoch>,
}

/// What became of the units of decided attempts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SettledUnits {
    /// Units that are released.
    pub released: u32,
    /// Units that stay used.
    pub used: u32,
}

/// The queue of attempts to reserve and release; one per process, shared by its worker threads.
#[derive(Clone)]
pub struct AttemptBatches {
    orders: BatchQueue<AttemptJob>,
    /// Attempts that were taken alone. They have a queue of their own, because nobody may take their units before a commit.
    returned: BatchQueue<ReturnJob>,
    unsettled: UnsettledAttempts,
    /// The epoch of the last reservation.
    epoch: Arc<Mutex<Option<Epoch>>>,
    /// For the tasks that process the queues.
    store: Store,
}

/// A request to reserve or release attempts.
pub(in crate::store) struct AttemptJob {
    subjects: Vec<AttemptSubject>,
    at: DateTime<Utc>,
    /// Units to reserve, or to release.
    units: u32,
    /// Reserved units that stay used.
    decided: u32,
    /// The epoch in which the units to release were reserved.
    epoch: Option<Epoch>,
    answer: Answer,
}

/// A request to give back an attempt that was taken alone: a unit of each row.
struct ReturnJob {
    rows: Vec<Key>,
    answer: oneshot::Sender<StoreResult<()>>,
}

enum Answer {
    Taken(oneshot::Sender<StoreResult<Reservation>>),
    Settled(oneshot::Sender<StoreResult<()>>),
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
        let Taken { units, epoch, .. } = self.taken;
        if !self.arrived && units > 0 {
            let subjects = std::mem::take(&mut self.subjects);
            let settled = SettledUnits { released: units, used: 0 };
            let (job, _) = AttemptJob::settle(subjects, settled, self.at, epoch);
            self.batches.push([job]);
        }
    }
}

impl AttemptJob {
    fn take(
        subjects: Vec<AttemptSubject>,
        units: u32,
        at: DateTime<Utc>,
    ) -> (Self, oneshot::Receiver<StoreResult<Reservation>>) {
        let (answer, receiver) = oneshot::channel();
        let answer = Answer::Taken(answer);
        (Self { subjects, at, units, decided: 0, epoch: None, answer }, receiver)
    }

    fn settle(
        subjects: Vec<AttemptSubject>,
        SettledUnits { released: units, used: decided }: SettledUnits,
        at: DateTime<Utc>,
        epoch: Option<Epoch>,
    ) -> (Self, oneshot::Receiver<StoreResult<()>>) {
        let (answer, receiver) = oneshot::channel();
        let answer = Answer::Settled(answer);
        (Self { subjects, at, units, decided, epoch, answer }, receiver)
    }

    /// Whether it settles units of another epoch than `known`, the latest known one. Perhaps Postgres has lost their
    /// reservation: then their release would be one of a guess.
    fn is_of_another_epoch(&self, known: Option<Epoch>) -> bool {
        let is_settled = matches!(self.answer, Answer::Settled(_)) && self.units + self.decided > 0;
        is_settled && (self.epoch.is_none() || self.epoch != known)
    }
}

impl AttemptBatches {
    /// Attempts in the database of `store`, which must have its own connections. Must be called in a tokio runtime that
    /// outlives all requests.
    pub fn new(store: Store) -> Self {
        let unsettled = UnsettledAttempts::new(store.clone());
        let (orders, returned) = (BatchQueue::new(), BatchQueue::new());
        Self { orders, returned, unsettled, epoch: Arc::default(), store }
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
            return Ok(Taken::default());
        }
        let (job, receiver) = AttemptJob::take(subjects.to_vec(), wanted, at);
        self.push([job]);
        Ok(store.wait_for(receive(receiver)).await?.accept())
    }

    /// Settles units of each subject, which were reserved in this epoch, and reserves up to `wanted` others, in the same
    /// step: what is released need not be written and reserved again.
    pub async fn settle_and_reserve_up_to(
        &self,
        store: &Store,
        subjects: &[AttemptSubject],
        settled: SettledUnits,
        wanted: u32,
        at: DateTime<Utc>,
        epoch: Option<Epoch>,
    ) -> StoreResult<Taken> {
        let (settle, _) = AttemptJob::settle(subjects.to_vec(), settled, at, epoch);
        let (take, receiver) = AttemptJob::take(subjects.to_vec(), wanted, at);
        self.push([settle, take]);
        Ok(store.wait_for(receive(receiver)).await?.accept())
    }

    /// Settles reserved units of each subject. `reserved_at` is the time given to [`Self::reserve_up_to`], `epoch` the one
    /// of the reservation: nothing is settled if Postgres has crashed since. If it fails because the database is not
    /// there, it is tried again later.
    pub async fn settle(
        &self,
        store: &Store,
        subjects: &[AttemptSubject],
        settled: SettledUnits,
        reserved_at: DateTime<Utc>,
        epoch: Option<Epoch>,
    ) -> StoreResult<()> {
        if settled == SettledUnits::default() {
            return Ok(());
        }
        let (job, receiver) = AttemptJob::settle(subjects.to_vec(), settled, reserved_at, epoch);
        self.push([job]);
        store.wait_for(receive(receiver)).await
    }

    /// Returns a unit of each subject to limits from which it was taken alone, not in a batch ([`attempts::reserve`]).
    /// `reserved_at` is the `now` given there. If it fails because the database is not there, it is tried again later. It
    /// goes on if the future is dropped, and its time is no part of the request's budget, which may be used up.
    ///
    /// Requests of one network return units of the same row: together, so that they do not wait for each other with a
    /// connection each.
    pub async fn give_back(
        &self,
        subjects: &[AttemptSubject],
        reserved_at: DateTime<Utc>,
    ) -> StoreResult<()> {
        let rows = subjects.iter().map(|subject| key(subject, reserved_at)).collect();
        let (answer, given_back) = oneshot::channel();
        self.returned.push([ReturnJob { rows, answer }], &Returns(self.clone()));
        given_back.await.unwrap_or_else(|_| {
            tracing::error!("giving back attempts has failed: they stay used");
            Err(StoreError::Unavailable("an attempt was not given back".to_owned()))
        })
    }

    /// The epoch of the last reservation.
    fn epoch(&self) -> Option<Epoch> {
        *self.lock_epoch()
    }

    fn lock_epoch(&self) -> MutexGuard<'_, Option<Epoch>> {
        self.epoch.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Like [`Self::settle`], without waiting: after a failure of the database, which may not be there. Nothing is
    /// released if Postgres has crashed since `epoch`, the one of the reservation.
    pub fn settle_later(
        &self,
        subjects: &[AttemptSubject],
        SettledUnits { released: units, used: decided }: SettledUnits,
        reserved_at: DateTime<Utc>,
        epoch: Option<Epoch>,
    ) {
        let row = |subject: &AttemptSubject| {
            let (scope, mac, start) = key(subject, reserved_at);
            AttemptRow { scope, mac, start, units, decided }
        };
        self.unsettled.add(subjects.iter().map(row), Durability::OfEpoch(epoch));
    }

    /// Waits until all attempts are settled, for a few seconds at most: before the process stops.
    pub async fn finish(&self) {
        let all = async {
            self.orders.wait_until_empty().await;
            self.returned.wait_until_empty().await;
            // Last: what the queues could not settle is added here.
            self.unsettled.wait_until_empty().await;
        };
        if timeout(STOP, all).await.is_err() {
            tracing::warn!(
                "stopped before all attempts were given back: those of the last requests stay used"
            );
        }
    }

    /// Waits until the queue is empty.
    pub(in crate::store) async fn wait_until_empty(&self) {
        self.orders.wait_until_empty().await;
    }

    fn push(&self, jobs: impl IntoIterator<Item = AttemptJob>) {
        self.orders.push(jobs, self);
    }

    /// Settles rows whose units were reserved in this epoch in one statement, without a transaction around it. What
    /// certainly was not written is tried again later.
    async fn settle_rows(&self, rows: &[AttemptRow], epoch: Option<Epoch>) -> StoreResult<()> {
        let Some(present) = epoch.filter(|_| !rows.is_empty()) else { return Ok(()) };
        let release = Release::ReservedIn(present);
        let settled = match self.store.connection().await {
            Ok(mut conn) => {
                match attempts::settle_rows(&mut conn, rows, release, Flush::Later).await {
                    Ok(()) => Ok(()),
                    Err(error) if is_refused(&error) => Err(StoreError::from(error)),
                    Err(error) => Err(StoreError::from(error).unclear()),
                }
            }
            Err(error) => Err(error),
        };
        if let Err(error) = &settled {
            self.settle_again(rows, Durability::OfEpoch(epoch), error);
        }
        settled
    }

    /// Settles rows later, if it is certain that they were not settled by the work that failed with this error.
    fn settle_again(&self, rows: &[AttemptRow], reserved: Durability, error: &StoreError) {
        if error.is_rolled_back() {
            self.unsettled.add(rows.iter().copied(), reserved);
        } else if !rows.is_empty() {
            // Perhaps they were released: a second release would be a guess too many.
            tracing::warn!(%error, limits = rows.len(), "it is unknown whether attempts were given back");
        }
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

/// Gives back attempts that were taken alone.
#[derive(Clone)]
struct Returns(AttemptBatches);

impl BatchWorker for Returns {
    type Job = ReturnJob;

    /// Most attempts of a transaction: their rows are locked until it is committed.
    const MAX_BATCH: usize = 50;

    async fn work(&self, jobs: Vec<ReturnJob>) {
        let Self(batches) = self;
        let rows = returned_rows(&jobs);
        let released = release_all(&batches.store, &rows).await;
        if let Err(error) = &released {
            batches.settle_again(&rows, Durability::OnDisk, error);
        }
        for job in jobs {
            let released = released.as_ref().map_err(shared).copied();
            // Whoever waited may have given up.
            let _ = job.answer.send(released);
        }
    }
}

/// The units that these jobs give back, with each row once.
fn returned_rows(jobs: &[ReturnJob]) -> Vec<AttemptRow> {
    let mut units = BTreeMap::<Key, u32>::new();
    for key in jobs.iter().flat_map(|job| &job.rows) {
        *units.entry(*key).or_default() += 1;
    }
    let row = |((scope, mac, start), units)| AttemptRow { scope, mac, start, units, decided: 0 };
    units.into_iter().map(row).collect()
}

/// Releases the units of rows in a transaction: so it is known whether a failure wrote something.
async fn release_all(store: &Store, rows: &[AttemptRow]) -> StoreResult<()> {
    let mut begun = store.begin().await?;
    let released = attempts::settle_rows(begun.conn(), rows, Release::All, Flush::AsBegun).await;
    begun.end(released.map_err(StoreError::from)).await
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
    /// Units of guesses, which stay used.
    decided: u32,
    /// When units were reserved last, if some are reserved for attempts that are not decided yet. Known only for rows of
    /// which this batch takes units.
    in_flight_since: Option<DateTime<Utc>>,
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

    /// Whether units may be released in a moment.
    fn is_in_flight(self, at: DateTime<Utc>) -> bool {
        attempts::is_in_flight(self.in_flight_since, at)
    }

    /// Units to release, and decided ones, of a row of which no unit must be taken. The two are written together.
    fn settled(self) -> (u32, u32) {
        if self.missing() == 0 { (self.spare(), self.decided) } else { (0, 0) }
    }
}

type Stocks = BTreeMap<Key, Stock>;

/// The units of each row; without those to settle that were reserved in another epoch than `known`.
fn stocks(orders: &[AttemptJob], known: Option<Epoch>) -> Stocks {
    let mut stocks = Stocks::new();
    for order in orders.iter().filter(|order| !order.is_of_another_epoch(known)) {
        let abandoned = matches!(&order.answer, Answer::Taken(answer) if answer.is_closed());
        for subject in &order.subjects {
            let stock = stocks.entry(key(subject, order.at)).or_default();
            stock.limit = subject.limit.limit;
            match order.answer {
                Answer::Taken(_) if abandoned => {}
                Answer::Taken(_) => stock.wanted = stock.wanted.saturating_add(order.units),
                Answer::Settled(_) => {
                    stock.at_hand = stock.at_hand.saturating_add(order.units);
                    stock.decided = stock.decided.saturating_add(order.decided);
                }
            }
        }
    }
    stocks
}

/// Distributes the units in the order of the requests: each gets the smallest number that is left of any of its
/// subjects, and takes the same number of all of them.
fn hand_out(stocks: &mut Stocks, orders: &[AttemptJob]) -> Vec<Share> {
    let hand_out = |order: &AttemptJob| {
        let Answer::Taken(answer) = &order.answer else { return (0, None) };
        if answer.is_closed() {
            return (0, None);
        }
        let stock = |subject: &AttemptSubject| {
            stocks.get(&key(subject, order.at)).copied().unwrap_or_default()
        };
        let least = order.subjects.iter().map(|subject| stock(subject).at_hand).min();
        let units = least.map_or(order.units, |least| least.min(order.units));
        let full = |subject: &AttemptSubject| {
            let stock = stock(subject);
            let is_in_flight = stock.is_in_flight(order.at);
            (stock.at_hand == units).then_some(FullSubject { subject: *subject, is_in_flight })
        };
        let short = (units < order.units).then(|| {
            let full: Vec<FullSubject> = order.subjects.iter().filter_map(full).collect();
            Shortage::of(&full, order.at)
        });
        let short = short.flatten();
        for subject in &order.subjects {
            if let Some(stock) = stocks.get_mut(&key(subject, order.at)) {
                stock.at_hand -= units;
            }
        }
        (units, short)
    };
    orders.iter().map(hand_out).collect()
}

/// Rows with units to take or to release, and decided ones; without rows that have neither.
fn rows(stocks: &Stocks, units: impl Fn(Stock) -> (u32, u32)) -> Vec<AttemptRow> {
    let row = |(key, stock): (&Key, &Stock)| {
        let (scope, mac, start) = *key;
        let (units, decided) = units(*stock);
        AttemptRow { scope, mac, start, units, decided }
    };
    stocks.iter().map(row).filter(|row| row.units > 0 || row.decided > 0).collect()
}

async fn settle(batches: &AttemptBatches, orders: Vec<AttemptJob>) {
    let known = batches.epoch();
    let lost = orders.iter().filter(|order| order.is_of_another_epoch(known)).count();
    if lost > 0 {
        tracing::warn!(
            requests = lost,
            "Postgres has crashed since attempts were reserved: those that were not decided stay used"
        );
    }
    let mut stocks = stocks(&orders, known);
    let settled = rows(&stocks, Stock::settled);
    for stock in stocks.values_mut() {
        stock.at_hand -= stock.spare();
    }
    let promised =
        rows(&stocks, |stock| (stock.at_hand, if stock.missing() > 0 { stock.decided } else { 0 }));
    // The two statements concern different rows, so neither waits for the other.
    let (taken, mut released) = tokio::join!(
        take(batches, &mut stocks, &orders, known),
        batches.settle_rows(&settled, known)
    );
    if let Err(error) = &taken {
        // Units that one request released and that were promised to another one.
        batches.settle_again(&promised, Durability::OfEpoch(known), error);
    }
    if taken.is_ok() {
        // Units that one request released and that no other request wanted after all.
        let unwanted = rows(&stocks, |stock| (stock.at_hand, 0));
        released = released.and(batches.settle_rows(&unwanted, known).await);
    }
    let mut taken = taken.map(|(shares, epoch)| (shares.into_iter(), epoch));
    for order in orders {
        let taken = match &mut taken {
            Ok((shares, epoch)) => {
                let (units, short) = shares.next().unwrap_or_default();
                Ok(Taken { units, short, epoch: *epoch })
            }
            Err(error) => Err(shared(error)),
        };
        match order.answer {
            Answer::Settled(answer) => {
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

/// Reserves the missing units in the database, and commits before the requests continue. Units beyond the limits,
/// or that no request can use, are not reserved. Returns also the epoch of all units that are handed out.
async fn take(
    batches: &AttemptBatches,
    stocks: &mut Stocks,
    orders: &[AttemptJob],
    known: Option<Epoch>,
) -> StoreResult<(Vec<Share>, Option<Epoch>)> {
    let missing: Vec<WantedUnits> = stocks.iter().filter_map(wanted_units).collect();
    if missing.is_empty() {
        return Ok((hand_out(stocks, orders), known));
    }
    let mut begun = batches.store.begin().await?;
    let result = take_in(&mut begun, stocks, orders, &missing, known).await;
    let (taken, epoch) = begun.end(result).await?;
    *batches.lock_epoch() = Some(epoch);
    Ok((taken, Some(epoch)))
}

/// The units of a row that must be reserved in the database, together with its decided ones.
fn wanted_units((key, stock): (&Key, &Stock)) -> Option<WantedUnits> {
    let (scope, mac, start) = *key;
    let (units, decided) = (stock.missing(), stock.decided);
    let row = AttemptRow { scope, mac, start, units, decided };
    let below = if stock.at_hand > 0 { u32::MAX } else { stock.limit };
    (units > 0).then_some(WantedUnits { row, below })
}

async fn take_in(
    begun: &mut OpenTransaction,
    stocks: &mut Stocks,
    orders: &[AttemptJob],
    missing: &[WantedUnits],
    known: Option<Epoch>,
) -> StoreResult<(Vec<Share>, Epoch)> {
    let takes = orders.iter().filter(|order| matches!(order.answer, Answer::Taken(_)));
    let at = takes.map(|order| order.at).max().unwrap_or_default();
    let states = attempts::take_rows(begun.conn(), missing, at).await?;
    let epoch = match states.first().and_then(|state| state.epoch) {
        Some(epoch) => epoch,
        None => attempts::begin_epoch(begun.conn()).await?,
    };
    if known != Some(epoch) {
        withhold_lost(stocks, at);
    }
    let mut too_many = BTreeMap::new();
    for (WantedUnits { row, .. }, state) in missing.iter().zip(states) {
        let key = (row.scope, row.mac, row.start);
        if let Some(stock) = stocks.get_mut(&key) {
            let over = state.used.saturating_sub(stock.limit).min(row.units);
            stock.at_hand += row.units - over;
            stock.in_flight_since = state.reserved_at.filter(|_| state.reserved > over);
            too_many.insert(key, over);
        }
    }
    let taken = hand_out(stocks, orders);
    // A refused request reserves nothing; otherwise a flood of refused requests would use up the units that others
    // share. All these rows are locked already.
    let mut left = Vec::new();
    for WantedUnits { row, .. } in missing {
        let key = (row.scope, row.mac, row.start);
        if let Some(stock) = stocks.get_mut(&key) {
            let units = stock.at_hand + too_many.get(&key).copied().unwrap_or_default();
            stock.at_hand = 0;
            left.push(AttemptRow { units, decided: 0, ..*row });
        }
    }
    left.retain(|row| row.units > 0);
    if !left.is_empty() {
        attempts::settle_rows(begun.conn(), &left, Release::Reserved, Flush::AsBegun).await?;
    }
    Ok((taken, epoch))
}

/// Postgres has crashed since units were reserved that are being passed on: perhaps it does not count them any more. They
/// are passed on to nobody, and are not released; their requests ask again in a moment.
fn withhold_lost(stocks: &mut Stocks, at: DateTime<Utc>) {
    for stock in stocks.values_mut().filter(|stock| stock.at_hand > 0) {
        stock.at_hand = 0;
        stock.in_flight_since = Some(at);
    }
}

#[cfg(test)]
mod tests {
    use chrono::TimeDelta;
    use futures_util::FutureExt as _;

    use super::attempts::IN_FLIGHT;
    use super::*;
    use crate::domain::accounts::attempts::{AttemptLimit, AttemptScope};
    use crate::store::StoreSettings;

    fn subject(mac: u8, limit: u32) -> AttemptSubject {
        let limit = AttemptLimit { limit, window: chrono::Duration::hours(1) };
        AttemptSubject { scope: AttemptScope::SerialAccount, mac: [mac; 16], limit }
    }

    fn wants(
        subjects: &[AttemptSubject],
        units: u32,
    ) -> (AttemptJob, oneshot::Receiver<StoreResult<Reservation>>) {
        AttemptJob::take(subjects.to_vec(), units, DateTime::UNIX_EPOCH)
    }

    fn gives(subjects: &[AttemptSubject], units: u32) -> AttemptJob {
        settles(subjects, units, 0)
    }

    fn settles(subjects: &[AttemptSubject], released: u32, used: u32) -> AttemptJob {
        let settled = SettledUnits { released, used };
        AttemptJob::settle(subjects.to_vec(), settled, DateTime::UNIX_EPOCH, Some(epoch(1))).0
    }

    fn epoch(number: u128) -> Epoch {
        Epoch(uuid::Uuid::from_u128(number))
    }

    /// The units of these orders in epoch 1.
    fn stocks(orders: &[AttemptJob]) -> Stocks {
        super::stocks(orders, Some(epoch(1)))
    }

    /// Batches without a database.
    fn without_database() -> AttemptBatches {
        let settings = StoreSettings::new("postgres://nobody@127.0.0.1:1/nothing".to_owned());
        AttemptBatches::new(Store::new(&settings).unwrap())
    }

    fn used_up(subject: AttemptSubject) -> Shortage {
        Shortage { subject, may_end: false }
    }

    #[test]
    fn released_units_go_to_others_without_the_database() {
        let (mine, yours, shared) = (subject(1, 5), subject(2, 5), subject(3, 5));
        let (order, _receiver) = wants(&[yours, shared], 2);
        let orders = [gives(&[mine, shared], 3), order];
        let stocks = stocks(&orders);
        let missing = rows(&stocks, |stock| (stock.missing(), 0));
        assert_eq!(missing.iter().map(|row| (row.mac[0], row.units)).collect::<Vec<_>>(), [(2, 2)]);
        let spare = rows(&stocks, Stock::settled);
        let spare: Vec<_> = spare.iter().map(|row| (row.mac[0], row.units)).collect();
        assert_eq!(spare, [(1, 3), (3, 1)]);
    }

    /// One request settles guesses and another one reserves units of the same row.
    #[test]
    fn guesses_are_recorded_with_the_units_that_are_taken() {
        let mine = subject(1, 20);
        let settle = |released, used| settles(&[mine], released, used);
        let (order, _receiver) = wants(&[mine], 10);
        let renewed = stocks(&[settle(8, 2), order]);
        let (key, stock) = renewed.iter().next().unwrap();
        let WantedUnits { row, below } = wanted_units((key, stock)).unwrap();
        assert_eq!((row.units, row.decided, below), (2, 2, u32::MAX));
        assert!(rows(&renewed, Stock::settled).is_empty(), "one statement writes both");

        let (order, _receiver) = wants(&[mine], 10);
        let passed_on = stocks(&[settle(10, 0), order]);
        assert!(passed_on.iter().all(|row| wanted_units(row).is_none()));
        assert!(rows(&passed_on, Stock::settled).is_empty(), "nothing is written");

        let last = stocks(&[settle(1, 2)]);
        let last = rows(&last, Stock::settled);
        assert_eq!(last.iter().map(|row| (row.units, row.decided)).collect::<Vec<_>>(), [(1, 2)]);
    }

    /// A transaction that may have been committed may have released the units that it was to pass on.
    #[tokio::test]
    async fn units_are_not_released_again_after_an_unclear_commit() {
        let batches = without_database();
        let rows = rows(&stocks(&[gives(&[subject(1, 20)], 3)]), Stock::settled);
        let unclear = StoreError::Unavailable("no answer in time".to_owned()).unclear();
        let reserved = Durability::OfEpoch(Some(epoch(1)));
        batches.settle_again(&rows, reserved, &unclear);
        assert!(batches.unsettled.rows().is_empty());
        let failed = StoreError::Unavailable("no connection".to_owned());
        batches.settle_again(&rows, reserved, &failed);
        assert_eq!(batches.unsettled.rows(), [(reserved, 1, 3, 0)]);
    }

    /// Postgres updates a row only once in a statement.
    #[test]
    fn attempts_that_are_given_back_together_name_each_limit_once() {
        let (mine, yours, network) = (subject(1, 5), subject(2, 5), subject(3, 9));
        let job = |subjects: [AttemptSubject; 2]| {
            let rows = subjects.iter().map(|one| key(one, DateTime::UNIX_EPOCH)).collect();
            ReturnJob { rows, answer: oneshot::channel().0 }
        };
        let rows = returned_rows(&[job([mine, network]), job([yours, network])]);
        let units: Vec<_> = rows.iter().map(|row| (row.mac[0], row.units)).collect();
        assert_eq!(units, [(1, 1), (2, 1), (3, 2)]);
    }

    #[tokio::test]
    async fn a_stop_waits_for_attempts_that_are_given_back_without_their_request() {
        let batches = without_database();
        let mine = [subject(1, 20)];
        let given_back = batches.give_back(&mine, DateTime::UNIX_EPOCH);
        assert!(given_back.now_or_never().is_none(), "its request is broken off");
        assert!(batches.finish().now_or_never().is_none());
    }

    /// What cannot be released now is released later only in the epoch of its reservation.
    #[tokio::test]
    async fn late_releases_have_the_epoch_of_their_reservation() {
        let batches = without_database();
        let mine = subject(1, 20);
        let settled = SettledUnits { released: 2, used: 1 };
        *batches.lock_epoch() = Some(epoch(2));
        batches.settle_later(&[mine], settled, DateTime::UNIX_EPOCH, Some(epoch(1)));
        let reserved = Durability::OfEpoch(Some(epoch(1)));
        assert_eq!(batches.unsettled.rows(), [(reserved, 1, 2, 1)]);
    }

    #[test]
    fn units_of_an_earlier_epoch_are_neither_released_nor_passed_on() {
        let (mine, yours) = (subject(1, 5), subject(2, 5));
        let (order, _receiver) = wants(&[mine], 2);
        let orders = [gives(&[mine, yours], 3), order];
        for known in [None, Some(epoch(2))] {
            assert!(orders[0].is_of_another_epoch(known));
        }
        assert!(!orders.iter().any(|order| order.is_of_another_epoch(Some(epoch(1)))));
        let now = super::stocks(&orders, Some(epoch(2)));
        assert!(rows(&now, Stock::settled).is_empty());
        assert_eq!(now[&key(&mine, DateTime::UNIX_EPOCH)].missing(), 2);
    }

    /// The crash is noticed by the reservation of other units in the same batch.
    #[test]
    fn units_that_a_crash_may_have_lost_are_withheld() {
        let mine = subject(1, 5);
        let at = DateTime::UNIX_EPOCH;
        let (order, _receiver) = wants(&[mine], 2);
        let orders = [gives(&[mine], 2), order];
        let mut stocks = stocks(&orders);
        withhold_lost(&mut stocks, at);
        let shares = hand_out(&mut stocks, &orders);
        assert_eq!(shares[1], (0, Some(Shortage { subject: mine, may_end: true })));
        assert!(rows(&stocks, |stock| (stock.at_hand, 0)).is_empty(), "nothing is released");
    }

    /// Whether waiting is of use depends on all limits that leave no unit.
    #[test]
    fn a_limit_that_is_used_up_has_precedence_over_units_in_flight() {
        let (mine, shared) = (subject(1, 5), subject(2, 9));
        let at = DateTime::UNIX_EPOCH;
        let shortage = |mine_since: Option<DateTime<Utc>>, shared_since| {
            let (order, _receiver) = wants(&[mine, shared], 1);
            let orders = [order];
            let mut stocks = stocks(&orders);
            for (of, since) in [(mine, mine_since), (shared, shared_since)] {
                stocks.get_mut(&key(&of, at)).unwrap().in_flight_since = since;
            }
            hand_out(&mut stocks, &orders)[0]
        };
        let in_flight = Some(Shortage { subject: mine, may_end: true });
        assert_eq!(shortage(Some(at), Some(at)), (0, in_flight));
        assert_eq!(shortage(Some(at), None), (0, Some(used_up(shared))));
        assert_eq!(shortage(None, Some(at)), (0, Some(used_up(mine))));
        // The clock of another instance may be a little ahead; long ago, the units belong to requests that were broken off.
        assert_eq!(shortage(Some(at + TimeDelta::seconds(2)), Some(at)), (0, in_flight));
        assert_eq!(shortage(Some(at - IN_FLIGHT), Some(at)), (0, Some(used_up(mine))));
    }

    /// Who waits for the first limit only would be refused again by the second one.
    #[test]
    fn of_two_limits_that_are_used_up_the_one_that_ends_last_is_named() {
        let network = subject(1, 5);
        let mut account = subject(2, 5);
        account.limit.window = TimeDelta::days(1);
        for subjects in [[network, account], [account, network]] {
            let (order, _receiver) = wants(&subjects, 1);
            let orders = [order];
            let shares = hand_out(&mut stocks(&orders), &orders);
            assert_eq!(shares[0], (0, Some(used_up(account))));
        }
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
        assert_eq!(
            taken,
            [(2, None), (0, None), (2, Some(used_up(shared))), (0, Some(used_up(shared)))]
        );
        assert_eq!(stocks[&key(&yours, DateTime::UNIX_EPOCH)].at_hand, 2, "for other requests");
    }
}
