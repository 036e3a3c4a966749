//! Disputes: their statements and outcomes. The copy ledger records their beginning and decision.

use chrono::{DateTime, Utc};
use diesel::prelude::*;
use diesel::sql_types::{Binary, Nullable, Text, Timestamptz, Uuid as SqlUuid};
use diesel_async::RunQueryDsl;
use serde_json::json;
use uuid::Uuid;

use super::copy_records::{COLUMNS, CopyRow, CopyView, JOIN_CARD, view_copies};
use super::ledger::{self, LockedCopy, NewEntry};
use crate::auth::permission::{
    Acting, ArgueOwnDisputes, Granted, ModerateCopies, OverseeCopies, Permission, ReadOwnDisputes,
    Viewer,
};
use crate::domain::copies::dispute::{DisputeSide, DisputeState, MAX_STATEMENTS, Outcome};
use crate::domain::copies::ledger::LedgerKind;
use crate::domain::ids::{AccountId, DisputeId};
use crate::store::db::pages::push_page;
use crate::store::db::schema::{copies, dispute_statements, disputes};
use crate::store::db::statement::{CachePrepared as _, sql};
use crate::store::operations::audit;
use crate::store::operations::idempotency::{self, IdempotencyClaim, IdempotentError};
use crate::store::{Connection, StoreResult};

/// A dispute as stored.
#[derive(Clone, Debug, QueryableByName)]
struct DisputeRow {
    #[diesel(embed)]
    copy: CopyRow,
    #[diesel(sql_type = SqlUuid)]
    dispute_id: DisputeId,
    #[diesel(sql_type = SqlUuid)]
    claimant_id: AccountId,
    #[diesel(sql_type = Text)]
    state: DisputeState,
    #[diesel(sql_type = Timestamptz)]
    opened_at: DateTime<Utc>,
    #[diesel(sql_type = Nullable<Timestamptz>)]
    closed_at: Option<DateTime<Utc>>,
    #[diesel(sql_type = Nullable<SqlUuid>)]
    decided_by: Option<AccountId>,
    #[diesel(sql_type = Nullable<Text>)]
    reason: Option<String>,
    #[diesel(sql_type = Nullable<SqlUuid>)]
    lost_by: Option<AccountId>,
}

/// A dispute as a viewer sees it.
#[derive(Clone, Debug)]
pub struct DisputeView {
    pub id: DisputeId,
    /// The copy. Its id and owner are for its owner and moderators: the claimant does not learn the other account.
    pub copy: CopyView,
    /// The claimant. For moderators.
    pub claimant: AccountId,
    pub state: DisputeState,
    /// When it was opened.
    pub opened_at: DateTime<Utc>,
    /// When it was closed.
    pub closed_at: Option<DateTime<Utc>>,
    /// The moderator who decided it. For moderators.
    pub decided_by: Option<AccountId>,
    /// The reason that the moderator stated.
    pub reason: Option<String>,
    /// Who lost the copy by the decision. For moderators and that account.
    pub lost_by: Option<AccountId>,
}

impl DisputeView {
    /// The side of an account; `None`: it is on neither side.
    pub fn side(&self, account: AccountId) -> Option<DisputeSide> {
        side_of(account, self.claimant, self.copy.owner, self.lost_by)
    }
}

/// The side of an account: the account that lost the copy by the decision stays on the side of the owner.
fn side_of(
    account: AccountId,
    claimant: AccountId,
    owner: AccountId,
    lost_by: Option<AccountId>,
) -> Option<DisputeSide> {
    if claimant == account {
        Some(DisputeSide::Claimant)
    } else if owner == account || lost_by == Some(account) {
        Some(DisputeSide::Owner)
    } else {
        None
    }
}

/// A statement of one side.
#[derive(Clone, Debug, QueryableByName)]
pub struct StatementRow {
    #[diesel(sql_type = Text)]
    pub side: DisputeSide,
    /// Its author.
    #[diesel(sql_type = SqlUuid)]
    pub account_id: AccountId,
    #[diesel(sql_type = Text)]
    pub text: String,
    #[diesel(sql_type = Timestamptz)]
    pub created_at: DateTime<Utc>,
}

