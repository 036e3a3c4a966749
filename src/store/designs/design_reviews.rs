//! Reviews of designs: submitted by authors, claimed for a time and decided by moderators.

use chrono::{DateTime, TimeDelta, Utc};
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Bool, Jsonb, Nullable, Text, Timestamptz, Uuid as SqlUuid};
use diesel_async::RunQueryDsl;

use super::artworks;
use super::design_lifecycle::{StepOutcome, lock};
use super::design_search;
use super::reserved_names::{self, NameOwner, NewName};
use crate::auth::permission::{Acting, Granted, ReviewDesigns, Viewer, WriteOwnDesigns};
use crate::domain::accounts::daily_limits::DailyActivity;
use crate::domain::designs::content::DesignContent;
use crate::domain::designs::identifier::DesignCode;
use crate::domain::designs::release::SentenceObstacle;
use crate::domain::designs::review::{REVOKED_ACTION, ReviewDecision};
use crate::domain::designs::status::{DesignStatus, DesignStep};
use crate::domain::ids::{AccountId, DesignId, DesignReviewId};
use crate::store::accounts::daily_counts::count_one;
use crate::store::catalogue::games::LoadedGame;
use crate::store::db::codecs::json::Json;
use crate::store::db::pages::push_page;
use crate::store::db::statement::sql;
use crate::store::feedback::locks::lock_subject;
use crate::store::operations::audit;
use crate::store::{Connection, StoreResult};

/// Submits one of the caller's designs for release. Its name is compared with the open cards that there are now, as when
/// it is shared. `content` is the content of the version that `is_current` accepts.
pub async fn submit(
    conn: &mut Connection,
    by: &Acting<WriteOwnDesigns>,
    code: DesignCode,
    is_current: impl Fn(i64) -> bool,
    (game, content): (&LoadedGame, &DesignContent),
    at: DateTime<Utc>,
) -> StoreResult<StepOutcome> {
    let (design, status) = match lock(conn, by, code, is_current, DesignStep::Submit).await? {
        Ok(locked) => locked,
        Err(outcome) => return Ok(outcome),
    };
    // A withdrawn design that others have seen is listed again.
    let is_listed_again = design.public_revision.is_some() && !design.status.is_listed();
    let name = is_listed_again.then(|| design.listed_name());
    let mut reserved = None;
    if let Some(name) = &name {
        match reserved_names::reserve(conn, design.id, name).await? {
            Ok(free) => reserved = Some(free),
            Err(owner) => return Ok(StepOutcome::NameTaken(owner)),
        }
    } else if let Some(card) = reserved_names::find_card(conn, &design.listed_name()).await? {
        return Ok(StepOutcome::NameTaken(card));
    }
    if let Err(limit) = count_one(conn, by.account(), DailyActivity::Submit, at).await? {
        return Ok(StepOutcome::TooManyToday(limit));
    }
    if let Some(reserved) = reserved {
        reserved.take(conn, at).await?;
    }
    sql("WITH design AS (\
         UPDATE designs SET status = $status, version = version + 1, updated_at = $at, \
          public_revision = CASE WHEN public_revision IS NOT NULL THEN revision END, \
          searched_revision = CASE WHEN $listed_again THEN revision ELSE searched_revision END WHERE id = $id RETURNING id, revision) \
        INSERT INTO design_reviews (id, design_id, revision, submitted_at) SELECT $review, id, revision, $at FROM design")
    .bind("id", design.id)
    .bind("status", status)
    .bind("review", DesignReviewId::generate())
    .bind("listed_again", is_listed_again)
    .bind("at", at)
    .execute(conn)
    .await?;
    if let Some(name) = &name {
        reserved_names::store_looks(conn, design.id, name).await?;
        design_search::write(conn, design.id, game, content).await?;
    }
    Ok(StepOutcome::Done)
}

