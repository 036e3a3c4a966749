//! Reviews of designs: authors submit, moderators claim and decide.

use chrono::{DateTime, SecondsFormat, Utc};
use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;

use super::design_bodies::{DesignReviewResponse, ParsedDesign};
use super::design_checks::{DesignCheckResponse, ReleaseObstacle, judge};
use super::design_lifecycle::{
    VersionedDesign, find, find_own, find_stored, require_comparable_name, version_check,
};
use super::design_sentences::{find_obstacles, timed_out};
use super::likeness::StoredAs;
use super::step_problems::{check_step, name_taken, not_releasable, require_own_step};
use crate::app::catalogue::codes::Codes;
use crate::app::page::{Cursor, CursorTime, Page, PageLimit, paged};
use crate::app::problem::{InputFault, Problem, ProblemCode};
use crate::app::problem_cause::{ProblemCause, RevocationRefusal};
use crate::app::state::AppState;
use crate::app::step_connection::StepConnection;
use crate::app::versions::{IfMatch, Revision};
use crate::app::words::{Word as _, words};
use crate::auth::permission::{Granted, ReadOwnDesigns, ReviewDesigns, Viewer, WriteOwnDesigns};
use crate::domain::designs::identifier::DesignCode;
use crate::domain::designs::release::SentenceObstacle;
use crate::domain::designs::review::{MAX_REASON, REVIEW_LEASE, ReviewDecision, ReviewStage};
use crate::domain::designs::status::DesignStep;
use crate::domain::ids::DesignReviewId;
use crate::domain::network::Network;
use crate::domain::text::prose_lines;
use crate::store::designs::DesignReviewer;
use crate::store::designs::design_reviews::{
    self, Judgement, ReleasedCard, ReviewOutcome, ReviewPage, Revocation, WaitingDesign,
};
use crate::store::designs::reserved_names::{self, HiddenNamesake};

words! {
    ReviewDecision: "A moderator's decision about a design.";
    ReviewStage: "Which designs a list of reviews has: `waiting` (submitted or in review) or `approved` (also those that were never shared, and those of banned authors; without those that are cards, also hidden ones).";
}

/// Submits one of the caller's designs for release, if the client's version is current and there are no obstacles.
pub async fn submit(
    app: &AppState,
    by: &Granted<WriteOwnDesigns>,
    network: Network,
    code: DesignCode,
    if_match: &IfMatch,
) -> Result<VersionedDesign, Problem> {
    let mut conn = StepConnection::new(&app.store);
    let stored = find_own(&mut conn, by, code).await?;
    if_match.check(Revision(stored.design.version))?;
    require_own_step(&stored, DesignStep::Submit)?;
    require_comparable_name(stored.content())?;
    let game = app.named_game_on(&mut conn, &stored.design.game_code).await?;
    let game = game.map_err(Problem::internal)?;
    drop(conn);
    let is_current = version_check(if_match, stored.design.version);
    let design = ParsedDesign { game, content: stored.into_content() };
    let check = judge(app, network, Some(by), &design, Some(StoredAs::design(code))).await?;
    // Before the time: obstacles stay, whatever the rest of the search finds.
    if !check.obstacles.is_empty() {
        return Err(not_releasable(&check.obstacles));
    }
    if !check.is_complete() {
        return Err(timed_out());
    }
    let at = app.clock.now();
    let content = (&*design.game, &design.content);
    let outcome = app
        .write_design(by, async |conn, by| {
            design_reviews::submit(conn, by, code, &is_current, content, at).await
        })
        .await?;
    check_step(app, DesignStep::Submit, outcome)?;
    tracing::info!(account = %by.account(), design = %code, "design submitted");
    find(app, Some(by), None, code).await
}

