//! Print runs that were interrupted: they are marked as discarded at once, and their copies are deleted afterwards.
//!
//! Codes of a run that is not active are never accepted, so nothing waits for the deletion: it runs in many small transactions, in
//! the service's housekeeping or after a mint, and can be interrupted between any two of them.

use chrono::{DateTime, Utc};
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Binary, Bool, Nullable, Text, Uuid as SqlUuid};
use diesel_async::RunQueryDsl;
use serde_json::json;

use super::press_locks::{PRESS_LOCK, try_lock};
use crate::domain::ids::{CommitmentId, PrintRunId};
use crate::store::db::deadlines;
use crate::store::db::schema::print_run_lines;
use crate::store::db::statement::{run_commands, sql};
use crate::store::operations::audit;
use crate::store::{Connection, Store, StoreResult};

/// Copies that one transaction deletes, in a fraction of a second: four foreign keys are checked for each copy.
const BATCH: i64 = 2_000;

/// The advisory lock for deleting copies of discarded runs: one process at a time.
const EMPTYING_LOCK: i64 = 7_233_172_005;

#[derive(QueryableByName)]
struct DiscardedRow {
    #[diesel(sql_type = SqlUuid)]
    id: PrintRunId,
    #[diesel(sql_type = BigInt)]
    copy_count: i64,
    #[diesel(sql_type = Nullable<SqlUuid>)]
    commitment: Option<CommitmentId>,
}

/// Discards all pending runs, or `only` this one; returns how many. Their announcements can be printed again, and publicly
/// record that a run was abandoned. To discard runs of other mints, the caller must hold the press lock, so that no mint of
/// them is running.
pub(super) async fn discard_pending(
    conn: &mut Connection,
    only: Option<PrintRunId>,
    now: DateTime<Utc>,
) -> StoreResult<usize> {
    let runs: Vec<DiscardedRow> = sql("WITH discarded AS ( \
             UPDATE print_runs SET status = 'discarded', discarded_at = $now \
             WHERE status = 'pending' AND ($only IS NULL OR id = $only) RETURNING id, copy_count \
         ), promised AS ( \
             UPDATE print_commitments m SET broken_off_at = $now FROM discarded \
             WHERE m.print_run_id = discarded.id RETURNING m.id, m.print_run_id \
         ) SELECT discarded.id, discarded.copy_count, promised.id AS commitment \
           FROM discarded LEFT JOIN promised ON promised.print_run_id = discarded.id")
    .bind("only", only)
    .bind("now", now)
    .get_results(conn)
    .await?;
    for run in &runs {
        diesel::delete(print_run_lines::table.filter(print_run_lines::print_run_id.eq(run.id)))
            .execute(conn)
            .await?;
        let entry = audit::NewAuditEntry {
            actor: None,
            action: "print_run.discarded",
            target: format!("print_run:{}", run.id),
            details: json!({ "codes": run.copy_count, "commitment": run.commitment }),
            at: now,
        };
        audit::write(conn, entry).await?;
        tracing::warn!(
            print_run = %run.id, codes = run.copy_count, commitment = run.commitment.map(tracing::field::display),
            "a print run was broken off and is discarded: nobody can register its codes, so destroy its print file; its commitment can be printed again"
        );
    }
    Ok(runs.len())
}

#[derive(QueryableByName)]
struct Pending {
    #[diesel(sql_type = Bool)]
    is_any: bool,
}

/// Discards pending runs that a killed mint left behind, unless a mint is running; returns how many runs.
pub async fn discard_abandoned(store: &Store, now: DateTime<Utc>) -> StoreResult<usize> {
    let mut begun = store.begin().await?;
    let discarded = async {
        // Whoever holds the press lock delays moves of cards and mints, so it is taken only if there is something to discard.
        let Pending { is_any } =
            sql("SELECT EXISTS (SELECT FROM print_runs WHERE status = 'pending') AS is_any")
                .get_result(begun.conn())
                .await?;
        if is_any && try_lock(begun.conn(), PRESS_LOCK).await? {
            discard_pending(begun.conn(), None, now).await
        } else {
            Ok(0)
        }
    };
    let discarded = discarded.await;
    begun.end(discarded).await
}

