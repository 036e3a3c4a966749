//! Comments on public designs.

use actix_web::{HttpRequest, HttpResponse, web};
use uuid::Uuid;

use super::identifier;
use crate::api::feedback::comments::{
    self as shared, CommentRequest, CommentsQuery, EditCommentRequest, HiddenCommentsQuery,
};
use crate::app::feedback::comments::{self, CommentResponse};
use crate::app::feedback::hidden_comments;
use crate::app::page::Page;
use crate::app::problem::Problem;
use crate::app::state::AppState;
use crate::app::versions::IfMatch;
use crate::auth::permission::{GiveFeedback, ReadOwnDesigns};
use crate::domain::ids::CommentId;
use crate::http::extract::{Caller, IdempotencyKey, JudgedBody, LooseParams, May};

/// Lists the comments on a public design, the newest first; or the replies to one of them, the oldest first.
///
/// A comment that was deleted or hidden keeps its place, without text and author, as long as it has replies. Deleted or hidden replies are left out.
#[utoipa::path(
    get, path = "/v1/designs/{design}/comments", tag = "designs",
    params(("design" = String, Path, description = "Identifier of the design"), CommentsQuery),
    responses((status = 200, body = Page<CommentResponse>), (status = 304, description = "Not changed."))
)]
pub async fn list_comments(
    req: HttpRequest,
    state: web::Data<AppState>,
    design: web::Path<String>,
    query: LooseParams<CommentsQuery>,
) -> Result<HttpResponse, Problem> {
    shared::list(&req, &state, identifier(&design)?.into(), query).await
}

/// Shows a comment on a design.
#[utoipa::path(
    get, path = "/v1/designs/{design}/comments/{comment}", tag = "designs",
    params(("design" = String, Path, description = "Identifier of the design"), ("comment" = Uuid, Path, description = "Id of the comment")),
    responses(
        (status = 200, body = CommentResponse, headers(("ETag" = String, description = "For `If-Match`, too"))),
        (status = 304, description = "Not changed."),
    )
)]
pub async fn find_comment(
    req: HttpRequest,
    state: web::Data<AppState>,
    path: web::Path<(String, Uuid)>,
) -> Result<HttpResponse, Problem> {
    let (design, comment) = path.into_inner();
    shared::find(&req, &state, identifier(&design)?.into(), comment).await
}

/// Adds a comment on a public design, or a reply to a comment on it.
///
/// The author of the design and the author of the comment that you reply to receive an event.
#[utoipa::path(
    post, path = "/v1/designs/{design}/comments", tag = "designs", security(("bearer" = [])), request_body = CommentRequest,
    params(
        ("design" = String, Path, description = "Identifier of the design"),
        ("Idempotency-Key" = Option<String>, Header, description = "Makes a repeated request safe"),
    ),
    responses(
        (status = 201, body = CommentResponse, headers(
            ("Location" = String, description = "The comment"),
            ("ETag" = String, description = "Its version, for `If-Match`"),
        )),
        (status = 403, description = "`feedback_refused`"),
        (status = 409, description = "`idempotency_in_progress`"),
        (status = 410, description = "`gone`: the request is a repeated one, and its comment was deleted since."),
        (status = 422, description = "`invalid_body`, `idempotency_key_reused`"),
        (status = 429, description = "`daily_limit_reached`"),
    )
)]
pub async fn create_comment(
    state: web::Data<AppState>,
    by: May<GiveFeedback>,
    key: IdempotencyKey,
    design: web::Path<String>,
    JudgedBody(body): JudgedBody<CommentRequest>,
) -> Result<HttpResponse, Problem> {
    let code = identifier(&design)?;
    let body = body.sent_to(&code.to_string());
    let key = key.claim(&state, by.account(), "create_comment", &body);
    let path = format!("/v1/designs/{code}");
    shared::create(&state, &by, code, &path, &body.value, key.as_ref()).await
}

