//! Registers copies: a submission whose code matches a copy without owner makes its account the owner, and may count
//! for the unlock of the card.

use std::collections::BTreeMap;

use diesel::prelude::*;
use diesel::sql_types::Bool;
use diesel_async::RunQueryDsl;
use futures_util::future::try_join_all;
use uuid::Uuid;

use super::submissions::{self, NewSubmission, SubmissionRow, Submitted};
use super::votes;
use crate::auth::permission::{Acting, SubmitSerials};
use crate::domain::ids::{AccountId, CardId, LedgerId, SubmissionId};
use crate::store::card_content::submission::MatchedCopy;
use crate::store::copies::ledger;
use crate::store::db::schema::accounts;
use crate::store::db::statement::sql;
use crate::store::{Connection, StoreError, StoreResult};

/// A copy to register, which had no owner when it was looked up.
#[derive(Clone, Copy)]
pub(in crate::store) struct Claim<'a> {
    /// Who claims it.
    pub by: &'a Acting<SubmitSerials>,
    /// The submission that claims it.
    pub new: &'a NewSubmission,
    /// The matching copy.
    pub copy: &'a MatchedCopy,
}

/// Registers the copies that still have no owner, and reports codes without a match and copies that the account owns
/// already; `None` for all others.
pub(super) async fn register_all(
    conn: &mut Connection,
    by: &Acting<SubmitSerials>,
    batch: &[NewSubmission],
    copies: Vec<Option<MatchedCopy>>,
) -> StoreResult<Vec<Option<Submitted>>> {
    let mut decided = register_unowned(conn, by, batch, &copies).await?;
    // Read afterwards, in one round trip: the registrations may have changed the progress of a card, and which
    // submission counts.
    let shared: &Connection = conn;
    let answers = copies.iter().zip(&decided).map(|(copy, decided)| async move {
        match (copy, decided) {
            (Some(copy), None) => submissions::answer_already_yours(shared, by, copy).await,
            _ => Ok(None),
        }
    });
    let answers = try_join_all(answers).await?;
    for (decided, answer) in decided.iter_mut().zip(answers) {
        *decided = decided.take().or(answer);
    }
    Ok(decided)
}

/// Registers the copies that still have no owner, and reports codes without a match; `None` for all others.
///
/// All rows are locked first, in the order that all transactions use: copies by their keys, the account, cards by game,
/// set and id. So there are no deadlocks whatever the order of a batch, and the cards are locked only as long as
/// counting takes. The statement that follows waits for no lock.
async fn register_unowned(
    conn: &mut Connection,
    by: &Acting<SubmitSerials>,
    batch: &[NewSubmission],
    copies: &[Option<MatchedCopy>],
) -> StoreResult<Vec<Option<Submitted>>> {
    let mut decided: Vec<Option<Submitted>> =
        copies.iter().map(|copy| copy.is_none().then_some(Submitted::Rejected)).collect();
    let mut free: BTreeMap<(String, Vec<u8>), (usize, &MatchedCopy)> = BTreeMap::new();
    for (place, (new, copy)) in batch.iter().zip(copies).enumerate() {
        if let Some(copy) = copy
            && copy.owner_id.is_none()
        {
            // The same code occurs twice: the second submission is decided when the first is registered.
            let key = (new.claim.prefix.to_string(), copy.code_mac.clone());
            free.entry(key).or_insert((place, copy));
        }
    }
    if free.is_empty() {
        return Ok(decided);
    }
    let cards: Vec<CardId> = free.values().map(|(_, copy)| copy.card_id).collect();
    ledger::lock_unowned(conn, free.keys()).await?;
    lock_account(conn, by).await?;
    votes::lock_cards(conn, &cards).await?;
    let mut places: Vec<(usize, &MatchedCopy)> = free.into_values().collect();
    // In the order of the batch, so that the first copy of a card counts.
    places.sort_unstable_by_key(|(place, _)| *place);
    let claims: Vec<Claim<'_>> =
        places.iter().map(|(place, copy)| Claim { by, new: &batch[*place], copy }).collect();
    for ((place, _), registered) in places.iter().zip(register_locked(conn, &claims).await?) {
        decided[*place] = registered;
    }
    Ok(decided)
}

