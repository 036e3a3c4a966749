//! Comments on designs and replies to them: listed, created, changed and deleted.

use std::collections::HashMap;

use actix_web::{HttpResponse, web};
use askama::Template;
use chrono::{DateTime, Utc};
use serde::Deserialize;
use uuid::Uuid;

use super::design::{self, TypedFeedback};
use super::faults::faults_of;
use super::words as design_words;
use super::{design_path, identifier};
use crate::app::designs::design_lifecycle;
use crate::app::feedback::comments::{self, CommentDraft, CommentResponse};
use crate::app::page::{Cursor, PageLimit};
use crate::app::problem::{Problem, ProblemCode};
use crate::app::state::AppState;
use crate::app::versions::Revision;
use crate::auth::permission::{GiveFeedback, Granted, ReadOwnDesigns};
use crate::domain::designs::identifier::DesignCode;
use crate::domain::feedback::comment::{CommentState, EDITABLE_FOR};
use crate::domain::ids::{AccountId, CommentId};
use crate::http::extract::{Form, claim_of_form};
use crate::web::forms::{Faults, private};
use crate::web::markup::Markup;
use crate::web::page::{Frame, Place};
use crate::web::session::{Player, Visitor, see_other};
use crate::web::words;

/// Comments on a page, and replies on a page.
const THREADS: u16 = 20;
const REPLIES: u16 = 50;

/// A comment and the replies to it.
pub(super) struct Thread {
    pub(super) comment: CommentView,
    pub(super) replies: Vec<CommentView>,
    /// Whether there are more replies than these.
    pub(super) has_more: bool,
    /// Idempotency key of the form for a reply.
    pub(super) key: String,
    /// The text of a refused reply.
    pub(super) typed: Option<String>,
}

pub(super) struct CommentView {
    pub(super) id: Uuid,
    /// `None`: the comment is deleted or removed, and `text` has a message about that.
    pub(super) author: Option<String>,
    pub(super) text: Markup,
    pub(super) day: String,
    pub(super) at: String,
    pub(super) is_edited: bool,
    /// What the reader may do with it.
    pub(super) choice: CommentChoice,
    /// Whether the reader may hide it.
    pub(super) may_be_hidden: bool,
}

/// What the reader may do with a comment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CommentChoice {
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

/// The reader of comments on a design.
#[derive(Clone, Copy, Debug)]
pub(super) struct CommentReader {
    /// The account; `None`: an anonymous visitor.
    pub(super) account: Option<AccountId>,
    /// Whether the design is the reader's.
    pub(super) is_owner: bool,
}

impl CommentView {
    pub(super) fn new(comment: CommentResponse, reader: CommentReader, now: DateTime<Utc>) -> Self {
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
        let gone = design_words::gone_comment(comment.state);
        Self {
            id: comment.id,
            author: comment.author,
            text: Markup::new(comment.text.as_deref().unwrap_or(placeholder)),
            day: words::day_of(comment.created_at),
            at: comment.created_at.to_rfc3339(),
            is_edited: comment.edited_at.is_some(),
            choice,
            may_be_hidden: reader.is_owner && is_shown && !is_own,
        }
    }
}

/// A page of the comments on a design; `None`: the design cannot have comments.
pub(super) async fn list(
    app: &AppState,
    code: DesignCode,
    reader: CommentReader,
    from: Option<&Cursor>,
    typed: &TypedFeedback,
) -> Result<Option<(Vec<Thread>, Option<String>)>, Problem> {
    let from: Option<Uuid> = Cursor::key_of(from)?;
    let limit = |most: u16| PageLimit::try_from(most).map_err(Problem::internal);
    let (on, threads) = (code.into(), limit(THREADS)?);
    let page = match comments::list(app, on, None, from.map(CommentId), threads).await {
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
        by_thread.entry(id).or_default().push(CommentView::new(reply, reader, now));
    }
    let thread = |comment: CommentResponse| {
        let (id, count) = (comment.id, comment.reply_count);
        let replies = by_thread.remove(&id).unwrap_or_default();
        Thread {
            has_more: replies.len() == usize::from(REPLIES) && count > i64::from(REPLIES),
            comment: CommentView::new(comment, reader, now),
            replies,
            key: Uuid::now_v7().to_string(),
            typed: (typed.reply_to == Some(id)).then(|| typed.text.clone()),
        }
    };
    Ok(Some((page.data.into_iter().map(thread).collect(), page.next_cursor)))
}

