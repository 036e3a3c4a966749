//! Disputes about copies: the list of all disputes, and the decision of one.

use actix_web::{HttpResponse, web};
use askama::Template;
use serde::Deserialize;
use uuid::Uuid;

use super::copies::copy_path;
use super::moderation_words;
use super::parts::{Area, DoneQuery, Nav, faults_of, limit, person, status_of};
use super::people::person_path;
use super::words as admin_words;
use crate::app::accounts::people::Person;
use crate::app::copies::copy_moderation::reason;
use crate::app::copies::dispute_responses::{
    DisputeResponse, DisputeSummaryResponse, StatementResponse,
};
use crate::app::copies::disputes::{self, Decision, DisputeFilter, WhoseDisputes};
use crate::app::copies::own_copies::ModeratorAccess;
use crate::app::page::Cursor;
use crate::app::problem::{Problem, ProblemCode};
use crate::app::state::AppState;
use crate::auth::permission::{ModerateCopies, OverseeCopies, ReadOwnDisputes};
use crate::domain::copies::dispute::{DisputeState, Outcome};
use crate::domain::ids::{AccountId, DisputeId};
use crate::http::extract::Form;
use crate::web::accounts::Moment;
use crate::web::catalogue::card_path;
use crate::web::fault_words;
use crate::web::forms::{Choice, Faults, not_empty, private};
use crate::web::page::{ENTRIES, Frame, Place, path_of};
use crate::web::page_status::PageStatus;
use crate::web::session::{Player, Visitor, see_other};
use crate::web::words;

/// The path of this page.
const PATH: &str = "/admin/disputes";
/// The value of the filter for all states. Without a filter, the open disputes are listed.
const ALL: &str = "all";

/// The page of a dispute.
pub(super) fn dispute_path(id: Uuid) -> String {
    format!("{PATH}/{id}")
}

/// The filter, as the form sends it.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(in crate::web) struct DisputesQuery {
    account: String,
    state: String,
    cursor: Option<Cursor>,
}

impl DisputesQuery {
    fn path_at(&self, cursor: Option<&str>) -> String {
        let cursor = cursor.unwrap_or_default();
        path_of(
            PATH,
            &[("account", self.account.as_str()), ("state", &self.state), ("cursor", cursor)],
        )
    }

    fn filter(&self) -> DisputeFilter {
        let state = DisputeState::parse(&self.state);
        let open = (state.is_none() && self.state != ALL).then_some(true);
        DisputeFilter { open, state, ..DisputeFilter::default() }
    }
}

#[derive(Template)]
#[template(path = "web/admin/disputes.html")]
struct DisputesPage {
    frame: Frame,
    nav: Nav,
    faults: Faults,
    account: String,
    states: Vec<Choice>,
    disputes: Vec<DisputeRow>,
    first_path: Option<String>,
    next_path: Option<String>,
}

/// A side of a dispute: page and name of the account.
struct Party {
    path: String,
    name: String,
}

impl Party {
    fn new(id: Uuid, name: Option<String>) -> Self {
        Self { path: person_path(id), name: name.unwrap_or_else(|| id.to_string()) }
    }
}

/// A dispute in the list, without its statements.
struct DisputeRow {
    path: String,
    state: &'static str,
    is_open: bool,
    card: String,
    card_path: String,
    place: String,
    copy_path: Option<String>,
    claimant: Option<Party>,
    owner: Option<Party>,
    lost_by: Option<Party>,
    decided_by: Option<Party>,
    opened: Moment,
    closed: Option<Moment>,
    reason: Option<String>,
}

impl From<DisputeSummaryResponse> for DisputeRow {
    fn from(dispute: DisputeSummaryResponse) -> Self {
        let card = dispute.card;
        let (claimant, owner, lost_by, decided_by) = match dispute.parties {
            None => (None, None, None, None),
            Some(parties) => (
                Some(Party::new(parties.claimant_id, parties.claimant_name)),
                Some(Party::new(parties.owner_id, parties.owner_name)),
                parties.lost_by.map(|id| Party::new(id, parties.lost_by_name)),
                parties.decided_by.map(|id| Party::new(id, parties.decided_by_name)),
            ),
        };
        Self {
            path: dispute_path(dispute.id),
            state: moderation_words::dispute_state(dispute.state),
            is_open: dispute.state == DisputeState::Open.as_str(),
            card_path: card_path(&card.game, &card.set, &card.number),
            place: words::place(&card.set, &card.number),
            card: card.name.unwrap_or_else(|| words::HIDDEN_CARD.to_owned()),
            copy_path: dispute.copy.map(copy_path),
            claimant,
            owner,
            lost_by,
            decided_by,
            opened: Moment::new(dispute.opened_at),
            closed: dispute.closed_at.map(Moment::new),
            reason: dispute.reason,
        }
    }
}

