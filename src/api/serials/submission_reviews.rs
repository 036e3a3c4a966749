//! Submissions that wait for a moderator, where the unlock policy asks for one.

use actix_web::{HttpRequest, HttpResponse, web};
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};
use uuid::Uuid;

use super::submissions::SubmittedCard;
use crate::api::accounts::people::Person;
use crate::app::accounts::people::{Names, PersonFilter};
use crate::app::catalogue::cards::CardUnlock;
use crate::app::catalogue::codes::Codes;
use crate::app::page::{Cursor, Page, PageLimit, paged};
use crate::app::problem::both;
use crate::app::problem::{InputFault, Problem, ProblemCode};
use crate::app::state::AppState;
use crate::auth::permission::ReviewSubmissions;
use crate::domain::code::Code;
use crate::domain::ids::SubmissionId;
use crate::domain::text;
use crate::http::extract::{Body, Caller, LooseParams, May};
use crate::memory::rendered::Freshness;
use crate::store::serials::submission_reviews::{self, NamedWaiting, Reviewed, WaitingFilter};
use crate::store::serials::unlocks;

/// Longest remark, in characters.
const LONGEST_NOTE: usize = 500;

/// A submission of a hidden card that counts only once a moderator confirms it.
#[derive(Serialize, ToSchema)]
pub struct WaitingSubmission {
    /// Id of the submission.
    pub submission: Uuid,
    /// Id of the account that made it.
    pub account: Uuid,
    /// Its name; absent for tokens without `admin:read`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "ada")]
    pub account_name: Option<String>,
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

impl WaitingSubmission {
    fn new(NamedWaiting { row, name }: NamedWaiting, names: &Names) -> Self {
        Self {
            submission: row.id.0,
            account: row.account_id.0,
            account_name: names.of(row.account_id.0),
            account_since: row.account_since,
            account_submissions: row.account_submissions,
            rarity: row.rarity,
            created_at: row.created_at,
            card: SubmittedCard {
                href: format!("/v1/cards/{}", row.card_id),
                id: row.card_id.0,
                game: row.game_code,
                set: row.set_code,
                number: row.number,
                name,
            },
        }
    }
}

/// Which of those that wait, and which part of the list.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct WaitingQuery {
    /// Only submissions of this account: its id or, for who may read accounts, its whole name.
    #[param(value_type = Option<String>, example = "ada")]
    account: Option<Person>,
    /// Only submissions of cards of this game.
    #[param(value_type = Option<String>, example = "ttcg")]
    game: Option<Code>,
    /// Only submissions of cards of this set.
    #[param(value_type = Option<String>, example = "veil")]
    set: Option<Code>,
    /// Items on a page: 1 to 200.
    #[serde(default)]
    #[param(value_type = Option<u16>, minimum = 1, maximum = 200, default = 50)]
    limit: PageLimit,
    /// `next_cursor` of the page before.
    #[param(value_type = Option<String>)]
    cursor: Option<Cursor>,
}

/// Lists the submissions that wait for a moderator, the oldest first.
#[utoipa::path(
    get, path = "/v1/submission-reviews", tag = "serials", security(("bearer" = [])), params(WaitingQuery),
    responses((status = 200, body = Page<WaitingSubmission>), (status = 304, description = "Not changed."))
)]
pub async fn list_waiting_submissions(
    req: HttpRequest,
    state: web::Data<AppState>,
    caller: Caller,
    by: May<ReviewSubmissions>,
    query: LooseParams<WaitingQuery>,
) -> Result<HttpResponse, Problem> {
    let check = async |query: &WaitingQuery| {
        let (game, set) = (query.game.clone(), query.set.clone());
        let codes = Codes { game, set, ..Codes::default() };
        both(Cursor::key_of(query.cursor.as_ref()), codes.known(&state).await)
    };
    let (query, (after, codes)) = query.checked(check).await?;
    let mut conn = state.store.connection().await?;
    let filter = WaitingFilter {
        account: PersonFilter::id(
            Person::filter(query.account.as_ref(), &caller)?.as_ref(),
            &mut conn,
        )
        .await?,
        game: codes.game.as_deref(),
        set: codes.set.as_deref(),
    };
    let (viewer, limit) = (caller.viewer(), query.limit.rows());
    let waiting = submission_reviews::waiting(&mut conn, &by, viewer, filter, after, limit).await?;
    let accounts = waiting.iter().map(|waiting| waiting.row.account_id.0);
    let names = Names::read(&mut conn, caller.may().as_ref(), accounts).await?;
    let one = |waiting| WaitingSubmission::new(waiting, &names);
    let page = paged(waiting, query.limit, |waiting| waiting.row.id, one);
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
