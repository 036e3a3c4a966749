//! The decks that accounts watch.

use chrono::{DateTime, Utc};
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Bool, Text, Timestamptz, Uuid as SqlUuid};
use diesel_async::RunQueryDsl;

use super::TAKES_FEEDBACK;
use super::watched_decks::LatestReport;
use crate::auth::permission::{Acting, GiveDeckFeedback, Granted, ReadOwnDecks};
use crate::domain::decks::follows::MAX_WATCHED_DECKS;
use crate::domain::decks::judging::JUDGING_VERSION;
use crate::domain::ids::{AccountId, DeckId};
use crate::store::catalogue::changes;
use crate::store::db::pages::push_page;
use crate::store::db::statement::sql;
use crate::store::feedback::locks::{lock_own_account, lock_subject};
use crate::store::{Connection, Store, StoreResult};

/// A deck that an account watches.
#[derive(Clone, Debug, QueryableByName)]
pub struct WatchedDeck {
    #[diesel(sql_type = SqlUuid)]
    pub deck_id: DeckId,
    /// The name that its owner chose.
    #[diesel(sql_type = Text)]
    pub name: String,
    #[diesel(sql_type = Text)]
    game_code: String,
    #[diesel(sql_type = Text)]
    format_code: String,
    /// Since when it is watched.
    #[diesel(sql_type = Timestamptz)]
    pub watched_at: DateTime<Utc>,
    /// When its report has to be created again.
    #[diesel(sql_type = Timestamptz)]
    pub due_at: DateTime<Utc>,
    #[diesel(sql_type = BigInt)]
    present_revision: i64,
    #[diesel(sql_type = BigInt)]
    present_game_revision: i64,
    /// The newest number of the change feed that concerns the cards of the game; 0: there is none; the largest possible
    /// number: an event has no number yet.
    #[diesel(sql_type = BigInt)]
    present_seq: i64,
    /// The last report on it; `None`: there is none yet.
    #[diesel(embed)]
    pub report: Option<LatestReport>,
}

impl WatchedDeck {
    /// The format in which it is judged: `game/format`, or `game/format:variant`.
    pub fn format(&self) -> String {
        format!("{}/{}", self.game_code, self.format_code)
    }

    /// Whether nothing has happened since the report that could change its result, and no older version made it.
    pub fn is_current(&self, now: DateTime<Utc>) -> bool {
        self.report.as_ref().is_some_and(|report| {
            report.deck_revision == self.present_revision
                && report.game_revision == self.present_game_revision
                && report.events_seq >= self.present_seq
                && report.judged_on == now.date_naive()
                && report.judged_by >= JUDGING_VERSION
                && self.due_at > now
        })
    }
}

/// SQL that reads [`WatchedDeck`]s.
fn select() -> String {
    let newest = changes::newest_of_game("d.game_code", "e.kind NOT LIKE 'de%'");
    format!(
        "SELECT w.deck_id, d.name, d.game_code, d.format_code, w.watched_at, r.due_at, d.revision AS present_revision, \
         g.revision AS present_game_revision, \
         CASE WHEN EXISTS (SELECT FROM events e WHERE e.seq IS NULL AND e.payload ->> 'game' = d.game_code AND e.kind NOT LIKE 'de%') THEN 9223372036854775807 \
          ELSE coalesce({newest}, 0) END AS present_seq, \
         r.status, r.violations, r.deck_revision, r.judged_on, r.game_revision, r.events_seq, r.judged_at, r.judged_by \
         FROM deck_watches w JOIN watched_decks r ON r.deck_id = w.deck_id JOIN decks d ON d.id = w.deck_id JOIN accounts a ON a.id = d.account_id \
         JOIN games g ON g.code = d.game_code"
    )
}

/// Whether the watcher may read the deck, from `decks d JOIN accounts a`.
fn readable(watcher: &str) -> String {
    format!("(d.account_id = {watcher} AND d.deleted_at IS NULL OR {TAKES_FEEDBACK})")
}

/// A deck that the caller watches and may still read.
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
    let (select, readable) = (select(), readable("$account"));
    let statement =
        sql(format!("{select} WHERE w.account_id = $account AND w.deck_id = $deck AND {readable}"));
    let found = statement.bind("account", account).bind("deck", deck).get_result(conn).await;
    Ok(found.optional()?)
}

/// Whether the reader watches a deck.
pub async fn watches(
    conn: &mut Connection,
    by: &Granted<ReadOwnDecks>,
    deck: DeckId,
) -> StoreResult<bool> {
    let found = sql("SELECT FROM deck_watches WHERE account_id = $account AND deck_id = $deck")
        .bind("account", by.account())
        .bind("deck", deck)
        .execute(conn)
        .await?;
    Ok(found > 0)
}

