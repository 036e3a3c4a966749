//! Which decks an account watches, each with the last report on it; and which of the reports are to be made anew.
//!
//! A report is made anew when the deck was saved (a trigger), on the next day, by another manifest, and when the change feed names one of its cards. Triggers
//! tell the account when a deck becomes illegal, or legal.

use chrono::{DateTime, NaiveDate, NaiveTime, Utc};
use diesel::prelude::*;
use diesel::sql_types::{Array, BigInt, Date, Nullable, Text, Timestamptz, Uuid as SqlUuid};
use diesel_async::RunQueryDsl;

use super::{TAKES_FEEDBACK, in_turn};
use crate::auth::permission::{Acting, GiveDeckFeedback, Granted, ReadOwnDecks};
use crate::domain::decks::follows::MAX_WATCHED_DECKS;
use crate::domain::ids::{AccountId, CardId, DeckId};
use crate::store::db::statement::sql;
use crate::store::feedback::holds::hold_own_account;
use crate::store::{Connection, Store, StoreResult};

/// A deck that an account watches.
#[derive(Clone, Debug, QueryableByName)]
pub struct WatchedDeck {
    /// The deck.
    #[diesel(sql_type = SqlUuid)]
    pub deck_id: DeckId,
    /// What its owner calls it.
    #[diesel(sql_type = Text)]
    pub name: String,
    #[diesel(sql_type = Text)]
    game_code: String,
    #[diesel(sql_type = Text)]
    format_code: String,
    /// Since when it is watched.
    #[diesel(sql_type = Timestamptz)]
    pub watched_at: DateTime<Utc>,
    /// From when its report is to be made anew.
    #[diesel(sql_type = Timestamptz)]
    pub due_at: DateTime<Utc>,
    /// The present revision of the deck.
    #[diesel(sql_type = BigInt)]
    pub revision: i64,
    #[diesel(sql_type = BigInt)]
    present_game_revision: i64,
    /// The newest number of the change feed that is about the cards of the game; 0: there is none; the greatest there can be: something has none yet.
    #[diesel(sql_type = BigInt)]
    present_seq: i64,
    #[diesel(embed)]
    report: Option<KeptReport>,
}

/// The last report on a watched deck, and what it was made from.
#[derive(Clone, Debug, QueryableByName)]
pub struct KeptReport {
    /// `legal`, `incomplete` or `illegal`.
    #[diesel(sql_type = Text)]
    pub status: String,
    /// Codes of what is wrong, each once.
    #[diesel(sql_type = Array<Text>)]
    pub violations: Vec<String>,
    /// The revision of the deck.
    #[diesel(sql_type = BigInt)]
    pub deck_revision: i64,
    /// The day by whose rules it was judged.
    #[diesel(sql_type = Date)]
    pub judged_on: NaiveDate,
    /// The revision of the game's manifest by which.
    #[diesel(sql_type = BigInt)]
    pub game_revision: i64,
    /// The newest number of the change feed before the cards were read.
    #[diesel(sql_type = BigInt)]
    pub events_seq: i64,
    /// When it was made.
    #[diesel(sql_type = Timestamptz)]
    pub judged_at: DateTime<Utc>,
}

impl WatchedDeck {
    /// The format in which it is judged: `game/format`, or `game/format:variant`.
    pub fn format(&self) -> String {
        format!("{}/{}", self.game_code, self.format_code)
    }

    /// The last report; `None`: there is none yet.
    pub fn report(&self) -> Option<&KeptReport> {
        self.report.as_ref()
    }

    /// Whether nothing has happened since the report that could make another of it.
    pub fn is_current(&self, now: DateTime<Utc>) -> bool {
        self.report.as_ref().is_some_and(|report| {
            report.deck_revision == self.revision
                && report.game_revision == self.present_game_revision
                && report.events_seq >= self.present_seq
                && report.judged_on == now.date_naive()
                && self.due_at > now
        })
    }
}