/// Whose disputes to list.
#[derive(Clone, Copy, Debug)]
pub enum DisputesOf<'a> {
    /// The reader's disputes, on either side or on one.
    Own(Option<DisputeSide>),
    /// All disputes, or those in which one account claims the copy, owns it, or lost it by the decision.
    All(&'a Granted<OverseeCopies>, Option<AccountId>),
}

/// Filter of disputes; all conditions must hold.
#[derive(Clone, Copy, Debug, Default)]
pub struct DisputeFilter {
    /// Whether they are open.
    pub open: Option<bool>,
    pub state: Option<DisputeState>,
    /// Earliest time of opening, inclusive.
    pub from: Option<DateTime<Utc>>,
    /// Latest time of opening, exclusive.
    pub until: Option<DateTime<Utc>>,
}

const DISPUTE_COLUMNS: &str = "d.id AS dispute_id, d.claimant_id, d.state, d.opened_at, d.closed_at, d.decided_by, d.reason, d.lost_by \
                      FROM disputes d JOIN copies c ON c.code_prefix = d.code_prefix AND c.code_mac = d.code_mac";

/// Ids of disputes about copies that `$account` owns, or that it lost by them. A union, because each part has an index;
/// one condition over both tables would read all disputes.
const OWNED: &str = "SELECT id FROM disputes WHERE lost_by = $account UNION ALL \
                     SELECT about.id FROM copies mine JOIN disputes about USING (code_prefix, code_mac) WHERE mine.owner_id = $account";

/// A condition: `$account` claims the disputed copy, owns it or lost it.
fn about_account() -> String {
    format!("d.id IN (SELECT id FROM disputes WHERE claimant_id = $account UNION ALL {OWNED})")
}

/// Disputes, the newest first, after the one with id `before`.
pub async fn list(
    conn: &mut Connection,
    by: &Granted<ReadOwnDisputes>,
    viewer: Viewer,
    of: DisputesOf<'_>,
    filter: DisputeFilter,
    before: Option<Uuid>,
    limit: i64,
) -> StoreResult<Vec<DisputeView>> {
    let condition = match of {
        DisputesOf::All(_, None) => "true".to_owned(),
        DisputesOf::All(_, Some(_)) | DisputesOf::Own(None) => about_account(),
        DisputesOf::Own(Some(DisputeSide::Claimant)) => "d.claimant_id = $account".to_owned(),
        DisputesOf::Own(Some(DisputeSide::Owner)) => {
            format!("d.id IN ({OWNED}) AND d.claimant_id <> $account")
        }
    };
    // A literal, so that the partial index of open disputes can be used.
    let state = match (filter.open, filter.state) {
        (None, None) => "",
        (Some(true), _) | (None, Some(DisputeState::Open)) => " AND d.state = 'open'",
        (Some(false), _) | (None, Some(_)) => " AND d.state <> 'open'",
    };
    let account = match of {
        DisputesOf::All(_, account) => account,
        DisputesOf::Own(_) => Some(by.account()),
    };
    // The text contains only the requested conditions: for others, a generic plan would expect fewer rows than there are.
    let mut conditions = String::new();
    for (is_asked, condition) in [
        (filter.state.is_some(), " AND d.state = $state"),
        (filter.from.is_some(), " AND d.opened_at >= $from"),
        (filter.until.is_some(), " AND d.opened_at < $until"),
    ] {
        if is_asked {
            conditions.push_str(condition);
        }
    }
    let statement = sql(format!(
        "SELECT {COLUMNS}, {DISPUTE_COLUMNS} {JOIN_CARD} WHERE {condition}{state}{conditions} AND d.id < $before"
    ))
    .bind("reader", by.account())
    .bind_some("account", account)
    .bind("before", before.unwrap_or(Uuid::max()))
    .bind_some("state", filter.state)
    .bind_some("from", filter.from)
    .bind_some("until", filter.until);
    let statement = push_page(statement, "dispute_id DESC", limit).varies_with_filters();
    let rows = statement.get_results(conn).await?;
    view_disputes(conn, viewer, by.account(), rows).await
}

