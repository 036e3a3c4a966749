//! Revisions of the caller's designs: reading, comparing and restoring them.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

use super::design_bodies::DesignContentResponse;
use super::design_lifecycle::{VersionedDesign, find_own, require_shown_artwork, write_revision};
use crate::app::fault_reason::FaultReason;
use crate::app::page::{Page, PageLimit, paged};
use crate::app::problem::{InputFault, Problem, ProblemCode};
use crate::app::state::AppState;
use crate::app::step_connection::StepConnection;
use crate::app::versions::IfMatch;
use crate::auth::permission::{Granted, ReadOwnDesigns, WriteOwnDesigns};
use crate::domain::designs::content::DesignContent;
use crate::domain::designs::diff::{Difference, differences};
use crate::domain::designs::identifier::DesignCode;
use crate::domain::network::Network;
use crate::store::designs::revisions::{self, RevisionRow, StoredRevision};

/// A revision of a design, without its content.
#[derive(Serialize, ToSchema)]
pub struct DesignRevisionSummary {
    /// Number of the revision, from 1.
    #[schema(example = 3, minimum = 1)]
    pub revision: i64,
    /// Name of the design in this revision; empty: it had none yet.
    #[schema(example = "Lantern Heron")]
    pub name: String,
    /// When it was written.
    pub revised_at: DateTime<Utc>,
    /// Name of the player whose suggestion this revision is; absent: the author wrote it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "ben")]
    pub credited_to: Option<String>,
}

/// A revision of a design.
#[derive(Serialize, ToSchema)]
pub struct DesignRevisionResponse {
    /// Number of the revision, from 1.
    #[schema(example = 2, minimum = 1)]
    pub revision: i64,
    /// Content of the revision.
    #[serde(flatten)]
    pub content: DesignContentResponse,
    /// When it was written.
    pub revised_at: DateTime<Utc>,
    /// Name of the player whose suggestion this revision is; absent: the author wrote it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "ben")]
    pub credited_to: Option<String>,
}

/// A member that differs between two revisions.
#[derive(Serialize, ToSchema)]
pub struct DifferenceResponse {
    /// JSON Pointer (RFC 6901) into the design. Lists of different lengths, and lists of texts or numbers, differ as a whole.
    #[schema(example = "/attributes/attack")]
    pub member: String,
    /// Value in the first revision; absent: it has no such member.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Value>, example = 300)]
    pub before: Option<Value>,
    /// Value in the second revision; absent: it has no such member.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Value>, example = 350)]
    pub after: Option<Value>,
}

impl From<Difference> for DifferenceResponse {
    fn from(Difference { member, before, after }: Difference) -> Self {
        Self { member, before, after }
    }
}

/// The differences between two revisions.
#[derive(Serialize, ToSchema)]
pub struct DesignDiffResponse {
    /// Number of the first revision.
    #[schema(example = 1, minimum = 1)]
    pub from: i64,
    /// Number of the second revision.
    #[schema(example = 3, minimum = 1)]
    pub to: i64,
    /// Every member that differs, in the order of the pointers. Computed values are not compared.
    pub differences: Vec<DifferenceResponse>,
}

/// The revision to restore.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(example = json!({ "revision": 1 }))]
pub struct RestoreRequest {
    /// Number of the revision.
    #[schema(example = 1, minimum = 1)]
    pub revision: i64,
}

/// Lists the revisions of one of the caller's designs, the newest first.
pub async fn list(
    app: &AppState,
    by: &Granted<ReadOwnDesigns>,
    code: DesignCode,
    before: Option<i64>,
    limit: PageLimit,
) -> Result<Page<DesignRevisionSummary>, Problem> {
    let mut conn = app.store.connection().await?;
    let rows = revisions::list(&mut conn, by, code, before, limit.rows()).await?;
    // Every design has at least one revision.
    if rows.is_empty() && before.is_none() {
        return Err(Problem::not_found());
    }
    let summary = |RevisionRow { number, name, created_at, credited_to }| DesignRevisionSummary {
        revision: number,
        name,
        revised_at: created_at,
        credited_to,
    };
    Ok(paged(rows, limit, |row| row.number, summary))
}

