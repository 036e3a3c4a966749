//! The event feed of an account: numbered without gaps, readable by its owner only.
//!
//! Triggers write events without a number, in the transaction of the change. A reader first numbers the committed
//! events, under the lock of the account's clock row. So a reader that has seen number n has seen everything up to n,
//! and writers do not wait for each other. Unlocks are written once, in the change feed; the events of accounts that
//! submitted the card are added when these accounts read.

use std::collections::HashMap;

use chrono::{DateTime, Duration, Utc};
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Bool, Nullable, Text, Timestamptz, Uuid as SqlUuid};
use diesel_async::RunQueryDsl;

use crate::auth::permission::{Granted, ReadOwnEvents};
use crate::domain::designs::identifier::DesignCode;
use crate::domain::ids::{
    AbuseReportId, AccountId, CardId, CommentId, CopyId, DeckId, DisputeId, SubmissionId,
    SuggestionId, TradeId,
};
use crate::store::catalogue::changes::{self, Extent};
use crate::store::db::pages::push_page;
use crate::store::db::statement::sql;
use crate::store::decks::TAKES_FEEDBACK;
use crate::store::designs::EVERYBODY_SEES;
use crate::store::operations::sweep_turn::{self, SweepTurn};
use crate::store::{Connection, PooledConnection, Store, StoreError, StoreResult};

/// How long events are kept.
pub const RETENTION: Duration = Duration::days(90);
/// An account that was not read for [`RETENTION`] minus this time gets a gap in its numbers, well before its events are
/// deleted, so that the clocks of instances may differ. A read is recorded at most once in this time.
const MARGIN: Duration = Duration::days(1);
/// Most events that are numbered by one statement.
const BATCH: i64 = 5_000;
// Lists of accounts are in sub-selects. Otherwise Postgres would estimate a plan for this particular list as cheaper
// than a generic plan, and plan the statement on each use.

/// Most unlocks that count as few compared with an account's submissions.
const FEW_UNLOCKS: i64 = 20;
/// Clocks of instances may differ by this much, so a card that was submitted shortly after its unlock may be reported
/// as unlocked, too.
const SKEW: &str = "interval '1 minute'";

/// An event of an account.
#[derive(Clone, Debug, QueryableByName)]
pub struct EventRow {
    /// Number of the event among those of the account, from 1, without gaps.
    #[diesel(sql_type = BigInt)]
    pub seq: i64,
    /// The kind of event, as `noun.verb`.
    #[diesel(sql_type = Text)]
    pub kind: String,
    #[diesel(sql_type = Nullable<SqlUuid>)]
    pub submission_id: Option<SubmissionId>,
    #[diesel(sql_type = Nullable<SqlUuid>)]
    pub copy_id: Option<CopyId>,
    #[diesel(sql_type = Nullable<SqlUuid>)]
    pub card_id: Option<CardId>,
    /// Code of the card's game.
    #[diesel(sql_type = Nullable<Text>)]
    pub game_code: Option<String>,
    /// Code of the card's set.
    #[diesel(sql_type = Nullable<Text>)]
    pub set_code: Option<String>,
    /// The card's number in the set.
    #[diesel(sql_type = Nullable<Text>)]
    pub number: Option<String>,
    #[diesel(sql_type = Nullable<SqlUuid>)]
    pub trade_id: Option<TradeId>,
    #[diesel(sql_type = Nullable<SqlUuid>)]
    pub dispute_id: Option<DisputeId>,
    /// Identifier of the design.
    #[diesel(sql_type = Nullable<Text>)]
    pub design: Option<DesignCode>,
    /// Whether the account can read the design now, as a player.
    #[diesel(sql_type = Bool)]
    pub design_is_readable: bool,
    #[diesel(sql_type = Nullable<SqlUuid>)]
    pub deck_id: Option<DeckId>,
    /// Whether the account can read the deck now.
    #[diesel(sql_type = Bool)]
    pub deck_is_readable: bool,
    /// The comment on the design or the deck.
    #[diesel(sql_type = Nullable<SqlUuid>)]
    pub comment_id: Option<CommentId>,
    /// The suggested change of the design.
    #[diesel(sql_type = Nullable<SqlUuid>)]
    pub suggestion_id: Option<SuggestionId>,
    /// Whether the account can read the comment or the suggested change now; no event is about both. A comment must be shown, and others must be able
    /// to read its design or deck, too.
    #[diesel(sql_type = Bool)]
    pub part_is_readable: bool,
    /// A report by the account.
    #[diesel(sql_type = Nullable<SqlUuid>)]
    pub report_id: Option<AbuseReportId>,
    /// How a dispute or a report was decided; the status of a watched deck, which an event of an older program does not have.
    #[diesel(sql_type = Nullable<Text>)]
    pub outcome: Option<String>,
    #[diesel(sql_type = Timestamptz)]
    pub created_at: DateTime<Utc>,
}

