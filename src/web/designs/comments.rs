//! Comments on designs, and replies to them: shown, written, changed and deleted.

use actix_web::{HttpResponse, web};
use askama::Template;
use chrono::{DateTime, Utc};
use serde::Deserialize;
use uuid::Uuid;

use super::design::{self, TypedFeedback};
use super::faults::faults_of;
use super::words as design_words;
use super::{design_path, identifier};
use crate::app::feedback::comments::{self, CommentDraft, CommentResponse};
use crate::app::page::{Cursor, PageLimit};
use crate::app::problem::{Problem, ProblemCode};
use crate::app::state::AppState;
use crate::app::versions::Revision;
use crate::auth::permission::GiveFeedback;
use crate::domain::designs::identifier::DesignCode;
use crate::domain::feedback::comment::EDITABLE_FOR;
use crate::domain::ids::{AccountId, CommentId};
use crate::http::extract::{Form, claim_of_form};
use crate::web::forms::{Faults, private};
use crate::web::markup::Markup;
use crate::web::page::{Frame, Place};
use crate::web::session::{Player, see_other};
use crate::web::words;

/// Comments on a page, and replies to one of them.
const THREADS: u16 = 20;
const REPLIES: u16 = 50;

/// A comment and the replies to it.
pub(super) struct Thread {
    pub(super) comment: CommentView,
    pub(super) replies: Vec<CommentView>,
    /// Of the form for a reply.
    pub(super) key: String,
    /// A reply that was refused.
    pub(super) typed: Option<String>,
}

/// A comment.
pub(super) struct CommentView {
    pub(super) id: Uuid,
    /// `None`: it is gone, and `said` tells so.
    pub(super) author: Option<String>,
    pub(super) said: Markup,
    pub(super) day: String,
    pub(super) at: String,
    pub(super) is_edited: bool,
    pub(super) is_own: bool,
    pub(super) may_be_edited: bool,
}

impl CommentView {
    fn new(comment: CommentResponse, reader: Option<AccountId>, now: DateTime<Utc>) -> Self {
        let is_own = reader.is_some_and(|reader| comment.account_id == Some(reader.0));
        let gone = design_words::gone_comment(comment.state);
        Self {
            id: comment.id,
            author: comment.author,
            said: Markup::new(comment.text.as_deref().unwrap_or(gone)),
            day: words::day_of(comment.created_at),
            at: comment.created_at.to_rfc3339(),
            is_edited: comment.edited_at.is_some(),
            is_own,
            may_be_edited: is_own && now < comment.created_at + EDITABLE_FOR,
        }
    }
}

/// A page of the comments on a design; `None`: nobody can comment on it.
pub(super) async fn list(
    app: &AppState,
    code: DesignCode,
    reader: Option<AccountId>,
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
    let mut threads = Vec::with_capacity(page.data.len());
    for comment in page.data {
        let id = comment.id;
        let replies = if comment.reply_count > 0 {
            comments::list(app, on, Some(CommentId(id)), None, limit(REPLIES)?).await?.data
        } else {
            Vec::new()
        };
        threads.push(Thread {
            comment: CommentView::new(comment, reader, now),
            replies: replies
                .into_iter()
                .map(|reply| CommentView::new(reply, reader, now))
                .collect(),
            key: Uuid::now_v7().to_string(),
            typed: (typed.reply_to == Some(id)).then(|| typed.text.clone()),
        });
    }
    Ok(Some((threads, page.next_cursor)))
}

/// A comment, as a form sends it.
#[derive(Deserialize)]
pub(in crate::web) struct TypedComment {
    text: String,
    /// Empty: it is no reply.
    #[serde(default)]
    reply_to: String,
    #[serde(default)]
    key: String,
}

/// Writes a comment.
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
    /// What is stored, when it is another version than the form began with.
    saved: Option<Markup>,
    /// Whether it is too late to change it.
    is_final: bool,
}

/// Shows one of the own comments, to change or to delete it.
pub(in crate::web) async fn show(
    state: web::Data<AppState>,
    by: Player<GiveFeedback>,
    path: web::Path<(String, Uuid)>,
) -> Result<HttpResponse, Problem> {
    let (design, comment) = path.into_inner();
    show_form(&state, by.account(), (identifier(&design)?, comment), 200, Faults::none(), None)
        .await
}

/// `typed`: what was typed, and the version that it was typed for.
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
    // Others cannot change it, and have no page for that.
    let text = comment.text.filter(|_| comment.account_id == Some(reader.0));
    let text = text.ok_or_else(Problem::not_found)?;
    let is_stale = typed.as_ref().is_some_and(|(_, revision)| *revision != found.version.0);
    let page = CommentPage {
        frame: Frame::new(design_words::EDIT_COMMENT).at(Place::Designs),
        faults,
        design: design_path(code),
        path: format!("{}/comments/{id}", design_path(code)),
        revision: found.version.0,
        saved: is_stale.then(|| Markup::new(&text)),
        text: typed.map_or(text, |(typed, _)| typed),
        is_final: app.clock.now() >= comment.created_at + EDITABLE_FOR,
    };
    private(status, &page)
}

/// What a comment should say.
#[derive(Deserialize)]
pub(in crate::web) struct EditedComment {
    text: String,
    revision: i64,
}

/// Changes one of the own comments.
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

/// Deletes one of the own comments.
pub(in crate::web) async fn delete(
    state: web::Data<AppState>,
    by: Player<GiveFeedback>,
    path: web::Path<(String, Uuid)>,
) -> Result<HttpResponse, Problem> {
    let (design, id) = path.into_inner();
    let code = identifier(&design)?;
    if !comments::delete(&state, &by, code, CommentId(id)).await? {
        return Err(Problem::not_found());
    }
    Ok(see_other(&format!("{}#comments", design_path(code))))
}
