//! Which part of a deck you can build from your collection.

use actix_web::{HttpRequest, HttpResponse, web};
use serde::Deserialize;
use utoipa::IntoParams;
use uuid::Uuid;

use crate::app::decks::deck_pick_lists::{self, DeckPickListResponse};
use crate::app::problem::Problem;
use crate::app::state::AppState;
use crate::auth::permission::ReadOwnCollection;
use crate::domain::decks::reservation::ReservedCopies;
use crate::domain::ids::DeckId;
use crate::http::extract::{Caller, ClientNetwork, May, Params, cacheable};
use crate::memory::rendered::Freshness;

/// What may be taken.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct PickListQuery {
    /// `include`: copies that are reserved for your other decks are taken as well; `exclude` (the default): they are not taken.
    #[serde(default)]
    #[param(inline, value_type = Option<ReservedCopies>)]
    reserved: ReservedCopies,
}

/// Shows which of your printings to take for each entry of a deck, and how many copies are missing.
///
/// The deck must be public, unlisted or yours. For a private deck of yours, your credentials must also let you read decks (`decks:read`), otherwise the answer is
/// 404. The answer also has the copies that can be taken as a deck list, and the status of that list in the format of the deck. Copies that are reserved for your
/// other decks are not taken. If your credentials do not let you read decks, reservations are ignored.
#[utoipa::path(
    get, path = "/v1/decks/{deck}/pick-list", tag = "decks", security(("bearer" = [])),
    params(("deck" = Uuid, Path, description = "Id of the deck"), PickListQuery),
    responses(
        (status = 200, body = DeckPickListResponse),
        (status = 304, description = "Not changed."),
    )
)]
pub async fn find_deck_pick_list(
    req: HttpRequest,
    state: web::Data<AppState>,
    by: May<ReadOwnCollection>,
    caller: Caller,
    network: ClientNetwork,
    deck: web::Path<Uuid>,
    query: Params<PickListQuery>,
) -> Result<HttpResponse, Problem> {
    let (reads, requester) = (caller.may(), (caller.viewer(), network.0));
    let (id, reserved) = (DeckId(*deck), query.reserved);
    let found = deck_pick_lists::find(&state, &by, reads.as_ref(), requester, id, reserved).await?;
    cacheable(&req, Freshness::Private, None, &found)
}
