//! Print runs: plans, status, counts of their copies.

use chrono::{DateTime, Utc};
use diesel::prelude::*;
use diesel::sql_types::{Array, BigInt, Binary, Nullable, Text, Timestamptz, Uuid as SqlUuid};
use diesel_async::RunQueryDsl;
use serde_json::json;
use uuid::Uuid;

use crate::auth::permission::{Granted, Operator, Planner, ReadPrintRuns};
use crate::domain::hex::hex;
use crate::domain::ids::{CardId, CommitmentId, PrintRunId, PrintingId};
use crate::domain::printing::minting::PrintPlan;
use crate::domain::serials::serial::RunPrefix;
use crate::store::db::pages::push_page;
use crate::store::db::schema::{games, print_runs, sets};
use crate::store::db::statement::{CachePrepared as _, sql};
use crate::store::operations::audit;
use crate::store::{Connection, StoreResult};

/// Status of a print run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RunStatus {
    /// Its copies are stored or being stored; no submission of them is accepted.
    Pending,
    /// Its copies can be submitted.
    Active,
    /// It was abandoned; its copies are deleted step by step.
    Discarded,
}

impl RunStatus {
    /// The name in responses and in the database.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Active => "active",
            Self::Discarded => "discarded",
        }
    }

    /// The status with that name.
    pub fn parse(name: &str) -> Option<Self> {
        let all = [Self::Pending, Self::Active, Self::Discarded];
        all.into_iter().find(|status| status.as_str() == name)
    }
}

/// A set as the press sees it.
#[derive(Clone, Debug)]
pub struct SetToPrint {
    /// Id of the set.
    pub id: Uuid,
    /// Manifest of its game, with the weights of the rarities.
    pub manifest: String,
    /// Copies of each card over all active runs.
    pub copies_per_card: i64,
    /// Its cards in the order of their numbers.
    pub cards: Vec<CardRow>,
}

/// A card of a [`SetToPrint`].
#[derive(Clone, Debug, QueryableByName)]
pub struct CardRow {
    #[diesel(sql_type = SqlUuid)]
    pub id: CardId,
    /// Number in the set.
    #[diesel(sql_type = Text)]
    pub number: String,
    /// Ids of its printings, the most common first.
    #[diesel(sql_type = Array<SqlUuid>)]
    pub printings: Vec<PrintingId>,
    /// Rarities of its printings, in the same order.
    #[diesel(sql_type = Array<Text>)]
    pub rarities: Vec<String>,
    /// Copies over all active runs.
    #[diesel(sql_type = BigInt)]
    pub copies: i64,
}

/// Finds a set to print. `None`: there is no such set.
pub async fn find_set(
    conn: &mut Connection,
    _by: &Planner,
    game: &str,
    set: &str,
) -> StoreResult<Option<SetToPrint>> {
    let found: Option<(Uuid, i64, String)> = sets::table
        .inner_join(games::table.on(games::code.eq(sets::game_code)))
        .filter(sets::game_code.eq(game))
        .filter(sets::code.eq(set))
        .select((sets::id, sets::copies_per_card, games::manifest))
        .first(conn)
        .await
        .optional()?;
    let Some((id, copies_per_card, manifest)) = found else { return Ok(None) };
    let cards = sql(
        "SELECT k.id, k.number, \
                coalesce(array_agg(p.id ORDER BY p.tier) FILTER (WHERE p.id IS NOT NULL), '{}') AS printings, \
                coalesce(array_agg(p.rarity ORDER BY p.tier) FILTER (WHERE p.id IS NOT NULL), '{}') AS rarities, \
                coalesce(sum(printed.copies), 0)::bigint AS copies \
         FROM cards k \
         LEFT JOIN printings p ON p.card_id = k.id \
         LEFT JOIN LATERAL (SELECT sum(l.copy_count) AS copies FROM print_run_lines l \
                            JOIN print_runs r ON r.id = l.print_run_id AND r.status = 'active' \
                            WHERE l.printing_id = p.id) printed ON true \
         WHERE k.game_code = $game AND k.set_code = $set GROUP BY k.id, k.number ORDER BY k.number",
    )
    .bind("game", game)
    .bind("set", set)
    .get_results(conn)
    .await?;
    Ok(Some(SetToPrint { id, manifest, copies_per_card, cards }))
}

/// Locks the row of a set until the end of the transaction, as a new run of it does: edits of its cards wait, and those that have
/// begun are waited for.
pub(super) async fn lock_set(conn: &mut Connection, set: Uuid) -> StoreResult<()> {
    let row = sets::table.find(set).select(sets::id).for_key_share();
    let _: Option<Uuid> = row.first(conn).await.optional()?;
    Ok(())
}

/// A run whose print file is written.
pub struct NewPrintRun<'a> {
    pub id: PrintRunId,
    pub set: Uuid,
    /// First symbols of its codes.
    pub prefix: RunPrefix,
    /// Id of the serial key with which the codes were hashed.
    pub key_id: &'a str,
    pub plan: &'a PrintPlan,
    /// SHA-256 of the print file.
    pub file_sha256: [u8; 32],
    /// SHA-256 of the packing list, for a run with packs.
    pub packing_sha256: Option<[u8; 32]>,
    /// When the print file was written.
    pub at: DateTime<Utc>,
}

