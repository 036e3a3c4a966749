//! Counts one attempt when the same claim is sent several times at once, so that a client which repeats requests does
//! not use up its attempts.
//!
//! Requests share an attempt if together they reveal no more than one of them alone: requests of the same account, from
//! the same network, with the same code, name and game, that are in flight at the same time in this process. As soon as
//! one of them turns out to be a guess, the attempt stays used, and later requests need their own attempts.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use chrono::{DateTime, Utc};
use tokio::sync::OnceCell;

use crate::domain::ids::AccountId;
use crate::store::accounts::attempts::{AttemptSubject, Epoch};
use crate::store::serials::submissions::NewSubmission;

/// Attempts of an account and of its network that were reserved and committed, so that parallel guesses cannot exceed
/// the limit.
#[derive(Clone, Debug)]
pub struct ReservedAttempts {
    /// The limits from which they were taken.
    pub subjects: Vec<AttemptSubject>,
    /// How many were taken from each.
    pub units: u32,
    /// When they were taken.
    pub at: DateTime<Utc>,
    /// The epoch of the database in which they were taken.
    pub epoch: Option<Epoch>,
}

/// The values that requests must have in common to share an attempt.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct SameClaim {
    account: AccountId,
    network: [u8; 16],
    /// The code, hashed under the first serial key.
    code: Option<[u8; 16]>,
    name_key: String,
    game: Option<String>,
}

impl SameClaim {
    pub(crate) fn new(account: AccountId, new: &NewSubmission) -> Self {
        Self {
            account,
            network: new.network_mac,
            code: new.claim.macs.first().map(|mac| mac.0),
            name_key: new.claim.name_key.clone(),
            game: new.claim.game.clone(),
        }
    }
}

/// The attempts of requests that are in flight, as long as further requests may share them.
///
/// `E` is the error of a request that gets no attempt.
pub struct SharedAttempts<E>(Mutex<HashMap<SameClaim, Arc<InFlight<E>>>>);

impl<E> Default for SharedAttempts<E> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

/// An attempt and the requests that share it.
struct InFlight<E> {
    attempt: OnceCell<ReservedAttempts>,
    refusals: Mutex<Refusals<E>>,
    sharers: Mutex<Sharers>,
}

impl<E> Default for InFlight<E> {
    fn default() -> Self {
        let refusals = Mutex::new(Refusals { number: 0, last: None });
        Self { attempt: OnceCell::new(), refusals, sharers: Mutex::default() }
    }
}

/// How often requests could not reserve the attempt that they share.
struct Refusals<E> {
    number: u64,
    last: Option<E>,
}

#[derive(Default)]
struct Sharers {
    /// How many have not left.
    requests: usize,
    /// One of them settles, or has settled, the attempt.
    is_settled: bool,
    /// One of them ended without a result, so that the attempt stays used.
    is_unclear: bool,
}

/// A request's share of an attempt. If it is dropped without being settled, an attempt that it got stays used, because it
/// is unknown whether the request was a guess.
pub(crate) struct Share<'a, E> {
    all: &'a SharedAttempts<E>,
    claim: SameClaim,
    shared: Arc<InFlight<E>>,
    /// It went on to look at the code, with the shared attempt.
    has_attempt: AtomicBool,
    settled: bool,
}

/// What a request reports about its attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Outcome {
    /// The request was no guess, or nothing was decided.
    NoGuess,
    /// The request was a guess: the attempt stays used.
    Guess,
    /// The request ended without a result. The attempt stays used, but only a guess counts as one.
    Unclear,
}

