//! Attempts at serial codes: taken before anything is looked up, given back when they were no guesses.

use super::extract::ClientNetwork;
use super::problem::{Problem, ProblemCode};
use super::sessions::{attempt_subject, attempts_used_up};
use super::state::AppState;
use crate::domain::attempts::{AttemptLimit, AttemptScope};
use crate::domain::ids::AccountId;
use crate::store::StoreResult;
use crate::store::attempts::{self, AttemptSubject};
use chrono::{DateTime, Utc};

/// Attempts of an account and of its network, committed: parallel guesses cannot outrun the count.
#[derive(Debug)]
pub(super) struct SerialAttempts {
    subjects: [AttemptSubject; 2],
    units: u32,
    at: DateTime<Utc>,
}

impl SerialAttempts {
    /// Takes up to `wanted` attempts; 429 when none is left. The account's come first: whoever has none left cannot touch the network's.
    pub(super) async fn reserve(
        state: &AppState,
        account: AccountId,
        network: &ClientNetwork,
        wanted: u32,
        at: DateTime<Utc>,
    ) -> Result<Self, Problem> {
        let of_network = attempt_subject(state, AttemptScope::SerialNetwork, None, network);
        let of_account =
            attempt_subject(state, AttemptScope::SerialAccount, Some(account), network);
        let used_up = |subject: AttemptSubject| {
            attempts_used_up(state, subject, ProblemCode::SerialAttemptsUsedUp, at)
        };
        let mut conn = state.store.connection().await?;
        let (own, shared) = (limit(state, of_account), limit(state, of_network));
        let most = attempts::reserve_up_to(&mut conn, of_account, own, wanted, at).await?;
        if wanted > 0 && most == 0 {
            return Err(used_up(of_account));
        }
        let units = attempts::reserve_up_to(&mut conn, of_network, shared, most, at).await?;
        attempts::release(&mut conn, of_account, own, most - units, at).await?;
        if wanted > 0 && units == 0 {
            return Err(used_up(of_network));
        }
        Ok(Self { subjects: [of_network, of_account], units, at })
    }

    /// How many were left to take.
    pub(super) fn units(&self) -> u32 {
        self.units
    }

    /// Gives back all but the guesses. Those are counted over all instances, too: many in an hour mean that somebody tries
    /// codes from many accounts and networks.
    pub(super) async fn settle(&self, state: &AppState, guesses: u32) -> StoreResult<()> {
        let mut conn = state.store.connection().await?;
        for subject in self.subjects {
            let (limit, right) = (limit(state, subject), self.units - guesses.min(self.units));
            attempts::release(&mut conn, subject, limit, right, self.at).await?;
        }
        if guesses == 0 {
            return Ok(());
        }
        let everybody = AttemptSubject { scope: AttemptScope::SerialEverybody, mac: [0; 16] };
        let alarm = limit(state, everybody);
        let rejected = attempts::count(&mut conn, everybody, alarm, guesses, self.at).await?;
        metrics::gauge!("serial_rejections_this_hour").set(rejected);
        if rejected >= alarm.limit && rejected - guesses < alarm.limit {
            tracing::error!(
                rejected,
                "serial codes are being guessed: far more are rejected in this hour than players mistype"
            );
        }
        Ok(())
    }
}

fn limit(state: &AppState, subject: AttemptSubject) -> AttemptLimit {
    state.settings.attempt_limits.of(subject.scope)
}