/// Which page of the replies.
#[derive(Debug, Default, Deserialize)]
pub(in crate::web) struct RepliesQuery {
    cursor: Option<Cursor>,
}

#[derive(Template)]
#[template(path = "web/designs/replies.html")]
struct RepliesPage {
    frame: Frame,
    /// The page of the design.
    path: String,
    comment: CommentView,
    replies: Vec<CommentView>,
    first_path: Option<String>,
    next_path: Option<String>,
}

/// Lists all replies to a comment, oldest first, page by page.
pub(in crate::web) async fn list_replies(
    state: web::Data<AppState>,
    visitor: Visitor,
    path: web::Path<(String, Uuid)>,
    query: web::Query<RepliesQuery>,
) -> Result<HttpResponse, Problem> {
    let (design, id) = path.into_inner();
    let (code, thread) = (identifier(&design)?, CommentId(id));
    let on = code.into();
    let from: Option<Uuid> = Cursor::key_of(query.cursor.as_ref())?;
    let limit = PageLimit::try_from(REPLIES).map_err(Problem::internal)?;
    let comment = comments::find(&state, on, thread).await?.comment;
    if comment.reply_to.is_some() {
        return Err(Problem::not_found());
    }
    let page = comments::list(&state, on, Some(thread), from.map(CommentId), limit).await?;
    let reads: Option<Granted<ReadOwnDesigns>> = visitor.must().ok();
    let is_owner = match &reads {
        Some(reads) => design_lifecycle::find(&state, Some(reads), None, code).await?.is_own,
        None => false,
    };
    let reader = CommentReader { account: reads.as_ref().map(Granted::account), is_owner };
    let now = state.clock.now();
    let view = |comment| CommentView::new(comment, reader, now);
    let path = design_path(code);
    let list = format!("{path}/comments/{id}/replies");
    let page = RepliesPage {
        frame: Frame::new(design_words::REPLIES).at(Place::Designs),
        comment: view(comment),
        replies: page.data.into_iter().map(view).collect(),
        first_path: query.cursor.as_ref().map(|_| list.clone()),
        next_path: page.next_cursor.map(|cursor| format!("{list}?cursor={cursor}")),
        path,
    };
    private(200, &page)
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

/// Creates a comment.
pub(in crate::web) async fn create(
    state: web::Data<AppState>,
    by: Player<GiveFeedback>,
    design: web::Path<String>,
    Form(typed): Form<TypedComment>,
) -> Result<HttpResponse, Problem> {
    let code = identifier(&design)?;
    let reply_to = match typed.reply_to.as_str() {
        "" => None,
        id => Some(id.parse::<Uuid>().map_err(|_| Problem::not_found())?),
    };
    let named = code.to_string();
    let fields = [named.as_str(), typed.reply_to.as_str(), typed.text.as_str()];
    let key = claim_of_form(&state, by.account(), "create_comment", &typed.key, &fields);
    let written = async {
        let text = comments::read_text(&typed.text)?;
        let draft = CommentDraft { text, reply_to: reply_to.map(CommentId) };
        comments::create(&state, &by, code, &draft, key.as_ref()).await
    };
    match written.await {
        Ok(_) => Ok(see_other(&format!("{}#comments", design_path(code)))),
        Err(problem) => {
            let pointers = [("/text", if reply_to.is_none() { "text" } else { "" })];
            let Some(faults) = faults_of(&problem, &pointers) else { return Err(problem) };
            let typed = TypedFeedback { text: typed.text, reply_to, ..TypedFeedback::default() };
            let status = problem.code().status();
            design::show(&state, &by.visitor, code, (status, faults, typed)).await
        }
    }
}

#[derive(Template)]
#[template(path = "web/designs/comment_edit.html")]
struct CommentPage {
    frame: Frame,
    faults: Faults,
    design: String,
    path: String,
    text: String,
    revision: i64,
    /// The stored comment, if it differs from the version that the form was loaded with.
    saved: Option<Markup>,
    /// Whether the comment can no longer be changed.
    is_final: bool,
    /// Whether `text` is the refused input instead of the stored text.
    is_typed: bool,
}

/// Shows one of the visitor's own comments, to change or delete it.
pub(in crate::web) async fn show(
    state: web::Data<AppState>,
    by: Player<GiveFeedback>,
    path: web::Path<(String, Uuid)>,
) -> Result<HttpResponse, Problem> {
    let (design, comment) = path.into_inner();
    show_form(&state, by.account(), (identifier(&design)?, comment), 200, Faults::none(), None)
        .await
}

/// The form of a comment; `typed`: the refused input and the version that its form was loaded with.
async fn show_form(
    app: &AppState,
    reader: AccountId,
    (code, id): (DesignCode, Uuid),
    status: u16,
    faults: Faults,
    typed: Option<(String, i64)>,
) -> Result<HttpResponse, Problem> {
    let found = comments::find(app, code.into(), CommentId(id)).await?;
    let comment = found.comment;
    // Only the author can change a comment; for other readers the page answers 404.
    let text = comment.text.filter(|_| comment.account_id == Some(reader.0));
    let text = text.ok_or_else(Problem::not_found)?;
    let is_stale = typed.as_ref().is_some_and(|(_, revision)| *revision != found.version.0);
    let page = CommentPage {
        frame: Frame::new(design_words::EDIT_COMMENT).at(Place::Designs),
        faults,
        design: design_path(code),
        path: format!("{}/comments/{id}", design_path(code)),
        revision: found.version.0,
        is_typed: typed.is_some(),
        saved: is_stale.then(|| Markup::new(&text)),
        text: typed.map_or(text, |(typed, _)| typed),
        is_final: app.clock.now() >= comment.created_at + EDITABLE_FOR,
    };
    private(status, &page)
}

/// The fields of a changed comment.
#[derive(Deserialize)]
pub(in crate::web) struct EditedComment {
    text: String,
    revision: i64,
}

/// Changes one of the visitor's own comments.
pub(in crate::web) async fn save(
    state: web::Data<AppState>,
    by: Player<GiveFeedback>,
    path: web::Path<(String, Uuid)>,
    Form(edited): Form<EditedComment>,
) -> Result<HttpResponse, Problem> {
    let (design, id) = path.into_inner();
    let code = identifier(&design)?;
    let changed = async {
        let text = comments::read_text(&edited.text)?;
        let meant = Revision(edited.revision).meant();
        comments::edit(&state, &by, code, CommentId(id), &meant, &text).await
    };
    match changed.await {
        Ok(_) => Ok(see_other(&format!("{}#comments", design_path(code)))),
        Err(problem) => {
            let Some(faults) = faults_of(&problem, &[("/text", "text")]) else {
                return Err(problem);
            };
            let (status, typed) = (problem.code().status(), (edited.text, edited.revision));
            show_form(&state, by.account(), (code, id), status, faults, Some(typed)).await
        }
    }
}

/// Deletes one of the visitor's own comments.
pub(in crate::web) async fn delete(
    state: web::Data<AppState>,
    by: Player<GiveFeedback>,
    path: web::Path<(String, Uuid)>,
) -> Result<HttpResponse, Problem> {
    let (design, id) = path.into_inner();
    let code = identifier(&design)?;
    let (on, comment) = (code.into(), CommentId(id));
    // A comment that does not exist was deleted before, for example by a double click. A comment that exists belongs to another author.
    if !comments::delete(&state, &by, code, comment).await?
        && let Ok(found) = comments::find(&state, on, comment).await
        && found.comment.text.is_some()
    {
        return Err(Problem::not_found());
    }
    Ok(see_other(&format!("{}#comments", design_path(code))))
}