/// A design that waits for a moderator, is claimed by one, or was approved.
#[derive(Clone, Debug, QueryableByName)]
pub struct WaitingDesign {
    #[diesel(sql_type = SqlUuid)]
    pub review: DesignReviewId,
    /// Identifier of the design.
    #[diesel(sql_type = Text)]
    pub code: DesignCode,
    #[diesel(sql_type = Text)]
    pub game_code: String,
    #[diesel(sql_type = Text)]
    pub name: String,
    /// Code of its kind.
    #[diesel(sql_type = Text)]
    pub kind: String,
    #[diesel(sql_type = SqlUuid)]
    pub author_id: AccountId,
    /// The author's name.
    #[diesel(sql_type = Text)]
    pub author: String,
    /// Number of the submitted revision.
    #[diesel(sql_type = BigInt)]
    pub revision: i64,
    /// When it was submitted.
    #[diesel(sql_type = Timestamptz)]
    pub submitted_at: DateTime<Utc>,
    /// Who claimed it last, even if the claim has expired, unless that account is no longer a moderator or is banned.
    #[diesel(sql_type = Nullable<SqlUuid>)]
    pub reviewer_id: Option<AccountId>,
    /// When the claim expires.
    #[diesel(sql_type = Nullable<Timestamptz>)]
    pub lease_until: Option<DateTime<Utc>>,
    /// When it was approved.
    #[diesel(sql_type = Nullable<Timestamptz>)]
    pub approved_at: Option<DateTime<Utc>>,
    /// Whether the reader is its author or contributed to it, and so cannot decide about it.
    #[diesel(sql_type = Bool)]
    pub own: bool,
    /// Whether its author is banned: then it is not released, but its approval can be revoked.
    #[diesel(sql_type = Bool)]
    pub author_banned: bool,
}

/// The columns of a [`WaitingDesign`] that do not depend on the stage.
const REVIEWED: &str = "SELECT v.id AS review, d.code, d.game_code, d.name, d.kind, d.account_id AS author_id, a.name AS author, v.revision, v.submitted_at, \
     d.account_id = $reader OR EXISTS (SELECT FROM design_revisions q WHERE q.design_id = d.id AND q.credited_to = $reader) AS own, a.banned_at IS NOT NULL AS author_banned, ";

/// Waiting designs. Designs of banned authors are left out.
const WAITING: &str = "m.id AS reviewer_id, v.lease_until, NULL::timestamptz AS approved_at \
     FROM design_reviews v JOIN designs d ON d.id = v.design_id JOIN accounts a ON a.id = d.account_id \
     LEFT JOIN accounts m ON m.id = v.reviewer_id AND m.role <> 'player' AND m.banned_at IS NULL \
     WHERE v.closed_at IS NULL AND a.banned_at IS NULL";

/// Approved designs with their last review, without those that are cards, also hidden ones. Each page reads all approved designs, because no index has
/// the order of their approvals: they are few, as each of them waits for an admin, or for another decision. With those of banned authors:
/// their approval can be revoked, and until then they may reserve their names.
const APPROVED: &str = "NULL::uuid AS reviewer_id, NULL::timestamptz AS lease_until, v.closed_at AS approved_at \
     FROM designs d JOIN accounts a ON a.id = d.account_id JOIN LATERAL (\
      SELECT id, revision, submitted_at, closed_at FROM design_reviews w WHERE w.design_id = d.id AND w.decision IS NOT NULL ORDER BY w.id DESC LIMIT 1) v ON true \
     WHERE d.status = 'approved' AND NOT EXISTS (SELECT FROM design_releases r WHERE r.design_id = d.id)";

/// Which designs a page of a list has, and after which one it begins.
#[derive(Clone, Copy, Debug)]
pub enum ReviewPage {
    /// Waiting designs, the first submitted first: those after the one with this review.
    Waiting(Option<DesignReviewId>),
    /// Approved designs, the newest approval first: those before this time and review.
    Approved(Option<(DateTime<Utc>, DesignReviewId)>),
}

