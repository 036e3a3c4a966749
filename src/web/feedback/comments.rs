//! Comments and the replies to them: the list below a design or a deck, the page of all replies, and the form of a new comment.

use std::collections::HashMap;

use actix_web::HttpResponse;
use askama::Template;
use chrono::{DateTime, Utc};
use serde::Deserialize;
use uuid::Uuid;

use super::Origin;
use super::words as feedback_words;
use crate::app::feedback::comments::{self, CommentDraft, CommentResponse, Subject};
use crate::app::page::{Cursor, PageLimit};
use crate::app::problem::{Problem, ProblemCode};
use crate::app::state::AppState;
use crate::auth::permission::Granted;
use crate::domain::feedback::comment::{CommentState, EDITABLE_FOR};
use crate::domain::feedback::subject::FeedbackSubject;
use crate::domain::ids::{AccountId, CommentId};
use crate::http::extract::claim_of_form;
use crate::web::forms::{Faults, new_key, next_key, private};
use crate::web::markup::Markup;
use crate::web::page::{Frame, Place, player_path};
use crate::web::page_status::PageStatus;
use crate::web::words;

/// Comments on a page, and replies on a page.
const THREADS: u16 = 20;
const REPLIES: u16 = 50;

/// A page of the comments below a design or a deck.
pub(in crate::web) struct Comments {
    pub(in crate::web) threads: Vec<Thread>,
    pub(in crate::web) first_path: Option<String>,
    pub(in crate::web) next_path: Option<String>,
    /// Idempotency key of the form for a comment.
    pub(in crate::web) key: String,
    /// The text of a refused comment, or of a refused reply that has no form on this page.
    pub(in crate::web) typed: String,
    /// Whether `typed` was a reply.
    pub(in crate::web) is_lost_reply: bool,
}

/// A comment and the replies to it.
pub(in crate::web) struct Thread {
    pub(in crate::web) comment: CommentView,
    pub(in crate::web) replies: Vec<CommentView>,
    /// Whether there are more replies than these.
    pub(in crate::web) has_more: bool,
    /// Idempotency key of the form for a reply.
    pub(in crate::web) key: String,
    /// The text of a refused reply.
    pub(in crate::web) typed: Option<String>,
}

pub(in crate::web) struct CommentView {
    pub(in crate::web) id: Uuid,
    /// `None`: the comment is deleted or removed, and `text` has a message about that.
    pub(in crate::web) author: Option<String>,
    pub(in crate::web) text: Markup,
    pub(in crate::web) day: String,
    pub(in crate::web) at: String,
    pub(in crate::web) is_edited: bool,
    /// What the reader may do with it.
    pub(in crate::web) choice: CommentChoice,
    /// Whether the reader may hide it.
    pub(in crate::web) may_be_hidden: bool,
    /// The path of the button that blocks its author, beside the one that hides it; `None`: there is none.
    pub(in crate::web) block_path: Option<String>,
}

/// What the reader may do with a comment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::web) enum CommentChoice {
    /// Nothing: the comment is deleted or hidden.
    Nothing,
    /// Change or delete it.
    Edit,
    /// Delete it, on its page.
    Delete,
    /// Delete it at once: a hidden comment has no page.
    DeleteHidden,
    /// Report it.
    Report,
    /// Show it again.
    Show,
}

/// The reader of comments on a design or a deck.
#[derive(Clone, Copy, Debug)]
pub(in crate::web) struct CommentReader {
    /// The account; `None`: an anonymous visitor.
    pub(in crate::web) account: Option<AccountId>,
    /// Whether the design or the deck is the reader's.
    pub(in crate::web) is_owner: bool,
}

