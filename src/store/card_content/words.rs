//! Derives the search words of cards that an older version stored with other words or without words.

use cardscape_engine::Effect;
use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use serde_json::{Map, Value};
use uuid::Uuid;

use super::content::word_columns;
use crate::search::{WORDS_VERSION, Words};
use crate::store::db::codecs::json::Json;
use crate::store::db::schema::card_content;
use crate::store::db::statement::KeepPrepared as _;
use crate::store::{Connection, Store, StoreResult};

/// Cards per transaction.
const BATCH: i64 = 200;

/// Derives the words of all cards without words or with those of an older version; returns how many cards. Several
/// instances may do this at once: each locks different cards.
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
        diesel::update(card_content::table.find(id))
            .set(word_columns(words))
            .kept()
            .execute(conn)
            .await?;
    }
    Ok(stale.len())
}
