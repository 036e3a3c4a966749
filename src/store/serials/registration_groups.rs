//! Decides the submissions of many requests in groups: one transaction and one commit for all submissions that arrived
//! while the previous group was decided. So a card that many players submit at once is locked once for all of them, and
//! the cost per submission falls with the load.
//!
//! A group never waits for a lock. A submission whose copy, account, credential or card is locked is tried again with
//! the next group, and after a few tries is decided alone ([`submit`](super::submissions::submit)), where it may wait.
//! The same happens to every submission that a group cannot decide without waiting, and to all of them when a group
//! fails: a submission is never refused because of others in its group.

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
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
use crate::store::operations::idempotency::{self, IdempotencyClaim, IdempotentError};
use crate::store::{Connection, OpenTransaction, Store, StoreError, StoreResult};

/// How often a submission whose rows are locked is tried again with a group, before it is decided alone.
const TRIES: u32 = 3;

/// Longest time that a group waits for requests that are reserving their attempts, like `commit_delay` of Postgres.
const PAUSE: Duration = Duration::from_millis(4);

/// The queue of submissions to decide; one per process, shared by its worker threads.
#[derive(Clone)]
pub struct RegistrationGroups {
    jobs: BatchQueue<SubmissionJob>,
    attempts: AttemptBatches,
    /// The store of the task that decides the groups.
    store: Store,
}

/// A submission to decide, with the channel for its result.
pub(in crate::store) struct SubmissionJob {
    by: Granted<SubmitSerials>,
    new: NewSubmission,
    key: Option<IdempotencyClaim>,
    tries: u32,
    /// Whether a group has begun with it. Its request sets this, too, when it ends before: then no group begins with it.
    begun: Arc<AtomicBool>,
    answer: oneshot::Sender<StoreResult<Option<Submitted>>>,
}

/// How a group decided a submission.
enum Outcome {
    /// It is decided, once the transaction is committed.
    Decided(Submitted),
    /// A row that it needs is locked, or another submission of the group may get the copy: try again.
    Again,
    /// It must be decided alone.
    Alone,
}

impl RegistrationGroups {
    /// `attempts` is where requests reserve their attempts. `store` must have its own connections. Must be called in a
    /// tokio runtime that outlives all requests.
    pub fn new(store: Store, attempts: AttemptBatches) -> Self {
        Self { jobs: BatchQueue::new(), attempts, store }
    }

    /// Decides a submission together with others; `None`: nothing was done, and it must be decided alone. Its attempt
    /// must be reserved and committed before.
    ///
    /// Fails when it is unknown whether the group was committed, because the response to `COMMIT` is missing or the group
    /// takes too long; and, with an error that is rolled back, when no group has begun with it in time.
    pub(super) async fn submit(
        &self,
        store: &Store,
        by: &Granted<SubmitSerials>,
        new: &NewSubmission,
        key: Option<&IdempotencyClaim>,
    ) -> StoreResult<Option<Submitted>> {
        let (answer, decided) = oneshot::channel();
        let begun = Arc::<AtomicBool>::default();
        let job = SubmissionJob {
            by: by.clone(),
            new: new.clone(),
            key: key.cloned(),
            tries: 0,
            begun: begun.clone(),
            answer,
        };
        self.jobs.push([job], self);
        let decided = async {
            decided.await.unwrap_or_else(|_| {
                Err(StoreError::Unavailable("the submission was left behind".to_owned()))
            })
        };
        store.wait_for(decided).await.map_err(|error| {
            let has_begun = begun.swap(true, Ordering::AcqRel);
            if has_begun { error.unclear() } else { error }
        })
    }
}

impl SubmissionJob {
    /// Begins with it, unless its client has disconnected, so that its response would be lost, or its request has ended.
    fn begin(&self) -> bool {
        !self.answer.is_closed() && !self.begun.swap(true, Ordering::AcqRel)
    }

    /// The same submission, for the next group. Nothing was done.
    fn again(self) -> Self {
        self.begun.store(false, Ordering::Release);
        Self { tries: self.tries + 1, ..self }
    }
}

impl BatchWorker for RegistrationGroups {
    type Job = SubmissionJob;

    /// Copies, accounts and cards of a group are locked until its transaction is committed.
    const MAX_BATCH: usize = 64;