impl CommentView {
    pub(super) fn new(
        comment: CommentResponse,
        on: FeedbackSubject,
        reader: CommentReader,
        now: DateTime<Utc>,
    ) -> Self {
        let account = reader.account;
        let is_own = account.is_some_and(|account| comment.account_id == Some(account.0));
        let is_shown = comment.state == CommentState::Shown.as_str();
        let choice = match account {
            Some(_) if reader.is_owner && comment.state == CommentState::HiddenByOwner.as_str() => {
                CommentChoice::Show
            }
            Some(_) if is_own && is_shown && now < comment.created_at + EDITABLE_FOR => {
                CommentChoice::Edit
            }
            Some(_) if is_own && is_shown => CommentChoice::Delete,
            Some(_) if is_own => CommentChoice::DeleteHidden,
            Some(_) if is_shown => CommentChoice::Report,
            _ => CommentChoice::Nothing,
        };
        let placeholder = feedback_words::comment_placeholder(comment.state, on);
        let may_be_hidden = reader.is_owner && is_shown && !is_own;
        let blockable = comment.author.as_deref().filter(|_| may_be_hidden);
        Self {
            id: comment.id,
            block_path: blockable.map(|author| format!("{}/block", player_path(author))),
            author: comment.author,
            text: Markup::new(comment.text.as_deref().unwrap_or(placeholder)),
            day: words::day_of(comment.created_at),
            at: comment.created_at.to_rfc3339(),
            is_edited: comment.edited_at.is_some(),
            choice,
            may_be_hidden,
        }
    }
}

/// A refused comment or reply, which is shown again in its form.
#[derive(Debug, Default)]
pub(in crate::web) struct RefusedComment {
    text: String,
    /// The comment that the text replies to.
    reply_to: Option<Uuid>,
    /// Idempotency key of the form that shows it again; `None`: nothing was refused.
    key: Option<String>,
}

impl RefusedComment {
    /// The text, for a page that shows no comments.
    pub(in crate::web) fn text(&self) -> &str {
        &self.text
    }
}

/// Lists a page of the comments on a subject, whose page has this path; `None`: it cannot have comments.
pub(in crate::web) async fn list(
    app: &AppState,
    (on, path): (FeedbackSubject, &str),
    reader: CommentReader,
    from: Option<&Cursor>,
    refused: RefusedComment,
) -> Result<Option<Comments>, Problem> {
    let RefusedComment { text: typed, reply_to, key } = refused;
    let first: Option<Uuid> = Cursor::key_of(from)?;
    let limit = |most: u16| PageLimit::try_from(most).map_err(Problem::internal);
    let page = match comments::list(app, on, None, first.map(CommentId), limit(THREADS)?).await {
        Ok(page) => page,
        Err(problem) if problem.code() == ProblemCode::NotFound => return Ok(None),
        Err(problem) => return Err(problem),
    };
    let now = app.clock.now();
    let answered = page.data.iter().filter(|comment| comment.reply_count > 0);
    let answered: Vec<CommentId> = answered.map(|comment| CommentId(comment.id)).collect();
    let replies = comments::list_first_replies(app, on, &answered, limit(REPLIES)?).await?;
    let mut by_thread: HashMap<Uuid, Vec<CommentView>> = HashMap::new();
    for reply in replies {
        let Some(id) = reply.reply_to else { continue };
        by_thread.entry(id).or_default().push(CommentView::new(reply, on, reader, now));
    }
    let thread = |comment: CommentResponse| {
        let (id, count) = (comment.id, comment.reply_count);
        let replies = by_thread.remove(&id).unwrap_or_default();
        Thread {
            has_more: replies.len() == usize::from(REPLIES) && count > i64::from(REPLIES),
            comment: CommentView::new(comment, on, reader, now),
            replies,
            key: key.clone().filter(|_| reply_to == Some(id)).unwrap_or_else(new_key),
            typed: (reply_to == Some(id)).then(|| typed.clone()),
        }
    };
    let threads: Vec<Thread> = page.data.into_iter().map(thread).collect();
    // The comment that a reply is for may be deleted or hidden meanwhile, or be on another page: then the reply has no form here.
    let has_form = |thread: &Thread| thread.typed.is_some() && thread.comment.author.is_some();
    let is_lost_reply = reply_to.is_some() && !threads.iter().any(has_form);
    // The form of a comment has the text of a lost reply.
    let (typed, key) =
        if reply_to.is_none() || is_lost_reply { (typed, key) } else { (String::new(), None) };
    Ok(Some(Comments {
        threads,
        first_path: from.map(|_| format!("{path}#comments")),
        next_path: page.next_cursor.map(|cursor| format!("{path}?comments={cursor}#comments")),
        key: key.unwrap_or_else(new_key),
        typed,
        is_lost_reply,
    }))
}

