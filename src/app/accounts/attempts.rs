//! Limits on attempts at secrets: what they are counted by, how requests wait for attempts of others, and the failure
//! when none is left.

use std::time::Duration;

use chrono::{DateTime, Utc};
use uuid::Uuid;

use crate::app::problem::{Problem, ProblemCode};
use crate::app::problem_cause::ProblemCause;
use crate::app::state::AppState;
use crate::auth::password::HashingPlace;
use crate::domain::accounts::attempts::AttemptScope;
use crate::domain::network::Network;
use crate::store::accounts::attempts::{self, AttemptSubject, Shortage};
use crate::store::serials::submissions::keeps_attempt;
use crate::store::{Connection, PooledConnection, StoreResult};

/// Longest time that a request with a right secret waits until its attempt is given back. It still needs the database afterwards.
const GIVE_BACK_WAIT: Duration = Duration::from_secs(1);

/// The pauses of a submission of serial codes: about two seconds in all, if its budget allows it. Others return their
/// attempts within milliseconds.
const OF_CODES: &[Duration] = &[Duration::from_millis(100); 20];
/// The pauses of a request that checks a password or another secret of an account: about two seconds as well. Others
/// return their attempts when a hash is computed; requests that wait for longer ask less often.
const OF_SECRETS: &[Duration] = &[
    Duration::from_millis(50),
    Duration::from_millis(100),
    Duration::from_millis(200),
    Duration::from_millis(400),
    Duration::from_millis(400),
    Duration::from_millis(400),
    Duration::from_millis(400),
];

/// Keyed hash of a network: how the database knows the networks that logged in.
pub(crate) fn network_mac(app: &AppState, network: Network) -> [u8; 16] {
    app.keys.short_lookup("network", &[network.to_string().as_bytes()])
}

/// The counters of an attempt: one for the account, where the scope has an account, and, where the scope is by network,
/// one for each prefix of the network.
pub(crate) fn attempt_subjects(
    app: &AppState,
    scope: AttemptScope,
    account: &[u8],
    network: Network,
) -> Vec<AttemptSubject> {
    let limit = app.settings.attempt_limits.of(scope);
    let subject = |network: &[u8], factor| AttemptSubject {
        scope,
        mac: app.keys.short_lookup(scope.as_str(), &[account, network]),
        limit: limit.times(factor),
    };
    if !scope.is_by_network() {
        return vec![subject(&[], 1)];
    }
    let counted = network.counted();
    counted.map(|(network, factor)| subject(network.to_string().as_bytes(), factor)).collect()
}

/// Takes one unit from each of these limits, or fails with `code`. To settle the units, callers must pass the same
/// `now`.
///
/// If units are missing only because other requests have reserved some that are not decided yet, it waits a little,
/// without a connection: most of them return theirs.
pub(super) async fn reserve_attempt(
    app: &AppState,
    conn: PooledConnection,
    subjects: &[AttemptSubject],
    code: ProblemCode,
    now: DateTime<Utc>,
) -> Result<(), Problem> {
    let conn = AttemptPauses::of_secrets().reserve(app, conn, subjects, code, now).await?;
    drop(conn);
    Ok(())
}

async fn reserve_now(
    app: &AppState,
    conn: &mut Connection,
    subjects: &[AttemptSubject],
    now: DateTime<Utc>,
) -> StoreResult<Option<Shortage>> {
    attempts::reserve(conn, subjects, 1, now, app.clock.now()).await
}

/// Like [`reserve_attempt`], for a request that has a place to hash a password. It gives the place up while it waits,
/// and takes another one when it has its units: otherwise requests that only wait would take the places of those that
/// they wait for. Also returns the connection; the caller must give it up before it hashes the password.
pub(super) async fn reserve_with_place(
    app: &AppState,
    network: Network,
    (place, mut conn): (HashingPlace, PooledConnection),
    subjects: &[AttemptSubject],
    code: ProblemCode,
    now: DateTime<Utc>,
) -> Result<(HashingPlace, PooledConnection), Problem> {
    let Some(short) = reserve_now(app, &mut conn, subjects, now).await? else {
        return Ok((place, conn));
    };
    drop((place, conn));
    let mut pauses = AttemptPauses::of_secrets();
    pauses.pause(app, short, code, now).await?;
    let conn = app.store.connection().await?;
    let conn = pauses.reserve(app, conn, subjects, code, now).await?;
    // Without a place, the connection is returned to the pool here.
    let entered = app.passwords.enter(network).map(|place| (place, conn));
    or_give_back(app, subjects, now, entered).await
}

/// The pauses of a request that waits for attempts of other requests.
pub(crate) struct AttemptPauses {
    left: std::slice::Iter<'static, Duration>,
}

impl AttemptPauses {
    /// Those of a submission of serial codes.
    pub(crate) fn of_codes() -> Self {
        Self { left: OF_CODES.iter() }
    }

    fn of_secrets() -> Self {
        Self { left: OF_SECRETS.iter() }
    }