/// Registers copies that are locked, with their accounts and hidden cards, and counts them; `None` for copies that were
/// registered in the meantime.
///
/// For each card there must be no more submissions than it still needs.
pub(super) async fn register_locked(
    conn: &mut Connection,
    claims: &[Claim<'_>],
) -> StoreResult<Vec<Option<Submitted>>> {
    let mut registered: BTreeMap<SubmissionId, Registration> = register(conn, claims)
        .await?
        .into_iter()
        .map(|registration| (registration.submission.id, registration))
        .collect();
    let mut decided = Vec::with_capacity(claims.len());
    for claim in claims {
        decided.push(match registered.remove(&claim.new.id) {
            Some(registration) => Some(count_registration(conn, *claim, registration).await?),
            None => None,
        });
    }
    Ok(decided)
}

/// Registers one copy, and counts it; `None`: another submission registered it in the meantime.
pub(super) async fn register_one(
    conn: &mut Connection,
    claim: Claim<'_>,
) -> StoreResult<Option<Submitted>> {
    match register(conn, &[claim]).await?.pop() {
        Some(registration) => count_registration(conn, claim, registration).await.map(Some),
        None => Ok(None),
    }
}

#[derive(QueryableByName)]
struct Registration {
    /// Whether this is the account's first submission for the card.
    #[diesel(sql_type = Bool)]
    first: bool,
    #[diesel(sql_type = Bool)]
    unlocked: bool,
    /// Whether it was counted, or need not be counted: the account is banned, or the card was open when the statement
    /// began, and so stays open.
    #[diesel(sql_type = Bool)]
    settled: bool,
    /// The submission; complete only if `settled`, because then no policy holds it back.
    #[diesel(embed)]
    submission: SubmissionRow,
}

/// One statement that registers copies, counts the submissions, updates the progress of the cards, unlocks cards at the
/// threshold, writes their events, and reads the results. A copy that was registered in the meantime has no result.
///
/// The count is stored in the card's row of `unlocks`. Its lock makes submissions of one card wait for each other, and
/// each sees the count that the previous one has stored; counting rows of `submissions` instead would read an old
/// snapshot. Data-modifying CTEs are joined, never put into a sub-select: when Postgres re-checks a row after waiting,
/// it cannot run them again. If an account submits several copies of one card, the submission with the lowest id
/// counts; if several submissions together unlock a card, the last one is reported as the unlocking one.
///
/// The account's row is locked, banned or not, before the card's row and before the index entry of counted submissions:
/// bans and submissions of an account wait for each other, and the vote of a banned account is not counted. A caller
/// that registers more than one copy must have locked all copies, accounts and cards before.
async fn register(conn: &mut Connection, claims: &[Claim<'_>]) -> StoreResult<Vec<Registration>> {
    if claims.is_empty() {
        return Ok(Vec::new());
    }
    let accounts: Vec<AccountId> = claims.iter().map(|claim| claim.by.account()).collect();
    let moments: Vec<_> = claims.iter().map(|claim| claim.new.at).collect();
    let prefixes: Vec<_> = claims.iter().map(|claim| claim.new.claim.prefix.to_string()).collect();
    let macs: Vec<&[u8]> = claims.iter().map(|claim| claim.copy.code_mac.as_slice()).collect();
    let cards: Vec<CardId> = claims.iter().map(|claim| claim.copy.card_id).collect();
    let submissions: Vec<SubmissionId> = claims.iter().map(|claim| claim.new.id).collect();
    let entries: Vec<LedgerId> = claims.iter().map(|_| LedgerId::generate()).collect();
    let events: Vec<Uuid> = claims.iter().map(|_| Uuid::now_v7()).collect();
    let networks: Vec<&[u8]> = claims.iter().map(|claim| &claim.new.network_mac[..]).collect();
    // Concatenated, because the rows of a Postgres array must have equal lengths, and networks have different numbers
    // of wider ones.
    let wider: Vec<Vec<u8>> = claims.iter().map(|claim| claim.new.wider_macs.concat()).collect();
    let registered = sql(
        "WITH wanted AS MATERIALIZED ( \
             SELECT * FROM unnest((SELECT $accounts), (SELECT $moments), (SELECT $prefixes), (SELECT $macs), (SELECT $cards), (SELECT $submissions), (SELECT $entries), (SELECT $events), (SELECT $networks), (SELECT $wider)) \
                 AS w (account_id, at, code_prefix, code_mac, card_id, submission_id, entry_id, event_id, network_mac, wider_macs) \
         ), claimed AS ( \
             UPDATE copies c SET owner_id = w.account_id, registered_at = w.at, id = gen_random_uuid() FROM wanted w \
             WHERE c.code_prefix = w.code_prefix AND c.code_mac = w.code_mac \
               AND c.owner_id IS NULL AND c.voided_at IS NULL AND c.frozen_at IS NULL \
             RETURNING w.*, c.id AS copy_id, c.printing_id \
         ), ledger AS ( \
             INSERT INTO copy_ledger (id, code_prefix, code_mac, entry, account_id, created_at, position, owner_id) \
             SELECT entry_id, code_prefix, code_mac, 'register', account_id, at, 1, account_id FROM claimed \
         ), voter AS ( \
             SELECT id AS account_id, banned_at IS NULL AS counts FROM accounts WHERE id = ANY ((SELECT $accounts)::uuid[]) FOR SHARE \
         ), counted AS ( \
             INSERT INTO submissions (id, account_id, card_id, code_prefix, code_mac, counted, created_at) \
             SELECT c.submission_id, c.account_id, u.card_id, c.code_prefix, c.code_mac, true, c.at \
             FROM claimed c JOIN voter ON voter.account_id = c.account_id JOIN unlocks u ON u.card_id = c.card_id ORDER BY c.submission_id \
             ON CONFLICT (account_id, card_id) WHERE counted DO NOTHING \
             RETURNING id, account_id, card_id, created_at \
         ), uncounted AS ( \
             INSERT INTO submissions (id, account_id, card_id, code_prefix, code_mac, counted, created_at) \
             SELECT c.submission_id, c.account_id, c.card_id, c.code_prefix, c.code_mac, false, c.at \
             FROM claimed c LEFT JOIN counted ON counted.id = c.submission_id WHERE counted.id IS NULL \
         ), network AS ( \
             INSERT INTO submission_networks (submission_id, network_mac, wider_macs) \
             SELECT c.submission_id, c.network_mac, ARRAY ( \
                 SELECT substr(c.wider_macs, 16 * place - 15, 16) FROM generate_series(1, length(c.wider_macs) / 16) AS place ORDER BY place) \
             FROM claimed c JOIN unlocks u ON u.card_id = c.card_id AND u.unlocked_at IS NULL \
         ), ballot AS ( \
             SELECT counted.id, counted.card_id, counted.created_at FROM counted \
             JOIN voter ON voter.account_id = counted.account_id WHERE voter.counts \
         ), tally AS ( \
             SELECT card_id, count(*)::integer AS votes, max(created_at) AS at, (array_agg(id ORDER BY id DESC))[1] AS last FROM ballot GROUP BY card_id \
         ), bump AS ( \
             UPDATE unlocks u \
             SET submissions = u.submissions + t.votes, \
                 unlocked_at = CASE WHEN u.submissions + t.votes >= u.threshold THEN t.at END, \
                 reason = CASE WHEN u.submissions + t.votes >= u.threshold THEN 'threshold' END \
             FROM tally t WHERE u.card_id = t.card_id AND u.unlocked_at IS NULL AND NOT u.by_policy \
             RETURNING u.card_id, t.last, u.submissions, u.threshold, u.unlocked_at \
         ), vote AS ( \
             INSERT INTO counted_submissions (submission_id) SELECT ballot.id FROM ballot JOIN bump ON bump.card_id = ballot.card_id \
         ), event AS ( \
             INSERT INTO events (id, kind, subject_id, payload, created_at) \
             SELECT w.event_id, 'card.unlocked', k.id, \
                    jsonb_build_object('card', k.id, 'game', k.game_code, 'set', k.set_code, 'number', k.number), bump.unlocked_at \
             FROM bump JOIN wanted w ON w.submission_id = bump.last JOIN cards k ON k.id = bump.card_id \
             WHERE bump.unlocked_at IS NOT NULL \
         ) \
         SELECT counted.id IS NOT NULL AS first, coalesce(bump.unlocked_at IS NOT NULL AND bump.last = c.submission_id, false) AS unlocked, \
                bump.card_id IS NOT NULL OR NOT voter.counts OR u.card_id IS NULL OR u.unlocked_at IS NOT NULL AS settled, \
                c.submission_id AS id, c.at AS created_at, bump.card_id IS NOT NULL AS counted, \
                NULL::timestamptz AS old_enough_at, false AS by_network, false AS by_review, \
                c.copy_id, p.rarity, k.id AS card_id, k.game_code, k.set_code, k.number, \
                coalesce(bump.submissions, u.submissions) AS submissions, coalesce(bump.threshold, u.threshold) AS threshold, \
                coalesce(bump.unlocked_at, u.unlocked_at) AS unlocked_at \
         FROM claimed c JOIN voter ON voter.account_id = c.account_id JOIN printings p ON p.id = c.printing_id JOIN cards k ON k.id = c.card_id \
         LEFT JOIN unlocks u ON u.card_id = c.card_id LEFT JOIN counted ON counted.id = c.submission_id \
         LEFT JOIN bump ON bump.card_id = c.card_id AND counted.id IS NOT NULL AND voter.counts",
    )
    .bind("accounts", accounts)
    .bind("moments", moments)
    .bind("prefixes", prefixes)
    .bind("macs", macs)
    .bind("cards", cards)
    .bind("submissions", submissions)
    .bind("entries", entries)
    .bind("events", events)
    .bind("networks", networks)
    .bind("wider", wider)
    .get_results(conn)
    .await?;
    Ok(registered)
}

/// Counts a registration that the statement could not count itself, and returns the result.
async fn count_registration(
    conn: &mut Connection,
    Claim { by, new, .. }: Claim<'_>,
    registration: Registration,
) -> StoreResult<Submitted> {
    let Registration { first, unlocked, settled, submission } = registration;
    if settled {
        return Ok(Submitted::Registered { submission: Box::new(submission), unlocked });
    }
    let card = submission.of.card_id;
    // A policy applies to the card, or did when the statement began; or the account submitted another copy before.
    let unlocked = if first {
        votes::count_card(conn, card, new.at).await?
    } else {
        votes::count_another(conn, card, by.account(), new.at).await?
    };
    let submission = submissions::find_own(conn, by.account(), new.id).await?;
    // This transaction has written the submission.
    let submission = submission.ok_or(StoreError::Fault(diesel::result::Error::NotFound))?;
    Ok(Submitted::Registered { submission: Box::new(submission), unlocked })
}

/// Locks the account's row. Bans and submissions of the account wait for each other, and so do two batches of the
/// account, which could otherwise deadlock on their entries in the index of counted submissions.
async fn lock_account(conn: &mut Connection, by: &Acting<SubmitSerials>) -> StoreResult<()> {
    let row = accounts::table.find(by.account()).select(accounts::id).for_no_key_update();
    row.first::<Uuid>(conn).await.optional()?;
    Ok(())
}
