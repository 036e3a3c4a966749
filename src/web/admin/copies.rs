//! A registered copy as moderators see it: whose it is and was, and what they may do to it. Its code is on the card, and nowhere here.

use std::collections::BTreeMap;

use actix_web::{HttpResponse, web};
use askama::Template;
use cardscape_engine::Game;
use serde::Deserialize;
use uuid::Uuid;

use super::disputes::{dispute_path, overseer};
use super::moderation_words;
use super::parts::{Area, Nav, faults_of, limit, rarity};
use super::people::person_path;
use super::words as admin_words;
use crate::app::copies::copy_moderation::{self, Moderation, reason};
use crate::app::copies::own_copies::{self, CopyEventResponse};
use crate::app::page::Cursor;
use crate::app::problem::Problem;
use crate::app::state::AppState;
use crate::auth::permission::{ModerateCopies, OverseeCopies, ReadOwnCopies};
use crate::domain::ids::CopyId;
use crate::http::extract::Form;
use crate::web::accounts::Moment;
use crate::web::catalogue::card_path;
use crate::web::forms::{Faults, private};
use crate::web::page::{ENTRIES, Frame, Place, path_of};
use crate::web::session::{Player, see_other};
use crate::web::words;

/// The page.
const PATH: &str = "/admin/copies";

/// The page of a copy.
pub(super) fn copy_path(id: Uuid) -> String {
    format!("{PATH}/{id}")
}

/// The copy to find, as it was typed; `None`: nothing was looked for yet.
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

/// Leads to the copy of an id, which players see in their own lists and tell moderators.
pub(in crate::web) async fn find_copy_by_id(
    by: Player<OverseeCopies>,
    query: web::Query<FindQuery>,
) -> Result<HttpResponse, Problem> {
    let typed = query.into_inner().copy;
    let id = typed.as_deref().map(|typed| Uuid::try_parse(typed.trim()));
    let (status, faults) = match id {
        Some(Ok(id)) => return Ok(see_other(&copy_path(id))),
        Some(Err(_)) => (400, Faults::one("copy", moderation_words::COPY_ID_FAULT)),
        None => (200, Faults::none()),
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

/// Something that happened to the copy.
struct EventRow {
    at: Moment,
    event: &'static str,
    /// Who did it, or got the copy: where the account is, and its name.
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

/// Which part of the history, and what was done before.
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
    let (reads, overseer) = (by.visitor.must::<ReadOwnCopies>()?, overseer(&by.visitor)?);
    let viewer = by.visitor.viewer();
    let copy = own_copies::find(&state, &reads, Some(&overseer), viewer, id).await?;
    let history =
        own_copies::list_history(&state, &reads, Some(&overseer), id, after, limit(ENTRIES)?)
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
    private(200, &page)
}

/// Something that a moderator may do to a copy, as the address has it.
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
    /// Where the copy is, and where the form goes.
    path: String,
    action: String,
    reason: String,
}

/// Asks for the reason, and says what follows.
pub(in crate::web) async fn show_moderate(
    state: web::Data<AppState>,
    by: Player<ModerateCopies>,
    path: web::Path<(Uuid, String)>,
) -> Result<HttpResponse, Problem> {
    let (copy, name) = path.into_inner();
    let action = action_of(&name).ok_or_else(Problem::not_found)?;
    let (reads, overseer) = (by.visitor.must::<ReadOwnCopies>()?, overseer(&by.visitor)?);
    // A copy that is not there is not asked about.
    own_copies::find(&state, &reads, Some(&overseer), by.visitor.viewer(), CopyId(copy)).await?;
    ask(&by, 200, (copy, &name, action), String::new(), Faults::none())
}

fn ask(
    by: &Player<ModerateCopies>,
    status: u16,
    (copy, name, action): (Uuid, &str, Moderation),
    reason: String,
    faults: Faults,
) -> Result<HttpResponse, Problem> {
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
        reason,
    };
    private(status, &page)
}

/// Why a moderator does it.
#[derive(Deserialize)]
pub(in crate::web) struct ReasonForm {
    reason: String,
}

/// Freezes, unfreezes or voids a copy.
pub(in crate::web) async fn moderate(
    state: web::Data<AppState>,
    by: Player<ModerateCopies>,
    path: web::Path<(Uuid, String)>,
    Form(form): Form<ReasonForm>,
) -> Result<HttpResponse, Problem> {
    let (copy, name) = path.into_inner();
    let action = action_of(&name).ok_or_else(Problem::not_found)?;
    let (viewer, accounts) = (by.visitor.viewer(), by.visitor.must()?);
    let id = CopyId(copy);
    let moderated = match reason(&form.reason) {
        Ok(why) => {
            copy_moderation::moderate(&state, &by, viewer, Some(&accounts), id, action, &why).await
        }
        Err(problem) => Err(problem),
    };
    match moderated {
        Ok(_) => Ok(see_other(&format!("{}?done={name}", copy_path(copy)))),
        Err(problem) => {
            let Some(faults) = faults_of(&problem, &["reason"]) else { return Err(problem) };
            ask(&by, problem.code().status(), (copy, &name, action), form.reason, faults)
        }
    }
}
