//! Disputes: two players both claim to hold the same copy.

use uuid::Uuid;

use super::dispute_responses::{DisputeResponse, DisputeSummaryResponse, people_in};
use super::own_copies::ModeratorAccess;
use crate::app::accounts::people::{Names, PersonFilter};
use crate::app::page::{Page, PageLimit, paged};
use crate::app::problem::{InputFault, Problem, ProblemCode};
use crate::app::problem_cause::ProblemCause;
use crate::app::problem_member::ProblemMember;
use crate::app::state::AppState;
use crate::app::words::words;
use crate::auth::permission::{
    ArgueOwnDisputes, Granted, ModerateCopies, ReadAccounts, ReadOwnDisputes, Viewer,
};
use crate::domain::copies::dispute::{DisputeSide, DisputeState, MAX_STATEMENT, Outcome};
use crate::domain::ids::DisputeId;
use crate::domain::text;
use crate::store::copies::disputes::{self, DisputeOutcome, DisputePermission, DisputesOf};
use crate::store::operations::idempotency::{IdempotencyClaim, IdempotentError};
use crate::store::{Connection, StoreError, StoreResult};

pub use crate::store::copies::disputes::{Decision, DisputeFilter};

words! {
    Outcome: "A moderator's decision about a dispute.";
}

/// Which disputes to list.
#[expect(clippy::large_enum_variant, reason = "a request makes one")]
pub enum WhoseDisputes {
    /// Disputes of the reader, on one side or on both.
    Own(Option<DisputeSide>),
    /// All disputes, or all in which this account is involved.
    All(ModeratorAccess, Option<PersonFilter>),
}

/// Lists disputes, the newest first.
pub async fn list(
    app: &AppState,
    by: &Granted<ReadOwnDisputes>,
    viewer: Viewer,
    whose: &WhoseDisputes,
    filter: DisputeFilter,
    before: Option<Uuid>,
    limit: PageLimit,
) -> Result<Page<DisputeSummaryResponse>, Problem> {
    let mut conn = app.store.connection().await?;
    let of = match whose {
        WhoseDisputes::Own(side) => DisputesOf::Own(*side),
        WhoseDisputes::All(moderator_access, person) => {
            let about = PersonFilter::id(person.as_ref(), &mut conn).await?;
            DisputesOf::All(&moderator_access.copies, about)
        }
    };
    let views = disputes::list(&mut conn, by, viewer, of, filter, before, limit.rows()).await?;
    let names = match whose {
        WhoseDisputes::Own(_) => None,
        WhoseDisputes::All(ModeratorAccess { accounts, .. }, _) => {
            let people = views.iter().flat_map(people_in);
            Some(Names::read(&mut conn, accounts.as_ref(), people).await?)
        }
    };
    let summary = |view| DisputeSummaryResponse::new(view, by.account(), names.as_ref());
    Ok(paged(views, limit, |view| view.id.0, summary))
}

/// Finds a dispute in which the reader is a side; a moderator finds any dispute.
pub async fn find(
    app: &AppState,
    by: &Granted<ReadOwnDisputes>,
    moderator_access: Option<&ModeratorAccess>,
    viewer: Viewer,
    id: DisputeId,
) -> Result<DisputeResponse, Problem> {
    let reader = match moderator_access {
        Some(ModeratorAccess { accounts, .. }) => Reader::Moderator(accounts.as_ref()),
        None => Reader::Side,
    };
    let mut conn = app.store.connection().await?;
    let found = read(&mut conn, by, reader, viewer, id).await?;
    found.ok_or_else(Problem::not_found)
}

/// The role of the reader of a dispute.
#[derive(Clone, Copy)]
enum Reader<'a> {
    /// As one of its sides.
    Side,
    /// As a moderator; with the proof, names of accounts are shown beside their ids.
    Moderator(Option<&'a Granted<ReadAccounts>>),
}

async fn read<P: DisputePermission>(
    conn: &mut Connection,
    by: &Granted<P>,
    reader: Reader<'_>,
    viewer: Viewer,
    id: DisputeId,
) -> StoreResult<Option<DisputeResponse>> {
    let is_moderator = matches!(reader, Reader::Moderator(_));
    let found = disputes::find(conn, by, is_moderator, viewer, id).await?;
    let Some((view, statements)) = found else { return Ok(None) };
    let names = match reader {
        Reader::Side => None,
        Reader::Moderator(accounts) => {
            let authors = statements.iter().map(|statement| statement.account_id.0);
            Some(Names::read(conn, accounts, people_in(&view).chain(authors)).await?)
        }
    };
    Ok(Some(DisputeResponse::new(view, statements, by.account(), names.as_ref())))
}

