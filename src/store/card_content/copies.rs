//! Names of the cards of copies, as far as the viewer may see the cards.

use std::collections::BTreeMap;

use diesel::prelude::*;
use diesel::sql_types::{Text, Uuid as SqlUuid};
use diesel_async::RunQueryDsl;

use crate::auth::permission::Viewer;
use crate::domain::ids::CardId;
use crate::store::db::statement::sql;
use crate::store::{Connection, StoreResult};

#[derive(QueryableByName)]
struct NameRow {
    #[diesel(sql_type = SqlUuid)]
    card_id: CardId,
    #[diesel(sql_type = Text)]
    name: String,
}

/// The names of those cards that the viewer may see.
pub(in crate::store) async fn find_visible_names(
    conn: &mut Connection,
    viewer: Viewer,
    cards: Vec<CardId>,
) -> StoreResult<BTreeMap<CardId, String>> {
    let sql = sql(
        "SELECT content.card_id, content.name FROM card_content content WHERE content.card_id = ",
    )
    .any(cards)
    .push(" AND ")
    .push_is_visible(viewer);
    let rows: Vec<NameRow> = sql.load(conn).await?;
    Ok(rows.into_iter().map(|row| (row.card_id, row.name)).collect())
}
