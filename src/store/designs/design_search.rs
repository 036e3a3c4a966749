//! Search rows of listed designs: one row each, written in the transaction that lists the design.

use std::sync::Arc;
use std::time::{Duration as Period, Instant};

use diesel::prelude::*;
use diesel::sql_types::{Jsonb, Uuid as SqlUuid};
use diesel_async::RunQueryDsl;
use serde_json::Value;

use crate::domain::designs::content::DesignContent;
use crate::domain::designs::searchable::SearchableDesign;
use crate::domain::ids::DesignId;
use crate::search::WORDS_VERSION;
use crate::store::catalogue::games::LoadedGame;
use crate::store::db::backlog::{Backlog, work_off};
use crate::store::db::codecs::json::Json;
use crate::store::db::statement::sql;
use crate::store::{Connection, Store, StoreResult};

/// Designs of a game that [`fill_in_these`] completes.
const BATCH: i64 = 200;

const WRITE: &str = "INSERT INTO design_search (design_id, game_code, game_revision, words_version, kind, search_key, attributes, effects, has_lore, printings, \
      printing_numbers, terms, words, name_words, effect_words, lore_words, attribute_words) \
     VALUES ($id, $game, $game_revision, $words_version, $kind, $search_key, $attributes, $effects, $has_lore, $printings, $printing_numbers, $terms, \
      $words, $name_words, $effect_words, $lore_words, $attribute_words) \
     ON CONFLICT (design_id) DO UPDATE SET game_revision = EXCLUDED.game_revision, words_version = EXCLUDED.words_version, kind = EXCLUDED.kind, \
      search_key = EXCLUDED.search_key, attributes = EXCLUDED.attributes, effects = EXCLUDED.effects, has_lore = EXCLUDED.has_lore, \
      printings = EXCLUDED.printings, printing_numbers = EXCLUDED.printing_numbers, terms = EXCLUDED.terms, words = EXCLUDED.words, \
      name_words = EXCLUDED.name_words, effect_words = EXCLUDED.effect_words, lore_words = EXCLUDED.lore_words, \
      attribute_words = EXCLUDED.attribute_words";

/// Writes the search row of a listed design with this content, which the caller has locked. The caller sets the design's
/// `searched_revision`.
pub(super) async fn write(
    conn: &mut Connection,
    id: DesignId,
    game: &LoadedGame,
    content: &DesignContent,
) -> StoreResult<()> {
    let design = SearchableDesign::of(&game.game, content);
    sql(WRITE)
        .bind("id", id)
        .bind("game", game.game.code())
        .bind("game_revision", game.revision)
        .bind("words_version", WORDS_VERSION)
        .bind("kind", design.kind)
        .bind("search_key", design.search_key)
        .bind("attributes", Value::Object(design.attributes))
        .bind("effects", Value::Array(design.effects))
        .bind("has_lore", design.has_lore)
        .bind("printings", Value::Array(design.printings))
        .bind("printing_numbers", Value::Array(design.printing_numbers))
        .bind("terms", design.terms)
        .bind("words", design.words.all)
        .bind("name_words", design.words.name)
        .bind("effect_words", design.words.effects)
        .bind("lore_words", design.words.lore)
        .bind("attribute_words", Value::Object(design.words.attributes))
        .execute(conn)
        .await?;
    Ok(())
}

/// Writes the search rows of listed designs that have none, or one of another revision, an older manifest or an older
/// word version, for one turn of all games; returns how many. Every game has at least one batch, so that the designs of
/// one game cannot prevent those of the others.
pub async fn fill_in(store: &Store, games: &[Arc<LoadedGame>], turn: Period) -> StoreResult<usize> {
    let begun = Instant::now();
    let mut filled = 0;
    for game in games {
        let rest = turn.saturating_sub(begun.elapsed());
        filled += work_off(&UnsearchedDesigns(game), store, rest).await?;
    }
    Ok(filled)
}

/// The listed designs of a game without a current search row.
struct UnsearchedDesigns<'a>(&'a LoadedGame);