impl<E> SharedAttempts<E> {
    /// Joins the requests that are making this claim now.
    pub(crate) fn join(&self, claim: SameClaim) -> Share<'_, E> {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let shared = Arc::clone(all.entry(claim.clone()).or_default());
        shared.sharers().requests += 1;
        drop(all);
        Share { all: self, claim, shared, has_attempt: AtomicBool::new(false), settled: false }
    }

    /// Removes a request. Returns whether this request settles the attempt: the first guess, or else the last request if
    /// all others were no guesses.
    fn leave(&self, claim: &SameClaim, shared: &Arc<InFlight<E>>, outcome: Outcome) -> bool {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let mut sharers = shared.sharers();
        sharers.requests -= 1;
        sharers.is_unclear |= outcome == Outcome::Unclear;
        let is_last = sharers.requests == 0;
        if (outcome != Outcome::NoGuess || is_last)
            && all.get(claim).is_some_and(|listed| Arc::ptr_eq(listed, shared))
        {
            all.remove(claim);
        }
        let settles = match outcome {
            Outcome::Guess => !sharers.is_settled,
            Outcome::NoGuess => is_last && !sharers.is_settled && !sharers.is_unclear,
            Outcome::Unclear => false,
        };
        sharers.is_settled |= settles;
        settles
    }
}

impl<E> InFlight<E> {
    fn sharers(&self) -> MutexGuard<'_, Sharers> {
        self.sharers.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn refusals(&self) -> MutexGuard<'_, Refusals<E>> {
        self.refusals.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<E: Clone> Refusals<E> {
    fn record(&mut self, refusal: &E) {
        self.number += 1;
        self.last = Some(refusal.clone());
    }

    /// The last refusal, if there were more than `earlier` ones.
    fn since(&self, earlier: u64) -> Option<E> {
        self.last.clone().filter(|_| self.number > earlier)
    }
}

impl<E: Clone> Share<'_, E> {
    /// Reserves the shared attempt, once: the first request runs `take`, the others wait for it. If it is refused, so
    /// are those that wait: `take` may wait for seconds, and they would do so one after the other.
    pub(crate) async fn reserve(
        &self,
        take: impl Future<Output = Result<ReservedAttempts, E>>,
    ) -> Result<(), E> {
        let shared = &self.shared;
        let earlier = shared.refusals().number;
        let take = async {
            let refusal = shared.refusals().since(earlier);
            if let Some(refusal) = refusal {
                return Err(refusal);
            }
            take.await.inspect_err(|refusal| shared.refusals().record(refusal))
        };
        shared.attempt.get_or_try_init(|| take).await?;
        self.has_attempt.store(true, Ordering::Relaxed);
        Ok(())
    }
}

impl<E> Share<'_, E> {
    /// Reports whether this request was a guess; a request that was certainly not decided counts as no guess. Returns the attempts if this request settles them: the first guess, or
    /// the last request if all others were no guesses.
    pub(crate) fn settle(mut self, guess: bool) -> Option<ReservedAttempts> {
        self.settled = true;
        let outcome = if guess { Outcome::Guess } else { Outcome::NoGuess };
        let settles = self.all.leave(&self.claim, &self.shared, outcome);
        self.shared.attempt.get().filter(|_| settles).cloned()
    }
}

