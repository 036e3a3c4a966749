//! Comments on designs that everybody sees.

use actix_web::{HttpRequest, HttpResponse, web};
use serde::Deserialize;
use utoipa::{IntoParams, ToSchema};
use uuid::Uuid;

use super::identifier;
use crate::app::designs::design_comments::{self, CommentDraft, CommentResponse, VersionedComment};
use crate::app::page::{Cursor, Page, PageLimit};
use crate::app::problem::{InputFault, Problem};
use crate::app::state::AppState;
use crate::app::versions::IfMatch;
use crate::auth::permission::GiveFeedback;
use crate::domain::designs::comment::comment_text;
use crate::domain::ids::CommentId;
use crate::http::extract::{IdempotencyKey, Judge, JudgedBody, LooseParams, May};
use crate::memory::rendered::Freshness;

/// Which comments.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct CommentsQuery {
    /// Only the replies to this comment; absent: only comments that are no replies.
    reply_to: Option<Uuid>,
    /// Items on a page: 1 to 200.
    #[serde(default)]
    #[param(value_type = Option<u16>, minimum = 1, maximum = 200, default = 50)]
    limit: PageLimit,
    /// `next_cursor` of the page before.
    #[param(value_type = Option<String>)]
    cursor: Option<Cursor>,
}

/// Lists the comments on a design that everybody sees, the newest first; or the replies to one of them, the oldest first.
///
/// A comment that was deleted or hidden keeps its place, without text and author, as long as it has replies. Replies that were are left out.
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
    let code = identifier(&design)?;
    let check = async |query: &CommentsQuery| Cursor::key_of(query.cursor.as_ref());
    let (query, from): (_, Option<Uuid>) = query.checked(check).await?;
    let (reply_to, from) = (query.reply_to.map(CommentId), from.map(CommentId));
    let page = design_comments::list(&state, code, reply_to, from, query.limit).await?;
    page.answer(&req, Freshness::Public(0))
}

/// Shows a comment.
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
    let found = design_comments::find(&state, identifier(&design)?, CommentId(comment)).await?;
    let VersionedComment { version, counts, comment } = found;
    version.answer_counted(&req, Freshness::Public(0), &counts, &comment)
}

/// A comment, or a reply to one.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(example = json!({ "text": "The second effect is *far* too cheap." }))]
pub struct CommentRequest {
    /// 1 to 2000 characters: paragraphs, `*emphasis*` and `**strong emphasis**`; everything else is text.
    #[schema(example = "The second effect is *far* too cheap.", min_length = 1, max_length = 2000)]
    pub text: String,
    /// The comment that it replies to, which is no reply itself; absent: it is no reply.
    #[serde(default)]
    pub reply_to: Option<Uuid>,
}

/// What a comment should say.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(example = json!({ "text": "The second effect is *a bit* too cheap." }))]
pub struct EditCommentRequest {
    /// 1 to 2000 characters: paragraphs, `*emphasis*` and `**strong emphasis**`; everything else is text.
    #[schema(
        example = "The second effect is *a bit* too cheap.",
        min_length = 1,
        max_length = 2000
    )]
    pub text: String,
}

fn parse_text(raw: &str) -> Result<String, Problem> {
    comment_text(raw).map_err(|error| Problem::invalid(vec![InputFault::at("/text", error)]))
}

impl Judge for CommentRequest {
    fn judge(&self) -> Result<(), Problem> {
        parse_text(&self.text).map(drop)
    }
}

impl Judge for EditCommentRequest {
    fn judge(&self) -> Result<(), Problem> {
        parse_text(&self.text).map(drop)
    }
}

/// Comments on a design that everybody sees, or replies to a comment on it.
///
/// Its author is told, and whom you reply to.
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
    let text = parse_text(&body.value.text)?;
    let draft = CommentDraft { text, reply_to: body.value.reply_to.map(CommentId) };
    let VersionedComment { version, comment, .. } =
        design_comments::create(&state, &by, code, &draft, key.as_ref()).await?;
    Ok(HttpResponse::Created()
        .insert_header(("location", format!("/v1/designs/{code}/comments/{}", comment.id)))
        .insert_header(version.header())
        .insert_header(("cache-control", "no-store"))
        .json(comment))
}

/// Changes one of your comments that is not older than 15 minutes. It is shown as edited.
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
    let text = parse_text(&body.value.text)?;
    let VersionedComment { version, comment, .. } =
        design_comments::edit(&state, &by, code, CommentId(comment), &if_match, &text).await?;
    Ok(HttpResponse::Ok()
        .insert_header(version.header())
        .insert_header(("cache-control", "no-store"))
        .json(comment))
}

/// Deletes one of your comments, for good.
///
/// Nobody reads its text or your name there any more. If it has replies, its place stays.
#[utoipa::path(
    delete, path = "/v1/designs/{design}/comments/{comment}", tag = "designs", security(("bearer" = [])),
    params(("design" = String, Path, description = "Identifier of the design"), ("comment" = Uuid, Path, description = "Id of the comment")),
    responses((status = 204, description = "Deleted."))
)]
pub async fn delete_comment(
    state: web::Data<AppState>,
    by: May<GiveFeedback>,
    path: web::Path<(String, Uuid)>,
) -> Result<HttpResponse, Problem> {
    let (design, comment) = path.into_inner();
    design_comments::delete(&state, &by, identifier(&design)?, CommentId(comment)).await?;
    Ok(HttpResponse::NoContent().finish())
}