/// Numbers the account's events that have no number yet, unless the database takes no writes, and returns the range of
/// numbers.
pub async fn extent(
    store: &Store,
    by: &Granted<ReadOwnEvents>,
    now: DateTime<Utc>,
) -> StoreResult<Extent> {
    let account = by.account();
    let (numbered, mut conn) = number_all(store, &[account], now).await?;
    let Some(own) = numbered.into_iter().next() else {
        return Ok(Extent { oldest: 1, newest: 0 });
    };
    let oldest = match own.oldest {
        Oldest::Known(oldest) => oldest,
        Oldest::Unknown => find_oldest(&mut conn, account).await?,
    };
    Ok(Extent { oldest: oldest.unwrap_or(own.newest + 1), newest: own.newest })
}

async fn find_oldest(conn: &mut Connection, account: AccountId) -> StoreResult<Option<i64>> {
    #[derive(QueryableByName)]
    struct OldestRow {
        #[diesel(sql_type = Nullable<BigInt>)]
        oldest: Option<i64>,
    }
    let OldestRow { oldest } = sql(
        "SELECT min(seq) AS oldest FROM account_events WHERE account_id = $account AND seq IS NOT NULL",
    )
    .bind("account", account)
    .get_result(conn)
    .await?;
    Ok(oldest)
}

/// The numbers of an account's events.
struct Numbered {
    account: AccountId,
    /// The newest number; 0: there was no event yet.
    newest: i64,
    oldest: Oldest,
}

/// The oldest number that is still kept.
enum Oldest {
    /// It was read together with the newest one; `None`: no event is kept.
    Known(Option<i64>),
    /// Events were numbered or deleted since.
    Unknown,
}

#[expect(clippy::struct_excessive_bools, reason = "what has to be done, each by itself")]
#[derive(QueryableByName)]
struct ClockRow {
    #[diesel(sql_type = SqlUuid)]
    account_id: AccountId,
    /// The newest number.
    #[diesel(sql_type = BigInt)]
    last_seq: i64,
    /// The oldest number.
    #[diesel(sql_type = Nullable<BigInt>)]
    oldest: Option<i64>,
    /// Whether the account has no clock row yet.
    #[diesel(sql_type = Bool)]
    is_new: bool,
    /// Whether it was not read for a day.
    #[diesel(sql_type = Bool)]
    is_stale: bool,
    /// Number of cards that were unlocked since unlocks were added to its events, counted up to one more than
    /// [`FEW_UNLOCKS`].
    #[diesel(sql_type = BigInt)]
    missing_unlocks: i64,
    /// Whether it has events without a number.
    #[diesel(sql_type = Bool)]
    has_events: bool,
    /// Whether unlocks have no number in the change feed yet, so that `missing_unlocks` is incomplete.
    #[diesel(sql_type = Bool)]
    feed_is_behind: bool,
}

impl ClockRow {
    fn is_behind(&self) -> bool {
        self.is_new || self.is_stale || self.missing_unlocks > 0 || self.has_events
    }
}

