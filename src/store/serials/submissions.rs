//! Submissions of serial codes.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use diesel::prelude::*;
use diesel::sql_types::{Bool, Integer, Nullable, Text, Timestamptz, Uuid as SqlUuid};
use diesel_async::RunQueryDsl;
use uuid::Uuid;

use super::registration_groups::RegistrationGroups;
use super::registrations::{self, Claim};
use super::unlocks::ProgressRow;
use crate::auth::permission::{Acting, Granted, ReadOwnSubmissions, SubmitSerials, Viewer};
use crate::domain::copies::dispute::DisputeState;
use crate::domain::ids::{AccountId, CardId, CopyId, DisputeId, LedgerId, SubmissionId};
use crate::domain::serials::submission::{CountingState, HoldReason, Verdict};
use crate::store::card_content::pool::find_names;
use crate::store::card_content::submission::{
    MatchedCopy, SubmissionClaim, find_matching_copies, find_matching_copy,
};
use crate::store::copies::ledger;
use crate::store::db::pages::push_page;
use crate::store::db::schema::{copy_ledger, disputes};
use crate::store::db::statement::sql;
use crate::store::operations::idempotency::{self, IdempotencyClaim, IdempotentError};
use crate::store::{Connection, Store, StoreError, StoreResult};

/// A submission to decide.
#[derive(Clone, Debug)]
pub struct NewSubmission {
    /// Its id, if it is accepted.
    pub id: SubmissionId,
    pub claim: SubmissionClaim,
    /// Keyed hash of the network it comes from.
    pub network_mac: [u8; 16],
    /// Keyed hashes of the wider networks around it, from narrow to wide.
    pub wider_macs: Vec<[u8; 16]>,
    /// The current time.
    pub at: DateTime<Utc>,
}

/// The result of a submission.
#[derive(Clone, Debug)]
pub enum Submitted {
    /// The copy was registered by this submission.
    Registered {
        /// The submission, as the submitter sees it.
        submission: Box<SubmissionRow>,
        /// Whether it unlocked the card.
        unlocked: bool,
    },
    /// A repeated request with the same `Idempotency-Key`, with its submission.
    Repeat(Box<SubmissionRow>),
    /// The account owns the copy already.
    AlreadyYours(Box<OwnCopy>),
    /// Another account owns the copy; the claim is recorded in the ledger.
    RegisteredToAnother {
        /// The claim.
        dispute: DisputeId,
        /// Its current state.
        state: DisputeState,
    },
    /// The account owned the copy before, and another account owns it now. Nothing is recorded.
    PassedOn,
    /// Code and name do not belong together.
    Rejected,
}

/// A copy that the submitter owned before the request.
#[derive(Clone, Debug)]
pub enum OwnCopy {
    /// The account submitted it.
    Submitted(SubmissionRow),
    /// The account got it by a trade or a moderator's decision.
    Received(OwnedRow),
}

impl Submitted {
    /// The verdict for metrics and responses.
    pub fn verdict(&self) -> Verdict {
        match self {
            Self::Registered { .. } => Verdict::Registered,
            Self::Repeat(_) | Self::AlreadyYours(_) => Verdict::AlreadyYours,
            Self::RegisteredToAnother { .. } => Verdict::RegisteredToAnother,
            Self::PassedOn => Verdict::PassedOn,
            Self::Rejected => Verdict::Rejected,
        }
    }

    pub fn count_in_metrics(&self) {
        metrics::counter!("submissions_total", "verdict" => self.verdict().as_str()).increment(1);
    }
}

/// Counts a decided submission in the metrics, and logs it if it registered a copy.
pub fn record(by: AccountId, submitted: &Submitted) {
    submitted.count_in_metrics();
    if let Submitted::Registered { submission, unlocked } = submitted {
        tracing::info!(account = %by, card = %submission.of.card_id, unlocked, "serial registered");
    }
}

/// The result of a repeated request whose key belongs to this submission.
pub(super) async fn answer_repeat(
    conn: &Connection,
    by: &Acting<SubmitSerials>,
    submission: SubmissionId,
) -> StoreResult<Submitted> {
    let row = find_own(conn, by.account(), submission).await?;
    // Submissions are never deleted.
    let row = row.ok_or(StoreError::Fault(diesel::result::Error::NotFound))?;
    Ok(Submitted::Repeat(Box::new(row)))
}