async fn view_disputes(
    conn: &mut Connection,
    viewer: Viewer,
    account: AccountId,
    rows: Vec<DisputeRow>,
) -> StoreResult<Vec<DisputeView>> {
    let copies = rows.iter().map(|row| row.copy.clone()).collect();
    let copies = view_copies(conn, viewer, account, copies).await?;
    let view = |(row, copy): (DisputeRow, CopyView)| DisputeView {
        id: row.dispute_id,
        copy,
        claimant: row.claimant_id,
        state: row.state,
        opened_at: row.opened_at,
        closed_at: row.closed_at,
        decided_by: row.decided_by,
        reason: row.reason,
        lost_by: row.lost_by,
    };
    Ok(rows.into_iter().zip(copies).map(view).collect())
}

/// Permissions with which disputes can be read: for reading own disputes, and for actions in one.
pub trait DisputePermission: Permission {}
impl DisputePermission for ReadOwnDisputes {}
impl DisputePermission for ArgueOwnDisputes {}
impl DisputePermission for ModerateCopies {}

/// A dispute with the statements that the reader may read: the reader's own or, if `all`, those of both sides. `None`:
/// there is no such dispute, or the reader is on neither side and may not read all.
pub async fn find<P: DisputePermission>(
    conn: &mut Connection,
    by: &Granted<P>,
    all: bool,
    viewer: Viewer,
    dispute: DisputeId,
) -> StoreResult<Option<(DisputeView, Vec<StatementRow>)>> {
    let rows =
        sql(format!("SELECT {COLUMNS}, {DISPUTE_COLUMNS} {JOIN_CARD} WHERE d.id = $dispute"))
            .bind("dispute", dispute)
            .bind("reader", by.account())
            .get_results(conn)
            .await?;
    let found = view_disputes(conn, viewer, by.account(), rows).await?.pop();
    let Some(view) = found.filter(|view| all || view.side(by.account()).is_some()) else {
        return Ok(None);
    };
    let statements = sql("SELECT side, account_id, text, created_at FROM dispute_statements \
         WHERE dispute_id = $dispute AND ($all OR account_id = $account) ORDER BY position")
    .bind("dispute", dispute)
    .bind("all", all)
    .bind("account", by.account())
    .get_results(conn)
    .await?;
    Ok(Some((view, statements)))
}

/// Result of an action in a dispute.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DisputeOutcome {
    Done,
    /// The same request was made before: nothing changed.
    Before,
    /// The caller has no such dispute.
    Missing,
    /// Only the other side may do this.
    NotYourTurn,
    /// The dispute was closed before, in this state.
    Closed(DisputeState),
    /// The account has reached the limit of statements.
    TooMany,
    /// The moderator is a side of it, or has another interest in the copy.
    OwnCase,
    /// The copy belongs to another account than the one that the moderator has read.
    OtherOwner,
    /// The dispute has other statements than those that the moderator has read.
    OtherStatements {
        read: i64,
        stated: i64,
    },
}

#[derive(QueryableByName)]
struct LockedDispute {
    #[diesel(sql_type = SqlUuid)]
    claimant_id: AccountId,
    #[diesel(sql_type = SqlUuid)]
    owner_id: AccountId,
    #[diesel(sql_type = Text)]
    state: DisputeState,
    #[diesel(sql_type = Nullable<SqlUuid>)]
    lost_by: Option<AccountId>,
}

impl LockedDispute {
    /// The side of an account; `None`: it is on neither side.
    fn side(&self, account: AccountId) -> Option<DisputeSide> {
        side_of(account, self.claimant_id, self.owner_id, self.lost_by)
    }
}

/// Locks a dispute until the transaction ends.
async fn lock(conn: &mut Connection, dispute: DisputeId) -> StoreResult<Option<LockedDispute>> {
    Ok(sql(
        "SELECT d.claimant_id, c.owner_id, d.state, d.lost_by \
         FROM disputes d JOIN copies c ON c.code_prefix = d.code_prefix AND c.code_mac = d.code_mac \
         WHERE d.id = $dispute FOR NO KEY UPDATE OF d",
    )
    .bind("dispute", dispute)
    .get_result(conn)
    .await
    .optional()?)
}

