//! Lists of the caller's designs.

use diesel::prelude::*;
use diesel::sql_types::{Binary, Nullable, Text};
use diesel_async::RunQueryDsl;

use super::design_lifecycle::{COLUMNS, DesignRow};
use crate::auth::permission::{Granted, ReadOwnDesigns};
use crate::domain::designs::artwork::ArtworkId;
use crate::domain::designs::status::DesignStatus;
use crate::domain::ids::DesignId;
use crate::store::db::pages::push_page;
use crate::store::db::statement::sql;
use crate::store::{Connection, StoreResult};

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
    /// Its artwork, unless it was taken down.
    #[diesel(sql_type = Nullable<Binary>)]
    pub artwork: Option<ArtworkId>,
}

/// The columns of a [`ListedDesign`] from `designs d JOIN accounts a`. The artwork is that of the newest revision,
/// which is the public one for listed designs.
pub(super) const LISTED: &str = "d.name, d.kind, (SELECT s.artwork FROM design_artworks s JOIN artworks x ON x.id = s.artwork AND x.removed_at IS NULL \
     WHERE s.design_id = d.id AND s.revision = d.revision) AS artwork";

/// Filter of the caller's designs.
#[derive(Default)]
pub struct OwnFilter<'a> {
    /// Code of a game.
    pub game: Option<&'a str>,
    pub status: Option<DesignStatus>,
    /// The last design on the previous page.
    pub before: Option<DesignId>,
}

/// Lists the caller's designs, the newest first.
pub async fn list_own(
    conn: &mut Connection,
    by: &Granted<ReadOwnDesigns>,
    filter: &OwnFilter<'_>,
    limit: i64,
) -> StoreResult<Vec<ListedDesign>> {
    let mut statement = sql(format!(
        "SELECT {COLUMNS}, {LISTED} FROM designs d JOIN accounts a ON a.id = d.account_id WHERE d.account_id = $account"
    ))
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
    Ok(push_page(statement, "id DESC", limit).load(conn).await?)
}