/// The result about a copy that the submitter owns already; `None`: the submitter does not own it. Nothing is read
/// about copies of other accounts.
pub(super) async fn answer_already_yours(
    conn: &Connection,
    by: &Acting<SubmitSerials>,
    copy: &MatchedCopy,
) -> StoreResult<Option<Submitted>> {
    let account = by.account();
    let Some(id) = copy.id.filter(|_| copy.owner_id == Some(account)) else { return Ok(None) };
    let copy = match copy.own_submission {
        Some(submission) => find_own(conn, account, submission).await?.map(OwnCopy::Submitted),
        None => find_owned(conn, account, id).await?.map(OwnCopy::Received),
    };
    Ok(copy.map(|copy| Submitted::AlreadyYours(Box::new(copy))))
}

/// Decides a submission, in a group with those of other requests or alone. Its attempt must be reserved and committed
/// before.
pub async fn submit(
    store: &Store,
    groups: &RegistrationGroups,
    by: &Granted<SubmitSerials>,
    new: &NewSubmission,
    key: Option<&IdempotencyClaim>,
) -> Result<Submitted, IdempotentError> {
    match groups.submit(store, by, new, key).await? {
        Some(submitted) => Ok(submitted),
        None => submit_alone(store, by, new, key).await,
    }
}

/// Decides a submission in its own transaction, which waits for locks.
///
/// For every claim, the transaction begins with the same statements, which go to the database in one round trip.
async fn submit_alone(
    store: &Store,
    by: &Granted<SubmitSerials>,
    new: &NewSubmission,
    key: Option<&IdempotencyClaim>,
) -> Result<Submitted, IdempotentError> {
    let first = async |conn: &Connection, by: &Acting<SubmitSerials>| {
        let begun = idempotency::begin(conn, key, new.id);
        if key.is_some() {
            // A key that was used for another request is refused before any look-up, so the attempt is returned.
            return match begun.await? {
                Some(earlier) => Ok((Some(earlier), None)),
                None => Ok((None, find_matching_copy(conn, by, &new.claim).await?)),
            };
        }
        let (earlier, copy) = tokio::join!(biased; begun, find_matching_copy(conn, by, &new.claim));
        Ok((earlier?, copy?))
    };
    let decide = async |conn: &mut Connection, by: &Acting<SubmitSerials>, (earlier, copy)| {
        if let Some(earlier) = earlier {
            return Ok(answer_repeat(conn, by, earlier).await?);
        }
        let submitted = decide(conn, by, new, copy).await?;
        if !matches!(submitted, Submitted::Registered { .. }) {
            // Nothing was created, and a repeated request gets the same result.
            idempotency::forget(conn, key).await?;
        }
        Ok(submitted)
    };
    store.transaction_by_reading(by, new.at, first, decide).await
}

/// Whether a submission that failed with this error keeps its attempt: it may have been decided; or its credential has
/// ended, which is no failure of the database, and which its holder can bring about.
pub fn keeps_attempt(error: &StoreError) -> bool {
    matches!(error, StoreError::Revoked) || !error.is_rolled_back()
}

/// What became of the submissions of a batch.
pub struct DecidedBatch {
    /// The results in order; fewer than submissions if the store failed in between.
    pub results: Vec<Submitted>,
    /// How many submissions keep their attempts: guesses, and those of a failure ([`keeps_attempt`]).
    pub used: usize,
    /// The failure of the store.
    pub outcome: StoreResult<()>,
}

