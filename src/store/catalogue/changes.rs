//! The change feed: events of the catalogue, numbered without gaps, for mirrors and caches.
//!
//! Events are written in the transaction of their change, without a number: sequences have gaps and commit out of
//! order. Once they are committed, the first reader numbers them, one reader at a time. A reader that has seen number n
//! has seen everything up to n.

use std::collections::BTreeSet;

use chrono::{DateTime, Utc};
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Jsonb, Nullable, Text, Timestamptz, Uuid as SqlUuid};
use diesel_async::RunQueryDsl;
use serde::Deserialize;
use serde_json::Value;
use uuid::Uuid;

use crate::domain::designs::identifier::DesignCode;
use crate::domain::ids::{CardId, DeckId};
use crate::store::card_content::cards::CardPlace;
use crate::store::db::pages::push_first;
use crate::store::db::schema::{event_clock, events};
use crate::store::db::statement::{CachePrepared as _, run_commands, sql};
use crate::store::{Connection, PooledConnection, Store, StoreError, StoreResult};

/// Most events that are numbered in one transaction.
const BATCH: i64 = 10_000;

/// A numbered event.
#[derive(Clone, Debug)]
pub struct Change {
    /// Number in the feed, from 1, without gaps.
    pub seq: i64,
    /// The kind of event, as `noun.verb`.
    pub kind: String,
    pub subject: Subject,
    pub at: DateTime<Utc>,
}

/// The public identifiers of the subject of a change.
#[derive(Clone, Debug, Deserialize)]
pub struct Subject {
    pub game: String,
    /// Set code, if the event is about a set or card.
    pub set: Option<String>,
    /// Number in the set, if the event is about a card.
    pub number: Option<String>,
    /// Id of the card, if the event is about one.
    pub card: Option<CardId>,
    /// Identifier of the design, if the event is about one.
    pub design: Option<DesignCode>,
    /// Id of the deck, if the event is about one.
    pub deck: Option<DeckId>,
    /// The card's former place and id, if it was moved or merged.
    pub from: Option<FormerCard>,
}

/// Place and id of a card before it was moved or merged.
#[derive(Clone, Debug, Deserialize)]
pub struct FormerCard {
    /// The former id; differs from the current one after a merge.
    pub card: CardId,
    pub set: String,
    /// Number in the set.
    pub number: String,
}

/// The range of numbers in the feed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Extent {
    /// The oldest number that is still kept; one more than the newest if none is kept.
    pub oldest: i64,
    /// The newest number; 0: there was no event yet.
    pub newest: i64,
}

impl Extent {
    /// Whether all events after `seq` are still kept, so that a reader can continue from there.
    pub fn continues(self, seq: i64) -> bool {
        (self.oldest - 1..=self.newest).contains(&seq)
    }
}

/// Numbers the events that have no number yet. Returns a connection that sees the numbers.
async fn catch_up(store: &Store) -> StoreResult<PooledConnection> {
    let mut conn = store.connection().await?;
    while is_behind(&mut conn).await? {
        drop(conn);
        store.transaction(number).await?;
        conn = store.connection().await?;
    }
    Ok(conn)
}

/// Numbers the events that have no number yet, unless the database takes no writes: then a reader gets those that have
/// one. Caches must not use it, because they would not learn of a change that was committed.
pub async fn catch_up_if_possible(store: &Store) -> StoreResult<PooledConnection> {
    match catch_up(store).await {
        Err(StoreError::NoWrites(_)) => store.connection().await,
        conn => conn,
    }
}

/// Numbers the events that have no number yet, and returns the range of numbers.
pub async fn extent(store: &Store) -> StoreResult<Extent> {
    let mut conn = catch_up(store).await?;
    find_extent(&mut conn).await
}

/// Like [`extent`], for readers, as in [`catch_up_if_possible`].
pub async fn readable_extent(store: &Store) -> StoreResult<Extent> {
    let mut conn = catch_up_if_possible(store).await?;
    find_extent(&mut conn).await
}

async fn find_extent(conn: &mut Connection) -> StoreResult<Extent> {
    let newest: i64 = event_clock::table.select(event_clock::last_seq).first(conn).await?;
    let oldest: Option<i64> =
        events::table.select(diesel::dsl::min(events::seq)).first(conn).await?;
    Ok(Extent { oldest: oldest.unwrap_or(newest + 1), newest })
}

