//! Suggested changes: other players suggest a change of a design, and its author accepts or declines it.

use chrono::{DateTime, Utc};
use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;
use uuid::Uuid;

use super::design_bodies::{DesignContentResponse, DesignRequest, ParsedDesign, parse_at};
use super::design_lifecycle::{
    VersionedDesign, answer_after_step, as_json, find_own, find_stored, improper_name,
    new_revision, read_after_step, require_free_new_name, require_new_name, require_shown_artwork,
    version_check,
};
use super::design_revisions::{DifferenceResponse, differences_of};
use super::step_problems::{check_step, require_own_step};
use crate::app::fault_reason::FaultReason;
use crate::app::feedback::problems::{feedback_refused, too_many_today};
use crate::app::page::{Page, PageLimit, paged};
use crate::app::problem::{InputFault, Problem, ProblemCode};
use crate::app::state::AppState;
use crate::app::step_connection::StepConnection;
use crate::app::versions::{IfMatch, Revision};
use crate::auth::permission::{GiveFeedback, Granted, Permission, WriteOwnDesigns};
use crate::domain::designs::content::{DesignContent, MAX_ATTRIBUTES};
use crate::domain::designs::identifier::DesignCode;
use crate::domain::designs::limits::MAX_BYTES;
use crate::domain::designs::status::DesignStep;
use crate::domain::designs::suggested_change::{MAX_MESSAGE, SuggestionState, merge};
use crate::domain::ids::SuggestionId;
use crate::domain::network::Network;
use crate::domain::text::prose_lines;
use crate::store::StoreResult;
use crate::store::catalogue::games::LoadedGame;
use crate::store::designs::SeesOwnDesigns;
use crate::store::designs::design_lifecycle::NewRevision;
use crate::store::designs::suggested_changes::{
    self, NewSuggestion, StoredSuggestion, SuggestionOutcome, SuggestionRow,
};
use crate::store::operations::idempotency::IdempotencyClaim;

/// A suggested change, without its content.
#[derive(Serialize, ToSchema)]
pub struct SuggestedChangeSummary {
    /// Id of the suggestion.
    pub id: Uuid,
    /// Id of the account that suggested it.
    pub account_id: Uuid,
    /// Name of that account.
    #[schema(example = "ben")]
    pub suggested_by: String,
    /// Number of the revision on which it is based.
    #[schema(example = 3, minimum = 1)]
    pub revision: i64,
    /// Reason for the change, as plain text.
    #[schema(example = "With less attack it would fit its rank.")]
    pub message: String,
    /// `open`, `taken` (accepted by the author), `declined` (by the author) or `withdrawn` (by the player who suggested it).
    #[schema(example = "open")]
    pub state: &'static str,
    /// Number of the revision that it became; absent: it was not accepted.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = 4, minimum = 1)]
    pub taken_as: Option<i64>,
    /// When it was suggested.
    pub created_at: DateTime<Utc>,
    /// When it was accepted, declined or withdrawn; absent: it is open.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub closed_at: Option<DateTime<Utc>>,
}

impl From<SuggestionRow> for SuggestedChangeSummary {
    fn from(row: SuggestionRow) -> Self {
        Self {
            id: row.id.0,
            account_id: row.account_id.0,
            suggested_by: row.name,
            revision: row.revision,
            message: row.message,
            state: row.state.as_str(),
            taken_as: row.taken_as,
            created_at: row.created_at,
            closed_at: row.closed_at,
        }
    }
}

/// A suggested change of a design.
#[derive(Serialize, ToSchema)]
pub struct SuggestedChangeResponse {
    /// The suggestion, without its content.
    #[serde(flatten)]
    pub suggestion: SuggestedChangeSummary,
    /// The design as it should be.
    pub design: DesignContentResponse,
    /// The differences from the revision on which it is based.
    pub differences: Vec<DifferenceResponse>,
}

fn answer(game: &LoadedGame, stored: StoredSuggestion) -> Result<SuggestedChangeResponse, Problem> {
    Ok(SuggestedChangeResponse {
        design: DesignContentResponse::new(&game.game, stored.content().clone()),
        differences: differences_of(stored.base(), stored.content())?,
        suggestion: stored.suggestion.into(),
    })
}

fn document(content: &DesignContent) -> Result<Value, Problem> {
    serde_json::to_value(content).map_err(Problem::internal)
}

/// Lists suggestions for a design, the newest first: the author gets all, others get their own.
pub async fn list<P: Permission + SeesOwnDesigns>(
    app: &AppState,
    by: &Granted<P>,
    code: DesignCode,
    before: Option<SuggestionId>,
    limit: PageLimit,
) -> Result<Page<SuggestedChangeSummary>, Problem> {
    let mut conn = StepConnection::new(&app.store);
    let most = limit.rows();
    let rows = suggested_changes::list(conn.get().await?, by, code, false, before, most).await?;
    if rows.is_empty() {
        find_stored(&mut conn, Some(by), None, code).await?;
    }
    Ok(paged(rows, limit, |row| row.id, Into::into))
}

