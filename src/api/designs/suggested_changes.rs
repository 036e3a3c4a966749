//! Suggested changes: other players suggest a change of a design, and its author accepts or declines it.

use actix_web::{HttpRequest, HttpResponse, web};
use serde::Deserialize;
use utoipa::{IntoParams, ToSchema};
use uuid::Uuid;

use super::design_lifecycle::changed;
use super::identifier;
use crate::app::designs::design_bodies::{DesignRequest, DesignResponse};
use crate::app::designs::suggested_changes::{
    self, SuggestedChangeResponse, SuggestedChangeSummary, SuggestionDraft,
};
use crate::app::page::{Cursor, Page, PageLimit};
use crate::app::problem::Problem;
use crate::app::state::AppState;
use crate::app::versions::IfMatch;
use crate::auth::permission::{GiveFeedback, ReadOwnDesigns, WriteOwnDesigns};
use crate::domain::designs::revision_number::RevisionNumber;
use crate::domain::ids::SuggestionId;
use crate::http::extract::{Body, ClientNetwork, IdempotencyKey, LooseParams, May, cacheable};
use crate::memory::rendered::Freshness;

/// Which part of the list.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct SuggestedChangesQuery {
    /// Items on a page: 1 to 200.
    #[serde(default)]
    #[param(value_type = Option<u16>, minimum = 1, maximum = 200, default = 50)]
    limit: PageLimit,
    /// `next_cursor` of the previous page.
    #[param(value_type = Option<String>)]
    cursor: Option<Cursor>,
}

/// Lists suggested changes of a design, the newest first: all of them if the design is yours, otherwise those that you made.
#[utoipa::path(
    get, path = "/v1/designs/{design}/suggestions", tag = "designs", security(("bearer" = [])),
    params(("design" = String, Path, description = "Identifier of the design"), SuggestedChangesQuery),
    responses((status = 200, body = Page<SuggestedChangeSummary>), (status = 304, description = "Not changed."))
)]
pub async fn list_suggested_changes(
    req: HttpRequest,
    state: web::Data<AppState>,
    by: May<ReadOwnDesigns>,
    design: web::Path<String>,
    query: LooseParams<SuggestedChangesQuery>,
) -> Result<HttpResponse, Problem> {
    let code = identifier(&design)?;
    let check = async |query: &SuggestedChangesQuery| Cursor::key_of(query.cursor.as_ref());
    let (query, before): (_, Option<Uuid>) = query.checked(check).await?;
    let before = before.map(SuggestionId);
    let page = suggested_changes::list(&state, &by, code, before, query.limit).await?;
    page.answer(&req, Freshness::Private)
}

/// Shows a suggested change of one of your designs, or one that you made.
#[utoipa::path(
    get, path = "/v1/designs/{design}/suggestions/{suggestion}", tag = "designs", security(("bearer" = [])),
    params(("design" = String, Path, description = "Identifier of the design"), ("suggestion" = Uuid, Path, description = "Id of the suggestion")),
    responses((status = 200, body = SuggestedChangeResponse), (status = 304, description = "Not changed."))
)]
pub async fn find_suggested_change(
    req: HttpRequest,
    state: web::Data<AppState>,
    by: May<ReadOwnDesigns>,
    path: web::Path<(String, Uuid)>,
) -> Result<HttpResponse, Problem> {
    let (design, id) = path.into_inner();
    let found =
        suggested_changes::find(&state, &by, identifier(&design)?, SuggestionId(id)).await?;
    cacheable(&req, Freshness::Private, None, &found)
}

/// A change of a design that you suggest to its author.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(example = json!({
    "revision": 1, "message": "With less attack it would fit its rank.",
    "design": {
        "game": "ttcg", "name": "Lantern Heron", "kind": "unit",
        "attributes": { "type": "earth", "rank": 1, "subtypes": ["beast"], "attack": 150, "defense": 350 },
        "effects": [
            { "style": "passive", "text": "After this card attacks, return it to your hand." },
            { "style": "normal", "text": "Discard one spell to gain 1 point." }
        ]
    }
}))]
pub struct SuggestedChangeRequest {
    /// Number of the public revision on which the suggestion is based.
    #[schema(value_type = i64, example = 1, minimum = 1)]
    pub revision: RevisionNumber,
    /// Reason for the change, for the author: 1 to 1000 characters of plain text.
    #[schema(
        example = "With less attack it would fit its rank.",
        min_length = 1,
        max_length = 1000
    )]
    pub message: String,
    /// The whole design as it should be. `licence` and `artwork` are ignored, because only the author chooses them.
    pub design: DesignRequest,
}

