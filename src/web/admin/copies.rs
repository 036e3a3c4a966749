//! A registered copy for moderators: its present and former owners, and the moderation actions. Its serial code is printed on the card and not shown here.

use std::collections::BTreeMap;

use actix_web::{HttpResponse, web};
use askama::Template;
use cardscape_engine::Game;
use serde::Deserialize;
use uuid::Uuid;

use super::disputes::{dispute_path, moderator_access};
use super::moderation_words;
use super::parts::{Area, Nav, faults_of, limit, rarity};
use super::people::person_path;
use super::words as admin_words;
use crate::app::copies::copy_moderation::{self, Moderation, ModerationRequest, reason};
use crate::app::copies::own_copies::{self, CopyEventResponse};
use crate::app::page::Cursor;
use crate::app::problem::{Problem, ProblemCode};
use crate::app::state::AppState;
use crate::auth::permission::{ModerateCopies, OverseeCopies, ReadOwnCopies};
use crate::domain::ids::{AccountId, CopyId};
use crate::http::extract::Form;
use crate::web::accounts::Moment;
use crate::web::catalogue::card_path;
use crate::web::forms::{Faults, private};
use crate::web::page::{ENTRIES, Frame, Place, path_of};
use crate::web::page_status::PageStatus;
use crate::web::session::{Player, see_other};
use crate::web::words;

/// The path of this page.
const PATH: &str = "/admin/copies";

/// The page of a copy.
pub(super) fn copy_path(id: Uuid) -> String {
    format!("{PATH}/{id}")
}

/// The id of the copy to find, as it was typed; `None`: the form was not sent.
#[derive(Debug, Deserialize)]
pub(in crate::web) struct FindQuery {
    copy: Option<String>,
}

#[derive(Template)]
#[template(path = "web/admin/find_copy.html")]
struct FindPage {
    frame: Frame,
    nav: Nav,
    faults: Faults,
    copy: String,
}

/// Redirects to the copy with an id. Players see the id in their own lists and give it to moderators.
pub(in crate::web) async fn find_copy_by_id(
    by: Player<OverseeCopies>,
    query: web::Query<FindQuery>,
) -> Result<HttpResponse, Problem> {
    let typed = query.into_inner().copy;
    let id = typed.as_deref().map(|typed| Uuid::try_parse(typed.trim()));
    let (status, faults) = match id {
        Some(Ok(id)) => return Ok(see_other(&copy_path(id))),
        Some(Err(_)) => {
            (PageStatus::INVALID_QUERY, Faults::one("copy", moderation_words::COPY_ID_FAULT))
        }
        None => (PageStatus::OK, Faults::none()),
    };
    let page = FindPage {
        frame: Frame::new(moderation_words::FIND_COPY).at(Place::Account),
        nav: Nav::new(by.role(), Area::Disputes),
        faults,
        copy: typed.unwrap_or_default(),
    };
    private(status, &page)
}

#[derive(Template)]
#[template(path = "web/admin/copy.html")]
struct CopyPage {
    frame: Frame,
    nav: Nav,
    done: &'static str,
    path: String,
    id: Uuid,
    card: String,
    card_path: String,
    place: String,
    rarity: String,
    state: &'static str,
    frozen: bool,
    voided: bool,
    owner: Option<(String, String)>,
    registered: Moment,
    events: Vec<EventRow>,
    first_path: Option<String>,
    next_path: Option<String>,
}

/// An event of the copy.
struct EventRow {
    at: Moment,
    event: &'static str,
    /// Page and name of the account that did it, or that received the copy.
    by: Option<(String, String)>,
    owner: Option<(String, String)>,
    reason: Option<String>,
    dispute: Option<String>,
}

fn account(id: Option<Uuid>, name: Option<String>) -> Option<(String, String)> {
    let id = id?;
    Some((person_path(id), name.unwrap_or_else(|| id.to_string())))
}

impl From<CopyEventResponse> for EventRow {
    fn from(event: CopyEventResponse) -> Self {
        Self {
            at: Moment::new(event.at),
            event: moderation_words::copy_event(event.event),
            by: account(event.account_id, event.account_name),
            owner: account(event.owner_id, event.owner_name),
            reason: event.reason,
            dispute: event.dispute.map(dispute_path),
        }
    }
}

/// Which page of the history, and the action that was just completed.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(in crate::web) struct CopyQuery {
    cursor: Option<Cursor>,
    done: String,
}

/// Shows a copy with its history, the oldest entry first.
pub(in crate::web) async fn find_copy(
    state: web::Data<AppState>,
    by: Player<OverseeCopies>,
    copy: web::Path<Uuid>,
    query: web::Query<CopyQuery>,
) -> Result<HttpResponse, Problem> {
    let id = CopyId(*copy);
    let after: Option<i32> = Cursor::key_of(query.cursor.as_ref())?;
    let (reads, moderator_access) =
        (by.visitor.must::<ReadOwnCopies>()?, moderator_access(&by.visitor)?);
    let viewer = by.visitor.viewer();
    let copy = own_copies::find(&state, &reads, Some(&moderator_access), viewer, id).await?;
    let history = own_copies::list_history(
        &state,
        &reads,
        Some(&moderator_access),
        id,
        after,
        limit(ENTRIES)?,
    )
    .await?;
    let games = state.all_games().await?;
    let games: BTreeMap<&str, &Game> =
        games.iter().map(|loaded| (loaded.game.code(), &loaded.game)).collect();
    let path = copy_path(id.0);
    let next_path =
        history.next_cursor.as_deref().map(|cursor| path_of(&path, &[("cursor", cursor)]));
    let mut frame = Frame::new(moderation_words::COPY).at(Place::Account);
    frame.next.clone_from(&next_path);
    let game = copy.card.game;
    let page = CopyPage {
        frame,
        nav: Nav::new(by.role(), Area::Disputes),
        done: moderation_words::done(&query.done),
        id: copy.id,
        card_path: card_path(&game, &copy.card.set, &copy.card.number),
        place: words::place(&copy.card.set, &copy.card.number),
        card: copy.card.name.unwrap_or_else(|| words::HIDDEN_CARD.to_owned()),
        rarity: copy.rarity.map(|code| rarity(&games, &game, &code)).unwrap_or_default(),
        state: moderation_words::copy_state(copy.frozen, copy.voided, copy.disputed),
        frozen: copy.frozen,
        voided: copy.voided,
        owner: account(copy.owner_id, copy.owner_name),
        registered: Moment::new(copy.registered_at),
        events: history.data.into_iter().map(EventRow::from).collect(),
        first_path: query.cursor.as_ref().map(|_| path.clone()),
        next_path,
        path,
    };
    private(PageStatus::OK, &page)
}