/// Counts the copies of discarded runs that are left to delete: an upper bound, since the planned copies are counted.
pub async fn count_copies_to_delete(conn: &mut Connection) -> StoreResult<u64> {
    #[derive(QueryableByName)]
    struct Left {
        #[diesel(sql_type = BigInt)]
        copies: i64,
    }
    let Left { copies } =
        sql("SELECT coalesce(sum(copy_count), 0)::bigint AS copies FROM print_runs \
         WHERE status = 'discarded' AND emptied_at IS NULL")
        .get_result(conn)
        .await?;
    Ok(u64::try_from(copies).unwrap_or_default())
}

/// Deletes copies of discarded runs in at most `transactions` small transactions; returns how many copies were deleted. `progress` is called after
/// each transaction. Stops early when nothing is left, or when another process is deleting.
pub async fn delete_copies(
    store: &Store,
    transactions: usize,
    now: DateTime<Utc>,
    progress: impl Fn(u64),
) -> StoreResult<u64> {
    let store = store.with_deadline(deadlines::DELETION);
    let (mut deleted, mut progress_of_run) = (0, None);
    for _ in 0..transactions {
        let mut begun = store.begin().await?;
        let batch = delete_batch(begun.conn(), progress_of_run.take(), now).await;
        let Some(batch) = begun.end(batch).await? else { break };
        deleted += batch.copies;
        progress_of_run = batch.progress;
        progress(deleted);
    }
    Ok(deleted)
}

/// Progress of the deletion of a run.
struct DeletionProgress {
    run: PrintRunId,
    /// Second half of the key of the last deleted copy: reading continues after it.
    code_mac: Vec<u8>,
}

struct DeletedBatch {
    copies: u64,
    progress: Option<DeletionProgress>,
}

#[derive(QueryableByName)]
struct RunRow {
    #[diesel(sql_type = SqlUuid)]
    id: PrintRunId,
    #[diesel(sql_type = Text)]
    code_prefix: String,
}

#[derive(QueryableByName)]
struct DeletedRow {
    #[diesel(sql_type = BigInt)]
    copies: i64,
    #[diesel(sql_type = Nullable<Binary>)]
    last: Option<Vec<u8>>,
}

/// Deletes a batch of copies of the first discarded run that has any, and marks a run without copies as emptied. `None`: there is nothing to do.
async fn delete_batch(
    conn: &mut Connection,
    progress: Option<DeletionProgress>,
    now: DateTime<Utc>,
) -> StoreResult<Option<DeletedBatch>> {
    if !try_lock(conn, EMPTYING_LOCK).await? {
        return Ok(None);
    }
    // A longer time limit, for a disk that is busy with a mint.
    run_commands(conn, "SET LOCAL statement_timeout = '30s'").await?;
    let run: Option<RunRow> = sql(
        "SELECT id, code_prefix FROM print_runs WHERE status = 'discarded' AND emptied_at IS NULL ORDER BY id LIMIT 1",
    )
    .get_result(conn)
    .await
    .optional()?;
    let Some(RunRow { id: run, code_prefix }) = run else { return Ok(None) };
    let progress = progress.filter(|progress| progress.run == run);
    let is_from_start = progress.is_none();
    let after = progress.map(|progress| progress.code_mac).unwrap_or_default();
    // By their places in the table: Postgres has no statistics of a new run's prefix, expects one copy of it, and would otherwise read all copies of the run for each
    // copy of the batch.
    let DeletedRow { copies, last } = sql(
        "WITH batch AS MATERIALIZED ( \
             SELECT code_mac, ctid AS place FROM copies \
             WHERE code_prefix = $code_prefix AND print_run_id = $run AND code_mac > $after ORDER BY code_mac LIMIT $limit \
         ), gone AS ( \
             DELETE FROM copies c WHERE c.ctid = ANY (ARRAY(SELECT place FROM batch)) AND c.print_run_id = $run RETURNING c.code_mac \
         ) SELECT (SELECT count(*) FROM gone) AS copies, (SELECT code_mac FROM batch ORDER BY code_mac DESC LIMIT 1) AS last",
    )
    .bind("code_prefix", &code_prefix)
    .bind("run", run)
    .bind("after", after)
    .bind("limit", BATCH)
    .get_result(conn)
    .await?;
    // The run is empty only if it was read from its beginning.
    if last.is_none() && is_from_start {
        sql("UPDATE print_runs SET emptied_at = $now WHERE id = $run")
            .bind("run", run)
            .bind("now", now)
            .execute(conn)
            .await?;
        tracing::info!(print_run = %run, "all copies of a discarded print run are deleted");
    }
    let progress = last.map(|code_mac| DeletionProgress { run, code_mac });
    Ok(Some(DeletedBatch { copies: u64::try_from(copies).unwrap_or_default(), progress }))
}