/// Accounts whose events have to be numbered, and the steps that at least one of them needs before.
struct PendingSteps {
    /// Sorted, so that two readers that number events cannot deadlock.
    accounts: Vec<AccountId>,
    is_new: bool,
    is_stale: bool,
    /// The highest number of unlocks that an account does not know of, counted up to one more than [`FEW_UNLOCKS`].
    missing_unlocks: i64,
    has_events: bool,
}

impl PendingSteps {
    /// `None`: the events of all accounts have numbers.
    fn find(clocks: &[ClockRow]) -> Option<Self> {
        let pending = || clocks.iter().filter(|clock| clock.is_behind());
        let accounts: Vec<AccountId> = pending().map(|clock| clock.account_id).collect();
        (!accounts.is_empty()).then(|| Self {
            is_new: pending().any(|clock| clock.is_new),
            is_stale: pending().any(|clock| clock.is_stale),
            missing_unlocks: pending().map(|clock| clock.missing_unlocks).max().unwrap_or_default(),
            has_events: pending().any(|clock| clock.has_events),
            accounts,
        })
    }
}

/// Numbers all events of the accounts that were committed before the call, unless the database takes no writes, and
/// returns the newest number of each account. It returns only numbers; the caller must know that a reader with permission waits for the events.
pub async fn newest(
    store: &Store,
    accounts: &[AccountId],
    now: DateTime<Utc>,
) -> StoreResult<HashMap<AccountId, i64>> {
    let (numbered, _) = number_all(store, accounts, now).await?;
    Ok(numbered.into_iter().map(|one| (one.account, one.newest)).collect())
}

/// Implements [`newest`]; also returns the connection that it used.
async fn number_all(
    store: &Store,
    accounts: &[AccountId],
    now: DateTime<Utc>,
) -> StoreResult<(Vec<Numbered>, PooledConnection)> {
    let mut ids = accounts.to_vec();
    ids.sort_unstable();
    ids.dedup();
    let mut conn = store.connection().await?;
    let mut clocks = read_clocks(&mut conn, &ids, now).await?;
    // Of the change feed, only unlocks become events of accounts.
    if clocks.iter().any(|clock| clock.feed_is_behind) {
        drop(conn);
        conn = changes::catch_up_if_possible(store).await?;
        clocks = read_clocks(&mut conn, &ids, now).await?;
    }
    let mut numbered: Vec<Numbered> = clocks
        .iter()
        .map(|clock| Numbered {
            account: clock.account_id,
            newest: clock.last_seq,
            oldest: Oldest::Known(clock.oldest),
        })
        .collect();
    if let Some(pending) = PendingSteps::find(&clocks) {
        let newest = match number(&mut conn, &pending, now).await {
            // What has a number can still be read.
            Err(StoreError::NoWrites(_)) => HashMap::new(),
            newest => newest?,
        };
        for one in &mut numbered {
            if let Some(newest) = newest.get(&one.account) {
                (one.newest, one.oldest) = (*newest, Oldest::Unknown);
            }
        }
    }
    Ok((numbered, conn))
}

