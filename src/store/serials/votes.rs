//! Counts votes for hidden cards: the submissions that may count (the view `valid_votes`), under the applicable policy.
//!
//! A card is counted while its row of `unlocks` is locked, in statements that begin after the lock was taken: they see
//! everything that the previous holder of the lock committed. To avoid deadlocks, transactions lock copies and accounts
//! before these rows, several of these rows by game, set and id, and credentials after them.
//!
//! Counting needs `FOR NO KEY UPDATE`. An import that changes a hidden card holds `FOR KEY SHARE` and then locks its content:
//! the card is counted meanwhile, and is not unlocked once the import has locked its content. Only transactions that unlock
//! several cards, or by a policy, a day or an admin, take `FOR UPDATE`: they wait before they write any content.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use chrono::{DateTime, Utc};
use diesel::prelude::*;
use diesel::sql_types::{
    Array, BigInt, Binary, Bool, Int4, Nullable, Text, Timestamptz, Uuid as SqlUuid,
};
use diesel_async::RunQueryDsl;

use super::unlock_policies::{
    EffectivePolicy, LONG_TIMEOUTS, UnlockReason, find_effective, unlock,
};
use crate::domain::ids::{AccountId, CardId, SubmissionId};
use crate::domain::serials::unlock_policy::{Tally, UnlockPolicy, Vote};
use crate::store::db::statement::{run_commands, sql};
use crate::store::{Connection, StoreResult};

/// Most cards whose votes are read in one statement.
const CARDS_PER_STATEMENT: usize = 200;

#[derive(QueryableByName)]
struct VoteRow {
    #[diesel(sql_type = SqlUuid)]
    card_id: CardId,
    #[diesel(sql_type = SqlUuid)]
    submission_id: SubmissionId,
    #[diesel(sql_type = SqlUuid)]
    account_id: AccountId,
    #[diesel(sql_type = Timestamptz)]
    account_since: DateTime<Utc>,
    #[diesel(sql_type = Text)]
    rarity: String,
    #[diesel(sql_type = Nullable<Binary>)]
    network: Option<Vec<u8>>,
    #[diesel(sql_type = Array<Binary>)]
    wider: Vec<Vec<u8>>,
    #[diesel(sql_type = Nullable<Bool>)]
    confirmed: Option<bool>,
    #[diesel(sql_type = BigInt)]
    printed: i64,
}

/// Counts the votes for hidden cards under one policy and stores the counts and the counted submissions; returns the
/// cards that reached the threshold. The caller must have locked the cards' rows of `unlocks`.
pub(in crate::store) async fn tally_cards(
    conn: &mut Connection,
    policy: &UnlockPolicy,
    cards: &[CardId],
    at: DateTime<Utc>,
) -> StoreResult<Vec<CardId>> {
    let mut enough = Vec::new();
    for cards in cards.chunks(CARDS_PER_STATEMENT) {
        let mut votes = load_votes(conn, cards).await?;
        let (mut counts, mut counted) = (Vec::new(), Vec::new());
        for card in cards {
            let (votes, printed) = votes.remove(card).unwrap_or_default();
            let tally: Tally = policy.tally(&votes, printed, at);
            counts.push(tally.accounts);
            counted.extend(tally.counted);
            if tally.unlocks {
                enough.push(*card);
            }
        }
        store_counts(conn, cards, &counts, &counted).await?;
    }
    Ok(enough)
}

