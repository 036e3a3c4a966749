//! Submissions of serial codes.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use diesel::prelude::*;
use diesel::sql_types::{
    Array, BigInt, Binary, Bool, Integer, Nullable, Text, Timestamptz, Uuid as SqlUuid,
};
use diesel_async::RunQueryDsl;
use futures_util::future::try_join_all;
use uuid::Uuid;

use super::door::submission::{MatchedCopy, SubmissionClaim, matching_copy};
use super::idempotency::{self, IdempotencyClaim, IdempotentError};
use super::ledger;
use super::schema::{accounts, copy_ledger, disputes};
use super::statement::sql;
use super::unlocks::ProgressRow;
use super::{Connection, Store, StoreError, StoreResult, votes};
use crate::auth::permission::{Acting, Granted, ReadOwnSubmissions, SubmitSerials};
use crate::domain::dispute::DisputeState;
use crate::domain::ids::{AccountId, CardId, CopyId, DisputeId, LedgerId, SubmissionId};
use crate::domain::submission::Verdict;

/// A submission to decide.
#[derive(Clone, Debug)]
pub struct NewSubmission {
    /// Its id, if it is accepted.
    pub id: SubmissionId,
    /// What it claims.
    pub claim: SubmissionClaim,
    /// Keyed hash of the network it comes from.
    pub network_mac: [u8; 16],
    /// Keyed hashes of the wider networks around that, from narrow to wide.
    pub wider_macs: Vec<[u8; 16]>,
    /// Now.
    pub at: DateTime<Utc>,
}

/// How a submission was decided.
#[derive(Clone, Debug)]
pub enum Submitted {
    /// The copy was registered now, and perhaps the card unlocked.
    Registered {
        /// The submission, as its maker sees it.
        submission: Box<SubmissionRow>,
        /// Whether it was the one that unlocked the card.
        unlocked: bool,
    },
    /// It was answered before: the same `Idempotency-Key`.
    Repeat(SubmissionId),
    /// The copy was the account's already.
    AlreadyYours {
        /// The copy.
        copy: CopyId,
        /// The account's submission of it; `None`: the copy came by a trade or a decision.
        submission: Option<SubmissionId>,
    },
    /// The copy is somebody else's; the claim is noted in the ledger.
    RegisteredToAnother {
        /// The claim.
        dispute: DisputeId,
        /// What became of it so far.
        state: DisputeState,
    },
    /// The copy was the account's once, and is somebody else's now. Nothing is noted.
    PassedOn,
    /// Code and name do not belong together.
    Rejected,
}

impl Submitted {
    /// The verdict behind it.
    pub fn verdict(&self) -> Verdict {
        match self {
            Self::Registered { .. } => Verdict::Registered,
            Self::Repeat(_) | Self::AlreadyYours { .. } => Verdict::AlreadyYours,
            Self::RegisteredToAnother { .. } => Verdict::RegisteredToAnother,
            Self::PassedOn => Verdict::PassedOn,
            Self::Rejected => Verdict::Rejected,
        }
    }
}

/// Decides a submission, in a transaction; an attempt was reserved and committed before.
///
/// Whatever it claims, the transaction begins with the same statements, which go to the database in one trip.
pub async fn submit(
    store: &Store,
    by: &Granted<SubmitSerials>,
    new: &NewSubmission,
    key: Option<&IdempotencyClaim>,
) -> Result<Submitted, IdempotentError> {
    let first = async |conn: &Connection, by: &Acting<SubmitSerials>| {
        let begun = idempotency::begin(conn, key, new.id.0);
        if key.is_some() {
            // Who uses a key for something else hears that before anything is looked up: the attempt is given back then.
            return match begun.await? {
                Some(earlier) => Ok((Some(earlier), None)),
                None => Ok((None, matching_copy(conn, by, &new.claim).await?)),
            };
        }
        let (earlier, copy) = tokio::join!(biased; begun, matching_copy(conn, by, &new.claim));
        Ok((earlier?, copy?))
    };
    let decide = async |conn: &mut Connection, by: &Acting<SubmitSerials>, (earlier, copy)| {
        if let Some(earlier) = earlier {
            return Ok(Submitted::Repeat(SubmissionId(earlier)));
        }
        let submitted = decide(conn, by, new, copy).await?;
        if !matches!(submitted, Submitted::Registered { .. }) {
            // Nothing was created: the same request finds the same answer again by itself.
            idempotency::forget(conn, key).await?;
        }
        Ok(submitted)
    };
    store.transaction_by_asking(by, new.at, first, decide).await
}

