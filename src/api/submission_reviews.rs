//! Submissions that wait for a moderator, where the unlock policy asks for one.

use actix_web::{HttpRequest, HttpResponse, web};
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use uuid::Uuid;

use super::cards::CardUnlock;
use super::extract::{Body, Caller, Freshness, May, Page, PageQuery, Params, paged};
use super::problem::{InputFault, Problem, ProblemCode};
use super::state::AppState;
use super::submissions::SubmittedCard;
use crate::auth::permission::ReviewSubmissions;
use crate::domain::ids::SubmissionId;
use crate::domain::text;
use crate::store::submission_reviews::{self, NamedWaiting, Reviewed};
use crate::store::unlocks;

/// Longest remark, in characters.
const LONGEST_NOTE: usize = 500;

/// A submission of a hidden card that counts only once a moderator confirms it.
#[derive(Serialize, ToSchema)]
pub struct WaitingSubmission {
    /// Id of the submission.
    pub submission: Uuid,
    /// Id of the account that made it.
    pub account: Uuid,
    /// Since when the account exists.
    pub account_since: DateTime<Utc>,
    /// How many submissions it has made in all.
    #[schema(example = 12)]
    pub account_submissions: i64,
    /// The card.
    pub card: SubmittedCard,
    /// Rarity of the copy.
    #[schema(example = "common")]
    pub rarity: String,
    /// When it was made.
    pub created_at: DateTime<Utc>,
}

impl From<NamedWaiting> for WaitingSubmission {
    fn from(NamedWaiting { row, name }: NamedWaiting) -> Self {
        Self {
            submission: row.id,
            account: row.account_id,
            account_since: row.account_since,
            account_submissions: row.account_submissions,
            rarity: row.rarity,
            created_at: row.created_at,
            card: SubmittedCard {
                href: format!("/v1/cards/{}", row.card_id),
                id: row.card_id,
                game: row.game_code,
                set: row.set_code,
                number: row.number,
                name,
            },
        }
    }
}

/// Lists the submissions that wait for a moderator, the oldest first.
#[utoipa::path(
    get, path = "/v1/submission-reviews", tag = "serials", security(("bearer" = [])), params(PageQuery),
    responses((status = 200, body = Page<WaitingSubmission>), (status = 304, description = "Not changed."))
)]
pub async fn list_waiting_submissions(
    req: HttpRequest,
    state: web::Data<AppState>,
    caller: Caller,
    by: May<ReviewSubmissions>,
    query: Params<PageQuery>,
) -> Result<HttpResponse, Problem> {
    let after = query.after()?;
    let mut conn = state.store.connection().await?;
    let limit = query.limit;
    let viewer = caller.viewer();
    let waiting = submission_reviews::waiting(&mut conn, &by, viewer, after, limit.rows()).await?;
    let page = paged(waiting, limit, |waiting| waiting.row.id, WaitingSubmission::from);
    page.answer(&req, Freshness::Private)
}

/// What a moderator says of a submission.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ReviewRequest {
    /// Whether it counts.
    pub confirmed: bool,
    /// Why, for the audit log: 1 to 500 characters.
    #[schema(example = "Photo of the card seen.", min_length = 1, max_length = 500)]
    pub note: String,
}

/// A submission that was reviewed.
#[derive(Serialize, ToSchema)]
pub struct ReviewResponse {
    /// Id of the card.
    pub card: Uuid,
    /// Whether this review unlocked the card.
    pub unlocked: bool,
    /// How far the card is now.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unlock: Option<CardUnlock>,
}

/// Confirms or refuses a submission. That is final; saying the same again changes nothing.
///
/// The copy stays registered either way: a review is about the unlock alone.
#[utoipa::path(
    put, path = "/v1/submissions/{submission}/review", tag = "serials", security(("bearer" = [])),
    params(("submission" = Uuid, Path, description = "Id of the submission")), request_body = ReviewRequest,
    responses((status = 200, body = ReviewResponse), (status = 409, description = "`already_reviewed`: the other way; `own_case`"))
)]
pub async fn review_submission(
    state: web::Data<AppState>,
    by: May<ReviewSubmissions>,
    submission: web::Path<Uuid>,
    body: Body<ReviewRequest>,
) -> Result<HttpResponse, Problem> {
    let (submission, confirmed) = (SubmissionId(*submission), body.value.confirmed);
    let note = text::line(&body.value.note, 1, LONGEST_NOTE)
        .map_err(|error| Problem::invalid(vec![InputFault::at("/note", error)]))?;
    let at = state.clock.now();
    let reviewed = state
        .write(&by, async |conn, by| {
            submission_reviews::review(conn, by, submission, confirmed, &note, at).await
        })
        .await?;
    let (card, unlocked, already) = match reviewed {
        Reviewed::Noted { card, unlocked, already } => (card, unlocked, already),
        Reviewed::Own => return Err(Problem::new(ProblemCode::OwnCase)),
        Reviewed::Contradicts => return Err(Problem::new(ProblemCode::AlreadyReviewed)),
        Reviewed::Missing => return Err(Problem::not_found()),
    };
    if !already {
        tracing::info!(by = %by.account(), %submission, confirmed, unlocked, "submission reviewed");
    }
    let mut conn = state.store.connection().await?;
    let unlock = unlocks::progress(&mut conn, card).await?.map(Into::into);
    Ok(HttpResponse::Ok().json(ReviewResponse { card: card.0, unlocked, unlock }))
}