impl<E> Drop for Share<'_, E> {
    fn drop(&mut self) {
        if !self.settled {
            let has_attempt = *self.has_attempt.get_mut();
            let outcome = if has_attempt { Outcome::Unclear } else { Outcome::NoGuess };
            self.all.leave(&self.claim, &self.shared, outcome);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn claim(name: &str) -> SameClaim {
        SameClaim {
            account: AccountId(uuid::Uuid::nil()),
            network: [0; 16],
            code: Some([0; 16]),
            name_key: name.to_owned(),
            game: None,
        }
    }

    type Attempts = SharedAttempts<&'static str>;

    async fn reserve(share: &Share<'_, &'static str>) {
        let at = DateTime::UNIX_EPOCH;
        let attempt = ReservedAttempts { subjects: Vec::new(), units: 1, at, epoch: None };
        share.reserve(async { Ok(attempt) }).await.unwrap();
    }

    /// Joins a claim and reserves its attempt.
    async fn reserved<'a>(all: &'a Attempts, name: &str) -> Share<'a, &'static str> {
        let share = all.join(claim(name));
        reserve(&share).await;
        share
    }

    fn is_listed(all: &Attempts, name: &str) -> bool {
        all.0.lock().unwrap().contains_key(&claim(name))
    }

    #[tokio::test]
    async fn only_the_same_claim_is_shared_and_only_while_it_is_no_guess() {
        let all = Attempts::default();
        let (first, second) = (reserved(&all, "fox").await, reserved(&all, "fox").await);
        let other = reserved(&all, "ox").await;
        assert!(Arc::ptr_eq(&first.shared, &second.shared));
        assert!(!Arc::ptr_eq(&first.shared, &other.shared));
        assert!(first.settle(false).is_none(), "another request is still in flight");
        // The third request arrives while the second is in flight, which then turns out to be a guess.
        let third = reserved(&all, "fox").await;
        assert!(second.settle(true).is_some(), "the first guess settles the attempt");
        let fresh = reserved(&all, "fox").await;
        assert!(!Arc::ptr_eq(&third.shared, &fresh.shared), "a guess is shared with nobody later");
        assert!(third.settle(true).is_none(), "the attempt was settled before");
        assert!(is_listed(&all, "fox"), "a request of the earlier attempt removes no later one");
        assert!(fresh.settle(false).is_some() && other.settle(false).is_some());
        assert!(all.0.lock().unwrap().is_empty(), "no entry stays");
    }

    #[tokio::test]
    async fn a_guess_counts_when_another_request_for_it_was_broken_off() {
        let all = Attempts::default();
        let (broken, guess) = (reserved(&all, "fox").await, reserved(&all, "fox").await);
        let again = reserved(&all, "fox").await;
        drop(broken);
        assert!(!is_listed(&all, "fox"), "the attempt is shared with nobody later");
        assert!(guess.settle(true).is_some());
        assert!(again.settle(true).is_none(), "it counts once");
        assert!(all.0.lock().unwrap().is_empty(), "no entry stays");
    }

    #[tokio::test]
    async fn an_attempt_stays_used_when_a_request_was_broken_off() {
        let all = Attempts::default();
        let (broken, last) = (reserved(&all, "fox").await, reserved(&all, "fox").await);
        drop(broken);
        assert!(last.settle(false).is_none());
        // A request that ends before the attempt is reserved was no guess.
        let (early, last) = (all.join(claim("ox")), all.join(claim("ox")));
        drop(early);
        assert!(is_listed(&all, "ox"));
        reserve(&last).await;
        assert!(last.settle(false).is_some());
        // A request that could not reserve the attempt was no guess either.
        let (refused, last) = (all.join(claim("elk")), all.join(claim("elk")));
        refused.reserve(async { Err("full") }).await.unwrap_err();
        drop(refused);
        reserve(&last).await;
        assert!(last.settle(false).is_some());
        assert!(all.0.lock().unwrap().is_empty(), "no entry stays");
    }

    /// Otherwise each of them would wait for as long as the first one, one after the other.
    #[tokio::test]
    async fn requests_that_wait_are_refused_with_the_first_one() {
        let all = Attempts::default();
        let (first, waits) = (all.join(claim("fox")), all.join(claim("fox")));
        let (refuse, refusal) = tokio::sync::oneshot::channel();
        let refuse = async { refuse.send("full").unwrap() };
        let (refused, waited, ()) = tokio::join!(
            first.reserve(async { Err(refusal.await.unwrap()) }),
            waits.reserve(async { Err("it asked for itself") }),
            refuse,
        );
        assert_eq!((refused, waited), (Err("full"), Err("full")));
        // A request that arrives later asks for itself.
        let later = reserved(&all, "fox").await;
        drop((first, waits));
        assert!(later.settle(false).is_some(), "those that were refused were no guesses");
        assert!(all.0.lock().unwrap().is_empty(), "no entry stays");
    }
}
