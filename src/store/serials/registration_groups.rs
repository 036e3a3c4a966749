//! Decides submissions of many requests in groups: one transaction and one commit for all that came while the group before them was decided. So a
//! card that many submit at once is locked once for all of them, and the cost of each submission falls with the load.
//!
//! A group waits for no lock. A submission whose copy, account, credential or card is locked is tried again with the next group, and
//! after a few tries is decided alone ([`submit`](super::submissions::submit)), where it may wait. So is every submission that a group cannot decide without waiting, and all of them when a group
//! fails: a submission is never refused because of others of its group.

use std::collections::HashSet;
use std::time::Duration;

use futures_util::future::{join_all, try_join_all};
use tokio::sync::oneshot;
use tokio::time::{sleep, timeout};

use super::registrations::{self, Claim};
use super::submissions::{self, NewSubmission, Submitted};
use super::votes;
use crate::auth::permission::{Acting, Granted, SubmitSerials};
use crate::domain::ids::SubmissionId;
use crate::store::accounts::attempt_batches::AttemptBatches;
use crate::store::card_content::submission::{MatchedCopy, find_matching_copies};
use crate::store::copies::ledger;
use crate::store::db::batch_queue::{BatchQueue, BatchWorker};
use crate::store::db::pool::OpenTransaction;
use crate::store::operations::idempotency::{self, IdempotencyClaim, IdempotentError};
use crate::store::{Connection, Store, StoreError, StoreResult};

/// How often a submission is tried with a group before it is decided alone.
const TRIES: u32 = 3;

/// Longest time that a group waits for requests that are reserving their attempts, like `commit_delay` of Postgres.
const PAUSE: Duration = Duration::from_millis(4);

/// The queue of submissions to decide; one per process, shared by its worker threads.
#[derive(Clone)]
pub struct RegistrationGroups {
    orders: BatchQueue<SubmissionJob>,
    attempts: AttemptBatches,
    /// For the task that works on them.
    store: Store,
}

/// A submission to decide, with the channel for its answer.
pub(in crate::store) struct SubmissionJob {
    by: Granted<SubmitSerials>,
    new: NewSubmission,
    key: Option<IdempotencyClaim>,
    tries: u32,
    answer: oneshot::Sender<StoreResult<Option<Submitted>>>,
}

/// How a group decided a submission.
enum Outcome {
    /// It is decided, once the transaction is committed.
    Decided(Submitted),
    /// A row that it needs is locked, or another of the group may get it: try again.
    Again,
    /// It must be decided alone.
    Alone,
}

impl RegistrationGroups {
    /// For requests that take their attempts there. No request takes the connections of `store`. Must be called in a runtime of tokio that outlives all requests.
    pub fn new(store: Store, attempts: AttemptBatches) -> Self {
        Self { orders: BatchQueue::new(), attempts, store }
    }

    /// Decides a submission together with others; `None`: nothing was done, and it must be decided alone. An attempt was reserved and committed before.
    ///
    /// Fails only when it is unknown whether the group was committed: the answer to its `COMMIT` is missing.
    pub(super) async fn submit(
        &self,
        store: &Store,
        by: &Granted<SubmitSerials>,
        new: &NewSubmission,
        key: Option<&IdempotencyClaim>,
    ) -> StoreResult<Option<Submitted>> {
        let (answer, told) = oneshot::channel();
        let order =
            SubmissionJob { by: by.clone(), new: new.clone(), key: key.cloned(), tries: 0, answer };
        self.orders.push(order, self);
        let told = async {
            told.await.unwrap_or_else(|_| {
                Err(StoreError::Unavailable("the submission was left behind".to_owned()))
            })
        };
        store.wait_for(told).await
    }
}

impl BatchWorker for RegistrationGroups {
    type Job = SubmissionJob;

    /// Their copies, accounts and cards are held until the transaction is committed.
    const MOST: usize = 64;

    /// Requests that are reserving an attempt arrive in a moment: one group costs less than two of half its size.
    async fn ready(&self) {
        let _ = timeout(PAUSE, self.attempts.wait_until_empty()).await;
    }