impl Backlog for UnsearchedDesigns<'_> {
    type Row = UnsearchedDesign;

    async fn read(&self, conn: &mut Connection, limit: i64) -> StoreResult<Vec<UnsearchedDesign>> {
        Ok(sql(TO_FILL)
            .bind("game", self.0.game.code())
            .bind("game_revision", self.0.revision)
            .bind("words_version", WORDS_VERSION)
            .bind("limit", limit)
            .load(conn)
            .await?)
    }

    async fn complete(&self, conn: &mut Connection, rows: &[UnsearchedDesign]) -> StoreResult<()> {
        write_all(conn, self.0, rows).await
    }
}

/// Writes the search rows of these designs, where they are listed without one of their current revision; returns how
/// many. At most [`BATCH`] for each game: the caller does not wait long, and [`fill_in`] does the rest.
pub async fn fill_in_these(
    store: &Store,
    games: &[Arc<LoadedGame>],
    designs: &[DesignId],
) -> StoreResult<usize> {
    let mut filled = 0;
    for game in games {
        let mut begun = store.begin().await?;
        let these = fill_in_some_of(begun.conn(), game, designs).await;
        filled += begun.end(these).await?;
    }
    Ok(filled)
}

#[derive(QueryableByName)]
struct UnsearchedDesign {
    #[diesel(sql_type = SqlUuid)]
    id: DesignId,
    #[diesel(sql_type = Jsonb)]
    content: Json<DesignContent>,
}

/// Each of the two conditions has its own index. The second excludes rows that a newer program has written.
const TO_FILL: &str = "SELECT d.id, r.content FROM designs d JOIN design_revisions r ON r.design_id = d.id AND r.number = d.revision \
     WHERE d.listed AND d.id IN (\
      (SELECT id FROM designs WHERE listed AND searched_revision IS DISTINCT FROM revision AND game_code = $game ORDER BY id LIMIT $limit) UNION ALL \
      (SELECT design_id FROM design_search WHERE game_code = $game AND game_revision < $game_revision LIMIT $limit) UNION ALL \
      (SELECT design_id FROM design_search WHERE game_code = $game AND words_version < $words_version LIMIT $limit)) \
     ORDER BY d.id LIMIT $limit FOR NO KEY UPDATE OF d SKIP LOCKED";

async fn fill_in_some_of(
    conn: &mut Connection,
    game: &LoadedGame,
    designs: &[DesignId],
) -> StoreResult<usize> {
    let unsearched = sql(
        "SELECT d.id, r.content FROM designs d JOIN design_revisions r ON r.design_id = d.id AND r.number = d.revision \
         WHERE d.listed AND d.game_code = $game AND d.searched_revision IS DISTINCT FROM d.revision AND d.id = ",
    )
    .bind("game", game.game.code())
    .any(designs)
    .push(" ORDER BY d.id LIMIT $limit FOR NO KEY UPDATE OF d SKIP LOCKED")
    .bind("limit", BATCH);
    let designs: Vec<UnsearchedDesign> = unsearched.load(conn).await?;
    write_all(conn, game, &designs).await?;
    Ok(designs.len())
}

/// Writes the search rows of locked designs of a game.
async fn write_all(
    conn: &mut Connection,
    game: &LoadedGame,
    designs: &[UnsearchedDesign],
) -> StoreResult<()> {
    for UnsearchedDesign { id, content } in designs {
        write(conn, *id, game, &content.0).await?;
    }
    let ids: Vec<DesignId> = designs.iter().map(|design| design.id).collect();
    // The rows of some are only renewed: no column of `designs` changes, so no trigger records that their words may differ.
    sql("INSERT INTO design_changes (design_id) SELECT id FROM designs WHERE searched_revision = revision AND id = ANY($ids)")
        .bind("ids", ids.clone())
        .execute(conn)
        .await?;
    sql("UPDATE designs SET searched_revision = revision WHERE searched_revision IS DISTINCT FROM revision AND id = ANY($ids)")
        .bind("ids", ids)
        .execute(conn)
        .await?;
    Ok(())
}