/// A design that waits for a moderator, that a moderator has claimed, or that was approved.
#[derive(Serialize, ToSchema)]
pub struct WaitingDesignResponse {
    /// Identifier of the design.
    #[schema(example = "D-7KQ2X0FM9F")]
    pub design: String,
    /// Code of its game.
    #[schema(example = "ttcg")]
    pub game: String,
    /// Name of the design.
    #[schema(example = "Lantern Heron")]
    pub name: String,
    /// Code of the kind of card.
    #[schema(example = "unit")]
    pub kind: String,
    /// Id of the author's account.
    pub account_id: Uuid,
    /// The author's name.
    #[schema(example = "ada")]
    pub author: String,
    /// Number of the revision to review, or that was approved.
    #[schema(example = 3, minimum = 1)]
    pub revision: i64,
    /// When it was submitted.
    pub submitted_at: DateTime<Utc>,
    /// Id of the moderator who has claimed it; absent: it can be claimed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reviewer_id: Option<Uuid>,
    /// When the claim expires. Until then no other moderator can claim the design.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub claimed_until: Option<DateTime<Utc>>,
    /// When it was approved; absent: it waits for a decision.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub approved_at: Option<DateTime<Utc>>,
    /// `true`: it is your own design, or you contributed to it, so you cannot decide about it (`own_design`); absent: neither is the case.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub own: bool,
    /// `true`: the author of the approved design is banned, so it is not released (`author_banned`), but its approval can be revoked; absent: the author is not banned.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub author_banned: bool,
}

impl WaitingDesignResponse {
    fn new(row: WaitingDesign, now: DateTime<Utc>) -> Self {
        let claim = row.reviewer_id.zip(row.lease_until).filter(|(_, until)| *until > now);
        Self {
            design: row.code.to_string(),
            game: row.game_code,
            name: row.name,
            kind: row.kind,
            account_id: row.author_id.0,
            author: row.author,
            revision: row.revision,
            submitted_at: row.submitted_at,
            reviewer_id: claim.map(|(reviewer, _)| reviewer.0),
            claimed_until: claim.map(|(_, until)| until),
            approved_at: row.approved_at,
            own: row.own,
            author_banned: row.author_banned,
        }
    }
}

/// Where a page of a list of reviews begins. Each list has its own order, so 400 for a cursor of the other one; but a cursor
/// with only a review begins the list of approved designs: older programs list them in the order of their reviews, and during
/// a rolling update a client may send such a cursor.
pub fn page_at(stage: ReviewStage, cursor: Option<&Cursor>) -> Result<ReviewPage, Problem> {
    Ok(match stage {
        ReviewStage::Waiting => ReviewPage::Waiting(Cursor::key_of(cursor)?),
        ReviewStage::Approved => {
            let of_older = cursor.is_some_and(|cursor| cursor.key::<DesignReviewId>().is_ok());
            let cursor = cursor.filter(|_| !of_older);
            let key: Option<(CursorTime, DesignReviewId)> = Cursor::key_of(cursor)?;
            ReviewPage::Approved(key.map(|(CursorTime(at), review)| (at, review)))
        }
    })
}

/// Lists the designs that wait for a moderator, the first submitted first; or those that were approved, the newest
/// approval first.
pub async fn list(
    app: &AppState,
    by: &Granted<ReviewDesigns>,
    page: ReviewPage,
    codes: &Codes,
    limit: PageLimit,
) -> Result<Page<WaitingDesignResponse>, Problem> {
    let mut conn = app.store.connection().await?;
    let game = codes.game.as_deref();
    let rows = design_reviews::list(&mut conn, by, page, game, limit.rows()).await?;
    let now = app.clock.now();
    let key = |row: &WaitingDesign| match row.approved_at {
        Some(at) => serde_json::json!([CursorTime(at), row.review]),
        None => serde_json::json!(row.review),
    };
    Ok(paged(rows, limit, key, |row| WaitingDesignResponse::new(row, now)))
}

