//! Log-in after a repeated registration: the form of a new account is sent a second time, by a second click or because the first response was lost.

use chrono::Duration;

use super::sessions::{self, Credentials};
use crate::app::problem::{Problem, ProblemCode};
use crate::app::state::AppState;
use crate::auth::permission::Role;
use crate::auth::secret::OpaqueToken;
use crate::domain::network::Network;
use crate::domain::text::AccountName;
use crate::store::accounts::account_records::{self, AccountRow};

/// How long an account counts as new. For an older account, the registration form does not check the password: a client that registers a taken name
/// must not use up the log-in attempts of that account.
const NEW_FOR: Duration = Duration::minutes(10);

/// Logs in a browser with the name and the password of a player's new account. `None`: there is no new account with this name, or the password is wrong.
///
/// # Errors
/// The log-in fails for another reason: too many attempts, no free place to check the password, or a database failure.
pub async fn log_in_again(
    app: &AppState,
    network: Network,
    name: &AccountName,
    password: &str,
) -> Result<Option<OpaqueToken>, Problem> {
    let mut conn = app.store.connection().await?;
    let found = account_records::find_for_login(&mut conn, name.key()).await?;
    drop(conn);
    let now = app.clock.now();
    let is_new = |account: &AccountRow| {
        let is_of_player = account.role() == Role::Player && !account.must_change_password;
        is_of_player && now - account.created_at < NEW_FOR
    };
    if !found.is_some_and(|row| is_new(&row.account)) {
        return Ok(None);
    }
    let credentials = Credentials { name: name.as_str(), password, second_factor: None };
    match sessions::log_in_browser(app, network, credentials).await {
        Ok(token) => Ok(Some(token)),
        Err(problem) => match problem.code() {
            ProblemCode::WrongCredentials
            | ProblemCode::AccountBanned
            | ProblemCode::SecondFactorRequired => Ok(None),
            _ => Err(problem),
        },
    }
}