/// Decides several submissions. Attempts must be reserved and committed before.
///
/// Copies that can be registered are registered in one transaction ([`registrations::register_all`]); each of the
/// others is decided in its own transaction. If the store fails in between, the results so far are returned: when the
/// batch is sent again, the account already owns the committed copies.
pub async fn submit_batch(
    store: &Store,
    by: &Granted<SubmitSerials>,
    batch: &[NewSubmission],
) -> DecidedBatch {
    let mut results = Vec::with_capacity(batch.len());
    let Some(one) = batch.first() else {
        return DecidedBatch { results, used: 0, outcome: Ok(()) };
    };
    let first = async |conn: &Connection, by: &Acting<SubmitSerials>| {
        let claims: Vec<_> = batch.iter().map(|new| (by, &new.claim)).collect();
        find_matching_copies(conn, &claims).await
    };
    let register = async |conn: &mut Connection, by: &Acting<SubmitSerials>, copies| {
        registrations::register_all(conn, by, batch, copies).await
    };
    let together = store.transaction_by_reading(by, one.at, first, register).await;
    let together = match together {
        Ok(together) => together,
        Err(error) => {
            let used = if keeps_attempt(&error) { batch.len() } else { 0 };
            return DecidedBatch { results, used, outcome: Err(error) };
        }
    };
    // Codes without a match are decided here, also those whose turn does not come because of a failure.
    let is_guess = |submitted: &Submitted| submitted.verdict().is_guess();
    let mut used = together.iter().flatten().filter(|decided| is_guess(decided)).count();
    for (new, decided) in batch.iter().zip(together) {
        let alone = async |conn: &mut Connection, by: &Acting<SubmitSerials>| {
            let copy = find_matching_copy(conn, by, &new.claim).await?;
            decide(conn, by, new, copy).await
        };
        if let Some(decided) = decided {
            results.push(decided);
            continue;
        }
        match store.transaction_by(by, new.at, alone).await {
            Ok(submitted) => {
                used += usize::from(is_guess(&submitted));
                results.push(submitted);
            }
            Err(error) => {
                used += usize::from(keeps_attempt(&error));
                return DecidedBatch { results, used, outcome: Err(error) };
            }
        }
    }
    DecidedBatch { results, used, outcome: Ok(()) }
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
    let claim = Claim { by, new, copy: &copy };
    if copy.owner_id.is_none()
        && let Some(registered) = registrations::register_one(conn, claim).await?
    {
        return Ok(registered);
    }
    if let Some(answer) = answer_already_yours(conn, by, &copy).await? {
        return Ok(answer);
    }
    // The copy may have been registered or traded since the look-up: lock it, and read again.
    ledger::lock_by_key(conn, &new.claim.prefix.to_string(), &copy.code_mac).await?;
    match find_matching_copy(conn, by, &new.claim).await? {
        Some(now) => copy = now,
        None => return Ok(Submitted::Rejected),
    }
    // Registered copies have ids, and owners are never deleted: otherwise the database is inconsistent.
    let contradiction = || StoreError::Fault(diesel::result::Error::NotFound);
    match Verdict::on_copy(copy.owner_id, by.account(), copy.was_owner) {
        Verdict::AlreadyYours => {
            answer_already_yours(conn, by, &copy).await?.ok_or_else(contradiction)
        }
        Verdict::PassedOn => Ok(Submitted::PassedOn),
        Verdict::RegisteredToAnother => open_dispute(conn, by, new, &copy).await,
        Verdict::Registered | Verdict::Rejected => Err(contradiction()),
    }
}

/// Opens a dispute in the ledger, once for each claimant. The copy's row must be locked.
async fn open_dispute(
    conn: &mut Connection,
    by: &Acting<SubmitSerials>,
    new: &NewSubmission,
    copy: &MatchedCopy,
) -> StoreResult<Submitted> {
    let prefix = new.claim.prefix.to_string();
    diesel::insert_into(copy_ledger::table)
        .values((
            copy_ledger::id.eq(LedgerId::generate()),
            copy_ledger::code_prefix.eq(&prefix),
            copy_ledger::code_mac.eq(&copy.code_mac),
            copy_ledger::entry.eq("dispute"),
            copy_ledger::account_id.eq(by.account()),
            copy_ledger::created_at.eq(new.at),
        ))
        .on_conflict_do_nothing()
        .execute(conn)
        .await?;
    let (dispute, state): (DisputeId, DisputeState) = disputes::table
        .filter(disputes::code_prefix.eq(&prefix))
        .filter(disputes::code_mac.eq(&copy.code_mac))
        .filter(disputes::claimant_id.eq(by.account()))
        .select((disputes::id, disputes::state))
        .first(conn)
        .await?;
    Ok(Submitted::RegisteredToAnother { dispute, state })
}