    /// Requests that are reserving an attempt will arrive in a moment: one group costs less than two of half its size.
    async fn ready(&self) {
        let _ = timeout(PAUSE, self.attempts.wait_until_empty()).await;
    }

    async fn work(&self, mut jobs: Vec<SubmissionJob>) {
        jobs.retain(SubmissionJob::begin);
        if jobs.is_empty() {
            return;
        }
        match decide(&self.store, &jobs).await {
            Ok(outcomes) => {
                let served = jobs.len();
                let mut again = Vec::new();
                for (job, outcome) in jobs.into_iter().zip(outcomes) {
                    let answer = match outcome {
                        Outcome::Again if job.tries < TRIES => {
                            again.push(job.again());
                            continue;
                        }
                        Outcome::Decided(submitted) => Some(submitted),
                        Outcome::Again | Outcome::Alone => None,
                    };
                    if let Err(Ok(Some(submitted))) = job.answer.send(Ok(answer)) {
                        // The request ended during the decision.
                        submissions::record(job.by.account(), &submitted);
                    }
                }
                let locked = again.len();
                self.jobs.add(again);
                if locked == served {
                    // Another instance has locked all of them and is about to commit: wait, instead of deciding them
                    // one by one.
                    sleep(PAUSE).await;
                }
            }
            Err(error) => {
                let is_rolled_back = error.is_rolled_back();
                if is_rolled_back {
                    tracing::warn!(%error, submissions = jobs.len(), "a group of submissions failed: they are decided one by one");
                }
                for job in jobs {
                    let answer = if is_rolled_back { Ok(None) } else { Err(copy_error(&error)) };
                    let _ = job.answer.send(answer);
                }
            }
        }
    }
}

/// Copies an error for several requests of a failed batch.
fn copy_error(error: &StoreError) -> StoreError {
    StoreError::Unavailable(format!("the submission was not decided: {error}"))
}

/// Decides, in one transaction, what can be decided without waiting.
async fn decide(store: &Store, jobs: &[SubmissionJob]) -> StoreResult<Vec<Outcome>> {
    let by: Vec<&Granted<SubmitSerials>> = jobs.iter().map(|job| &job.by).collect();
    let Some(at) = jobs.iter().map(|job| job.new.at).max() else { return Ok(Vec::new()) };
    let (mut begun, acting) = store.begin_by_all(&by, at).await?;
    let result = decide_in(&mut begun, jobs, &acting).await;
    begun.end(result).await
}

