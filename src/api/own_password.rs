//! The own password, asked for once more before what a stolen access token must not be enough for.

use chrono::{DateTime, Utc};

use super::extract::ClientNetwork;
use super::problem::{Problem, ProblemCode};
use super::sessions::{attempt_subjects, reserve_attempt};
use super::state::AppState;
use crate::auth::password::Verdict;
use crate::domain::attempts::AttemptScope;
use crate::domain::ids::AccountId;
use crate::domain::password::Password;
use crate::store::accounts::{self, VerifiedPassword};
use crate::store::attempts;

/// Checks the password of the account that asks; counted like wrong passwords of a log-in, and by the account.
pub(super) async fn verify_own_password(
    state: &AppState,
    account: AccountId,
    network: &ClientNetwork,
    password: String,
    now: DateTime<Utc>,
) -> Result<VerifiedPassword, Problem> {
    let mut conn = state.store.connection().await?;
    let row =
        accounts::find_with_password(&mut conn, account).await?.ok_or_else(Problem::not_found)?;
    let scopes = [AttemptScope::LoginAccountNetwork, AttemptScope::PasswordAccount];
    let own = account.0;
    let subjects: Vec<_> = scopes
        .into_iter()
        .flat_map(|scope| attempt_subjects(state, scope, own.as_bytes(), network))
        .collect();
    reserve_attempt(&mut conn, &subjects, ProblemCode::LoginThrottled, now).await?;
    drop(conn);

    let stored = Some(row.password_hash.clone());
    if state.passwords.verify(Password::presented(password), stored).await? == Verdict::Wrong {
        return Err(Problem::new(ProblemCode::WrongPassword));
    }
    let mut conn = state.store.connection().await?;
    attempts::release(&mut conn, &subjects, 1, now).await?;
    Ok(VerifiedPassword {
        account,
        hash: row.password_hash,
        second_factor_since: row.account.second_factor_since,
        stronger: None,
    })
}