    /// Takes one unit from each of these limits, and pauses, without a connection, as long as there are too few.
    async fn reserve(
        &mut self,
        app: &AppState,
        mut conn: PooledConnection,
        subjects: &[AttemptSubject],
        code: ProblemCode,
        now: DateTime<Utc>,
    ) -> Result<PooledConnection, Problem> {
        loop {
            let Some(short) = reserve_now(app, &mut conn, subjects, now).await? else {
                return Ok(conn);
            };
            drop(conn);
            self.pause(app, short, code, now).await?;
            conn = app.store.connection().await?;
        }
    }

    /// Waits a moment, if units may be returned to the limit that is reached; then the request may ask again. Fails with
    /// `code` if waiting is of no use, or if the request has waited for long enough.
    pub(crate) async fn pause(
        &mut self,
        app: &AppState,
        short: Shortage,
        code: ProblemCode,
        now: DateTime<Utc>,
    ) -> Result<(), Problem> {
        if !short.may_end {
            return Err(attempts_used_up(short.subject, code, now));
        }
        let Some(pause) = self.left.next() else {
            return Err(attempts_in_flight(short.subject, code));
        };
        if !app.store.pause(vary(*pause)).await {
            return Err(attempts_in_flight(short.subject, code));
        }
        Ok(())
    }
}

/// A random length between three and five quarters of this one: requests that began to wait together must not ask
/// together.
fn vary(pause: Duration) -> Duration {
    // The last bytes of such an id are random.
    let random = Uuid::now_v7().as_bytes()[15];
    pause * 3 / 4 + pause * u32::from(random) / 510
}

/// Records that an attempt was wrong, so that no request waits for its units any more. They are used already, so a
/// failure is only logged.
pub(super) async fn decide_wrong(app: &AppState, subjects: &[AttemptSubject], now: DateTime<Utc>) {
    if let Err(error) = decide(app, subjects, now).await {
        tracing::debug!(%error, "a wrong attempt still counts as reserved");
    }
}

async fn decide(
    app: &AppState,
    subjects: &[AttemptSubject],
    now: DateTime<Utc>,
) -> StoreResult<()> {
    let mut conn = app.store.connection().await?;
    attempts::decide(&mut conn, subjects, 1, now).await
}

/// The result of a step between the reservation of units and the verdict. If it failed, nothing was said about the
/// secret, and the units are returned.
pub(super) async fn or_give_back<T>(
    app: &AppState,
    subjects: &[AttemptSubject],
    now: DateTime<Utc>,
    result: Result<T, impl Into<Problem>>,
) -> Result<T, Problem> {
    match result {
        Ok(value) => Ok(value),
        Err(error) => {
            let problem = error.into();
            Box::pin(give_back(app, subjects, now)).await;
            Err(problem)
        }
    }
}

/// Like [`or_give_back`], for the transaction that decides: its units stay used if it may have been committed.
pub(super) async fn decided_or_give_back<T>(
    app: &AppState,
    subjects: &[AttemptSubject],
    now: DateTime<Utc>,
    result: StoreResult<T>,
) -> Result<T, Problem> {
    match result {
        Err(error) if keeps_attempt(&error) => Err(error.into()),
        result => or_give_back(app, subjects, now, result).await,
    }
}

/// Returns the units of an attempt that was refused without a word about the secret, together with those of other
/// requests. If the database does not answer in time, they are returned later. The caller should hold no connection
/// meanwhile: others need it.
pub(super) async fn give_back(app: &AppState, subjects: &[AttemptSubject], now: DateTime<Utc>) {
    if let Err(error) = app.attempt_batches.give_back(subjects, now).await {
        tracing::debug!(%error, "an attempt is not given back yet");
    }
}

/// Like [`give_back`], for an attempt whose secret was right. The request goes on, so this wait is a part of the time that
/// it may wait for the database. When this time ends, the units are returned without it.
pub(super) async fn give_back_right(
    app: &AppState,
    subjects: &[AttemptSubject],
    now: DateTime<Utc>,
) {
    let given_back = async {
        // Dropping this wait is harmless: a task of its own gives them back.
        let _ = tokio::time::timeout(GIVE_BACK_WAIT, give_back(app, subjects, now)).await;
        StoreResult::Ok(())
    };
    if let Err(error) = app.store.wait_for(given_back).await {
        tracing::debug!(%error, "a request does not wait longer until its attempt is given back");
    }
}

/// The failure for an exhausted limit. Also counts it in the metrics and logs it.
fn attempts_used_up(full: AttemptSubject, code: ProblemCode, now: DateTime<Utc>) -> Problem {
    metrics::counter!("attempts_refused_total", "scope" => full.scope.as_str()).increment(1);
    tracing::warn!(scope = full.scope.as_str(), "attempt limit reached");
    Problem::new(code).retry_after(full.limit.retry_after(now))
}

/// The failure for a limit whose last units are reserved for attempts that are not decided yet: nobody guessed too often.
/// Also counts it in the metrics.
fn attempts_in_flight(full: AttemptSubject, code: ProblemCode) -> Problem {
    metrics::counter!("attempts_in_flight_total", "scope" => full.scope.as_str()).increment(1);
    tracing::info!(scope = full.scope.as_str(), "all attempts are reserved by other requests");
    Problem::new(code).because(ProblemCause::AttemptsInFlight).retry_after(2)
}