async fn decide_in(
    begun: &mut OpenTransaction,
    jobs: &[SubmissionJob],
    acting: &[Option<Acting<SubmitSerials>>],
) -> StoreResult<Vec<Outcome>> {
    let conn = begun.conn();
    let looked_up = look_up(conn, jobs, acting).await?;
    let mut outcomes = Vec::with_capacity(jobs.len());
    let mut claims: Vec<(usize, Claim<'_>)> = Vec::new();
    let mut codes = HashSet::new();
    for (place, (look, job)) in looked_up.iter().zip(jobs).enumerate() {
        outcomes.push(match (look, &acting[place]) {
            (Lookup::Alone, _) => Outcome::Alone,
            (Lookup::Locked, _) | (_, None) => Outcome::Again,
            (Lookup::Repeat(answer) | Lookup::Own(answer), _) => Outcome::Decided(answer.clone()),
            (Lookup::Found(None), _) => Outcome::Decided(Submitted::Rejected),
            (Lookup::Found(Some(copy)), Some(by)) if copy.owner_id.is_none() => {
                // The same code occurs twice: the second submission is decided when the first is registered.
                if codes.insert((job.new.claim.prefix.to_string(), &copy.code_mac)) {
                    claims.push((place, Claim { by, new: &job.new, copy }));
                }
                Outcome::Again
            }
            (Lookup::Found(Some(_)), _) => Outcome::Alone,
        });
    }
    if !claims.is_empty() {
        lock_claims(conn, &mut claims).await?;
        let together: Vec<Claim<'_>> = claims.iter().map(|(_, claim)| *claim).collect();
        let registered = registrations::register_locked(conn, &together).await?;
        for ((place, _), registered) in claims.iter().zip(registered) {
            outcomes[*place] = registered.map_or(Outcome::Alone, Outcome::Decided);
        }
    }
    // Nothing was created under these keys, and a repeated request gets the same result.
    let unused = jobs.iter().zip(&looked_up).zip(&outcomes).filter_map(|((job, look), outcome)| {
        let created = matches!(outcome, Outcome::Decided(Submitted::Registered { .. }));
        let claimed = matches!(look, Lookup::Found(_) | Lookup::Own(_));
        job.key.as_ref().filter(|_| claimed && !created)
    });
    let shared: &Connection = conn;
    try_join_all(unused.map(|key| idempotency::forget(shared, Some(key)))).await?;
    Ok(outcomes)
}

/// Result of the look-up of a submission, before rows are locked.
enum Lookup {
    /// The copy that matches, if any; it is not the submitter's. The submission's idempotency key, if any, is claimed.
    Found(Option<MatchedCopy>),
    /// The submitter owns the matching copy already; with the result for this case. The submission's idempotency key,
    /// if any, is claimed.
    Own(Submitted),
    /// A repeated request with the same `Idempotency-Key`, with its earlier result.
    Repeat(Submitted),
    /// The credential is locked or has ended, or another submission of the group has the same key.
    Locked,
    /// The key was used for another request, or is in use.
    Alone,
}

/// Finds the copies in one round trip, and in a second one reads the results about copies that the submitters own
/// already.
async fn look_up(
    conn: &Connection,
    jobs: &[SubmissionJob],
    acting: &[Option<Acting<SubmitSerials>>],
) -> StoreResult<Vec<Lookup>> {
    let mut keys = HashSet::new();
    let mut looks: Vec<Lookup> = jobs.iter().map(|_| Lookup::Locked).collect();
    let mut here: Vec<(usize, &SubmissionJob, &Acting<SubmitSerials>)> = Vec::new();
    for (place, (job, by)) in jobs.iter().zip(acting).enumerate() {
        let is_first = job.key.as_ref().is_none_or(|key| keys.insert((key.account, &key.key)));
        if let Some(by) = by.as_ref().filter(|_| is_first) {
            here.push((place, job, by));
        }
    }
    let begun =
        here.iter().map(|(_, job, _)| idempotency::begin(conn, job.key.as_ref(), job.new.id));
    let claims: Vec<_> = here.iter().map(|(_, job, by)| (*by, &job.new.claim)).collect();
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

/// The result for one submission, from the claim of its key and the copy that matches it.
async fn read_answer(
    conn: &Connection,
    by: &Acting<SubmitSerials>,
    begun: Result<Option<SubmissionId>, IdempotentError>,
    copy: Option<MatchedCopy>,
) -> StoreResult<Lookup> {
    match (begun, copy) {
        (Err(IdempotentError::Mismatch | IdempotentError::Running), _) => Ok(Lookup::Alone),
        (Err(IdempotentError::Store(error)), _) => Err(error),
        (Ok(Some(earlier)), _) => {
            submissions::answer_repeat(conn, by, earlier).await.map(Lookup::Repeat)
        }
        (Ok(None), None) => Ok(Lookup::Found(None)),
        (Ok(None), Some(copy)) => {
            let answer = submissions::answer_already_yours(conn, by, &copy).await?;
            Ok(answer.map_or_else(|| Lookup::Found(Some(copy)), Lookup::Own))
        }
    }
}

/// Locks copies and hidden cards without waiting, and keeps the claims whose rows could be locked; for each card no
/// more claims than it still needs.
async fn lock_claims(
    conn: &mut Connection,
    claims: &mut Vec<(usize, Claim<'_>)>,
) -> StoreResult<()> {
    let keys: Vec<_> = claims
        .iter()
        .map(|(_, claim)| (claim.new.claim.prefix.to_string(), claim.copy.code_mac.clone()))
        .collect();
    let cards: Vec<_> = claims.iter().map(|(_, claim)| claim.copy.card_id).collect();
    let shared: &Connection = conn;
    let (copies, cards) = tokio::join!(
        biased;
        ledger::try_lock_unowned(shared, &keys),
        votes::try_lock_cards(shared, &cards)
    );
    let (copies, mut cards) = (copies?, cards?);
    let mut keys = keys.into_iter();
    claims.retain(|(_, claim)| {
        let is_locked = keys.next().is_some_and(|key| copies.contains(&key));
        is_locked
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
