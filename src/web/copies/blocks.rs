//! The players whom the visitor has blocked, and the buttons that block a player and remove the block.

use actix_web::{HttpResponse, web};
use askama::Template;
use serde::Deserialize;

use super::player_path;
use super::words as copy_words;
use crate::app::accounts::blocks::{self, BlockKey, BlockResponse};
use crate::app::accounts::people::Person;
use crate::app::page::{Cursor, PageLimit};
use crate::app::problem::{Problem, ProblemCode};
use crate::app::state::AppState;
use crate::auth::permission::{Granted, ManageOwnBlocks, ReadOwnAccount};
use crate::domain::text::AccountName;
use crate::web::accounts::Moment;
use crate::web::forms::{Faults, private};
use crate::web::page::{ENTRIES, Frame, Place};
use crate::web::page_status::PageStatus;
use crate::web::session::{Player, Visitor, see_other};
use crate::web::words;

/// The path of the list.
const PATH: &str = "/my/blocks";

#[derive(Template)]
#[template(path = "web/copies/blocks.html")]
struct BlocksPage {
    frame: Frame,
    faults: Faults,
    /// Confirmation of the action that was just completed; empty: no action.
    done: &'static str,
    players: Vec<BlockedRow>,
    first_path: Option<String>,
    next_path: Option<String>,
}

/// A blocked player in the list.
struct BlockedRow {
    unblock_path: String,
    unblock: String,
    name: String,
    since: Moment,
}

impl From<BlockResponse> for BlockedRow {
    fn from(BlockResponse { name, blocked_at, .. }: BlockResponse) -> Self {
        Self {
            unblock_path: unblock_path(&name),
            unblock: copy_words::unblock(&name),
            since: Moment::new(blocked_at),
            name,
        }
    }
}

/// The button that blocks a player or removes the block, on the pages that name the player.
pub(in crate::web) struct BlockButton {
    pub(in crate::web) path: String,
    pub(in crate::web) label: &'static str,
    pub(in crate::web) about: &'static str,
}

impl BlockButton {
    /// The button for a player; `None`: the visitor has no account.
    pub(in crate::web) async fn find(
        app: &AppState,
        visitor: &Visitor,
        name: &AccountName,
    ) -> Result<Option<Self>, Problem> {
        let Ok(by) = visitor.must::<ReadOwnAccount>() else { return Ok(None) };
        let player = name.as_str();
        Ok(Some(if blocks::has_blocked(app, &by, name).await? {
            Self {
                path: unblock_path(player),
                label: copy_words::UNBLOCK,
                about: copy_words::IS_BLOCKED,
            }
        } else {
            Self {
                path: format!("{}/block", player_path(player)),
                label: copy_words::BLOCK,
                about: copy_words::BLOCK_ABOUT,
            }
        }))
    }
}

fn unblock_path(player: &str) -> String {
    format!("{}/unblock", player_path(player))
}

/// Query of the list.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(in crate::web) struct BlocksQuery {
    /// The code of the action that was just completed.
    done: String,
    cursor: Option<Cursor>,
}

/// Lists the players whom the visitor has blocked, the newest block first.
pub(in crate::web) async fn list_blocks(
    state: web::Data<AppState>,
    by: Player<ReadOwnAccount>,
    query: web::Query<BlocksQuery>,
) -> Result<HttpResponse, Problem> {
    show(&state, &by, PageStatus::OK, &query, Faults::none()).await
}

async fn show(
    app: &AppState,
    by: &Granted<ReadOwnAccount>,
    status: PageStatus,
    query: &BlocksQuery,
    faults: Faults,
) -> Result<HttpResponse, Problem> {
    let before: Option<BlockKey> = Cursor::key_of(query.cursor.as_ref())?;
    let limit = PageLimit::try_from(ENTRIES).map_err(Problem::internal)?;
    let found = blocks::list(app, by, before, limit).await?;
    let next_path = found.next_cursor.map(|cursor| format!("{PATH}?cursor={cursor}"));
    let mut frame = Frame::new(copy_words::BLOCKED_PLAYERS).at(Place::Account);
    frame.next.clone_from(&next_path);
    let page = BlocksPage {
        frame,
        faults,
        done: copy_words::block_done(&query.done),
        players: found.data.into_iter().map(BlockedRow::from).collect(),
        first_path: query.cursor.as_ref().map(|_| PATH.to_owned()),
        next_path,
    };
    private(status, &page)
}

/// The player with a name from an address.
pub(super) fn named(player: &str) -> Result<Person, Problem> {
    AccountName::parse(player).map(Person::Name).map_err(|_| Problem::not_found())
}

pub(in crate::web) async fn block_player(
    state: web::Data<AppState>,
    by: Player<ManageOwnBlocks>,
    player: web::Path<String>,
) -> Result<HttpResponse, Problem> {
    let Err(problem) = blocks::block(&state, &by, &named(&player)?).await else {
        return Ok(see_other("/my/blocks?done=blocked"));
    };
    let Some(faults) = Faults::of_problem(&problem, &[], copy_words::block_fault) else {
        return Err(problem);
    };
    let reads = by.visitor.must()?;
    let status = PageStatus::of(&problem);
    show(&state, &reads, status, &BlocksQuery::default(), faults).await
}

/// Removes a block. A block that was removed already is not an error.
pub(in crate::web) async fn unblock_player(
    state: web::Data<AppState>,
    by: Player<ManageOwnBlocks>,
    player: web::Path<String>,
) -> Result<HttpResponse, Problem> {
    match blocks::unblock(&state, &by, &named(&player)?).await {
        Err(problem) if problem.code() != ProblemCode::NotFound => Err(problem),
        _ => Ok(see_other("/my/blocks?done=unblocked")),
    }
}
