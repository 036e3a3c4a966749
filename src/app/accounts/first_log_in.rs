//! The log-in of an account that was made a moment ago, where its form comes a second time: by a second click, or because the first answer was lost.

use chrono::Duration;

use super::sessions::{self, Credentials};
use crate::app::problem::Problem;
use crate::app::state::AppState;
use crate::auth::secret::OpaqueToken;
use crate::domain::network::Network;
use crate::domain::text::AccountName;
use crate::store::accounts::account_records;

/// So long an account is new. Guesses at the passwords of older ones are for the log-in alone: whoever chooses a name that is taken uses up nobody's attempts.
const NEW_FOR: Duration = Duration::minutes(10);

/// Logs a browser in with the name and the password of a new account. `None`: no account of this name is new, or this is not its password.
///
/// # Errors
/// The database fails.
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
    if found.is_none_or(|row| now - row.account.created_at >= NEW_FOR) {
        return Ok(None);
    }
    let credentials = Credentials { name: name.as_str(), password, second_factor: None };
    Ok(sessions::log_in_browser(app, network, credentials).await.ok())
}