/// Reads [`WatchedDeck`]s from `deck_watches w JOIN decks d JOIN accounts a JOIN games g`.
const SELECT: &str = "SELECT w.deck_id, d.name, d.game_code, d.format_code, w.watched_at, w.due_at, d.revision, g.revision AS present_game_revision, \
    CASE WHEN EXISTS (SELECT FROM events e WHERE e.seq IS NULL AND e.payload ->> 'game' = d.game_code AND e.kind NOT LIKE 'de%') THEN 9223372036854775807 \
     ELSE coalesce((SELECT max(e.seq) FROM events e WHERE e.payload ->> 'game' = d.game_code AND e.kind NOT LIKE 'de%'), 0) END AS present_seq, \
    w.status, w.violations, w.deck_revision, w.judged_on, w.game_revision, w.events_seq, w.judged_at \
    FROM deck_watches w JOIN decks d ON d.id = w.deck_id JOIN accounts a ON a.id = d.account_id JOIN games g ON g.code = d.game_code";

/// Whether the watcher may read the deck.
fn readable() -> String {
    format!("(d.account_id = $account AND d.deleted_at IS NULL OR {TAKES_FEEDBACK})")
}

/// A deck that the own account watches and may still read.
pub async fn find(
    conn: &mut Connection,
    by: &Granted<ReadOwnDecks>,
    deck: DeckId,
) -> StoreResult<Option<WatchedDeck>> {
    find_of(conn, by.account(), deck).await
}

async fn find_of(
    conn: &mut Connection,
    account: AccountId,
    deck: DeckId,
) -> StoreResult<Option<WatchedDeck>> {
    let readable = readable();
    let statement =
        sql(format!("{SELECT} WHERE w.account_id = $account AND w.deck_id = $deck AND {readable}"));
    let found = statement.bind("account", account).bind("deck", deck).get_result(conn).await;
    Ok(found.optional()?)
}

/// Lists the decks that the own account watches and may still read, those that it watches since last first, before that one.
pub async fn list(
    conn: &mut Connection,
    by: &Granted<ReadOwnDecks>,
    before: Option<(DateTime<Utc>, DeckId)>,
    limit: i64,
) -> StoreResult<Vec<WatchedDeck>> {
    let readable = readable();
    let mut statement = sql(format!("{SELECT} WHERE w.account_id = $account AND {readable}"))
        .bind("account", by.account());
    if let Some((at, deck)) = before {
        statement = statement
            .push(" AND (w.watched_at, w.deck_id) < ($before_at, $before_id)")
            .bind("before_at", at)
            .bind("before_id", deck);
    }
    let statement = statement.push(" ORDER BY w.watched_at DESC, w.deck_id DESC LIMIT $limit");
    Ok(statement.bind("limit", limit).load(conn).await?)
}

/// What became of a request to watch a deck.
#[derive(Debug)]
pub enum WatchOutcome {
    /// The account watches it now, or did before.
    Done(Box<WatchedDeck>),
    /// There is no such deck that the account may read.
    Missing,
    /// The account watches [`MAX_WATCHED_DECKS`] others.
    TooMany,
}

