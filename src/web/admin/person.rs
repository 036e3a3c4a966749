//! The page of one account, with the actions of admins.

use actix_web::{HttpResponse, web};
use askama::Template;
use serde::Deserialize;
use uuid::Uuid;

use super::parts::{Area, DoneQuery, Nav, faults_of};
use super::people::{person_path, role_choice};
use super::words as admin_words;
use crate::app::accounts::own_account::{self, AccountChanges, AccountResponse};
use crate::app::accounts::second_factor;
use crate::app::problem::{Problem, ProblemCode};
use crate::app::state::AppState;
use crate::auth::permission::{ManageAccounts, ReadAccounts, Role};
use crate::domain::ids::AccountId;
use crate::http::extract::Form;
use crate::web::accounts::Moment;
use crate::web::forms::{Choice, Faults, private};
use crate::web::page::{Frame, Place};
use crate::web::page_status::PageStatus;
use crate::web::session::{Player, Visitor, see_other};
use crate::web::words;

#[derive(Template)]
#[template(path = "web/admin/person.html")]
struct PersonPage {
    frame: Frame,
    nav: Nav,
    faults: Faults,
    /// Confirmation of the action that was just completed; empty: no action.
    done: &'static str,
    path: String,
    account: AccountResponse,
    role: String,
    since: Moment,
    banned: Option<Moment>,
    is_own: bool,
    /// Whether the reader may change the account.
    may_change: bool,
    is_admin: bool,
    roles: Vec<Choice>,
}

/// Shows an account.
pub(in crate::web) async fn find_person(
    state: web::Data<AppState>,
    by: Player<ReadAccounts>,
    account: web::Path<Uuid>,
    query: web::Query<DoneQuery>,
) -> Result<HttpResponse, Problem> {
    let done = admin_words::done(&query.done);
    show(&state, &by.visitor, PageStatus::OK, AccountId(*account), Faults::none(), done).await
}

async fn show(
    app: &AppState,
    visitor: &Visitor,
    status: PageStatus,
    id: AccountId,
    faults: Faults,
    done: &'static str,
) -> Result<HttpResponse, Problem> {
    let reads = visitor.must::<ReadAccounts>()?;
    let account = own_account::find(app, &reads, id).await?;
    let is_own = reads.account() == id;
    let is_admin = visitor.must::<ManageAccounts>().is_ok();
    let page = PersonPage {
        frame: Frame::new(&account.name).at(Place::Account),
        nav: Nav::new(reads.role(), Area::People),
        faults,
        done,
        path: person_path(id.0),
        role: words::role(account.role),
        since: Moment::new(account.created_at),
        banned: account.banned_at.map(Moment::new),
        is_own,
        may_change: is_admin && !is_own,
        is_admin,
        roles: Role::ALL.map(|role| role_choice(role, account.role)).into(),
        account,
    };
    private(status, &page)
}

/// Redirects after an action on an account, or shows the account again with the fault.
async fn after(
    app: &AppState,
    visitor: &Visitor,
    id: AccountId,
    changed: Result<&'static str, Problem>,
) -> Result<HttpResponse, Problem> {
    match changed {
        Ok(done) => Ok(see_other(&format!("{}?done={done}", person_path(id.0)))),
        Err(problem) => {
            let Some(faults) = faults_of(&problem, &["role"]) else { return Err(problem) };
            show(app, visitor, PageStatus::of(&problem), id, faults, "").await
        }
    }
}

/// The new role of an account.
#[derive(Deserialize)]
pub(in crate::web) struct RoleForm {
    role: String,
}

/// Changes the role of an account.
pub(in crate::web) async fn change_role(
    state: web::Data<AppState>,
    by: Player<ManageAccounts>,
    account: web::Path<Uuid>,
    Form(form): Form<RoleForm>,
) -> Result<HttpResponse, Problem> {
    let id = AccountId(*account);
    let role = Role::parse(&form.role).ok_or_else(|| Problem::new(ProblemCode::InvalidBody))?;
    let changes = AccountChanges { role: Some(role), banned: None };
    let changed = own_account::change(&state, &by, id, changes).await.map(|_| "role");
    after(&state, &by.visitor, id, changed).await
}