/// Lists waiting or approved designs; with a game only those of that game.
pub async fn list(
    conn: &mut Connection,
    by: &Granted<ReviewDesigns>,
    page: ReviewPage,
    game: Option<&str>,
    limit: i64,
) -> StoreResult<Vec<WaitingDesign>> {
    let (rest, order) = match page {
        ReviewPage::Waiting(_) => (WAITING, "review"),
        ReviewPage::Approved(_) => (APPROVED, "approved_at DESC, review DESC"),
    };
    let mut statement = sql(format!("{REVIEWED}{rest}")).bind("reader", by.account());
    if let Some(game) = game {
        statement = statement.push(" AND d.game_code = $game").bind("game", game);
    }
    match page {
        ReviewPage::Waiting(Some(after)) => {
            statement = statement.push(" AND v.id > $after").bind("after", after);
        }
        ReviewPage::Approved(Some((at, before))) => {
            statement = statement
                .push(" AND (v.closed_at, v.id) < ($at, $before)")
                .bind("at", at)
                .bind("before", before);
        }
        ReviewPage::Waiting(None) | ReviewPage::Approved(None) => {}
    }
    Ok(push_page(statement, order, limit).load(conn).await?)
}

/// The result of a moderator's step.
#[derive(Debug)]
pub enum ReviewOutcome {
    Done,
    /// The moderator has decided so at that time, with the same reason: the request was sent twice.
    Repeat(DateTime<Utc>),
    /// There is no such design, or it has no open review.
    Missing,
    /// The moderator is its author, or contributed to it.
    Own,
    AuthorBanned,
    /// It was not submitted, or was already decided.
    NotFrom(DesignStatus),
    /// Another moderator has claimed it until this time.
    ClaimedByOther(DateTime<Utc>),
    /// The moderator has not claimed it, or the claim has expired.
    NotClaimed,
    /// Its sentences were not compared, because the moderator could not approve it then: it was claimed again since, or the ban
    /// of its author was lifted.
    ChangedMeanwhile,
    /// It cannot be approved, because something else has its name.
    NameTaken(NameOwner),
    /// It cannot be approved, because its artwork was taken down.
    ArtworkRemoved,
    /// It cannot be approved, because no template makes some of its sentences.
    Sentences(Vec<SentenceObstacle>),
    /// Another revision waits for the decision than that of the request.
    OtherSubmission {
        read: i64,
        submitted: i64,
    },
    /// Another revision is approved than that of the request.
    OtherRevision {
        read: i64,
        approved: i64,
    },
    /// Its approval cannot be revoked, because it already is this card; `None`: the moderator does not see the card.
    IsCard(Option<ReleasedCard>),
}

/// The place of the card that a design became.
#[derive(Debug, QueryableByName)]
pub struct ReleasedCard {
    #[diesel(sql_type = Text)]
    pub set_code: String,
    #[diesel(sql_type = Text)]
    pub number: String,
}

#[derive(QueryableByName)]
struct LockedReview {
    #[diesel(sql_type = SqlUuid)]
    design_id: DesignId,
    #[diesel(sql_type = SqlUuid)]
    account_id: AccountId,
    #[diesel(sql_type = Bool)]
    author_banned: bool,
    #[diesel(sql_type = Bool)]
    contributed: bool,
    #[diesel(sql_type = Text)]
    game_code: String,
    #[diesel(sql_type = Text)]
    name: String,
    #[diesel(sql_type = Text)]
    status: DesignStatus,
    #[diesel(sql_type = BigInt)]
    revision: i64,
    #[diesel(sql_type = Nullable<SqlUuid>)]
    review: Option<DesignReviewId>,
    /// Who claimed it last; `None` also if that account is no longer a moderator or is banned.
    #[diesel(sql_type = Nullable<SqlUuid>)]
    reviewer_id: Option<AccountId>,
    #[diesel(sql_type = Nullable<Timestamptz>)]
    lease_until: Option<DateTime<Utc>>,
}

impl LockedReview {
    /// Who holds the claim at a time, and until when.
    fn claim_at(&self, at: DateTime<Utc>) -> Option<(AccountId, DateTime<Utc>)> {
        self.reviewer_id.zip(self.lease_until).filter(|(_, until)| *until > at)
    }
}

