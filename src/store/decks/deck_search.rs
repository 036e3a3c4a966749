//! What everybody may know of public decks, one row for each, and which of them are to be made anew.

use chrono::{DateTime, NaiveDate, Utc};
use diesel::prelude::*;
use diesel::sql_types::{Bool, Uuid as SqlUuid};
use diesel_async::RunQueryDsl;

use crate::domain::ids::{CardId, DeckId};
use crate::store::db::statement::sql;
use crate::store::{Connection, Store, StoreResult};

/// What everybody may know of a revision of a public deck.
pub struct SearchableDeck {
    /// The deck.
    pub id: DeckId,
    /// The revision that this is of.
    pub revision: i64,
    /// Its cards, in all zones.
    pub size: i32,
    /// What it is found by: texts of [`crate::domain::decks::public::DeckTerm`].
    pub terms: Vec<String>,
    /// The different cards that its entries mean.
    pub cards: Vec<CardId>,
    /// The cards that its entries are bound to and that not everybody sees.
    pub hidden_cards: Vec<CardId>,
    /// The formats in which it is legal.
    pub legal_in: Vec<String>,
    /// The day by whose rules.
    pub judged_on: NaiveDate,
    /// The revision of the game's manifest by which.
    pub game_revision: i64,
}

const WRITE: &str = "WITH deck AS MATERIALIZED (\
     SELECT id, revision, game_code, updated_at, coalesce(published_at, created_at) AS published_at FROM decks WHERE id = $id AND revision = $revision AND visibility = 'public' AND deleted_at IS NULL \
     FOR NO KEY UPDATE), \
    done AS (DELETE FROM decks_to_search USING deck WHERE deck_id = deck.id) \
    INSERT INTO deck_search (deck_id, revision, game_code, published_at, updated_at, size, terms, cards, hidden_cards, legal_in, judged_on, judged_game_revision) \
    SELECT id, revision, game_code, published_at, updated_at, $size, $terms, $cards, $hidden_cards, $legal_in, $judged_on, $game_revision FROM deck \
    ON CONFLICT (deck_id) DO UPDATE SET revision = EXCLUDED.revision, game_code = EXCLUDED.game_code, published_at = EXCLUDED.published_at, updated_at = EXCLUDED.updated_at, size = EXCLUDED.size, \
     terms = EXCLUDED.terms, cards = EXCLUDED.cards, hidden_cards = EXCLUDED.hidden_cards, legal_in = EXCLUDED.legal_in, judged_on = EXCLUDED.judged_on, \
     judged_game_revision = EXCLUDED.judged_game_revision";

/// Writes the row of a deck, unless it was changed meanwhile, or is no longer public: then another row is made, or none.
pub async fn write(conn: &mut Connection, deck: SearchableDeck) -> StoreResult<()> {
    sql(WRITE)
        .bind("id", deck.id)
        .bind("revision", deck.revision)
        .bind("size", deck.size)
        .bind("terms", deck.terms)
        .bind("cards", deck.cards)
        .bind("hidden_cards", deck.hidden_cards)
        .bind("legal_in", deck.legal_in)
        .bind("judged_on", deck.judged_on)
        .bind("game_revision", deck.game_revision)
        .execute(conn)
        .await?;
    Ok(())
}

/// A deck whose row is to be made.
#[derive(QueryableByName)]
struct ToMake {
    #[diesel(sql_type = SqlUuid)]
    id: DeckId,
}

/// Each reason has its index, and gives at most `$limit` decks.
const TO_MAKE: &str = "SELECT DISTINCT id FROM (\
     (SELECT deck_id AS id FROM decks_to_search WHERE noted_at <= $before ORDER BY noted_at, deck_id LIMIT $limit) UNION ALL \
     (SELECT deck_id FROM deck_search WHERE judged_on < $today ORDER BY judged_on LIMIT $limit) UNION ALL \
     (SELECT s.deck_id FROM games g JOIN deck_search s ON s.game_code = g.code AND s.judged_game_revision < g.revision LIMIT $limit) UNION ALL \
     (SELECT s.deck_id FROM unlocks u JOIN deck_search s ON s.hidden_cards <> '{}' AND s.hidden_cards && ARRAY[u.card_id] \
      WHERE u.unlocked_at > $unlocked_since LIMIT $limit)) AS due LIMIT $limit";

/// Which rows are due.
#[derive(Clone, Copy)]
pub struct Due {
    /// Decks that were published before this: the request that publishes a deck makes its row.
    pub published_before: DateTime<Utc>,
    /// Decks that were judged before this day.
    pub today: NaiveDate,
    /// Decks with hidden cards that were unlocked after this.
    pub unlocked_since: DateTime<Utc>,
}

/// The advisory lock of making rows: one process at a time.
const LOCK: i64 = 7_233_172_076;

/// Decks whose rows are to be made, up to `limit`, while no other process makes any: until the work ends. `None`: another does.
pub async fn with_due<T>(
    store: &Store,
    due: Due,
    limit: i64,
    work: impl AsyncFnOnce(Vec<DeckId>) -> T,
) -> StoreResult<Option<T>> {
    #[derive(QueryableByName)]
    struct Locked {
        #[diesel(sql_type = Bool)]
        locked: bool,
    }
    let mut begun = store.begin().await?;
    let done = async {
        let conn = begun.conn();
        let lock = sql("SELECT pg_try_advisory_xact_lock($lock) AS locked").bind("lock", LOCK);
        let Locked { locked } = lock.get_result(conn).await?;
        if !locked {
            return Ok(None);
        }
        let decks: Vec<ToMake> = sql(TO_MAKE)
            .bind("before", due.published_before)
            .bind("today", due.today)
            .bind("unlocked_since", due.unlocked_since)
            .bind("limit", limit)
            .load(conn)
            .await?;
        Ok(Some(work(decks.into_iter().map(|deck| deck.id).collect()).await))
    };
    let done = done.await;
    begun.end(done).await
}

/// Notes that the row of a deck cannot be made: it is tried again when the deck is saved, and on the next day.
pub async fn give_up(conn: &mut Connection, id: DeckId, today: NaiveDate) -> StoreResult<()> {
    sql("WITH done AS (DELETE FROM decks_to_search WHERE deck_id = $id) \
         UPDATE deck_search SET judged_on = $today, hidden_cards = '{}', judged_game_revision = (SELECT revision FROM games WHERE code = game_code) WHERE deck_id = $id")
        .bind("id", id)
        .bind("today", today)
        .execute(conn)
        .await?;
    Ok(())
}