/// Finds a revision of one of the caller's designs by its number.
pub async fn find(
    app: &AppState,
    by: &Granted<ReadOwnDesigns>,
    code: DesignCode,
    number: i64,
) -> Result<DesignRevisionResponse, Problem> {
    let mut conn = app.store.connection().await?;
    let found = revisions::find(&mut conn, by, code, &[number]).await?.pop();
    drop(conn);
    let found = found.ok_or_else(Problem::not_found)?;
    let game = app.named_game(&found.game_code).await?.map_err(Problem::internal)?;
    let (revision, revised_at) = (found.number, found.created_at);
    let credited_to = found.credited_to.clone();
    let content = DesignContentResponse::new(&game.game, found.into_content());
    Ok(DesignRevisionResponse { revision, content, revised_at, credited_to })
}

/// Compares two revisions of one of the caller's designs; without numbers, the newest one with its predecessor.
pub async fn diff(
    app: &AppState,
    by: &Granted<ReadOwnDesigns>,
    code: DesignCode,
    from: Option<i64>,
    to: Option<i64>,
) -> Result<DesignDiffResponse, Problem> {
    let mut conn = StepConnection::new(&app.store);
    let newest = match to {
        Some(to) => to,
        None => find_own(&mut conn, by, code).await?.design.revision,
    };
    let (from, to) = (from.unwrap_or(newest.saturating_sub(1).max(1)), newest);
    let found = revisions::find(conn.get().await?, by, code, &[from, to]).await?;
    if found.is_empty() {
        find_own(&mut conn, by, code).await?;
    }
    drop(conn);
    let content = |number: i64| {
        let found = found.iter().find(|revision| revision.number == number);
        found.map(StoredRevision::content)
    };
    match (content(from), content(to)) {
        (Some(before), Some(after)) => {
            let differences = differences_of(before, after)?;
            Ok(DesignDiffResponse { from, to, differences })
        }
        (before, _) => {
            let parameter = if before.is_none() { "?from" } else { "?to" };
            let fault = InputFault::at(parameter, FaultReason::NoRevision);
            Err(Problem::new(ProblemCode::InvalidQuery).errors(vec![fault]))
        }
    }
}

/// Every member that differs between two contents, in the order of the pointers.
pub(super) fn differences_of(
    before: &DesignContent,
    after: &DesignContent,
) -> Result<Vec<DifferenceResponse>, Problem> {
    let document =
        |content: &DesignContent| serde_json::to_value(content).map_err(Problem::internal);
    let found = differences(&document(before)?, &document(after)?);
    Ok(found.into_iter().map(Into::into).collect())
}

/// Writes the content of an earlier revision as a new one, if the client's version is current.
pub async fn restore(
    app: &AppState,
    by: &Granted<WriteOwnDesigns>,
    network: Network,
    code: DesignCode,
    if_match: &IfMatch,
    request: &RestoreRequest,
) -> Result<VersionedDesign, Problem> {
    let mut conn = StepConnection::new(&app.store);
    let found = revisions::find(conn.get().await?, by, code, &[request.revision]).await?.pop();
    let Some(found) = found else {
        find_own(&mut conn, by, code).await?;
        let fault = InputFault::at("/revision", FaultReason::NoRevision);
        return Err(Problem::invalid(vec![fault]));
    };
    require_shown_artwork(&mut conn, found.content()).await?;
    let game = app.named_game_on(&mut conn, &found.game_code).await?.map_err(Problem::internal)?;
    let restored = (&*game, found.content());
    write_revision(app, &mut conn, by, network, (code, if_match), restored).await
}

/// Whether one of the caller's designs already has the content that [`restore`] would give it, because the same form was sent before.
pub async fn is_restored(
    app: &AppState,
    by: &Granted<WriteOwnDesigns>,
    code: DesignCode,
    request: &RestoreRequest,
) -> Result<bool, Problem> {
    let mut conn = StepConnection::new(&app.store);
    let stored = find_own(&mut conn, by, code).await?;
    let named = revisions::find(conn.get().await?, by, code, &[request.revision]).await?.pop();
    Ok(named.is_some_and(|named| named.content() == stored.content()))
}
