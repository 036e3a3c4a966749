//! Deleting and restoring decks.

use actix_web::{HttpResponse, web};
use uuid::Uuid;

use super::deck_lists::changed;
use crate::app::decks::deck_deletions;
use crate::app::decks::deck_responses::DeckResponse;
use crate::app::problem::Problem;
use crate::app::state::AppState;
use crate::app::versions::IfMatch;
use crate::auth::permission::WriteOwnDecks;
use crate::domain::ids::DeckId;
use crate::http::extract::{Caller, May};

/// Deletes one of your decks.
///
/// It can be restored for 30 days with `POST /v1/decks/{deck}/undelete`; `GET /v1/decks?deleted=true` lists your deleted decks. At most 100 deleted
/// decks are kept; if there are more, those that were deleted first are removed permanently. A deck with reports that no moderator has decided is stored until they are decided.
#[utoipa::path(
    delete, path = "/v1/decks/{deck}", tag = "decks", security(("bearer" = [])),
    params(
        ("deck" = Uuid, Path, description = "Id of the deck"),
        ("If-Match" = String, Header, description = "ETag of the version to delete", example = "\"r1\""),
    ),
    responses(
        (status = 204, description = "Deleted."),
        (status = 412, description = "`precondition_failed`: since that version, the deck was changed, or a moderator took it down or ended the takedown."),
        (status = 428, description = "`precondition_required`"),
    )
)]
pub async fn delete_deck(
    state: web::Data<AppState>,
    by: May<WriteOwnDecks>,
    deck: web::Path<Uuid>,
    if_match: Result<IfMatch, Problem>,
) -> Result<HttpResponse, Problem> {
    deck_deletions::delete(&state, &by, DeckId(*deck), &if_match?).await?;
    Ok(HttpResponse::NoContent().finish())
}

/// Restores one of your deleted decks.
///
/// Its content and visibility are the same as before the deletion. If the deck is not deleted, nothing changes.
#[utoipa::path(
    post, path = "/v1/decks/{deck}/undelete", tag = "decks", security(("bearer" = [])),
    params(("deck" = Uuid, Path, description = "Id of the deck")),
    responses(
        (status = 200, body = DeckResponse, headers(("ETag" = String, description = "Its version, for `If-Match`"))),
        (status = 409, description = "`too_many_decks`"),
    )
)]
pub async fn undelete_deck(
    state: web::Data<AppState>,
    by: May<WriteOwnDecks>,
    caller: Caller,
    deck: web::Path<Uuid>,
) -> Result<HttpResponse, Problem> {
    Ok(changed(deck_deletions::undelete(&state, &by, caller.viewer(), DeckId(*deck)).await?))
}