/// The clocks of accounts, in the order of their ids.
async fn read_clocks(
    conn: &mut Connection,
    accounts: &[AccountId],
    now: DateTime<Utc>,
) -> StoreResult<Vec<ClockRow>> {
    // Each clock row is looked up separately: a generic plan does not know how few accounts are given, and would read
    // all clock rows. In the descending order of their index, unlocks without a number come first.
    Ok(sql(format!(
        "WITH unlocked AS MATERIALIZED (SELECT seq FROM events WHERE kind = 'card.unlocked' ORDER BY seq DESC LIMIT 1) \
         SELECT a.id AS account_id, coalesce(clock.last_seq, 0) AS last_seq, clock.looked_at IS NULL AS is_new, \
                coalesce(clock.looked_at < $before, false) AS is_stale, \
                (SELECT count(*) FROM (SELECT FROM events u WHERE u.kind = 'card.unlocked' AND u.seq > coalesce(clock.unlocks_seq, 0) LIMIT {few}) unlocks) AS missing_unlocks, \
                EXISTS (SELECT FROM account_events e WHERE e.account_id = asked.id AND e.seq IS NULL LIMIT 1) AS has_events, \
                (SELECT min(e.seq) FROM account_events e WHERE e.account_id = asked.id AND e.seq IS NOT NULL) AS oldest, \
                coalesce((SELECT seq IS NULL FROM unlocked), false) AS feed_is_behind \
         FROM unnest((SELECT $accounts)::uuid[]) AS asked (id) JOIN accounts a ON a.id = asked.id \
         LEFT JOIN LATERAL (SELECT c.looked_at, c.unlocks_seq, c.last_seq FROM account_event_clocks c WHERE c.account_id = asked.id LIMIT 1) clock ON true \
         ORDER BY a.id",
        few = FEW_UNLOCKS + 1,
    ))
    .bind("accounts", accounts)
    .bind("before", now - MARGIN)
    .get_results(conn)
    .await?)
}

/// Numbers the events of accounts. Returns the newest number of each, unless nothing has changed.
///
/// Each step is one statement, which first locks the clock rows: so it continues from what the last reader left, and
/// needs no transaction around the steps. If a further step becomes necessary after the clocks were read, the next
/// reader does it.
async fn number(
    conn: &mut Connection,
    pending: &PendingSteps,
    now: DateTime<Utc>,
) -> StoreResult<HashMap<AccountId, i64>> {
    let accounts = pending.accounts.as_slice();
    if pending.is_new {
        sql("INSERT INTO account_event_clocks (account_id, last_seq, unlocks_seq, looked_at) \
             SELECT id, 0, 0, $now FROM unnest((SELECT $accounts)::uuid[]) WITH ORDINALITY AS asked (id, place) ORDER BY place \
             ON CONFLICT (account_id) DO NOTHING")
        .bind("accounts", accounts)
        .bind("now", now)
        .execute(conn)
        .await?;
    }
    if pending.is_stale {
        look_again(conn, accounts, now).await?;
    }
    let added = pending.missing_unlocks > 0
        && add_unlock_events(conn, accounts, pending.missing_unlocks <= FEW_UNLOCKS).await?;
    if !(pending.is_new || pending.is_stale || pending.has_events || added) {
        return Ok(HashMap::new());
    }
    loop {
        let rows = number_some(conn, accounts).await?;
        if rows.iter().all(|row| row.numbered < BATCH) {
            return Ok(rows.into_iter().map(|row| (row.account_id, row.last_seq)).collect());
        }
    }
}

#[derive(QueryableByName)]
struct NumberedRow {
    #[diesel(sql_type = SqlUuid)]
    account_id: AccountId,
    /// The newest number of the account.
    #[diesel(sql_type = BigInt)]
    last_seq: i64,
    /// How many events of all accounts got a number.
    #[diesel(sql_type = BigInt)]
    numbered: i64,
}

/// Locks the clock rows of `$accounts`, in the order that all readers use. A row that another reader has changed meanwhile
/// is returned as that one left it.
const LOCKED_CLOCKS: &str = "clock AS MATERIALIZED (SELECT account_id, last_seq, unlocks_seq, looked_at FROM account_event_clocks \
     WHERE account_id = ANY ((SELECT $accounts)::uuid[]) ORDER BY account_id FOR NO KEY UPDATE)";

