//! Comments on decks that others can read.

use actix_web::{HttpRequest, HttpResponse, web};
use uuid::Uuid;

use crate::api::feedback::comments::{
    self as shared, CommentRequest, CommentsQuery, EditCommentRequest, HiddenCommentsQuery,
};
use crate::app::designs::abuse_reports;
use crate::app::feedback::comments::{self, CommentResponse};
use crate::app::feedback::hidden_comments;
use crate::app::page::Page;
use crate::app::problem::Problem;
use crate::app::state::AppState;
use crate::app::versions::IfMatch;
use crate::auth::permission::{GiveDeckFeedback, ReadOwnDecks};
use crate::domain::ids::{CommentId, DeckId};
use crate::http::extract::{Caller, IdempotencyKey, JudgedBody, LooseParams, May};

/// Lists the comments on a public or unlisted deck, the newest first; or the replies to one comment, the oldest first.
///
/// A deleted or hidden comment stays in the list, without text and author, as long as it has replies. Deleted and hidden replies are left out.
#[utoipa::path(
    get, path = "/v1/decks/{deck}/comments", tag = "decks",
    params(("deck" = Uuid, Path, description = "Id of the deck"), CommentsQuery),
    responses((status = 200, body = Page<CommentResponse>), (status = 304, description = "Not changed."))
)]
pub async fn list_deck_comments(
    req: HttpRequest,
    state: web::Data<AppState>,
    deck: web::Path<Uuid>,
    query: LooseParams<CommentsQuery>,
) -> Result<HttpResponse, Problem> {
    shared::list(&req, &state, DeckId(*deck).into(), query).await
}

/// Shows a comment on a deck.
#[utoipa::path(
    get, path = "/v1/decks/{deck}/comments/{comment}", tag = "decks",
    params(("deck" = Uuid, Path, description = "Id of the deck"), ("comment" = Uuid, Path, description = "Id of the comment")),
    responses(
        (status = 200, body = CommentResponse, headers(("ETag" = String, description = "Version of the comment, also for `If-Match`"))),
        (status = 304, description = "Not changed."),
    )
)]
pub async fn find_deck_comment(
    req: HttpRequest,
    state: web::Data<AppState>,
    path: web::Path<(Uuid, Uuid)>,
) -> Result<HttpResponse, Problem> {
    let (deck, comment) = path.into_inner();
    shared::find(&req, &state, DeckId(deck).into(), comment).await
}

/// Writes a comment on a public or unlisted deck, or a reply to a comment on it.
///
/// The owner of the deck and the author of the comment that you reply to get an event: `deck.commented` or `deck.replied` in `GET /v1/me/events`.
#[utoipa::path(
    post, path = "/v1/decks/{deck}/comments", tag = "decks", security(("bearer" = [])), request_body = CommentRequest,
    params(
        ("deck" = Uuid, Path, description = "Id of the deck"),
        ("Idempotency-Key" = Option<String>, Header, description = "Makes a repeated request safe"),
    ),
    responses(
        (status = 201, body = CommentResponse, headers(
            ("Location" = String, description = "The comment"),
            ("ETag" = String, description = "Its version, for `If-Match`"),
        )),
        (status = 403, description = "`feedback_refused`"),
        (status = 409, description = "`idempotency_in_progress`"),
        (status = 410, description = "`gone`: the request was sent before, and the comment that it created was deleted."),
        (status = 422, description = "`invalid_body`, `idempotency_key_reused`"),
        (status = 429, description = "`daily_limit_reached`"),
    )
)]
pub async fn create_deck_comment(
    state: web::Data<AppState>,
    by: May<GiveDeckFeedback>,
    key: IdempotencyKey,
    deck: web::Path<Uuid>,
    JudgedBody(body): JudgedBody<CommentRequest>,
) -> Result<HttpResponse, Problem> {
    let deck = DeckId(*deck);
    let body = body.sent_to(&deck.to_string());
    let key = key.claim(&state, by.account(), "create_deck_comment", &body);
    let path = format!("/v1/decks/{deck}");
    shared::create(&state, &by, deck, &path, &body.value, key.as_ref()).await
}