/// Locks a design with its open review.
async fn lock_review(
    conn: &mut Connection,
    by: &Acting<ReviewDesigns>,
    code: DesignCode,
) -> StoreResult<Result<(LockedReview, DesignReviewId), ReviewOutcome>> {
    let found = match lock_judged(conn, by, code).await? {
        Ok(found) => found,
        Err(outcome) => return Ok(Err(outcome)),
    };
    Ok(match found.review {
        None => Err(ReviewOutcome::NotFrom(found.status)),
        Some(review) => Ok((found, review)),
    })
}

/// Locks a design about which the moderator may decide, with its open review, if there is one. The row of the design is
/// the lock for all steps, including those of its author.
async fn lock_judged(
    conn: &mut Connection,
    by: &Acting<ReviewDesigns>,
    code: DesignCode,
) -> StoreResult<Result<LockedReview, ReviewOutcome>> {
    lock_subject(conn, code.into()).await?;
    // A second statement: the one that takes a lock sees the review before its wait.
    let found: Option<LockedReview> = sql(
        "SELECT d.id AS design_id, d.account_id, a.banned_at IS NOT NULL AS author_banned, d.game_code, d.name, d.status, d.revision, v.id AS review, m.id AS reviewer_id, v.lease_until, \
          EXISTS (SELECT FROM design_revisions q WHERE q.design_id = d.id AND q.credited_to = $reviewer) AS contributed \
         FROM designs d JOIN accounts a ON a.id = d.account_id \
         LEFT JOIN design_reviews v ON v.design_id = d.id AND v.closed_at IS NULL \
         LEFT JOIN accounts m ON m.id = v.reviewer_id AND m.role <> 'player' AND m.banned_at IS NULL \
         WHERE d.code = $code AND (d.shared_at IS NOT NULL OR EXISTS (SELECT FROM design_reviews w WHERE w.design_id = d.id))",
    )
    .bind("code", code)
    .bind("reviewer", by.account())
    .get_result(conn)
    .await
    .optional()?;
    Ok(match found {
        None => Err(ReviewOutcome::Missing),
        Some(found) if found.account_id == by.account() || found.contributed => {
            Err(ReviewOutcome::Own)
        }
        Some(found) => Ok(found),
    })
}

/// Claims a design for review, or extends the claim: until it expires, no other moderator can claim the design.
pub async fn claim(
    conn: &mut Connection,
    by: &Acting<ReviewDesigns>,
    code: DesignCode,
    at: DateTime<Utc>,
    lease: TimeDelta,
) -> StoreResult<ReviewOutcome> {
    let (found, review) = match lock_review(conn, by, code).await? {
        Ok(locked) => locked,
        Err(outcome) => return Ok(outcome),
    };
    if found.author_banned {
        return Ok(ReviewOutcome::AuthorBanned);
    }
    if let Some((reviewer, until)) = found.claim_at(at)
        && reviewer != by.account()
    {
        return Ok(ReviewOutcome::ClaimedByOther(until));
    }
    sql("UPDATE design_reviews SET reviewer_id = $reviewer, lease_until = $until WHERE id = $review")
        .bind("review", review)
        .bind("reviewer", by.account())
        .bind("until", at + lease)
        .execute(conn)
        .await?;
    // An expired claim of another moderator is taken over.
    if found.status.after(DesignStep::Claim) == Some(DesignStatus::InReview) {
        set_status(conn, found.design_id, DesignStatus::InReview, at).await?;
    }
    Ok(ReviewOutcome::Done)
}

/// A claim that has not expired.
#[derive(Debug, QueryableByName)]
pub struct OpenClaim {
    #[diesel(sql_type = SqlUuid)]
    pub reviewer_id: AccountId,
    /// When it expires.
    #[diesel(sql_type = Timestamptz)]
    pub lease_until: DateTime<Utc>,
}