/// A design that was claimed.
#[derive(Serialize, ToSchema)]
pub struct ClaimedDesignResponse {
    /// Number of the submitted revision, to which the `check` belongs. A decision names it (`revision`), so that nothing else is decided.
    #[schema(example = 3, minimum = 1)]
    pub revision: i64,
    /// When the claim expires. Until then no other moderator can claim the design. Claiming it again extends the claim to 30 minutes from then.
    pub claimed_until: DateTime<Utc>,
    /// The result of a check of the design as it is now. Its name is not compared with the names of hidden cards, as in the checks of the author.
    pub check: DesignCheckResponse,
    /// Hidden cards that have the name of the design, or one that looks the same: it could not be released. Only you and others who see all hidden cards may know this: do
    /// not write it into the reason of a decision. Absent: there is none, or you do not see all hidden cards.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub hidden_namesakes: Vec<HiddenNamesakeResponse>,
}

/// A hidden card with the name of a design.
#[derive(Serialize, ToSchema)]
pub struct HiddenNamesakeResponse {
    /// Code of its set.
    #[schema(example = "veil")]
    pub set: String,
    /// Its number in the set.
    #[schema(example = "004")]
    pub number: String,
}

impl From<HiddenNamesake> for HiddenNamesakeResponse {
    fn from(HiddenNamesake { set, number }: HiddenNamesake) -> Self {
        Self { set, number }
    }
}

/// Claims a design for review, or extends the claim. `viewer`: whose hidden cards the name is compared with.
pub async fn claim(
    app: &AppState,
    by: &Granted<ReviewDesigns>,
    viewer: Viewer,
    network: Network,
    code: DesignCode,
) -> Result<ClaimedDesignResponse, Problem> {
    let at = app.clock.now();
    let outcome = app
        .write_design(by, async |conn, by| {
            design_reviews::claim(conn, by, code, at, REVIEW_LEASE).await
        })
        .await?;
    check_review(outcome)?;
    tracing::info!(account = %by.account(), design = %code, "review of a design claimed");
    claimed(app, by, viewer, network, (code, at + REVIEW_LEASE)).await
}

/// The claim of a design at this moment.
pub enum DesignClaim {
    /// There is none.
    Free,
    /// The reader has claimed it.
    Own(Box<ClaimedDesignResponse>),
    /// Another moderator has claimed it until this time.
    Other(DateTime<Utc>),
}

/// Finds the claim of a design, with the check of the design if it is the reader's. Nothing is changed.
pub async fn find_claim(
    app: &AppState,
    by: &Granted<ReviewDesigns>,
    viewer: Viewer,
    network: Network,
    code: DesignCode,
) -> Result<DesignClaim, Problem> {
    let at = app.clock.now();
    let found =
        design_reviews::find_claim(&mut *app.store.connection().await?, by, code, at).await?;
    Ok(match found {
        None => DesignClaim::Free,
        Some(claim) if claim.reviewer_id == by.account() => {
            let own = claimed(app, by, viewer, network, (code, claim.lease_until)).await?;
            DesignClaim::Own(Box::new(own))
        }
        Some(claim) => DesignClaim::Other(claim.lease_until),
    })
}

/// A design that the moderator has claimed until a time, with its check.
async fn claimed(
    app: &AppState,
    by: &Granted<ReviewDesigns>,
    viewer: Viewer,
    network: Network,
    (code, claimed_until): (DesignCode, DateTime<Utc>),
) -> Result<ClaimedDesignResponse, Problem> {
    let reviewer = Some(DesignReviewer::new(by, viewer));
    let requester = None::<&Granted<ReadOwnDesigns>>;
    let mut conn = StepConnection::new(&app.store);
    let stored = find_stored(&mut conn, requester, reviewer, code).await?;
    let game = app.named_game_on(&mut conn, &stored.design.game_code).await?;
    let game = game.map_err(Problem::internal)?;
    drop(conn);
    let revision = stored.design.revision;
    let design = ParsedDesign { game, content: stored.into_content() };
    let check = judge(app, network, requester, &design, Some(StoredAs::design(code))).await?;
    let (game, name) = (design.game.game.code(), &design.content.name);
    let hidden_namesakes = list_hidden_namesakes(app, viewer, game, name).await?;
    Ok(ClaimedDesignResponse { revision, claimed_until, check, hidden_namesakes })
}