/// A batch of changes, for caches in memory.
#[expect(clippy::struct_excessive_bools, reason = "what happened, each by itself")]
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ChangeBatch {
    /// The highest number in the batch.
    pub up_to: i64,
    /// Whether this is the end of the feed: everything committed before the request is included.
    pub is_last: bool,
    /// Whether the feed does not go back that far, so that anything may have changed.
    pub is_broken: bool,
    /// Cards that were added, changed, unlocked, moved or merged; without duplicates.
    pub cards: Vec<CardId>,
    /// Whether one of them was moved or merged.
    pub some_went: bool,
    /// Game and code of sets that were added, changed or deleted; without duplicates.
    pub sets: Vec<(String, String)>,
    /// Whether the manifest of a game was added or changed.
    pub some_game_changed: bool,
    /// Whether sets, or which of them have cards, may have changed. Unlocks change neither.
    pub sets_may_differ: bool,
}

impl ChangeBatch {
    /// Whether cards, sets or games may have changed. Events of designs and decks do not count: there is one for each
    /// save by a player.
    pub fn is_about_catalogue(&self) -> bool {
        self.is_broken || self.some_game_changed || !self.cards.is_empty() || !self.sets.is_empty()
    }
}

/// Most events of one batch.
const CHANGE_BATCH: i64 = 10_000;

#[derive(QueryableByName)]
struct ChangeRow {
    #[diesel(sql_type = BigInt)]
    seq: i64,
    #[diesel(sql_type = Text)]
    kind: String,
    #[diesel(sql_type = Nullable<SqlUuid>)]
    subject_id: Option<Uuid>,
    #[diesel(sql_type = Nullable<SqlUuid>)]
    card: Option<CardId>,
    #[diesel(sql_type = Nullable<Text>)]
    game: Option<String>,
    #[diesel(sql_type = Nullable<Text>)]
    set_code: Option<String>,
}

/// The changes after the number `after`, including those that were committed before this call and are not numbered yet.
/// Large changes come in several batches, and the last one is marked.
pub async fn batch(store: &Store, after: i64) -> StoreResult<ChangeBatch> {
    let extent = extent(store).await?;
    let newest = extent.newest;
    if newest == after {
        return Ok(ChangeBatch { up_to: newest, is_last: true, ..ChangeBatch::default() });
    }
    if !extent.continues(after) {
        return Ok(ChangeBatch {
            up_to: newest,
            is_last: true,
            is_broken: true,
            ..ChangeBatch::default()
        });
    }
    let mut conn = store.connection().await?;
    let rows: Vec<ChangeRow> = sql(
        "SELECT seq, kind, subject_id, (payload ->> 'card')::uuid AS card, payload ->> 'game' AS game, payload ->> 'set' AS set_code \
         FROM events WHERE seq > $after AND seq <= $newest ORDER BY seq LIMIT $limit",
    )
    .bind("after", after)
    .bind("newest", newest)
    .bind("limit", CHANGE_BATCH)
    .load(&mut *conn)
    .await?;
    let is_full = i64::try_from(rows.len()).is_ok_and(|count| count == CHANGE_BATCH);
    let up_to = rows.last().filter(|_| is_full).map_or(newest, |last| last.seq);
    let mut batch = ChangeBatch { up_to, is_last: up_to == newest, ..ChangeBatch::default() };
    let (mut cards, mut sets) = (BTreeSet::new(), BTreeSet::new());
    for row in rows {
        let is_about_cards = row.kind.starts_with("card.");
        batch.sets_may_differ |= row.kind == "set.changed"
            || row.kind == "game.changed"
            || (is_about_cards && row.kind != "card.unlocked");
        if row.kind == "set.changed" {
            sets.extend(row.game.zip(row.set_code));
        } else if row.kind == "game.changed" {
            batch.some_game_changed = true;
        } else if is_about_cards {
            // A merge has two ids here: that of the merged card, and that of the card it was merged into.
            cards.extend(row.subject_id.map(CardId));
            cards.extend(row.card);
            batch.some_went |= row.kind == "card.moved" || row.kind == "card.merged";
        }
    }
    batch.cards = cards.into_iter().collect();
    batch.sets = sets.into_iter().collect();
    Ok(batch)
}

async fn is_behind(conn: &mut Connection) -> StoreResult<bool> {
    // In the order of their index: after an import, the planner still expects many unnumbered events, and would read
    // all events to find none.
    let first: Option<Uuid> = events::table
        .filter(events::seq.is_null())
        .order((events::created_at, events::id))
        .select(events::id)
        .first(conn)
        .await
        .optional()?;
    Ok(first.is_some())
}