/// The claim of a design at a time.
pub async fn find_claim(
    conn: &mut Connection,
    _by: &Granted<ReviewDesigns>,
    code: DesignCode,
    at: DateTime<Utc>,
) -> StoreResult<Option<OpenClaim>> {
    let found = sql(
        "SELECT m.id AS reviewer_id, v.lease_until FROM designs d JOIN design_reviews v ON v.design_id = d.id AND v.closed_at IS NULL \
         JOIN accounts m ON m.id = v.reviewer_id AND m.role <> 'player' AND m.banned_at IS NULL \
         WHERE d.code = $code AND v.lease_until > $at",
    )
    .bind("code", code)
    .bind("at", at)
    .get_result(conn)
    .await
    .optional()?;
    Ok(found)
}

/// Releases the claim on a design, which then waits again.
pub async fn give_back(
    conn: &mut Connection,
    by: &Acting<ReviewDesigns>,
    code: DesignCode,
    at: DateTime<Utc>,
) -> StoreResult<ReviewOutcome> {
    let (found, review) = match lock_review(conn, by, code).await? {
        Ok(locked) => locked,
        Err(outcome) => return Ok(outcome),
    };
    let claimed = found.claim_at(at).is_some_and(|(reviewer, _)| reviewer == by.account());
    let status = found.status.after(DesignStep::Return);
    let Some(status) = status.filter(|_| claimed) else { return Ok(ReviewOutcome::NotClaimed) };
    sql("UPDATE design_reviews SET reviewer_id = NULL, lease_until = NULL WHERE id = $review")
        .bind("review", review)
        .execute(conn)
        .await?;
    set_status(conn, found.design_id, status, at).await?;
    Ok(ReviewOutcome::Done)
}

/// What a moderator decides about a design, and why.
#[derive(Clone, Copy, Debug)]
pub struct Judgement<'a> {
    pub decision: ReviewDecision,
    /// Number of the submitted revision that the moderator has read; `None`: the client does not say which.
    pub revision: Option<i64>,
    pub reason: &'a str,
}

/// What waits for a decision.
#[derive(Debug, QueryableByName)]
pub struct SubmittedDesign {
    #[diesel(sql_type = Text)]
    pub game_code: String,
    /// When it was submitted.
    #[diesel(sql_type = Timestamptz)]
    pub submitted_at: DateTime<Utc>,
    #[diesel(sql_type = Jsonb)]
    content: Json<DesignContent>,
}

impl SubmittedDesign {
    /// The content of the submitted revision.
    pub fn content(&self) -> &DesignContent {
        &self.content.0
    }
}

/// The submitted revision of a design that the moderator has claimed at a time; `None`: the design does not wait for a decision,
/// or not for theirs, or another `revision` was submitted than the moderator has read. What [`decide`] refuses because of its
/// state need not be compared with anything.
pub async fn find_submitted(
    conn: &mut Connection,
    by: &Granted<ReviewDesigns>,
    code: DesignCode,
    revision: Option<i64>,
    at: DateTime<Utc>,
) -> StoreResult<Option<SubmittedDesign>> {
    let found = sql(
        "SELECT d.game_code, v.submitted_at, r.content FROM designs d JOIN accounts a ON a.id = d.account_id AND a.banned_at IS NULL \
         JOIN design_reviews v ON v.design_id = d.id AND v.closed_at IS NULL AND v.reviewer_id = $reviewer AND v.lease_until > $at \
         JOIN design_revisions r ON r.design_id = d.id AND r.number = v.revision WHERE d.code = $code AND v.revision = coalesce($revision, v.revision)",
    )
    .bind("code", code)
    .bind("reviewer", by.account())
    .bind("revision", revision)
    .bind("at", at)
    .get_result(conn)
    .await
    .optional()?;
    Ok(found)
}

#[derive(QueryableByName)]
struct Submission {
    #[diesel(sql_type = Timestamptz)]
    submitted_at: DateTime<Utc>,
}

/// When a design was last submitted; `None`: never.
pub async fn find_submission_time(
    conn: &mut Connection,
    _by: &Granted<ReviewDesigns>,
    code: DesignCode,
) -> StoreResult<Option<DateTime<Utc>>> {
    let found: Option<Submission> = sql(
        "SELECT v.submitted_at FROM designs d JOIN design_reviews v ON v.design_id = d.id WHERE d.code = $code ORDER BY v.id DESC LIMIT 1",
    )
    .bind("code", code)
    .get_result(conn)
    .await
    .optional()?;
    Ok(found.map(|submission| submission.submitted_at))
}

