//! Lists of designs: the own ones, and those that everybody may see.

use chrono::{DateTime, Utc};
use diesel::prelude::*;
use diesel::sql_types::{Binary, Nullable, Text};
use diesel_async::RunQueryDsl;

use super::design_lifecycle::{COLUMNS, DesignRow};
use crate::auth::permission::{Granted, ReadOwnDesigns};
use crate::domain::designs::artwork::ArtworkId;
use crate::domain::designs::identifier::DesignCode;
use crate::domain::designs::status::DesignStatus;
use crate::domain::ids::DesignId;
use crate::domain::text::NamePart;
use crate::store::db::like::escape_like;
use crate::store::db::statement::sql;
use crate::store::{Connection, StoreResult};

/// A design in a list.
#[derive(Clone, Debug, QueryableByName)]
pub struct ListedDesign {
    /// The design itself.
    #[diesel(embed)]
    pub design: DesignRow,
    /// Name of the card.
    #[diesel(sql_type = Text)]
    pub name: String,
    /// Code of its kind.
    #[diesel(sql_type = Text)]
    pub kind: String,
    /// Its artwork.
    #[diesel(sql_type = Nullable<Binary>)]
    pub artwork: Option<ArtworkId>,
}

/// What a [`ListedDesign`] is read from.
const LISTED: &str = "d.name, d.kind, s.artwork FROM designs d JOIN accounts a ON a.id = d.account_id \
                      LEFT JOIN design_artworks s ON s.design_id = d.id AND s.revision = d.revision";

/// Which of the own designs.
#[derive(Default)]
pub struct OwnFilter<'a> {
    /// Code of a game.
    pub game: Option<&'a str>,
    /// How far they are.
    pub status: Option<DesignStatus>,
    /// The last one of the page before.
    pub before: Option<DesignId>,
}

/// Lists the own designs, the newest first.
pub async fn list_own(
    conn: &mut Connection,
    by: &Granted<ReadOwnDesigns>,
    filter: &OwnFilter<'_>,
    limit: i64,
) -> StoreResult<Vec<ListedDesign>> {
    let mut statement = sql(format!("SELECT {COLUMNS}, {LISTED} WHERE d.account_id = $account"))
        .bind("account", by.account());
    if let Some(game) = filter.game {
        statement = statement.push(" AND d.game_code = $game").bind("game", game);
    }
    if let Some(status) = filter.status {
        statement = statement.push(" AND d.status = $status").bind("status", status);
    }
    if let Some(before) = filter.before {
        statement = statement.push(" AND d.id < $before").bind("before", before);
    }
    let statement = statement.push(" ORDER BY d.id DESC LIMIT $limit").bind("limit", limit);
    Ok(statement.load(conn).await?)
}

/// Which of the designs that everybody may see.
#[derive(Default)]
pub struct GalleryFilter<'a> {
    /// Code of a game.
    pub game: Option<&'a str>,
    /// Code of a kind.
    pub kind: Option<&'a str>,
    /// How far they are.
    pub status: Option<DesignStatus>,
    /// Name of an author, as its key.
    pub author: Option<&'a str>,
    /// What stands somewhere in the name.
    pub name: Option<&'a NamePart>,
    /// When the last one of the page before was shared, and its identifier.
    pub before: Option<(DateTime<Utc>, DesignCode)>,
}

/// Lists the designs that are shared, those that were shared last first. Designs of banned authors are left out. Each filter has an index in this order.
pub async fn list_shared(
    conn: &mut Connection,
    filter: &GalleryFilter<'_>,
    limit: i64,
) -> StoreResult<Vec<ListedDesign>> {
    let mut statement =
        sql(format!("SELECT {COLUMNS}, {LISTED} WHERE d.listed AND a.banned_at IS NULL"));
    if let Some(game) = filter.game {
        statement = statement.push(" AND d.game_code = $game").bind("game", game);
    }
    if let Some(kind) = filter.kind {
        statement = statement.push(" AND d.kind = $kind").bind("kind", kind);
    }
    if let Some(status) = filter.status {
        statement = statement.push(" AND d.status = $status").bind("status", status);
    }
    if let Some(author) = filter.author {
        statement = statement
            .push(" AND d.account_id = (SELECT id FROM accounts WHERE name_key = $author)")
            .bind("author", author);
    }
    if let Some(name) = filter.name {
        let pattern = format!("%{}%", escape_like(name.key()));
        statement = statement.push(" AND d.name_key LIKE $name").bind("name", pattern);
    }
    if let Some((at, code)) = filter.before {
        statement = statement
            .push(" AND (d.shared_at, d.code) < ($before_at, $before_code)")
            .bind("before_at", at)
            .bind("before_code", code);
    }
    let statement = statement
        .push(" ORDER BY d.shared_at DESC, d.code DESC LIMIT $limit")
        .bind("limit", limit)
        .varies_with_filters();
    Ok(statement.load(conn).await?)
}
