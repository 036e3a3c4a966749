//! The page of the visitor's own account: name, role, settings, sessions, and links to all other pages of the account.

use actix_web::{HttpResponse, web};
use askama::Template;
use chrono::{DateTime, Utc};
use serde::Deserialize;
use uuid::Uuid;

use super::words as account_words;
use crate::app::accounts::own_account::{self, AccountResponse};
use crate::app::accounts::second_factor::{self, SecondFactorResponse};
use crate::app::accounts::sessions;
use crate::app::copies::trading;
use crate::app::problem::{Problem, ProblemCode};
use crate::app::serials::community;
use crate::app::state::AppState;
use crate::auth::permission::{
    ChangeOwnListing, ChangeOwnTrading, EndOwnSessions, ReadOwnAccount, Role,
};
use crate::domain::copies::trade::Trading;
use crate::domain::ids::SessionId;
use crate::http::extract::Form;
use crate::web::forms::private;
use crate::web::page::{Frame, Place};
use crate::web::page_status::PageStatus;
use crate::web::session::{Player, see_other};
use crate::web::words;

#[derive(Template)]
#[template(path = "web/accounts/account.html")]
struct AccountPage {
    frame: Frame,
    /// Confirmation of the action that was just completed; empty: no action.
    done: &'static str,
    account: AccountResponse,
    factor: SecondFactorResponse,
    sessions: Vec<SessionLine>,
    tradings: Vec<TradingChoice>,
}

/// A session of the visitor's account.
struct SessionLine {
    id: Uuid,
    is_this: bool,
    used_by: &'static str,
    began: Moment,
    used: Moment,
    ends: Moment,
}

/// A point in time, as text for people and as a timestamp for programs.
pub(in crate::web) struct Moment {
    pub(in crate::web) text: String,
    pub(in crate::web) machine: String,
}

impl Moment {
    pub(in crate::web) fn new(at: DateTime<Utc>) -> Self {
        Self { text: account_words::moment(at), machine: at.to_rfc3339() }
    }
}

/// A choice of the setting who may send trade offers to the account.
struct TradingChoice {
    value: &'static str,
    text: &'static str,
    is_chosen: bool,
}

impl AccountPage {
    /// Whether a required step is due (a new password, a second factor): until it is done, the account may do nothing else.
    fn is_something_due(&self) -> bool {
        self.account.must_change_password || self.is_factor_due()
    }

    fn is_factor_due(&self) -> bool {
        self.factor.required && !self.factor.on
    }
}

/// Query of the page: the code of the action that was just completed.
#[derive(Deserialize)]
pub(in crate::web) struct AccountQuery {
    #[serde(default)]
    done: String,
}

/// Shows the visitor's own account.
pub(in crate::web) async fn find_account(
    state: web::Data<AppState>,
    by: Player<ReadOwnAccount>,
    query: web::Query<AccountQuery>,
) -> Result<HttpResponse, Problem> {
    let account = own_account::find_own(&state, &by).await?;
    let factor = second_factor::find(&state, &by).await?;
    let sessions = sessions::list(&state, &by).await?.data.into_iter().map(|session| SessionLine {
        id: session.id,
        is_this: session.current,
        used_by: account_words::used_by(session.is_browser),
        began: Moment::new(session.created_at),
        used: Moment::new(session.last_used_at),
        ends: Moment::new(session.expires_at),
    });
    let choice = |trading: Trading| TradingChoice {
        value: trading.as_str(),
        text: account_words::trading(trading),
        is_chosen: trading.as_str() == account.trading,
    };
    let tradings = Trading::ALL.into_iter().map(choice).collect();
    let page = AccountPage {
        frame: Frame::new(account_words::ACCOUNT).at(Place::Account),
        done: account_words::done(&query.done),
        sessions: sessions.collect(),
        account,
        factor,
        tradings,
    };
    private(PageStatus::OK, &page)
}

/// The settings of the visitor's own account. Browsers do not send a checkbox that is not ticked.
#[derive(Deserialize)]
pub(in crate::web) struct SettingsForm {
    trading: String,
    on_leaderboard: Option<String>,
}

/// Changes the settings of the visitor's own account. The two settings are stored one after the other. Both writes are idempotent, so after a failure between
/// them the visitor can send the form again.
pub(in crate::web) async fn change_settings(
    state: web::Data<AppState>,
    by: Player<ChangeOwnTrading>,
    Form(form): Form<SettingsForm>,
) -> Result<HttpResponse, Problem> {
    let listing = by.visitor.must::<ChangeOwnListing>()?;
    let chosen = Trading::parse(&form.trading);
    let chosen = chosen.ok_or_else(|| Problem::new(ProblemCode::InvalidBody))?;
    trading::change(&state, &by, chosen).await?;
    community::change_listing(&state, &listing, form.on_leaderboard.is_some()).await?;
    Ok(see_other("/my/account?done=settings"))
}

/// Ends one of the visitor's own sessions. A session that has ended already is not an error.
pub(in crate::web) async fn end_session(
    state: web::Data<AppState>,
    by: Player<EndOwnSessions>,
    session: web::Path<Uuid>,
) -> Result<HttpResponse, Problem> {
    match sessions::end(&state, &by, SessionId(*session)).await {
        Err(problem) if problem.code() != ProblemCode::NotFound => return Err(problem),
        _ => {}
    }
    // The ended session may be the session of this request.
    by.visitor.forget(&state).await;
    Ok(see_other("/my/account?done=session"))
}
