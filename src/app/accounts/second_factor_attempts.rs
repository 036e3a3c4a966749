//! Limits on guesses at second factors. An attacker who gets this far knows the password, so these limits are lower
//! than those of log-ins, and last longer.

use chrono::{DateTime, Utc};

use super::attempts::{
    attempt_subjects, decide_wrong, decided_or_give_back, network_mac, reserve_attempt,
};
use crate::app::problem::{Problem, ProblemCode};
use crate::app::state::AppState;
use crate::domain::accounts::attempts::AttemptScope;
use crate::domain::ids::AccountId;
use crate::domain::network::Network;
use crate::store::accounts::attempts::{self, AttemptSubject};
use crate::store::accounts::sessions;
use crate::store::{Connection, PooledConnection, StoreResult};

/// Units of attempt limits that were taken before a code is checked.
pub(super) struct FactorAttempt {
    subjects: Vec<AttemptSubject>,
    at: DateTime<Utc>,
}

impl FactorAttempt {
    /// Takes one unit from each limit: that of the account together with this network, that of the network, and, if
    /// this network never logged in to the account with its current second factor (set up at `since`), that of the
    /// account for unknown networks. Fails when one of them is used up; the connection is returned to the pool before
    /// it waits.
    pub(super) async fn reserve(
        app: &AppState,
        mut conn: PooledConnection,
        account: AccountId,
        since: Option<DateTime<Utc>>,
        network: Network,
        at: DateTime<Utc>,
    ) -> Result<Self, Problem> {
        use AttemptScope as S;
        let mut scopes = vec![S::SecondFactorAccountNetwork, S::SecondFactorNetwork];
        let mac = network_mac(app, network);
        let known = match since {
            Some(since) => sessions::knows_network_since(&mut conn, account, &mac, since).await?,
            None => sessions::knows_network(&mut conn, account, &mac).await?,
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
        reserve_attempt(app, conn, &subjects, ProblemCode::LoginThrottled, at).await?;
        Ok(Self { subjects, at })
    }

    /// Returns the units after a correct code.
    pub(super) async fn release(&self, conn: &mut Connection) -> StoreResult<()> {
        attempts::release(conn, &self.subjects, 1, self.at).await
    }

    /// The result of the transaction that decides about the code. If it certainly decided nothing, the units are returned.
    pub(super) async fn decided<T>(
        &self,
        app: &AppState,
        result: StoreResult<T>,
    ) -> Result<T, Problem> {
        decided_or_give_back(app, &self.subjects, self.at, result).await
    }

    /// The limits that the units were taken from.
    pub(super) fn subjects(&self) -> &[AttemptSubject] {
        &self.subjects
    }

    /// Records a wrong code in metrics and log, and that its units stay used.
    pub(super) async fn record_failure(&self, app: &AppState, account: AccountId) {
        metrics::counter!("second_factor_failures_total").increment(1);
        tracing::warn!(%account, "wrong code of a second factor");
        decide_wrong(app, &self.subjects, self.at).await;
    }
}