/// The moderation action by its name in the address.
fn action_of(name: &str) -> Option<Moderation> {
    Some(match name {
        "freeze" => Moderation::Freeze,
        "unfreeze" => Moderation::Unfreeze,
        "void" => Moderation::Void,
        _ => return None,
    })
}

#[derive(Template)]
#[template(path = "web/admin/moderate_copy.html")]
struct ModeratePage {
    frame: Frame,
    nav: Nav,
    faults: Faults,
    heading: &'static str,
    about: &'static str,
    /// The page of the copy, and the path that the form is sent to.
    path: String,
    action: String,
    reason: String,
    /// Page and name of the owner.
    owner: Option<(String, String)>,
    /// The id of the owner that the action is about.
    owner_id: String,
}

/// Shows the form for the reason, and what the action does.
pub(in crate::web) async fn show_moderate(
    state: web::Data<AppState>,
    by: Player<ModerateCopies>,
    path: web::Path<(Uuid, String)>,
) -> Result<HttpResponse, Problem> {
    let (copy, name) = path.into_inner();
    let action = action_of(&name).ok_or_else(Problem::not_found)?;
    let typed = ReasonForm { reason: String::new(), owner: String::new() };
    ask(&state, &by, PageStatus::OK, (copy, &name, action), typed, Faults::none()).await
}

async fn ask(
    app: &AppState,
    by: &Player<ModerateCopies>,
    status: PageStatus,
    (copy, name, action): (Uuid, &str, Moderation),
    typed: ReasonForm,
    faults: Faults,
) -> Result<HttpResponse, Problem> {
    let (reads, moderator_access) =
        (by.visitor.must::<ReadOwnCopies>()?, moderator_access(&by.visitor)?);
    let (viewer, id) = (by.visitor.viewer(), CopyId(copy));
    // Answers 404 if the copy does not exist.
    let found = own_copies::find(app, &reads, Some(&moderator_access), viewer, id).await?;
    // A form that is shown again is still about the owner that it showed at first.
    let owner_id = if typed.owner.is_empty() {
        found.owner_id.map(|id| id.to_string()).unwrap_or_default()
    } else {
        typed.owner
    };
    let (heading, about) = match action {
        Moderation::Freeze => (moderation_words::FREEZE, moderation_words::FREEZE_ABOUT),
        Moderation::Unfreeze => (moderation_words::UNFREEZE, moderation_words::UNFREEZE_ABOUT),
        Moderation::Void => (moderation_words::VOID, moderation_words::VOID_ABOUT),
    };
    let path = copy_path(copy);
    let page = ModeratePage {
        frame: Frame::new(heading).at(Place::Account),
        nav: Nav::new(by.role(), Area::Disputes),
        faults,
        heading,
        about,
        action: format!("{path}/{name}"),
        path,
        reason: typed.reason,
        owner: account(found.owner_id, found.owner_name),
        owner_id,
    };
    private(status, &page)
}

/// The reason of the moderator.
#[derive(Deserialize)]
pub(in crate::web) struct ReasonForm {
    reason: String,
    /// The id of the owner that the page showed; empty: the form does not say.
    #[serde(default)]
    owner: String,
}

/// Freezes, unfreezes or voids a copy.
pub(in crate::web) async fn moderate(
    state: web::Data<AppState>,
    by: Player<ModerateCopies>,
    path: web::Path<(Uuid, String)>,
    Form(mut form): Form<ReasonForm>,
) -> Result<HttpResponse, Problem> {
    let (copy, name) = path.into_inner();
    let action = action_of(&name).ok_or_else(Problem::not_found)?;
    let (viewer, accounts) = (by.visitor.viewer(), by.visitor.must()?);
    let id = CopyId(copy);
    let moderated = match reason(&form.reason) {
        Ok(why) => {
            let owner = form.owner.parse().ok().map(AccountId);
            let request = ModerationRequest { action, reason: &why, owner };
            copy_moderation::moderate(&state, &by, viewer, Some(&accounts), id, request).await
        }
        Err(problem) => Err(problem),
    };
    match moderated {
        Ok(moderated) => {
            let done = if moderated.already { "as_before" } else { name.as_str() };
            Ok(see_other(&format!("{}?done={done}", copy_path(copy))))
        }
        Err(problem) => {
            let Some(faults) = faults_of(&problem, &["reason"]) else { return Err(problem) };
            if problem.code() == ProblemCode::EditConflict {
                // The page shows who has the copy now.
                form.owner.clear();
            }
            let status = PageStatus::of(&problem);
            ask(&state, &by, status, (copy, &name, action), form, faults).await
        }
    }
}