/// The votes for each card in the order in which they were made, and the number of rarities in which copies of the card
/// exist: a small run has none of the rarest, and a rarity may have been added after the runs.
async fn load_votes(
    conn: &mut Connection,
    cards: &[CardId],
) -> StoreResult<BTreeMap<CardId, (Vec<Vote>, usize)>> {
    // The votes of each card are looked up separately: a generic plan for all of them would read all accounts.
    let rows: Vec<VoteRow> = sql(
        "SELECT vote.*, asked.printed FROM ( \
             SELECT card.id, ( \
                 SELECT count(DISTINCT p.rarity) FROM printings p \
                 JOIN print_run_lines l ON l.printing_id = p.id AND l.copy_count > 0 \
                 JOIN print_runs r ON r.id = l.print_run_id AND r.status = 'active' WHERE p.card_id = card.id) AS printed \
             FROM unnest((SELECT $ids)::uuid[]) AS card (id) OFFSET 0) asked \
         CROSS JOIN LATERAL ( \
             SELECT v.card_id, v.submission_id, v.account_id, v.account_since, p.rarity, n.network_mac AS network, \
                    coalesce(n.wider_macs, '{}') AS wider, v.confirmed, v.created_at \
             FROM valid_votes v \
             JOIN printings p ON p.id = v.printing_id \
             LEFT JOIN submission_networks n ON n.submission_id = v.submission_id \
             WHERE v.card_id = asked.id OFFSET 0) vote \
         ORDER BY vote.created_at, vote.submission_id",
    )
    .bind("ids", cards)
    .load(conn)
    .await?;
    let mut votes: BTreeMap<CardId, (Vec<Vote>, usize)> = BTreeMap::new();
    for row in rows {
        let (votes, printed) = votes.entry(row.card_id).or_default();
        *printed = usize::try_from(row.printed).unwrap_or_default();
        votes.push(Vote {
            submission: row.submission_id,
            account: row.account_id,
            account_since: row.account_since,
            rarity: row.rarity,
            networks: row.network.into_iter().chain(row.wider).collect(),
            confirmed: row.confirmed,
        });
    }
    Ok(votes)
}

async fn store_counts(
    conn: &mut Connection,
    cards: &[CardId],
    counts: &[i32],
    counted: &[SubmissionId],
) -> StoreResult<()> {
    // The rows are found by an array of their keys: for a join, Postgres would read the submissions counted for all cards.
    sql(
        "WITH taken_back AS ( \
             DELETE FROM counted_submissions WHERE submission_id = ANY (ARRAY( \
                 SELECT s.id FROM submissions s WHERE s.card_id = ANY ((SELECT $cards)::uuid[]) \
                 AND NOT EXISTS (SELECT FROM unnest((SELECT $counted)) AS kept (id) WHERE kept.id = s.id))) \
         ), given AS ( \
             INSERT INTO counted_submissions (submission_id) SELECT unnest((SELECT $counted)) ON CONFLICT DO NOTHING \
         ) UPDATE unlocks u SET submissions = new.accounts FROM unnest((SELECT $cards), (SELECT $counts)) AS new (card_id, accounts) \
           WHERE u.card_id = new.card_id AND u.submissions <> new.accounts",
    )
    .bind("cards", cards)
    .bind("counts", counts)
    .bind("counted", counted)
    .execute(conn)
    .await?;
    Ok(())
}

/// A hidden card whose row of `unlocks` is locked.
#[derive(QueryableByName)]
struct LockedCard {
    #[diesel(sql_type = SqlUuid)]
    card_id: CardId,
    #[diesel(sql_type = Text)]
    game_code: String,
    #[diesel(sql_type = Text)]
    set_code: String,
    #[diesel(sql_type = Bool)]
    by_policy: bool,
    /// How many submissions are missing to the threshold.
    #[diesel(sql_type = Int4)]
    needed: i32,
}

/// Locks those cards that are hidden until the transaction ends, in the order that all transactions use, so that they
/// can be counted.
async fn lock(conn: &mut Connection, cards: &[CardId]) -> StoreResult<Vec<LockedCard>> {
    Ok(sql(
        "SELECT u.card_id, k.game_code, k.set_code, u.by_policy, u.threshold - u.submissions AS needed \
         FROM unlocks u JOIN cards k ON k.id = u.card_id \
         WHERE u.card_id = ANY ((SELECT $cards)::uuid[]) AND u.unlocked_at IS NULL \
         ORDER BY k.game_code, k.set_code, u.card_id FOR NO KEY UPDATE OF u",
    )
    .bind("cards", cards)
    .load(conn)
    .await?)
}

