//! Changing values of a deck without sending its list.

use actix_web::{HttpResponse, web};
use uuid::Uuid;

use super::deck_lists::changed;
use crate::app::decks::deck_edits::{self, DeckPatch};
use crate::app::decks::deck_responses::DeckResponse;
use crate::app::problem::Problem;
use crate::app::state::AppState;
use crate::app::versions::IfMatch;
use crate::auth::permission::WriteOwnDecks;
use crate::domain::ids::DeckId;
use crate::http::extract::{Caller, ClientNetwork, May, Patch};

/// Changes name, format, visibility, description, tags or folder of one of your decks, but not its entries.
///
/// The body is a JSON merge patch (RFC 7396): members that are left out do not change. The format can only be changed to one of the same game. If nothing
/// changes, there is no new version: the answer is the deck as it is, with the same `ETag`. Another folder alone is no new version either, because only you see the folder; your
/// `ETag` then has another digest after `~`. `If-Match` needs the whole `ETag`: without a digest, it names the deck without a folder.
#[utoipa::path(
    patch, path = "/v1/decks/{deck}", tag = "decks", security(("bearer" = [])),
    request_body(content((DeckPatch = "application/merge-patch+json"), (DeckPatch = "application/json"))),
    params(
        ("deck" = Uuid, Path, description = "Id of the deck"),
        ("If-Match" = String, Header, description = "ETag of the version to change", example = "\"r1\""),
    ),
    responses(
        (status = 200, body = DeckResponse, headers(("ETag" = String, description = "Its version now"))),
        (status = 409, description = "`deck_taken_down`: a moderator took the deck down, or the deck of which it is an unchanged copy, so it stays private."),
        (status = 412, description = "`precondition_failed`: since that version, the deck was changed, or a moderator took it down or ended the takedown; nothing is overwritten."),
        (status = 422, description = "`invalid_body`, `unknown_format`"),
        (status = 428, description = "`precondition_required`"),
    )
)]
pub async fn edit_deck(
    state: web::Data<AppState>,
    by: May<WriteOwnDecks>,
    caller: Caller,
    network: ClientNetwork,
    deck: web::Path<Uuid>,
    if_match: Result<IfMatch, Problem>,
    patch: Result<Patch<DeckPatch>, Problem>,
) -> Result<HttpResponse, Problem> {
    let (requester, id) = ((caller.viewer(), network.0), DeckId(*deck));
    let (if_match, Patch(patch, _)) = (if_match?, patch?);
    Ok(changed(deck_edits::edit(&state, &by, requester, id, &if_match, patch).await?))
}