    async fn work(&self, mut orders: Vec<SubmissionJob>) {
        // A client that has disconnected registers nothing: it would never get the answer.
        orders.retain(|order| !order.answer.is_closed());
        if orders.is_empty() {
            return;
        }
        match decide(&self.store, &orders).await {
            Ok(outcomes) => {
                let served = orders.len();
                let mut again = Vec::new();
                for (order, outcome) in orders.into_iter().zip(outcomes) {
                    let answer = match outcome {
                        Outcome::Again if order.tries < TRIES => {
                            again.push(SubmissionJob { tries: order.tries + 1, ..order });
                            continue;
                        }
                        Outcome::Decided(submitted) => Some(submitted),
                        Outcome::Again | Outcome::Alone => None,
                    };
                    if let Err(Ok(Some(submitted))) = order.answer.send(Ok(answer)) {
                        // The request ended while it was decided.
                        submissions::record(order.by.account(), &submitted);
                    }
                }
                let held = again.len();
                self.orders.add(again);
                if held == served {
                    // Another instance is about to commit. A moment later the rest may be decided as a group, instead of one by one.
                    sleep(PAUSE).await;
                }
            }
            Err(Failed { error, nothing_done }) => {
                if nothing_done {
                    tracing::warn!(%error, submissions = orders.len(), "submissions are decided one by one");
                }
                for order in orders {
                    let answer = if nothing_done { Ok(None) } else { Err(shared(&error)) };
                    let _ = order.answer.send(answer);
                }
            }
        }
    }
}

/// Copies an error for several requests of a failed batch.
fn shared(error: &StoreError) -> StoreError {
    StoreError::Unavailable(format!("the submission was not decided: {error}"))
}

/// Why a group was not decided.
struct Failed {
    error: StoreError,
    /// It was not committed, for sure; else nobody knows.
    nothing_done: bool,
}

impl Failed {
    /// Before `COMMIT` was sent.
    fn early(error: StoreError) -> Self {
        Self { error, nothing_done: true }
    }

    /// At `COMMIT`: Postgres may have refused it, or its answer is missing.
    fn at_the_end(error: StoreError) -> Self {
        let nothing_done = matches!(error, StoreError::Fault(_)) || error.is_transient();
        Self { error, nothing_done }
    }
}

/// Decides what can be decided at once, in one transaction.
async fn decide(store: &Store, orders: &[SubmissionJob]) -> Result<Vec<Outcome>, Failed> {
    let by: Vec<&Granted<SubmitSerials>> = orders.iter().map(|order| &order.by).collect();
    let Some(at) = orders.iter().map(|order| order.new.at).max() else { return Ok(Vec::new()) };
    let (mut begun, acting) = store.begin_by_all(&by, at).await.map_err(Failed::early)?;
    let result = decide_in(&mut begun, orders, &acting).await;
    let why = if result.is_err() { Failed::early } else { Failed::at_the_end };
    begun.end(result).await.map_err(why)
}

