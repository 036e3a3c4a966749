//! The audit log: who changed what, append-only.

use chrono::{DateTime, Utc};
use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use uuid::Uuid;

use super::schema::audit_log;
use super::{Connection, StoreResult};
use crate::auth::permission::{Granted, ReadAuditLog};
use crate::domain::ids::AccountId;

/// An entry to write. `details` never holds a secret.
pub struct NewAuditEntry<'a> {
    /// Who; `None`: the operator at the machine.
    pub actor: Option<AccountId>,
    /// What, as `noun.verb`: `account.role_changed`.
    pub action: &'a str,
    /// On what, as `noun:id`.
    pub target: String,
    /// Anything worth knowing later.
    pub details: serde_json::Value,
    /// When.
    pub at: DateTime<Utc>,
}

/// An entry as stored.
#[derive(Debug, Queryable, Selectable)]
#[diesel(table_name = audit_log)]
pub struct AuditEntryRow {
    /// Id of the entry.
    pub id: Uuid,
    /// Who; `None`: the operator at the machine.
    pub actor_id: Option<Uuid>,
    /// What was done.
    pub action: String,
    /// To what.
    pub target: String,
    /// Anything worth knowing.
    pub details: serde_json::Value,
    /// When.
    pub created_at: DateTime<Utc>,
}

/// Writes an entry, in the transaction of the change it tells of.
pub async fn write(conn: &mut Connection, entry: NewAuditEntry<'_>) -> StoreResult<()> {
    diesel::insert_into(audit_log::table)
        .values((
            audit_log::id.eq(Uuid::now_v7()),
            audit_log::actor_id.eq(entry.actor.map(|account| account.0)),
            audit_log::action.eq(entry.action),
            audit_log::target.eq(entry.target),
            audit_log::details.eq(entry.details),
            audit_log::created_at.eq(entry.at),
        ))
        .execute(conn)
        .await?;
    Ok(())
}

/// Entries, the newest first, after the position `before`.
pub async fn list(
    conn: &mut Connection,
    _by: &Granted<ReadAuditLog>,
    before: Option<(DateTime<Utc>, Uuid)>,
    limit: i64,
) -> StoreResult<Vec<AuditEntryRow>> {
    let mut query = audit_log::table
        .select(AuditEntryRow::as_select())
        .order((audit_log::created_at.desc(), audit_log::id.desc()))
        .limit(limit)
        .into_boxed();
    if let Some((at, id)) = before {
        query = query.filter(
            audit_log::created_at.lt(at).or(audit_log::created_at.eq(at).and(audit_log::id.lt(id))),
        );
    }
    Ok(query.load(conn).await?)
}