async fn number(conn: &mut Connection) -> StoreResult<()> {
    // The lock is taken first: the next statement sees every event that was committed before.
    let last: i64 =
        event_clock::table.select(event_clock::last_seq).for_update().first(conn).await?;
    // Row by row: with a hash or merge join, each batch would read all events.
    run_commands(conn, "SET LOCAL enable_hashjoin = off; SET LOCAL enable_mergejoin = off; SET LOCAL enable_seqscan = off",
    )
    .await?;
    let numbered = sql(
        "UPDATE events SET seq = $last + waiting.place FROM ( \
             SELECT id, row_number() OVER (ORDER BY created_at, id) AS place FROM ( \
                 SELECT id, created_at FROM events WHERE seq IS NULL ORDER BY created_at, id LIMIT $limit) AS chosen \
         ) AS waiting WHERE waiting.id = events.id",
    )
    .bind("last", last)
    .bind("limit", BATCH)
    .execute(conn)
    .await?;
    let last = last + i64::try_from(numbered).unwrap_or_default();
    diesel::update(event_clock::table)
        .set(event_clock::last_seq.eq(last))
        .cached()
        .execute(conn)
        .await?;
    Ok(())
}

#[derive(QueryableByName)]
struct Row {
    #[diesel(sql_type = BigInt)]
    seq: i64,
    #[diesel(sql_type = Text)]
    kind: String,
    #[diesel(sql_type = Jsonb)]
    payload: Value,
    #[diesel(sql_type = Timestamptz)]
    created_at: DateTime<Utc>,
}

/// Most events that [`list`] returns at once.
pub const MOST_LISTED: i64 = 500;

/// Numbered events after `after`, with a game only those of that game, the oldest first.
///
/// With a game, games and numbers are compared as pairs, and the rows are sorted by both. So Postgres can only use the index of both. For `game = $game
/// ORDER BY seq` it prefers to walk along the numbers, because it expects events of every game everywhere, and reads a million events for a small game.
pub async fn list(
    conn: &mut Connection,
    after: i64,
    game: Option<&str>,
    limit: i64,
) -> StoreResult<Vec<Change>> {
    const SELECT: &str =
        "SELECT payload ->> 'game' AS game, seq, kind, payload, created_at FROM events WHERE ";
    const OF_ALL: &str = "seq > $after";
    const OF_GAME: &str =
        "(payload ->> 'game', seq) > ($game, $after) AND payload ->> 'game' <= $game";
    let (condition, order) = if game.is_some() { (OF_GAME, "game, seq") } else { (OF_ALL, "seq") };
    let statement =
        sql(format!("{SELECT}{condition}")).bind("after", after).bind_some("game", game);
    let rows: Vec<Row> = push_first(statement, order, MOST_LISTED, limit).load(conn).await?;
    rows.into_iter()
        .map(|row| {
            let subject = serde_json::from_value(row.payload).map_err(|error| {
                StoreError::Fault(diesel::result::Error::DeserializationError(Box::new(error)))
            })?;
            Ok(Change { seq: row.seq, kind: row.kind, subject, at: row.created_at })
        })
        .collect()
}

/// SQL for the number of the newest event of a game that satisfies `condition`, which must be that of an index of games and numbers; NULL: there is none.
/// `game` is SQL for the code of the game. Sorted by both for the reason that [`list`] states.
pub fn newest_of_game(game: &str, condition: &str) -> String {
    format!(
        "(SELECT CASE WHEN newest.game = {game} THEN newest.seq END FROM (SELECT e.payload ->> 'game' AS game, e.seq FROM events e \
         WHERE e.payload ->> 'game' <= {game} AND {condition} AND e.seq IS NOT NULL ORDER BY e.payload ->> 'game' DESC, e.seq DESC LIMIT 1) newest)"
    )
}

/// The event with that number, while it is kept.
pub async fn find(conn: &mut Connection, seq: i64) -> StoreResult<Option<Change>> {
    let next = list(conn, seq - 1, None, 1).await?;
    Ok(next.into_iter().find(|change| change.seq == seq))
}

/// Writes the event for a new or changed manifest.
pub(super) async fn game_changed(
    conn: &mut Connection,
    game: &str,
    at: DateTime<Utc>,
) -> StoreResult<()> {
    let payload = serde_json::json!({ "game": game });
    write_event(conn, "game.changed", None, payload, at).await
}

/// Writes the event for a new set, a change of its name, date or policy, or the deletion of a set without cards.
pub(in crate::store) async fn set_changed(
    conn: &mut Connection,
    set: Uuid,
    game: &str,
    code: &str,
    at: DateTime<Utc>,
) -> StoreResult<()> {
    let payload = serde_json::json!({ "game": game, "set": code });
    write_event(conn, "set.changed", Some(set), payload, at).await
}

