//! The reports on watched decks, and the reports that have to be created again.
//!
//! A report is created again when the deck was saved (a trigger), on the next day, for another manifest, when the change
//! feed names one of its cards or a set of its game, and if an older version made it. Reports use only public data, so
//! that one report serves all watchers.

use chrono::{DateTime, NaiveDate, NaiveTime, Utc};
use diesel::prelude::*;
use diesel::sql_types::{
    Array, BigInt, Bool, Date, Nullable, SmallInt, Text, Timestamptz, Uuid as SqlUuid,
};
use diesel_async::RunQueryDsl;

use super::in_turn;
use crate::domain::decks::judging::JUDGING_VERSION;
use crate::domain::ids::{CardId, DeckId};
use crate::store::db::statement::sql;
use crate::store::{Connection, Store, StoreResult};

/// The last report on a watched deck, and the versions of the data that it was created from.
#[derive(Clone, Debug, QueryableByName)]
pub struct LatestReport {
    /// `legal`, `incomplete` or `illegal`.
    #[diesel(sql_type = Text)]
    pub status: String,
    /// Codes of the violations, each once.
    #[diesel(sql_type = Array<Text>)]
    pub violations: Vec<String>,
    #[diesel(sql_type = BigInt)]
    pub deck_revision: i64,
    /// The day whose rules were applied.
    #[diesel(sql_type = Date)]
    pub judged_on: NaiveDate,
    /// The revision of the game's manifest that was applied.
    #[diesel(sql_type = BigInt)]
    pub game_revision: i64,
    /// The newest number of the change feed before the cards were read.
    #[diesel(sql_type = BigInt)]
    pub events_seq: i64,
    /// When it was created.
    #[diesel(sql_type = Timestamptz)]
    pub judged_at: DateTime<Utc>,
    /// The [`JUDGING_VERSION`] of the program that created it; 0: it did not know versions.
    #[diesel(sql_type = SmallInt)]
    pub judged_by: i16,
}

/// A report to store.
pub struct NewReport {
    pub deck: DeckId,
    /// When it became due. If the stored time differs by now, the report stays due.
    pub due_at: DateTime<Utc>,
    /// Code of the game.
    pub game: String,
    /// The cards that its entries mean or are bound to.
    pub cards: Vec<CardId>,
    /// The report to store.
    pub report: LatestReport,
}

/// For watchers without a known status, the status becomes the first known one, without a notification. If the report
/// became due again in the meantime, `due_at` has changed, and it stays due. Indexed columns are written only if they
/// differ. `saved_so` is about the last change that watchers are notified of; they are not notified when an illegal deck becomes incomplete.
/// A trigger makes the negative version positive, and writes `tried_by`; both are 0 after an update by a program that does not know versions.
const BEFORE_CAUSE: &str = "WITH kept AS (UPDATE watched_decks SET due_at = CASE WHEN due_at = $due_at THEN $next ELSE due_at END, \
     game_code = $game, cards = CASE WHEN cards = $cards THEN cards ELSE $cards END, violations = $violations, \
     untold = untold OR coalesce(status <> $status, false), \
     saved_so = CASE WHEN status <> $status AND (status, $status) <> ('illegal', 'incomplete') THEN ";

/// Whether only the owner's save can have caused another status: the day, the manifest, the cards and their sets are those of the previous report, and
/// the save changed the cards of the deck or its format. Other changes between both reports may have caused it, too, and then the owner is notified. The
/// manifests of different games are not compared: only a save changes the game. Events without numbers are the latest. The order of entries and their named
/// copies have no influence on the status. Bindings have one if cards were renamed, but they are not compared: the owner is notified if a save changed only
/// these, because the list is as it was. If a revision is not stored any more, the cause is not known.
const SAVED_SO: &str = "CASE WHEN deck_revision < $deck_revision AND judged_on = $judged_on AND (game_code <> $game OR game_revision = $game_revision) THEN \
     EXISTS (SELECT FROM deck_revisions earlier JOIN deck_revisions saved ON saved.deck_id = earlier.deck_id \
      CROSS JOIN LATERAL (SELECT jsonb_agg(listed ORDER BY listed) AS entries FROM (\
       SELECT entry - '{card_id,copies,position}'::text[] AS listed FROM jsonb_array_elements(earlier.content -> 'entries') entry) one) before \
      CROSS JOIN LATERAL (SELECT jsonb_agg(listed ORDER BY listed) AS entries FROM (\
       SELECT entry - '{card_id,copies,position}'::text[] AS listed FROM jsonb_array_elements(saved.content -> 'entries') entry) one) after \
      WHERE earlier.deck_id = $deck AND earlier.revision = watched_decks.deck_revision AND saved.revision = $deck_revision \
       AND (earlier.content -> 'game', earlier.content -> 'format', before.entries) IS DISTINCT FROM (saved.content -> 'game', saved.content -> 'format', after.entries)) \
     AND NOT EXISTS (SELECT FROM events e WHERE (e.seq > watched_decks.events_seq OR e.seq IS NULL) \
      AND (e.kind LIKE 'card.%' AND (e.subject_id = ANY (watched_decks.cards) OR e.subject_id = ANY ($cards)) \
       OR e.kind = 'set.changed' AND e.payload ->> 'game' IN (watched_decks.game_code, $game))) \
     ELSE false END";

