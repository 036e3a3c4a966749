//! The public data of public decks, one row per deck, and the rows that have to be written again.

use chrono::{DateTime, NaiveDate, NaiveTime, Utc};
use diesel::prelude::*;
use diesel::sql_types::Uuid as SqlUuid;
use diesel_async::RunQueryDsl;

use super::in_turn;
use crate::domain::decks::judging::JUDGING_VERSION;
use crate::domain::ids::{CardId, DeckId};
use crate::store::db::statement::sql;
use crate::store::{Connection, Store, StoreResult};

/// The public data of one revision of a public deck.
pub struct SearchableDeck {
    pub id: DeckId,
    pub revision: i64,
    /// Number of its cards, in all zones.
    pub size: i32,
    /// The terms by which it is found: texts of [`crate::domain::decks::public::DeckTerm`].
    pub terms: Vec<String>,
    /// The different cards that its entries mean, one for each name.
    pub cards: Vec<CardId>,
    /// The cards that its entries are bound to and that are hidden from the public.
    pub hidden_cards: Vec<CardId>,
    /// The formats in which it is legal.
    pub legal_in: Vec<String>,
    /// The day whose rules were applied.
    pub judged_on: NaiveDate,
    /// The revision of the game's manifest that was applied.
    pub game_revision: i64,
}

/// An unchanged row is not written again: its terms have many index entries. A trigger makes the negative version of an update
/// positive. It is 0 after an update by a program that does not know versions.
const WRITE: &str = "WITH deck AS MATERIALIZED (\
     SELECT id, revision, game_code, updated_at, coalesce(published_at, created_at) AS published_at FROM decks \
     WHERE id = $id AND revision = $revision AND visibility = 'public' AND deleted_at IS NULL FOR NO KEY UPDATE), \
    judged AS (\
     INSERT INTO deck_judgements (deck_id, game_code, due_at, judged_on, game_revision, judged_by) \
     SELECT id, game_code, $due_at, $judged_on, $game_revision, $version FROM deck \
     ON CONFLICT (deck_id) DO UPDATE SET game_code = EXCLUDED.game_code, due_at = EXCLUDED.due_at, judged_on = EXCLUDED.judged_on, \
      game_revision = EXCLUDED.game_revision, judged_by = -EXCLUDED.judged_by) \
    INSERT INTO deck_search AS s (deck_id, revision, game_code, published_at, updated_at, size, terms, cards, hidden_cards, legal_in) \
    SELECT id, revision, game_code, published_at, updated_at, $size, $terms, $cards, $hidden_cards, $legal_in FROM deck \
    ON CONFLICT (deck_id) DO UPDATE SET revision = EXCLUDED.revision, game_code = EXCLUDED.game_code, published_at = EXCLUDED.published_at, \
     updated_at = EXCLUDED.updated_at, size = EXCLUDED.size, terms = EXCLUDED.terms, cards = EXCLUDED.cards, hidden_cards = EXCLUDED.hidden_cards, \
     legal_in = EXCLUDED.legal_in \
    WHERE (s.revision, s.game_code, s.published_at, s.updated_at, s.size, s.terms, s.cards, s.hidden_cards, s.legal_in) IS DISTINCT FROM \
     (EXCLUDED.revision, EXCLUDED.game_code, EXCLUDED.published_at, EXCLUDED.updated_at, EXCLUDED.size, EXCLUDED.terms, EXCLUDED.cards, EXCLUDED.hidden_cards, \
      EXCLUDED.legal_in)";

/// Writes the row of a deck, unless the deck was changed in the meantime or is no longer public: then another call
/// writes its row, or it has none.
pub async fn write(conn: &mut Connection, deck: SearchableDeck) -> StoreResult<()> {
    sql(WRITE)
        .bind("id", deck.id)
        .bind("revision", deck.revision)
        .bind("size", deck.size)
        .bind("terms", deck.terms)
        .bind("cards", deck.cards)
        .bind("hidden_cards", deck.hidden_cards)
        .bind("legal_in", deck.legal_in)
        .bind("due_at", next_day(deck.judged_on))
        .bind("judged_on", deck.judged_on)
        .bind("game_revision", deck.game_revision)
        .bind("version", JUDGING_VERSION)
        .execute(conn)
        .await?;
    Ok(())
}

/// When a deck that was judged on a day has to be judged again.
fn next_day(day: NaiveDate) -> DateTime<Utc> {
    day.succ_opt().unwrap_or(day).and_time(NaiveTime::MIN).and_utc()
}

/// A deck whose row has to be written.
#[derive(QueryableByName)]
struct UnsearchedDeck {
    #[diesel(sql_type = SqlUuid)]
    id: DeckId,
}