/// Watches a deck. Done again, it changes nothing.
pub async fn watch(
    conn: &mut Connection,
    by: &Acting<GiveDeckFeedback>,
    deck: DeckId,
    at: DateTime<Utc>,
) -> StoreResult<WatchOutcome> {
    // So that parallel requests cannot pass the limit.
    hold_own_account(conn, by).await?;
    if let Some(earlier) = find_of(conn, by.account(), deck).await? {
        return Ok(WatchOutcome::Done(Box::new(earlier)));
    }
    let readable = readable();
    let stored = sql(format!(
        "INSERT INTO deck_watches (account_id, deck_id, watched_at, game_code, due_at) \
         SELECT $account, d.id, $at, d.game_code, $at FROM decks d JOIN accounts a ON a.id = d.account_id \
         WHERE d.id = $deck AND {readable} AND (SELECT count(*) FROM deck_watches WHERE account_id = $account) < $limit \
         ON CONFLICT DO NOTHING"
    ))
    .bind("account", by.account())
    .bind("deck", deck)
    .bind("at", at)
    .bind("limit", MAX_WATCHED_DECKS)
    .execute(conn)
    .await?;
    if let Some(watched) = find_of(conn, by.account(), deck).await? {
        return Ok(WatchOutcome::Done(Box::new(watched)));
    }
    debug_assert_eq!(stored, 0, "what is stored is found");
    let may_read = sql(format!(
        "SELECT FROM decks d JOIN accounts a ON a.id = d.account_id WHERE d.id = $deck AND {readable}"
    ))
    .bind("account", by.account())
    .bind("deck", deck)
    .execute(conn)
    .await?;
    Ok(if may_read > 0 { WatchOutcome::TooMany } else { WatchOutcome::Missing })
}

/// Watches a deck no more, also one that the account may read no more; whether it did, or may read it.
pub async fn unwatch(
    conn: &mut Connection,
    by: &Acting<GiveDeckFeedback>,
    deck: DeckId,
) -> StoreResult<bool> {
    hold_own_account(conn, by).await?;
    let deleted = sql("DELETE FROM deck_watches WHERE account_id = $account AND deck_id = $deck")
        .bind("account", by.account())
        .bind("deck", deck)
        .execute(conn)
        .await?;
    if deleted > 0 {
        return Ok(true);
    }
    let readable = readable();
    let found = sql(format!(
        "SELECT FROM decks d JOIN accounts a ON a.id = d.account_id WHERE d.id = $deck AND {readable}"
    ))
    .bind("account", by.account())
    .bind("deck", deck)
    .execute(conn)
    .await?;
    Ok(found > 0)
}

/// A report on a deck that an account watches.
pub struct WatchReport {
    /// Who watches.
    pub account: AccountId,
    /// The deck.
    pub deck: DeckId,
    /// When the report was to be made: what makes it due meanwhile stays.
    pub due_at: DateTime<Utc>,
    /// Code of the game.
    pub game: String,
    /// The cards that its entries mean or are bound to.
    pub cards: Vec<CardId>,
    /// What is kept.
    pub report: KeptReport,
}

/// Keeps a report, unless a newer one is kept.
pub async fn keep(conn: &mut Connection, made: WatchReport) -> StoreResult<()> {
    let WatchReport { account, deck, due_at, game, cards, report } = made;
    let next_day = report.judged_on.succ_opt().unwrap_or(report.judged_on);
    sql("UPDATE deck_watches SET due_at = CASE WHEN due_at = $due_at THEN $next ELSE due_at END, game_code = $game, cards = $cards, status = $status, \
         violations = $violations, deck_revision = $deck_revision, judged_on = $judged_on, game_revision = $game_revision, events_seq = $events_seq, \
         judged_at = $judged_at \
         WHERE account_id = $account AND deck_id = $deck \
          AND (deck_revision IS NULL OR (deck_revision, judged_on, events_seq) <= ($deck_revision, $judged_on, $events_seq))")
        .bind("account", account)
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
        .execute(conn)
        .await?;
    Ok(())
}

/// Notes that a report could not be made, and when to try again. A change since then makes it due at once all the same.
pub async fn postpone(
    conn: &mut Connection,
    due: &DueWatch,
    until: DateTime<Utc>,
) -> StoreResult<()> {
    sql("UPDATE deck_watches SET due_at = $until, game_revision = CASE WHEN status IS NULL THEN NULL ELSE $present END \
         WHERE account_id = $account AND deck_id = $deck AND due_at = $due_at")
        .bind("account", due.account_id)
        .bind("deck", due.deck_id)
        .bind("due_at", due.due_at)
        .bind("present", due.present_game_revision)
        .bind("until", until)
        .execute(conn)
        .await?;
    Ok(())
}