/// Lists the first open suggestions for a design that the reader may see.
pub async fn list_open<P: Permission + SeesOwnDesigns>(
    app: &AppState,
    by: &Granted<P>,
    code: DesignCode,
    limit: PageLimit,
) -> Result<Page<SuggestedChangeSummary>, Problem> {
    let mut conn = app.store.connection().await?;
    let rows = suggested_changes::list(&mut conn, by, code, true, None, limit.rows()).await?;
    Ok(paged(rows, limit, |row| row.id, Into::into))
}

/// Finds a suggestion for one of the caller's designs, or one that the caller made.
pub async fn find<P: Permission + SeesOwnDesigns>(
    app: &AppState,
    by: &Granted<P>,
    code: DesignCode,
    id: SuggestionId,
) -> Result<SuggestedChangeResponse, Problem> {
    let mut conn = StepConnection::new(&app.store);
    let stored = find_suggestion(&mut conn, by, code, id).await?;
    let game = app.named_game_on(&mut conn, &stored.game_code).await?;
    let game = game.map_err(Problem::internal)?;
    answer(&game, stored)
}

async fn find_suggestion<P: Permission + SeesOwnDesigns>(
    conn: &mut StepConnection<'_>,
    by: &Granted<P>,
    code: DesignCode,
    id: SuggestionId,
) -> Result<StoredSuggestion, Problem> {
    let found = suggested_changes::find(conn.get().await?, by, code, id).await?;
    found.ok_or_else(Problem::not_found)
}

/// A suggestion to create.
pub struct SuggestionDraft {
    /// The revision that the suggestion is based on.
    pub revision: i64,
    /// The reason, as it was sent.
    pub message: String,
    /// The suggested content of the design.
    pub design: DesignRequest,
}

/// Suggests a change of a public design.
pub async fn create(
    app: &AppState,
    by: &Granted<GiveFeedback>,
    code: DesignCode,
    draft: SuggestionDraft,
    key: Option<&IdempotencyClaim>,
) -> Result<SuggestedChangeResponse, Problem> {
    let message = prose_lines(&draft.message, 1, MAX_MESSAGE);
    let mut conn = StepConnection::new(&app.store);
    let design = parse_at(app, &mut conn, draft.design, "/design").await?;
    drop(conn);
    let (message, ParsedDesign { game, content }) = match (message, design) {
        (Ok(message), Ok(design)) => (message, design),
        (message, design) => {
            let message = message.err().map(|error| InputFault::at("/message", error));
            let faults = message.into_iter().chain(design.err().into_iter().flatten());
            return Err(Problem::invalid(faults.collect()));
        }
    };
    let (id, at) = (SuggestionId::generate(), app.clock.now());
    let has_proper_name = content.has_proper_name();
    let content = as_json(&content, "/design")?;
    let (game, message) = (game.game.code(), message.as_str());
    let revision = draft.revision;
    let new = NewSuggestion { id, revision, game, content, has_proper_name, message, at };
    let outcome = app
        .write_design(by, async |conn, by| {
            suggested_changes::create(conn, by, code, &new, key).await
        })
        .await?;
    if let SuggestionOutcome::Repeat(earlier) = outcome {
        return find(app, by, code, earlier).await;
    }
    check(app, outcome)?;
    tracing::info!(account = %by.account(), design = %code, suggestion = %id, "change of a design suggested");
    find(app, by, code, id).await
}

/// Accepts a suggestion: writes the merged content as a new revision of the caller's design, if the client's version is
/// current.
pub async fn take(
    app: &AppState,
    by: &Granted<WriteOwnDesigns>,
    network: Network,
    code: DesignCode,
    id: SuggestionId,
    if_match: &IfMatch,
) -> Result<VersionedDesign, Problem> {
    let mut conn = StepConnection::new(&app.store);
    let before = find_own(&mut conn, by, code).await?;
    if_match.check(Revision(before.design.version))?;
    let stored = find_suggestion(&mut conn, by, code, id).await?;
    if stored.suggestion.state != SuggestionState::Open {
        return Err(closed(stored.suggestion.state));
    }
    require_own_step(&before, DesignStep::Edit)?;
    let content = apply_suggestion(&stored, before.content())?;
    require_shown_artwork(&mut conn, &content).await?;
    require_new_name(&before, &content)?;
    let game = app.named_game_on(&mut conn, &before.design.game_code).await?;
    let game = game.map_err(Problem::internal)?;
    drop(conn);
    require_free_new_name(app, network, &before, &content).await?;
    let is_current = version_check(if_match, before.design.version);
    let new = NewRevision {
        credited_to: Some(stored.suggestion.account_id),
        ..new_revision(app, &game, &content)?
    };
    let (outcome, revised) = app
        .write_design(by, async |conn, acting| {
            let outcome =
                suggested_changes::take(conn, acting, code, id, &is_current, &new).await?;
            let succeeded = matches!(outcome, SuggestionOutcome::Done);
            StoreResult::Ok((outcome, read_after_step(conn, by, code, succeeded).await?))
        })
        .await?;
    check(app, outcome)?;
    let revised = answer_after_step(&game, revised)?;
    tracing::info!(account = %by.account(), design = %code, suggestion = %id, "suggestion accepted");
    Ok(revised)
}