/// Lists the decks that the caller watches and may still read, the last watched first, before a position.
pub async fn list(
    conn: &mut Connection,
    by: &Granted<ReadOwnDecks>,
    before: Option<(DateTime<Utc>, DeckId)>,
    limit: i64,
) -> StoreResult<Vec<WatchedDeck>> {
    let (select, readable) = (select(), readable("$account"));
    let mut statement = sql(format!("{select} WHERE w.account_id = $account AND {readable}"))
        .bind("account", by.account());
    if let Some((at, deck)) = before {
        statement = statement
            .push(" AND (w.watched_at, w.deck_id) < ($before_at, $before_id)")
            .bind("before_at", at)
            .bind("before_id", deck);
    }
    Ok(push_page(statement, "watched_at DESC, deck_id DESC", limit).load(conn).await?)
}

/// The result of a request to watch a deck.
#[derive(Debug)]
pub enum WatchOutcome {
    /// The account watches it, now or already before.
    Done(Box<WatchedDeck>),
    /// There is no such deck that the account may read.
    Missing,
    /// The account watches [`MAX_WATCHED_DECKS`] others.
    TooMany,
}

#[derive(QueryableByName)]
struct Watches {
    #[diesel(sql_type = BigInt)]
    decks: i64,
}

/// Watches a deck. A repetition changes nothing.
pub async fn watch(
    conn: &mut Connection,
    by: &Acting<GiveDeckFeedback>,
    deck: DeckId,
    at: DateTime<Utc>,
) -> StoreResult<WatchOutcome> {
    // Locks the account, so that parallel requests cannot exceed the limit.
    lock_own_account(conn, by).await?;
    if let Some(earlier) = find_of(conn, by.account(), deck).await? {
        return Ok(WatchOutcome::Done(Box::new(earlier)));
    }
    // A save that has not ended does not see the new row, so it would not make its report due.
    lock_subject(conn, deck.into()).await?;
    if !may_read(conn, by.account(), deck).await? {
        return Ok(WatchOutcome::Missing);
    }
    let watches: Watches =
        sql("SELECT count(*) AS decks FROM deck_watches WHERE account_id = $account")
            .bind("account", by.account())
            .get_result(conn)
            .await?;
    if watches.decks >= MAX_WATCHED_DECKS {
        return Ok(WatchOutcome::TooMany);
    }
    // The update of an existing row locks it, so that it is not deleted together with the last of the other watches.
    sql("INSERT INTO watched_decks (deck_id, game_code, due_at) SELECT id, game_code, $at FROM decks WHERE id = $deck \
         ON CONFLICT (deck_id) DO UPDATE SET deck_id = EXCLUDED.deck_id")
        .bind("deck", deck)
        .bind("at", at)
        .execute(conn)
        .await?;
    // A status from an older version may be wrong: then the next report has the first known one, without a notification.
    sql("INSERT INTO deck_watches (account_id, deck_id, watched_at, told_legal, told_status) \
         SELECT $account, deck_id, $at, CASE WHEN judged_by >= $version THEN status = 'legal' END, CASE WHEN judged_by >= $version THEN status END \
         FROM watched_decks WHERE deck_id = $deck")
    .bind("account", by.account())
    .bind("deck", deck)
    .bind("at", at)
    .bind("version", JUDGING_VERSION)
    .execute(conn)
    .await?;
    let watched = find_of(conn, by.account(), deck).await?;
    Ok(watched.map_or(WatchOutcome::Missing, |watched| WatchOutcome::Done(Box::new(watched))))
}

/// Whether an account may read a deck.
async fn may_read(conn: &mut Connection, account: AccountId, deck: DeckId) -> StoreResult<bool> {
    let readable = readable("$account");
    let found = sql(format!(
        "SELECT FROM decks d JOIN accounts a ON a.id = d.account_id WHERE d.id = $deck AND {readable}"
    ))
    .bind("account", account)
    .bind("deck", deck)
    .execute(conn)
    .await?;
    Ok(found > 0)
}

/// Stops watching a deck, even one that the account may no longer read. Returns whether the account watched the deck,
/// or may read it.
pub async fn unwatch(
    conn: &mut Connection,
    by: &Acting<GiveDeckFeedback>,
    deck: DeckId,
) -> StoreResult<bool> {
    lock_own_account(conn, by).await?;
    sql("SELECT FROM watched_decks WHERE deck_id = $deck FOR NO KEY UPDATE")
        .bind("deck", deck)
        .execute(conn)
        .await?;
    let deleted = sql("DELETE FROM deck_watches WHERE account_id = $account AND deck_id = $deck")
        .bind("account", by.account())
        .bind("deck", deck)
        .execute(conn)
        .await?;
    if deleted == 0 {
        return may_read(conn, by.account(), deck).await;
    }
    sql("DELETE FROM watched_decks r WHERE r.deck_id = $deck AND NOT EXISTS (SELECT FROM deck_watches w WHERE w.deck_id = r.deck_id)")
        .bind("deck", deck)
        .execute(conn)
        .await?;
    Ok(true)
}