/// Decides several submissions; the verdicts come in their order. Attempts were reserved and committed before.
///
/// What can be registered is registered together, in one transaction ([`register_all`]); each of the others is decided by itself, in one of its own. When
/// the store fails half-way, the verdicts are those up to there: sent again, what was committed is the account's already.
pub async fn submit_batch(
    store: &Store,
    by: &Granted<SubmitSerials>,
    batch: &[NewSubmission],
) -> (Vec<Submitted>, StoreResult<()>) {
    let Some(one) = batch.first() else { return (Vec::new(), Ok(())) };
    let first = async |conn: &Connection, by: &Acting<SubmitSerials>| {
        let copies = batch.iter().map(|new| matching_copy(conn, by, &new.claim));
        try_join_all(copies).await
    };
    let register = async |conn: &mut Connection, by: &Acting<SubmitSerials>, copies| {
        register_all(conn, by, batch, copies).await
    };
    let together = store.transaction_by_asking(by, one.at, first, register).await;
    let together = match together {
        Ok(together) => together,
        Err(error) => return (Vec::new(), Err(error)),
    };
    let mut verdicts = Vec::with_capacity(batch.len());
    for (new, decided) in batch.iter().zip(together) {
        let alone = async |conn: &mut Connection, by: &Acting<SubmitSerials>| {
            let copy = matching_copy(conn, by, &new.claim).await?;
            decide(conn, by, new, copy).await
        };
        let decided = match decided {
            Some(decided) => Ok(decided),
            None => store.transaction_by(by, new.at, alone).await,
        };
        match decided {
            Ok(submitted) => verdicts.push(submitted),
            Err(error) => return (verdicts, Err(error)),
        }
    }
    (verdicts, Ok(()))
}

/// Registers what is still nobody's, each as [`register`] does, and says what fits nothing; `None` for all others.
///
/// All rows that are waited for are locked first, and in the order in which everybody locks them: copies by their keys, the account, cards by
/// game, set and id. So whatever the order of a batch, nobody waits for each other in a circle, and the cards are held no longer than it takes to
/// count. The statement that follows waits for nobody.
async fn register_all(
    conn: &mut Connection,
    by: &Acting<SubmitSerials>,
    batch: &[NewSubmission],
    copies: Vec<Option<MatchedCopy>>,
) -> StoreResult<Vec<Option<Submitted>>> {
    let mut decided: Vec<Option<Submitted>> =
        copies.iter().map(|copy| copy.is_none().then_some(Submitted::Rejected)).collect();
    let mut free: BTreeMap<(String, Vec<u8>), (usize, &MatchedCopy)> = BTreeMap::new();
    for (place, (new, copy)) in batch.iter().zip(&copies).enumerate() {
        if let Some(copy) = copy
            && copy.owner_id.is_none()
        {
            // The same code twice: the second is decided when the first is registered.
            let key = (new.claim.prefix.to_string(), copy.code_mac.clone());
            free.entry(key).or_insert((place, copy));
        }
    }
    if free.is_empty() {
        return Ok(decided);
    }
    let cards: Vec<Uuid> = free.values().map(|(_, copy)| copy.card_id).collect();
    ledger::hold_free(conn, free.keys()).await?;
    hold_voter(conn, by).await?;
    votes::hold_cards(conn, &cards).await?;
    let mut places: Vec<(usize, &MatchedCopy)> = free.into_values().collect();
    // In the order of the batch: the first copy of a card counts.
    places.sort_unstable_by_key(|(place, _)| *place);
    let claims: Vec<Claim<'_>> =
        places.iter().map(|(place, copy)| (&batch[*place], *copy)).collect();
    let mut registered: BTreeMap<Uuid, Registration> = register(conn, by, &claims)
        .await?
        .into_iter()
        .map(|registration| (registration.submission.id, registration))
        .collect();
    for (place, _) in places {
        let new = &batch[place];
        if let Some(registration) = registered.remove(&new.id.0) {
            decided[place] = Some(count(conn, by, new, registration).await?);
        }
    }
    Ok(decided)
}

