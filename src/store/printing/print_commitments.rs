//! Announcements of print runs: the commitment, the printed run, and the time of the reveal. Seed and plan are given
//! only to the press, and to everybody once they are revealed.

use chrono::{DateTime, Utc};
use diesel::prelude::*;
use diesel::sql_types::{Binary, Bool, Nullable, Text, Timestamptz, Uuid as SqlUuid};
use diesel_async::RunQueryDsl;
use serde_json::json;
use uuid::Uuid;

use crate::auth::permission::{Acting, AnnouncePrintRuns, Operator};
use crate::domain::hex::hex;
use crate::domain::ids::{AccountId, CommitmentId, PrintRunId};
use crate::domain::printing::commitment::{Opening, TAG};
use crate::store::db::pages::push_page;
use crate::store::db::schema::{print_commitments, print_runs};
use crate::store::db::statement::{CachePrepared as _, sql};
use crate::store::operations::audit;
use crate::store::operations::idempotency::{self, IdempotencyClaim, IdempotentError};
use crate::store::printing::print_runs::RunStatus;
use crate::store::{Connection, StoreResult};

/// An announcement as everybody may see it, without seed and plan: a plan may be long.
#[derive(Clone, Debug, QueryableByName)]
pub struct CommitmentRow {
    #[diesel(sql_type = SqlUuid)]
    pub id: CommitmentId,
    /// Code of the set's game.
    #[diesel(sql_type = Text)]
    pub game_code: String,
    #[diesel(sql_type = Text)]
    pub set_code: String,
    #[diesel(sql_type = Binary)]
    digest: Vec<u8>,
    /// When it was announced.
    #[diesel(sql_type = Timestamptz)]
    pub announced_at: DateTime<Utc>,
    /// When its print run became active.
    #[diesel(sql_type = Nullable<Timestamptz>)]
    pub printed_at: Option<DateTime<Utc>>,
    #[diesel(sql_type = Nullable<Binary>)]
    packing_sha256: Option<Vec<u8>>,
    /// When a print run of it was last recorded as abandoned.
    #[diesel(sql_type = Nullable<Timestamptz>)]
    pub broken_off_at: Option<DateTime<Utc>>,
    /// When it was revealed.
    #[diesel(sql_type = Nullable<Timestamptz>)]
    pub revealed_at: Option<DateTime<Utc>>,
}

impl CommitmentRow {
    /// The commitment as lower-case hexadecimal digits.
    pub fn digest(&self) -> String {
        hex(&self.digest)
    }

    /// SHA-256 of the packing list of its print run.
    pub fn packing_sha256(&self) -> Option<String> {
        self.packing_sha256.as_deref().map(hex)
    }
}

/// An announcement with its seed and plan.
#[derive(Clone, Debug, QueryableByName)]
pub struct OpenedRow {
    #[diesel(embed)]
    pub announcement: CommitmentRow,
    #[diesel(sql_type = Binary)]
    seed: Vec<u8>,
    #[diesel(sql_type = Text)]
    plan: String,
}

impl OpenedRow {
    /// Seed and plan, once they are revealed.
    pub fn opening(&self) -> Option<String> {
        self.announcement.revealed_at.map(|_| self.opening_text())
    }

    fn opening_text(&self) -> String {
        format!("{TAG}\n{}\n{}", hex(&self.seed), self.plan)
    }
}

const COLUMNS: &str = "m.id, s.game_code, s.code AS set_code, m.digest, m.announced_at, \
                       r.activated_at AS printed_at, r.packing_sha256, m.broken_off_at, m.revealed_at";

const TABLES: &str = "print_commitments m JOIN sets s ON s.id = m.set_id \
                      LEFT JOIN print_runs r ON r.id = m.print_run_id AND r.status = 'active'";

/// One announcement.
pub async fn find(conn: &mut Connection, id: CommitmentId) -> StoreResult<Option<OpenedRow>> {
    Ok(sql(format!("SELECT {COLUMNS}, m.seed, m.plan FROM {TABLES} WHERE m.id = $id"))
        .bind("id", id)
        .get_result(conn)
        .await
        .optional()?)
}

/// Announcements of a set, the newest first, after the one with id `before`.
pub async fn list(
    conn: &mut Connection,
    game: &str,
    set: &str,
    before: Option<Uuid>,
    limit: i64,
) -> StoreResult<Vec<CommitmentRow>> {
    let query = format!(
        "SELECT {COLUMNS} FROM {TABLES} \
         WHERE s.game_code = $game AND s.code = $set AND m.id < $before"
    );
    let statement = sql(query)
        .bind("game", game)
        .bind("set", set)
        .bind("before", before.unwrap_or(Uuid::max()));
    Ok(push_page(statement, "id DESC", limit).get_results(conn).await?)
}

/// An announcement to store.
pub struct NewCommitment<'a> {
    pub id: CommitmentId,
    /// Id of the set.
    pub set: Uuid,
    /// Seed and plan.
    pub opening: &'a Opening,
    /// The current time.
    pub at: DateTime<Utc>,
}

