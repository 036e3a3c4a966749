//! Derives the search words of cards that an older version stored with other words or without words.

use std::collections::BTreeMap;
use std::time::Duration as Period;

use cardscape_engine::Effect;
use diesel::prelude::*;
use diesel::sql_types::{Jsonb, Text, Uuid as SqlUuid};
use diesel_async::RunQueryDsl;
use serde_json::{Map, Value};
use uuid::Uuid;

use super::content::word_columns;
use crate::search::{WORDS_VERSION, Words, printing_words};
use crate::store::db::backlog::{Backlog, work_off};
use crate::store::db::codecs::json::Json;
use crate::store::db::schema::card_content;
use crate::store::db::statement::{CachePrepared as _, sql};
use crate::store::{Connection, Store, StoreResult};

/// Derives the words of cards without words or with those of an older version, for one turn; returns how many cards.
pub async fn refresh(store: &Store, turn: Period) -> StoreResult<usize> {
    work_off(&StaleWords, store, turn).await
}

struct StaleWords;

impl Backlog for StaleWords {
    type Row = (Uuid, String, Json<Vec<Effect>>, Option<String>, Json<Map<String, Value>>);

    async fn read(&self, conn: &mut Connection, limit: i64) -> StoreResult<Vec<Self::Row>> {
        Ok(card_content::table
            .filter(card_content::words_version.lt(WORDS_VERSION))
            .order(card_content::words_version)
            .select((
                card_content::card_id,
                card_content::name,
                card_content::effects,
                card_content::lore,
                card_content::attributes,
            ))
            .limit(limit)
            .for_update()
            .skip_locked()
            .load(conn)
            .await?)
    }

    async fn complete(&self, conn: &mut Connection, rows: &[Self::Row]) -> StoreResult<()> {
        let cards = rows.iter().map(|(id, ..)| *id).collect();
        let mut of_printings = fold_printings(conn, cards).await?;
        for (id, name, Json(effects), lore, Json(attributes)) in rows {
            let mut words = Words::of(name, effects, lore.as_deref(), attributes);
            words.attributes.extend(of_printings.remove(id).unwrap_or_default());
            diesel::update(card_content::table.find(id))
                .set(word_columns(words))
                .cached()
                .execute(conn)
                .await?;
        }
        Ok(())
    }
}

#[derive(QueryableByName)]
struct PrintingRow {
    #[diesel(sql_type = SqlUuid)]
    card_id: Uuid,
    #[diesel(sql_type = Text)]
    rarity: String,
    #[diesel(sql_type = Jsonb)]
    attributes: Json<Map<String, Value>>,
}

/// The folded texts of the printings of locked cards, by card: whoever changes a printing locks its card first.
async fn fold_printings(
    conn: &mut Connection,
    cards: Vec<Uuid>,
) -> StoreResult<BTreeMap<Uuid, Map<String, Value>>> {
    // Few games have such texts: numbers alone are not read.
    let rows: Vec<PrintingRow> = sql(
        "SELECT p.card_id, p.rarity, own.attributes FROM printings p JOIN printing_content own ON own.printing_id = p.id \
         WHERE own.attributes @? '$.* ? (@.type() == \"string\")' AND p.card_id = ",
    )
    .any(cards)
    .load(conn)
    .await?;
    let mut found: BTreeMap<Uuid, Map<String, Value>> = BTreeMap::new();
    for PrintingRow { card_id, rarity, attributes: Json(attributes) } in rows {
        let own = attributes.iter().map(|(code, value)| (code.as_str(), value));
        found.entry(card_id).or_default().extend(printing_words(&rarity, own));
    }
    Ok(found)
}