async fn decide_in(
    begun: &mut OpenTransaction,
    orders: &[SubmissionJob],
    acting: &[Option<Acting<SubmitSerials>>],
) -> StoreResult<Vec<Outcome>> {
    let conn = begun.conn();
    let looked_up = look_up(conn, orders, acting).await?;
    let mut outcomes = Vec::with_capacity(orders.len());
    let mut claims: Vec<(usize, Claim<'_>)> = Vec::new();
    let mut codes = HashSet::new();
    for (place, (look, order)) in looked_up.iter().zip(orders).enumerate() {
        outcomes.push(match (look, &acting[place]) {
            (Lookup::Alone, _) => Outcome::Alone,
            (Lookup::Held, _) | (_, None) => Outcome::Again,
            (Lookup::Repeat(answer) | Lookup::Own(answer), _) => Outcome::Decided(answer.clone()),
            (Lookup::Found(None), _) => Outcome::Decided(Submitted::Rejected),
            (Lookup::Found(Some(copy)), Some(by)) if copy.owner_id.is_none() => {
                // The same code twice: the second is decided when the first is registered.
                if codes.insert((order.new.claim.prefix.to_string(), &copy.code_mac)) {
                    claims.push((place, Claim { by, new: &order.new, copy }));
                }
                Outcome::Again
            }
            (Lookup::Found(Some(_)), _) => Outcome::Alone,
        });
    }
    if !claims.is_empty() {
        keep_free(conn, &mut claims).await?;
        let together: Vec<Claim<'_>> = claims.iter().map(|(_, claim)| *claim).collect();
        let registered = registrations::register_held(conn, &together).await?;
        for ((place, _), registered) in claims.iter().zip(registered) {
            outcomes[*place] = registered.map_or(Outcome::Alone, Outcome::Decided);
        }
    }
    // Nothing was created under these keys: the same request finds the same answer again by itself.
    let unused =
        orders.iter().zip(&looked_up).zip(&outcomes).filter_map(|((order, look), outcome)| {
            let created = matches!(outcome, Outcome::Decided(Submitted::Registered { .. }));
            let claimed = matches!(look, Lookup::Found(_) | Lookup::Own(_));
            order.key.as_ref().filter(|_| claimed && !created)
        });
    let shared: &Connection = conn;
    try_join_all(unused.map(|key| idempotency::forget(shared, Some(key)))).await?;
    Ok(outcomes)
}

/// Result of the look-up of a submission, before rows are locked.
enum Lookup {
    /// The copy that fits, which is not the submitter's. The submission's key, if it has one, is claimed.
    Found(Option<MatchedCopy>),
    /// The copy that fits is the submitter's already, with the answer that says so. The submission's key, if it has one, is claimed.
    Own(Submitted),
    /// It was answered before, and is answered so again: the same `Idempotency-Key`.
    Repeat(Submitted),
    /// Somebody holds the credential, or it has ended; or another of the group has the same key.
    Held,
    /// The key is used for something else, or is in use.
    Alone,
}

/// Looks for the copies, in one trip to the database, and reads the answers of those who need nothing else, in another.
async fn look_up(
    conn: &Connection,
    orders: &[SubmissionJob],
    acting: &[Option<Acting<SubmitSerials>>],
) -> StoreResult<Vec<Lookup>> {
    let mut keys = HashSet::new();
    let mut looks: Vec<Lookup> = orders.iter().map(|_| Lookup::Held).collect();
    let mut here: Vec<(usize, &SubmissionJob, &Acting<SubmitSerials>)> = Vec::new();
    for (place, (order, by)) in orders.iter().zip(acting).enumerate() {
        let is_first = order.key.as_ref().is_none_or(|key| keys.insert((key.account, &key.key)));
        if let Some(by) = by.as_ref().filter(|_| is_first) {
            here.push((place, order, by));
        }
    }
    let begun =
        here.iter().map(|(_, order, _)| idempotency::begin(conn, order.key.as_ref(), order.new.id));
    let claims: Vec<_> = here.iter().map(|(_, order, by)| (*by, &order.new.claim)).collect();
    let (begun, copies) =
        tokio::join!(biased; join_all(begun), find_matching_copies(conn, &claims));
    let mut read = Vec::with_capacity(here.len());
    for (((_, _, by), begun), copy) in here.iter().zip(begun).zip(copies?) {
        read.push(read_answer(conn, by, begun, copy));
    }
    for ((place, ..), look) in here.iter().zip(try_join_all(read).await?) {
        looks[*place] = look;
    }
    Ok(looks)
}

/// Result of the look-up of a submission whose key was claimed, or was not, and which fits that copy.
async fn read_answer(
    conn: &Connection,
    by: &Acting<SubmitSerials>,
    begun: Result<Option<SubmissionId>, IdempotentError>,
    copy: Option<MatchedCopy>,
) -> StoreResult<Lookup> {
    match (begun, copy) {
        (Err(IdempotentError::Mismatch | IdempotentError::Running), _) => Ok(Lookup::Alone),
        (Err(IdempotentError::Store(error)), _) => Err(error),
        (Ok(Some(earlier)), _) => submissions::repeat(conn, by, earlier).await.map(Lookup::Repeat),
        (Ok(None), None) => Ok(Lookup::Found(None)),
        (Ok(None), Some(copy)) => {
            let answer = submissions::already_yours(conn, by, &copy).await?;
            Ok(answer.map_or_else(|| Lookup::Found(Some(copy)), Lookup::Own))
        }
    }
}

/// Locks copies and hidden cards that are not locked, and keeps the claims for which that is enough; of a card no more than it still needs.
async fn keep_free(conn: &mut Connection, claims: &mut Vec<(usize, Claim<'_>)>) -> StoreResult<()> {
    let keys: Vec<_> = claims
        .iter()
        .map(|(_, claim)| (claim.new.claim.prefix.to_string(), claim.copy.code_mac.clone()))
        .collect();
    let cards: Vec<_> = claims.iter().map(|(_, claim)| claim.copy.card_id).collect();
    let shared: &Connection = conn;
    let (copies, cards) = tokio::join!(
        biased;
        ledger::hold_free_now(shared, &keys),
        votes::hold_cards_now(shared, &cards)
    );
    let (copies, mut cards) = (copies?, cards?);
    let mut keys = keys.into_iter();
    claims.retain(|(_, claim)| {
        let is_held = keys.next().is_some_and(|key| copies.contains(&key));
        is_held
            && match cards.get_mut(&claim.copy.card_id) {
                None => true,
                Some(0) => false,
                Some(needed) => {
                    *needed -= 1;
                    true
                }
            }
    });
    Ok(())
}
