//! Limits on attempts at secrets: what they are counted by, and the failure when they are used up.

use chrono::{DateTime, Utc};

use crate::app::problem::{Problem, ProblemCode};
use crate::app::problem_cause::ProblemCause;
use crate::app::state::AppState;
use crate::domain::accounts::attempts::AttemptScope;
use crate::domain::network::Network;
use crate::store::Connection;
use crate::store::accounts::attempts::{self, AttemptSubject};

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

/// Takes one unit from each of these limits, or fails with `code`. To return the units, callers must pass the same
/// `now`.
pub(crate) async fn reserve_attempt(
    conn: &mut Connection,
    subjects: &[AttemptSubject],
    code: ProblemCode,
    now: DateTime<Utc>,
) -> Result<(), Problem> {
    match attempts::reserve(conn, subjects, 1, now).await? {
        None => Ok(()),
        Some(full) => Err(attempts_used_up(full, code, now)),
    }
}

/// The failure for an exhausted limit. Also counts it in the metrics and logs it.
pub(crate) fn attempts_used_up(
    full: AttemptSubject,
    code: ProblemCode,
    now: DateTime<Utc>,
) -> Problem {
    metrics::counter!("attempts_refused_total", "scope" => full.scope.as_str()).increment(1);
    tracing::warn!(scope = full.scope.as_str(), "attempt limit reached");
    Problem::new(code).retry_after(full.limit.retry_after(now))
}

/// The failure for a limit whose last units are reserved for attempts that are not decided yet: nobody guessed too often.
/// Also counts it in the metrics.
pub(crate) fn attempts_in_flight(full: AttemptSubject, code: ProblemCode) -> Problem {
    metrics::counter!("attempts_in_flight_total", "scope" => full.scope.as_str()).increment(1);
    tracing::info!(scope = full.scope.as_str(), "all attempts are reserved by other requests");
    Problem::new(code).because(ProblemCause::AttemptsInFlight).retry_after(2)
}