/// Lists hidden cards with a name, or one that looks the same; none for viewers who do not see all hidden cards.
pub async fn list_hidden_namesakes(
    app: &AppState,
    viewer: Viewer,
    game: &str,
    name: &str,
) -> Result<Vec<HiddenNamesakeResponse>, Problem> {
    let mut conn = app.store.connection().await?;
    let found = reserved_names::list_hidden_namesakes(&mut conn, viewer, game, name).await?;
    Ok(found.into_iter().map(Into::into).collect())
}

/// Releases the claim on a design, which then waits again.
pub async fn give_back(
    app: &AppState,
    by: &Granted<ReviewDesigns>,
    code: DesignCode,
) -> Result<(), Problem> {
    let at = app.clock.now();
    let outcome = app
        .write_design(by, async |conn, by| design_reviews::give_back(conn, by, code, at).await)
        .await?;
    check_review(outcome)?;
    tracing::info!(account = %by.account(), design = %code, "review of a design given back");
    Ok(())
}

/// Reads a decision about a design and the reason for it.
pub fn read_decision(decision: &str, reason: &str) -> Result<(ReviewDecision, String), Problem> {
    let decision =
        ReviewDecision::read(decision).map_err(|message| InputFault::at("/decision", message));
    let reason =
        prose_lines(reason, 1, MAX_REASON).map_err(|error| InputFault::at("/reason", error));
    match (decision, reason) {
        (Ok(decision), Ok(reason)) => Ok((decision, reason)),
        (decision, reason) => {
            Err(Problem::invalid(decision.err().into_iter().chain(reason.err()).collect()))
        }
    }
}

/// Decides a claimed design. The author can read the reason. An approval compares its sentences with the templates again, which
/// may have changed since it was submitted.
pub async fn decide(
    app: &AppState,
    by: &Granted<ReviewDesigns>,
    code: DesignCode,
    judgement: Judgement<'_>,
) -> Result<DesignReviewResponse, Problem> {
    let at = app.clock.now();
    let sentences = match judgement.decision {
        ReviewDecision::Approved => {
            list_sentence_obstacles(app, by, code, judgement.revision, at).await?
        }
        ReviewDecision::Declined => None,
    };
    let outcome = app
        .write_design(by, async |conn, by| {
            design_reviews::decide(conn, by, code, judgement, sentences.as_deref(), at).await
        })
        .await?;
    let decided_at = if let ReviewOutcome::Repeat(earlier) = outcome { earlier } else { at };
    check_review(outcome)?;
    let (decision, reason) = (judgement.decision.as_str(), judgement.reason.to_owned());
    tracing::info!(account = %by.account(), design = %code, decision, "design decided");
    Ok(DesignReviewResponse { decision, reason, decided_at })
}

/// Why sentences of a submitted design prevent its approval at a time; `None`: they were not compared, because the moderator
/// cannot approve it then.
/// `revision`: the one that the moderator has read.
async fn list_sentence_obstacles(
    app: &AppState,
    by: &Granted<ReviewDesigns>,
    code: DesignCode,
    revision: Option<i64>,
    at: DateTime<Utc>,
) -> Result<Option<Vec<SentenceObstacle>>, Problem> {
    let mut conn = app.store.connection().await?;
    let submitted = design_reviews::find_submitted(&mut conn, by, code, revision, at).await?;
    drop(conn);
    let Some(submitted) = submitted else { return Ok(None) };
    let (game, at) = (&submitted.game_code, submitted.submitted_at);
    let found = find_obstacles(app, game, submitted.content(), at).await?;
    Ok(Some(found.into_iter().map(|(_, obstacle)| obstacle).collect()))
}

/// Reads the reason for a revocation.
pub fn read_reason(reason: &str) -> Result<String, Problem> {
    prose_lines(reason, 1, MAX_REASON)
        .map_err(|error| Problem::invalid(vec![InputFault::at("/reason", error)]))
}

