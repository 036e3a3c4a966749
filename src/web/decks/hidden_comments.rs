//! Comments that the owner of a deck hid: listed, hidden and shown again.

use actix_web::{HttpResponse, web};
use uuid::Uuid;

use super::comments::{is_owner, origin};
use crate::app::problem::Problem;
use crate::app::state::AppState;
use crate::auth::permission::{GiveDeckFeedback, ReadOwnDecks};
use crate::domain::ids::DeckId;
use crate::web::feedback::hidden_comments::{self as shared, HiddenQuery};
use crate::web::session::Player;

/// Lists comments that the owner of a deck hid: all of them for the owner and for moderators, otherwise those by the visitor.
pub(in crate::web) async fn list(
    state: web::Data<AppState>,
    by: Player<ReadOwnDecks>,
    deck: web::Path<Uuid>,
    query: web::Query<HiddenQuery>,
) -> Result<HttpResponse, Problem> {
    let deck = DeckId(*deck);
    let is_owner = is_owner(&state, &by.visitor, &by.granted, deck).await?;
    shared::list(&state, &by, origin(deck), (deck.into(), is_owner), &query).await
}

/// Hides a comment on a deck of the visitor.
pub(in crate::web) async fn hide(
    state: web::Data<AppState>,
    by: Player<GiveDeckFeedback>,
    path: web::Path<(Uuid, Uuid)>,
) -> Result<HttpResponse, Problem> {
    let (deck, comment) = path.into_inner();
    let deck = DeckId(deck);
    shared::hide(&state, &by, &origin(deck), (deck, comment)).await
}

/// Shows a comment again that the visitor hid.
pub(in crate::web) async fn show(
    state: web::Data<AppState>,
    by: Player<GiveDeckFeedback>,
    path: web::Path<(Uuid, Uuid)>,
) -> Result<HttpResponse, Problem> {
    let (deck, comment) = path.into_inner();
    let deck = DeckId(deck);
    shared::show(&state, &by, &origin(deck), (deck, comment)).await
}
