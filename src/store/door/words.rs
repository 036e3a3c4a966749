//! The words of the cards: folds anew what an older program wrote, or wrote without words; and tells which are in many cards.

use cardscape_engine::Effect;
use diesel::prelude::*;
use diesel::sql_types::{Array, Text};
use diesel_async::RunQueryDsl;
use serde_json::{Map, Value};
use uuid::Uuid;

use super::content::word_columns;
use crate::search::{CommonWords, WORDS_VERSION, Words};
use crate::store::json::Json;
use crate::store::schema::card_content;
use crate::store::statement::sql;
use crate::store::{Connection, Store, StoreResult};

/// Cards in one transaction.
const BATCH: i64 = 200;

#[derive(QueryableByName)]
struct CommonRow {
    #[diesel(sql_type = Array<Text>)]
    words: Vec<String>,
}

/// The words that many of the cards have which are open to everybody, as Postgres counted them when it last analysed the index that
/// knows only these.
pub async fn common(conn: &mut Connection) -> StoreResult<CommonWords> {
    let row: Option<CommonRow> = sql(
        "SELECT most_common_elems::text::text[] AS words FROM pg_stats \
         WHERE schemaname = current_schema() AND tablename = 'card_content_open_words' AND most_common_elems IS NOT NULL",
    )
    .get_result(conn)
    .await
    .optional()?;
    Ok(CommonWords::new(row.map(|row| row.words).unwrap_or_default()))
}

/// Makes the words of all cards that have none, or those of an older version; how many cards that were. Several instances may do it
/// at once: each takes cards that no other has.
pub async fn refresh(store: &Store) -> StoreResult<usize> {
    let mut done = 0;
    loop {
        let batch = store.transaction(async |conn| refresh_batch(conn).await).await?;
        done += batch;
        if batch == 0 {
            return Ok(done);
        }
    }
}

async fn refresh_batch(conn: &mut Connection) -> StoreResult<usize> {
    type Stored = (Uuid, String, Json<Vec<Effect>>, Option<String>, Json<Map<String, Value>>);
    let stale: Vec<Stored> = card_content::table
        .filter(card_content::words_version.lt(WORDS_VERSION))
        .order(card_content::words_version)
        .select((
            card_content::card_id,
            card_content::name,
            card_content::effects,
            card_content::lore,
            card_content::attributes,
        ))
        .limit(BATCH)
        .for_update()
        .skip_locked()
        .load(conn)
        .await?;
    for (id, name, Json(effects), lore, Json(attributes)) in &stale {
        let words = Words::of(name, effects, lore.as_deref(), attributes);
        diesel::update(card_content::table.find(id)).set(word_columns(words)).execute(conn).await?;
    }
    Ok(stale.len())
}