const AFTER_CAUSE: &str = " ELSE saved_so END, \
     status = $status, deck_revision = $deck_revision, judged_on = $judged_on, game_revision = $game_revision, tried_game_revision = $game_revision, \
     events_seq = $events_seq, judged_at = $judged_at, judged_by = -$judged_by \
    WHERE deck_id = $deck AND (deck_revision IS NULL OR (deck_revision, judged_on, events_seq) <= ($deck_revision, $judged_on, $events_seq)) \
     RETURNING deck_id, status) \
    UPDATE deck_watches w SET told_legal = kept.status = 'legal', told_status = kept.status FROM kept WHERE w.deck_id = kept.deck_id AND w.told_legal IS NULL";

/// Stores a report, unless a newer one is stored, or no account watches the deck any more.
pub async fn store_report(conn: &mut Connection, report: NewReport) -> StoreResult<()> {
    let NewReport { deck, due_at, game, cards, report } = report;
    let next_day = report.judged_on.succ_opt().unwrap_or(report.judged_on);
    sql(BEFORE_CAUSE)
        .push(SAVED_SO)
        .push(AFTER_CAUSE)
        .bind("deck", deck)
        .bind("due_at", due_at)
        .bind("next", next_day.and_time(NaiveTime::MIN).and_utc())
        .bind("game", game)
        .bind("cards", cards)
        .bind("status", report.status)
        .bind("violations", report.violations)
        .bind("deck_revision", report.deck_revision)
        .bind("judged_on", report.judged_on)
        .bind("game_revision", report.game_revision)
        .bind("events_seq", report.events_seq)
        .bind("judged_at", report.judged_at)
        .bind("judged_by", report.judged_by)
        .execute(conn)
        .await?;
    Ok(())
}

/// Records that a report could not be created, and when to try again. A deck that has changed since stays due at once.
pub async fn postpone(
    conn: &mut Connection,
    due: &DueDeck,
    until: DateTime<Utc>,
) -> StoreResult<()> {
    sql("UPDATE watched_decks SET due_at = $until, tried_game_revision = $present, tried_by = $version WHERE deck_id = $deck AND due_at = $due_at")
        .bind("deck", due.deck_id)
        .bind("due_at", due.due_at)
        .bind("present", due.present_game_revision)
        .bind("version", JUDGING_VERSION)
        .bind("until", until)
        .execute(conn)
        .await?;
    Ok(())
}

/// A deck whose report has to be created.
#[derive(Clone, Debug, QueryableByName)]
pub struct DueDeck {
    #[diesel(sql_type = SqlUuid)]
    pub deck_id: DeckId,
    /// When it became due, or would have become due without another manifest or version.
    #[diesel(sql_type = Timestamptz)]
    pub due_at: DateTime<Utc>,
    #[diesel(sql_type = BigInt)]
    present_game_revision: i64,
}

/// Each reason has its own index, and returns at most `$limit` decks. The reasons take turns: the latest changes, so that
/// they do not wait for the work of a new day; the reports that have been due longest, so that all of them are created in
/// the end; other manifests; and reports of older versions. Each part is sorted, so that every plan without these indexes
/// is expensive.
const DUE: &str = "SELECT due.deck_id, due.due_at, g.revision AS present_game_revision FROM (\
     SELECT deck_id, due_at, game_code, min(turn) AS turn FROM (\
      (SELECT deck_id, due_at, game_code, row_number() OVER (ORDER BY due_at DESC) AS turn FROM watched_decks WHERE due_at <= $now ORDER BY due_at DESC LIMIT $limit) UNION ALL \
      (SELECT deck_id, due_at, game_code, row_number() OVER (ORDER BY due_at) FROM watched_decks WHERE due_at <= $now ORDER BY due_at LIMIT $limit) UNION ALL \
      (SELECT r.deck_id, r.due_at, r.game_code, row_number() OVER () FROM games g CROSS JOIN LATERAL (SELECT * FROM watched_decks \
        WHERE game_code = g.code AND tried_game_revision < g.revision AND due_at > $now ORDER BY tried_game_revision LIMIT $limit) r LIMIT $limit) UNION ALL \
      (SELECT r.deck_id, r.due_at, r.game_code, row_number() OVER () FROM (SELECT * FROM watched_decks \
        WHERE tried_by < $version AND due_at > $now ORDER BY tried_by LIMIT $limit) r)) each \
     GROUP BY deck_id, due_at, game_code) due JOIN games g ON g.code = due.game_code ORDER BY due.turn, due.due_at > $now, due.due_at DESC";