/// Stores a run as pending: its copies may be stored, but cannot be registered yet.
pub async fn insert_pending(
    conn: &mut Connection,
    _by: &Operator,
    new: &NewPrintRun<'_>,
) -> StoreResult<()> {
    diesel::insert_into(print_runs::table)
        .values((
            print_runs::id.eq(new.id),
            print_runs::set_id.eq(new.set),
            print_runs::code_prefix.eq(new.prefix.to_string()),
            print_runs::key_id.eq(new.key_id),
            print_runs::copies_per_card.eq(to_bigint(new.plan.copies_per_card())),
            print_runs::copy_count.eq(to_bigint(new.plan.copy_count())),
            print_runs::status.eq(RunStatus::Pending),
            print_runs::file_sha256.eq(new.file_sha256.to_vec()),
            print_runs::packing_sha256.eq(new.packing_sha256.map(|hash| hash.to_vec())),
            print_runs::created_at.eq(new.at),
        ))
        .execute(conn)
        .await?;
    let (printings, counts): (Vec<PrintingId>, Vec<i64>) =
        new.plan.lines().map(|line| (line.printing.id, to_bigint(line.copies))).unzip();
    sql(
        "INSERT INTO print_run_lines (print_run_id, printing_id, copy_count) SELECT $id, * FROM unnest($printings, $counts)",
    )
    .bind("id", new.id)
    .bind("printings", printings)
    .bind("counts", counts)
    .execute(conn)
    .await?;
    Ok(())
}

/// Converts a count of a plan, which always fits: a run has at most ten million codes.
fn to_bigint(count: u64) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

/// Makes a pending run active and increases the set's number of copies, in one transaction. `false`: the run is not
/// pending any more, or the set differs from the plan. `now`: the current time, not that when the mint began.
pub async fn activate(
    conn: &mut Connection,
    _by: &Operator,
    run: &NewPrintRun<'_>,
    copies_before: i64,
    now: DateTime<Utc>,
) -> StoreResult<bool> {
    let per_card = to_bigint(run.plan.copies_per_card());
    let raised = sql(
        "UPDATE sets s SET copies_per_card = s.copies_per_card + $per_card, revision = s.revision + 1, updated_at = $now \
         WHERE s.id = $set AND s.copies_per_card = $copies_before \
           AND $card_count = (SELECT count(*) FROM cards k WHERE k.game_code = s.game_code AND k.set_code = s.code)",
    )
    .bind("set", run.set)
    .bind("copies_before", copies_before)
    .bind("per_card", per_card)
    .bind("now", now)
    .bind("card_count", to_bigint(run.plan.card_count() as u64))
    .execute(conn)
    .await?;
    let activated = diesel::update(
        print_runs::table.find(run.id).filter(print_runs::status.eq(RunStatus::Pending)),
    )
    .set((print_runs::status.eq(RunStatus::Active), print_runs::activated_at.eq(now)))
    .cached()
    .execute(conn)
    .await?;
    if raised != 1 || activated != 1 {
        return Ok(false);
    }
    let entry = audit::NewAuditEntry {
        actor: None,
        action: "print_run.activated",
        target: format!("print_run:{}", run.id),
        details: json!({
            "set": run.set,
            "copies_per_card": per_card,
            "copy_count": run.plan.copy_count(),
            "file_sha256": hex(&run.file_sha256),
            "packing_sha256": run.packing_sha256.as_ref().map(|hash| hex(hash)),
        }),
        at: now,
    };
    audit::write(conn, entry).await?;
    Ok(true)
}

/// Whether a run is active.
pub async fn is_active(conn: &mut Connection, run: PrintRunId) -> StoreResult<bool> {
    // An unknown status is an error: the caller may delete the print file if the run is not active.
    let status: Option<RunStatus> =
        print_runs::table.find(run).select(print_runs::status).first(conn).await.optional()?;
    Ok(status == Some(RunStatus::Active))
}

/// A print run as admins see it.
#[derive(Clone, Debug, QueryableByName)]
pub struct PrintRunRow {
    #[diesel(sql_type = SqlUuid)]
    pub id: PrintRunId,
    /// Code of the set's game.
    #[diesel(sql_type = Text)]
    pub game_code: String,
    #[diesel(sql_type = Text)]
    pub set_code: String,
    #[diesel(sql_type = BigInt)]
    pub copies_per_card: i64,
    /// Codes in the run.
    #[diesel(sql_type = BigInt)]
    pub copy_count: i64,
    /// `pending`, `active` or `discarded`.
    #[diesel(sql_type = Text)]
    pub status: RunStatus,
    /// Id of the serial key.
    #[diesel(sql_type = Text)]
    pub key_id: String,
    /// SHA-256 of the print file.
    #[diesel(sql_type = Binary)]
    file_sha256: Vec<u8>,
    /// SHA-256 of the packing list.
    #[diesel(sql_type = Nullable<Binary>)]
    packing_sha256: Option<Vec<u8>>,
    /// The announcement that was printed.
    #[diesel(sql_type = Nullable<SqlUuid>)]
    pub commitment: Option<CommitmentId>,
    /// When the print file was written.
    #[diesel(sql_type = Timestamptz)]
    pub created_at: DateTime<Utc>,
    /// When it became active.
    #[diesel(sql_type = Nullable<Timestamptz>)]
    pub activated_at: Option<DateTime<Utc>>,
    /// When it was recorded as abandoned.
    #[diesel(sql_type = Nullable<Timestamptz>)]
    pub discarded_at: Option<DateTime<Utc>>,
}