/// The content of the design with the suggestion applied; 409 where the design changed since, already has this content,
/// or would be too large.
fn apply_suggestion(
    stored: &StoredSuggestion,
    newest: &DesignContent,
) -> Result<DesignContent, Problem> {
    let (base, suggested) = (document(stored.base())?, document(stored.content())?);
    let outdated = || Problem::new(ProblemCode::SuggestionOutdated);
    let merged = merge(&base, &suggested, &document(newest)?).map_err(|members| {
        let fault = |member| InputFault::at(member, FaultReason::ChangedInDesign);
        outdated().errors(members.into_iter().map(fault).collect())
    })?;
    let content: DesignContent = serde_json::from_value(merged).map_err(Problem::internal)?;
    if content == *newest {
        return Err(outdated().detail("The design says so already."));
    }
    // Each side is within the limits, but not both together. Only attributes are merged one by one.
    let too_large = |member: &str| {
        outdated().errors(vec![InputFault::at(member, FaultReason::TooLargeTogether)])
    };
    if content.attributes.len() > MAX_ATTRIBUTES {
        return Err(too_large("/attributes"));
    }
    as_json(&content, "").map_err(|_| too_large(""))?;
    Ok(content)
}

/// Declines a suggestion for one of the caller's designs.
pub async fn decline(
    app: &AppState,
    by: &Granted<WriteOwnDesigns>,
    code: DesignCode,
    id: SuggestionId,
) -> Result<SuggestedChangeResponse, Problem> {
    let at = app.clock.now();
    let outcome = app
        .write_design(by, async |conn, by| suggested_changes::decline(conn, by, code, id, at).await)
        .await?;
    check(app, outcome)?;
    tracing::info!(account = %by.account(), design = %code, suggestion = %id, "suggestion declined");
    find(app, by, code, id).await
}

/// Withdraws one of the caller's suggestions.
pub async fn withdraw(
    app: &AppState,
    by: &Granted<GiveFeedback>,
    code: DesignCode,
    id: SuggestionId,
) -> Result<SuggestedChangeResponse, Problem> {
    let at = app.clock.now();
    let outcome = app
        .write_design(by, async |conn, by| {
            suggested_changes::withdraw(conn, by, code, id, at).await
        })
        .await?;
    check(app, outcome)?;
    tracing::info!(account = %by.account(), design = %code, suggestion = %id, "suggestion withdrawn");
    find(app, by, code, id).await
}

fn closed(state: SuggestionState) -> Problem {
    Problem::new(ProblemCode::SuggestionClosed).detail(format!("It was {}.", state.as_str()))
}

fn check(app: &AppState, outcome: SuggestionOutcome) -> Result<(), Problem> {
    let fault = |pointer, detail| Problem::invalid(vec![InputFault::at(pointer, detail)]);
    Err(match outcome {
        SuggestionOutcome::Done | SuggestionOutcome::Repeat(_) => return Ok(()),
        SuggestionOutcome::Missing => Problem::not_found(),
        SuggestionOutcome::Own => Problem::new(ProblemCode::OwnDesign),
        SuggestionOutcome::Refused => feedback_refused(),
        SuggestionOutcome::Outdated => Problem::new(ProblemCode::SuggestionOutdated)
            .detail("It must be about the revision that everybody sees now."),
        SuggestionOutcome::OtherGame => fault("/design/game", FaultReason::GameOfDesign),
        SuggestionOutcome::Unchanged => fault("/design", FaultReason::Unchanged),
        SuggestionOutcome::TooLarge(actual) => {
            fault("/design", FaultReason::TooLarge { most: MAX_BYTES, actual })
        }
        SuggestionOutcome::ImproperName => improper_name("/design/name"),
        SuggestionOutcome::TooManyToday(limit) => too_many_today(app, limit),
        SuggestionOutcome::Closed(state) => closed(state),
        SuggestionOutcome::NotWritten(outcome) => {
            return check_step(app, DesignStep::Edit, outcome);
        }
    })
}