/// The page that asks for confirmation before an action that ends sessions.
#[derive(Template)]
#[template(path = "web/admin/confirm_person.html")]
struct ConfirmPage {
    frame: Frame,
    nav: Nav,
    heading: String,
    about: &'static str,
    action: String,
    button: &'static str,
    /// The page of the account.
    path: String,
}

async fn confirm(
    app: &AppState,
    by: &Player<ManageAccounts>,
    id: AccountId,
    question: &Question,
) -> Result<HttpResponse, Problem> {
    let account = own_account::find(app, &by.visitor.must()?, id).await?;
    let heading = (question.heading)(&account.name);
    let path = person_path(id.0);
    let page = ConfirmPage {
        frame: Frame::new(&heading).at(Place::Account),
        nav: Nav::new(by.role(), Area::People),
        heading,
        about: question.about,
        action: format!("{path}/{}", question.way),
        button: question.button,
        path,
    };
    private(PageStatus::OK, &page)
}

/// A question that is asked before an action.
struct Question {
    way: &'static str,
    heading: fn(&str) -> String,
    about: &'static str,
    button: &'static str,
}

const BAN: Question = Question {
    way: "ban",
    heading: admin_words::ban_of,
    about: admin_words::BAN_ABOUT,
    button: admin_words::BAN,
};

const REMOVE_FACTOR: Question = Question {
    way: "second-factor",
    heading: admin_words::factor_of,
    about: admin_words::REMOVE_FACTOR_ABOUT,
    button: admin_words::REMOVE_FACTOR,
};

/// Asks for confirmation before an account is banned.
pub(in crate::web) async fn show_ban(
    state: web::Data<AppState>,
    by: Player<ManageAccounts>,
    account: web::Path<Uuid>,
) -> Result<HttpResponse, Problem> {
    confirm(&state, &by, AccountId(*account), &BAN).await
}

/// Bans an account.
pub(in crate::web) async fn ban(
    state: web::Data<AppState>,
    by: Player<ManageAccounts>,
    account: web::Path<Uuid>,
) -> Result<HttpResponse, Problem> {
    set_ban(&state, &by, AccountId(*account), true).await
}

/// Lifts the ban of an account.
pub(in crate::web) async fn lift_ban(
    state: web::Data<AppState>,
    by: Player<ManageAccounts>,
    account: web::Path<Uuid>,
) -> Result<HttpResponse, Problem> {
    set_ban(&state, &by, AccountId(*account), false).await
}

async fn set_ban(
    app: &AppState,
    by: &Player<ManageAccounts>,
    id: AccountId,
    banned: bool,
) -> Result<HttpResponse, Problem> {
    let changes = AccountChanges { role: None, banned: Some(banned) };
    let done = if banned { "banned" } else { "unbanned" };
    let changed = own_account::change(app, by, id, changes).await.map(|_| done);
    after(app, &by.visitor, id, changed).await
}

/// Asks for confirmation before the second factor of an account is removed.
pub(in crate::web) async fn show_remove_factor(
    state: web::Data<AppState>,
    by: Player<ManageAccounts>,
    account: web::Path<Uuid>,
) -> Result<HttpResponse, Problem> {
    confirm(&state, &by, AccountId(*account), &REMOVE_FACTOR).await
}

/// Removes the second factor of an account whose owner has lost the device and the recovery codes.
pub(in crate::web) async fn remove_factor(
    state: web::Data<AppState>,
    by: Player<ManageAccounts>,
    account: web::Path<Uuid>,
) -> Result<HttpResponse, Problem> {
    let id = AccountId(*account);
    let removed = second_factor::remove(&state, &by, id).await.map(|()| "factor");
    after(&state, &by.visitor, id, removed).await
}
