//! Revisions of designs.

use chrono::{DateTime, Utc};
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Jsonb, Nullable, Text, Timestamptz};
use diesel_async::RunQueryDsl;

use super::SeesOwnDesigns;
use crate::auth::permission::{Granted, Permission, ReadOwnDesigns};
use crate::domain::designs::content::DesignContent;
use crate::domain::designs::identifier::DesignCode;
use crate::store::db::codecs::json::Json;
use crate::store::db::pages::push_page;
use crate::store::db::statement::sql;
use crate::store::{Connection, StoreResult};

/// A revision of one of the caller's designs, without its content.
#[derive(Clone, Debug, QueryableByName)]
pub struct RevisionRow {
    /// Its number, from 1.
    #[diesel(sql_type = BigInt)]
    pub number: i64,
    /// The name of the design in this revision.
    #[diesel(sql_type = Text)]
    pub name: String,
    /// When it was written.
    #[diesel(sql_type = Timestamptz)]
    pub created_at: DateTime<Utc>,
    /// Name of the account that suggested it.
    #[diesel(sql_type = Nullable<Text>)]
    pub credited_to: Option<String>,
}

/// Lists the revisions of one of the caller's designs, the newest first: those before the one with that number. Empty
/// when there is no such design.
pub async fn list(
    conn: &mut Connection,
    by: &Granted<ReadOwnDesigns>,
    code: DesignCode,
    before: Option<i64>,
    limit: i64,
) -> StoreResult<Vec<RevisionRow>> {
    let statement = sql(
        "SELECT r.number, r.content ->> 'name' AS name, r.created_at, c.name AS credited_to \
         FROM designs d JOIN design_revisions r ON r.design_id = d.id LEFT JOIN accounts c ON c.id = r.credited_to AND c.banned_at IS NULL \
         WHERE d.code = $code AND d.account_id = $account AND r.number < $before",
    )
    .bind("code", code)
    .bind("account", by.account())
    .bind("before", before.unwrap_or(i64::MAX));
    Ok(push_page(statement, "number DESC", limit).load(conn).await?)
}

/// A revision with its content.
#[derive(Clone, Debug, QueryableByName)]
pub struct StoredRevision {
    /// Its number, from 1.
    #[diesel(sql_type = BigInt)]
    pub number: i64,
    /// When it was written.
    #[diesel(sql_type = Timestamptz)]
    pub created_at: DateTime<Utc>,
    /// Name of the account that suggested it.
    #[diesel(sql_type = Nullable<Text>)]
    pub credited_to: Option<String>,
    /// Code of the design's game.
    #[diesel(sql_type = Text)]
    pub game_code: String,
    #[diesel(sql_type = Jsonb)]
    content: Json<DesignContent>,
}

impl StoredRevision {
    pub fn content(&self) -> &DesignContent {
        &self.content.0
    }

    /// Converts the revision to its content.
    pub fn into_content(self) -> DesignContent {
        self.content.0
    }
}

/// Finds these revisions of one of the caller's designs, by number; missing ones are left out.
pub async fn find<P: Permission + SeesOwnDesigns>(
    conn: &mut Connection,
    by: &Granted<P>,
    code: DesignCode,
    numbers: &[i64],
) -> StoreResult<Vec<StoredRevision>> {
    let rows = sql(
        "SELECT r.number, r.created_at, d.game_code, r.content, c.name AS credited_to \
         FROM designs d JOIN design_revisions r ON r.design_id = d.id LEFT JOIN accounts c ON c.id = r.credited_to AND c.banned_at IS NULL \
         WHERE d.code = $code AND d.account_id = $account AND r.number = ",
    )
    .any(numbers.to_vec())
    .push(" ORDER BY r.number")
    .bind("code", code)
    .bind("account", by.account())
    .load(conn)
    .await?;
    Ok(rows)
}
