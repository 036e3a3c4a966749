//! Limits on guesses at second factors. Who guesses knows the password already, so they are smaller than those of log-ins, and longer.

use chrono::{DateTime, Utc};

use super::attempts::{attempt_subjects, network_mac, reserve_attempt};
use crate::app::problem::{Problem, ProblemCode};
use crate::app::state::AppState;
use crate::domain::accounts::attempts::AttemptScope;
use crate::domain::ids::AccountId;
use crate::domain::network::Network;
use crate::store::accounts::attempts::{self, AttemptSubject};
use crate::store::accounts::sessions;
use crate::store::{Connection, StoreResult};

/// Units that were taken before a code was looked at.
pub(super) struct FactorAttempt {
    subjects: Vec<AttemptSubject>,
    at: DateTime<Utc>,
}

impl FactorAttempt {
    /// Takes one unit for the account from this network, for the network, and, from networks that never logged in to the account with the
    /// second factor that it has since `since`, for the account; or fails when one is used up.
    pub(super) async fn reserve(
        app: &AppState,
        conn: &mut Connection,
        account: AccountId,
        since: Option<DateTime<Utc>>,
        network: Network,
        at: DateTime<Utc>,
    ) -> Result<Self, Problem> {
        use AttemptScope as S;
        let mut scopes = vec![S::SecondFactorAccountNetwork, S::SecondFactorNetwork];
        let mac = network_mac(app, network);
        let known = match since {
            Some(since) => sessions::knows_network_since(conn, account, &mac, since).await?,
            None => sessions::knows_network(conn, account, &mac).await?,
        };
        if !known {
            scopes.push(S::SecondFactorAccountStrangers);
        }
        let own = account.0;
        let subjects: Vec<_> = scopes
            .into_iter()
            .flat_map(|scope| {
                let counted_by: &[u8] =
                    if scope == S::SecondFactorNetwork { &[] } else { own.as_bytes() };
                attempt_subjects(app, scope, counted_by, network)
            })
            .collect();
        reserve_attempt(conn, &subjects, ProblemCode::LoginThrottled, at).await?;
        Ok(Self { subjects, at })
    }

    /// Gives the units back: the code was right.
    pub(super) async fn release(&self, conn: &mut Connection) -> StoreResult<()> {
        attempts::release(conn, &self.subjects, 1, self.at).await
    }

    /// What the units were taken of.
    pub(super) fn subjects(&self) -> &[AttemptSubject] {
        &self.subjects
    }

    /// Counts a code that was wrong, in metrics and log.
    pub(super) fn record_failure(account: AccountId) {
        metrics::counter!("second_factor_failures_total").increment(1);
        tracing::warn!(%account, "wrong code of a second factor");
    }
}
