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

/// Most codes that one statement counts if it counts several runs; this takes a few tenths of a second.
const AT_ONCE: i64 = 1_000_000;

/// Copies of one rarity in a run.
#[derive(Serialize, ToSchema)]
pub struct RarityCopies {
    /// Code of the rarity.
    #[schema(example = "mythic_rare")]
    pub rarity: String,
    /// Number of copies of all cards of the set together.
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
    /// Number of copies of each card.
    #[schema(example = 100)]
    pub copies_per_card: i64,
    /// Number of codes in the run.
    #[schema(example = 1200)]
    pub copy_count: i64,
    /// Copies by rarity, the most common first; empty for a discarded run.
    pub rarities: Vec<RarityCopies>,
    /// Number of copies that players have registered, without void copies. It may be up to 20 seconds old.
    #[schema(example = 17)]
    pub registered: i64,
    /// `pending`: its copies are being stored; `active`: its codes can be registered; `discarded`: it was broken off.
    #[schema(example = "active")]
    pub status: String,
    /// Id of the serial key with which its codes were hashed.
    #[schema(example = "a1b2c3d4")]
    pub key_id: String,
    /// SHA-256 of the print file, in hexadecimal digits.
    #[schema(example = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08")]
    pub file_sha256: String,
    /// SHA-256 of the packing list, in hexadecimal digits. Absent if the run has no packs.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae")]
    pub packing_sha256: Option<String>,
    /// Id of the announcement from which it was printed. Absent if there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub commitment: Option<Uuid>,
    /// When the print file was written.
    pub created_at: DateTime<Utc>,
    /// The time from which its codes can be registered. Absent if it was never active.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub activated_at: Option<DateTime<Utc>>,
    /// When it was recorded that the run was broken off. Absent if it was not.
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
    let counts = count(app, &mut conn, by, &rows).await?;
    let runs = rows.into_iter().zip(counts).collect();
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
    let counts = count(app, &mut conn, by, std::slice::from_ref(&row)).await?;
    let counts = counts.into_iter().next().unwrap_or_default();
    Ok(PrintRunResponse::from((row, counts)))
}

/// Counts the copies of runs, or returns counts from the cache; in the order of the runs. If the request times out, the
/// counts of the finished statements stay in the cache.
async fn count(
    app: &AppState,
    conn: &mut Connection,
    by: &Granted<ReadPrintRuns>,
    rows: &[PrintRunRow],
) -> Result<Vec<Arc<RunCounts>>, Problem> {
    let key = |row: &PrintRunRow| (row.id.0, row.status);
    let mut found = Vec::with_capacity(rows.len());
    for row in rows {
        found.push(app.counted_runs.find(&key(row)).await);
    }
    let missing: Vec<usize> = (0..rows.len()).filter(|at| found[*at].is_none()).collect();
    let copies = |at: usize| rows[at].copy_count;
    for some in portions(&missing, copies) {
        let ids: Vec<PrintRunId> = some.iter().map(|at| rows[*at].id).collect();
        for (at, counts) in some.iter().zip(print_runs::count(conn, by, &ids).await?) {
            let counted = async { Ok::<_, Problem>(Arc::new(counts)) };
            found[*at] = Some(app.counted_runs.find_or(key(&rows[*at]), counted).await?);
        }
    }
    Ok(found.into_iter().map(Option::unwrap_or_default).collect())
}

/// Divides runs into portions for one statement each: at most [`AT_ONCE`] codes, or one run.
fn portions(runs: &[usize], copies: impl Fn(usize) -> i64) -> Vec<&[usize]> {
    let (mut portions, mut begin, mut sum) = (Vec::new(), 0, 0);
    for (end, run) in runs.iter().enumerate() {
        sum += copies(*run);
        if sum > AT_ONCE && begin < end {
            portions.push(&runs[begin..end]);
            (begin, sum) = (end, copies(*run));
        }
    }
    portions.push(&runs[begin..]);
    portions.retain(|portion| !portion.is_empty());
    portions
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_portion_has_few_codes_or_one_run() {
        let copies = |run: usize| [AT_ONCE, 1, AT_ONCE - 1, 1, 3 * AT_ONCE, 5][run];
        let all = [0, 1, 2, 3, 4, 5];
        assert_eq!(
            portions(&all, copies),
            [&all[..1], &all[1..3], &all[3..4], &all[4..5], &all[5..]]
        );
        assert_eq!(portions(&all[..1], copies), [&all[..1]]);
        assert!(portions(&[], copies).is_empty());
    }
}