/// Numbers the next events of accounts in the order of writing, which puts no effect before its cause although clocks of
/// instances differ. Only an unlock is placed by its time: it is added when the account reads, and belongs before what
/// happened between both. What has a number keeps it.
async fn number_some(
    conn: &mut Connection,
    accounts: &[AccountId],
) -> StoreResult<Vec<NumberedRow>> {
    // The clock rows are locked before events are. An event that is locked then is being deleted by a sweep. One that
    // another reader has numbered meanwhile is found to have a number when it is locked.
    //
    // The time of an event that is no unlock is the latest one of those up to it, so that these stay in their order.
    Ok(sql(format!(
        "WITH {LOCKED_CLOCKS}, held AS MATERIALIZED ( \
             SELECT id, account_id, kind, created_at FROM account_events WHERE account_id = ANY (ARRAY(SELECT account_id FROM clock)) AND seq IS NULL \
             ORDER BY account_id, id LIMIT {BATCH} FOR UPDATE SKIP LOCKED \
         ), timed AS ( \
             SELECT id, account_id, CASE kind WHEN 'card.unlocked' THEN created_at \
                    ELSE max(created_at) FILTER (WHERE kind <> 'card.unlocked') OVER (PARTITION BY account_id ORDER BY id) END AS place FROM held \
         ), placed AS ( \
             SELECT timed.id, clock.last_seq + row_number() OVER (PARTITION BY timed.account_id ORDER BY timed.place, timed.id) AS seq \
             FROM timed JOIN clock ON clock.account_id = timed.account_id \
         ), numbered AS ( \
             UPDATE account_events e SET seq = placed.seq FROM placed WHERE e.id = placed.id RETURNING e.account_id, e.seq \
         ), moved AS ( \
             UPDATE account_event_clocks c SET last_seq = last.seq \
             FROM (SELECT account_id, max(seq) AS seq FROM numbered GROUP BY account_id) last \
             WHERE c.account_id = last.account_id RETURNING c.account_id, c.last_seq \
         ) SELECT clock.account_id, coalesce(moved.last_seq, clock.last_seq) AS last_seq, (SELECT count(*) FROM numbered) AS numbered \
         FROM clock LEFT JOIN moved ON moved.account_id = clock.account_id",
    ))
    .bind("accounts", accounts)
    .get_results(conn)
    .await?)
}

/// Records that accounts were read. Events of an account that was not read for a long time may have been deleted
/// already: one number is skipped, so that no reader can continue from before the gap.
async fn look_again(
    conn: &mut Connection,
    accounts: &[AccountId],
    now: DateTime<Utc>,
) -> StoreResult<()> {
    sql(format!(
        "WITH {LOCKED_CLOCKS}, looked AS ( \
             UPDATE account_event_clocks c SET looked_at = $now, last_seq = c.last_seq + (clock.looked_at < $deleted_before)::int \
             FROM clock WHERE c.account_id = clock.account_id AND clock.looked_at < $before \
         ) DELETE FROM account_events e USING clock \
           WHERE e.account_id = clock.account_id AND clock.looked_at < $deleted_before AND e.seq IS NOT NULL",
    ))
    .bind("accounts", accounts)
    .bind("now", now)
    .bind("before", now - MARGIN)
    .bind("deleted_before", now - RETENTION + MARGIN)
    .execute(conn)
    .await?;
    Ok(())
}

