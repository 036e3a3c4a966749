//! Attempts at serial codes: taken before a code is looked up, and returned when the submission was not a guess.

use chrono::{DateTime, Utc};

use crate::app::accounts::attempts::{AttemptPauses, attempt_subjects};
use crate::app::problem::{Problem, ProblemCode};
use crate::app::state::AppState;
use crate::domain::accounts::attempts::AttemptScope;
use crate::domain::ids::AccountId;
use crate::domain::network::Network;
use crate::memory::shared_attempts::ReservedAttempts;
use crate::store::StoreResult;
use crate::store::accounts::attempt_batches::{SettledUnits, Taken};
use crate::store::accounts::attempts::{self, AttemptSubject};

/// A batch takes at most one of this many parts of the account's attempts at once. If the instance is killed, the
/// attempts of one part stay used, and the others are left. With smaller parts, a batch would need more transactions.
const PARTS: u32 = 2;

/// Most attempts that a batch takes at once.
pub(super) fn most_at_once(app: &AppState) -> u32 {
    (app.settings.attempt_limits.of(AttemptScope::SerialAccount).limit / PARTS).max(1)
}

/// Takes up to `wanted` attempts of the account and of its network; fails when none is left. If the account has none
/// left, no attempt of the network is taken.
///
/// If none is left only because other requests have reserved some that are not decided yet, it waits a little: most of
/// them return theirs.
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
    let taken = app.attempt_batches.reserve_up_to(&app.store, &subjects, wanted, at).await?;
    reserve_when_free(app, subjects, wanted, at, taken).await
}

/// Returns all attempts except the guesses, and takes up to `wanted` others of the same limits, as [`reserve`] does.
///
/// Guesses are counted first. So those that are answered are on the disk even if no attempt is left for the others, and
/// no attempt for the next codes is lost when the client disconnects meanwhile.
pub(super) async fn renew(
    app: &AppState,
    reserved: ReservedAttempts,
    guesses: u32,
    wanted: u32,
) -> Result<ReservedAttempts, Problem> {
    let batches = &app.attempt_batches;
    if guesses > 0 {
        settle(app, &reserved, guesses).await?;
        let ReservedAttempts { subjects, at, .. } = reserved;
        let taken = batches.reserve_up_to(&app.store, &subjects, wanted, at).await?;
        return reserve_when_free(app, subjects, wanted, at, taken).await;
    }
    let settled = settled_units(&reserved, 0);
    let ReservedAttempts { subjects, at, epoch, .. } = reserved;
    let store = &app.store;
    let taken =
        batches.settle_and_reserve_up_to(store, &subjects, settled, wanted, at, epoch).await?;
    reserve_when_free(app, subjects, wanted, at, taken).await
}

/// Reserves again, after pauses, while all attempts are reserved by requests that are not decided yet. `taken` is the
/// result of the first try.
async fn reserve_when_free(
    app: &AppState,
    subjects: Vec<AttemptSubject>,
    wanted: u32,
    at: DateTime<Utc>,
    mut taken: Taken,
) -> Result<ReservedAttempts, Problem> {
    let mut pauses = AttemptPauses::of_codes();
    loop {
        let Taken { units, short, epoch } = taken;
        let Some(short) = short.filter(|_| units == 0) else {
            return Ok(ReservedAttempts { subjects, units, at, epoch });
        };
        pauses.pause(app, short, ProblemCode::SerialAttemptsUsedUp, at).await?;
        taken = app.attempt_batches.reserve_up_to(&app.store, &subjects, wanted, at).await?;
    }
}

fn settled_units(reserved: &ReservedAttempts, guesses: u32) -> SettledUnits {
    let used = guesses.min(reserved.units);
    SettledUnits { released: reserved.units - used, used }
}

/// Returns all attempts except the guesses.
///
/// What is decided is answered also if the attempts cannot be returned now: then they are returned later.
pub(in crate::app) async fn settle(
    app: &AppState,
    reserved: &ReservedAttempts,
    guesses: u32,
) -> StoreResult<()> {
    let ReservedAttempts { subjects, at, epoch, .. } = reserved;
    let settled = settled_units(reserved, guesses);
    let settling = app.attempt_batches.settle(&app.store, subjects, settled, *at, *epoch);
    if let Err(error) = settling.await {
        tracing::debug!(%error, "attempts are not returned yet");
    }
    count_guesses(app, guesses, *at).await
}

/// After a failure of the database: returns all attempts except those that stay used, as soon as the database is there.
/// Does not wait for it.
pub(in crate::app) fn settle_later(app: &AppState, reserved: &ReservedAttempts, used: u32) {
    let settled = settled_units(reserved, used);
    let ReservedAttempts { subjects, at, epoch, .. } = reserved;
    app.attempt_batches.settle_later(subjects, settled, *at, *epoch);
}

/// Like [`settle_later`], for attempts of which some were guesses.
pub(super) async fn settle_failed(app: &AppState, reserved: &ReservedAttempts, guesses: u32) {
    settle_later(app, reserved, guesses);
    if let Err(error) = count_guesses(app, guesses, reserved.at).await {
        tracing::debug!(%error, "guesses are not counted for the alarm");
    }
}

/// Counts guesses over all instances: many in one hour mean that an attacker tries codes from many accounts and
/// networks. This waits for the disk, and comes last: so the database also knows after a crash that the attempts of guesses
/// that were answered are not only reserved.
async fn count_guesses(app: &AppState, guesses: u32, at: DateTime<Utc>) -> StoreResult<()> {
    if guesses == 0 {
        return Ok(());
    }
    let mut conn = app.store.connection().await?;
    let scope = AttemptScope::SerialEverybody;
    let alarm = app.settings.attempt_limits.of(scope);
    let everybody = AttemptSubject { scope, mac: [0; 16], limit: alarm };
    let rejected = attempts::count(&mut conn, everybody, guesses, at).await?;
    metrics::gauge!("serial_rejections_this_hour").set(rejected);
    if rejected >= alarm.limit && rejected - guesses < alarm.limit {
        tracing::error!(
            rejected,
            "serial codes are being guessed: far more are rejected in this hour than players mistype"
        );
    }
    Ok(())
}
