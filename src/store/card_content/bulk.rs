//! All cards of a game with their printings, in batches, for bulk files.

use diesel::prelude::*;
use diesel::sql_types::Jsonb;
use diesel_async::RunQueryDsl;
use serde::Deserialize;
use serde_json::{Map, Value};

use super::cards::{CardPlace, CardView, Printing, Row};
use crate::auth::permission::Viewer;
use crate::domain::ids::PrintingId;
use crate::store::db::codecs::json::Json;
use crate::store::db::statement::sql;
use crate::store::{Connection, StoreResult};

/// A card that the viewer sees, or only its place, with its printings; a card that is hidden from the viewer has none.
#[derive(Clone, Debug, PartialEq)]
pub struct BulkCard {
    pub card: CardView,
    /// Its printings, the most common first.
    pub printings: Vec<Printing>,
}

/// `content` is null for a hidden card, so it has no printings in the result.
const PRINTINGS: &str = ", (SELECT coalesce(jsonb_agg(jsonb_build_object('id', p.id, 'rarity', p.rarity, 'tier', p.tier, \
    'attributes', own.attributes) ORDER BY p.tier), '[]') \
    FROM printings p JOIN printing_content own ON own.printing_id = p.id WHERE p.card_id = content.card_id) AS printings \
    FROM cards c LEFT JOIN unlocks u ON u.card_id = c.id LEFT JOIN card_content content ON content.card_id = c.id AND ";

#[derive(QueryableByName)]
struct BulkRow {
    #[diesel(embed)]
    card: Row,
    #[diesel(sql_type = Jsonb)]
    printings: Json<Vec<StoredPrinting>>,
}

#[derive(Deserialize)]
struct StoredPrinting {
    id: PrintingId,
    rarity: String,
    tier: i16,
    attributes: Map<String, Value>,
}

impl BulkRow {
    fn into_card(self) -> BulkCard {
        let printing = |StoredPrinting { id, rarity, tier, attributes }| Printing {
            id,
            rarity,
            tier,
            attributes,
        };
        BulkCard {
            card: self.card.into_view(),
            printings: self.printings.0.into_iter().map(printing).collect(),
        }
    }
}

/// The next cards of a game by set and number, after the one at the place `after`.
pub(in crate::store) async fn load_batch(
    conn: &mut Connection,
    viewer: Viewer,
    game: &str,
    after: Option<&CardPlace>,
    limit: i64,
) -> StoreResult<Vec<BulkCard>> {
    let mut sql = sql("SELECT ")
        .push_card_columns()
        .push(PRINTINGS)
        .push_is_visible(viewer)
        .push(" WHERE c.game_code = ")
        .value(game);
    if let Some(after) = after {
        sql = sql
            .push(" AND (c.set_code, c.number) > (")
            .value(after.set.as_str())
            .push(", ")
            .value(after.number.as_str())
            .push(")");
    }
    let sql = sql.push(" ORDER BY c.set_code, c.number LIMIT ").value(limit);
    let rows: Vec<BulkRow> = sql.load(conn).await?;
    Ok(rows.into_iter().map(BulkRow::into_card).collect())
}
