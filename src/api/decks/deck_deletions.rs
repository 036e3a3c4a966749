//! Deleting decks, and the way back.

use actix_web::{HttpResponse, web};
use uuid::Uuid;

use super::deck_lists::changed;
use crate::app::decks::deck_deletions;
use crate::app::decks::deck_lists::DeckResponse;
use crate::app::problem::Problem;
use crate::app::state::AppState;
use crate::app::versions::IfMatch;
use crate::auth::permission::WriteOwnDecks;
use crate::domain::ids::DeckId;
use crate::http::extract::{Caller, May};

/// Deletes one of your decks.
///
/// For 30 days `POST /v1/decks/{deck}/undelete` brings it back; `GET /v1/decks?deleted=true` lists it. Of more than 100 deleted decks those that were
/// deleted first go for good.
#[utoipa::path(
    delete, path = "/v1/decks/{deck}", tag = "decks", security(("bearer" = [])),
    params(
        ("deck" = Uuid, Path, description = "Id of the deck"),
        ("If-Match" = String, Header, description = "ETag of the version to delete", example = "\"r1\""),
    ),
    responses(
        (status = 204, description = "Deleted."),
        (status = 412, description = "`precondition_failed`: it was changed since."),
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

/// Undoes the deletion of one of your decks.
///
/// It is what it was, with the same readers. Of a deck that is not deleted nothing changes.
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