/// The advisory lock for creating reports: one process at a time.
const LOCK: i64 = 7_233_172_077;

/// Calls `work` with the decks whose reports have to be created, up to `limit` for each reason, while no other process
/// creates any. `None`: another process is creating reports. `work` must take less than the time after which Postgres
/// ends an idle transaction.
pub async fn with_due<T>(
    store: &Store,
    now: DateTime<Utc>,
    limit: i64,
    work: impl AsyncFnOnce(Vec<DueDeck>) -> T,
) -> StoreResult<Option<T>> {
    in_turn(store, LOCK, async |conn| {
        let due = sql(DUE).bind("now", now).bind("limit", limit);
        let due = due.bind("version", JUDGING_VERSION).load(conn).await?;
        Ok(work(due).await)
    })
    .await
}

/// The number in the change feed after which cards of a deck that was judged today may have changed; `None`: no deck
/// was judged today. All other decks are due.
pub async fn oldest_place(conn: &mut Connection, today: NaiveDate) -> StoreResult<Option<i64>> {
    #[derive(QueryableByName)]
    struct Oldest {
        #[diesel(sql_type = Nullable<BigInt>)]
        seq: Option<i64>,
    }
    let place: Oldest =
        sql("SELECT min(events_seq) AS seq FROM watched_decks WHERE judged_on >= $today")
            .bind("today", today)
            .get_result(conn)
            .await?;
    Ok(place.seq)
}

/// How far the change feed was checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, QueryableByName)]
pub struct MarkedPage {
    /// The last event that was checked; `None`: there was none.
    #[diesel(sql_type = Nullable<BigInt>)]
    pub last: Option<i64>,
    /// Whether the reports that these events concern are all due now; otherwise, check again from the same number.
    #[diesel(sql_type = Bool)]
    pub is_done: bool,
}

/// Makes the reports due that the next `events` of the change feed after `since` concern: reports on decks with the
/// changed cards and, after a change of a set, on decks of its game; at most `reports` of them. Reports that are
/// already due become due again, because their creation may have begun before these events.
pub async fn mark_changed(
    conn: &mut Connection,
    since: i64,
    (events, reports): (i64, i64),
    now: DateTime<Utc>,
) -> StoreResult<MarkedPage> {
    let statement = sql(
        "WITH page AS MATERIALIZED (SELECT seq, kind, subject_id, payload ->> 'game' AS game FROM events WHERE seq > $since ORDER BY seq LIMIT $events), \
         changed AS MATERIALIZED (SELECT DISTINCT r.deck_id FROM (\
          (SELECT r.deck_id FROM page CROSS JOIN LATERAL (SELECT deck_id FROM watched_decks \
             WHERE cards && ARRAY[page.subject_id] AND events_seq < page.seq AND due_at <> $now LIMIT $reports) r WHERE page.kind LIKE 'card.%' LIMIT $reports) UNION ALL \
          (SELECT r.deck_id FROM (SELECT game, max(seq) AS seq FROM page WHERE kind = 'set.changed' GROUP BY game) one CROSS JOIN LATERAL (SELECT deck_id FROM watched_decks \
             WHERE game_code = one.game AND events_seq < one.seq AND due_at <> $now LIMIT $reports) r LIMIT $reports)) r), \
         held AS MATERIALIZED (SELECT r.deck_id FROM watched_decks r WHERE r.deck_id IN (SELECT deck_id FROM changed) ORDER BY r.deck_id FOR NO KEY UPDATE), \
         marked AS (UPDATE watched_decks r SET due_at = $now FROM held WHERE r.deck_id = held.deck_id RETURNING 1) \
         SELECT (SELECT max(seq) FROM page) AS last, (SELECT count(*) FROM marked) = 0 AS is_done",
    );
    Ok(statement
        .bind("since", since)
        .bind("events", events)
        .bind("reports", reports)
        .bind("now", now)
        .get_result(conn)
        .await?)
}
