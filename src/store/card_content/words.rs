//! Derives the search words of cards that an older version stored with other words or without words.

use std::time::Duration as Period;

use cardscape_engine::Effect;
use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use serde_json::{Map, Value};
use uuid::Uuid;

use super::content::word_columns;
use crate::search::{WORDS_VERSION, Words};
use crate::store::db::backlog::{Backlog, work_off};
use crate::store::db::codecs::json::Json;
use crate::store::db::schema::card_content;
use crate::store::db::statement::CachePrepared as _;
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
        for (id, name, Json(effects), lore, Json(attributes)) in rows {
            let words = Words::of(name, effects, lore.as_deref(), attributes);
            diesel::update(card_content::table.find(id))
                .set(word_columns(words))
                .cached()
                .execute(conn)
                .await?;
        }
        Ok(())
    }
}
