//! Accounts that the caller has blocked.

use actix_web::{HttpRequest, HttpResponse, web};
use serde::Deserialize;
use utoipa::IntoParams;

use crate::app::accounts::blocks::{self, BlockKey, BlockResponse};
use crate::app::accounts::people::Person;
use crate::app::page::{Cursor, Page, PageLimit};
use crate::app::problem::Problem;
use crate::app::state::AppState;
use crate::auth::permission::{ManageOwnBlocks, ReadOwnAccount};
use crate::http::extract::{LooseParams, May};
use crate::memory::rendered::Freshness;

/// Which part of the list.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct BlocksQuery {
    /// Items on a page: 1 to 200.
    #[serde(default)]
    #[param(value_type = Option<u16>, minimum = 1, maximum = 200, default = 50)]
    limit: PageLimit,
    /// `next_cursor` of the previous page.
    #[param(value_type = Option<String>)]
    cursor: Option<Cursor>,
}

/// Lists the players whom you have blocked, the latest block first.
#[utoipa::path(
    get, path = "/v1/me/blocks", tag = "accounts", security(("bearer" = [])), params(BlocksQuery),
    responses((status = 200, body = Page<BlockResponse>), (status = 304, description = "Not changed."))
)]
pub async fn list_blocks(
    req: HttpRequest,
    state: web::Data<AppState>,
    by: May<ReadOwnAccount>,
    query: LooseParams<BlocksQuery>,
) -> Result<HttpResponse, Problem> {
    let check = async |query: &BlocksQuery| Cursor::key_of(query.cursor.as_ref());
    let (query, before): (_, Option<BlockKey>) = query.checked(check).await?;
    let page = blocks::list(&state, &by, before, query.limit).await?;
    page.answer(&req, Freshness::Private)
}

/// Blocks a player: no comments on your designs and decks, no replies to your comments, no suggestions, no offers to trade.
///
/// The player is not notified. Open offers between you are closed: yours are cancelled, those of the player are declined. The player does not see your copies any more. Earlier comments of the player stay. While the block lasts, the player's likes of your decks do not count, and neither
/// does the player among your followers. Blocking the same player again changes nothing.
#[utoipa::path(
    put, path = "/v1/me/blocks/{account}", tag = "accounts", security(("bearer" = [])),
    params(("account" = String, Path, description = "Name of the player (if there was an offer between you, or the player is not banned and shows lists, copies, decks or designs to every player, has designed a card, or has written to you: a comment on your design or deck, a reply to your comment, a suggested change of your design; copies of a player who has blocked you do not count), or id of the account", example = "ben")),
    responses(
        (status = 204, description = "Blocked."),
        (status = 409, description = "`own_account`, `too_many_blocks`"),
    )
)]
pub async fn block_account(
    state: web::Data<AppState>,
    by: May<ManageOwnBlocks>,
    account: web::Path<Person>,
) -> Result<HttpResponse, Problem> {
    blocks::block(&state, &by, &account).await?;
    Ok(HttpResponse::NoContent().finish())
}

/// Removes a block.
#[utoipa::path(
    delete, path = "/v1/me/blocks/{account}", tag = "accounts", security(("bearer" = [])),
    params(("account" = String, Path, description = "Name or id of the player whom you have blocked", example = "ben")),
    responses((status = 204, description = "The block was removed."))
)]
pub async fn unblock_account(
    state: web::Data<AppState>,
    by: May<ManageOwnBlocks>,
    account: web::Path<Person>,
) -> Result<HttpResponse, Problem> {
    blocks::unblock(&state, &by, &account).await?;
    Ok(HttpResponse::NoContent().finish())
}