/// Reads the dispute after a change, unless the change was refused.
async fn read_changed<P: DisputePermission>(
    conn: &mut Connection,
    by: &Granted<P>,
    reader: Reader<'_>,
    viewer: Viewer,
    id: DisputeId,
    argued: DisputeOutcome,
) -> StoreResult<Option<DisputeResponse>> {
    match argued {
        DisputeOutcome::Done | DisputeOutcome::Before => read(conn, by, reader, viewer, id).await,
        _ => Ok(None),
    }
}

/// Checks a statement for a dispute.
pub fn read_statement(text: &str) -> Result<String, Problem> {
    text::lines(text, 1, MAX_STATEMENT)
        .and_then(text::without_serial)
        .map_err(|error| Problem::invalid(vec![InputFault::at("/text", error)]))
}

/// Adds a statement to an open dispute, as one of its sides.
pub async fn create_statement(
    app: &AppState,
    by: &Granted<ArgueOwnDisputes>,
    viewer: Viewer,
    id: DisputeId,
    text: &str,
    key: Option<&IdempotencyClaim>,
) -> Result<DisputeResponse, Problem> {
    let now = app.clock.now();
    let written = app.write(by, async |conn, by| {
        let argued = disputes::add_statement(conn, by, id, text, key, now).await?;
        let dispute = read_changed(conn, by, Reader::Side, viewer, id, argued).await?;
        Ok::<_, IdempotentError>((argued, dispute))
    });
    let (argued, dispute) = written.await?;
    check(argued)?;
    if argued == DisputeOutcome::Done {
        tracing::info!(account = %by.account(), dispute = %id, "statement in a dispute");
    }
    dispute.ok_or_else(Problem::not_found)
}

/// Withdraws a claim, as the claimant.
pub async fn withdraw(
    app: &AppState,
    by: &Granted<ArgueOwnDisputes>,
    viewer: Viewer,
    id: DisputeId,
) -> Result<DisputeResponse, Problem> {
    let now = app.clock.now();
    let written = app.write(by, async |conn, by| {
        let argued = disputes::withdraw(conn, by, id, now).await?;
        let dispute = read_changed(conn, by, Reader::Side, viewer, id, argued).await?;
        Ok::<_, StoreError>((argued, dispute))
    });
    let (argued, dispute) = written.await?;
    check(argued)?;
    if argued == DisputeOutcome::Done {
        tracing::info!(account = %by.account(), dispute = %id, "dispute withdrawn");
    }
    dispute.ok_or_else(Problem::not_found)
}

/// Decides a dispute, as a moderator. `accounts` is the proof that the moderator may see the names of the sides.
pub async fn decide(
    app: &AppState,
    by: &Granted<ModerateCopies>,
    viewer: Viewer,
    accounts: Option<&Granted<ReadAccounts>>,
    id: DisputeId,
    decision: Decision<'_>,
) -> Result<DisputeResponse, Problem> {
    let (now, reader) = (app.clock.now(), Reader::Moderator(accounts));
    let written = app.write(by, async |conn, by| {
        let argued = disputes::decide(conn, by, id, decision, now).await?;
        let dispute = read_changed(conn, by, reader, viewer, id, argued).await?;
        Ok::<_, StoreError>((argued, dispute))
    });
    let (argued, dispute) = written.await?;
    check(argued)?;
    if argued == DisputeOutcome::Done {
        tracing::info!(dispute = %id, by = %by.account(), outcome = decision.outcome.state().as_str(), "dispute decided");
    }
    dispute.ok_or_else(Problem::not_found)
}

fn check(argued: DisputeOutcome) -> Result<(), Problem> {
    let closed = |state: DisputeState| {
        Problem::new(ProblemCode::DisputeClosed).with(ProblemMember::State, state.as_str())
    };
    match argued {
        DisputeOutcome::Done | DisputeOutcome::Before => Ok(()),
        DisputeOutcome::Missing => Err(Problem::not_found()),
        DisputeOutcome::NotYourTurn => Err(Problem::new(ProblemCode::NotYourTurn)),
        DisputeOutcome::Closed(state) => Err(closed(state)),
        DisputeOutcome::TooMany => Err(Problem::new(ProblemCode::TooManyStatements)),
        DisputeOutcome::OwnCase => Err(Problem::new(ProblemCode::OwnCase)),
        DisputeOutcome::OtherOwner => {
            Err(Problem::new(ProblemCode::EditConflict).because(ProblemCause::OtherOwner))
        }
        DisputeOutcome::OtherStatements { read, stated } => {
            let cause = ProblemCause::OtherStatements { read, stated };
            Err(Problem::new(ProblemCode::EditConflict).because(cause))
        }
    }
}