/// The card of a registered copy, and its progress; without the card's content.
#[derive(Clone, Debug, QueryableByName)]
pub struct CardOfCopy {
    #[diesel(sql_type = SqlUuid)]
    pub copy_id: CopyId,
    /// Rarity of the copy.
    #[diesel(sql_type = Text)]
    pub rarity: String,
    #[diesel(sql_type = SqlUuid)]
    pub card_id: CardId,
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

/// A submission as the submitter sees it.
#[derive(Clone, Debug, QueryableByName)]
pub struct SubmissionRow {
    #[diesel(sql_type = SqlUuid)]
    pub id: SubmissionId,
    /// Whether it counts for the unlock of its card, or counted when the card was unlocked.
    #[diesel(sql_type = Bool)]
    pub counted: bool,
    /// When it was created.
    #[diesel(sql_type = Timestamptz)]
    pub created_at: DateTime<Utc>,
    /// From when on the account is old enough for the policy, if its age holds the submission back.
    #[diesel(sql_type = Nullable<Timestamptz>)]
    old_enough_at: Option<DateTime<Utc>>,
    /// The policy limits how many accounts of one network count.
    #[diesel(sql_type = Bool)]
    by_network: bool,
    /// A moderator must confirm it.
    #[diesel(sql_type = Bool)]
    by_review: bool,
    /// The copy and its card.
    #[diesel(embed)]
    pub of: CardOfCopy,
}

impl SubmissionRow {
    /// The state of the submission in the unlock of its card, at a time.
    pub fn counting_state(&self, at: DateTime<Utc>) -> CountingState {
        match self.old_enough_at {
            _ if self.counted => CountingState::Counted,
            None => CountingState::NotCounted,
            Some(_) if self.by_review => CountingState::Held(HoldReason::Review),
            Some(then) if then <= at && self.by_network => CountingState::Held(HoldReason::Network),
            Some(then) => CountingState::Held(HoldReason::AccountAge(then)),
        }
    }
}

/// A submission with the name of its card.
#[derive(Clone, Debug)]
pub struct NamedSubmission {
    pub row: SubmissionRow,
    /// The card's name; `None`: the card is hidden from the viewer, who gave the copy away.
    pub name: Option<String>,
}

/// A copy that an account owns without having submitted it.
#[derive(Clone, Debug, QueryableByName)]
pub struct OwnedRow {
    /// When it was registered.
    #[diesel(sql_type = Timestamptz)]
    pub registered_at: DateTime<Utc>,
    /// The copy and its card.
    #[diesel(embed)]
    pub of: CardOfCopy,
}

/// The columns of a [`CardOfCopy`].
const CARD_COLUMNS: &str = "c.id AS copy_id, p.rarity, k.id AS card_id, k.game_code, k.set_code, k.number, \
                    u.submissions, u.threshold, u.unlocked_at";

/// Selects submissions with their cards, the rarities of their copies and the cards' progress.
///
/// `hold` says why the policy holds back a submission that may count for a hidden card: it waits for a moderator, or
/// the account has no vote for the card yet.
///
/// Whether a submission counts is a sub-select: with `EXISTS`, a generic plan expects many rows, and reads all counted
/// submissions.
fn select_submissions(condition: &str) -> String {
    format!(
        "SELECT s.id, s.created_at, \
                coalesce((SELECT true FROM counted_submissions vote WHERE vote.submission_id = s.id), false) AS counted, \
                hold.old_enough_at, coalesce(hold.by_network, false) AS by_network, coalesce(hold.by_review, false) AS by_review, {CARD_COLUMNS} \
         FROM submissions s \
         JOIN copies c ON c.code_prefix = s.code_prefix AND c.code_mac = s.code_mac \
         JOIN printings p ON p.id = c.printing_id \
         JOIN cards k ON k.id = s.card_id \
         LEFT JOIN unlocks u ON u.card_id = s.card_id \
         LEFT JOIN LATERAL ( \
             SELECT v.account_since + make_interval(days => policy.min_account_age_days) AS old_enough_at, \
                    policy.per_network IS NOT NULL AS by_network, policy.review AND v.confirmed IS NULL AS by_review \
             FROM valid_votes v \
             JOIN LATERAL (SELECT * FROM unlock_policies p \
                           WHERE p.game_code = k.game_code AND (p.set_code = k.set_code OR p.set_code IS NULL) \
                           ORDER BY p.set_code NULLS LAST LIMIT 1) policy ON true \
             WHERE v.submission_id = s.id AND u.by_policy AND u.unlocked_at IS NULL \
               AND ((policy.review AND v.confirmed IS NULL) \
                    OR NOT EXISTS (SELECT FROM submissions other JOIN counted_submissions vote ON vote.submission_id = other.id \
                                   WHERE other.account_id = s.account_id AND other.card_id = s.card_id)) \
         ) hold ON true WHERE {condition}"
    )
}

/// The caller's submissions, the newest first, after the one with id `before`.
pub async fn list(
    conn: &mut Connection,
    by: &Granted<ReadOwnSubmissions>,
    viewer: Viewer,
    before: Option<Uuid>,
    limit: i64,
) -> StoreResult<Vec<NamedSubmission>> {
    let statement = sql(select_submissions("s.account_id = $account AND s.id < $before"))
        .bind("account", by.account())
        .bind("before", before.unwrap_or(Uuid::max()));
    let rows = push_page(statement, "id DESC", limit).get_results(conn).await?;
    add_names(conn, viewer, rows).await
}

async fn add_names(
    conn: &mut Connection,
    viewer: Viewer,
    rows: Vec<SubmissionRow>,
) -> StoreResult<Vec<NamedSubmission>> {
    let cards: Vec<CardId> = rows.iter().map(|row| row.of.card_id).collect();
    let names = find_names(conn, viewer, &cards).await?;
    let name =
        |row: SubmissionRow| NamedSubmission { name: names.get(&row.of.card_id).cloned(), row };
    Ok(rows.into_iter().map(name).collect())
}

/// The names of those cards that the viewer may see.
pub async fn find_card_names(
    conn: &mut Connection,
    viewer: Viewer,
    cards: &[CardId],
) -> StoreResult<BTreeMap<CardId, String>> {
    find_names(conn, viewer, cards).await
}

/// One of the caller's submissions.
pub async fn find(
    conn: &mut Connection,
    by: &Granted<ReadOwnSubmissions>,
    viewer: Viewer,
    id: SubmissionId,
) -> StoreResult<Option<NamedSubmission>> {
    let row = find_own(conn, by.account(), id).await?;
    Ok(add_names(conn, viewer, row.into_iter().collect()).await?.pop())
}

/// The submission of an earlier request with this key, if any. The key is not claimed.
pub async fn find_answered(
    conn: &Connection,
    by: &Granted<SubmitSerials>,
    key: &IdempotencyClaim,
) -> StoreResult<Option<SubmissionRow>> {
    match idempotency::answered(conn, key).await? {
        Some(id) => find_own(conn, by.account(), SubmissionId(id)).await,
        None => Ok(None),
    }
}

/// A copy that the account owns.
async fn find_owned(
    mut conn: &Connection,
    account: AccountId,
    copy: CopyId,
) -> StoreResult<Option<OwnedRow>> {
    Ok(sql(format!(
        "SELECT c.registered_at, {CARD_COLUMNS} FROM copies c \
         JOIN printings p ON p.id = c.printing_id \
         JOIN cards k ON k.id = p.card_id \
         LEFT JOIN unlocks u ON u.card_id = k.id WHERE c.id = $copy AND c.owner_id = $account"
    ))
    .bind("copy", copy)
    .bind("account", account)
    .get_result(&mut conn)
    .await
    .optional()?)
}

/// A submission that the account made.
pub(in crate::store) async fn find_own(
    mut conn: &Connection,
    account: AccountId,
    id: SubmissionId,
) -> StoreResult<Option<SubmissionRow>> {
    Ok(sql(select_submissions("s.id = $id AND s.account_id = $account"))
        .bind("id", id)
        .bind("account", account)
        .get_result(&mut conn)
        .await
        .optional()?)
}