/// A report that is to be made.
#[derive(Clone, Debug, QueryableByName)]
pub struct DueWatch {
    /// Who watches.
    #[diesel(sql_type = SqlUuid)]
    pub account_id: AccountId,
    /// The deck.
    #[diesel(sql_type = SqlUuid)]
    pub deck_id: DeckId,
    /// Since when it is due, or when it would have been without another manifest.
    #[diesel(sql_type = Timestamptz)]
    pub due_at: DateTime<Utc>,
    #[diesel(sql_type = BigInt)]
    present_game_revision: i64,
}

/// Both reasons have their index and give at most `$limit`; ordered inside, so that no other plan than by these indexes is cheap.
const DUE: &str = "SELECT account_id, deck_id, due_at, revision AS present_game_revision FROM (\
     (SELECT w.account_id, w.deck_id, w.due_at, g.revision, 0 AS priority FROM (SELECT * FROM deck_watches WHERE due_at <= $now ORDER BY due_at DESC LIMIT $limit) w \
      JOIN games g ON g.code = w.game_code) UNION ALL \
     (SELECT w.account_id, w.deck_id, w.due_at, g.revision, 1 FROM games g CROSS JOIN LATERAL (SELECT * FROM deck_watches \
       WHERE game_code = g.code AND game_revision < g.revision AND due_at > $now ORDER BY game_revision LIMIT $limit) w LIMIT $limit)) due \
    ORDER BY priority LIMIT $limit";

/// The advisory lock of making reports: one process at a time.
const LOCK: i64 = 7_233_172_077;

/// Does something with the reports that are to be made, up to `limit`, while no other process makes any. `None`: another does. The work takes less than the
/// time after which Postgres ends a transaction that does nothing.
pub async fn with_due<T>(
    store: &Store,
    now: DateTime<Utc>,
    limit: i64,
    work: impl AsyncFnOnce(Vec<DueWatch>) -> T,
) -> StoreResult<Option<T>> {
    in_turn(store, LOCK, async |conn| {
        let due = sql(DUE).bind("now", now).bind("limit", limit).load(conn).await?;
        Ok(work(due).await)
    })
    .await
}

/// A place in the change feed.
#[derive(QueryableByName)]
struct Place {
    #[diesel(sql_type = Nullable<BigInt>)]
    seq: Option<i64>,
}

/// The place in the change feed after which the cards of some watched deck may have changed; `None`: no deck is watched.
pub async fn oldest_place(conn: &mut Connection) -> StoreResult<Option<i64>> {
    let place: Place =
        sql("SELECT min(events_seq) AS seq FROM deck_watches").get_result(conn).await?;
    Ok(place.seq)
}

/// Makes the reports due whose cards the next `limit` events of the change feed after `since` name. The place of the last of them; `None`: there were none.
pub async fn mark_changed(
    conn: &mut Connection,
    since: i64,
    limit: i64,
    now: DateTime<Utc>,
) -> StoreResult<Option<i64>> {
    let place: Place = sql("WITH page AS MATERIALIZED (SELECT seq, kind, subject_id FROM events WHERE seq > $since ORDER BY seq LIMIT $limit), \
         changed AS MATERIALIZED (SELECT w.account_id, w.deck_id FROM page CROSS JOIN LATERAL (SELECT account_id, deck_id FROM deck_watches \
           WHERE cards && ARRAY[page.subject_id] AND events_seq < page.seq AND due_at > $now) w WHERE page.kind LIKE 'card.%' GROUP BY w.account_id, w.deck_id), \
         marked AS (UPDATE deck_watches w SET due_at = $now FROM changed c WHERE w.account_id = c.account_id AND w.deck_id = c.deck_id) \
         SELECT max(seq) AS seq FROM page")
        .bind("since", since)
        .bind("limit", limit)
        .bind("now", now)
        .get_result(conn)
        .await?;
    Ok(place.seq)
}
