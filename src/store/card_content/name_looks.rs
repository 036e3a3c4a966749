//! What names of cards are compared by with those of designs: whether they are the same or look the same.

use std::time::Duration as Period;

use diesel::prelude::*;
use diesel::sql_types::{Text, Uuid as SqlUuid};
use diesel_async::RunQueryDsl;

use crate::domain::designs::name_looks::{LOOKS_VERSION, LookHash, LookHashes, NameLooks};
use crate::domain::ids::CardId;
use crate::store::db::backlog::{Backlog, work_off};
use crate::store::db::statement::sql;
use crate::store::{Connection, Store, StoreResult};

/// An open card with a name that was looked for.
#[derive(Debug, QueryableByName)]
pub(in crate::store) struct NameBearer {
    #[diesel(sql_type = Text)]
    pub set_code: String,
    #[diesel(sql_type = Text)]
    pub number: String,
}

/// A regular expression for `normalize(name, NFKD)`: the name has letters beyond ASCII, apart from accents, letters that count as accented ones, and
/// punctuation. The same as `has_other_letters` of the domain.
pub(in crate::store) const OTHER_LETTER: &str = r"[^\u0001-\u007f\u0300-\u036f\u1ab0-\u1aff\u1dc0-\u1dff\u2000-\u206f\u20d0-\u20ff\ufe20-\ufe2f\u00c6\u00d0\u00d8\u00de\u00e6\u00f0\u00f8\u00fe\u0110\u0111\u0126\u0127\u0131\u0141\u0142\u0152\u0153]";

/// Cards that share one of the looks, as `WITH_A_LOOK` finds designs; and those with the same key, also if their looks
/// are not stored yet. Each part reads an index in which no hidden card occurs, so neither the answer nor its time reveals
/// of one. Materialized so that a small limit does not make Postgres read all cards in place of the indexes.
const BEARERS: &str = "WITH found AS MATERIALIZED (\
      SELECT card_id FROM card_content WHERE game_code = $game AND name_key = $key AND $key <> '' AND open UNION \
      SELECT card_id FROM card_content WHERE game_code = $game AND search_key = $plain AND $plain <> '' AND open UNION \
      SELECT card_id FROM card_content WHERE name_looks && $looks AND name_looks IS NOT NULL AND open \
       AND (name_looks && $always OR $other_letters OR normalize(name, NFKD) ~ $other_letter)) \
     SELECT c.set_code, c.number FROM found JOIN cards c ON c.id = found.card_id ORDER BY c.set_code, c.number LIMIT 1";

/// An open card of the game whose name is the same or looks the same; the first by set and number.
pub(in crate::store) async fn find_open_bearer(
    conn: &mut Connection,
    game: &str,
    looks: &NameLooks,
    hashes: &LookHashes,
) -> StoreResult<Option<NameBearer>> {
    let found = sql(BEARERS)
        .bind("game", game)
        .bind("key", looks.key.as_str())
        .bind("plain", looks.plain.as_str())
        .bind("looks", bytes(&hashes.all()))
        .bind("always", bytes(&hashes.always()))
        .bind("other_letters", hashes.has_other_letters)
        .bind("other_letter", OTHER_LETTER)
        .get_result(conn)
        .await
        .optional()?;
    Ok(found)
}

/// Hashes as a parameter.
pub(in crate::store) fn bytes(hashes: &[LookHash]) -> Vec<Vec<u8>> {
    hashes.iter().map(|hash| hash.to_vec()).collect()
}

/// The looks of a name in one piece, for `unnest`, which would take arrays of arrays apart; see [`SPLIT`].
pub(super) fn joined(game: &str, name: &str) -> Vec<u8> {
    NameLooks::of(name).hashes(game).all().concat()
}

/// SQL for the column, from `looks` as [`joined`] makes them.
pub(super) const SPLIT: &str = "ARRAY[substr(looks, 1, 16), substr(looks, 17, 16), substr(looks, 33, 16), substr(looks, 49, 16)]";

/// Stores the looks of cards, in one piece for each. A change of a name deletes them, so this comes after the change.
pub(super) async fn store(
    conn: &mut Connection,
    cards: &[CardId],
    looks: Vec<Vec<u8>>,
) -> StoreResult<()> {
    sql(format!(
        "UPDATE card_content SET name_looks = {SPLIT}, name_looks_version = $version FROM unnest($cards, $looks) AS new (card, looks) \
          WHERE card_id = new.card AND (name_looks_version <> $version OR name_looks IS DISTINCT FROM {SPLIT})"
    ))
    .bind("cards", cards)
    .bind("looks", looks)
    .bind("version", LOOKS_VERSION)
    .execute(conn)
    .await?;
    Ok(())
}

/// SQL for the version of the looks of a card or a design; 0: it has none. Indexed.
pub(in crate::store) const STORED_VERSION: &str =
    "(CASE WHEN name_looks IS NULL THEN 0 ELSE name_looks_version END)";

/// Stores the looks of cards, for one turn, where older versions of the program did not or followed older rules; returns
/// how many.
pub async fn fill_in(store: &Store, turn: Period) -> StoreResult<usize> {
    work_off(&StaleLooks, store, turn).await
}

struct StaleLooks;

#[derive(QueryableByName)]
struct NamedCard {
    #[diesel(sql_type = SqlUuid)]
    card_id: CardId,
    #[diesel(sql_type = Text)]
    game_code: String,
    #[diesel(sql_type = Text)]
    name: String,
}

impl Backlog for StaleLooks {
    type Row = NamedCard;

    async fn read(&self, conn: &mut Connection, limit: i64) -> StoreResult<Vec<NamedCard>> {
        Ok(sql(format!(
            "SELECT card_id, game_code, name FROM card_content WHERE {STORED_VERSION} < $version ORDER BY {STORED_VERSION} LIMIT $limit \
             FOR NO KEY UPDATE SKIP LOCKED"
        ))
        .bind("version", LOOKS_VERSION)
        .bind("limit", limit)
        .load(conn)
        .await?)
    }

    async fn complete(&self, conn: &mut Connection, rows: &[NamedCard]) -> StoreResult<()> {
        let cards: Vec<CardId> = rows.iter().map(|card| card.card_id).collect();
        let looks = rows.iter().map(|card| joined(&card.game_code, &card.name)).collect();
        store(conn, &cards, looks).await
    }
}