/// Records that a card was moved or merged (`kind`). Places and ids are public.
pub(super) async fn card_went(
    conn: &mut Connection,
    kind: &str,
    old: &CardPlace,
    new: &CardPlace,
    at: DateTime<Utc>,
) -> StoreResult<()> {
    let payload = serde_json::json!({
        "game": new.game, "set": new.set, "number": new.number, "card": new.id,
        "from": { "card": old.id, "set": old.set, "number": old.number },
    });
    write_event(conn, kind, Some(old.id.0), payload, at).await
}

async fn write_event(
    conn: &mut Connection,
    kind: &str,
    subject: Option<Uuid>,
    payload: Value,
    at: DateTime<Utc>,
) -> StoreResult<()> {
    diesel::insert_into(events::table)
        .values((
            events::id.eq(Uuid::now_v7()),
            events::kind.eq(kind),
            events::subject_id.eq(subject),
            events::payload.eq(payload),
            events::created_at.eq(at),
        ))
        .execute(conn)
        .await?;
    Ok(())
}

/// Records new cards of a set by their numbers, also for hidden cards: that a card exists is public.
pub(super) async fn cards_added(
    conn: &mut Connection,
    game: &str,
    set: &str,
    cards: &[CardId],
    numbers: &[&str],
    at: DateTime<Utc>,
) -> StoreResult<()> {
    let ids: Vec<Uuid> = cards.iter().map(|_| Uuid::now_v7()).collect();
    sql(
        "INSERT INTO events (id, kind, subject_id, payload, created_at) \
         SELECT new.id, 'card.added', new.card, \
                jsonb_build_object('card', new.card, 'game', $game::text, 'set', $set::text, 'number', new.number), $at \
         FROM unnest($ids, $cards, $numbers) AS new (id, card, number)",
    )
    .bind("ids", ids)
    .bind("cards", cards)
    .bind("numbers", numbers)
    .bind("game", game)
    .bind("set", set)
    .bind("at", at)
    .execute(conn)
    .await?;
    Ok(())
}

/// Records changes of cards, except hidden ones, whose changes are secret. Waits for a card that is being unlocked, so
/// that its change is not lost. Locks the progress of cards in the order that all transactions use.
pub(in crate::store) async fn cards_changed(
    conn: &mut Connection,
    cards: &[CardId],
    at: DateTime<Utc>,
) -> StoreResult<()> {
    let locked = format!(
        "WITH progress AS (SELECT u.card_id, u.unlocked_at FROM unlocks u JOIN cards c ON c.id = u.card_id WHERE u.card_id = ANY($cards) \
                           ORDER BY c.game_code, c.set_code, u.card_id FOR SHARE OF u) {}",
        write_changes_of("progress")
    );
    run_for_cards(conn, locked, cards, at).await
}

/// Like [`cards_changed`], for a caller that has locked the content of the cards: until the transaction ends, none of
/// them is unlocked. So nothing is locked here, and submissions of these cards do not wait.
pub(super) async fn locked_cards_changed(
    conn: &mut Connection,
    cards: &[CardId],
    at: DateTime<Utc>,
) -> StoreResult<()> {
    run_for_cards(conn, write_changes_of("unlocks"), cards, at).await
}

/// SQL that writes the events for those cards that are open; `progress` is the table with the progress of cards.
fn write_changes_of(progress: &str) -> String {
    format!(
        "INSERT INTO events (id, kind, subject_id, payload, created_at) \
         SELECT new.id, 'card.changed', k.id, \
                jsonb_build_object('card', k.id, 'game', k.game_code, 'set', k.set_code, 'number', k.number), $at \
         FROM unnest($ids, $cards) AS new (id, card_id) JOIN cards k ON k.id = new.card_id \
              LEFT JOIN {progress} progress ON progress.card_id = k.id \
         WHERE progress.card_id IS NULL OR progress.unlocked_at IS NOT NULL"
    )
}

async fn run_for_cards(
    conn: &mut Connection,
    statement: String,
    cards: &[CardId],
    at: DateTime<Utc>,
) -> StoreResult<()> {
    if cards.is_empty() {
        return Ok(());
    }
    let ids: Vec<Uuid> = cards.iter().map(|_| Uuid::now_v7()).collect();
    sql(statement).bind("ids", ids).bind("cards", cards).bind("at", at).execute(conn).await?;
    Ok(())
}
