//! Registered copies: the caller's copies and their history.

use actix_web::{HttpRequest, HttpResponse, web};
use serde::Deserialize;
use utoipa::IntoParams;
use uuid::Uuid;

use crate::app::catalogue::codes::Codes;
use crate::app::copies::own_copies::{
    self, CopyEventResponse, CopyResponse, CopySelection, ModeratorAccess, copies_after,
};
use crate::app::page::{Cursor, Page, PageLimit};
use crate::app::problem::{Problem, both};
use crate::app::state::AppState;
use crate::auth::permission::ReadOwnCopies;
use crate::domain::code::Code;
use crate::domain::ids::{CardId, CopyId};
use crate::http::extract::{Caller, LooseParams, May, PageQuery, Params, cacheable};
use crate::memory::rendered::Freshness;

/// Which copies, and which part of the list.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct CopiesQuery {
    /// Only copies of cards of this game.
    #[param(value_type = Option<String>, example = "ttcg")]
    game: Option<Code>,
    /// Only copies of cards of this set.
    #[param(value_type = Option<String>, example = "hearth")]
    set: Option<Code>,
    /// Only copies of this card.
    card: Option<Uuid>,
    /// Only copies of this rarity.
    #[param(value_type = Option<String>, example = "rare")]
    rarity: Option<Code>,
    /// Items on a page: 1 to 200.
    #[serde(default)]
    #[param(value_type = Option<u16>, minimum = 1, maximum = 200, default = 50)]
    limit: PageLimit,
    /// `next_cursor` of the previous page.
    #[param(value_type = Option<String>)]
    cursor: Option<Cursor>,
}

/// The caller's permission as a moderator of copies, if the caller has it.
pub(super) fn moderator_access(caller: &Caller) -> Option<ModeratorAccess> {
    Some(ModeratorAccess { copies: caller.may()?, accounts: caller.may() })
}

/// Lists your copies, by game, set and number of their cards.
#[utoipa::path(
    get, path = "/v1/copies", tag = "copies", security(("bearer" = [])), params(CopiesQuery),
    responses((status = 200, body = Page<CopyResponse>), (status = 304, description = "Not changed."))
)]
pub async fn list_copies(
    req: HttpRequest,
    state: web::Data<AppState>,
    caller: Caller,
    by: May<ReadOwnCopies>,
    query: LooseParams<CopiesQuery>,
) -> Result<HttpResponse, Problem> {
    let check = async |query: &CopiesQuery| {
        let (game, set, rarity) = (query.game.clone(), query.set.clone(), query.rarity.clone());
        let codes = Codes { game, set, rarity }.resolve(&state).await;
        both(copies_after(query.cursor.as_ref()), codes)
    };
    let (query, (after, codes)) = query.checked(check).await?;
    let selection = CopySelection { codes, card: query.card.map(CardId), only: None };
    let (viewer, limit) = (caller.viewer(), query.limit);
    let page = own_copies::list(&state, &by, viewer, &selection, after, limit).await?;
    page.answer(&req, Freshness::Private)
}

/// Shows a copy: one of yours or, for moderators (tokens with `admin:read`), any copy.
#[utoipa::path(
    get, path = "/v1/copies/{copy}", tag = "copies", security(("bearer" = [])),
    params(("copy" = Uuid, Path, description = "Id of the copy")),
    responses((status = 200, body = CopyResponse), (status = 304, description = "Not changed."))
)]
pub async fn find_copy(
    req: HttpRequest,
    state: web::Data<AppState>,
    caller: Caller,
    by: May<ReadOwnCopies>,
    copy: web::Path<Uuid>,
) -> Result<HttpResponse, Problem> {
    let (moderator_access, viewer) = (moderator_access(&caller), caller.viewer());
    let copy =
        own_copies::find(&state, &by, moderator_access.as_ref(), viewer, CopyId(*copy)).await?;
    cacheable(&req, Freshness::Private, None, &copy)
}

/// Lists the history of a copy, the oldest event first; for its owner and for moderators.
#[utoipa::path(
    get, path = "/v1/copies/{copy}/history", tag = "copies", security(("bearer" = [])),
    params(("copy" = Uuid, Path, description = "Id of the copy"), PageQuery),
    responses((status = 200, body = Page<CopyEventResponse>), (status = 304, description = "Not changed."))
)]
pub async fn list_copy_history(
    req: HttpRequest,
    state: web::Data<AppState>,
    caller: Caller,
    by: May<ReadOwnCopies>,
    copy: web::Path<Uuid>,
    query: Params<PageQuery>,
) -> Result<HttpResponse, Problem> {
    let (after, moderator_access) = (query.after()?, moderator_access(&caller));
    let (id, limit) = (CopyId(*copy), query.limit);
    let page =
        own_copies::list_history(&state, &by, moderator_access.as_ref(), id, after, limit).await?;
    page.answer(&req, Freshness::Private)
}