/// Each reason has its own index, and returns at most `$limit` decks: unlocked cards; changes, the newest first, so
/// that they do not wait for decks that only have to be judged by the rules of another day; manifests; and decks that an
/// older version has judged. Each part is sorted, so that every plan without these indexes is expensive.
const TO_MAKE: &str = "SELECT id FROM (\
     (SELECT s.deck_id AS id, 0 AS priority, NULL::timestamptz AS at FROM (SELECT card_id FROM unlocks WHERE unlocked_at > $unlocked_since ORDER BY unlocked_at DESC LIMIT 10000) u \
      CROSS JOIN LATERAL (SELECT deck_id FROM deck_search WHERE hidden_cards <> '{}' AND hidden_cards && ARRAY[u.card_id] LIMIT $limit) s LIMIT $limit) UNION ALL \
     (SELECT deck_id, 1, due_at FROM deck_judgements WHERE due_at <= $due_before ORDER BY due_at DESC LIMIT $limit) UNION ALL \
     (SELECT j.deck_id, 2, NULL FROM games g CROSS JOIN LATERAL (SELECT deck_id FROM deck_judgements WHERE game_code = g.code AND game_revision < g.revision \
      ORDER BY game_revision LIMIT $limit) j LIMIT $limit) UNION ALL \
     (SELECT deck_id, 3, NULL FROM deck_judgements WHERE judged_by < $version AND judged_on IS NOT NULL ORDER BY judged_by LIMIT $limit)) AS due \
     GROUP BY id ORDER BY min(priority), max(at) DESC NULLS LAST LIMIT $limit";

/// Which rows are due.
#[derive(Clone, Copy)]
pub struct Due {
    /// Rows that became due before this time. Later ones are left to the request that publishes the deck, which writes
    /// the row itself.
    pub before: DateTime<Utc>,
    /// Rows with hidden cards that were unlocked after this time.
    pub unlocked_since: DateTime<Utc>,
}

/// The advisory lock for writing rows: one process at a time.
const LOCK: i64 = 7_233_172_076;

/// Calls `work` with up to `limit` decks whose rows have to be written, the most urgent first, while no other process
/// writes any. `None`: another process is writing. `work` must take less than the time after which Postgres ends an
/// idle transaction.
pub async fn with_due<T>(
    store: &Store,
    due: Due,
    limit: i64,
    work: impl AsyncFnOnce(Vec<DeckId>) -> T,
) -> StoreResult<Option<T>> {
    in_turn(store, LOCK, async |conn| {
        let decks: Vec<UnsearchedDeck> = sql(TO_MAKE)
            .bind("due_before", due.before)
            .bind("unlocked_since", due.unlocked_since)
            .bind("version", JUDGING_VERSION)
            .bind("limit", limit)
            .load(conn)
            .await?;
        Ok(work(decks.into_iter().map(|deck| deck.id).collect()).await)
    })
    .await
}

/// Records that the row of a deck could not be written, which was due before a time, or for an unlocked card, another
/// manifest or version, and when to try again. A deck that has changed since stays due at once.
///
/// The row forgets the cards that were hidden when it was written: being due for an unlocked one has no time that could
/// be put off. If a request has written it for a later revision meanwhile, it forgets those cards too, and an unlock of
/// one is noticed at `until`. Rows are locked in the same order as by [`write`].
pub async fn postpone(
    conn: &mut Connection,
    id: DeckId,
    due_before: DateTime<Utc>,
    until: DateTime<Utc>,
) -> StoreResult<()> {
    sql("WITH postponed AS (UPDATE deck_judgements SET due_at = CASE WHEN due_at <= $due_before THEN $until ELSE least(due_at, $until) END, judged_by = $version, \
         game_revision = (SELECT revision FROM games WHERE code = game_code) WHERE deck_id = $id) \
         UPDATE deck_search SET hidden_cards = '{}' WHERE deck_id = $id AND hidden_cards <> '{}'")
        .bind("id", id)
        .bind("due_before", due_before)
        .bind("until", until)
        .bind("version", JUDGING_VERSION)
        .execute(conn)
        .await?;
    Ok(())
}

/// Deletes the public data of a deck that is not public: a program that does not know deleted decks may have left it.
pub async fn forget(conn: &mut Connection, id: DeckId) -> StoreResult<()> {
    sql("WITH gone AS (DELETE FROM deck_judgements j USING decks d WHERE j.deck_id = $id AND d.id = $id AND (d.visibility <> 'public' OR d.deleted_at IS NOT NULL)) \
         DELETE FROM deck_search s USING decks d WHERE s.deck_id = $id AND d.id = $id AND (d.visibility <> 'public' OR d.deleted_at IS NOT NULL)")
        .bind("id", id)
        .execute(conn)
        .await?;
    Ok(())
}