async fn decide(
    conn: &mut Connection,
    by: &Acting<SubmitSerials>,
    new: &NewSubmission,
    copy: Option<MatchedCopy>,
) -> StoreResult<Submitted> {
    let Some(mut copy) = copy else {
        return Ok(Submitted::Rejected);
    };
    if copy.owner_id.is_none()
        && let Some(registration) = register(conn, by, &[(new, &copy)]).await?.pop()
    {
        return count(conn, by, new, registration).await;
    }
    if copy.owner_id != Some(by.account().0) {
        // Somebody may be faster between the look and the grasp, or a trade may be moving the copy: hold it, and look again.
        ledger::hold_by_key(conn, &new.claim.prefix.to_string(), &copy.code_mac).await?;
        match matching_copy(conn, by, &new.claim).await? {
            Some(now) => copy = now,
            None => return Ok(Submitted::Rejected),
        }
    }
    let verdict = Verdict::on_copy(copy.owner_id.map(AccountId), by.account(), copy.was_owner);
    match (verdict, copy.id) {
        (Verdict::AlreadyYours, Some(id)) => Ok(Submitted::AlreadyYours {
            copy: CopyId(id),
            submission: copy.own_submission.map(SubmissionId),
        }),
        (Verdict::PassedOn, _) => Ok(Submitted::PassedOn),
        (Verdict::RegisteredToAnother, _) => open_dispute(conn, by, new, &copy).await,
        // Registered copies have ids, and owners do not vanish: the database contradicts itself.
        _ => Err(StoreError::Fault(diesel::result::Error::NotFound)),
    }
}

#[derive(QueryableByName)]
struct Registration {
    /// It is the first of its account for the card.
    #[diesel(sql_type = Bool)]
    first: bool,
    #[diesel(sql_type = Bool)]
    unlocked: bool,
    /// It was counted, or there is nothing to count: the account is banned, or the card was not hidden when the statement began, and so
    /// never will be again.
    #[diesel(sql_type = Bool)]
    settled: bool,
    /// As it is now, if it is settled.
    #[diesel(embed)]
    submission: SubmissionRow,
}

/// A copy to register: the submission that claims it, and the copy that fits.
type Claim<'a> = (&'a NewSubmission, &'a MatchedCopy);