/// Adds an event for each card that was unlocked since the accounts were last read, if the account had submitted a code
/// for the card. Returns whether there may be such events without a number now: those that it added, or those of another
/// reader for whom it waited. `few`: no account has missed more than [`FEW_UNLOCKS`].
async fn add_unlock_events(
    conn: &mut Connection,
    accounts: &[AccountId],
    few: bool,
) -> StoreResult<bool> {
    #[derive(QueryableByName)]
    struct AddedRow {
        #[diesel(sql_type = Bool)]
        added: bool,
    }
    // If there were few unlocks, start with the unlocked cards and find their submitters. After a long time, start with
    // the account's submissions, because the submissions of all other accounts are far more.
    let unlocked = if few {
        format!(
            "SELECT DISTINCT clock.account_id, mine.card_id, unlock.created_at, unlock.seq FROM clock CROSS JOIN newest \
             CROSS JOIN LATERAL (SELECT e.subject_id, e.created_at, e.seq FROM events e \
                                 WHERE e.kind = 'card.unlocked' AND e.seq > clock.unlocks_seq AND e.seq <= newest.seq OFFSET 0) unlock \
             CROSS JOIN LATERAL (SELECT s.card_id FROM submissions s \
                                 WHERE s.account_id = clock.account_id AND s.card_id = unlock.subject_id \
                                   AND s.created_at <= unlock.created_at + {SKEW} OFFSET 0) mine"
        )
    } else {
        format!(
            "SELECT DISTINCT clock.account_id, mine.card_id, unlock.created_at, unlock.seq FROM clock CROSS JOIN newest \
             CROSS JOIN LATERAL (SELECT s.card_id, s.created_at FROM submissions s \
                                 WHERE s.account_id = clock.account_id AND clock.unlocks_seq < newest.seq OFFSET 0) mine \
             CROSS JOIN LATERAL (SELECT e.created_at, e.seq FROM events e \
                                 WHERE e.kind = 'card.unlocked' AND e.subject_id = mine.card_id AND e.seq > clock.unlocks_seq AND e.seq <= newest.seq \
                                   AND mine.created_at <= e.created_at + {SKEW} LIMIT 1) unlock"
        )
    };
    let AddedRow { added } = sql(format!(
        "WITH {LOCKED_CLOCKS}, newest AS MATERIALIZED (SELECT max(seq) AS seq FROM events WHERE kind = 'card.unlocked'), added AS ( \
             INSERT INTO account_events (account_id, kind, card_id, created_at) \
             SELECT found.account_id, 'card.unlocked', found.card_id, found.created_at FROM ({unlocked}) found ORDER BY found.seq RETURNING 1 \
         ), moved AS ( \
             UPDATE account_event_clocks c SET unlocks_seq = newest.seq FROM clock, newest \
             WHERE c.account_id = clock.account_id AND clock.unlocks_seq < newest.seq \
         ) SELECT EXISTS (SELECT FROM added) OR EXISTS (SELECT FROM clock, newest WHERE clock.unlocks_seq >= newest.seq) AS added",
    ))
    .bind("accounts", accounts)
    .get_result(conn)
    .await?;
    Ok(added)
}

/// Numbered events of the caller's account after `seq`, the oldest first.
pub async fn list(
    conn: &mut Connection,
    by: &Granted<ReadOwnEvents>,
    after: i64,
    limit: i64,
) -> StoreResult<Vec<EventRow>> {
    // `OFFSET 0` makes Postgres look up the subjects of each event. Without it, Postgres may read all decks first.
    let statement = sql(format!(
        "SELECT e.seq, e.kind, e.submission_id, e.copy_id, e.card_id, k.game_code, k.set_code, k.number, \
                e.trade_id, e.dispute_id, design.code AS design, e.deck_id, e.comment_id, e.suggestion_id, e.report_id, e.outcome, e.created_at, \
                coalesce(design.is_own OR design.is_shown, false) AS design_is_readable, \
                coalesce(deck.is_own OR deck.takes_feedback, false) AS deck_is_readable, \
                coalesce(coalesce(deck.takes_feedback, design.takes_feedback) AND comment.is_shown \
                         OR suggestion.is_own AND design.stands OR design.is_own AND suggestion.is_shown, false) AS part_is_readable \
         FROM account_events e LEFT JOIN cards k ON k.id = e.card_id \
         LEFT JOIN LATERAL (SELECT d.code, d.account_id = $account AS is_own, {EVERYBODY_SEES} AS takes_feedback, d.taken_down_at IS NULL AND a.banned_at IS NULL AS stands, \
                                   d.public_revision IS NOT NULL AND d.taken_down_at IS NULL AND a.banned_at IS NULL AS is_shown \
                            FROM designs d JOIN accounts a ON a.id = d.account_id WHERE d.id = e.design_id OFFSET 0) design ON true \
         LEFT JOIN LATERAL (SELECT d.account_id = $account AND d.deleted_at IS NULL AS is_own, {TAKES_FEEDBACK} AS takes_feedback \
                            FROM decks d JOIN accounts a ON a.id = d.account_id WHERE d.id = e.deck_id OFFSET 0) deck ON true \
         LEFT JOIN LATERAL (SELECT c.listed OR c.stands AS is_shown FROM design_comments c WHERE c.id = e.comment_id OFFSET 0) comment ON true \
         LEFT JOIN LATERAL (SELECT s.account_id = $account AS is_own, w.banned_at IS NULL AND s.hidden_at IS NULL AS is_shown \
                            FROM suggested_changes s JOIN accounts w ON w.id = s.account_id WHERE s.id = e.suggestion_id OFFSET 0) suggestion ON true \
         WHERE e.account_id = $account AND e.seq > $after",
    ))
    .bind("account", by.account())
    .bind("after", after);
    Ok(push_page(statement, "seq", limit).get_results(conn).await?)
}