/// The permission to see all copies and disputes.
pub(super) fn moderator_access(visitor: &Visitor) -> Result<ModeratorAccess, Problem> {
    Ok(ModeratorAccess { copies: visitor.must()?, accounts: Some(visitor.must()?) })
}

/// Lists disputes, newest first. Without a filter, lists the open disputes.
pub(in crate::web) async fn list_disputes(
    state: web::Data<AppState>,
    by: Player<OverseeCopies>,
    query: web::Query<DisputesQuery>,
) -> Result<HttpResponse, Problem> {
    let query = query.into_inner();
    let before: Option<Uuid> = Cursor::key_of(query.cursor.as_ref())?;
    let (found, next_cursor, faults) = match person(&query.account) {
        Ok(account) => {
            let account = Person::filter(account.as_ref(), || by.visitor.must())?;
            let whose = WhoseDisputes::All(moderator_access(&by.visitor)?, account);
            let (reads, viewer) = (by.visitor.must::<ReadOwnDisputes>()?, by.visitor.viewer());
            let (filter, most) = (query.filter(), limit(ENTRIES)?);
            let page = disputes::list(&state, &reads, viewer, &whose, filter, before, most).await?;
            (page.data, page.next_cursor, Faults::none())
        }
        Err(faults) => (Vec::new(), None, faults),
    };
    let next_path = next_cursor.as_deref().map(|cursor| query.path_at(Some(cursor)));
    let mut frame = Frame::new(admin_words::DISPUTES).at(Place::Account);
    frame.next.clone_from(&next_path);
    // The open disputes are the default and are not written to the address.
    let mut states = vec![
        Choice::new("", moderation_words::dispute_state("open"), &query.state),
        Choice::new(ALL, moderation_words::ALL_STATES, &query.state),
    ];
    let closed = DisputeState::ALL.into_iter().filter(|state| *state != DisputeState::Open);
    states.extend(closed.map(|state| {
        let state = state.as_str();
        Choice::new(state, moderation_words::dispute_state(state), &query.state)
    }));
    let page = DisputesPage {
        frame,
        nav: Nav::new(by.role(), Area::Disputes),
        states,
        disputes: found.into_iter().map(DisputeRow::from).collect(),
        first_path: query.cursor.as_ref().map(|_| query.path_at(None)),
        next_path,
        account: query.account,
        faults,
    };
    private(status_of(&page.faults), &page)
}

#[derive(Template)]
#[template(path = "web/admin/dispute.html")]
struct DisputePage {
    frame: Frame,
    nav: Nav,
    faults: Faults,
    done: &'static str,
    dispute: DisputeRow,
    statements: Vec<Statement>,
    outcomes: [Choice; 2],
    reason: String,
    /// What the decision is about: the id of the owner, and the number of statements.
    owner: String,
    stated: String,
    /// A reason that was not stored, because the dispute is closed.
    written: Vec<String>,
}

/// A statement of a side.
struct Statement {
    side: &'static str,
    account: Option<Party>,
    at: Moment,
    paragraphs: Vec<String>,
}

impl From<StatementResponse> for Statement {
    fn from(statement: StatementResponse) -> Self {
        let name = statement.account_name;
        Self {
            side: moderation_words::side(statement.by),
            account: statement.account_id.map(|id| Party::new(id, name)),
            at: Moment::new(statement.created_at),
            paragraphs: statement.text.lines().map(str::to_owned).collect(),
        }
    }
}

/// The decision of a moderator, as it was typed.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(in crate::web) struct DecisionForm {
    outcome: String,
    reason: String,
    /// What the page showed: the id of the owner, and the number of statements; empty: the form does not say.
    owner: String,
    statements: String,
}

impl DecisionForm {
    fn decision<'a>(&self, outcome: Outcome, reason: &'a str) -> Decision<'a> {
        Decision {
            outcome,
            reason,
            owner: self.owner.parse().ok().map(AccountId),
            statements: self.statements.parse().ok(),
        }
    }
}

