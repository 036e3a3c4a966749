//! Print runs, for admins. Nobody can read the codes of a run: the service stores only hashes of them.

use std::sync::Arc;

use chrono::{DateTime, Utc};
use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;

use crate::app::page::{Page, PageLimit, paged};
use crate::app::problem::Problem;
use crate::app::state::AppState;
use crate::auth::permission::{Granted, ReadPrintRuns};
use crate::domain::ids::PrintRunId;
use crate::store::Connection;
use crate::store::printing::print_runs::{self, PrintRunRow, RunCounts};

/// Copies of one rarity in a run.
#[derive(Serialize, ToSchema)]
pub struct RarityCopies {
    /// Code of the rarity.
    #[schema(example = "mythic_rare")]
    pub rarity: String,
    /// Copies over all cards of the set.
    #[schema(example = 26)]
    pub copies: i64,
}

/// A print run.
#[derive(Serialize, ToSchema)]
pub struct PrintRunResponse {
    /// Its id.
    pub id: Uuid,
    /// Code of the set's game.
    #[schema(example = "ttcg")]
    pub game: String,
    /// Code of the set.
    #[schema(example = "veil")]
    pub set: String,
    /// Copies of each card.
    #[schema(example = 100)]
    pub copies_per_card: i64,
    /// Codes in the run.
    #[schema(example = 1200)]
    pub copy_count: i64,
    /// Copies by rarity, the most common first; empty for a discarded run.
    pub rarities: Vec<RarityCopies>,
    /// Copies that players have registered, as it was at most 20 seconds ago.
    #[schema(example = 17)]
    pub registered: i64,
    /// `pending` while its copies come in, `active` once its codes count, `discarded` when it was broken off.
    #[schema(example = "active")]
    pub status: String,
    /// Id of the serial key that its codes were hashed with.
    #[schema(example = "a1b2c3d4")]
    pub key_id: String,
    /// SHA-256 of the print file, in hexadecimal digits.
    #[schema(example = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08")]
    pub file_sha256: String,
    /// SHA-256 of the packing list, for a run with packs.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae")]
    pub packing_sha256: Option<String>,
    /// Id of the announcement that it was printed from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub commitment: Option<Uuid>,
    /// When the print file was written.
    pub created_at: DateTime<Utc>,
    /// When its codes began to count.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub activated_at: Option<DateTime<Utc>>,
    /// When it was noted that the run was broken off.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub discarded_at: Option<DateTime<Utc>>,
}

impl From<(PrintRunRow, Arc<RunCounts>)> for PrintRunResponse {
    fn from((row, counts): (PrintRunRow, Arc<RunCounts>)) -> Self {
        let rarities = counts.copies_by_rarity.iter();
        let rarities = rarities
            .map(|(rarity, copies)| RarityCopies { rarity: rarity.clone(), copies: *copies });
        Self {
            id: row.id.0,
            copies_per_card: row.copies_per_card,
            copy_count: row.copy_count,
            rarities: rarities.collect(),
            registered: counts.registered,
            file_sha256: row.file_sha256(),
            packing_sha256: row.packing_sha256(),
            commitment: row.commitment.map(Uuid::from),
            created_at: row.created_at,
            activated_at: row.activated_at,
            discarded_at: row.discarded_at,
            game: row.game_code,
            set: row.set_code,
            status: row.status.as_str().to_owned(),
            key_id: row.key_id,
        }
    }
}

/// Lists print runs, the newest first: those before the run `before`.
pub async fn list(
    app: &AppState,
    by: &Granted<ReadPrintRuns>,
    before: Option<Uuid>,
    limit: PageLimit,
) -> Result<Page<PrintRunResponse>, Problem> {
    let mut conn = app.store.connection().await?;
    let rows = print_runs::list(&mut conn, by, before, limit.rows()).await?;
    let mut runs = Vec::with_capacity(rows.len());
    for row in rows {
        let counts = count(app, &mut conn, by, &row).await?;
        runs.push((row, counts));
    }
    Ok(paged(runs, limit, |(row, _)| row.id, PrintRunResponse::from))
}

/// Finds a print run.
pub async fn find(
    app: &AppState,
    by: &Granted<ReadPrintRuns>,
    id: PrintRunId,
) -> Result<PrintRunResponse, Problem> {
    let mut conn = app.store.connection().await?;
    let row = print_runs::find(&mut conn, by, id).await?.ok_or_else(Problem::not_found)?;
    let counts = count(app, &mut conn, by, &row).await?;
    Ok(PrintRunResponse::from((row, counts)))
}

/// Counts the copies of a run, or returns counts from the cache. Each run is counted in a statement of its own, so that
/// finished counts stay in the cache when the request runs out of time.
async fn count(
    app: &AppState,
    conn: &mut Connection,
    by: &Granted<ReadPrintRuns>,
    row: &PrintRunRow,
) -> Result<Arc<RunCounts>, Problem> {
    let count = async {
        let counts = print_runs::count(conn, by, row.id).await?;
        Ok::<_, Problem>(Arc::new(counts))
    };
    app.counted_runs.find_or((row.id.0, row.status), count).await
}
