//! Reviews of submissions by moderators, if the unlock policy requires them.

use chrono::{DateTime, Utc};
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Bool, Text, Timestamptz, Uuid as SqlUuid};
use diesel_async::RunQueryDsl;
use uuid::Uuid;

use super::votes;
use crate::auth::permission::{Acting, Granted, ReviewSubmissions, Viewer};
use crate::domain::ids::{AccountId, CardId, SubmissionId};
use crate::store::card_content::pool::find_names;
use crate::store::copies::ledger;
use crate::store::db::pages::push_page;
use crate::store::db::schema::{submission_reviews, submissions};
use crate::store::db::statement::sql;
use crate::store::operations::audit;
use crate::store::{Connection, StoreResult};

/// A submission that waits for a moderator.
#[derive(Clone, Debug, QueryableByName)]
pub struct WaitingRow {
    #[diesel(sql_type = SqlUuid)]
    pub id: SubmissionId,
    /// The submitter.
    #[diesel(sql_type = SqlUuid)]
    pub account_id: AccountId,
    /// When the account was registered.
    #[diesel(sql_type = Timestamptz)]
    pub account_since: DateTime<Utc>,
    /// Number of all submissions of the account.
    #[diesel(sql_type = BigInt)]
    pub account_submissions: i64,
    #[diesel(sql_type = SqlUuid)]
    pub card_id: CardId,
    #[diesel(sql_type = Text)]
    pub game_code: String,
    #[diesel(sql_type = Text)]
    pub set_code: String,
    /// Its number in the set.
    #[diesel(sql_type = Text)]
    pub number: String,
    /// Rarity of the copy.
    #[diesel(sql_type = Text)]
    pub rarity: String,
    /// When it was created.
    #[diesel(sql_type = Timestamptz)]
    pub created_at: DateTime<Utc>,
    /// Whether the reader owns or claims its copy, or did so before, and so cannot decide about it.
    #[diesel(sql_type = Bool)]
    pub own: bool,
}

/// A waiting submission with the name of its card.
#[derive(Clone, Debug)]
pub struct NamedWaitingRow {
    /// The submission.
    pub row: WaitingRow,
    /// The card's name; `None`: the card is hidden from the viewer.
    pub name: Option<String>,
}

/// Filter of waiting submissions; all conditions must hold.
#[derive(Clone, Copy, Debug, Default)]
pub struct WaitingFilter<'a> {
    /// The submitter.
    pub account: Option<AccountId>,
    /// Code of the card's game.
    pub game: Option<&'a str>,
    /// Code of the card's set.
    pub set: Option<&'a str>,
}

/// Submissions of hidden cards that wait for a moderator, the oldest first, after the one with id `after`. Those of
/// banned accounts and of void copies are left out, because they do not count.
pub async fn list_waiting(
    conn: &mut Connection,
    by: &Granted<ReviewSubmissions>,
    viewer: Viewer,
    filter: WaitingFilter<'_>,
    after: Option<Uuid>,
    limit: i64,
) -> StoreResult<Vec<NamedWaitingRow>> {
    // The text contains only the conditions of this filter, so that a generic plan can start with them.
    let mut conditions = String::new();
    for (is_filtered, condition) in [
        (filter.account.is_some(), " AND s.account_id = $account"),
        (filter.game.is_some(), " AND k.game_code = $game"),
        (filter.set.is_some(), " AND k.set_code = $set"),
    ] {
        if is_filtered {
            conditions.push_str(condition);
        }
    }
    let statement = sql(
        "SELECT s.submission_id AS id, s.account_id, s.account_since, \
                (SELECT count(*) FROM submissions submitted WHERE submitted.account_id = s.account_id) AS account_submissions, \
                k.id AS card_id, k.game_code, k.set_code, k.number, p.rarity, s.created_at, \
                EXISTS (SELECT FROM submissions made JOIN copy_ledger l ON l.code_prefix = made.code_prefix AND l.code_mac = made.code_mac \
                        WHERE made.id = s.submission_id AND (l.owner_id = $reader OR (l.entry = 'dispute' AND l.account_id = $reader))) AS own \
         FROM valid_votes s \
         JOIN unlocks u ON u.card_id = s.card_id AND u.unlocked_at IS NULL AND u.by_policy \
         JOIN cards k ON k.id = s.card_id \
         JOIN printings p ON p.id = s.printing_id \
         JOIN LATERAL (SELECT policy.review FROM unlock_policies policy \
                       WHERE policy.game_code = k.game_code AND (policy.set_code = k.set_code OR policy.set_code IS NULL) \
                       ORDER BY policy.set_code NULLS LAST LIMIT 1) policy ON policy.review \
         WHERE s.submission_id > $after AND s.confirmed IS NULL",
    )
    .push(&conditions)
    .bind("reader", by.account())
    .bind("after", after.unwrap_or_default())
    .bind_some("account", filter.account)
    .bind_some("game", filter.game)
    .bind_some("set", filter.set);
    let rows: Vec<WaitingRow> =
        push_page(statement, "id", limit).varies_with_filters().load(conn).await?;
    let cards: Vec<CardId> = rows.iter().map(|row| row.card_id).collect();
    let names = find_names(conn, viewer, &cards).await?;
    let name = |row: WaitingRow| NamedWaitingRow { name: names.get(&row.card_id).cloned(), row };
    Ok(rows.into_iter().map(name).collect())
}