/// Reads the next `$limit` events before `$before` after the position (`$last_at`, `$last_id`), and deletes expired
/// ones. An unlock event that was added late has an older time than events with lower numbers: it stays until these are
/// deleted, so that the stored numbers have no gaps.
pub(in crate::store) const SWEEP: &str = "WITH page AS MATERIALIZED ( \
         SELECT id, account_id, created_at FROM account_events \
         WHERE created_at < $before AND (created_at, id) > ($last_at, $last_id) ORDER BY created_at, id LIMIT $limit \
     ), kept AS MATERIALIZED ( \
         SELECT old.account_id, (SELECT min(stays.seq) FROM account_events stays \
                                 WHERE stays.account_id = old.account_id AND stays.created_at >= $before) AS first_seq \
         FROM (SELECT DISTINCT account_id FROM page) old \
     ), gone AS ( \
         DELETE FROM account_events WHERE id = ANY (ARRAY( \
             SELECT e.id FROM account_events e JOIN kept USING (account_id) \
             WHERE e.id = ANY (ARRAY(SELECT id FROM page)) \
               AND (e.seq IS NULL OR kept.first_seq IS NULL OR e.seq < kept.first_seq) FOR UPDATE OF e SKIP LOCKED)) RETURNING 1 \
     ), ends AS (SELECT created_at, id FROM page ORDER BY created_at DESC, id DESC LIMIT 1) \
     SELECT (SELECT count(*) FROM gone) AS deleted, (SELECT count(*) FROM page) AS seen, \
            coalesce((SELECT created_at FROM ends), $last_at) AS last_at, coalesce((SELECT id FROM ends), $last_id) AS last_id";

#[derive(QueryableByName)]
struct SweptPage {
    #[diesel(sql_type = BigInt)]
    deleted: i64,
    #[diesel(sql_type = BigInt)]
    seen: i64,
    #[diesel(sql_type = Timestamptz)]
    last_at: DateTime<Utc>,
    #[diesel(sql_type = BigInt)]
    last_id: i64,
}

/// Deletes events after their retention, numbered or not; returns how many.
pub(in crate::store) async fn sweep(store: &Store, now: DateTime<Utc>) -> StoreResult<usize> {
    let mut turn = SweepTurn::new("account_events", sweep_turn::BATCH);
    let mut after = (DateTime::UNIX_EPOCH, 0);
    loop {
        let page = sweep_page(store, now - RETENTION, after, turn.limit).await;
        let page = page.map(|page| {
            after = (page.last_at, page.last_id);
            (page.deleted, page.seen)
        });
        if !turn.record_batch(page)? {
            return Ok(turn.end());
        }
    }
}

async fn sweep_page(
    store: &Store,
    before: DateTime<Utc>,
    (last_at, last_id): (DateTime<Utc>, i64),
    limit: i64,
) -> StoreResult<SweptPage> {
    let mut conn = store.connection().await?;
    Ok(sql(SWEEP)
        .bind("before", before)
        .bind("last_at", last_at)
        .bind("last_id", last_id)
        .bind("limit", limit)
        .get_result(&mut *conn)
        .await?)
}