/// Which page of the replies.
#[derive(Debug, Default, Deserialize)]
pub(in crate::web) struct RepliesQuery {
    cursor: Option<Cursor>,
}

#[derive(Template)]
#[template(path = "web/feedback/replies.html")]
struct RepliesPage {
    frame: Frame,
    origin: Origin,
    comment: CommentView,
    replies: Vec<CommentView>,
    first_path: Option<String>,
    next_path: Option<String>,
}

/// Shows all replies to a comment, oldest first, page by page.
pub(in crate::web) async fn list_replies(
    app: &AppState,
    origin: Origin,
    reader: CommentReader,
    (on, id): (FeedbackSubject, Uuid),
    query: &RepliesQuery,
) -> Result<HttpResponse, Problem> {
    let thread = CommentId(id);
    let from: Option<Uuid> = Cursor::key_of(query.cursor.as_ref())?;
    let limit = PageLimit::try_from(REPLIES).map_err(Problem::internal)?;
    let comment = comments::find(app, on, thread).await?.comment;
    if comment.reply_to.is_some() {
        return Err(Problem::not_found());
    }
    let page = comments::list(app, on, Some(thread), from.map(CommentId), limit).await?;
    let now = app.clock.now();
    let view = |comment| CommentView::new(comment, on, reader, now);
    let list = format!("{}/comments/{id}/replies", origin.path);
    let page = RepliesPage {
        frame: Frame::new(feedback_words::REPLIES).at(origin.place),
        comment: view(comment),
        replies: page.data.into_iter().map(view).collect(),
        first_path: query.cursor.as_ref().map(|_| list.clone()),
        next_path: page.next_cursor.map(|cursor| format!("{list}?cursor={cursor}")),
        origin,
    };
    private(PageStatus::OK, &page)
}

/// The fields of a new comment.
#[derive(Deserialize)]
pub(in crate::web) struct TypedComment {
    text: String,
    /// Empty: the comment is not a reply.
    #[serde(default)]
    reply_to: String,
    #[serde(default)]
    key: String,
}

/// Status, faults and input of a refused comment, which the page of its subject shows.
pub(in crate::web) type Refusal = (PageStatus, Faults, RefusedComment);

/// Writes a comment on a subject. `operation` is the name of the request, for its idempotency key.
pub(in crate::web) async fn create<S: Subject>(
    app: &AppState,
    by: &Granted<S::Feedback>,
    subject: S,
    operation: &'static str,
    typed: TypedComment,
) -> Result<Result<(), Refusal>, Problem> {
    let reply_to = match typed.reply_to.as_str() {
        "" => None,
        id => Some(id.parse::<Uuid>().map_err(|_| Problem::not_found())?),
    };
    let on: FeedbackSubject = subject.into();
    let named = on.to_string();
    let fields = [named.as_str(), typed.reply_to.as_str(), typed.text.as_str()];
    let key = claim_of_form(app, by.account(), operation, &typed.key, &fields);
    let written = async {
        let text = comments::read_text(&typed.text)?;
        let draft = CommentDraft { text, reply_to: reply_to.map(CommentId) };
        comments::create(app, by, subject, &draft, key.as_ref()).await
    };
    let Err(problem) = written.await else { return Ok(Ok(())) };
    let field = if reply_to.is_none() { "text" } else { "" };
    let faults = if problem.code() == ProblemCode::NotFound {
        // It is not public any more, but perhaps the visitor can still read it.
        Some(Faults::one("", feedback_words::FEEDBACK_CLOSED))
    } else {
        Faults::of_problem(&problem, &[("/text", field)], feedback_words::fault)
    };
    let Some(faults) = faults else { return Err(problem) };
    let status = PageStatus::of(&problem);
    let key = Some(next_key(status, &typed.key));
    Ok(Err((status, faults, RefusedComment { text: typed.text, reply_to, key })))
}