/// Changes one of your comments on a design, within 15 minutes after you wrote it. It is then shown as edited.
#[utoipa::path(
    put, path = "/v1/designs/{design}/comments/{comment}", tag = "designs", security(("bearer" = [])), request_body = EditCommentRequest,
    params(
        ("design" = String, Path, description = "Identifier of the design"),
        ("comment" = Uuid, Path, description = "Id of the comment"),
        ("If-Match" = String, Header, description = "ETag of the version to change", example = "\"r1\""),
    ),
    responses(
        (status = 200, body = CommentResponse, headers(("ETag" = String, description = "The new version"))),
        (status = 403, description = "`feedback_refused`"),
        (status = 409, description = "`comment_final`"),
        (status = 412, description = "`precondition_failed`: it was changed since."),
        (status = 422, description = "`invalid_body`"),
        (status = 428, description = "`precondition_required`"),
    )
)]
pub async fn replace_comment(
    state: web::Data<AppState>,
    by: May<GiveFeedback>,
    path: web::Path<(String, Uuid)>,
    if_match: Result<IfMatch, Problem>,
    JudgedBody(body): JudgedBody<EditCommentRequest>,
) -> Result<HttpResponse, Problem> {
    let (design, comment) = path.into_inner();
    let (code, if_match) = (identifier(&design)?, if_match?);
    shared::replace(&state, &by, code, comment, &if_match, &body.value).await
}

/// Why a comment by somebody else is not deleted.
const NOT_YOURS: &str = "Only its author can delete a comment, and only the author of the design can hide it. You can report it: POST /v1/abuse-reports.";

/// Deletes one of your comments on a design permanently. The author of the design hides comments of others.
///
/// The text and the author of a deleted comment are then shown only to moderators who have a report of it. If it has replies, its place stays. A comment
/// that you hide on your design is listed by `GET /v1/designs/{design}/hidden-comments`, and `POST …/show` shows it again.
#[utoipa::path(
    delete, path = "/v1/designs/{design}/comments/{comment}", tag = "designs", security(("bearer" = [])),
    params(("design" = String, Path, description = "Identifier of the design"), ("comment" = Uuid, Path, description = "Id of the comment")),
    responses(
        (status = 204, description = "Deleted, or hidden."),
        (status = 403, description = "`forbidden`: the comment is by somebody else, and the design is not yours. You can report the comment."),
    )
)]
pub async fn delete_comment(
    state: web::Data<AppState>,
    by: May<GiveFeedback>,
    path: web::Path<(String, Uuid)>,
) -> Result<HttpResponse, Problem> {
    let (design, comment) = path.into_inner();
    let (design, comment) = (identifier(&design)?, CommentId(comment));
    if !comments::delete(&state, &by, design, comment).await?
        && !hidden_comments::hide(&state, &by, design, comment).await?
    {
        return Err(comments::not_deleted(&state, design.into(), comment, NOT_YOURS).await);
    }
    Ok(HttpResponse::NoContent().finish())
}

/// Lists the comments on a public design that its author hid, with their texts, the newest first.
///
/// The author of the design and moderators see all of them, everybody else only their own. A token of a moderator also needs `admin:write`, otherwise it sees only its own.
#[utoipa::path(
    get, path = "/v1/designs/{design}/hidden-comments", tag = "designs", security(("bearer" = [])),
    params(("design" = String, Path, description = "Identifier of the design"), HiddenCommentsQuery),
    responses((status = 200, body = Page<CommentResponse>), (status = 304, description = "Not changed."))
)]
pub async fn list_hidden_comments(
    req: HttpRequest,
    state: web::Data<AppState>,
    by: May<ReadOwnDesigns>,
    caller: Caller,
    design: web::Path<String>,
    query: LooseParams<HiddenCommentsQuery>,
) -> Result<HttpResponse, Problem> {
    let reader = (&caller, by.account());
    shared::list_hidden(&req, &state, reader, identifier(&design)?.into(), query).await
}

/// Shows a comment again that you hid on a design of yours.
///
/// Repeating the request changes nothing. A comment that a moderator hid is shown again only by moderators.
#[utoipa::path(
    post, path = "/v1/designs/{design}/comments/{comment}/show", tag = "designs", security(("bearer" = [])),
    params(("design" = String, Path, description = "Identifier of the design"), ("comment" = Uuid, Path, description = "Id of the comment")),
    responses(
        (status = 200, body = CommentResponse, headers(("ETag" = String, description = "Its version, for `If-Match`"))),
        (status = 403, description = "`forbidden`: you are not the author of the design."),
    )
)]
pub async fn show_comment(
    state: web::Data<AppState>,
    by: May<GiveFeedback>,
    path: web::Path<(String, Uuid)>,
) -> Result<HttpResponse, Problem> {
    let (design, comment) = path.into_inner();
    shared::show(&state, &by, identifier(&design)?, comment).await
}