/// Suggests a change of another player's design.
///
/// Only you and the author see it, and moderators if the author reports it. If the author accepts it, it becomes a revision with your name.
#[utoipa::path(
    post, path = "/v1/designs/{design}/suggestions", tag = "designs", security(("bearer" = [])), request_body = SuggestedChangeRequest,
    params(
        ("design" = String, Path, description = "Identifier of the design"),
        ("Idempotency-Key" = Option<String>, Header, description = "Makes a repeated request safe"),
    ),
    responses(
        (status = 201, body = SuggestedChangeResponse, headers(("Location" = String, description = "The suggestion"))),
        (status = 403, description = "`feedback_refused`"),
        (status = 409, description = "`own_design`, `design_step_refused`, `suggestion_outdated`, `idempotency_in_progress`"),
        (status = 422, description = "`invalid_body`, `idempotency_key_reused`"),
        (status = 429, description = "`daily_limit_reached`"),
    )
)]
pub async fn create_suggested_change(
    state: web::Data<AppState>,
    by: May<GiveFeedback>,
    key: IdempotencyKey,
    design: web::Path<String>,
    body: Body<SuggestedChangeRequest>,
) -> Result<HttpResponse, Problem> {
    let code = identifier(&design)?;
    let body = body.sent_to(&code.to_string());
    let key = key.claim(&state, by.account(), "create_suggested_change", &body);
    let SuggestedChangeRequest { revision, message, design } = body.value;
    let draft = SuggestionDraft { revision: revision.get(), message, design };
    let created = suggested_changes::create(&state, &by, code, draft, key.as_ref()).await?;
    Ok(HttpResponse::Created()
        .insert_header((
            "location",
            format!("/v1/designs/{code}/suggestions/{}", created.suggestion.id),
        ))
        .insert_header(("cache-control", "no-store"))
        .json(created))
}

/// Accepts a suggested change of one of your designs as a new revision, with the name of the player who suggested it.
///
/// If you have changed the design in the meantime, both changes are merged. If both changed the same member, the answer is 409 `suggestion_outdated` (each attribute is a
/// member; a list is one member as a whole). The answer is the same if the design would exceed a limit with both changes.
#[utoipa::path(
    post, path = "/v1/designs/{design}/suggestions/{suggestion}/take", tag = "designs", security(("bearer" = [])),
    params(
        ("design" = String, Path, description = "Identifier of the design"),
        ("suggestion" = Uuid, Path, description = "Id of the suggestion"),
        ("If-Match" = String, Header, description = "ETag of the version of the design to replace", example = "\"r2\""),
    ),
    responses(
        (status = 200, body = DesignResponse, headers(("ETag" = String, description = "The new version of the design"))),
        (status = 409, description = "`suggestion_outdated`, `suggestion_closed`, `design_step_refused`, `design_taken_down`, `design_name_taken`, `design_nameless`, `too_many_revisions`, `artwork_removed`"),
        (status = 412, description = "`precondition_failed`: the design was changed since; nothing is overwritten."),
        (status = 428, description = "`precondition_required`"),
        (status = 429, description = "`daily_limit_reached`"),
    )
)]
pub async fn take_suggested_change(
    state: web::Data<AppState>,
    by: May<WriteOwnDesigns>,
    network: ClientNetwork,
    path: web::Path<(String, Uuid)>,
    if_match: Result<IfMatch, Problem>,
) -> Result<HttpResponse, Problem> {
    let (design, id) = path.into_inner();
    let (code, id, if_match) = (identifier(&design)?, SuggestionId(id), if_match?);
    Ok(changed(suggested_changes::take(&state, &by, network.0, code, id, &if_match).await?))
}

/// Declines a suggested change of one of your designs. Declining it again changes nothing.
#[utoipa::path(
    post, path = "/v1/designs/{design}/suggestions/{suggestion}/decline", tag = "designs", security(("bearer" = [])),
    params(("design" = String, Path, description = "Identifier of the design"), ("suggestion" = Uuid, Path, description = "Id of the suggestion")),
    responses((status = 200, body = SuggestedChangeResponse), (status = 409, description = "`suggestion_closed`"))
)]
pub async fn decline_suggested_change(
    state: web::Data<AppState>,
    by: May<WriteOwnDesigns>,
    path: web::Path<(String, Uuid)>,
) -> Result<HttpResponse, Problem> {
    let (design, id) = path.into_inner();
    let closed =
        suggested_changes::decline(&state, &by, identifier(&design)?, SuggestionId(id)).await?;
    Ok(HttpResponse::Ok().insert_header(("cache-control", "no-store")).json(closed))
}

/// Withdraws a suggested change that you made. Withdrawing it again changes nothing.
#[utoipa::path(
    post, path = "/v1/designs/{design}/suggestions/{suggestion}/withdraw", tag = "designs", security(("bearer" = [])),
    params(("design" = String, Path, description = "Identifier of the design"), ("suggestion" = Uuid, Path, description = "Id of the suggestion")),
    responses((status = 200, body = SuggestedChangeResponse), (status = 409, description = "`suggestion_closed`"))
)]
pub async fn withdraw_suggested_change(
    state: web::Data<AppState>,
    by: May<GiveFeedback>,
    path: web::Path<(String, Uuid)>,
) -> Result<HttpResponse, Problem> {
    let (design, id) = path.into_inner();
    let closed =
        suggested_changes::withdraw(&state, &by, identifier(&design)?, SuggestionId(id)).await?;
    Ok(HttpResponse::Ok().insert_header(("cache-control", "no-store")).json(closed))
}