#[derive(QueryableByName)]
struct KeyRow {
    #[diesel(sql_type = Text)]
    code_prefix: String,
    #[diesel(sql_type = Binary)]
    code_mac: Vec<u8>,
}

/// Locks a dispute and its copy, which then stays with its owner. The copy is locked first, as in trades.
async fn lock_with_copy(
    conn: &mut Connection,
    dispute: DisputeId,
) -> StoreResult<Option<(LockedCopy, LockedDispute)>> {
    let key: Option<KeyRow> = sql("SELECT code_prefix, code_mac FROM disputes WHERE id = $dispute")
        .bind("dispute", dispute)
        .get_result(conn)
        .await
        .optional()?;
    let Some(key) = key else { return Ok(None) };
    let copy = ledger::lock_by_key(conn, &key.code_prefix, &key.code_mac).await?;
    Ok(copy.zip(lock(conn, dispute).await?))
}

/// Adds a statement to a dispute, by one of its sides.
pub async fn add_statement(
    conn: &mut Connection,
    by: &Acting<ArgueOwnDisputes>,
    dispute: DisputeId,
    text: &str,
    key: Option<&IdempotencyClaim>,
    at: DateTime<Utc>,
) -> Result<DisputeOutcome, IdempotentError> {
    if let Some(earlier) = idempotency::begin(conn, key, dispute).await? {
        // The body does not contain the dispute; the path does.
        return if earlier == dispute {
            Ok(DisputeOutcome::Before)
        } else {
            Err(IdempotentError::Mismatch)
        };
    }
    let outcome = insert_statement(conn, by, dispute, text, at).await?;
    if outcome != DisputeOutcome::Done {
        idempotency::forget(conn, key).await?;
    }
    Ok(outcome)
}

async fn insert_statement(
    conn: &mut Connection,
    by: &Acting<ArgueOwnDisputes>,
    dispute: DisputeId,
    text: &str,
    at: DateTime<Utc>,
) -> StoreResult<DisputeOutcome> {
    let Some((_, locked)) = lock_with_copy(conn, dispute).await? else {
        return Ok(DisputeOutcome::Missing);
    };
    let Some(side) = locked.side(by.account()) else { return Ok(DisputeOutcome::Missing) };
    if locked.state != DisputeState::Open {
        return Ok(DisputeOutcome::Closed(locked.state));
    }
    let statements = dispute_statements::table.filter(dispute_statements::dispute_id.eq(dispute));
    let count: i64 = statements
        .filter(dispute_statements::account_id.eq(by.account()))
        .count()
        .get_result(conn)
        .await?;
    if count >= MAX_STATEMENTS {
        return Ok(DisputeOutcome::TooMany);
    }
    let last: Option<i32> =
        statements.select(diesel::dsl::max(dispute_statements::position)).first(conn).await?;
    diesel::insert_into(dispute_statements::table)
        .values((
            dispute_statements::dispute_id.eq(dispute),
            dispute_statements::position.eq(last.unwrap_or(0) + 1),
            dispute_statements::side.eq(side),
            dispute_statements::account_id.eq(by.account()),
            dispute_statements::text.eq(text),
            dispute_statements::created_at.eq(at),
        ))
        .execute(conn)
        .await?;
    Ok(DisputeOutcome::Done)
}

