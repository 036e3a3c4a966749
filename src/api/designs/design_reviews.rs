//! Reviews of designs: authors submit, moderators claim and decide.

use actix_web::{HttpRequest, HttpResponse, web};
use serde::Deserialize;
use utoipa::{IntoParams, ToSchema};

use super::design_lifecycle::changed;
use super::identifier;
use crate::app::catalogue::codes::Codes;
use crate::app::designs::design_bodies::{DesignResponse, DesignReviewResponse};
use crate::app::designs::design_reviews::{self, ClaimedDesignResponse, WaitingDesignResponse};
use crate::app::page::{Cursor, Page, PageLimit};
use crate::app::problem::{Problem, both};
use crate::app::state::AppState;
use crate::app::versions::IfMatch;
use crate::auth::permission::{ReviewDesigns, WriteOwnDesigns};
use crate::domain::code::Code;
use crate::domain::designs::review::{ReviewDecision, ReviewStage};
use crate::domain::designs::revision_number::RevisionNumber;
use crate::http::extract::{Body, Caller, ClientNetwork, LooseParams, May};
use crate::memory::rendered::Freshness;
use crate::store::designs::design_reviews::{Judgement, Revocation};

/// Submits one of your designs for release.
///
/// It must break no rule, contain no free text (a sentence that no template makes), and have a free name and a licence that allows the release; otherwise 409
/// `design_not_releasable` lists the `obstacles`. 503 `timed_out`: there was not enough time to search the templates of its sentences; send the request again. While it is submitted or in review it cannot be changed, but it can be withdrawn. Only you and moderators see a
/// design that was never shared.
#[utoipa::path(
    post, path = "/v1/designs/{design}/submit", tag = "designs", security(("bearer" = [])),
    params(
        ("design" = String, Path, description = "Identifier of the design"),
        ("If-Match" = String, Header, description = "ETag of the version to submit", example = "\"r1\""),
    ),
    responses(
        (status = 200, body = DesignResponse, headers(("ETag" = String, description = "The new version"))),
        (status = 409, description = "`design_not_releasable`, `design_step_refused`, `design_taken_down`, `design_name_taken`"),
        (status = 412, description = "`precondition_failed`: it was changed since."),
        (status = 422, description = "`invalid_body`: its name, which an older version accepted, is too long to be compared (`/name`)."),
        (status = 428, description = "`precondition_required`"),
        (status = 429, description = "`daily_limit_reached`"),
    )
)]
pub async fn submit_design(
    state: web::Data<AppState>,
    by: May<WriteOwnDesigns>,
    network: ClientNetwork,
    design: web::Path<String>,
    if_match: Result<IfMatch, Problem>,
) -> Result<HttpResponse, Problem> {
    let (code, if_match) = (identifier(&design)?, if_match?);
    Ok(changed(design_reviews::submit(&state, &by, network.0, code, &if_match).await?))
}

/// Which designs that wait or were approved.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct WaitingDesignsQuery {
    /// Only designs of this game.
    #[param(value_type = Option<String>, example = "ttcg")]
    game: Option<Code>,
    /// Which designs; absent: `waiting`.
    #[serde(default)]
    #[param(inline, value_type = Option<ReviewStage>)]
    status: ReviewStage,
    /// Items on a page: 1 to 200.
    #[serde(default)]
    #[param(value_type = Option<u16>, minimum = 1, maximum = 200, default = 50)]
    limit: PageLimit,
    /// `next_cursor` of the previous page.
    #[param(value_type = Option<String>)]
    cursor: Option<Cursor>,
}

/// Lists the designs that are submitted or in review, with the moderator who has claimed each; or those that are approved and no cards yet, also those of banned authors.
///
/// Waiting designs: the first submitted first. Approved designs: the newest approval (`approved_at`) first.
#[utoipa::path(
    get, path = "/v1/design-reviews", tag = "designs", security(("bearer" = [])), params(WaitingDesignsQuery),
    responses((status = 200, body = Page<WaitingDesignResponse>), (status = 304, description = "Not changed."))
)]
pub async fn list_waiting_designs(
    req: HttpRequest,
    state: web::Data<AppState>,
    by: May<ReviewDesigns>,
    query: LooseParams<WaitingDesignsQuery>,
) -> Result<HttpResponse, Problem> {
    let check = async |query: &WaitingDesignsQuery| {
        let codes = Codes::of_game(query.game.clone());
        let page = design_reviews::page_at(query.status, query.cursor.as_ref());
        both(page, codes.resolve(&state).await)
    };
    let (query, (page, codes)) = query.checked(check).await?;
    let page = design_reviews::list(&state, &by, page, &codes, query.limit).await?;
    page.answer(&req, Freshness::Private)
}

/// Claims a design for review: for 30 minutes no other moderator can review it.
///
/// Claiming it again extends the claim to 30 minutes from now. A claim that has expired can be taken over, and so can that of an account that is no longer a
/// moderator, or is banned. The answer has the number of the submitted `revision`, a check of it, and the hidden cards that have its name. Moderators cannot review designs of their own, or designs with changes that they suggested.
#[utoipa::path(
    post, path = "/v1/designs/{design}/claim", tag = "designs", security(("bearer" = [])),
    params(("design" = String, Path, description = "Identifier of the design")),
    responses(
        (status = 200, body = ClaimedDesignResponse),
        (status = 409, description = "`design_claimed`, `design_step_refused`, `own_design`, `author_banned`"),
    )
)]
pub async fn claim_design(
    state: web::Data<AppState>,
    by: May<ReviewDesigns>,
    caller: Caller,
    network: ClientNetwork,
    design: web::Path<String>,
) -> Result<HttpResponse, Problem> {
    let (code, viewer) = (identifier(&design)?, caller.viewer());
    let claimed = design_reviews::claim(&state, &by, viewer, network.0, code).await?;
    Ok(HttpResponse::Ok().insert_header(("cache-control", "no-store")).json(claimed))
}