/// Revokes the approval of a design that is no card yet: it is declined. The author can read the reason. `viewer`: to whom
/// the place of a hidden card is shown.
pub async fn revoke(
    app: &AppState,
    by: &Granted<ReviewDesigns>,
    viewer: Viewer,
    code: DesignCode,
    revocation: Revocation<'_>,
) -> Result<DesignReviewResponse, Problem> {
    let at = app.clock.now();
    let outcome = app
        .write_design(by, async |conn, by| {
            design_reviews::revoke(conn, by, viewer, code, revocation, at).await
        })
        .await?;
    if let ReviewOutcome::NotFrom(status) = outcome {
        return Err(not_revoked(RevocationRefusal::of_status(status)));
    }
    let decided_at = if let ReviewOutcome::Repeat(earlier) = outcome { earlier } else { at };
    check_review(outcome)?;
    tracing::info!(account = %by.account(), design = %code, revision = revocation.revision, "approval of a design revoked");
    let (decision, reason) = (ReviewDecision::Declined.as_str(), revocation.reason.to_owned());
    Ok(DesignReviewResponse { decision, reason, decided_at })
}

fn check_review(outcome: ReviewOutcome) -> Result<(), Problem> {
    Err(match outcome {
        ReviewOutcome::Done | ReviewOutcome::Repeat(_) => return Ok(()),
        ReviewOutcome::Missing => Problem::not_found(),
        ReviewOutcome::Own => Problem::new(ProblemCode::OwnDesign),
        ReviewOutcome::AuthorBanned => Problem::new(ProblemCode::AuthorBanned),
        ReviewOutcome::NotFrom(status) => Problem::new(ProblemCode::DesignStepRefused)
            .detail(format!("Its status is {}: there is nothing to decide.", status.as_str())),
        ReviewOutcome::ClaimedByOther(until) => {
            let until = until.to_rfc3339_opts(SecondsFormat::Secs, true);
            Problem::new(ProblemCode::DesignClaimed)
                .detail(format!("Another moderator has claimed it until {until}."))
        }
        ReviewOutcome::NotClaimed => Problem::new(ProblemCode::DesignNotClaimed),
        ReviewOutcome::ChangedMeanwhile => Problem::new(ProblemCode::EditConflict),
        ReviewOutcome::NameTaken(owner) => name_taken(owner.into()),
        ReviewOutcome::ArtworkRemoved => not_releasable(&[ReleaseObstacle::Artwork]),
        ReviewOutcome::Sentences(found) => not_releasable(&obstacles_of(&found)),
        ReviewOutcome::OtherSubmission { read, submitted } => {
            Problem::new(ProblemCode::DesignStepRefused)
                .because(ProblemCause::OtherSubmission { read, submitted })
        }
        ReviewOutcome::OtherRevision { read, approved } => {
            not_revoked(RevocationRefusal::OtherRevision { read, approved })
        }
        ReviewOutcome::IsCard(Some(ReleasedCard { set_code: set, number })) => {
            not_revoked(RevocationRefusal::Card { set, number })
        }
        ReviewOutcome::IsCard(None) => not_revoked(RevocationRefusal::SomeCard),
    })
}

/// Each obstacle once, in the order of checks.
fn obstacles_of(sentences: &[SentenceObstacle]) -> Vec<ReleaseObstacle> {
    let all = [
        (SentenceObstacle::FreeText, ReleaseObstacle::FreeText),
        (SentenceObstacle::SearchLimit, ReleaseObstacle::EffectSearchLimit),
    ];
    let stands = all.into_iter().filter(|(obstacle, _)| sentences.contains(obstacle));
    stands.map(|(_, obstacle)| obstacle).collect()
}

fn not_revoked(refusal: RevocationRefusal) -> Problem {
    Problem::new(ProblemCode::DesignStepRefused).because(ProblemCause::Revocation(refusal))
}