/// Decides a design that the moderator has claimed. The decision is final for this revision, and written into the audit
/// log. Sent again, it changes nothing. Nothing is decided if another revision was submitted than the one that the moderator
/// has read. A design is not approved whose name something else took since it was submitted, whose artwork was taken down, or
/// which has obstacles in its `sentences`; `None`: they were not compared, because the moderator could not approve it then.
pub async fn decide(
    conn: &mut Connection,
    by: &Acting<ReviewDesigns>,
    code: DesignCode,
    judgement: Judgement<'_>,
    sentences: Option<&[SentenceObstacle]>,
    at: DateTime<Utc>,
) -> StoreResult<ReviewOutcome> {
    let Judgement { decision, revision, reason } = judgement;
    let (found, review) = match lock_review(conn, by, code).await? {
        Ok(locked) => locked,
        Err(ReviewOutcome::NotFrom(status)) => {
            let earlier = find_decision(conn, by, code, judgement).await?;
            return Ok(earlier.map_or(ReviewOutcome::NotFrom(status), ReviewOutcome::Repeat));
        }
        Err(outcome) => return Ok(outcome),
    };
    if found.author_banned {
        return Ok(ReviewOutcome::AuthorBanned);
    }
    // A submitted design is not changed, so its newest revision is the submitted one. Compared before the claim: who claims the
    // design again should know that it is not the one that was read.
    if let Some(read) = revision.filter(|read| *read != found.revision) {
        return Ok(ReviewOutcome::OtherSubmission { read, submitted: found.revision });
    }
    let claimed = found.claim_at(at).is_some_and(|(reviewer, _)| reviewer == by.account());
    let status = found.status.after(decision.step());
    let Some(status) = status.filter(|_| claimed) else { return Ok(ReviewOutcome::NotClaimed) };
    if decision == ReviewDecision::Approved {
        let Some(sentences) = sentences else { return Ok(ReviewOutcome::ChangedMeanwhile) };
        let name = NewName::new(&found.game_code, &found.name);
        if let Some(owner) = reserved_names::find_owner(conn, found.design_id, &name).await? {
            return Ok(ReviewOutcome::NameTaken(owner));
        }
        if artworks::newest_is_removed(conn, found.design_id).await? {
            return Ok(ReviewOutcome::ArtworkRemoved);
        }
        if !sentences.is_empty() {
            return Ok(ReviewOutcome::Sentences(sentences.to_vec()));
        }
    }
    sql("UPDATE design_reviews SET decision = $decision, reason = $reason, closed_at = $at WHERE id = $review")
        .bind("review", review)
        .bind("decision", decision)
        .bind("reason", reason)
        .bind("at", at)
        .execute(conn)
        .await?;
    set_status(conn, found.design_id, status, at).await?;
    let entry = audit::NewAuditEntry {
        actor: Some(by.account()),
        action: decision.audit_action(),
        target: format!("design:{code}"),
        details: serde_json::json!({ "reason": reason }),
        at,
    };
    audit::write(conn, entry).await?;
    Ok(ReviewOutcome::Done)
}

/// When the moderator made this decision, if it is the last one about the design.
async fn find_decision(
    conn: &mut Connection,
    by: &Acting<ReviewDesigns>,
    code: DesignCode,
    Judgement { decision, revision, reason }: Judgement<'_>,
) -> StoreResult<Option<DateTime<Utc>>> {
    #[derive(QueryableByName)]
    struct Found {
        #[diesel(sql_type = Timestamptz)]
        closed_at: DateTime<Utc>,
    }
    let found: Option<Found> = sql(
        "SELECT v.closed_at FROM (SELECT r.* FROM design_reviews r JOIN designs d ON d.id = r.design_id \
          WHERE d.code = $code AND r.decision IS NOT NULL ORDER BY r.id DESC LIMIT 1) v \
         WHERE v.reviewer_id = $reviewer AND v.decision = $decision AND v.reason = $reason AND v.revision = coalesce($revision, v.revision)",
    )
    .bind("code", code)
    .bind("reviewer", by.account())
    .bind("decision", decision)
    .bind("reason", reason)
    .bind("revision", revision)
    .get_result(conn)
    .await
    .optional()?;
    Ok(found.map(|found| found.closed_at))
}