/// Locks those cards that are hidden, for a caller that counts submissions of one account for them. Cards that these
/// submissions may unlock are locked for that before any of them is unlocked.
pub(super) async fn lock_cards(conn: &mut Connection, cards: &[CardId]) -> StoreResult<()> {
    // Under a policy the next count may be higher than the stored one by more than this account: other accounts have
    // become old enough, or an older version of the program has counted by another rule. Without a policy, an account
    // counts once for a card.
    let may_be_unlocked = |locked: &LockedCard| locked.by_policy || locked.needed <= 1;
    let locked = lock(conn, cards).await?;
    let last: Vec<CardId> =
        locked.into_iter().filter(may_be_unlocked).map(|locked| locked.card_id).collect();
    if last.is_empty() {
        return Ok(());
    }
    sql("SELECT u.card_id FROM unlocks u JOIN cards k ON k.id = u.card_id WHERE u.card_id = ANY ($cards) \
         ORDER BY k.game_code, k.set_code, u.card_id FOR UPDATE OF u")
    .bind("cards", last)
    .execute(conn)
    .await?;
    Ok(())
}

/// Locks those cards that are hidden, without waiting. Returns for each hidden card how many submissions it may take
/// now: as many as it still needs, one if a policy applies, none if another transaction has locked it. While an import
/// changes the card, it may take one less than it needs, so that it is not unlocked, and none if a policy applies.
pub(super) async fn try_lock_cards(
    mut conn: &Connection,
    cards: &[CardId],
) -> StoreResult<HashMap<CardId, usize>> {
    #[derive(QueryableByName)]
    struct NeedRow {
        #[diesel(sql_type = SqlUuid)]
        card_id: CardId,
        #[diesel(sql_type = Nullable<Int4>)]
        needed: Option<i32>,
        #[diesel(sql_type = Nullable<Bool>)]
        by_policy: Option<bool>,
        /// How many submissions it may take without being unlocked.
        #[diesel(sql_type = Nullable<Int4>)]
        before_last: Option<i32>,
    }
    let rows: Vec<NeedRow> = sql(
        "WITH held AS MATERIALIZED ( \
             SELECT card_id, threshold - submissions AS needed, by_policy FROM unlocks \
             WHERE card_id = ANY ((SELECT $cards)::uuid[]) AND unlocked_at IS NULL FOR UPDATE SKIP LOCKED \
         ), countable AS MATERIALIZED ( \
             SELECT card_id, threshold - submissions - 1 AS before_last FROM unlocks \
             WHERE card_id = ANY ((SELECT $cards)::uuid[]) AND unlocked_at IS NULL AND NOT by_policy \
               AND card_id NOT IN (SELECT card_id FROM held) FOR NO KEY UPDATE SKIP LOCKED \
         ) SELECT u.card_id, held.needed, held.by_policy, countable.before_last FROM unlocks u \
           LEFT JOIN held ON held.card_id = u.card_id LEFT JOIN countable ON countable.card_id = u.card_id \
           WHERE u.card_id = ANY ((SELECT $cards)::uuid[]) AND u.unlocked_at IS NULL",
    )
    .bind("cards", cards)
    .load(&mut conn)
    .await?;
    let needed = |row: NeedRow| match (row.needed, row.by_policy) {
        (None, _) => {
            let before_last = row.before_last.unwrap_or_default();
            (row.card_id, usize::try_from(before_last).unwrap_or_default())
        }
        // A policy counts all stored submissions: with several at once, it would also count those beyond the threshold.
        (_, Some(true)) => (row.card_id, 1),
        // After a policy was deleted, a card may have reached its threshold already: the next submission unlocks it.
        (Some(needed), _) => (row.card_id, usize::try_from(needed).unwrap_or_default().max(1)),
    };
    Ok(rows.into_iter().map(needed).collect())
}

/// Counts locked cards, which must be sorted by game and set, and unlocks those that reached the threshold; returns how
/// many.
async fn count_locked(
    conn: &mut Connection,
    locked: &[LockedCard],
    at: DateTime<Utc>,
) -> StoreResult<usize> {
    let mut enough = Vec::new();
    for of_set in locked.chunk_by(|a, b| (&a.game_code, &a.set_code) == (&b.game_code, &b.set_code))
    {
        let cards: Vec<CardId> = of_set.iter().map(|card| card.card_id).collect();
        let Some(LockedCard { game_code, set_code, .. }) = of_set.first() else { continue };
        if let Some(EffectivePolicy { policy, .. }) =
            find_effective(conn, game_code, set_code).await?
        {
            enough.extend(tally_cards(conn, &policy, &cards, at).await?);
        }
    }
    unlock(conn, &enough, UnlockReason::Threshold, at).await
}