/// Changes one of your comments on a deck, within 15 minutes after it was written.
///
/// The comment is then shown as edited.
#[utoipa::path(
    put, path = "/v1/decks/{deck}/comments/{comment}", tag = "decks", security(("bearer" = [])), request_body = EditCommentRequest,
    params(
        ("deck" = Uuid, Path, description = "Id of the deck"),
        ("comment" = Uuid, Path, description = "Id of the comment"),
        ("If-Match" = String, Header, description = "ETag of the version to change", example = "\"r1\""),
    ),
    responses(
        (status = 200, body = CommentResponse, headers(("ETag" = String, description = "The new version"))),
        (status = 403, description = "`feedback_refused`"),
        (status = 409, description = "`comment_final`"),
        (status = 412, description = "`precondition_failed`: the comment was changed since that version."),
        (status = 422, description = "`invalid_body`"),
        (status = 428, description = "`precondition_required`"),
    )
)]
pub async fn replace_deck_comment(
    state: web::Data<AppState>,
    by: May<GiveDeckFeedback>,
    path: web::Path<(Uuid, Uuid)>,
    if_match: Result<IfMatch, Problem>,
    JudgedBody(body): JudgedBody<EditCommentRequest>,
) -> Result<HttpResponse, Problem> {
    let ((deck, comment), if_match) = (path.into_inner(), if_match?);
    shared::replace(&state, &by, DeckId(deck), comment, &if_match, &body.value).await
}

/// Why a comment by somebody else is not deleted.
const NOT_YOURS: &str = "Only its author can delete a comment. The owner of the deck can hide it, and so can a moderator whose token has the scope admin:write. You can report it: POST /v1/abuse-reports.";

/// Deletes one of your comments on a deck permanently. The owner of the deck and moderators hide comments of others.
///
/// The text and the author of a deleted comment are shown only to moderators who read a report of it. If it has replies, it stays in the list, without text and author. A comment
/// that you hide on your deck is listed by `GET /v1/decks/{deck}/hidden-comments`, and `POST …/show` shows it again. A comment that a moderator hides is listed among the upheld reports, where it can be shown again; a token of a moderator also needs `admin:write`.
#[utoipa::path(
    delete, path = "/v1/decks/{deck}/comments/{comment}", tag = "decks", security(("bearer" = [])),
    params(("deck" = Uuid, Path, description = "Id of the deck"), ("comment" = Uuid, Path, description = "Id of the comment")),
    responses(
        (status = 204, description = "The comment was deleted, or hidden."),
        (status = 403, description = "`forbidden`: the comment is by somebody else, and the deck is not yours. You can report the comment."),
    )
)]
pub async fn delete_deck_comment(
    state: web::Data<AppState>,
    by: May<GiveDeckFeedback>,
    caller: Caller,
    path: web::Path<(Uuid, Uuid)>,
) -> Result<HttpResponse, Problem> {
    let (deck, comment) = path.into_inner();
    let (deck, comment) = (DeckId(deck), CommentId(comment));
    if !comments::delete(&state, &by, deck, comment).await?
        && !hidden_comments::hide(&state, &by, deck, comment).await?
    {
        let Some(moderator) = caller.may() else {
            return Err(comments::not_deleted(&state, deck.into(), comment, NOT_YOURS).await);
        };
        abuse_reports::hide_at_once(&state, &moderator, deck, comment).await?;
    }
    Ok(HttpResponse::NoContent().finish())
}

/// Lists the comments on a public or unlisted deck that its owner hid, with their texts, the newest first.
///
/// The owner of the deck and moderators see all of them, everybody else only their own. A token of a moderator also needs `admin:write`, otherwise it sees only its own.
#[utoipa::path(
    get, path = "/v1/decks/{deck}/hidden-comments", tag = "decks", security(("bearer" = [])),
    params(("deck" = Uuid, Path, description = "Id of the deck"), HiddenCommentsQuery),
    responses((status = 200, body = Page<CommentResponse>), (status = 304, description = "Not changed."))
)]
pub async fn list_hidden_deck_comments(
    req: HttpRequest,
    state: web::Data<AppState>,
    by: May<ReadOwnDecks>,
    caller: Caller,
    deck: web::Path<Uuid>,
    query: LooseParams<HiddenCommentsQuery>,
) -> Result<HttpResponse, Problem> {
    let reader = (&caller, by.account());
    shared::list_hidden(&req, &state, reader, DeckId(*deck).into(), query).await
}

/// Shows a comment again that you hid on a deck of yours.
///
/// Repeating the request changes nothing. A comment that a moderator hid is shown again only by moderators.
#[utoipa::path(
    post, path = "/v1/decks/{deck}/comments/{comment}/show", tag = "decks", security(("bearer" = [])),
    params(("deck" = Uuid, Path, description = "Id of the deck"), ("comment" = Uuid, Path, description = "Id of the comment")),
    responses(
        (status = 200, body = CommentResponse, headers(("ETag" = String, description = "Its version, for `If-Match`"))),
        (status = 403, description = "`forbidden`: you are not the owner of the deck."),
    )
)]
pub async fn show_deck_comment(
    state: web::Data<AppState>,
    by: May<GiveDeckFeedback>,
    path: web::Path<(Uuid, Uuid)>,
) -> Result<HttpResponse, Problem> {
    let (deck, comment) = path.into_inner();
    shared::show(&state, &by, DeckId(deck), comment).await
}