/// Withdraws the caller's claim; final.
pub async fn withdraw(
    conn: &mut Connection,
    by: &Acting<ArgueOwnDisputes>,
    dispute: DisputeId,
    at: DateTime<Utc>,
) -> StoreResult<DisputeOutcome> {
    let Some(locked) = lock(conn, dispute).await? else { return Ok(DisputeOutcome::Missing) };
    match locked.side(by.account()) {
        Some(DisputeSide::Claimant) => {}
        Some(DisputeSide::Owner) => return Ok(DisputeOutcome::NotYourTurn),
        None => return Ok(DisputeOutcome::Missing),
    }
    match locked.state {
        DisputeState::Open => {}
        DisputeState::Withdrawn => return Ok(DisputeOutcome::Before),
        closed => return Ok(DisputeOutcome::Closed(closed)),
    }
    diesel::update(disputes::table.find(dispute))
        .set((disputes::state.eq(DisputeState::Withdrawn), disputes::closed_at.eq(at)))
        .cached()
        .execute(conn)
        .await?;
    Ok(DisputeOutcome::Done)
}

/// A moderator's decision about a dispute, and what the moderator has read of it.
#[derive(Clone, Copy, Debug)]
pub struct Decision<'a> {
    pub outcome: Outcome,
    /// The reason, which both sides can read.
    pub reason: &'a str,
    /// The owner of the copy; `None`: the client does not say whom the moderator has read about.
    pub owner: Option<AccountId>,
    /// The number of statements of both sides; `None`: the client does not say how many the moderator has read.
    pub statements: Option<i64>,
}

/// Decides a dispute, with a reason that both sides can read. If the claimant wins, the copy becomes the claimant's;
/// other claims to it stay open, now against the new owner. Nothing is decided if the copy has another owner, or the dispute
/// other statements, than the moderator has read.
pub async fn decide(
    conn: &mut Connection,
    by: &Acting<ModerateCopies>,
    dispute: DisputeId,
    decision: Decision<'_>,
    at: DateTime<Utc>,
) -> StoreResult<DisputeOutcome> {
    let Decision { outcome, reason, .. } = decision;
    let Some((copy, locked)) = lock_with_copy(conn, dispute).await? else {
        return Ok(DisputeOutcome::Missing);
    };
    if ledger::is_party(conn, &copy, by.account()).await? {
        return Ok(DisputeOutcome::OwnCase);
    }
    match locked.state {
        DisputeState::Open => {}
        decided if decided == outcome.state() => return Ok(DisputeOutcome::Before),
        closed => return Ok(DisputeOutcome::Closed(closed)),
    }
    if decision.owner.is_some_and(|owner| owner != copy.owner_id) {
        return Ok(DisputeOutcome::OtherOwner);
    }
    if let Some(read) = decision.statements {
        let statements =
            dispute_statements::table.filter(dispute_statements::dispute_id.eq(dispute));
        // Both sides lock the dispute before they add one.
        let stated: i64 = statements.count().get_result(conn).await?;
        if stated != read {
            return Ok(DisputeOutcome::OtherStatements { read, stated });
        }
    }
    if outcome == Outcome::ForClaimant {
        diesel::update(copies::table.find((&copy.code_prefix, &copy.code_mac)))
            .set(copies::owner_id.eq(locked.claimant_id))
            .cached()
            .execute(conn)
            .await?;
    }
    diesel::update(disputes::table.find(dispute))
        .set((
            disputes::state.eq(outcome.state()),
            disputes::closed_at.eq(at),
            disputes::decided_by.eq(by.account()),
            disputes::reason.eq(reason),
            disputes::lost_by.eq((outcome == Outcome::ForClaimant).then_some(copy.owner_id)),
        ))
        .cached()
        .execute(conn)
        .await?;
    let entry = NewEntry {
        copy: &copy,
        kind: LedgerKind::Decide,
        account: by.account(),
        reason: Some(reason),
        trade: None,
        dispute: Some(dispute),
        at,
    };
    ledger::append(conn, &[entry]).await?;
    let entry = audit::NewAuditEntry {
        actor: Some(by.account()),
        action: "dispute.decided",
        target: format!("dispute:{dispute}"),
        details: json!({
            "copy": copy.id, "outcome": outcome.state().as_str(), "reason": reason,
            "owner": { "from": copy.owner_id,
                       "to": if outcome == Outcome::ForClaimant { locked.claimant_id } else { copy.owner_id } },
        }),
        at,
    };
    audit::write(conn, entry).await?;
    Ok(DisputeOutcome::Done)
}
