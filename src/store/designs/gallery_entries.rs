//! Listed designs with all that the gallery shows of them, and their words, for the copy in memory.

use diesel::prelude::*;
use diesel::sql_types::{Bool, Nullable, Text, Uuid as SqlUuid};
use diesel_async::RunQueryDsl;

use super::gallery::{GalleryDesign, selected};
use crate::domain::designs::gallery::GallerySort;
use crate::domain::ids::{AccountId, DesignId};
use crate::store::db::statement::sql;
use crate::store::{Connection, StoreResult};

/// A listed design.
#[derive(Clone, Debug, QueryableByName)]
pub struct GalleryEntry {
    /// What lists show of it.
    #[diesel(embed)]
    pub design: GalleryDesign,
    /// Key of the author's name.
    #[diesel(sql_type = Text)]
    pub author_key: String,
    #[diesel(sql_type = Bool)]
    pub author_banned: bool,
    /// Its folded texts; `None`: searches do not find its public revision yet.
    #[diesel(sql_type = Nullable<Text>)]
    pub words: Option<String>,
}

/// The name of an account, and whether its designs are shown.
#[derive(Clone, Debug, QueryableByName)]
pub struct GalleryAuthor {
    #[diesel(sql_type = SqlUuid)]
    pub id: AccountId,
    #[diesel(sql_type = Text)]
    pub name: String,
    #[diesel(sql_type = Text)]
    pub name_key: String,
    #[diesel(sql_type = Bool)]
    pub banned: bool,
}

/// Designs with the same search rows as those that searches in the database read.
const SOURCE: &str = "a.name_key AS author_key, a.banned_at IS NOT NULL AS author_banned, s.words FROM designs d JOIN accounts a ON a.id = d.account_id \
     LEFT JOIN design_search s ON s.design_id = d.id AND d.searched_revision >= d.revision WHERE d.listed";

/// Lists listed designs by id, after a position.
pub async fn list(
    conn: &mut Connection,
    after: DesignId,
    limit: i64,
) -> StoreResult<Vec<GalleryEntry>> {
    let listed = sql(format!(
        "{}, {SOURCE} AND d.id > $after ORDER BY d.id LIMIT $limit",
        selected(GallerySort::Name)
    ));
    Ok(listed.bind("after", after).bind("limit", limit).load(conn).await?)
}

/// Those of these designs that are listed.
pub async fn list_these(
    conn: &mut Connection,
    designs: &[DesignId],
) -> StoreResult<Vec<GalleryEntry>> {
    if designs.is_empty() {
        return Ok(Vec::new());
    }
    let listed = sql(format!("{}, {SOURCE} AND d.id = ", selected(GallerySort::Name)));
    Ok(listed.any(designs).load(conn).await?)
}

/// Those of these accounts that exist.
pub async fn list_authors(
    conn: &mut Connection,
    accounts: &[AccountId],
) -> StoreResult<Vec<GalleryAuthor>> {
    if accounts.is_empty() {
        return Ok(Vec::new());
    }
    let authors =
        sql("SELECT id, name, name_key, banned_at IS NOT NULL AS banned FROM accounts WHERE id = ");
    Ok(authors.any(accounts).load(conn).await?)
}