impl PrintRunRow {
    /// SHA-256 of the print file as lower-case hexadecimal digits.
    pub fn file_sha256(&self) -> String {
        hex(&self.file_sha256)
    }

    /// SHA-256 of the packing list, for a run with packs.
    pub fn packing_sha256(&self) -> Option<String> {
        self.packing_sha256.as_deref().map(hex)
    }
}

const SELECT_RUNS: &str = "SELECT r.id, s.game_code, s.code AS set_code, r.copies_per_card, r.copy_count, r.status, r.key_id, \
                           r.file_sha256, r.packing_sha256, m.id AS commitment, r.created_at, r.activated_at, r.discarded_at \
                    FROM print_runs r JOIN sets s ON s.id = r.set_id \
                    LEFT JOIN print_commitments m ON m.print_run_id = r.id";

/// Print runs, the newest first, after the one with id `before`.
pub async fn list(
    conn: &mut Connection,
    _by: &Granted<ReadPrintRuns>,
    before: Option<Uuid>,
    limit: i64,
) -> StoreResult<Vec<PrintRunRow>> {
    let statement = sql(format!("{SELECT_RUNS} WHERE r.id < $before"))
        .bind("before", before.unwrap_or(Uuid::max()));
    Ok(push_page(statement, "id DESC", limit).get_results(conn).await?)
}

/// One print run.
pub async fn find(
    conn: &mut Connection,
    _by: &Granted<ReadPrintRuns>,
    id: PrintRunId,
) -> StoreResult<Option<PrintRunRow>> {
    Ok(sql(format!("{SELECT_RUNS} WHERE r.id = $id"))
        .bind("id", id)
        .get_result(conn)
        .await
        .optional()?)
}

/// How many copies a print run has, and how many of them are registered.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RunCounts {
    /// Codes of rarities with their copies, the most common rarity first. Empty for a discarded run.
    pub copies_by_rarity: Vec<(String, i64)>,
    /// Copies that players have registered. A void copy belongs to nobody.
    pub registered: i64,
}

/// Counts the copies of each of these runs, in their order; an unknown run has none. Reads the plans and all registered
/// copies of the runs, so callers cache the result, and request only as many runs at once as one statement can count
/// within its time limit.
pub async fn count(
    conn: &mut Connection,
    _by: &Granted<ReadPrintRuns>,
    runs: &[PrintRunId],
) -> StoreResult<Vec<RunCounts>> {
    #[derive(QueryableByName)]
    struct CountedRow {
        #[diesel(sql_type = Array<Text>)]
        rarities: Vec<String>,
        #[diesel(sql_type = Array<BigInt>)]
        copies: Vec<i64>,
        #[diesel(sql_type = BigInt)]
        registered: i64,
    }
    // The lateral joins look up the lines of each run and the rarity of each line: with plain joins Postgres would read the
    // printings of the whole catalogue.
    let rows: Vec<CountedRow> = sql(
        "SELECT planned.rarities, planned.copies, \
                (SELECT count(*) FROM copies c \
                 WHERE c.print_run_id = asked.id AND c.owner_id IS NOT NULL AND c.voided_at IS NULL) AS registered \
         FROM unnest((SELECT $runs)::uuid[]) WITH ORDINALITY AS asked (id, place) \
         CROSS JOIN LATERAL (SELECT coalesce(array_agg(share.rarity ORDER BY share.tier), '{}') AS rarities, \
                                    coalesce(array_agg(share.copies ORDER BY share.tier), '{}') AS copies \
             FROM (SELECT one.rarity, min(one.tier) AS tier, sum(l.copy_count)::bigint AS copies FROM print_run_lines l \
                   CROSS JOIN LATERAL (SELECT p.rarity, p.tier FROM printings p WHERE p.id = l.printing_id LIMIT 1) one \
                   WHERE l.print_run_id = asked.id GROUP BY one.rarity) share) planned \
         ORDER BY asked.place",
    )
    .bind("runs", runs)
    .load(conn)
    .await?;
    let counts = rows.into_iter().map(|row| RunCounts {
        copies_by_rarity: row.rarities.into_iter().zip(row.copies).collect(),
        registered: row.registered,
    });
    Ok(counts.collect())
}

impl CardRow {
    /// Its printings with their rarities.
    pub fn printings(&self) -> impl Iterator<Item = (PrintingId, &str)> {
        self.printings.iter().copied().zip(self.rarities.iter().map(String::as_str))
    }
}
