//! Which cards of a deck the reader has.

use super::words as deck_words;
use crate::app::decks::deck_availability::{self, CardAvailabilityResponse};
use crate::app::problem::Problem;
use crate::app::state::AppState;
use crate::auth::permission::{Granted, ReadOwnCollection, ReadOwnDecks, Viewer};
use crate::domain::ids::DeckId;
use crate::domain::network::Network;
use crate::web::session::Visitor;
use crate::web::words;

/// Which cards of a deck the reader has.
pub(super) struct AvailabilityView {
    pub(super) summary: String,
    /// The cards, those that are missing first.
    pub(super) rows: Vec<AvailabilityRow>,
}

/// A card, and how many of it the reader has.
pub(super) struct AvailabilityRow {
    pub(super) name: String,
    pub(super) needed: u64,
    pub(super) owned: u64,
    pub(super) missing: u64,
}

/// What of a deck the reader has; `None`: nobody is logged in.
pub(super) async fn find_availability(
    app: &AppState,
    visitor: &Visitor,
    reads: Option<&Granted<ReadOwnDecks>>,
    asker: (Viewer, Network),
    id: DeckId,
) -> Result<Option<AvailabilityView>, Problem> {
    let Ok(by) = visitor.must::<ReadOwnCollection>() else { return Ok(None) };
    let found = deck_availability::find(app, &by, reads, asker, id).await?;
    if found.cards.is_empty() {
        return Ok(None);
    }
    let mut rows: Vec<AvailabilityRow> = found.cards.into_iter().map(row).collect();
    rows.sort_by_key(|row| row.missing == 0);
    Ok(Some(AvailabilityView { summary: deck_words::missing(found.missing), rows }))
}

fn row(card: CardAvailabilityResponse) -> AvailabilityRow {
    let CardAvailabilityResponse { name, needed, owned, missing, .. } = card;
    let name = if name.is_empty() { words::HIDDEN_CARD.to_owned() } else { name };
    AvailabilityRow { name, needed, owned, missing }
}