/// Recounts a card if it is hidden; returns whether this unlocked it.
pub(super) async fn count_card(
    conn: &mut Connection,
    card: CardId,
    at: DateTime<Utc>,
) -> StoreResult<bool> {
    let locked = lock(conn, &[card]).await?;
    Ok(count_locked(conn, &locked, at).await? == 1)
}

/// Recounts a card after an account submitted another copy of it, if that may change the count; returns whether this
/// unlocked it.
///
/// Without a policy an account counts once, so another copy matters only if the account's vote was withdrawn.
pub(super) async fn count_another(
    conn: &mut Connection,
    card: CardId,
    account: AccountId,
    at: DateTime<Utc>,
) -> StoreResult<bool> {
    let locked = lock(conn, &[card]).await?;
    if locked.iter().all(|card| !card.by_policy) && is_counted(conn, card, account).await? {
        return Ok(false);
    }
    Ok(count_locked(conn, &locked, at).await? == 1)
}

async fn is_counted(conn: &mut Connection, card: CardId, account: AccountId) -> StoreResult<bool> {
    #[derive(QueryableByName)]
    struct Counted {
        #[diesel(sql_type = Bool)]
        counted: bool,
    }
    let Counted { counted } = sql(
        "SELECT EXISTS (SELECT FROM submissions s JOIN counted_submissions c ON c.submission_id = s.id \
                        WHERE s.card_id = $card AND s.account_id = $account) AS counted",
    )
    .bind("card", card)
    .bind("account", account)
    .get_result(conn)
    .await?;
    Ok(counted)
}

#[derive(QueryableByName)]
struct CardRow {
    #[diesel(sql_type = SqlUuid)]
    card_id: CardId,
}

/// Recounts the card of a voided copy, if the copy was submitted and the card is hidden; returns whether this unlocked
/// it. The caller must have locked the copy.
pub(in crate::store) async fn count_copy(
    conn: &mut Connection,
    code_prefix: &str,
    code_mac: &[u8],
    at: DateTime<Utc>,
) -> StoreResult<bool> {
    let submitted: Option<CardRow> = sql(
        "SELECT card_id FROM submissions WHERE code_prefix = $code_prefix AND code_mac = $code_mac",
    )
    .bind("code_prefix", code_prefix)
    .bind("code_mac", code_mac)
    .get_result(conn)
    .await
    .optional()?;
    match submitted {
        Some(CardRow { card_id }) => count_card(conn, card_id, at).await,
        None => Ok(false),
    }
}

/// Recounts all hidden cards that an account has submitted, after it was banned or unbanned; returns how many this
/// unlocked. Also locks the hidden cards that it designed, which the caller changes afterwards: all of them are locked
/// in one order.
///
/// The caller must have locked the account's row, which submissions lock, too: all submissions made before are seen
/// here.
pub(in crate::store) async fn count_account(
    conn: &mut Connection,
    account: AccountId,
    at: DateTime<Utc>,
) -> StoreResult<usize> {
    #[derive(QueryableByName)]
    struct OwnCard {
        #[diesel(sql_type = SqlUuid)]
        card_id: CardId,
        #[diesel(sql_type = Bool)]
        submitted: bool,
    }
    run_commands(conn, LONG_TIMEOUTS).await?;
    let own: Vec<OwnCard> = sql(
        "SELECT own.card_id, bool_or(own.submitted) AS submitted FROM ( \
             SELECT s.card_id, true AS submitted FROM submissions s WHERE s.account_id = $account UNION ALL \
             SELECT r.card_id, false FROM design_releases r JOIN designs d ON d.id = r.design_id WHERE d.account_id = $account \
         ) own JOIN unlocks u ON u.card_id = own.card_id AND u.unlocked_at IS NULL GROUP BY own.card_id",
    )
    .bind("account", account)
    .load(conn)
    .await?;
    let cards: Vec<CardId> = own.iter().map(|card| card.card_id).collect();
    let mut locked = lock(conn, &cards).await?;
    let submitted: BTreeSet<CardId> =
        own.into_iter().filter(|card| card.submitted).map(|card| card.card_id).collect();
    locked.retain(|card| submitted.contains(&card.card_id));
    count_locked(conn, &locked, at).await
}
