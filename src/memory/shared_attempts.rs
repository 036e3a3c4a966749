//! Counts one attempt when the same claim is sent several times at once, so that a client which repeats requests does
//! not use up its attempts.
//!
//! Requests share an attempt if together they reveal no more than one of them alone: requests of the same account, from
//! the same network, with the same code, name and game, that are in flight at the same time in this process. As soon as
//! one of them turns out to be a guess, the attempt stays used, and later requests need their own attempts.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use chrono::{DateTime, Utc};
use tokio::sync::OnceCell;

use crate::domain::ids::AccountId;
use crate::store::accounts::attempts::AttemptSubject;
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

/// The attempts of requests that are in flight.
#[derive(Default)]
pub struct SharedAttempts(Mutex<HashMap<SameClaim, InFlight>>);

struct InFlight {
    requests: usize,
    attempt: Arc<OnceCell<ReservedAttempts>>,
}

/// A request's share of an attempt. If it is dropped without being settled, a reserved attempt stays used, because it
/// is unknown whether the request was a guess.
pub(crate) struct Share<'a> {
    all: &'a SharedAttempts,
    claim: SameClaim,
    attempt: Arc<OnceCell<ReservedAttempts>>,
    settled: bool,
}

/// What a request reports about its attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Outcome {
    /// The request was no guess.
    NoGuess,
    /// The attempt stays used.
    Used,
}

impl SharedAttempts {
    /// Joins the requests that are making this claim now.
    pub(crate) fn join(&self, claim: SameClaim) -> Share<'_> {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let new = || InFlight { requests: 0, attempt: Arc::default() };
        let in_flight = all.entry(claim.clone()).or_insert_with(new);
        in_flight.requests += 1;
        let attempt = in_flight.attempt.clone();
        drop(all);
        Share { all: self, claim, attempt, settled: false }
    }

    /// Removes a request. Returns whether this request settles the attempt: the first one that reports the attempt as
    /// used, or else the last one.
    fn leave(
        &self,
        claim: &SameClaim,
        attempt: &Arc<OnceCell<ReservedAttempts>>,
        outcome: Outcome,
    ) -> bool {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(in_flight) = all.get_mut(claim) else { return false };
        if !Arc::ptr_eq(&in_flight.attempt, attempt) {
            return false;
        }
        in_flight.requests -= 1;
        let settles = outcome == Outcome::Used || in_flight.requests == 0;
        if settles {
            all.remove(claim);
        }
        settles
    }
}

impl Share<'_> {
    /// Reserves the shared attempt, once: the first request runs `take`, the others wait for it.
    pub(crate) async fn reserve<E>(
        &self,
        take: impl Future<Output = Result<ReservedAttempts, E>>,
    ) -> Result<(), E> {
        self.attempt.get_or_try_init(|| take).await.map(drop)
    }

    /// Reports whether this request was a guess. Returns the attempts if this request settles them: the first guess, or
    /// the last request.
    pub(crate) fn settle(mut self, guess: bool) -> Option<ReservedAttempts> {
        self.settled = true;
        let outcome = if guess { Outcome::Used } else { Outcome::NoGuess };
        let settles = self.all.leave(&self.claim, &self.attempt, outcome);
        self.attempt.get().filter(|_| settles).cloned()
    }
}

impl Drop for Share<'_> {
    fn drop(&mut self) {
        if !self.settled {
            let outcome = if self.attempt.initialized() { Outcome::Used } else { Outcome::NoGuess };
            self.all.leave(&self.claim, &self.attempt, outcome);
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

    #[test]
    fn only_the_same_claim_is_shared_and_only_while_it_is_no_guess() {
        let all = SharedAttempts::default();
        let leave = |share: &mut Share<'_>, outcome| {
            share.settled = true;
            all.leave(&share.claim, &share.attempt, outcome)
        };
        let (mut first, mut second, other) =
            (all.join(claim("fox")), all.join(claim("fox")), all.join(claim("ox")));
        assert!(Arc::ptr_eq(&first.attempt, &second.attempt));
        assert!(!Arc::ptr_eq(&first.attempt, &other.attempt));
        assert!(!leave(&mut first, Outcome::NoGuess), "another request is still in flight");
        // The third request arrives while the second is in flight, which then turns out to be a guess.
        let mut third = all.join(claim("fox"));
        assert!(leave(&mut second, Outcome::Used), "the first guess settles the attempt");
        let fresh = all.join(claim("fox"));
        assert!(
            !Arc::ptr_eq(&third.attempt, &fresh.attempt),
            "a guess is shared with nobody later"
        );
        assert!(!leave(&mut third, Outcome::Used), "the attempt was settled before");
        drop((fresh, other));
        assert!(all.0.lock().unwrap().is_empty(), "no entry stays");
    }
}