/// The result of a review.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReviewOutcome {
    /// It is stored, or was stored before with the same outcome.
    Stored {
        card: CardId,
        /// Whether it unlocked the card.
        unlocked: bool,
        /// The review that was stored before, with the same outcome.
        earlier: Option<EarlierReview>,
        /// Whether the copy is void, so that its submission cannot count.
        is_void: bool,
    },
    /// A moderator has stored the opposite before.
    Contradicts,
    /// It concerns a copy that the moderator owns or claims, or did so before.
    Own,
    /// There is no such submission.
    Missing,
}

/// A review that was stored before another one with the same outcome.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EarlierReview {
    /// By the same moderator, with the same note: the request was sent twice.
    Same,
    /// By somebody else, or with another note.
    Another,
}

/// Confirms or refuses a submission, and recounts its card. A review is final.
pub async fn review(
    conn: &mut Connection,
    by: &Acting<ReviewSubmissions>,
    submission: SubmissionId,
    confirmed: bool,
    remark: &str,
    at: DateTime<Utc>,
) -> StoreResult<ReviewOutcome> {
    let submitted: Option<(CardId, String, Vec<u8>)> = submissions::table
        .find(submission)
        .select((submissions::card_id, submissions::code_prefix, submissions::code_mac))
        .first(conn)
        .await
        .optional()?;
    let Some((card, prefix, mac)) = submitted else { return Ok(ReviewOutcome::Missing) };
    let Some(copy) = ledger::lock_by_key(conn, &prefix, &mac).await? else {
        return Ok(ReviewOutcome::Missing);
    };
    if ledger::is_party(conn, &copy, by.account()).await? {
        return Ok(ReviewOutcome::Own);
    }
    let is_void = copy.voided_at.is_some();
    let inserted = diesel::insert_into(submission_reviews::table)
        .values((
            submission_reviews::submission_id.eq(submission),
            submission_reviews::confirmed.eq(confirmed),
            submission_reviews::reviewer_id.eq(by.account()),
            submission_reviews::note.eq(remark),
            submission_reviews::created_at.eq(at),
        ))
        .on_conflict_do_nothing()
        .execute(conn)
        .await?;
    if inserted == 0 {
        let (before, reviewer, note): (bool, AccountId, String) = submission_reviews::table
            .find(submission)
            .select((
                submission_reviews::confirmed,
                submission_reviews::reviewer_id,
                submission_reviews::note,
            ))
            .first(conn)
            .await?;
        if before != confirmed {
            return Ok(ReviewOutcome::Contradicts);
        }
        let is_same = reviewer == by.account() && note == remark;
        let earlier = Some(if is_same { EarlierReview::Same } else { EarlierReview::Another });
        return Ok(ReviewOutcome::Stored { card, unlocked: false, earlier, is_void });
    }
    let entry = audit::NewAuditEntry {
        actor: Some(by.account()),
        action: "submission.reviewed",
        target: format!("submission:{submission}"),
        details: serde_json::json!({ "confirmed": confirmed, "note": remark }),
        at,
    };
    audit::write(conn, entry).await?;
    let unlocked = votes::count_card(conn, card, at).await?;
    Ok(ReviewOutcome::Stored { card, unlocked, earlier: None, is_void })
}