/// Whether the watcher was last notified of another status than this one, from `deck_watches w`. An older program writes only
/// `told_legal`, so both are compared.
fn unaware(status: &str) -> String {
    format!(
        "(w.told_legal IS DISTINCT FROM ({status} = 'legal') OR w.told_status IS DISTINCT FROM {status})"
    )
}

/// Whether the watcher gets an event about the status of `deck`, from `deck_watches w`. There is none if an illegal deck
/// is now only incomplete. If it is not known of which status the watcher was notified, `told_legal` alone decides.
const IS_NEWS: &str = "(w.told_legal IS DISTINCT FROM deck.is_legal \
     OR deck.status = 'illegal' AND w.told_legal = false AND w.told_status IS NOT DISTINCT FROM 'incomplete')";

/// Notifies up to `limit` watchers of a deck that became legal, or is not legal any more, because it is illegal or
/// incomplete, or was incomplete and is illegal now; the event has the status. Returns whether there was a deck whose
/// status some watchers did not know.
///
/// A report by an older version of the rules waits until it is made again: it may be wrong.
///
/// An account that may not read the deck now is not notified. If only its owner's save can have changed the status of
/// the deck, the owner is not notified either, nor is any account that has blocked the owner.
pub async fn notify(store: &Store, at: DateTime<Utc>, limit: i64) -> StoreResult<bool> {
    let (readable, unaware) = (readable("w.account_id"), unaware("deck.status"));
    // The report is locked first, so that no other process notifies about it; then the accounts, before their rows. Another process may have notified some
    // watchers after this statement began, and before it locked the report: the update checks the latest version of each row again.
    let statement = format!(
        "WITH deck AS MATERIALIZED (SELECT deck_id, status, status = 'legal' AS is_legal, saved_so FROM watched_decks WHERE untold AND judged_by >= $version ORDER BY deck_id LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED), \
         watchers AS MATERIALIZED (SELECT w.account_id FROM deck JOIN deck_watches w ON w.deck_id = deck.deck_id \
          WHERE {unaware} ORDER BY w.account_id LIMIT $limit), \
         held AS MATERIALIZED (SELECT id FROM accounts WHERE id IN (SELECT account_id FROM watchers) ORDER BY id FOR KEY SHARE), \
         before AS MATERIALIZED (SELECT w.account_id, {readable} AND {IS_NEWS} \
           AND NOT (deck.saved_so AND (w.account_id = d.account_id \
            OR EXISTS (SELECT FROM account_blocks b WHERE b.account_id = w.account_id AND b.blocked_id = d.account_id))) AS hears \
          FROM held JOIN deck ON true JOIN deck_watches w ON w.account_id = held.id AND w.deck_id = deck.deck_id JOIN decks d ON d.id = deck.deck_id \
          JOIN accounts a ON a.id = d.account_id), \
         noted AS (UPDATE deck_watches w SET told_legal = deck.is_legal, told_status = deck.status FROM deck, before WHERE w.account_id = before.account_id AND w.deck_id = deck.deck_id AND {unaware} \
          RETURNING w.account_id), \
         reported AS (INSERT INTO account_events (account_id, kind, deck_id, outcome, created_at) \
          SELECT noted.account_id, CASE WHEN deck.is_legal THEN 'deck.became_legal' ELSE 'deck.became_illegal' END, deck.deck_id, deck.status, $at \
          FROM noted JOIN deck ON true JOIN before ON before.account_id = noted.account_id WHERE before.hears) \
         SELECT deck.deck_id, (SELECT count(*) FROM watchers) < $limit AS is_last FROM deck"
    );
    // Begun and ended without a closure: a spawned task cannot hold a closure over a borrowed connection.
    let mut begun = store.begin().await?;
    let done = notify_some(begun.conn(), &statement, at, limit).await;
    begun.end(done).await
}

/// A deck whose watchers were notified.
#[derive(QueryableByName)]
struct ReportedDeck {
    #[diesel(sql_type = SqlUuid)]
    deck_id: DeckId,
    /// Whether all of them were notified.
    #[diesel(sql_type = Bool)]
    is_last: bool,
}

async fn notify_some(
    conn: &mut Connection,
    statement: &str,
    at: DateTime<Utc>,
    limit: i64,
) -> StoreResult<bool> {
    let reported: Option<ReportedDeck> = sql(statement.to_owned())
        .bind("at", at)
        .bind("limit", limit)
        .bind("version", JUDGING_VERSION)
        .get_result(conn)
        .await
        .optional()?;
    let Some(ReportedDeck { deck_id, is_last }) = reported else { return Ok(false) };
    if is_last {
        // Another report may have been stored in the meantime, about which watchers have to be notified, too.
        let unaware = unaware("r.status");
        sql(format!(
            "UPDATE watched_decks r SET untold = false WHERE deck_id = $deck \
             AND NOT EXISTS (SELECT FROM deck_watches w WHERE w.deck_id = r.deck_id AND {unaware})"
        ))
        .bind("deck", deck_id)
        .execute(conn)
        .await?;
    }
    Ok(true)
}
