//! What can be built of a deck with what you have.

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
    /// `include` takes copies that are reserved for your other decks as well; `exclude` when it is absent.
    #[serde(default)]
    #[param(inline, value_type = Option<ReservedCopies>)]
    reserved: ReservedCopies,
}

/// Tells what you can build of a deck with what you have: which printings to take for each entry, what remains missing, and what the rest is in the format of
/// the deck. A public or unlisted deck, or one of yours.
///
/// What is reserved for your other decks is left there, if your credentials let you read decks; it is not known otherwise.
#[utoipa::path(
    get, path = "/v1/decks/{deck}/pick-list", tag = "decks", security(("bearer" = [])),
    params(("deck" = Uuid, Path, description = "Id of the deck"), PickListQuery),
    responses(
        (status = 200, body = DeckPickListResponse),
        (status = 304, description = "It is still what `If-None-Match` names."),
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
    let (reads, asker) = (caller.may(), (caller.viewer(), network.0));
    let (id, reserved) = (DeckId(*deck), query.reserved);
    let found = deck_pick_lists::find(&state, &by, reads.as_ref(), asker, id, reserved).await?;
    cacheable(&req, Freshness::Private, None, &found)
}
