//! The log-out of a browser.

use actix_web::{HttpResponse, web};

use crate::app::accounts::sessions;
use crate::app::problem::Problem;
use crate::app::state::AppState;
use crate::auth::permission::EndOwnSessions;
use crate::web::session::{Visitor, logged_out, see_other};

/// Ends the session of the browser and deletes its cookie. A session that has ended already is not an error.
pub(in crate::web) async fn log_out(
    state: web::Data<AppState>,
    visitor: Visitor,
) -> Result<HttpResponse, Problem> {
    if let (Ok(by), Some(token)) = (visitor.must::<EndOwnSessions>(), visitor.token()) {
        sessions::log_out_browser(&state, &by, token).await?;
    }
    let mut answer = see_other("/");
    answer.add_cookie(&logged_out(&state.settings)).map_err(Problem::internal)?;
    Ok(answer)
}

/// Ends the session that a browser had before it logged in anew, to whatever account: its cookie is replaced, so nobody
/// would end the session. The log-in is done, so a failure is only logged.
pub(in crate::web) async fn end_previous(app: &AppState, visitor: &Visitor) {
    if let (Ok(by), Some(token)) = (visitor.must::<EndOwnSessions>(), visitor.token())
        && let Err(problem) = sessions::log_out_browser(app, &by, token).await
    {
        let code = problem.code().code();
        tracing::warn!(code, "logged in anew, but the previous session of the browser goes on");
    }
}