/// Shows a dispute with the statements of both sides.
pub(in crate::web) async fn show_dispute(
    state: web::Data<AppState>,
    by: Player<OverseeCopies>,
    dispute: web::Path<Uuid>,
    query: web::Query<DoneQuery>,
) -> Result<HttpResponse, Problem> {
    let done = moderation_words::done(&query.done);
    let (id, typed) = (DisputeId(*dispute), DecisionForm::default());
    show(&state, &by.visitor, PageStatus::OK, id, typed, Faults::none(), done).await
}

async fn show(
    app: &AppState,
    visitor: &Visitor,
    status: PageStatus,
    id: DisputeId,
    typed: DecisionForm,
    faults: Faults,
    done: &'static str,
) -> Result<HttpResponse, Problem> {
    let (reads, moderator_access) =
        (visitor.must::<ReadOwnDisputes>()?, moderator_access(visitor)?);
    let found = disputes::find(app, &reads, Some(&moderator_access), visitor.viewer(), id).await?;
    let DisputeResponse { summary, statements } = found;
    let owner = summary.parties.as_ref().map(|parties| parties.owner_id.to_string());
    let dispute = DisputeRow::from(summary);
    // A form that is shown again is still about what was read at first.
    let typed_or = |typed: String, now: String| if typed.is_empty() { now } else { typed };
    let outcome =
        |value: &str| Choice::new(value, moderation_words::outcome(value), &typed.outcome);
    let page = DisputePage {
        frame: Frame::new(moderation_words::DISPUTE).at(Place::Account),
        nav: Nav::new(reads.role(), Area::Disputes),
        faults,
        done,
        written: not_empty(if dispute.is_open { "" } else { &typed.reason }),
        dispute,
        owner: typed_or(typed.owner, owner.unwrap_or_default()),
        stated: typed_or(typed.statements, statements.len().to_string()),
        statements: statements.into_iter().map(Statement::from).collect(),
        outcomes: ["for_owner", "for_claimant"].map(outcome),
        reason: typed.reason,
    };
    private(status, &page)
}

/// Decides a dispute.
pub(in crate::web) async fn decide(
    state: web::Data<AppState>,
    by: Player<ModerateCopies>,
    dispute: web::Path<Uuid>,
    Form(mut typed): Form<DecisionForm>,
) -> Result<HttpResponse, Problem> {
    let id = DisputeId(*dispute);
    let outcome = match typed.outcome.as_str() {
        "for_owner" => Some(Outcome::ForOwner),
        "for_claimant" => Some(Outcome::ForClaimant),
        _ => None,
    };
    let why = reason(&typed.reason);
    let (outcome, why) = match (outcome, why) {
        (Some(outcome), Ok(why)) => (outcome, why),
        (outcome, why) => {
            let mut faults = Faults::none();
            if outcome.is_none() {
                faults.add("outcome", moderation_words::CHOOSE_OUTCOME);
            }
            for fault in why.err().map(Problem::into_faults).unwrap_or_default() {
                faults.add("reason", fault_words::reason(&fault.reason));
            }
            let status = PageStatus::INVALID_FORM;
            return show(&state, &by.visitor, status, id, typed, faults, "").await;
        }
    };
    let (viewer, accounts) = (by.visitor.viewer(), by.visitor.must()?);
    let decision = typed.decision(outcome, &why);
    match disputes::decide(&state, &by, viewer, Some(&accounts), id, decision).await {
        Ok(DisputeResponse { summary, .. }) => {
            // The same outcome may have been decided before, by somebody else or for another reason.
            let decided_by = summary.parties.and_then(|parties| parties.decided_by);
            let is_own = decided_by == Some(by.account().0)
                && summary.reason.as_deref() == Some(why.as_str());
            let done = if is_own { "decided" } else { "decided_before" };
            Ok(see_other(&format!("{}?done={done}", dispute_path(id.0))))
        }
        Err(problem) => {
            let Some(faults) = faults_of(&problem, &["reason"]) else { return Err(problem) };
            if problem.code() == ProblemCode::EditConflict {
                // The page shows the dispute as it is now: the choice is made again.
                typed = DecisionForm { reason: typed.reason, ..DecisionForm::default() };
            }
            show(&state, &by.visitor, PageStatus::of(&problem), id, typed, faults, "").await
        }
    }
}
