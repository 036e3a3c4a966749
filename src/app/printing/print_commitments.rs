//! Commitments to print runs: a hash that is published before printing, and the seed and plan that open it afterwards.

use chrono::{DateTime, Utc};
use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;

use super::print_plans;
use crate::app::page::{Page, PageLimit, paged};
use crate::app::problem::{Problem, ProblemCode};
use crate::app::state::AppState;
use crate::auth::permission::{AnnouncePrintRuns, Granted, Planner};
use crate::domain::code::Code;
use crate::domain::ids::CommitmentId;
use crate::store::catalogue::sets;
use crate::store::operations::idempotency::{self, IdempotencyClaim, IdempotentError};
use crate::store::printing::press::RunRequest;
use crate::store::printing::print_commitments::{
    self, CommitmentRow, NewCommitment, OpenedRow, RevealOutcome,
};
use crate::store::{Connection, StoreError};

/// An announcement of a print run.
#[derive(Serialize, ToSchema)]
pub struct CommitmentResponse {
    /// Its id.
    pub id: Uuid,
    /// Code of the set's game.
    #[schema(example = "ttcg")]
    pub game: String,
    /// Code of the set.
    #[schema(example = "veil")]
    pub set: String,
    /// SHA-256 of the opening, in hexadecimal digits. It fixes the plan and the seed and reveals nothing about them.
    #[schema(example = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08")]
    pub commitment: String,
    /// `announced`; `broken_off`: its print run was broken off, and it was not printed again; `printed`: its codes can be registered; `revealed`:
    /// everybody can check it.
    #[schema(example = "revealed")]
    pub status: &'static str,
    /// When it was announced.
    pub announced_at: DateTime<Utc>,
    /// The time from which the codes of its print run can be registered. Absent if it is not printed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub printed_at: Option<DateTime<Utc>>,
    /// When it was last recorded that its print run was broken off. The codes of that run can never be registered; the announcement can be printed
    /// again.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub broken_off_at: Option<DateTime<Utc>>,
    /// SHA-256 of the packing list, in hexadecimal digits. Absent if the run has no packs or is not printed. The packing list can be computed from
    /// the opening.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae")]
    pub packing_sha256: Option<String>,
    /// When it was revealed; absent before.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub revealed_at: Option<DateTime<Utc>>,
}

impl From<CommitmentRow> for CommitmentResponse {
    fn from(row: CommitmentRow) -> Self {
        Self {
            id: row.id.0,
            commitment: row.digest(),
            status: match (row.revealed_at, row.printed_at, row.broken_off_at) {
                (Some(_), ..) => "revealed",
                (None, Some(_), _) => "printed",
                (None, None, Some(_)) => "broken_off",
                (None, None, None) => "announced",
            },
            announced_at: row.announced_at,
            printed_at: row.printed_at,
            broken_off_at: row.broken_off_at,
            packing_sha256: row.packing_sha256(),
            revealed_at: row.revealed_at,
            game: row.game_code,
            set: row.set_code,
        }
    }
}

/// An announcement and, after it is revealed, its opening.
#[derive(Serialize, ToSchema)]
pub struct OpenedCommitmentResponse {
    /// The announcement.
    #[serde(flatten)]
    pub announcement: CommitmentResponse,
    /// The text whose SHA-256 is `commitment`: three lines with a tag, the seed in hexadecimal digits and the plan as JSON, without a line end after
    /// the last. Absent until the announcement is revealed.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(
        example = "cardscape-print-commitment-v1\n3c5b…\n{\"algorithm\":\"largest-remainder-v1\",…}"
    )]
    pub opening: Option<String>,
}

impl From<OpenedRow> for OpenedCommitmentResponse {
    fn from(row: OpenedRow) -> Self {
        Self { opening: row.opening(), announcement: row.announcement.into() }
    }
}

/// Lists the announced print runs of a set, the newest first: those before the announcement `before`.
pub async fn list(
    app: &AppState,
    game: &Code,
    set: &Code,
    before: Option<Uuid>,
    limit: PageLimit,
) -> Result<Page<CommitmentResponse>, Problem> {
    let mut conn = app.store.connection().await?;
    let (game, set) = (game.as_str(), set.as_str());
    let rows = print_commitments::list(&mut conn, game, set, before, limit.rows()).await?;
    if rows.is_empty() && !sets::exists(&conn, game, set).await? {
        return Err(Problem::not_found());
    }
    Ok(paged(rows, limit, |row| row.id, CommitmentResponse::from))
}

/// Finds an announcement; it contains the seed and plan once they are revealed.
pub async fn find(app: &AppState, id: CommitmentId) -> Result<OpenedCommitmentResponse, Problem> {
    read(&mut *app.store.connection().await?, id).await
}

async fn read(
    conn: &mut Connection,
    id: CommitmentId,
) -> Result<OpenedCommitmentResponse, Problem> {
    let row = print_commitments::find(conn, id).await?;
    Ok(row.ok_or_else(Problem::not_found)?.into())
}

/// Plans a print run, draws its seed, and stores both; the response has their hash.
pub async fn announce(
    app: &AppState,
    by: &Granted<AnnouncePrintRuns>,
    request: &RunRequest,
    key: Option<&IdempotencyClaim>,
) -> Result<OpenedCommitmentResponse, Problem> {
    if let Some(key) = key {
        // A repeated request gets the first answer, whatever happened to the set since.
        let mut conn = app.store.connection().await?;
        if let Some(earlier) = idempotency::answered(&conn, key).await? {
            return read(&mut conn, CommitmentId(earlier)).await;
        }
    }
    let planned = print_plans::plan(app, &Planner::from(by), request).await?;
    let new = NewCommitment {
        id: CommitmentId::generate(),
        set: planned.set.id,
        opening: &planned.opening,
        at: app.clock.now(),
    };
    let (id, row) = app
        .write(by, async |conn, by| {
            let id = print_commitments::announce(conn, by, &new, key).await?;
            Ok::<_, IdempotentError>((id, print_commitments::find(conn, id).await?))
        })
        .await?;
    if id == new.id {
        tracing::info!(account = %by.account(), commitment = %id, "print run announced");
    }
    Ok(row.ok_or_else(Problem::not_found)?.into())
}

/// Publishes the seed and plan of a printed run. This cannot be undone.
pub async fn reveal(
    app: &AppState,
    by: &Granted<AnnouncePrintRuns>,
    id: CommitmentId,
) -> Result<OpenedCommitmentResponse, Problem> {
    let now = app.clock.now();
    let (revealed, row) = app
        .write(by, async |conn, by| {
            let revealed = print_commitments::reveal(conn, by, id, now).await?;
            Ok::<_, StoreError>((revealed, print_commitments::find(conn, id).await?))
        })
        .await?;
    match revealed {
        RevealOutcome::Now => {
            tracing::info!(account = %by.account(), commitment = %id, "print run revealed");
        }
        RevealOutcome::Before => {}
        RevealOutcome::Missing => return Err(Problem::not_found()),
        RevealOutcome::NotPrinted => {
            return Err(Problem::new(ProblemCode::CommitmentNotPrinted).detail(format!(
                "Print it with `cardscape mint --commitment {id}`, again if its print run was broken off."
            )));
        }
        RevealOutcome::CardsHidden => return Err(Problem::new(ProblemCode::CardsStillHidden)),
    }
    Ok(row.ok_or_else(Problem::not_found)?.into())
}