/// Returns a design that you have claimed: it waits for a moderator again.
#[utoipa::path(
    post, path = "/v1/designs/{design}/return", tag = "designs", security(("bearer" = [])),
    params(("design" = String, Path, description = "Identifier of the design")),
    responses(
        (status = 204, description = "Returned."),
        (status = 409, description = "`design_not_claimed`, `design_step_refused`, `own_design`"),
    )
)]
pub async fn return_design(
    state: web::Data<AppState>,
    by: May<ReviewDesigns>,
    design: web::Path<String>,
) -> Result<HttpResponse, Problem> {
    design_reviews::give_back(&state, &by, identifier(&design)?).await?;
    Ok(HttpResponse::NoContent().finish())
}

/// A moderator's decision about a design.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(example = json!({ "decision": "approved", "revision": 1, "reason": "A sound card with a voice of its own." }))]
pub struct DecideDesignRequest {
    /// `approved` or `declined`.
    #[schema(value_type = ReviewDecision, example = "approved")]
    pub decision: String,
    /// Number of the submitted revision that you have read (`revision` in the answer of the claim). If the author has submitted another one since, nothing is decided
    /// (`design_step_refused`). Older clients leave it out; then the decision is about the revision that is submitted now.
    #[serde(default)]
    #[schema(value_type = Option<i64>, example = 1, minimum = 1)]
    pub revision: Option<RevisionNumber>,
    /// Reason for the decision, 1 to 2000 characters. The author can read it.
    #[schema(example = "A sound card with a voice of its own.", min_length = 1, max_length = 2000)]
    pub reason: String,
}

/// Approves or declines a design that you have claimed.
///
/// The author can read the reason. A declined design can be changed and submitted again. With the `revision` that you have read, nothing is decided if the author has submitted
/// another one since. An approval compares the sentences with the templates that the game has now; 503 `timed_out`: there was not enough time for that; send the request again.
#[utoipa::path(
    post, path = "/v1/designs/{design}/decide", tag = "designs", security(("bearer" = [])), request_body = DecideDesignRequest,
    params(("design" = String, Path, description = "Identifier of the design")),
    responses(
        (status = 200, body = DesignReviewResponse),
        (status = 409, description = "`design_not_claimed`, `design_step_refused`, `own_design`, `author_banned`, `design_name_taken` (an approval), `design_not_releasable` (an approval: the `obstacles` are `artwork`, which was taken down, or `free_text` and `effect_search_limit`, if a sentence comes from no template any more), `edit_conflict` (an approval: the claim or a ban of the author changed at the same moment; send it again)"),
        (status = 422, description = "`invalid_body`"),
    )
)]
pub async fn decide_design(
    state: web::Data<AppState>,
    by: May<ReviewDesigns>,
    design: web::Path<String>,
    body: Body<DecideDesignRequest>,
) -> Result<HttpResponse, Problem> {
    let code = identifier(&design)?;
    let body = body.value;
    let (decision, reason) = design_reviews::read_decision(&body.decision, &body.reason)?;
    let revision = body.revision.map(RevisionNumber::get);
    let judgement = Judgement { decision, revision, reason: &reason };
    let decided = design_reviews::decide(&state, &by, code, judgement).await?;
    Ok(HttpResponse::Ok().insert_header(("cache-control", "no-store")).json(decided))
}

/// Which approval is revoked, and why.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct RevokeApprovalRequest {
    /// Number of the approved revision that you have read. If another revision is approved now, nothing is revoked.
    #[schema(value_type = i64, example = 1, minimum = 1)]
    pub revision: RevisionNumber,
    /// Reason for the revocation, 1 to 2000 characters. The author can read it, so it must not tell of hidden cards.
    #[schema(example = "Please choose another name.", min_length = 1, max_length = 2000)]
    pub reason: String,
}

/// Revokes the approval of a design that is no card yet.
///
/// The design is then `declined`: its author can read the reason, change the design and submit it again. No claim is needed. A design that is a card already,
/// also a hidden one, keeps its approval (409 `design_step_refused`), and so does a design of which another `revision` is approved now. The author may be banned.
#[utoipa::path(
    post, path = "/v1/designs/{design}/revoke", tag = "designs", security(("bearer" = [])), request_body = RevokeApprovalRequest,
    params(("design" = String, Path, description = "Identifier of the design")),
    responses(
        (status = 200, body = DesignReviewResponse),
        (status = 409, description = "`design_step_refused`, `own_design`"),
        (status = 422, description = "`invalid_body`"),
    )
)]
pub async fn revoke_approval(
    state: web::Data<AppState>,
    by: May<ReviewDesigns>,
    caller: Caller,
    design: web::Path<String>,
    body: Body<RevokeApprovalRequest>,
) -> Result<HttpResponse, Problem> {
    let (code, revision) = (identifier(&design)?, body.value.revision.get());
    let reason = design_reviews::read_reason(&body.value.reason)?;
    let revocation = Revocation { revision, reason: &reason };
    let revoked = design_reviews::revoke(&state, &by, caller.viewer(), code, revocation).await?;
    Ok(HttpResponse::Ok().insert_header(("cache-control", "no-store")).json(revoked))
}
