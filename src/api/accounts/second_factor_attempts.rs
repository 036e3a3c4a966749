//! Limits on guesses at second factors. Who guesses knows the password already, so they are smaller than those of log-ins, and longer.

use chrono::{DateTime, Utc};

use super::sessions::{attempt_subjects, network_mac, reserve_attempt};
use crate::app::problem::{Problem, ProblemCode};
use crate::app::state::AppState;
use crate::domain::accounts::attempts::AttemptScope;
use crate::domain::ids::AccountId;
use crate::domain::network::Network;
use crate::store::accounts::attempts::{self, AttemptSubject};
use crate::store::accounts::sessions;
use crate::store::{Connection, StoreResult};

/// Units that were taken before a code was looked at.
pub(in crate::api) struct FactorAttempt {
    subjects: Vec<AttemptSubject>,
    at: DateTime<Utc>,
}

impl FactorAttempt {
    /// Takes one unit for the account from this network, for the network, and, from networks that never logged in to the account with the
    /// second factor that it has since `since`, for the account; or answers 429.
    pub(in crate::api) async fn reserve(
        state: &AppState,
        account: AccountId,
        since: Option<DateTime<Utc>>,
        network: Network,
        at: DateTime<Utc>,
    ) -> Result<Self, Problem> {
        use AttemptScope as S;
        let mut conn = state.store.connection().await?;
        let mut scopes = vec![S::SecondFactorAccountNetwork, S::SecondFactorNetwork];
        let mac = network_mac(state, network);
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
                attempt_subjects(state, scope, counted_by, network)
            })
            .collect();
        reserve_attempt(&mut conn, &subjects, ProblemCode::LoginThrottled, at).await?;
        Ok(Self { subjects, at })
    }

    /// Gives the units back: the code was right.
    pub(in crate::api) async fn release(&self, conn: &mut Connection) -> StoreResult<()> {
        attempts::release(conn, &self.subjects, 1, self.at).await
    }

    /// What the units were taken of.
    pub(in crate::api) fn subjects(&self) -> &[AttemptSubject] {
        &self.subjects
    }

    /// Counts a code that was wrong.
    pub(in crate::api) fn fail(account: AccountId) {
        metrics::counter!("second_factor_failures_total").increment(1);
        tracing::warn!(%account, "wrong code of a second factor");
    }
}
