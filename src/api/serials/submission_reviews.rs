//! Submissions that wait for a moderator, in sets whose unlock policy requires a review.

use actix_web::{HttpRequest, HttpResponse, web};
use serde::Deserialize;
use utoipa::{IntoParams, ToSchema};
use uuid::Uuid;

use crate::app::accounts::people::Person;
use crate::app::catalogue::codes::Codes;
use crate::app::page::{Cursor, Page, PageLimit};
use crate::app::problem::{Problem, both};
use crate::app::serials::submission_reviews::{
    self, ReviewResponse, WaitingSelection, WaitingSubmission,
};
use crate::app::state::AppState;
use crate::auth::permission::ReviewSubmissions;
use crate::domain::code::Code;
use crate::domain::ids::SubmissionId;
use crate::http::extract::{Caller, Judge, JudgedBody, LooseParams, May};
use crate::memory::rendered::Freshness;

/// Which waiting submissions, and which part of the list.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct WaitingQuery {
    /// Only submissions of this account: its id or its whole name. To use a name, a token needs `admin:read`.
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
    /// `next_cursor` of the previous page.
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
        let codes = Codes::of_set(query.game.clone(), query.set.clone());
        both(Cursor::key_of(query.cursor.as_ref()), codes.resolve(&state).await)
    };
    let (query, (after, codes)) = query.checked(check).await?;
    let account = Person::filter(query.account.as_ref(), || caller.must())?;
    let wanted = WaitingSelection { account, game: codes.game, set: codes.set };
    let (viewer, reader, limit) = (caller.viewer(), caller.may(), query.limit);
    let page = submission_reviews::list_waiting(
        &state,
        &by,
        viewer,
        reader.as_ref(),
        wanted,
        after,
        limit,
    )
    .await?;
    page.answer(&req, Freshness::Private)
}

/// A moderator's decision about a submission.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ReviewRequest {
    /// Whether the submission counts: `true` confirms it, `false` refuses it.
    pub confirmed: bool,
    /// The reason, for the audit log: 1 to 500 characters.
    #[schema(example = "Photo of the card seen.", min_length = 1, max_length = 500)]
    pub note: String,
}

/// Confirms or refuses a submission, permanently. Repeating the decision changes nothing.
///
/// The copy stays registered in both cases: a review only decides whether the submission counts for the unlock. A submission whose copy is void does not count, even if it is confirmed.
#[utoipa::path(
    put, path = "/v1/submissions/{submission}/review", tag = "serials", security(("bearer" = [])),
    params(("submission" = Uuid, Path, description = "Id of the submission")), request_body = ReviewRequest,
    responses((status = 200, body = ReviewResponse), (status = 409, description = "`already_reviewed`: a moderator has decided the opposite before; `own_case`"))
)]
pub async fn review_submission(
    state: web::Data<AppState>,
    by: May<ReviewSubmissions>,
    submission: web::Path<Uuid>,
    JudgedBody(body): JudgedBody<ReviewRequest>,
) -> Result<HttpResponse, Problem> {
    let (submission, confirmed) = (SubmissionId(*submission), body.value.confirmed);
    let note = body.value.note()?;
    let stored = submission_reviews::review(&state, &by, submission, confirmed, &note).await?;
    Ok(HttpResponse::Ok().json(stored.response))
}

impl ReviewRequest {
    /// Checks the note.
    fn note(&self) -> Result<String, Problem> {
        submission_reviews::read_note(&self.note)
    }
}

impl Judge for ReviewRequest {
    fn judge(&self) -> Result<(), Problem> {
        self.note().map(drop)
    }
}
