//! A dispute for one of its sides: the statements of this side, and the outcome. Neither side learns who the other is.

use actix_web::{HttpResponse, web};
use askama::Template;
use serde::Deserialize;
use uuid::Uuid;

use super::choices::Games;
use super::section::Section;
use super::views::CardCell;
use super::words as copy_words;
use super::{copy_path, dispute_path};
use crate::app::copies::disputes;
use crate::app::problem::{Problem, ProblemCode};
use crate::app::state::AppState;
use crate::auth::permission::{ArgueOwnDisputes, Granted, ReadOwnDisputes};
use crate::domain::copies::dispute::{MAX_STATEMENT, MAX_STATEMENTS};
use crate::domain::ids::DisputeId;
use crate::http::extract::{Form, claim_of_form};
use crate::web::accounts::Moment;
use crate::web::forms::{Faults, new_key, next_key, not_empty, private};
use crate::web::page::{Frame, Place};
use crate::web::page_status::PageStatus;
use crate::web::session::{Player, Visitor, see_other};
use crate::web::words;

#[derive(Template)]
#[template(path = "web/copies/dispute.html")]
struct DisputePage<'a> {
    frame: Frame,
    section: Section,
    faults: Faults,
    /// Confirmation of the action that was just completed; empty: no action.
    done: &'static str,
    path: String,
    card: CardCell,
    role: &'static str,
    about: &'static str,
    state: &'static str,
    is_open: bool,
    is_claimant: bool,
    opened: Moment,
    closed: Option<Moment>,
    /// The reason of the moderator who decided it.
    reason: Option<String>,
    /// The visitor's own copy.
    copy_path: Option<String>,
    statements: Vec<Statement>,
    /// How many more statements the reader may add.
    left: String,
    may_speak: bool,
    text: &'a str,
    /// A statement that was not stored, if the page has no form for it any more.
    written: Vec<String>,
    most: usize,
    key: String,
}

/// A statement of the reader.
struct Statement {
    at: Moment,
    lines: Vec<String>,
}

/// Query of the page: the code of the action that was just completed.
#[derive(Deserialize)]
pub(in crate::web) struct DisputeQuery {
    #[serde(default)]
    done: String,
}

/// The fields of a new statement.
#[derive(Default, Deserialize)]
#[serde(default)]
pub(in crate::web) struct StatementForm {
    text: String,
    key: String,
}

/// Shows a dispute to one of its two sides.
pub(in crate::web) async fn find_dispute(
    state: web::Data<AppState>,
    by: Player<ReadOwnDisputes>,
    dispute: web::Path<Uuid>,
    query: web::Query<DisputeQuery>,
) -> Result<HttpResponse, Problem> {
    let (id, done) = (DisputeId(*dispute), copy_words::done(&query.done));
    let again =
        FormState { status: PageStatus::OK, faults: Faults::none(), text: "", key: new_key() };
    show(&state, (&by, &by.visitor), id, done, again).await
}

/// How the form is shown: empty, or with the refused input and its fault.
struct FormState<'a> {
    status: PageStatus,
    faults: Faults,
    text: &'a str,
    key: String,
}

async fn show(
    app: &AppState,
    (by, visitor): (&Granted<ReadOwnDisputes>, &Visitor),
    id: DisputeId,
    done: &'static str,
    FormState { status, faults, text, key }: FormState<'_>,
) -> Result<HttpResponse, Problem> {
    let found = disputes::find(app, by, None, visitor.viewer(), id).await?;
    let (summary, games) = (found.summary, Games::read(app).await?);
    let card = CardCell::of_copy(&games, &summary.card, None);
    let heading = copy_words::dispute_about(&card.name);
    let (is_open, is_claimant) = (summary.state == "open", summary.role == Some("claimant"));
    let count = i64::try_from(found.statements.len()).unwrap_or(MAX_STATEMENTS);
    let left = MAX_STATEMENTS.saturating_sub(count);
    let may_speak = is_open && left > 0;
    let statements = found.statements.into_iter().map(|statement| Statement {
        at: Moment::new(statement.created_at),
        lines: statement.text.lines().map(str::to_owned).collect(),
    });
    let page = DisputePage {
        frame: Frame::new(&heading).at(Place::Collection),
        section: Section::Disputes,
        faults,
        done,
        path: dispute_path(&summary.id.to_string()),
        role: copy_words::role(summary.role, is_open),
        about: copy_words::role_about(is_claimant),
        state: copy_words::dispute_state(summary.state),
        is_open,
        is_claimant,
        opened: Moment::new(summary.opened_at),
        closed: summary.closed_at.map(Moment::new),
        reason: summary.reason,
        copy_path: summary.copy.map(copy_path),
        statements: statements.collect(),
        left: copy_words::statements_left(left),
        may_speak,
        card,
        text,
        written: not_empty(if may_speak { "" } else { text }),
        most: MAX_STATEMENT,
        key,
    };
    private(status, &page)
}

/// Adds a statement.
pub(in crate::web) async fn say(
    state: web::Data<AppState>,
    by: Player<ArgueOwnDisputes>,
    dispute: web::Path<Uuid>,
    Form(form): Form<StatementForm>,
) -> Result<HttpResponse, Problem> {
    let id = DisputeId(*dispute);
    let stated = async {
        let text = disputes::read_statement(&form.text)?;
        let fields = [dispute.to_string(), text.clone()];
        let fields = fields.each_ref().map(String::as_str);
        let key = claim_of_form(&state, by.account(), "page_create_statement", &form.key, &fields);
        let viewer = by.visitor.viewer();
        disputes::create_statement(&state, &by, viewer, id, &text, key.as_ref()).await
    };
    match stated.await {
        Ok(_) => Ok(see_other(&format!("{}?done=said", dispute_path(&id.to_string())))),
        Err(problem) => refused(&state, &by, id, problem, &form).await,
    }
}

/// Withdraws the claim of the reader.
pub(in crate::web) async fn withdraw(
    state: web::Data<AppState>,
    by: Player<ArgueOwnDisputes>,
    dispute: web::Path<Uuid>,
) -> Result<HttpResponse, Problem> {
    let id = DisputeId(*dispute);
    match disputes::withdraw(&state, &by, by.visitor.viewer(), id).await {
        Ok(_) => Ok(see_other(&format!("{}?done=withdrawn", dispute_path(&id.to_string())))),
        Err(problem) => refused(&state, &by, id, problem, &StatementForm::default()).await,
    }
}

/// The dispute as it is now, with the fault of the refused action.
async fn refused(
    app: &AppState,
    by: &Player<ArgueOwnDisputes>,
    id: DisputeId,
    problem: Problem,
    form: &StatementForm,
) -> Result<HttpResponse, Problem> {
    let status = PageStatus::of(&problem);
    let faults = if problem.code() == ProblemCode::NotFound {
        None
    } else {
        Faults::of_problem(&problem, &[("/text", "text")], copy_words::dispute_fault)
    };
    let Some(faults) = faults else { return Err(problem) };
    let reads = by.visitor.must::<ReadOwnDisputes>()?;
    let again = FormState { status, faults, text: &form.text, key: next_key(status, &form.key) };
    show(app, (&reads, &by.visitor), id, "", again).await
}
