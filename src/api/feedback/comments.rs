//! Common parts of comments on designs and on decks: requests and responses.

use actix_web::{HttpRequest, HttpResponse};
use serde::Deserialize;
use utoipa::{IntoParams, ToSchema};
use uuid::Uuid;

use crate::app::feedback::comments::{self, CommentDraft, VersionedComment};
use crate::app::feedback::hidden_comments::{self, HiddenReader};
use crate::app::page::{Cursor, PageLimit};
use crate::app::problem::Problem;
use crate::app::state::AppState;
use crate::app::versions::IfMatch;
use crate::auth::permission::Granted;
use crate::domain::feedback::subject::FeedbackSubject;
use crate::domain::ids::{AccountId, CommentId};
use crate::http::extract::{Caller, Judge, LooseParams};
use crate::memory::rendered::Freshness;
use crate::store::feedback::subject::Subject;
use crate::store::operations::idempotency::IdempotencyClaim;

/// Which comments.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct CommentsQuery {
    /// Only the replies to this comment. If it is absent, only comments that are not replies.
    reply_to: Option<Uuid>,
    /// Items on a page: 1 to 200.
    #[serde(default)]
    #[param(value_type = Option<u16>, minimum = 1, maximum = 200, default = 50)]
    limit: PageLimit,
    /// `next_cursor` of the previous page.
    #[param(value_type = Option<String>)]
    cursor: Option<Cursor>,
}

/// Which part of the hidden comments.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct HiddenCommentsQuery {
    /// Items on a page: 1 to 200.
    #[serde(default)]
    #[param(value_type = Option<u16>, minimum = 1, maximum = 200, default = 50)]
    limit: PageLimit,
    /// `next_cursor` of the previous page.
    #[param(value_type = Option<String>)]
    cursor: Option<Cursor>,
}

/// A comment, or a reply to one.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(example = json!({ "text": "The second effect is *far* too cheap." }))]
pub struct CommentRequest {
    /// Text of the comment: 1 to 2000 characters. Paragraphs, `*emphasis*` and `**strong emphasis**` are its markup; everything else is plain text, and `\*` is a plain star.
    #[schema(example = "The second effect is *far* too cheap.", min_length = 1, max_length = 2000)]
    pub text: String,
    /// Id of the comment to reply to, which must not be a reply itself. If it is absent, the new comment is not a reply.
    #[serde(default)]
    pub reply_to: Option<Uuid>,
}

/// The new text of a comment.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(example = json!({ "text": "The second effect is *a bit* too cheap." }))]
pub struct EditCommentRequest {
    /// Text of the comment: 1 to 2000 characters. Paragraphs, `*emphasis*` and `**strong emphasis**` are its markup; everything else is plain text, and `\*` is a plain star.
    #[schema(
        example = "The second effect is *a bit* too cheap.",
        min_length = 1,
        max_length = 2000
    )]
    pub text: String,
}

impl Judge for CommentRequest {
    fn judge(&self) -> Result<(), Problem> {
        comments::read_text(&self.text).map(drop)
    }
}

impl Judge for EditCommentRequest {
    fn judge(&self) -> Result<(), Problem> {
        comments::read_text(&self.text).map(drop)
    }
}

/// Returns a page of the comments on a subject, or of the replies to one of them.
pub(in crate::api) async fn list(
    req: &HttpRequest,
    state: &AppState,
    on: FeedbackSubject,
    query: LooseParams<CommentsQuery>,
) -> Result<HttpResponse, Problem> {
    let check = async |query: &CommentsQuery| Cursor::key_of(query.cursor.as_ref());
    let (query, from): (_, Option<Uuid>) = query.checked(check).await?;
    let (reply_to, from) = (query.reply_to.map(CommentId), from.map(CommentId));
    let page = comments::list(state, on, reply_to, from, query.limit).await?;
    page.answer(req, Freshness::Public(0))
}

/// Returns one comment.
pub(in crate::api) async fn find(
    req: &HttpRequest,
    state: &AppState,
    on: FeedbackSubject,
    comment: Uuid,
) -> Result<HttpResponse, Problem> {
    let found = comments::find(state, on, CommentId(comment)).await?;
    let VersionedComment { version, counts, comment } = found;
    version.answer_counted(req, Freshness::Public(0), &counts, &comment)
}

/// Creates a comment. `path`: the address of the subject.
pub(in crate::api) async fn create<S: Subject>(
    state: &AppState,
    by: &Granted<S::Feedback>,
    subject: S,
    path: &str,
    request: &CommentRequest,
    key: Option<&IdempotencyClaim>,
) -> Result<HttpResponse, Problem> {
    let text = comments::read_text(&request.text)?;
    let draft = CommentDraft { text, reply_to: request.reply_to.map(CommentId) };
    let written = comments::create(state, by, subject, &draft, key).await?;
    let VersionedComment { version, comment, .. } = written;
    Ok(HttpResponse::Created()
        .insert_header(("location", format!("{path}/comments/{}", comment.id)))
        .insert_header(version.header())
        .insert_header(("cache-control", "no-store"))
        .json(comment))
}

/// Changes one of the caller's comments.
pub(in crate::api) async fn replace<S: Subject>(
    state: &AppState,
    by: &Granted<S::Feedback>,
    subject: S,
    comment: Uuid,
    if_match: &IfMatch,
    request: &EditCommentRequest,
) -> Result<HttpResponse, Problem> {
    let text = comments::read_text(&request.text)?;
    let changed = comments::edit(state, by, subject, CommentId(comment), if_match, &text).await?;
    let VersionedComment { version, comment, .. } = changed;
    Ok(HttpResponse::Ok()
        .insert_header(version.header())
        .insert_header(("cache-control", "no-store"))
        .json(comment))
}

/// Returns a page of the comments that the owner of a subject hid: all of them for the owner and for moderators, otherwise those by `reader`.
pub(in crate::api) async fn list_hidden(
    req: &HttpRequest,
    state: &AppState,
    (caller, reader): (&Caller, AccountId),
    on: FeedbackSubject,
    query: LooseParams<HiddenCommentsQuery>,
) -> Result<HttpResponse, Problem> {
    let check = async |query: &HiddenCommentsQuery| Cursor::key_of(query.cursor.as_ref());
    let (query, from): (_, Option<Uuid>) = query.checked(check).await?;
    let moderator = caller.may();
    let reader = moderator.as_ref().map_or(HiddenReader::Player(reader), HiddenReader::Moderator);
    let page = hidden_comments::list(state, &reader, on, from.map(CommentId), query.limit).await?;
    page.answer(req, Freshness::Private)
}

/// Shows a comment again that the caller, the owner of the subject, hid.
pub(in crate::api) async fn show<S: Subject>(
    state: &AppState,
    by: &Granted<S::Feedback>,
    subject: S,
    comment: Uuid,
) -> Result<HttpResponse, Problem> {
    let shown = hidden_comments::show(state, by, subject, CommentId(comment)).await?;
    let VersionedComment { version, comment, .. } = shown;
    Ok(HttpResponse::Ok()
        .insert_header(version.header())
        .insert_header(("cache-control", "no-store"))
        .json(comment))
}
