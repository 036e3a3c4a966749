//! Listed designs for the caches of services, and their changes.
//!
//! Triggers record changes in the same transaction. A reader of a snapshot asks for the changes that the snapshot did
//! not contain, so nothing is missed, in whatever order transactions end.

use std::collections::BTreeSet;

use chrono::Duration;
use diesel::prelude::*;
use diesel::sql_types::{Array, BigInt, Binary, Bool, Nullable, Text, Uuid as SqlUuid};
use diesel_async::RunQueryDsl;

use crate::domain::designs::identifier::DesignCode;
use crate::domain::ids::{AccountId, DesignId};
use crate::store::db::statement::sql;
use crate::store::{Connection, StoreResult};

/// A listed design with the values that comparisons need.
#[derive(Clone, Debug, PartialEq, Eq, QueryableByName)]
pub struct ListedName {
    /// Its internal id.
    #[diesel(sql_type = SqlUuid)]
    pub id: DesignId,
    /// Its public identifier.
    #[diesel(sql_type = Text)]
    pub code: DesignCode,
    /// Its author.
    #[diesel(sql_type = SqlUuid)]
    pub account_id: AccountId,
    #[diesel(sql_type = Text)]
    pub game_code: String,
    /// Its public revision.
    #[diesel(sql_type = BigInt)]
    pub revision: i64,
    #[diesel(sql_type = Text)]
    pub name: String,
    #[diesel(sql_type = Text)]
    pub name_key: String,
    #[diesel(sql_type = Text)]
    pub name_skeleton: String,
    /// Hash of kind and effects without their numbers, 16 bytes.
    #[diesel(sql_type = Nullable<Binary>)]
    pub effects_key: Option<Vec<u8>>,
    /// What else its name is compared by (`LookHashes::all`); `None`: not computed yet, or the name is not reserved.
    #[diesel(sql_type = Nullable<Array<Binary>>)]
    pub name_looks: Option<Vec<Vec<u8>>>,
    /// Whether it is approved: then it keeps its name while its author is banned.
    #[diesel(sql_type = Bool)]
    pub approved: bool,
    /// Whether it is a card, which has the name: the design does not reserve it.
    #[diesel(sql_type = Bool)]
    pub official: bool,
    /// Whether searches find its public revision.
    #[diesel(sql_type = Bool)]
    pub searched: bool,
}

/// How long changes are kept.
pub const RETENTION: Duration = Duration::hours(1);

const COLUMNS: &str = "id, code, account_id, game_code, revision, name, name_key, name_skeleton, effects_key, \
     CASE WHEN status <> 'official' THEN name_looks END AS name_looks, status = 'approved' AS approved, status = 'official' AS official, \
     searched_revision IS NOT DISTINCT FROM revision AS searched";

/// A snapshot of the database, in the text form of Postgres: it says which transactions had ended.
#[derive(Clone, Debug)]
pub struct Snapshot(String);

pub async fn take_snapshot(conn: &mut Connection) -> StoreResult<Snapshot> {
    #[derive(QueryableByName)]
    struct Row {
        #[diesel(sql_type = Text)]
        seen: String,
    }
    let Row { seen } = sql("SELECT txid_current_snapshot()::text AS seen").get_result(conn).await?;
    Ok(Snapshot(seen))
}

/// Lists listed designs by id, after a position.
pub async fn list(
    conn: &mut Connection,
    after: DesignId,
    limit: i64,
) -> StoreResult<Vec<ListedName>> {
    let listed = sql(format!(
        "SELECT {COLUMNS} FROM designs WHERE id > $after AND listed ORDER BY id LIMIT $limit"
    ));
    Ok(listed.bind("after", after).bind("limit", limit).load(conn).await?)
}

#[derive(QueryableByName)]
struct Id {
    #[diesel(sql_type = SqlUuid)]
    id: AccountId,
}

/// All banned accounts.
pub async fn list_banned(conn: &mut Connection) -> StoreResult<Vec<AccountId>> {
    let banned: Vec<Id> =
        sql("SELECT id FROM accounts WHERE banned_at IS NOT NULL").load(conn).await?;
    Ok(banned.into_iter().map(|account| account.id).collect())
}

/// Changes since a snapshot.
#[derive(Debug)]
pub struct DesignChanges {
    /// The snapshot that contains them.
    pub snapshot: Snapshot,
    /// Designs that were listed, unlisted or changed.
    pub designs: Vec<DesignId>,
    /// Those of them that are listed, in their current state.
    pub listed: Vec<ListedName>,
    /// Accounts that were banned, unbanned, deleted or renamed.
    pub accounts: Vec<AccountId>,
    /// Those of them that are banned now.
    pub banned: Vec<AccountId>,
}

impl DesignChanges {
    /// Whether there were no changes.
    pub fn is_empty(&self) -> bool {
        self.designs.is_empty() && self.accounts.is_empty()
    }
}

/// Lists the changes since a snapshot; may repeat some that it contained.
pub async fn list_since(conn: &mut Connection, since: &Snapshot) -> StoreResult<DesignChanges> {
    #[derive(QueryableByName)]
    struct Row {
        #[diesel(sql_type = Text)]
        seen: String,
        #[diesel(sql_type = Nullable<SqlUuid>)]
        design_id: Option<DesignId>,
        #[diesel(sql_type = Nullable<SqlUuid>)]
        account_id: Option<AccountId>,
    }
    let rows: Vec<Row> = sql(SINCE).bind("seen", since.0.as_str()).load(conn).await?;
    let newest = match rows.as_slice() {
        [row, ..] => row.seen.clone(),
        [] => since.0.clone(),
    };
    let designs: BTreeSet<DesignId> = rows.iter().filter_map(|row| row.design_id).collect();
    let accounts: BTreeSet<AccountId> = rows.iter().filter_map(|row| row.account_id).collect();
    let designs: Vec<DesignId> = designs.into_iter().collect();
    let accounts: Vec<AccountId> = accounts.into_iter().collect();
    let mut changes = DesignChanges {
        snapshot: Snapshot(newest),
        designs,
        listed: Vec::new(),
        accounts,
        banned: Vec::new(),
    };
    // Read after the changes were listed: a later change may be included, and is listed again next time.
    if !changes.designs.is_empty() {
        let listed = sql(format!("SELECT {COLUMNS} FROM designs WHERE listed AND id = "));
        changes.listed = listed.any(&changes.designs[..]).load(conn).await?;
    }
    if !changes.accounts.is_empty() {
        let banned = sql("SELECT id FROM accounts WHERE banned_at IS NOT NULL AND id = ");
        let banned: Vec<Id> = banned.any(&changes.accounts[..]).load(conn).await?;
        changes.banned = banned.into_iter().map(|account| account.id).collect();
    }
    Ok(changes)
}

/// Returns at least one row, with the snapshot.
const SINCE: &str = "SELECT txid_current_snapshot()::text AS seen, c.design_id, c.account_id FROM (SELECT) one LEFT JOIN design_changes c \
     ON c.transaction >= txid_snapshot_xmin($seen::txid_snapshot) AND NOT txid_visible_in_snapshot(c.transaction, $seen::txid_snapshot)";
