//! Who may send the caller offers, and the copies that players show.

use actix_web::{HttpRequest, HttpResponse, web};
use serde::Deserialize;
use utoipa::{IntoParams, ToSchema};
use uuid::Uuid;

use crate::app::accounts::own_account::AccountResponse;
use crate::app::catalogue::codes::Codes;
use crate::app::copies::own_copies::{CopySelection, copies_after};
use crate::app::copies::trading::{self, ShownCopyResponse};
use crate::app::page::{Cursor, Page, PageLimit};
use crate::app::problem::{Problem, both};
use crate::app::state::AppState;
use crate::auth::permission::{ChangeOwnTrading, ReadTrades};
use crate::domain::code::Code;
use crate::domain::copies::trade::Trading;
use crate::domain::ids::CardId;
use crate::domain::text::AccountName;
use crate::http::extract::{Body, Caller, LooseParams, May};
use crate::memory::rendered::Freshness;

/// Who may send you offers, and who may see your copies.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(example = json!({ "trading": "public" }))]
pub struct TradingRequest {
    /// `closed`: nobody can send you offers. `offers` (the default): players who know your name can send you offers. `public`: other players can also
    /// list your copies, and ask for any of them.
    pub trading: Trading,
}

/// Sets who may send you offers, and who may see your copies.
#[utoipa::path(
    put, path = "/v1/me/trading", tag = "accounts", security(("bearer" = [])), request_body = TradingRequest,
    responses((status = 200, body = AccountResponse))
)]
pub async fn change_trading(
    state: web::Data<AppState>,
    by: May<ChangeOwnTrading>,
    body: Body<TradingRequest>,
) -> Result<web::Json<AccountResponse>, Problem> {
    Ok(web::Json(trading::change(&state, &by, body.value.trading).await?))
}

/// Which copies, and which part of the list.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct PlayerCopiesQuery {
    /// Only copies of cards of this game.
    #[param(value_type = Option<String>, example = "ttcg")]
    game: Option<Code>,
    /// Only copies of cards of this set.
    #[param(value_type = Option<String>, example = "hearth")]
    set: Option<Code>,
    /// Only copies of this card.
    card: Option<Uuid>,
    /// Items on a page: 1 to 200.
    #[serde(default)]
    #[param(value_type = Option<u16>, minimum = 1, maximum = 200, default = 50)]
    limit: PageLimit,
    /// `next_cursor` of the previous page.
    #[param(value_type = Option<String>)]
    cursor: Option<Cursor>,
}

/// Lists the copies that a player shows, by game, set and number of their cards.
///
/// Only players whose `trading` is `public` show copies, and not to players whom they have blocked; for all others the answer is 404, as for a name that
/// no player has. Frozen and void copies are left out.
#[utoipa::path(
    get, path = "/v1/players/{player}/copies", tag = "copies", security(("bearer" = [])),
    params(("player" = String, Path, description = "Name of the player", example = "ada"), PlayerCopiesQuery),
    responses((status = 200, body = Page<ShownCopyResponse>), (status = 304, description = "Not changed."))
)]
pub async fn list_player_copies(
    req: HttpRequest,
    state: web::Data<AppState>,
    caller: Caller,
    by: May<ReadTrades>,
    player: web::Path<String>,
    query: LooseParams<PlayerCopiesQuery>,
) -> Result<HttpResponse, Problem> {
    let check = async |query: &PlayerCopiesQuery| {
        let codes = Codes::of_set(query.game.clone(), query.set.clone());
        both(copies_after(query.cursor.as_ref()), codes.resolve(&state).await)
    };
    let (query, (after, codes)) = query.checked(check).await?;
    let player = AccountName::parse(&player).map_err(|_| Problem::not_found())?;
    let selection = CopySelection { codes, card: query.card.map(CardId), only: None };
    let (viewer, limit) = (caller.viewer(), query.limit);
    let page = trading::list_shown(&state, &by, viewer, &player, &selection, after, limit).await?;
    page.answer(&req, Freshness::Private)
}
