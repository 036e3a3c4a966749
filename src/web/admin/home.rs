//! The start page of moderators and admins: items that wait for a decision and, on a new service, the first steps of the setup.

use actix_web::{HttpResponse, web};
use askama::Template;

use super::parts::{Area, Nav, limit};
use super::words as admin_words;
use crate::app::accounts::own_account;
use crate::app::accounts::people::{self, PeopleFilter};
use crate::app::accounts::second_factor;
use crate::app::catalogue::codes::Codes;
use crate::app::catalogue::sets;
use crate::app::copies::disputes::{self, DisputeFilter, WhoseDisputes};
use crate::app::copies::own_copies::ModeratorAccess;
use crate::app::designs::abuse_reports::{self, ReportSelection};
use crate::app::designs::design_reviews;
use crate::app::page::Page;
use crate::app::problem::{Problem, ProblemCode};
use crate::app::serials::submission_reviews::{self, WaitingSelection};
use crate::app::state::AppState;
use crate::auth::permission::{Granted, ReadAccounts, ReadOwnAccount, Role};
use crate::store::designs::design_reviews::ReviewPage;
use crate::web::forms::private;
use crate::web::page::{Frame, Place};
use crate::web::page_status::PageStatus;
use crate::web::session::{Player, Visitor};
use crate::web::words;

/// At most this many items of each list are counted: counting reads their rows, and a higher number has no use.
const COUNTED: u16 = 20;

#[derive(Template)]
#[template(path = "web/admin/home.html")]
struct StartPage {
    frame: Frame,
    nav: Nav,
    /// The first steps that are still to do; empty: all are done.
    steps: Vec<Step>,
    /// Whether the account has a required step to do before anything else.
    is_due: bool,
    waiting: Vec<Waiting>,
    tools: Vec<Tool>,
}

/// A step of the setup of a new service.
struct Step {
    name: &'static str,
    about: &'static str,
    path: &'static str,
    is_done: bool,
}

/// A list of items that wait for a decision.
struct Waiting {
    name: &'static str,
    about: &'static str,
    path: &'static str,
    count: String,
    is_empty: bool,
}

/// A link to another page of admins.
struct Tool {
    name: &'static str,
    about: &'static str,
    path: &'static str,
}

/// Shows the items that wait. An account that must change its password first sees that step only.
pub(in crate::web) async fn find_start(
    state: web::Data<AppState>,
    by: Player<ReadOwnAccount>,
) -> Result<HttpResponse, Problem> {
    let role = by.role();
    let (reads, is_due) = match by.visitor.must::<ReadAccounts>() {
        Ok(reads) => (Some(reads), false),
        Err(problem) => match problem.code() {
            ProblemCode::PasswordChangeDue | ProblemCode::SecondFactorDue => (None, true),
            _ => return Err(problem),
        },
    };
    let steps = steps(&state, &by, reads.as_ref()).await?;
    let waiting = match &reads {
        Some(reads) => waiting(&state, &by.visitor, reads).await?,
        None => Vec::new(),
    };
    let tools = if is_due || role < Role::Admin { &[][..] } else { &admin_words::TOOLS };
    let page = StartPage {
        frame: Frame::new(admin_words::START).at(Place::Account),
        nav: Nav::new(role, Area::Start),
        steps: if steps.iter().all(|step| step.is_done) { Vec::new() } else { steps },
        is_due,
        waiting,
        tools: tools.iter().map(|(path, name, about)| Tool { name, about, path }).collect(),
    };
    private(PageStatus::OK, &page)
}

/// The first steps on a new service: moderators have steps for their own account, admins also for the service.
async fn steps(
    app: &AppState,
    by: &Player<ReadOwnAccount>,
    reads: Option<&Granted<ReadAccounts>>,
) -> Result<Vec<Step>, Problem> {
    let account = own_account::find_own(app, by).await?;
    let factor = second_factor::find(app, by).await?;
    let step = |(path, name, about): (&'static str, &'static str, &'static str), is_done| Step {
        name,
        about,
        path,
        is_done,
    };
    let mut steps = vec![step(admin_words::STEP_PASSWORD, !account.must_change_password)];
    if factor.required {
        steps.push(step(admin_words::STEP_FACTOR, factor.on));
    }
    if by.role() < Role::Admin {
        return Ok(steps);
    }
    let has_second_admin = match reads {
        None => false,
        Some(reads) => {
            let filter = PeopleFilter { role: Some(Role::Admin), banned: Some(false), name: None };
            people::list(app, reads, &filter, None, limit(2)?).await?.data.len() > 1
        }
    };
    steps.push(step(admin_words::STEP_SECOND_ADMIN, has_second_admin));
    steps.push(step(admin_words::STEP_GAME, !app.all_games().await?.is_empty()));
    let sets = sets::list_all(app, None, limit(1)?).await?;
    steps.push(step(admin_words::STEP_SET, !sets.data.is_empty()));
    Ok(steps)
}

/// The lists that wait for a moderator, read one after the other.
async fn waiting(
    app: &AppState,
    visitor: &Visitor,
    reads: &Granted<ReadAccounts>,
) -> Result<Vec<Waiting>, Problem> {
    let (viewer, most) = (visitor.viewer(), limit(COUNTED)?);
    let (by, all) = (visitor.must()?, WaitingSelection { account: None, game: None, set: None });
    let reviews = submission_reviews::list_waiting(app, &by, viewer, None, all, None, most).await?;
    let reviews = entry(&admin_words::WAITING_REVIEWS, &reviews);
    let (by, all) = (visitor.must()?, Codes::default());
    let first = ReviewPage::Waiting(None);
    let designs = design_reviews::list(app, &by, first, &all, most).await?;
    let designs = entry(&admin_words::WAITING_DESIGNS, &designs);
    let (by, undecided) = (visitor.must()?, ReportSelection::default());
    let reports = abuse_reports::list(app, &by, undecided, None, most).await?;
    let reports = entry(&admin_words::WAITING_REPORTS, &reports);
    let moderator_access =
        ModeratorAccess { copies: visitor.must()?, accounts: Some(reads.clone()) };
    let (whose, open) = (WhoseDisputes::All(moderator_access, None), Some(true));
    let filter = DisputeFilter { open, ..DisputeFilter::default() };
    let disputes =
        disputes::list(app, &visitor.must()?, viewer, &whose, filter, None, most).await?;
    let disputes = entry(&admin_words::WAITING_DISPUTES, &disputes);
    Ok(vec![reviews, designs, reports, disputes])
}

fn entry<T>(
    (path, name, about): &(&'static str, &'static str, &'static str),
    page: &Page<T>,
) -> Waiting {
    let count = admin_words::waiting(page.data.len(), page.next_cursor.is_some());
    Waiting { name, about, path, count, is_empty: page.data.is_empty() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_incomplete_count_is_shown() {
        let count = |rows: usize, next_cursor: Option<&str>| {
            let next_cursor = next_cursor.map(str::to_owned);
            let page = Page { data: vec![(); rows], next_cursor, total: None };
            let entry = entry(&admin_words::WAITING_REPORTS, &page);
            (entry.count, entry.is_empty)
        };
        assert_eq!(count(0, None), ("Nothing waits".to_owned(), true));
        assert_eq!(count(20, None), ("20 waiting".to_owned(), false));
        assert_eq!(count(20, Some("x")), ("More than 20 waiting".to_owned(), false));
    }
}