/// Announces a print run; returns another id if this is a repeated request.
pub async fn announce(
    conn: &mut Connection,
    by: &Acting<AnnouncePrintRuns>,
    new: &NewCommitment<'_>,
    key: Option<&IdempotencyClaim>,
) -> Result<CommitmentId, IdempotentError> {
    if let Some(earlier) = idempotency::begin(conn, key, new.id).await? {
        return Ok(earlier);
    }
    insert(conn, Some(by.account()), new).await?;
    Ok(new.id)
}

async fn insert(
    conn: &mut Connection,
    by: Option<AccountId>,
    new: &NewCommitment<'_>,
) -> StoreResult<()> {
    let digest = new.opening.digest();
    diesel::insert_into(print_commitments::table)
        .values((
            print_commitments::id.eq(new.id),
            print_commitments::set_id.eq(new.set),
            print_commitments::digest.eq(digest.to_vec()),
            print_commitments::seed.eq(new.opening.seed.as_bytes().to_vec()),
            print_commitments::plan.eq(new.opening.plan.text()),
            print_commitments::announced_by.eq(by),
            print_commitments::announced_at.eq(new.at),
        ))
        .execute(conn)
        .await?;
    let entry = audit::NewAuditEntry {
        actor: by,
        action: "print_commitment.announced",
        target: format!("print_commitment:{}", new.id),
        details: json!({ "set": new.set, "commitment": hex(&digest) }),
        at: new.at,
    };
    audit::write(conn, entry).await
}

/// An announcement with its opening, for the press.
#[derive(Clone, Debug)]
pub struct StoredAnnouncement {
    /// Seed and plan as stored.
    pub opening: String,
    /// Whether a run was printed from it.
    pub printed: bool,
}

/// Finds an announcement for the press.
pub async fn find_to_print(
    conn: &mut Connection,
    _by: &Operator,
    id: CommitmentId,
) -> StoreResult<Option<StoredAnnouncement>> {
    let row = find(conn, id).await?;
    Ok(row.map(|row| StoredAnnouncement {
        opening: row.opening_text(),
        printed: row.announcement.printed_at.is_some(),
    }))
}

/// Links a pending run to its announcement, which is stored now unless it was stored before. `false`: another run was
/// printed from it.
pub(super) async fn link_run(
    conn: &mut Connection,
    new: &NewCommitment<'_>,
    announced_before: bool,
    run: PrintRunId,
) -> StoreResult<bool> {
    if !announced_before {
        insert(conn, None, new).await?;
    }
    let not_discarded = print_runs::table
        .filter(print_runs::status.ne(RunStatus::Discarded))
        .select(print_runs::id.nullable());
    let linked = diesel::update(
        print_commitments::table.find(new.id).filter(
            print_commitments::print_run_id
                .is_null()
                .or(print_commitments::print_run_id.ne_all(not_discarded)),
        ),
    )
    .set(print_commitments::print_run_id.eq(run))
    .cached()
    .execute(conn)
    .await?;
    Ok(linked == 1)
}

/// Result of revealing an announcement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RevealOutcome {
    /// It is public now.
    Now,
    /// It was public before.
    Before,
    /// There is no such announcement.
    Missing,
    /// Its run is not printed yet.
    NotPrinted,
    /// The plan would reveal in which rarities hidden cards exist.
    CardsHidden,
}

#[derive(QueryableByName)]
struct CommitmentState {
    #[diesel(sql_type = Bool)]
    printed: bool,
    #[diesel(sql_type = Bool)]
    revealed: bool,
    #[diesel(sql_type = Bool)]
    cards_hidden: bool,
}

/// Reveals seed and plan of an announcement to everybody, permanently.
pub async fn reveal(
    conn: &mut Connection,
    by: &Acting<AnnouncePrintRuns>,
    id: CommitmentId,
    now: DateTime<Utc>,
) -> StoreResult<RevealOutcome> {
    let state: Option<CommitmentState> = sql(
        "SELECT m.revealed_at IS NOT NULL AS revealed, \
                EXISTS (SELECT 1 FROM print_runs r WHERE r.id = m.print_run_id AND r.status = 'active') AS printed, \
                EXISTS (SELECT 1 FROM sets s JOIN cards k ON k.game_code = s.game_code AND k.set_code = s.code \
                        JOIN unlocks u ON u.card_id = k.id \
                        WHERE s.id = m.set_id AND u.unlocked_at IS NULL) AS cards_hidden \
         FROM print_commitments m WHERE m.id = $id FOR UPDATE OF m",
    )
    .bind("id", id)
    .get_result(conn)
    .await
    .optional()?;
    match state {
        None => return Ok(RevealOutcome::Missing),
        Some(state) if state.revealed => return Ok(RevealOutcome::Before),
        Some(state) if !state.printed => return Ok(RevealOutcome::NotPrinted),
        Some(state) if state.cards_hidden => return Ok(RevealOutcome::CardsHidden),
        Some(_) => {}
    }
    diesel::update(print_commitments::table.find(id))
        .set(print_commitments::revealed_at.eq(now))
        .cached()
        .execute(conn)
        .await?;
    let entry = audit::NewAuditEntry {
        actor: Some(by.account()),
        action: "print_commitment.revealed",
        target: format!("print_commitment:{id}"),
        details: json!({}),
        at: now,
    };
    audit::write(conn, entry).await?;
    Ok(RevealOutcome::Now)
}