/// Registers copies, counts the submissions, moves the cards' progress and, at the threshold, unlocks a card and writes the event, and reads the
/// answers: one statement. What somebody else registered meanwhile has no answer.
///
/// The count lives in the card's row of `unlocks`. Its lock makes submissions of one card queue, each seeing the count that the
/// one before left; counting rows of `submissions` instead would read a stale snapshot. Data-modifying CTEs are joined, never
/// put into a sub-select: when Postgres re-checks a row that it had to wait for, it cannot run them again. Of several copies of one card the one with
/// the lowest id of its submission counts.
///
/// The account's row is locked before the card's and before the entry in the index of counted submissions, banned or not: a ban or its end waits for submissions that are being made, or they for it, and
/// the vote of a banned account is not counted. Whoever registers more than one copy has locked all of them before, and all cards.
async fn register(
    conn: &mut Connection,
    by: &Acting<SubmitSerials>,
    claims: &[Claim<'_>],
) -> StoreResult<Vec<Registration>> {
    let Some((one, _)) = claims.first() else { return Ok(Vec::new()) };
    let prefixes: Vec<_> = claims.iter().map(|(new, _)| new.claim.prefix.to_string()).collect();
    let macs: Vec<&[u8]> = claims.iter().map(|(_, copy)| copy.code_mac.as_slice()).collect();
    let cards: Vec<Uuid> = claims.iter().map(|(_, copy)| copy.card_id).collect();
    let submissions: Vec<Uuid> = claims.iter().map(|(new, _)| new.id.0).collect();
    let entries: Vec<Uuid> = claims.iter().map(|_| LedgerId::fresh().0).collect();
    let events: Vec<Uuid> = claims.iter().map(|_| Uuid::now_v7()).collect();
    let registered = sql(
        "WITH wanted AS MATERIALIZED ( \
             SELECT * FROM unnest($1, $2, $3, $4, $5, $6) AS w (code_prefix, code_mac, card_id, submission_id, entry_id, event_id) \
         ), claimed AS ( \
             UPDATE copies c SET owner_id = $7, registered_at = $8, id = gen_random_uuid() FROM wanted w \
             WHERE c.code_prefix = w.code_prefix AND c.code_mac = w.code_mac \
               AND c.owner_id IS NULL AND c.voided_at IS NULL AND c.frozen_at IS NULL \
             RETURNING w.*, c.id AS copy_id, c.printing_id \
         ), ledger AS ( \
             INSERT INTO copy_ledger (id, code_prefix, code_mac, entry, account_id, created_at, position, owner_id) \
             SELECT entry_id, code_prefix, code_mac, 'register', $7, $8, 1, $7 FROM claimed \
         ), voter AS ( \
             SELECT banned_at IS NULL AS counts FROM accounts WHERE id = $7 FOR SHARE \
         ), counted AS ( \
             INSERT INTO submissions (id, account_id, card_id, code_prefix, code_mac, counted, created_at) \
             SELECT claimed.submission_id, $7, u.card_id, claimed.code_prefix, claimed.code_mac, true, $8 \
             FROM claimed JOIN voter ON true JOIN unlocks u ON u.card_id = claimed.card_id ORDER BY claimed.submission_id \
             ON CONFLICT (account_id, card_id) WHERE counted DO NOTHING \
             RETURNING id, card_id \
         ), uncounted AS ( \
             INSERT INTO submissions (id, account_id, card_id, code_prefix, code_mac, counted, created_at) \
             SELECT claimed.submission_id, $7, claimed.card_id, claimed.code_prefix, claimed.code_mac, false, $8 \
             FROM claimed LEFT JOIN counted ON counted.id = claimed.submission_id WHERE counted.id IS NULL \
         ), network AS ( \
             INSERT INTO submission_networks (submission_id, network_mac, wider_macs) \
             SELECT claimed.submission_id, $9, $10 FROM claimed JOIN unlocks u ON u.card_id = claimed.card_id AND u.unlocked_at IS NULL \
         ), bump AS ( \
             UPDATE unlocks u \
             SET submissions = u.submissions + 1, \
                 unlocked_at = CASE WHEN u.submissions + 1 >= u.threshold THEN $8 END, \
                 reason = CASE WHEN u.submissions + 1 >= u.threshold THEN 'threshold' END \
             FROM counted JOIN voter ON voter.counts WHERE u.card_id = counted.card_id AND u.unlocked_at IS NULL AND NOT u.by_policy \
             RETURNING u.card_id, counted.id AS submission_id, u.submissions, u.threshold, u.unlocked_at \
         ), vote AS ( \
             INSERT INTO counted_submissions (submission_id) SELECT submission_id FROM bump \
         ), event AS ( \
             INSERT INTO events (id, kind, subject_id, payload, created_at) \
             SELECT w.event_id, 'card.unlocked', k.id, \
                    jsonb_build_object('card', k.id, 'game', k.game_code, 'set', k.set_code, 'number', k.number), $8 \
             FROM bump JOIN wanted w ON w.submission_id = bump.submission_id JOIN cards k ON k.id = bump.card_id \
             WHERE bump.unlocked_at IS NOT NULL \
         ) \
         SELECT counted.id IS NOT NULL AS first, bump.unlocked_at IS NOT NULL AS unlocked, \
                bump.card_id IS NOT NULL OR NOT voter.counts OR u.card_id IS NULL OR u.unlocked_at IS NOT NULL AS settled, \
                claimed.submission_id AS id, $8 AS created_at, bump.card_id IS NOT NULL AS counted, \
                claimed.copy_id, p.rarity, k.id AS card_id, k.game_code, k.set_code, k.number, \
                coalesce(bump.submissions, u.submissions) AS submissions, coalesce(bump.threshold, u.threshold) AS threshold, \
                coalesce(bump.unlocked_at, u.unlocked_at) AS unlocked_at \
         FROM claimed JOIN voter ON true JOIN printings p ON p.id = claimed.printing_id JOIN cards k ON k.id = claimed.card_id \
         LEFT JOIN unlocks u ON u.card_id = claimed.card_id LEFT JOIN counted ON counted.id = claimed.submission_id \
         LEFT JOIN bump ON bump.submission_id = claimed.submission_id",
    )
    .bind::<Array<Text>, _>(prefixes)
    .bind::<Array<Binary>, _>(macs)
    .bind::<Array<SqlUuid>, _>(cards)
    .bind::<Array<SqlUuid>, _>(submissions)
    .bind::<Array<SqlUuid>, _>(entries)
    .bind::<Array<SqlUuid>, _>(events)
    .bind::<SqlUuid, _>(by.account().0)
    .bind::<Timestamptz, _>(one.at)
    .bind::<Binary, _>(one.network_mac.to_vec())
    .bind::<Array<Binary>, _>(one.wider_macs.iter().map(<[u8; 16]>::as_slice).collect::<Vec<_>>())
    .get_results(conn)
    .await?;
    Ok(registered)
}

/// Sees to it that what was registered is counted, and tells how far the card is then.
async fn count(
    conn: &mut Connection,
    by: &Acting<SubmitSerials>,
    new: &NewSubmission,
    registration: Registration,
) -> StoreResult<Submitted> {
    let Registration { first, unlocked, settled, submission } = registration;
    if settled {
        return Ok(Submitted::Registered { submission: Box::new(submission), unlocked });
    }
    let card = CardId(submission.of.card_id);
    // A policy decides over the card, or did when the statement began; or the account submitted another copy before.
    let unlocked = if first {
        votes::count_card(conn, card, new.at).await?
    } else {
        votes::count_another(conn, card, by.account(), new.at).await?
    };
    let submission = own(conn, by.account(), new.id).await?;
    // It was written by this transaction.
    let submission = submission.ok_or(StoreError::Fault(diesel::result::Error::NotFound))?;
    Ok(Submitted::Registered { submission: Box::new(submission), unlocked })
}

/// Locks the account's row, which [`register`] shares: a ban or its end waits for submissions that are being made, or they for it. And nobody
/// else writes submissions of the account while a batch does: two would wait for each other's entries in the index of counted ones.
async fn hold_voter(conn: &mut Connection, by: &Acting<SubmitSerials>) -> StoreResult<()> {
    let row = accounts::table.find(by.account().0).select(accounts::id).for_no_key_update();
    row.first::<Uuid>(conn).await.optional()?;
    Ok(())
}

/// Notes in the ledger that somebody else holds the card, too: once for each claimant. The copy is held.
async fn open_dispute(
    conn: &mut Connection,
    by: &Acting<SubmitSerials>,
    new: &NewSubmission,
    copy: &MatchedCopy,
) -> StoreResult<Submitted> {
    let prefix = new.claim.prefix.to_string();
    diesel::insert_into(copy_ledger::table)
        .values((
            copy_ledger::id.eq(LedgerId::fresh().0),
            copy_ledger::code_prefix.eq(&prefix),
            copy_ledger::code_mac.eq(&copy.code_mac),
            copy_ledger::entry.eq("dispute"),
            copy_ledger::account_id.eq(by.account().0),
            copy_ledger::created_at.eq(new.at),
        ))
        .on_conflict_do_nothing()
        .execute(conn)
        .await?;
    let (dispute, state): (Uuid, DisputeState) = disputes::table
        .filter(disputes::code_prefix.eq(&prefix))
        .filter(disputes::code_mac.eq(&copy.code_mac))
        .filter(disputes::claimant_id.eq(by.account().0))
        .select((disputes::id, disputes::state))
        .first(conn)
        .await?;
    Ok(Submitted::RegisteredToAnother { dispute: DisputeId(dispute), state })
}

/// The card of a registered copy, and how far it is. It tells no more of the card than that it exists.
#[derive(Clone, Debug, QueryableByName)]
pub struct CardOfCopy {
    /// Id of the copy.
    #[diesel(sql_type = SqlUuid)]
    pub copy_id: Uuid,
    /// Rarity of the copy.
    #[diesel(sql_type = Text)]
    pub rarity: String,
    /// Id of the card.
    #[diesel(sql_type = SqlUuid)]
    pub card_id: Uuid,
    /// Code of the card's game.
    #[diesel(sql_type = Text)]
    pub game_code: String,
    /// Code of the card's set.
    #[diesel(sql_type = Text)]
    pub set_code: String,
    /// The card's number in the set.
    #[diesel(sql_type = Text)]
    pub number: String,
    #[diesel(sql_type = Nullable<Integer>)]
    submissions: Option<i32>,
    #[diesel(sql_type = Nullable<Integer>)]
    threshold: Option<i32>,
    #[diesel(sql_type = Nullable<Timestamptz>)]
    unlocked_at: Option<DateTime<Utc>>,
}

impl CardOfCopy {
    /// The card's progress; `None` for a card that never was hidden.
    pub fn progress(&self) -> Option<ProgressRow> {
        let (submissions, threshold) = self.submissions.zip(self.threshold)?;
        Some(ProgressRow { submissions, threshold, unlocked_at: self.unlocked_at })
    }
}

/// A submission as its maker sees it.
#[derive(Clone, Debug, QueryableByName)]
pub struct SubmissionRow {
    /// Id.
    #[diesel(sql_type = SqlUuid)]
    pub id: Uuid,
    /// Whether it counts for the unlock of its card, or did when the card was unlocked.
    #[diesel(sql_type = Bool)]
    pub counted: bool,
    /// When it was made.
    #[diesel(sql_type = Timestamptz)]
    pub created_at: DateTime<Utc>,
    /// The copy and its card.
    #[diesel(embed)]
    pub of: CardOfCopy,
}

/// A copy that somebody owns without having submitted it.
#[derive(Clone, Debug, QueryableByName)]
pub struct OwnedRow {
    /// When it was registered.
    #[diesel(sql_type = Timestamptz)]
    pub registered_at: DateTime<Utc>,
    /// The copy and its card.
    #[diesel(embed)]
    pub of: CardOfCopy,
}

/// What a [`CardOfCopy`] selects.
const CARD: &str = "c.id AS copy_id, p.rarity, k.id AS card_id, k.game_code, k.set_code, k.number, \
                    u.submissions, u.threshold, u.unlocked_at";

/// A submission with its card, the rarity of its copy and the card's progress.
fn submissions_where(condition: &str) -> String {
    format!(
        "SELECT s.id, s.created_at, \
                EXISTS (SELECT FROM counted_submissions vote WHERE vote.submission_id = s.id) AS counted, {CARD} \
         FROM submissions s \
         JOIN copies c ON c.code_prefix = s.code_prefix AND c.code_mac = s.code_mac \
         JOIN printings p ON p.id = c.printing_id \
         JOIN cards k ON k.id = s.card_id \
         LEFT JOIN unlocks u ON u.card_id = s.card_id WHERE {condition}"
    )
}

/// The own submissions, the newest first, after the one with id `before`.
pub async fn list(
    conn: &mut Connection,
    by: &Granted<ReadOwnSubmissions>,
    before: Option<Uuid>,
    limit: i64,
) -> StoreResult<Vec<SubmissionRow>> {
    Ok(sql(submissions_where("s.account_id = $1 AND s.id < $2 ORDER BY s.id DESC LIMIT $3"))
        .bind::<SqlUuid, _>(by.account().0)
        .bind::<SqlUuid, _>(before.unwrap_or(Uuid::max()))
        .bind::<BigInt, _>(limit)
        .get_results(conn)
        .await?)
}

/// One of the own submissions.
pub async fn find(
    conn: &mut Connection,
    by: &Granted<ReadOwnSubmissions>,
    id: SubmissionId,
) -> StoreResult<Option<SubmissionRow>> {
    own(conn, by.account(), id).await
}

/// The submission that was just made, or made before.
pub async fn find_submitted(
    conn: &mut Connection,
    by: &Granted<SubmitSerials>,
    id: SubmissionId,
) -> StoreResult<Option<SubmissionRow>> {
    own(conn, by.account(), id).await
}

/// A copy that was the submitter's already.
pub async fn find_owned(
    conn: &mut Connection,
    by: &Granted<SubmitSerials>,
    copy: CopyId,
) -> StoreResult<Option<OwnedRow>> {
    Ok(sql(format!(
        "SELECT c.registered_at, {CARD} FROM copies c \
         JOIN printings p ON p.id = c.printing_id \
         JOIN cards k ON k.id = p.card_id \
         LEFT JOIN unlocks u ON u.card_id = k.id WHERE c.id = $1 AND c.owner_id = $2"
    ))
    .bind::<SqlUuid, _>(copy.0)
    .bind::<SqlUuid, _>(by.account().0)
    .get_result(conn)
    .await
    .optional()?)
}

async fn own(
    conn: &mut Connection,
    account: AccountId,
    id: SubmissionId,
) -> StoreResult<Option<SubmissionRow>> {
    Ok(sql(submissions_where("s.id = $1 AND s.account_id = $2"))
        .bind::<SqlUuid, _>(id.0)
        .bind::<SqlUuid, _>(account.0)
        .get_result(conn)
        .await
        .optional()?)
}
