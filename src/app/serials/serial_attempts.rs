//! Attempts at serial codes: taken before a code is looked up, and returned when the submission was not a guess.

use chrono::{DateTime, Utc};

use crate::app::accounts::attempts::{attempt_subjects, attempts_used_up};
use crate::app::problem::{Problem, ProblemCode};
use crate::app::state::AppState;
use crate::domain::accounts::attempts::AttemptScope;
use crate::domain::ids::AccountId;
use crate::domain::network::Network;
use crate::memory::shared_attempts::ReservedAttempts;
use crate::store::StoreResult;
use crate::store::accounts::attempts::{self, AttemptSubject};

/// Takes up to `wanted` attempts of the account and of its network; fails when none is left. If the account has none
/// left, no attempt of the network is taken.
pub(in crate::app) async fn reserve(
    app: &AppState,
    account: AccountId,
    network: Network,
    wanted: u32,
    at: DateTime<Utc>,
) -> Result<ReservedAttempts, Problem> {
    let account = account.0;
    let mut subjects =
        attempt_subjects(app, AttemptScope::SerialAccount, account.as_bytes(), network);
    subjects.extend(attempt_subjects(app, AttemptScope::SerialNetwork, &[], network));
    let batches = &app.attempt_batches;
    match batches.reserve_up_to(&app.store, &subjects, wanted, at).await? {
        (0, Some(full)) => Err(attempts_used_up(full, ProblemCode::SerialAttemptsUsedUp, at)),
        (units, _) => Ok(ReservedAttempts { subjects, units, at }),
    }
}

/// Returns all attempts except the guesses. Guesses are also counted over all instances: many in one hour mean that
/// an attacker tries codes from many accounts and networks.
pub(in crate::app) async fn settle(
    app: &AppState,
    reserved: &ReservedAttempts,
    guesses: u32,
) -> StoreResult<()> {
    let ReservedAttempts { subjects, units, at } = reserved;
    let right = units - guesses.min(*units);
    app.attempt_batches.release(&app.store, subjects, right, *at).await?;
    if guesses == 0 {
        return Ok(());
    }
    let mut conn = app.store.connection().await?;
    let scope = AttemptScope::SerialEverybody;
    let alarm = app.settings.attempt_limits.of(scope);
    let everybody = AttemptSubject { scope, mac: [0; 16], limit: alarm };
    let rejected = attempts::count(&mut conn, everybody, guesses, *at).await?;
    metrics::gauge!("serial_rejections_this_hour").set(rejected);
    if rejected >= alarm.limit && rejected - guesses < alarm.limit {
        tracing::error!(
            rejected,
            "serial codes are being guessed: far more are rejected in this hour than players mistype"
        );
    }
    Ok(())
}