/// Which approval is revoked, and why.
#[derive(Clone, Copy, Debug)]
pub struct Revocation<'a> {
    /// Number of the approved revision that the moderator has read.
    pub revision: i64,
    pub reason: &'a str,
}

/// Revokes the approval of a revision of a design that is no card: it is declined, so that its author can change it and
/// submit it again. Recorded as another review, and in the audit log. Also while the author is banned: an approved design
/// that was shared reserves its name even then. Sent again, it changes nothing. `viewer`: to whom the place of a hidden card is shown.
pub async fn revoke(
    conn: &mut Connection,
    by: &Acting<ReviewDesigns>,
    viewer: Viewer,
    code: DesignCode,
    Revocation { revision, reason }: Revocation<'_>,
    at: DateTime<Utc>,
) -> StoreResult<ReviewOutcome> {
    let found = match lock_judged(conn, by, code).await? {
        Ok(found) => found,
        Err(outcome) => return Ok(outcome),
    };
    let Some(status) = found.status.after(DesignStep::Revoke) else {
        let decision = ReviewDecision::Declined;
        let judgement = Judgement { decision, revision: Some(revision), reason };
        let earlier = find_decision(conn, by, code, judgement).await?;
        return Ok(earlier.map_or(ReviewOutcome::NotFrom(found.status), ReviewOutcome::Repeat));
    };
    // An approved design is not changed, so its newest revision is the approved one.
    if found.revision != revision {
        return Ok(ReviewOutcome::OtherRevision { read: revision, approved: found.revision });
    }
    let card: Option<ReleasedCard> = sql(
        "SELECT k.set_code, k.number FROM design_releases r JOIN cards k ON k.id = r.card_id WHERE r.design_id = $id",
    )
    .bind("id", found.design_id)
    .get_result(conn)
    .await
    .optional()?;
    if let Some(card) = card {
        // An approved design that is a card is a hidden card.
        return Ok(ReviewOutcome::IsCard(viewer.sees_all().then_some(card)));
    }
    sql("INSERT INTO design_reviews (id, design_id, revision, submitted_at, reviewer_id, lease_until, decision, reason, closed_at) \
         SELECT $review, d.id, d.revision, coalesce((SELECT max(v.submitted_at) FROM design_reviews v WHERE v.design_id = d.id), $at), \
          $reviewer, $at, $decision, $reason, $at FROM designs d WHERE d.id = $id")
    .bind("review", DesignReviewId::generate())
    .bind("id", found.design_id)
    .bind("reviewer", by.account())
    .bind("decision", ReviewDecision::Declined)
    .bind("reason", reason)
    .bind("at", at)
    .execute(conn)
    .await?;
    set_status(conn, found.design_id, status, at).await?;
    // The trigger that notifies the author of decisions sees only reviews that were open.
    sql("SELECT tell_of_design(account_id, NULL, 'design.declined', id, NULL, NULL, $at) FROM designs WHERE id = $id")
        .bind("id", found.design_id)
        .bind("at", at)
        .execute(conn)
        .await?;
    let entry = audit::NewAuditEntry {
        actor: Some(by.account()),
        action: REVOKED_ACTION,
        target: format!("design:{code}"),
        details: serde_json::json!({ "reason": reason }),
        at,
    };
    audit::write(conn, entry).await?;
    Ok(ReviewOutcome::Done)
}

async fn set_status(
    conn: &mut Connection,
    id: DesignId,
    status: DesignStatus,
    at: DateTime<Utc>,
) -> StoreResult<()> {
    sql("UPDATE designs SET status = $status, version = version + 1, updated_at = $at WHERE id = $id")
        .bind("id", id)
        .bind("status", status)
        .bind("at", at)
        .execute(conn)
        .await?;
    Ok(())
}
