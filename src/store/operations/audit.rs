//! The audit log: who changed what; append-only.

use chrono::{DateTime, Utc};
use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use uuid::Uuid;

use crate::auth::permission::{Granted, ReadAuditLog};
use crate::domain::ids::AccountId;
use crate::domain::operations::audit::{AuditAction, AuditTarget};
use crate::store::db::pages::{MAX_PAGE_ROWS, push_page};
use crate::store::db::schema::audit_log;
use crate::store::db::statement::sql;
use crate::store::{Connection, StoreResult};

/// An entry to write. `details` must not contain a secret.
pub struct NewAuditEntry<'a> {
    /// The account that acted; `None`: the operator on the command line.
    pub actor: Option<AccountId>,
    /// The action, as `noun.verb`: `account.role_changed`.
    pub action: &'a str,
    /// The target, as `noun:id`.
    pub target: String,
    pub details: serde_json::Value,
    pub at: DateTime<Utc>,
}

/// An entry as stored.
#[derive(Debug, QueryableByName)]
#[diesel(table_name = audit_log)]
pub struct AuditEntryRow {
    /// Id of the entry.
    pub id: Uuid,
    /// The account that acted; `None`: the operator on the command line.
    pub actor_id: Option<AccountId>,
    pub action: String,
    pub target: String,
    pub details: serde_json::Value,
    pub created_at: DateTime<Utc>,
}

/// Writes an entry, in the transaction of the recorded change.
pub async fn write(conn: &mut Connection, entry: NewAuditEntry<'_>) -> StoreResult<()> {
    diesel::insert_into(audit_log::table)
        .values((
            audit_log::id.eq(Uuid::now_v7()),
            audit_log::actor_id.eq(entry.actor),
            audit_log::action.eq(entry.action),
            audit_log::target.eq(entry.target),
            audit_log::details.eq(entry.details),
            audit_log::created_at.eq(entry.at),
        ))
        .execute(conn)
        .await?;
    Ok(())
}

/// Filter of entries; all given conditions must hold.
#[derive(Clone, Debug, Default)]
pub struct AuditFilter<'a> {
    /// The account that acted, or the target account.
    pub account: Option<AccountId>,
    /// The account that acted.
    pub actor: Option<AccountId>,
    pub action: Option<&'a AuditAction>,
    pub target: Option<&'a AuditTarget>,
    /// Start of the period, inclusive.
    pub from: Option<DateTime<Utc>>,
    /// End of the period, exclusive.
    pub until: Option<DateTime<Utc>>,
}

const ENTRY: &str = "e.id, e.actor_id, e.action, e.target, e.details, e.created_at";
const NEWEST_FIRST: &str = "created_at DESC, id DESC";

/// Entries, the newest first, after the position `before`.
pub async fn list(
    conn: &mut Connection,
    _by: &Granted<ReadAuditLog>,
    filter: &AuditFilter<'_>,
    before: Option<(DateTime<Utc>, Uuid)>,
    limit: i64,
) -> StoreResult<Vec<AuditEntryRow>> {
    // The text contains only the requested conditions, so that a generic plan uses the index of each.
    let mut conditions =
        String::from("(e.created_at, e.id) < ($at, $id) AND e.created_at >= $from");
    let (noun, whole) = match filter.action {
        None => (None, None),
        Some(AuditAction::Noun(noun)) => (Some(noun), None),
        Some(AuditAction::Whole(whole)) => (None, Some(whole)),
    };
    for (is_asked, condition) in [
        (filter.actor.is_some(), " AND e.actor_id = $actor"),
        (filter.target.is_some(), " AND e.target = $target"),
        (noun.is_some(), " AND split_part(e.action, '.', 1) = $noun"),
        (whole.is_some(), " AND e.action = $action"),
    ] {
        if is_asked {
            conditions.push_str(condition);
        }
    }
    let part =
        |condition: &str| format!("SELECT {ENTRY} FROM audit_log e WHERE {conditions}{condition}");
    let text = match filter.account {
        None => part(""),
        // Each side uses its own index; an entry with the account on both sides is returned once.
        Some(_) => {
            let did = part(" AND e.actor_id = $account");
            let done_to = part(
                " AND e.target = 'account:' || $account::text AND e.actor_id IS DISTINCT FROM $account",
            );
            let first = format!("ORDER BY {NEWEST_FIRST} LIMIT {MAX_PAGE_ROWS}");
            format!("SELECT {ENTRY} FROM (({did} {first}) UNION ALL ({done_to} {first})) e")
        }
    };
    // The end of the period is a position, too: no id sorts before the nil one.
    let until = filter.until.map(|until| (until, Uuid::nil()));
    let (at, id) = before.into_iter().chain(until).min().unwrap_or((END_OF_TIME, Uuid::nil()));
    let statement = sql("")
        .push(&text)
        .bind("at", at)
        .bind("id", id)
        .bind("from", filter.from.unwrap_or(DateTime::UNIX_EPOCH))
        .bind_some("actor", filter.actor)
        .bind_some("target", filter.target.map(AuditTarget::as_str))
        .bind_some("noun", noun)
        .bind_some("action", whole)
        .bind_some("account", filter.account);
    Ok(push_page(statement, NEWEST_FIRST, limit).varies_with_filters().load(conn).await?)
}

/// Later than any entry: the beginning of the year 10000.
const END_OF_TIME: DateTime<Utc> = match DateTime::from_timestamp(253_402_300_800, 0) {
    Some(time) => time,
    None => DateTime::<Utc>::MAX_UTC,
};
